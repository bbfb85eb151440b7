/**
 * Telegram by a bot. The message is edited when the incident is acknowledged and when it ends. The
 * end is also sent as a new message, as a reply to the first.
 * Source: docs/design/outbound-channels.md#s3-3.
 */
import { Type } from 'typebox'
import { answerOf, answersIn } from '../answers.ts'
import type { Channel, ConfigFault, HttpRequest, Message, RemoteRef, SendContext, SendOutcome, SendReply, SendRequest } from '../channel.ts'
import { closed, field, hidden, secretField } from '../config.ts'
import { baseUrl, deadChannel, jsonRequest, judge, later, lost, objectIn, textIn } from '../judging.ts'
import { BOT_TOKEN, buttonData } from '../telegram-hook.ts'
import { calledOff, escapedWithin, escapeHtml, escapeThree, truncate } from '../text.ts'
import { bodyOf, factsOf, linkOf, NEUTRAL, tellsFailure, titleOf } from '../words.ts'

type Config = {
  /** Missing for a person, who gets messages from the operator's bot. */
  bot_token?: string
  /** Missing until somebody chooses a group by a link. */
  chat_id?: string
  message_thread_id?: number
  /** Present when Telegram calls the service for this bot. */
  bot_name?: string
}

/** The limits of title, body and single facts, out of the 4096 UTF-16 units of a message. */
const MAX_TITLE = 300
const MAX_BODY = 2500
const MAX_VALUE = 150
const MAX_FACTS = 7

/** Error descriptions that mean that the chat is gone or the bot may not write there. */
const DEAD =
  /chat not found|bot (was|is not)|deactivated|was deleted|not enough rights|have no rights|WRITE_FORBIDDEN|thread not found|TOPIC_(CLOSED|DELETED)/i
const UNCHANGED = /message is not modified/i
const UNREADABLE = /can't parse entities/i

const escaped = (text: string): string => escapeThree(calledOff(text))

function html(message: Message, now: number): string {
  const title = `<b>${escapedWithin(titleOf(message), MAX_TITLE, escaped, 'utf16')}</b>`
  const facts = factsOf(message)
    .slice(0, MAX_FACTS)
    .map(([name, value]) => `${name}: ${escapedWithin(value, MAX_VALUE, escaped, 'utf16')}`)
  const url = linkOf(message)
  const lines = [title, escapedWithin(bodyOf(message, now), MAX_BODY, escaped, 'utf16'), facts.join(' · ')]
  return [...lines, ...(url === null ? [] : [`<a href="${escapeHtml(url)}">Open incident</a>`])].filter((line) => line !== '').join('\n')
}

/** For tests, and when the chat does not accept formatted text. */
const plainText = (message: Message, now: number): string =>
  [truncate(titleOf(message), MAX_TITLE, 'utf16'), truncate(bodyOf(message, now), MAX_BODY, 'utf16'), linkOf(message) ?? '']
    .filter((line) => line !== '')
    .join('\n')

/**
 * The actions on an incident, in one row of buttons. Telegram refuses a button that links to an
 * address in a private network, so the link stays in the text.
 */
function keyboard({ event, incident }: Message, now: number) {
  if (incident === null || incident.status === 'resolved' || event === 'up' || event === 'test') return null
  const button = (text: string, act: string) => ({ text, callback_data: buttonData(act, incident.id) })
  const isTaken = event === 'acknowledged' || incident.acknowledged_at !== null
  const isSilent = incident.silenced_until !== null && incident.silenced_until > now
  const row = [
    ...(isTaken ? [] : [button('Acknowledge', 'a')]),
    button('Resolve', 'r'),
    ...(isSilent ? [] : [button('Silence 1 h', 's60')])
  ]
  return { reply_markup: { inline_keyboard: [row] } }
}

const described = (reply: SendReply): string => textIn(objectIn(reply), 'description') ?? ''

const parameter = (reply: SendReply, name: string): string | null => {
  const parameters = objectIn(reply)?.parameters
  return typeof parameters === 'object' && parameters !== null ? textIn({ ...parameters }, name) : null
}

const isOk = (reply: SendReply): boolean => reply.status === 200 && objectIn(reply)?.ok === true

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const { status } = reply
  if (status === 429) {
    const seconds = Number(parameter(reply, 'retry_after'))
    return later(reply, context.now, seconds > 0 ? seconds * 1000 : undefined)
  }
  if (status === 401 || status === 404) return deadChannel(reply, 'Telegram knows no such bot: its token was revoked, or is not whole.')
  if (status === 403 || (status === 400 && DEAD.test(described(reply))))
    return deadChannel(reply, 'The bot may not write to this chat. Add it to the chat again, and look at the chat ID.')
  if (status === 400) return lost(reply, 'Telegram refused this message.')
  return judge(reply, context)
}

