/**
 * A webhook of Discord: codes of errors and limits of embeds as in
 * docs/design/outbound-channels.md#s3-2.
 */
import {
  type Answer,
  type Asked,
  type Contract,
  isText,
  jsonIn,
  RETRY_AFTER_SECONDS,
  refused,
  took,
  withHeader,
  withJson,
  withPath
} from '../contract.ts'

type Config = { webhook_url: string }

interface Embed {
  title?: unknown
  description?: unknown
  url?: unknown
  color?: unknown
  timestamp?: unknown
  fields?: { name?: unknown; value?: unknown }[]
}

const MAX_EMBEDS = 6000
const sizeOf = (text: unknown): number => (typeof text === 'string' ? [...text].length : 0)
const refusedBody = (code: number, message: string) => ({ code, message })

function isEmbed({ title, description, url, color, timestamp, fields = [] }: Embed): boolean {
  const texts = isText(title, 256) && (description === undefined || isText(description, 4096))
  const isDated = timestamp === undefined || !Number.isNaN(Date.parse(String(timestamp)))
  const marks = (url === undefined || URL.canParse(String(url))) && (color === undefined || Number.isInteger(color)) && isDated
  const named = fields.length <= 25 && fields.every(({ name, value }) => isText(name, 256) && isText(value, 1024))
  const all = fields.reduce((sum, { name, value }) => sum + sizeOf(name) + sizeOf(value), sizeOf(title) + sizeOf(description))
  return texts && marks && named && all <= MAX_EMBEDS
}

/** Null: nothing is wrong with it. */
function bodyFault(asked: Asked): Answer | null {
  const body = jsonIn(asked)
  const invalid = (why: string): Answer => refused(400, why, refusedBody(50035, 'Invalid Form Body'))
  if (body === null) return refused(400, 'no JSON', refusedBody(50109, 'The request body contains invalid JSON.'))
  const { content, embeds = [], username } = body
  if (!Array.isArray(embeds) || embeds.length > 10 || !embeds.every(isEmbed)) return invalid('bad embeds')
  const isEmpty = content === undefined || content === ''
  if (isEmpty ? embeds.length === 0 : !isText(content, 2000)) return invalid('empty or too long')
  const isTaken = username !== undefined && (!isText(username, 80) || /discord|clyde/i.test(String(username)))
  return isTaken ? invalid('a name that is taken') : null
}

/** Discord takes it, and calls whomever the text names. */
function callsPeople(asked: Asked): boolean {
  const mentions = jsonIn(asked)?.allowed_mentions as { parse?: unknown } | undefined
  return !Array.isArray(mentions?.parse) || mentions.parse.length > 0
}

export const contract: Contract<Config> = {
  config: () => ({ webhook_url: `https://discord.com/api/webhooks/123456789012345678/${'a'.repeat(68)}` }),
  rotated: () => ({ webhook_url: `https://discord.com/api/webhooks/123456789012345678/${'b'.repeat(68)}` }),
  vendor({ webhook_url }) {
    const messages = new Set<string>()
    return (asked) => {
      const root = new URL(webhook_url).pathname
      const { pathname, searchParams } = new URL(asked.path, 'http://contract')
      if (!asked.headers['user-agent']) return refused(403, 'no agent', refusedBody(40333, 'internal network error'))
      if (!pathname.startsWith(root)) return refused(401, 'another token', refusedBody(50027, 'Invalid Webhook Token'))
      const edited = /^\/messages\/(\d+)$/.exec(pathname.slice(root.length))?.[1]
      if (edited === undefined && pathname !== root) return refused(404, 'no such path', refusedBody(0, '404: Not Found'))
      const fault = bodyFault(asked)
      if (fault) return fault
      if (edited !== undefined) {
        if (asked.method !== 'PATCH') return refused(405, 'only PATCH')
        return messages.has(edited)
          ? took(callsPeople(asked) ? 'edit that may call people' : 'edit', { id: edited })
          : refused(404, 'no such message', refusedBody(10008, 'Unknown Message'))
      }
      if (asked.method !== 'POST') return refused(405, 'only POST')
      if (searchParams.get('wait') !== 'true') return took('message that nobody waits for', '', 204)
      const id = String(1_000_000_000_000_000_000n + BigInt(messages.size))
      messages.add(id)
      return took(callsPeople(asked) ? 'message that may call people' : 'message', { id, channel_id: '1', type: 0 })
    }
  },
  faults: {
    '400': { answer: { status: 400, body: refusedBody(50035, 'Invalid Form Body') } },
    '401': { answer: { status: 401, body: refusedBody(50027, 'Invalid Webhook Token') } },
    '404': { answer: { status: 404, body: refusedBody(10015, 'Unknown Webhook') } },
    '413': { answer: { status: 413, body: refusedBody(40005, 'Request entity too large') } },
    '429': {
      answer: {
        status: 429,
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS), 'x-ratelimit-scope': 'user' },
        body: { message: 'You are being rate limited.', retry_after: RETRY_AFTER_SECONDS, global: false }
      },
      times: 1
    }
  },
  wrong: {
    'another token': withPath((path) => path.replace('?', 'x?')),
    'no agent': withHeader('user-agent', null),
    'a title that is too long': withJson((body) => ({ ...body, embeds: [{ ...(body.embeds as Embed[])[0], title: 'x'.repeat(257) }] })),
    'more than ten embeds': withJson((body) => ({ ...body, embeds: Array(11).fill((body.embeds as Embed[])[0]) }))
  },
  apprise: { target: () => `discord://123456789012345678/${'a'.repeat(68)}`, hosts: ['discord.com'] },
  checked: 'Alertmanager and Apprise: what they send is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'message → arrived',
    down: 'message → sent',
    update: 'message → sent',
    acknowledge: 'edit → sent',
    recover: 'edit, message → sent',
    rotate: 'message → sent',
    '400': '400 → failed',
    '401': '401 → failed, channel off',
    '404': '404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), message → sent',
    '500': '500, message → sent',
    timeout: 'no answer, message → sent',
    malformed: 'nonsense, message → sent'
  }
}
