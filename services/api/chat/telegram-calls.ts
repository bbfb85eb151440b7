/**
 * Reads what Telegram sends for a message and for a pressed button, as far as this service uses it.
 * Pure.
 * Source: docs/design/outbound-channels.md#s4-3.
 */
import { MAX_SILENCE_MINUTES } from '../../../schemas/limits.ts'
import { recordIn, textIn } from '../../channels/judging.ts'
import { PAIRING, pressedIn, type TelegramBot } from '../../channels/telegram-hook.ts'
import { oneLine, truncate } from '../../channels/text.ts'
import type { NamedSender } from '../../store/chat.ts'
import type { CallFault, ChatCall } from './calls.ts'
import { type ChatCommand, chatCommandIn } from './commands.ts'

const ID = /^\d{1,20}$/
const CHAT = /^-?\d{1,20}$/
const BUTTON = /^[\w-]{1,64}$/
const COMMAND = /^\/([a-z_-]{1,32})(?:@(\w{1,32}))?(?:\s+([\s\S]*))?$/i
const MAX_NAME = 80

/** Other words after a slash may be meant for another bot in the group. */
const OURS = new Set(['status', 'oncall', 'ack', 'silence', 'resolve', 'help', 'start'])

type Fields = Record<string, unknown> | null

export interface TelegramCall extends ChatCall {
  /** The chat in which it was written. */
  chat_id: string
  /** Whether only the sender reads that chat. */
  is_private: boolean
  /** Id of the pressed button; null: the call is a message. */
  button_id: string | null
}

/** The sender; null: a bot, somebody who writes in the name of a group, or nobody. */
function senderIn(from: Fields, { bot_id }: TelegramBot): NamedSender | null {
  const sender = textIn(from, 'id')
  if (sender === null || !ID.test(sender) || from?.is_bot !== false) return null
  const name = textIn(from, 'username') ?? `${textIn(from, 'first_name') ?? ''} ${textIn(from, 'last_name') ?? ''}`
  return { vendor: 'telegram', account: bot_id, sender, name: truncate(oneLine(name), MAX_NAME) }
}

function chatIn(message: Fields): { chat_id: string; is_private: boolean } | null {
  const chat = recordIn(message?.chat)
  const chat_id = textIn(chat, 'id')
  return chat_id === null || !CHAT.test(chat_id) ? null : { chat_id, is_private: chat?.type === 'private' }
}

/**
 * The incident that a message of the bot is about, read from its buttons; null: the message is
 * about none, or the incident is over.
 */
function incidentIn(answered: Fields, { bot_id }: TelegramBot): string | null {
  if (textIn(recordIn(answered?.from), 'id') !== bot_id) return null
  const rows = recordIn(answered?.reply_markup)?.inline_keyboard
  const buttons = Array.isArray(rows) ? (rows as unknown[]).flatMap((row) => (Array.isArray(row) ? row.map(recordIn) : [])) : []
  const [first] = buttons.flatMap((button) => pressedIn(textIn(button, 'callback_data') ?? '') ?? [])
  return first?.incident_id ?? null
}

/** `/ack` or `/silence 60` as a reply to the message that names the incident. */
const UNNAMED = /^\/?(ack|acknowledge|resolve|silence)(?:@\w{1,32})?(?:\s+(\d{1,5}(?:m|min|h)?))?\s*$/i

function answering(text: string, incident: string | null): string {
  const [, word = '', minutes] = UNNAMED.exec(text) ?? []
  const isSilence = word.toLowerCase() === 'silence'
  if (incident === null || word === '' || (minutes !== undefined && !isSilence)) return text
  return text.replace(/\s.*$/s, '').concat(` ${incident} ${minutes ?? ''}`)
}

/** The words that were written to the bot; null: they were meant for others. */
function wordsIn(
  text: string,
  { chat_id, is_private }: Pick<TelegramCall, 'chat_id' | 'is_private'>,
  { username }: TelegramBot
): ChatCommand | null {
  const [, word = '', to, rest = ''] = COMMAND.exec(text.slice(0, 1000)) ?? []
  if (word === '') return is_private ? chatCommandIn(text) : null
  if (to !== undefined && to.toLowerCase() !== username.toLowerCase()) return null
  if (!OURS.has(word.toLowerCase()) && to === undefined && !is_private) return null
  if (word.toLowerCase() !== 'start') return chatCommandIn(`${word} ${rest}`)
  if (!PAIRING.test(rest)) return { word: 'help' }
  // Others in a group see a code that is written there, so such a code links nobody.
  return is_private ? { word: 'pair', code: rest } : { word: 'settle', code: rest, chat_id }
}

function messageIn(message: Fields, bot: TelegramBot): Omit<TelegramCall, 'call_id'> | null {
  const who = senderIn(recordIn(message?.from), bot)
  const chat = chatIn(message)
  const text = textIn(message, 'text')
  // Forwarded messages, and messages that another bot wrote, are not the sender's own words.
  const isTheirs = message?.sender_chat === undefined && message?.forward_origin === undefined && message?.via_bot === undefined
  if (who === null || chat === null || text === null || !isTheirs) return null
  const command = wordsIn(answering(text, incidentIn(recordIn(message?.reply_to_message), bot)), chat, bot)
  return command && { who, ...chat, command, button_id: null, reply_url: null, name: '' }
}

function buttonIn(pressed: Fields, bot: TelegramBot): Omit<TelegramCall, 'call_id'> | null {
  const who = senderIn(recordIn(pressed?.from), bot)
  const button_id = textIn(pressed, 'id')
  if (who === null || button_id === null || !BUTTON.test(button_id)) return null
  const button = pressedIn(textIn(pressed, 'data') ?? '')
  const isLong = button?.minutes != null && (button.minutes < 1 || button.minutes > MAX_SILENCE_MINUTES)
  const command: ChatCommand =
    button === null || isLong
      ? { word: 'unclear', say: 'This button does nothing any more.' }
      : chatCommandIn(`${button.act} ${button.incident_id} ${button.minutes ?? ''}`)
  // Old messages come without their chat.
  const chat = chatIn(recordIn(pressed?.message)) ?? { chat_id: who.sender, is_private: false }
  return { who, ...chat, command, button_id, reply_url: null, name: '' }
}

export interface MovedChat {
  from: string
  to: string
}

/**
 * Reads that a group became a supergroup and has a new id from now on; null: the call says nothing
 * of the kind.
 */
export function movedIn(body: unknown): MovedChat | null {
  const message = recordIn(recordIn(body)?.message)
  const from = textIn(recordIn(message?.chat), 'id') ?? ''
  const to = textIn(message, 'migrate_to_chat_id') ?? ''
  return CHAT.test(from) && CHAT.test(to) ? { from, to } : null
}

/**
 * Reads a call. Null: nothing is to be done. Telegram would send a refused call again and again.
 */
export function telegramCallIn(body: unknown, bot: TelegramBot): TelegramCall | CallFault | null {
  const update = recordIn(body)
  if (!update) return { path: '', expected: 'a JSON object' }
  const update_id = textIn(update, 'update_id')
  if (update_id === null || !ID.test(update_id)) return { path: 'update_id', expected: 'the number of the update' }
  const pressed = recordIn(update.callback_query)
  const read = pressed ? buttonIn(pressed, bot) : messageIn(recordIn(update.message), bot)
  return read && { ...read, call_id: `${bot.bot_id}:${update_id}` }
}
