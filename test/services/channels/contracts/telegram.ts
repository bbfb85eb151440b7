/**
 * Telegram's Bot API: its errors, its HTML, its limits, and edits of messages. Source:
 * docs/design/outbound-channels.md#s3-3.
 */
import { type Answer, type Asked, type Contract, jsonIn, RETRY_AFTER_SECONDS, refused, took, withJson, withPath } from '../contract.ts'

type Config = { bot_token: string; chat_id: string; message_thread_id?: number }

const MAX_TEXT = 4096
const TAGS = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'a', 'code', 'pre', 'blockquote', 'tg-spoiler'])
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

const body = (error_code: number, description: string, parameters?: object) => ({
  ok: false,
  error_code,
  description,
  ...(parameters && { parameters })
})
const bad = (why: string): Answer => refused(400, why, body(400, `Bad Request: ${why}`))

/** Returns the text that is shown; null for a tag or a character that Telegram refuses. */
function shown(html: string): string | null {
  const open: string[] = []
  let text = ''
  for (const [piece, tag, entity] of html.matchAll(/<(\/?[a-z-]+)(?: href="[^"<>]*")?>|&(#\d+|\w+);|[^<&]+|[<&]/gu)) {
    if (tag?.startsWith('/')) {
      if (open.pop() !== tag.slice(1)) return null
    } else if (tag !== undefined) {
      if (!TAGS.has(tag)) return null
      open.push(tag)
    } else if (entity !== undefined) {
      const sign = entity.startsWith('#') ? String.fromCodePoint(Number(entity.slice(1))) : ENTITIES[entity]
      if (sign === undefined) return null
      text += sign
    } else if (piece === '<') return null
    else text += piece
  }
  return open.length === 0 ? text : null
}

interface Sent {
  text: string
  chat: string
}

function textOf({ text, parse_mode }: Record<string, unknown>): string | Answer {
  if (typeof text !== 'string' || text === '') return bad('message text is empty')
  const read = parse_mode === undefined ? text : parse_mode === 'HTML' ? shown(text) : null
  if (read === null) return bad("can't parse entities: Unsupported start tag")
  return read.length > MAX_TEXT ? bad('message is too long') : read
}

type Fields = Record<string, unknown>
const listIn = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : [])
const isWithin = (value: unknown, max: number): boolean => typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= max

/** Returns the refusal of the buttons; null if they have no fault. */
function keyboardFault({ reply_markup }: Fields): Answer | null {
  if (reply_markup === undefined) return null
  const rows = (reply_markup as { inline_keyboard?: unknown }).inline_keyboard
  if (!Array.isArray(rows)) return bad('object expected as reply markup')
  const buttons = (rows as unknown[]).flatMap(listIn)
  if (!buttons.every(({ text }) => isWithin(text, 256))) return bad('inline keyboard button text must be non-empty')
  return buttons.every(({ callback_data }) => isWithin(callback_data, 64)) ? null : bad('BUTTON_DATA_INVALID')
}

const UPDATES = new Set(['message', 'edited_message', 'channel_post', 'callback_query', 'my_chat_member'])

function hookFault({ url, secret_token, allowed_updates = [], max_connections = 40 }: Fields): Answer | null {
  if (typeof url !== 'string' || !url.startsWith('https://')) return bad('bad webhook: An HTTPS URL must be provided for webhook')
  if (!['', '443', '80', '88', '8443'].includes(new URL(url).port))
    return bad('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443')
  if (typeof secret_token !== 'string' || !/^[A-Za-z0-9_-]{1,256}$/.test(secret_token))
    return bad('secret token contains unallowed characters')
  if (!Array.isArray(allowed_updates) || !allowed_updates.every((one) => UPDATES.has(String(one)))) return bad('unknown kind of update')
  return Number(max_connections) >= 1 && Number(max_connections) <= 100 ? null : bad('max_connections must be from 1 to 100')
}

const areCommands = ({ commands }: Fields): boolean =>
  listIn(commands).length > 0 &&
  listIn(commands).length <= 100 &&
  listIn(commands).every(({ command, description }) => /^[a-z0-9_]{1,32}$/.test(String(command)) && isWithin(description, 256))

/**
 * Answers the methods that tell who the bot is and set where it is called; null for another method.
 */
function setUp(hook: { url: string }, method: string | undefined, wanted: Fields, bot_token: string): Answer | null {
  const id = Number(bot_token.split(':')[0])
  const done = (did: string, result: unknown = true): Answer => took(did, { ok: true, result })
  switch (method) {
    case 'getMe':
      return done('who', { id, is_bot: true, first_name: 'Acme', username: `acme_${id}_bot` })
    case 'getWebhookInfo':
      return done('where', { url: hook.url, has_custom_certificate: false, pending_update_count: 0 })
    case 'setWebhook': {
      const fault = hookFault(wanted)
      if (fault === null) hook.url = String(wanted.url)
      return fault ?? done('hook')
    }
    case 'deleteWebhook':
      hook.url = ''
      return done('no hook')
    case 'setMyCommands':
      return areCommands(wanted) ? done('commands') : bad('BOT_COMMAND_INVALID')
    default:
      return null
  }
}

