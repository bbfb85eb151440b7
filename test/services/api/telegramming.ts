/**
 * Sets up an api that Telegram calls: a contract server plays Telegram, and updates are as Telegram
 * sends them.
 */
import type { Config } from '../../../services/process/config.ts'
import type { Teardown } from '../../harness/engines.ts'
import { type ContractServer, httpContractServer } from '../channels/contract.ts'
import { contract } from '../channels/contracts/telegram.ts'
import { as, type Person } from './people.ts'
import { type Stand, type StandOptions, stand, type Workspace } from './stand.ts'

export const PUBLIC_URL = 'https://app.example.com'
export const CHANNELS = '/api/v1/notifications/channels'
export const GROUP = { id: -1001234567890, type: 'supergroup' }

export interface Hook {
  /** Path of the address that Telegram was given. */
  path: string
  secret: string
}

export interface Telegram {
  s: Stand
  server: ContractServer
  config: { bot_token: string; chat_id: string }
}

export async function telegram(t: Teardown, options: StandOptions = {}, config: Partial<Config> = {}): Promise<Telegram> {
  const server = await httpContractServer(t)
  const s = await stand(t, {
    ...options,
    config: { publicUrl: PUBLIC_URL, outboundBaseUrls: JSON.stringify({ telegram: server.url }), ...config }
  })
  const settings = contract.config(server.url)
  const { bot_token = '', chat_id } = settings
  server.play(contract.vendor(settings, server.url), null)
  return { s, server, config: { bot_token, chat_id } }
}

export const bodiesOf = ({ server }: Telegram, method: string): Record<string, unknown>[] =>
  server.heard.filter(({ asked }) => asked.path.endsWith(`/${method}`)).map(({ asked }) => JSON.parse(asked.body))

export const saidBy = ({ server }: Telegram): string[] => server.heard.map(({ said }) => said)

/**
 * Creates a channel of a workspace with the bot. Returns its id, and the address at which the bot
 * is called.
 */
export async function botChannel(d: Telegram, who: Workspace, over: object = {}): Promise<{ id: string; hook: Hook }> {
  const answer = await d.s.call(who, 'POST', CHANNELS, { name: 'Ops', kind: 'telegram', config: d.config, ...over })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return { id: answer.json().id, hook: hookOf(d) }
}

/** As it was told last. */
export function hookOf(d: Telegram): Hook {
  const { url, secret_token } = bodiesOf(d, 'setWebhook').at(-1) ?? {}
  return { path: String(url).slice(PUBLIC_URL.length), secret: String(secret_token) }
}

let nth = 1000

export const anUpdate = (over: object): object => ({ update_id: ++nth, ...over })

interface Place {
  chat?: object
  from?: object
}

export const sender = (id: number): object => ({ id, is_bot: false, first_name: 'Jo', username: `jo${id}` })

export const message = (id: number, text: string, { chat = { id, type: 'private' }, from = sender(id) }: Place = {}): object =>
  anUpdate({ message: { message_id: ++nth, date: 1, from, chat, text } })

export const button = (id: number, data: string): object =>
  anUpdate({
    callback_query: { id: `b${++nth}`, from: sender(id), chat_instance: '1', message: { message_id: 1, date: 0, chat: GROUP }, data }
  })

export function called({ s }: Telegram, { path, secret }: Hook, update: object | string, header: string | null = secret) {
  return s.app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/json', ...(header !== null && { 'x-telegram-bot-api-secret-token': header }) },
    payload: typeof update === 'string' ? update : JSON.stringify(update)
  })
}

export interface Said {
  method?: string
  chat_id?: string
  text?: string
  url?: string
  callback_query_id?: string
  show_alert?: boolean
}

/** Sends an update; returns what Telegram is told to do. */
export async function told(d: Telegram, hook: Hook, update: object): Promise<Said> {
  const answer = await called(d, hook, update)
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json()
}

/** Links a person by the link of the dashboard. */
export async function pairUp(d: Telegram, hook: Hook, who: Person, id: number, bot: string): Promise<Said> {
  const made = await as(d.s, who, 'POST', '/api/v1/notifications/pairing-links', { kind: 'telegram', bot })
  if (made.statusCode !== 201) throw new Error(made.body)
  return told(d, hook, message(id, `/start ${codeIn(made.json().url)}`))
}

export const codeIn = (url: string): string => new URL(url).searchParams.get('start') ?? ''
