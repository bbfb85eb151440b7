/**
 * The Bot API of Telegram: its errors, its HTML, its limits, and messages that are edited. Source:
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

/** What is shown; null: a tag or a sign that it does not take. */
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

function edit(messages: Map<number, Sent>, asked: Record<string, unknown>, text: string): Answer {
  const id = Number(asked.message_id)
  const known = messages.get(id)
  if (!known || known.chat !== String(asked.chat_id)) return bad('message to edit not found')
  if (known.text === text) return bad('message is not modified: specified new message content is exactly the same')
  messages.set(id, { ...known, text })
  return took('edit', { ok: true, result: { message_id: id, chat: { id: Number(asked.chat_id) }, text } })
}

export const contract: Contract<Config> = {
  config: () => ({ bot_token: '123456789:AAfirstCCddEEffGGhhIIjjKKllMMnnOOpp', chat_id: '-1001234567890' }),
  rotated: () => ({ bot_token: '123456789:BBsecondDDeeFFggHHiiJJkkLLmmNNooP', chat_id: '-1001234567890' }),
  vendor({ bot_token, chat_id }) {
    const messages = new Map<number, Sent>()
    return (asked: Asked) => {
      const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(asked.path) ?? []
      if (token === undefined || !/^\d+:[\w-]+$/.test(token)) return refused(404, 'no token', body(404, 'Not Found'))
      if (token !== bot_token) return refused(401, 'another token', body(401, 'Unauthorized'))
      const wanted = jsonIn(asked)
      if (wanted === null) return bad('message text is empty')
      if (String(wanted.chat_id) !== chat_id) return bad('chat not found')
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
