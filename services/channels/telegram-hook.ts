/**
 * The address at which Telegram calls the service for a bot. A call is trusted because the address
 * cannot be guessed and a header holds a secret. Both belong to one bot. Pure.
 * Source: docs/design/outbound-channels.md#s4-3.
 */
import { createHmac } from 'node:crypto'
import { uuidBytes, uuidOfBytes } from '../../schemas/uuid.ts'
import { isSameSecret } from './same-secret.ts'

export const TELEGRAM_DOOR = '/api/v1/chat/telegram'

export const BOT_TOKEN = /^\d{6,12}:[A-Za-z0-9_-]{30,50}$/

/** The only ports that Telegram calls. */
const PORTS = new Set(['', '443', '80', '88', '8443'])
/** Concurrent calls for one bot. */
const MAX_CONNECTIONS = 20

export interface TelegramBot {
  bot_id: string
  /** Without @. */
  username: string
}

/** The id of a bot. It stays the same when the token is replaced, and is not a secret. */
export const botIdOf = (token: string): string => token.slice(0, Math.max(0, token.indexOf(':')))

const made = (secretsKey: string, what: 'hook' | 'secret', of: string): string =>
  createHmac('sha256', Buffer.from(secretsKey, 'hex')).update(`telegram ${what} ${of}`).digest('base64url')

/** The last part of the address for the operator's bot: the same in every process. */
export const operatorHook = (secretsKey: string, bot_id: string): string => made(secretsKey, 'hook', bot_id)

/** What Telegram sends in `X-Telegram-Bot-Api-Secret-Token`. It is derived, and never stored. */
export const hookSecret = (secretsKey: string, hook_id: string): string => made(secretsKey, 'secret', hook_id)

/** Returns whether the header belongs to the address. */
export const verifyTelegram = (secretsKey: string, hook_id: string, given: string): boolean =>
  secretsKey !== '' && isSameSecret(given, hookSecret(secretsKey, hook_id))

/** Whether Telegram can call this address at all. */
export function isCallable(publicUrl: string): boolean {
  const { protocol, port } = new URL(publicUrl)
  return protocol === 'https:' && PORTS.has(port)
}

/** The bodies of the methods that set up a bot. */
export const hookBody = (publicUrl: string, secretsKey: string, hook_id: string) => ({
  url: `${publicUrl}${TELEGRAM_DOOR}/${hook_id}`,
  secret_token: hookSecret(secretsKey, hook_id),
  allowed_updates: ['message', 'callback_query'],
  max_connections: MAX_CONNECTIONS
})

export const commandsBody = () => ({
  commands: [
    { command: 'status', description: 'What is open' },
    { command: 'oncall', description: 'Who is on call: /oncall, or /oncall and the name of a schedule' },
    { command: 'ack', description: 'Take an incident: /ack INC-12' },
    { command: 'silence', description: 'No messages of an incident for so many minutes: /silence INC-12 60' },
    { command: 'resolve', description: 'End an incident: /resolve INC-12' }
  ]
})

/**
 * Opens a private chat with the bot in Telegram. A stranger who presses Start there gets a link.
 */
export const startUrl = ({ username }: Pick<TelegramBot, 'username'>): string => `https://t.me/${username}?start=link`

/**
 * Opens the bot in Telegram. The person who presses Start there becomes the member to whom the code
 * belongs.
 */
export const pairingUrl = ({ username }: Pick<TelegramBot, 'username'>, code: string): string => `https://t.me/${username}?start=${code}`

/**
 * Adds the bot to a group that the person who opens the link chooses. Telegram passes the code to
 * the bot there.
 */
export const groupUrl = ({ username }: Pick<TelegramBot, 'username'>, code: string): string => `https://t.me/${username}?startgroup=${code}`

/** The form of such a code. */
export const PAIRING = /^[A-Za-z0-9_-]{43}$/

const DATA = /^(a|r|s(\d{1,5})):([A-Za-z0-9_-]{22})$/

/** The data that a pressed button sends, at most 64 bytes. `act`: `a`, `r`, `s60`. */
export const buttonData = (act: string, incident_id: string): string => `${act}:${uuidBytes(incident_id).toString('base64url')}`

export interface PressedButton {
  act: 'ack' | 'resolve' | 'silence'
  incident_id: string
  /** How long a silence lasts. */
  minutes: number | null
}

/** Null: not a button of this service. */
export function pressedIn(data: string): PressedButton | null {
  const [, act = '', minutes, id = ''] = DATA.exec(data) ?? []
  if (id === '') return null
  const incident_id = uuidOfBytes(Buffer.from(id, 'base64url'))
  if (minutes !== undefined) return { act: 'silence', incident_id, minutes: Number(minutes) }
  return { act: act === 'a' ? 'ack' : 'resolve', incident_id, minutes: null }
}
