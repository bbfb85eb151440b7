/**
 * Direct messages to a person in Slack, by the app that the workspace has added there. It is a
 * contact method, and never a channel. The messages are the same as in a room, with the same
 * buttons.
 * Source: docs/design/api/notifications.md#s8-4, docs/design/outbound-channels.md#s3-1.
 */
import { Type } from 'typebox'
import type { Channel } from '../channel.ts'
import { closed } from '../config.ts'
import { bySlackApp, editBySlackApp, type SlackInstall } from '../slack-app.ts'

/** `address`: the Slack workspace and the person, as `T0001:U0001`. */
type Config = { address: string; bot_token?: string }

const asRoom = ({ address, bot_token }: Config): SlackInstall => {
  const [team_id = '', channel_id = ''] = address.split(':')
  return { mode: 'oauth', team_id, team_name: '', channel_id, channel_name: '', ...(bot_token !== undefined && { bot_token }) }
}

export const channel: Channel<Config> = {
  kind: 'slack_dm',
  name: 'Slack message',
  hint: 'Your linked account in Slack.',
  family: 'chat',
  config: Type.Object({}, closed),
  fields: [
    { name: 'address', read_only: true },
    { name: 'bot_token', secret: true, read_only: true }
  ],
  events: ['down', 'up'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: true,
  target: ({ address }) => address,
  *steps(message, config, ref, context) {
    return yield* bySlackApp(message, asRoom(config), ref, context)
  },
  *edit(message, config, ref, context) {
    return yield* editBySlackApp(message, asRoom(config), ref, context)
  }
}
