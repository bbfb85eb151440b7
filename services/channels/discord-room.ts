/**
 * Sends messages to one Discord channel, by the app's bot or by a webhook. A message is edited when
 * the incident changes, and has buttons when the app sends it. An edit notifies nobody, so a new
 * message is sent when the incident fails again and when it ends.
 * Source: docs/design/outbound-channels.md#s3-2.
 */
import { answerOf, answersIn } from './answers.ts'
import type { HttpRequest, Message, RemoteRef, SendContext, SendOutcome, SendReply, SendRequest } from './channel.ts'
import { asBot, discordBase, discordCall, discordCode, discordVerdict } from './discord-api.ts'
import { discordComponents, discordEmbed, discordText } from './discord-message.ts'
import { jsonRequest, judge, objectIn, succeeded, textIn } from './judging.ts'
import { oneLine } from './text.ts'
import { NEUTRAL, tellsFailure } from './words.ts'

/**
 * What is stored about an install. The credential is the bot's, so it belongs to the deployment.
 */
export type DiscordInstall = { mode: 'oauth'; guild_id: string; guild_name: string; channel_id: string; channel_name: string }

type Steps = Generator<SendRequest, SendOutcome, SendReply>

export interface DiscordRoom {
  by: 'app' | 'webhook'
  post(body: object): HttpRequest
  edit(message_id: string, body: object): HttpRequest
  /** Only in the first message. */
  named: { username?: string }
}

/** No mention in a text of the service notifies anybody. */
const nobody = { allowed_mentions: { parse: [] } }

/**
 * The nonce of a delivery, the same in every attempt: when it is sent again soon after, Discord
 * makes no second message.
 */
const MAX_NONCE = 25

/**
 * The message is unknown or belongs to another author. It cannot be edited any more, so a new
 * message replaces it.
 */
const LOST = new Set(['10008', '50005'])

export const appRoom = (channel_id: string, bot_token: string, context: SendContext): DiscordRoom => ({
  by: 'app',
  post: (body) => discordCall('POST', `/channels/${channel_id}/messages`, { ...nobody, ...body }, context, asBot(bot_token)),
  edit: (id, body) => discordCall('PATCH', `/channels/${channel_id}/messages/${id}`, { ...nobody, ...body }, context, asBot(bot_token)),
  named: {}
})

export function webhookRoom(webhook_url: string, context: SendContext): DiscordRoom {
  const { pathname } = new URL(webhook_url)
  const root = context.deployment.base_urls.discord === undefined ? webhook_url : `${discordBase(context)}${pathname}`
  const ask = (path: string, body: object, method: HttpRequest['method']): HttpRequest =>
    jsonRequest(`${root}${path}`, { ...nobody, ...body }, context, { method, secrets: [webhook_url, pathname] })
  return {
    by: 'webhook',
    post: (body) => ask('?wait=true', body, 'POST'),
    edit: (id, body) => ask(`/messages/${id}`, body, 'PATCH'),
    named: { username: oneLine(context.deployment.product).slice(0, 80) }
  }
}

const cardOf = (message: Message, { by }: DiscordRoom, now: number) => ({
  embeds: [discordEmbed(message, now)],
  ...(by === 'app' && { components: discordComponents(message, now) })
})

/** An edit that shows the card, and clears a neutral text that had replaced it. */
const changedTo = (message: Message, room: DiscordRoom, now: number) => ({ content: '', ...cardOf(message, room, now) })

const neutralIn = ({ by }: DiscordRoom) => ({ content: NEUTRAL, embeds: [], ...(by === 'app' && { components: [] }) })

const nonceOf = ({ delivery_id }: Message) => ({ nonce: delivery_id.replaceAll('-', '').slice(0, MAX_NONCE), enforce_nonce: true })

const isLost = (reply: SendReply): boolean => LOST.has(discordCode(reply) ?? '')

const answerTo = (message_id: string) => ({ message_reference: { message_id, fail_if_not_exists: false } })

const changesInPlace = (event: Message['event']): boolean => event === 'acknowledged' || event === 'assigned'

export function* tellInDiscord(message: Message, room: DiscordRoom, ref: RemoteRef | null, context: SendContext): Steps {
  const { event } = message
  let first = message.incident === null ? null : (ref?.message_id ?? null)
  if (first !== null) {
    const edited = yield room.edit(first, changedTo(message, room, context.now))
    if (isLost(edited)) first = null
    else if (!succeeded(edited)) return discordVerdict(edited, context, room.by)
    else if (changesInPlace(event)) return { outcome: 'delivered' }
  }
  const isApp = room.by === 'app'
  const text = { content: discordText(message), ...(isApp && first !== null && answerTo(first)) }
  const body = event === 'test' || first !== null ? text : { ...room.named, ...cardOf(message, room, context.now) }
  const reply = yield room.post({ ...body, ...(isApp && nonceOf(message)) })
  if (!succeeded(reply)) return discordVerdict(reply, context, room.by)
  const made = textIn(objectIn(reply), 'id')
  if (made === null) return judge(reply, context)
  const opens = tellsFailure(event) || changesInPlace(event)
  const isReminder = event === 'reminder'
  const kept = first !== null || isReminder ? answerOf(made) : opens ? { message_id: made } : null
  const isOfIncident = message.incident !== null || isReminder
  return { outcome: 'delivered', provider_message_id: made, ...(kept && isOfIncident && { remote_ref: kept }) }
}

/** Shows the incident's current state in the message, or replaces the message by a neutral text. */
export function* editInDiscord(message: Message | null, room: DiscordRoom, ref: RemoteRef, context: SendContext): Steps {
  const { message_id } = ref
  const ids = [...(message_id === undefined ? [] : [message_id]), ...(message ? [] : answersIn(ref))]
  if (ids.length === 0) return { outcome: 'skipped', why: 'no_message' }
  const shown = message ? changedTo(message, room, context.now) : neutralIn(room)
  for (const id of ids) {
    const edited = yield room.edit(id, shown)
    if (!succeeded(edited) && !isLost(edited)) return discordVerdict(edited, context, room.by)
  }
  return { outcome: 'delivered' }
}
