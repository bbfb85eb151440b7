/**
 * Opsgenie, Alert API v2: its limits and answers follow docs/design/outbound-channels.md#s3-6. It
 * accepts requests first and examines them later, so a request that it later drops has its own name
 * here.
 */
import {
  type Answer,
  type Asked,
  type Contract,
  holding,
  isText,
  jsonIn,
  refused,
  took,
  withHeader,
  withJson,
  withPath
} from '../contract.ts'

type Config = { api_key: string; region: 'us' | 'eu' }

const isOptional = (value: unknown, max: number): boolean => value === undefined || isText(value, max)

/** Returns the faulty field of an alert; null if it has no fault. */
function alertFault(alert: Record<string, unknown>): string | null {
  const { message, alias, description, priority, source, entity, tags = [], details = {}, note } = alert
  if (!isText(message, 130)) return 'message'
  if (!isOptional(alias, 512)) return 'alias'
  if (!isOptional(description, 15_000)) return 'description'
  if (priority !== undefined && !/^P[1-5]$/.test(String(priority))) return 'priority'
  if (!isOptional(source, 100)) return 'source'
  if (!isOptional(entity, 512)) return 'entity'
  if (!isOptional(note, 25_000)) return 'note'
  if (!Array.isArray(tags) || tags.length > 20 || !tags.every((tag) => isText(tag, 50))) return 'tags'
  const texts = Object.values(details as object)
  return texts.every((text) => typeof text === 'string') && texts.join('').length <= 8000 ? null : 'details'
}

export const contract: Contract<Config> = {
  config: () => ({ api_key: 'c81e728d-9d4c-4f63-8f06-7f89cc14862c', region: 'us' }),
  rotated: () => ({ api_key: '1f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5c', region: 'us' }),
  vendor({ api_key }) {
    const open = new Map<string, Asked>()
    let requests = 0
    const done = (did: string): Answer => {
      requests += 1
      return took(
        did,
        { result: 'Request will be processed', took: 0.05, requestId: `00000000-0000-4000-8000-${String(requests).padStart(12, '0')}` },
        202
      )
    }
    const vendor = (asked: Asked): Answer => {
      const { pathname, searchParams } = new URL(asked.path, 'http://contract')
      if (asked.headers.authorization !== `GenieKey ${api_key}`)
        return refused(401, 'another key', { message: 'Key format is not valid!', took: 0, requestId: 'r' })
      if (asked.method !== 'POST') return refused(405, 'only POST')
      const body = jsonIn(asked)
      if (body === null) return refused(422, 'no JSON', { message: 'Request body is not processable.', errors: {} })
      const acted = /^\/v2\/alerts\/([^/]+)\/(acknowledge|close)$/.exec(pathname)
      if (acted) {
        const [, alias = '', verb = ''] = acted
        if (searchParams.get('identifierType') !== 'alias') return refused(422, 'no id of an alert', { message: 'Identifier is not valid' })
        if (!isOptional(body.source, 100) || !isOptional(body.note, 25_000))
          return refused(422, 'too long', { errors: { note: 'too long' } })
        if (!open.has(decodeURIComponent(alias))) return done(`${verb} of what is not open`)
        if (verb === 'close') open.delete(decodeURIComponent(alias))
        return done(verb)
      }
      if (pathname !== '/v2/alerts') return refused(404, 'no such path')
      const fault = alertFault(body)
      if (fault !== null) return refused(422, fault, { message: 'Request body is not processable.', errors: { [fault]: 'is not valid' } })
      const again = open.has(String(body.alias))
      if (!again) open.set(String(body.alias), asked)
      return done(again ? 'count' : 'alert')
    }
    return holding(vendor, open)
  },
  faults: {
    '400': { answer: { status: 422, body: { message: 'Request body is not processable.', errors: { message: 'size' } } }, name: '422' },
    '429': {
      answer: {
        status: 429,
        headers: { 'retry-after': '600', 'x-ratelimit-state': 'THROTTLED' },
        body: { message: 'You are making too many requests!' }
      },
      times: 1
    }
  },
  wrong: {
    'another key': withHeader('authorization', 'GenieKey 2f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5d'),
    'a key of another kind': withHeader('authorization', 'Bearer x'),
    'no title': withJson(({ message: _gone, ...rest }) => rest),
    'a title that is too long': withJson((body) => ({ ...body, message: 'x'.repeat(131) })),
    'no such priority': withJson((body) => ({ ...body, priority: 'P0' })),
    'another path': withPath(() => '/v1/json/alert')
  },
  apprise: { target: () => 'opsgenie://c81e728d-9d4c-4f63-8f06-7f89cc14862c', hosts: ['api.opsgenie.com'] },
  checked: 'Alertmanager and Apprise: what they send is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'alert, close → arrived',
    down: 'alert → sent',
    update: 'nothing → suppressed (no_event)',
    acknowledge: 'acknowledge → sent',
    recover: 'close → sent',
    rotate: 'alert → sent',
    '400': '422 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), alert → sent',
    '500': '500, alert → sent',
    timeout: 'no answer, alert → sent',
    malformed: 'nonsense, alert → sent'
  }
}
