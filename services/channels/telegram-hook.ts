/**
 * Where Telegram calls the service about a bot, and how it is known that Telegram calls: an address
 * that nobody guesses, and a secret in a header. Both are of one bot. Pure.
 * Source: docs/design/outbound-channels.md#s4-3.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export const TELEGRAM_DOOR = '/api/v1/chat/telegram'

export const BOT_TOKEN = /^\d{6,12}:[A-Za-z0-9_-]{30,50}$/

/** Telegram calls no other ports. */
const PORTS = new Set(['', '443', '80', '88', '8443'])
/** Calls of one bot at a time. */
const MAX_CONNECTIONS = 20

export interface TelegramBot {
  bot_id: string
  /** Without @. */
  username: string
}

/** The id of a bot stays when its token is replaced, and is no secret. */
export const botIdOf = (token: string): string => token.slice(0, Math.max(0, token.indexOf(':')))

const made = (secretsKey: string, what: 'hook' | 'secret', of: string): string =>
  createHmac('sha256', Buffer.from(secretsKey, 'hex')).update(`telegram ${what} ${of}`).digest('base64url')

/** The end of the address of the operator's bot: the same in every process. */
export const operatorHook = (secretsKey: string, bot_id: string): string => made(secretsKey, 'hook', bot_id)

/** What Telegram sends in `X-Telegram-Bot-Api-Secret-Token`. It is kept nowhere. */
export const hookSecret = (secretsKey: string, hook_id: string): string => made(secretsKey, 'secret', hook_id)

/** Whether the header is that of the address. */
export function verifyTelegram(secretsKey: string, hook_id: string, given: string): boolean {
  if (secretsKey === '') return false
  const [ours, theirs] = [Buffer.from(hookSecret(secretsKey, hook_id)), Buffer.from(given)]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}

/** Whether Telegram calls an address at all. */
export function isCallable(publicUrl: string): boolean {
  const { protocol, port } = new URL(publicUrl)
  return protocol === 'https:' && PORTS.has(port)
}

/** Bodies of the methods that set a bot up. */
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

/** Opens the bot in Telegram, in private; a stranger who then presses Start is given a link. */
export const startUrl = ({ username }: Pick<TelegramBot, 'username'>): string => `https://t.me/${username}?start=link`

/** Opens the bot in Telegram; whoever then presses Start is the member whose code it is. */
export const pairingUrl = ({ username }: Pick<TelegramBot, 'username'>, code: string): string => `https://t.me/${username}?start=${code}`

/** Adds the bot to a group that whoever opens it chooses; the bot is told the code there. */
export const groupUrl = ({ username }: Pick<TelegramBot, 'username'>, code: string): string => `https://t.me/${username}?startgroup=${code}`

/** How such a code looks. */
export const PAIRING = /^[A-Za-z0-9_-]{43}$/

const DATA = /^(a|r|s(\d{1,5})):([A-Za-z0-9_-]{22})$/

/** What a button says when it is pressed: at most 64 bytes. `act`: `a`, `r`, `s60`. */
export const buttonData = (act: string, incident_id: string): string =>
  `${act}:${Buffer.from(incident_id.replaceAll('-', ''), 'hex').toString('base64url')}`

export interface PressedButton {
  act: 'ack' | 'resolve' | 'silence'
  incident_id: string
  /** Of a silence. */
  minutes: number | null
}

/** Null: no button of ours. */
export function pressedIn(data: string): PressedButton | null {
  const [, act = '', minutes, id = ''] = DATA.exec(data) ?? []
  if (id === '') return null
  const hex = Buffer.from(id, 'base64url').toString('hex')
  const incident_id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  if (minutes !== undefined) return { act: 'silence', incident_id, minutes: Number(minutes) }
  return { act: act === 'a' ? 'ack' : 'resolve', incident_id, minutes: null }
}
