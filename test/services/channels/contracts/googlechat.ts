/**
 * A webhook of a Google Chat space: its errors and the structure of cards follow
 * docs/design/outbound-channels.md#s3-9.
 */
import { type Asked, type Contract, isText, jsonIn, RETRY_AFTER_SECONDS, refused, took, withJson, withPath } from '../contract.ts'

type Config = { webhook_url: string }

const KEY = 'AIzaSyDdI0hCZtE6vySjMm-WEfRq3CPzqKqqsHI'
const MAX_MESSAGE_BYTES = 32_000
const MAX_TEXT = 4096
const FIELDS = new Set(['text', 'thread', 'cardsV2', 'fallbackText'])
const WIDGETS = new Set(['textParagraph', 'decoratedText', 'buttonList', 'divider', 'image', 'columns'])

const address = (token: string): string => `https://chat.googleapis.com/v1/spaces/AAAAbbbbCCC/messages?key=${KEY}&token=${token}`

const error = (code: number, status: string, message: string) => ({ error: { code, status, message } })
const invalid = (why: string) => refused(400, why, error(400, 'INVALID_ARGUMENT', why))

type Card = { cardId?: unknown; card?: { header?: { title?: unknown }; sections?: { widgets?: Record<string, unknown>[] }[] } }

function isCard({ cardId, card }: Card): boolean {
  if (!isText(cardId, 100) || !isText(card?.header?.title, 1000)) return false
  return (card?.sections ?? []).every(
    ({ widgets = [] }) =>
      widgets.length > 0 &&
      widgets.length <= 100 &&
      widgets.every((one) => Object.keys(one).length === 1 && WIDGETS.has(Object.keys(one)[0] ?? ''))
  )
}

const keyOf = (thread: unknown): unknown =>
  typeof thread === 'object' && thread !== null
    ? 'threadKey' in thread
      ? thread.threadKey
      : 'thread_key' in thread
        ? thread.thread_key
        : null
    : undefined

export const contract: Contract<Config> = {
  config: () => ({ webhook_url: address('x1Yz%3Dfirst_token0123') }),
  rotated: () => ({ webhook_url: address('x1Yz%3Dsecond_token0123') }),
  vendor({ webhook_url }) {
    const threads = new Set<unknown>()
    let count = 0
    return (asked: Asked) => {
      const wanted = new URL(webhook_url)
      const { pathname, searchParams } = new URL(asked.path, 'http://contract')
      if (asked.method !== 'POST' || pathname !== wanted.pathname)
        return refused(404, 'no such space', error(404, 'NOT_FOUND', 'no such space'))
      if (['key', 'token'].some((name) => searchParams.get(name) !== wanted.searchParams.get(name)))
        return refused(403, 'another token', error(403, 'PERMISSION_DENIED', 'another token'))
      const body = jsonIn(asked)
      if (body === null) return invalid('no JSON')
      if (Buffer.byteLength(asked.body) > MAX_MESSAGE_BYTES) return invalid('too large')
      const strange = Object.keys(body).find((name) => !FIELDS.has(name))
      if (strange !== undefined) return invalid(`Unknown name "${strange}"`)
      const { text, thread, cardsV2 = [] } = body
      if (text !== undefined && !isText(text, MAX_TEXT)) return invalid('empty or too long')
      if (!Array.isArray(cardsV2) || !cardsV2.every(isCard)) return invalid('bad cards')
      if (text === undefined && cardsV2.length === 0) return invalid('nothing in it')
      const key = keyOf(thread)
      if (thread !== undefined && !isText(key, 4000)) return invalid('a thread without a key')
      // Without this word in its address a message starts a new thread, whatever its key is.
      const isReply =
        key !== undefined && threads.has(key) && searchParams.get('messageReplyOption') === 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD'
      threads.add(key)
      count += 1
      return took(isReply ? 'reply' : key === undefined ? 'message' : 'thread', { name: `spaces/AAAAbbbbCCC/messages/m${count}.m${count}` })
    }
  },
  faults: {
    '400': { answer: { status: 400, body: error(400, 'INVALID_ARGUMENT', 'as the test has it') } },
    '401': { answer: { status: 403, body: error(403, 'PERMISSION_DENIED', 'as the test has it') }, name: '403' },
    '404': { answer: { status: 404, body: error(404, 'NOT_FOUND', 'as the test has it') } },
    '429': {
      answer: {
        status: 429,
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        body: error(429, 'RESOURCE_EXHAUSTED', 'as the test has it')
      },
      times: 1
    }
  },
  wrong: {
    'another token': withPath((path) => path.replace('first', 'third')),
    'another space': withPath((path) => path.replace('AAAA', 'ZZZZ')),
    'nothing in it': withJson(({ thread }) => ({ thread })),
    'a text that is too long': withJson((body) => ({ ...body, text: 'x'.repeat(MAX_TEXT + 1) })),
    'a field that there is not': withJson((body) => ({ ...body, channel: '#general' })),
    'a section with nothing in it': withJson((body) => ({
      ...body,
      cardsV2: [{ cardId: 'a', card: { header: { title: 'a' }, sections: [{ widgets: [] }] } }]
    }))
  },
  apprise: { target: () => `gchat://AAAAbbbbCCC/${KEY}/x1Yz%3Dfirst_token0123`, hosts: ['chat.googleapis.com'] },
  checked: 'Apprise: what it posts is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'message → arrived',
    down: 'thread → sent',
    update: 'reply → sent',
    acknowledge: 'reply → sent',
    recover: 'reply → sent',
    rotate: 'thread → sent',
    '400': '400 → failed',
    '401': '3× 403 → failed, channel off',
    '404': '404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), thread → sent',
    '500': '500, thread → sent',
    timeout: 'no answer, thread → sent',
    malformed: 'nonsense, thread → sent'
  }
}
