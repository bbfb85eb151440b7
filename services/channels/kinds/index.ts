// Written by `npm run generate` from this folder's listing. Never edited by hand.
import type { ChannelKind, MethodKind } from '../../../schemas/http/notification-words.ts'
import type { Channel } from '../channel.ts'
import { channel as email } from './email.ts'
import { channel as webhook } from './webhook.ts'

/** Every kind that is built. */
export const channels: Readonly<Partial<Record<ChannelKind | MethodKind, Channel>>> = {
  email,
  webhook
}
