/**
 * PagerDuty, Events API v2: its fields, limits and answers follow
 * docs/design/outbound-channels.md#s3-5. An event that it silently drops has its own name here.
 */
import { type Answer, type Asked, type Contract, holding, isText, jsonIn, refused, took, withJson, withPath } from '../contract.ts'

type Config = { integration_key: string }

const MAX_EVENT_BYTES = 512 * 1024

const invalid = (...errors: string[]): Answer =>
  refused(400, errors.join(', '), { status: 'invalid event', message: 'Event object is invalid', errors })

function payloadFault(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null) return "'payload' is missing or blank"
  const { summary, source, severity, timestamp } = payload as Record<string, unknown>
  if (!isText(summary, 1024)) return "'payload.summary' is missing, blank or too long"
  if (!isText(source, 255)) return "'payload.source' is missing or blank"
  if (!['critical', 'error', 'warning', 'info'].includes(String(severity))) return "'payload.severity' is invalid"
  return timestamp === undefined || !Number.isNaN(Date.parse(String(timestamp))) ? null : "'payload.timestamp' is invalid"
}

export const contract: Contract<Config> = {
  config: () => ({ integration_key: 'R0123456789abcdef0123456789abcde' }),
  rotated: () => ({ integration_key: 'R9876543210fedcba9876543210fedcb' }),
  vendor({ integration_key }) {
    const open = new Map<string, Asked>()
    const vendor = (asked: Asked): Answer => {
      if (asked.method !== 'POST' || asked.path !== '/v2/enqueue') return refused(404, 'no such path')
      const event = jsonIn(asked)
      if (event === null) return invalid('JSON is invalid')
      if (Buffer.byteLength(asked.body) > MAX_EVENT_BYTES) return refused(413, 'too large')
      if (event.routing_key !== integration_key) return invalid("'routing_key' is invalid")
      const { event_action: action } = event
      // A trigger without a key is given one.
      const key = action === 'trigger' && event.dedup_key === undefined ? `given-${open.size}` : event.dedup_key
      if (!isText(key, 255)) return invalid("'dedup_key' is missing or too long")
      const done = (did: string): Answer => took(did, { status: 'success', message: 'Event processed', dedup_key: key }, 202)
      if (action === 'trigger') {
        const fault = payloadFault(event.payload)
        if (fault !== null) return invalid(fault)
        open.set(key, asked)
        return done('trigger')
      }
      if (action !== 'acknowledge' && action !== 'resolve') return invalid("'event_action' is invalid")
      if (!open.has(key)) return done(`${action} of what is not open`)
      if (action === 'resolve') open.delete(key)
      return done(action)
    }
    return holding(vendor, open)
  },
  faults: {
    '400': { answer: { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors: ['severity'] } } },
    '401': {
      answer: { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors: ["'routing_key' is invalid"] } },
      name: '400 routing_key'
    }
  },
  wrong: {
    'another key': withJson((body) => ({ ...body, routing_key: 'R'.padEnd(32, '0') })),
    'no severity': withJson((body) => ({ ...body, payload: { ...(body.payload as object), severity: 'fatal' } })),
    'a summary that is too long': withJson((body) => ({ ...body, payload: { ...(body.payload as object), summary: 'x'.repeat(1025) } })),
    'another path': withPath(() => '/v1/enqueue')
  },
  apprise: { target: () => 'pagerduty://R0123456789abcdef0123456789abcde@apikey', hosts: ['events.pagerduty.com'] },
  checked: 'Alertmanager and Apprise: what they send is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'trigger, resolve → arrived',
    down: 'trigger → sent',
    update: 'nothing → suppressed (no_event)',
    acknowledge: 'acknowledge → sent',
    recover: 'resolve → sent',
    rotate: 'trigger → sent',
    '400': '400 → failed',
    '401': '3× 400 routing_key → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), trigger → sent',
    '500': '500, trigger → sent',
    timeout: 'no answer, trigger → sent',
    malformed: 'nonsense, trigger → sent'
  }
}
