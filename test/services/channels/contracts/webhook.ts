/**
 * A receiver of the generic webhook. It checks what the guide recommends: the signature, its age,
 * the headers and the fields of the body.
 * Source: docs/design/outbound-channels.md#s5-2.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Answer, type Asked, type Contract, jsonIn, refused, took, withHeader, withJson } from '../contract.ts'

type Config = { url: string; secret?: string; headers?: { name: string; value: string }[] }

const MAX_BODY_BYTES = 20_000
const MAX_AGE_SECONDS = 300
const FIELDS = ['event', 'event_id', 'occurred_at', 'sent_at', 'tenant_id', 'workspace', 'monitor_id', 'severity', 'incident', 'test']

function isSigned({ headers, body }: Asked, secret: string): boolean {
  const parts = (headers['x-service-signature'] ?? '').split(',').map((part) => part.split('='))
  const at = parts.find(([name]) => name === 't')?.[1] ?? ''
  const wanted = createHmac('sha256', secret).update(`${at}.${body}`).digest()
  const fits = parts.some(([name, value = '']) => {
    const given = Buffer.from(value, 'hex')
    return name === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted)
  })
  return fits && Math.abs(Date.now() / 1000 - Number(at)) <= MAX_AGE_SECONDS
}

function judge(asked: Asked, { url, secret, headers = [] }: Config): Answer {
  if (asked.method !== 'POST' || asked.path !== new URL(url).pathname) return refused(404, 'no such path')
  if (secret !== undefined && !isSigned(asked, secret)) return refused(401, 'the signature does not fit')
  if (headers.some(({ name, value }) => asked.headers[name.toLowerCase()] !== value)) return refused(401, 'a header is missing')
  const body = jsonIn(asked)
  if (body === null || Buffer.byteLength(asked.body) > MAX_BODY_BYTES) return refused(400, 'no JSON, or too much')
  const missing = FIELDS.filter((name) => !(name in body))
  if (missing.length > 0) return refused(422, `${missing.join(', ')} missing`)
  if (asked.headers['x-service-event'] !== body.event || asked.headers['x-service-event-id'] !== body.event_id)
    return refused(422, 'headers and body differ')
  return took(String(body.event), '', 204)
}

export const contract: Contract<Config> = {
  config: (url) => ({
    url: `${url}/alerts`,
    secret: 'first-secret-0123456789',
    headers: [{ name: 'X-Team', value: 'operations' }]
  }),
  rotated: (url) => ({
    url: `${url}/alerts`,
    secret: 'second-secret-0123456789',
    headers: [{ name: 'X-Team', value: 'operations' }]
  }),
  vendor(valid) {
    const seen = new Map<string, string>()
    return (asked) => {
      const answer = judge(asked, valid)
      const event_id = asked.headers['x-service-event-id'] ?? ''
      if (!answer.refused && (seen.get(event_id) ?? asked.body) !== asked.body) return refused(409, 'the same event in other words')
      seen.set(event_id, asked.body)
      return answer
    }
  },
  faults: { '404': { answer: { status: 410, body: 'gone' } } },
  wrong: {
    'another body': withJson((body) => ({ ...body, severity: 'info' })),
    'no signature': withHeader('x-service-signature', null),
    'a signature with another secret': withHeader('x-service-signature', `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`),
    'without the header of the channel': withHeader('x-team', null),
    'another event in its header': withHeader('x-service-event', 'test')
  },
  checked: 'Python and OpenSSL verify the signature in the guide; the vectors of Standard Webhooks',
  row: {
    create: 'nothing → saved',
    test: 'test → arrived',
    down: 'incident.created → delivered',
    update: 'incident.assigned → delivered',
    acknowledge: 'incident.acknowledged → delivered',
    recover: 'incident.resolved → delivered',
    rotate: 'incident.created → delivered',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '410 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), incident.created → delivered',
    '500': '500, incident.created → delivered',
    timeout: 'no answer, incident.created → delivered',
    malformed: 'nonsense → delivered'
  }
}