const NO_BOT: SendOutcome = {
  outcome: 'permanent',
  why: 'the deployment has no bot at Telegram',
  scope: 'delivery',
  operator: true,
  user_text: 'This service has no bot at Telegram any more: ask its operator.'
}

const NO_CHAT: SendOutcome = {
  outcome: 'permanent',
  why: 'no chat is chosen',
  scope: 'delivery',
  user_text: 'No chat is chosen yet: choose a group on the page of the channel, or enter the ID of a chat.'
}

type Steps<R> = Generator<SendRequest, R, SendReply>
type Ask = (method: string, body: Record<string, unknown>) => HttpRequest

/**
 * Sends again to the new chat when the group has moved, and without formats when Telegram does not
 * understand them.
 */
function* send(ask: Ask, message: Message, body: Record<string, unknown>, { now }: SendContext): Steps<SendReply> {
  let wanted = body
  let reply = yield ask('sendMessage', wanted)
  const moved = reply.status === 400 ? parameter(reply, 'migrate_to_chat_id') : null
  if (moved !== null) {
    wanted = { ...wanted, chat_id: moved }
    reply = yield ask('sendMessage', wanted)
  }
  if (reply.status !== 400 || !UNREADABLE.test(described(reply))) return reply
  const { parse_mode: _mode, ...rest } = wanted
  return yield ask('sendMessage', { ...rest, text: plainText(message, now) })
}

/** The ids of the message. Null: the reply does not name them. */
function refOf(reply: SendReply): { message_id: string; chat_id: string } | null {
  const result = objectIn({ ...reply, body: JSON.stringify(objectIn(reply)?.result ?? null) })
  const chat = objectIn({ ...reply, body: JSON.stringify(result?.chat ?? null) })
  const message_id = textIn(result, 'message_id')
  const chat_id = textIn(chat, 'id')
  return message_id === null || chat_id === null ? null : { message_id, chat_id }
}

/** The first message of an incident, when its ids are stored. */
const earlierIn = (ref: RemoteRef | null): { message_id: number; chat_id: string } | null =>
  ref?.message_id === undefined || ref.chat_id === undefined ? null : { message_id: Number(ref.message_id), chat_id: ref.chat_id }

/**
 * Whether the settings still lead to the chat of the first message. `wanted`: the chat that was set
 * at that time, by its name or by the id that its group had before.
 */
const isStillChat = (chat_id: string, ref: RemoteRef | null): boolean =>
  chat_id === ref?.chat_id || (ref?.wanted === undefined ? chat_id.startsWith('@') : chat_id === ref.wanted)

/** An answer may be in another chat than the first message, so it is kept with its chat. */
const answerIn = ({ chat_id, message_id }: { chat_id: string; message_id: string }): RemoteRef =>
  answerOf(message_id, `${chat_id} ${message_id}`)

/** The message of a kept answer. One that was kept without its chat is in that of the first. */
function answered(kept: string, first: string): { chat_id: string; message_id: number } {
  const [chat_id, message_id] = kept.includes(' ') ? kept.split(' ') : [first, kept]
  return { chat_id: chat_id ?? first, message_id: Number(message_id) }
}

/** The message shows what was asked for. */
const isShown = (edited: SendReply): boolean => isOk(edited) || (edited.status === 400 && UNCHANGED.test(described(edited)))

/** The message is gone, or the bot can no longer edit it. */
const isLost = ({ status }: SendReply): boolean => status === 400 || status === 403

interface Bot {
  ask: Ask
  /** Telegram calls the service for this bot, so its messages have buttons. */
  calls: boolean
}

/** Null: there is none. */
function botOf({ bot_token, bot_name }: Config, context: SendContext): Bot | null {
  const token = bot_token ?? context.deployment.telegram?.bot_token
  if (token === undefined) return null
  const base = baseUrl('telegram', 'https://api.telegram.org', context)
  return {
    ask: (method, body) => jsonRequest(`${base}/bot${token}/${method}`, body, context, { secrets: [token] }),
    calls: bot_token === undefined || bot_name !== undefined
  }
}

function shownIn(message: Message, { calls }: Bot, now: number): Record<string, unknown> {
  if (message.event === 'test') return { text: plainText(message, now) }
  const format = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } }
  return { text: html(message, now), ...format, ...(calls && keyboard(message, now)) }
}

