/**
 * The app on a person's phone, through Apple or Google, depending on the phone. It is a contact
 * method, and never a channel of a workspace.
 * Source: docs/design/outbound-channels.md#s6.
 */
import { Type } from 'typebox'
import { apnsSteps } from '../apns.ts'
import type { Channel } from '../channel.ts'
import { closed, field, secretField } from '../config.ts'
import { fcmSteps } from '../fcm.ts'
import type { Device } from '../push-words.ts'

type Config = Device & { name: string }

export const channel: Channel<Config> = {
  kind: 'push',
  name: 'App on a phone',
  hint: 'The app adds the phone on which it runs.',
  family: 'push',
  config: Type.Object(
    {
      name: field({ title: 'Name', maxLength: 320 }),
      platform: Type.Union([Type.Literal('ios'), Type.Literal('android')]),
      push_token: secretField({ title: 'Push token', maxLength: 4096 }),
      registered_at: Type.Integer()
    },
    closed
  ),
  fields: [{ name: 'name' }, { name: 'platform' }, { name: 'push_token', secret: true }, { name: 'registered_at', read_only: true }],
  events: ['down', 'up'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: true,
  target: ({ name }) => name,
  *steps(message, device, _ref, context) {
    return yield* device.platform === 'ios' ? apnsSteps(message, device, context) : fcmSteps(message, device, context)
  }
}
