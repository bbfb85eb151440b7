/**
 * Identities of members in chat apps, and the links that connect them.
 * Source: docs/design/api/notifications.md#ch-11.
 */
import { type Static, Type } from 'typebox'
import { Id, Instant, list, oneOf, paging } from './common.ts'
import { channelKinds } from './notification-words.ts'

export const chatVendors = ['slack', 'discord', 'telegram'] as const
export type ChatVendor = (typeof chatVendors)[number]

/** How long a link is valid. */
export const CHAT_LINK_MINUTES = 15
/** The most chat accounts of one member. */
export const MAX_CHAT_IDENTITIES = 20

const sender = {
  vendor: oneOf(chatVendors),
  account: Type.String({ description: 'Id of the workspace, server or bot at the vendor.' }),
  sender: Type.String({ description: 'Id of the person at the vendor.' }),
  name: Type.String({ description: 'Name of the person at the vendor when the link was made.' })
}

export const ChatIdentity = Type.Object({
  id: Id,
  ...sender,
  linked_at: Instant,
  messages: Type.Boolean({ description: 'Whether the workspace has the app there, so that `account:sender` may be a contact method.' })
})
export type ChatIdentity = Static<typeof ChatIdentity>

/** A bot through which members can link themselves. */
export const ChatBot = Type.Object({
  vendor: Type.Literal('telegram'),
  name: Type.String({ description: 'User name of the bot, without @.' })
})

export const PairingBody = Type.Object(
  {
    kind: Type.Literal('telegram'),
    bot: Type.String({ minLength: 1, maxLength: 32, description: 'User name of the bot, without @.' }),
    channel_id: Type.Optional(
      Type.Unsafe<string>({
        ...Id,
        description: 'Id of a channel of this bot; the link then chooses the group that the channel writes to.'
      })
    )
  },
  { additionalProperties: false }
)

export const PairingLink = Type.Object({
  url: Type.String({
    description:
      'The person who opens it in Telegram and presses Start acts as the member from then on; with a channel, the group chosen is where the channel writes. It works once.'
  }),
  expires_at: Instant
})

export const ChatIdentities = Type.Object({
  items: Type.Array(ChatIdentity),
  bots: Type.Array(ChatBot, { description: 'Bots of the service and of channels that the caller may see.' })
})

/** An identity of any member, for people who manage members. */
export const LinkedSender = Type.Object({
  id: Id,
  ...sender,
  linked_at: Instant,
  member: Type.Object({ user_id: Id, name: Type.String(), email: Type.String() })
})
export type LinkedSender = Static<typeof LinkedSender>
export const LinkedSenderList = list(LinkedSender)

export const LinkedSenderQuery = Type.Object(
  { ...paging, user_id: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Only the identities of this member.' })) },
  { additionalProperties: false }
)

export const ChatLinkBody = Type.Object(
  { token: Type.String({ minLength: 8, maxLength: 100, description: 'The last part of the address of the link.' }) },
  { additionalProperties: false }
)

/** The identity that a link is for. Asking for it changes nothing. */
export const ChatLink = Type.Object({ ...sender, expires_at: Instant })
export type ChatLink = Static<typeof ChatLink>

/** A kind without an app is answered with not found. */
export const InstallParams = Type.Object({ kind: oneOf(channelKinds) })

/** The query parameters with which the vendor sends the browser back. The vendor may add more. */
export const InstallReturn = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 200 })),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
  error: Type.Optional(Type.String({ maxLength: 200 }))
})