function edit(messages: Map<number, Sent>, asked: Record<string, unknown>, text: string): Answer {
  const id = Number(asked.message_id)
  const known = messages.get(id)
  if (!known || known.chat !== String(asked.chat_id)) return bad('message to edit not found')
  if (known.text === text)
    return took('the same text', body(400, 'Bad Request: message is not modified: specified new message content is exactly the same'), 400)
  messages.set(id, { ...known, text })
  return took('edit', { ok: true, result: { message_id: id, chat: { id: Number(asked.chat_id) }, text } })
}

export const contract: Contract<Config> = {
  config: () => ({ bot_token: '123456789:AAfirstCCddEEffGGhhIIjjKKllMMnnOOpp', chat_id: '-1001234567890' }),
  rotated: () => ({ bot_token: '123456789:BBsecondDDeeFFggHHiiJJkkLLmmNNooP', chat_id: '-1001234567890' }),
  vendor({ bot_token, chat_id }) {
    const messages = new Map<number, Sent>()
    const hook = { url: '' }
    return (asked: Asked) => {
      const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(asked.path) ?? []
      if (token === undefined || !/^\d+:[\w-]+$/.test(token)) return refused(404, 'no token', body(404, 'Not Found'))
      if (token !== bot_token) return refused(401, 'another token', body(401, 'Unauthorized'))
      const wanted = jsonIn(asked)
      if (wanted === null) return bad('message text is empty')
      const fault = keyboardFault(wanted)
      const answer = setUp(hook, method, wanted, bot_token) ?? (String(wanted.chat_id) === chat_id ? fault : bad('chat not found'))
      if (answer !== null) return answer
      const text = textOf(wanted)
      if (typeof text !== 'string') return text
      if (method === 'editMessageText') return edit(messages, wanted, text)
      if (method !== 'sendMessage') return refused(404, 'no such method', body(404, 'Not Found'))
      const { message_id: answered } = (wanted.reply_parameters ?? {}) as { message_id?: unknown }
      if (answered !== undefined && !messages.has(Number(answered))) return bad('message to be replied not found')
      const message_id = messages.size + 1
      messages.set(message_id, { text, chat: chat_id })
      const result = { message_id, date: 1_767_225_600, chat: { id: Number(chat_id), type: 'supergroup' }, text }
      return took(answered === undefined ? 'message' : 'answer', { ok: true, result })
    }
  },
  faults: {
    '400': { answer: { status: 400, body: body(400, 'Bad Request: message is too long') } },
    '401': { answer: { status: 401, body: body(401, 'Unauthorized') } },
    '404': { answer: { status: 400, body: body(400, 'Bad Request: chat not found') }, name: '400 chat not found' },
    '413': { answer: { status: 413, body: body(413, 'Request Entity Too Large') } },
    '429': {
      answer: {
        status: 429,
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        body: body(429, `Too Many Requests: retry after ${RETRY_AFTER_SECONDS}`, { retry_after: RETRY_AFTER_SECONDS })
      },
      times: 1
    },
    '500': { answer: { status: 500, body: body(500, 'Internal Server Error') }, times: 1 }
  },
  wrong: {
    'another token': withPath((path) => path.replace('first', 'third')),
    'another chat': withJson((one) => ({ ...one, chat_id: '-5' })),
    'no text': withJson(({ text: _text, ...rest }) => rest),
    'a text that is too long': withJson((one) => ({ ...one, text: 'x'.repeat(MAX_TEXT + 1) })),
    'a tag that is not closed': withJson((one) => ({ ...one, text: '<b>down' })),
    'a sign that is not escaped': withJson((one) => ({ ...one, text: 'a < b' })),
    'a button that says too much': withJson((one) => ({
      ...one,
      reply_markup: { inline_keyboard: [[{ text: 'Acknowledge', callback_data: 'a'.repeat(65) }]] }
    })),
    'formats of another kind': withJson((one) => ({ ...one, parse_mode: 'Markup' }))
  },
  apprise: { target: () => 'tgram://123456789:AAfirstCCddEEffGGhhIIjjKKllMMnnOOpp/-1001234567890', hosts: ['api.telegram.org'] },
  checked: 'Alertmanager and Apprise: what they send is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'message → arrived',
    down: 'message → sent',
    update: 'answer → sent',
    acknowledge: 'edit → sent',
    recover: 'edit, answer → sent',
    rotate: 'message → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 400 chat not found → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), message → sent',
    '500': '500, message → sent',
    timeout: 'no answer, message → sent',
    malformed: 'nonsense, message → sent'
  }
}