function check({ bot_token, chat_id }: Config): ConfigFault | null {
  if (bot_token !== undefined && !BOT_TOKEN.test(bot_token))
    return { path: 'bot_token', rule: 'format', message: 'must look like 123456789:… as @BotFather gives it' }
  if (chat_id === undefined || /^(-?\d{1,16}|@[A-Za-z][A-Za-z0-9_]{4,31})$/.test(chat_id)) return null
  return { path: 'chat_id', rule: 'format', message: 'must be a number as -1001234567890, or the @name of a public channel' }
}

export const channel: Channel<Config> = {
  kind: 'telegram',
  name: 'Telegram',
  hint: 'The token of a bot, and the ID of the chat that it writes to.',
  family: 'chat',
  config: Type.Object(
    {
      bot_token: secretField({ title: 'Bot token', description: 'As @BotFather gives it: 123456789:….', maxLength: 100 }),
      chat_id: Type.Optional(
        field({
          title: 'Chat ID',
          description: 'A number, or the @name of a public channel. Left empty: choose a group on the page of the channel.',
          maxLength: 33
        })
      ),
      message_thread_id: Type.Optional(
        Type.Integer({ title: 'Topic', description: 'Of a group with topics: the number of one.', minimum: 1, maximum: 2_147_483_647 })
      )
    },
    closed
  ),
  fields: [
    { name: 'bot_token', secret: true },
    { name: 'chat_id' },
    { name: 'message_thread_id' },
    { name: 'bot_id', read_only: true },
    { name: 'bot_name', read_only: true },
    { name: 'bot_fault', read_only: true }
  ],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'combine',
  max_ambiguous: null,
  // A group accepts 20 messages a minute.
  verified: false,
  check,
  target: ({ chat_id }) => (chat_id === undefined ? 'no chat yet' : chat_id.startsWith('@') ? chat_id : `chat ${hidden(chat_id)}`),
  *steps(message, config, ref, context) {
    const bot = botOf(config, context)
    if (bot === null) return NO_BOT
    const { ask } = bot
    const { event } = message
    const { chat_id, message_thread_id } = config
    if (chat_id === undefined) return NO_CHAT
    const shown = shownIn(message, bot, context.now)
    let earlier = earlierIn(ref)
    const hasMoved = earlier !== null && !isStillChat(chat_id, ref)
    if (earlier && (tellsFailure(event) || event === 'acknowledged' || event === 'up')) {
      const edited = yield ask('editMessageText', { ...earlier, ...shown })
      if (isShown(edited) && event === 'acknowledged' && !hasMoved) return { outcome: 'delivered' }
      // An edit notifies nobody, so what gets worse and what has ended is also sent as a new
      // message. The same is done when the first message cannot be edited any more.
      if (!isShown(edited)) {
        if (!isLost(edited)) return judged(edited, context)
        earlier = null
      }
    }
    // Where another chat has been set since, the first message is still edited, so that its buttons
    // go. Everything that notifies goes to the chat of the settings.
    const first = hasMoved ? null : earlier
    const where = { chat_id: first?.chat_id ?? chat_id, ...(message_thread_id !== undefined && { message_thread_id }) }
    const answering = first && { reply_parameters: { message_id: first.message_id, allow_sending_without_reply: true } }
    // Only the first message has buttons, because answers are not edited later.
    const { reply_markup: _buttons, ...answer } = shown
    const reply = yield* send(ask, message, { ...where, ...(earlier ? { ...answer, ...answering } : shown) }, context)
    if (!isOk(reply)) return judged(reply, context)
    const made = refOf(reply)
    if (made === null) return judge(reply, context)
    const answer_ref = answerIn(made)
    const opened =
      event === 'reminder' ? { chat_id: made.chat_id, ...answer_ref } : tellsFailure(event) ? { ...made, wanted: chat_id } : null
    const kept = earlier ? answer_ref : opened
    return { outcome: 'delivered', provider_message_id: made.message_id, ...(kept && { remote_ref: { ...kept } }) }
  },
  *edit(message, config, ref, context) {
    const bot = botOf(config, context)
    if (bot === null) return NO_BOT
    const { chat_id } = ref
    const earlier = earlierIn(ref)
    if (chat_id === undefined) return { outcome: 'skipped', why: 'no_message' }
    const messages = [...(earlier ? [earlier] : []), ...(message ? [] : answersIn(ref).map((kept) => answered(kept, chat_id)))]
    if (messages.length === 0) return { outcome: 'skipped', why: 'no_message' }
    const shown = message ? shownIn(message, bot, context.now) : { text: NEUTRAL }
    for (const one of messages) {
      const edited = yield bot.ask('editMessageText', { ...one, ...shown })
      if (!isShown(edited) && !isLost(edited)) return judged(edited, context)
    }
    return { outcome: 'delivered' }
  }
}
