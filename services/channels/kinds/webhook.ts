/**
 * The generic webhook: one signed POST. The events are those of the specification, 6.1. An incident
 * that no monitor or heartbeat opened is sent as incident.created and incident.resolved.
 * Source: docs/design/outbound-channels.md#s3-7 and #s5, docs/design/api/webhooks.md#s18.
 */
import { Type } from 'typebox'
import type { Channel, ConfigFault, Message, MessageIncident, SendContext, SendOutcome } from '../channel.ts'
import { addressFault, closed, field, secretField } from '../config.ts'
import { judge, succeeded } from '../judging.ts'
import { serviceSignature, standardSignature } from '../signature.ts'
import { oneLine, plain, truncate } from '../text.ts'
import { bodyOf, severityOf, subjectLine } from '../words.ts'

const MAX_BODY_BYTES = 20_000
const MAX_HEADERS = 10
/**
 * Limits of single texts, in characters. A body that is still too long loses labels and tags first,
 * then its message.
 */
const MAX_TEXT = 2000
const MAX_SHORT_TEXT = 300
const SHOWN_AGENT = 'service-webhooks/1'

type Config = {
  url: string
  /** The part after the ? in the address. It may hold a credential. */
  url_query?: string
  secret?: string
  secret_previous?: string
  secret_previous_expires_at?: string
  headers?: { name: string; value: string }[]
}

const secretRules = { minLength: 16, maxLength: 256, pattern: '^[!-~]+$' }

const config = Type.Object(
  {
    url: field({ title: 'URL', description: 'Takes POST with application/json.' }),
    secret: Type.Optional(
      secretField({
        title: 'Secret',
        description: 'X-Service-Signature is computed with it. 16 to 256 printable characters, no spaces.',
        ...secretRules
      })
    ),
    secret_previous_expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        title: 'Old secret until',
        description: 'While a secret is replaced both sign until then: 24 hours unless given, at most 7 days.'
      })
    ),
    headers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ title: 'Name', pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$" }),
            value: Type.String({ title: 'Value', minLength: 1, maxLength: 2000, pattern: '^[\\t\\x20-\\x7e]+$', writeOnly: true })
          },
          closed
        ),
        { title: 'Headers', description: 'Sent with each request. Their values are not shown again.', maxItems: MAX_HEADERS }
      )
    )
  },
  closed
)

const OWN_HEADERS =
  /^(content-.*|host|x-service-.*|webhook-.*|user-agent|accept|connection|transfer-encoding|expect|keep-alive|te|trailer|upgrade)$/i

/** Returns the event's name in the webhook format. Null: the format has no such event. */
export function eventName({ event, subject, certificate }: Message): string | null {
  switch (event) {
    case 'down':
      return subject ? 'monitor.down' : 'incident.created'
    case 'up':
      // A certificate was renewed, which is not a monitor that is up again.
      if (certificate) return null
      return subject ? 'monitor.up' : 'incident.resolved'
    case 'ssl_expiry':
      return 'monitor.ssl_expiry'
    case 'acknowledged':
      return 'incident.acknowledged'
    case 'assigned':
      return 'incident.assigned'
    case 'on_call':
      return 'oncall.current'
    case 'test':
      return 'test'
    default:
      return null
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))
const short = (text: string): string => truncate(plain(text), MAX_SHORT_TEXT)

const incidentIn = (incident: MessageIncident) => ({
  id: incident.id,
  key: incident.key,
  title: short(incident.title),
  status: incident.status,
  severity: incident.severity,
  is_major: incident.is_major,
  acknowledged_at: isoOrNull(incident.acknowledged_at),
  started_at: iso(incident.started_at),
  resolved_at: isoOrNull(incident.resolved_at),
  url: incident.url
})

const sample = { id: '', name: 'Sample monitor', type: 'http', target: 'https://example.com/', tags: [], labels: {}, dashboard_url: null }

/** How much is left out of the texts and lists that people may make long. */
interface Brevity {
  marks: boolean
  text: number
}

/**
 * monitor_id is empty for a heartbeat and when there is no monitor. heartbeat_id is present only
 * for a heartbeat.
 */
function subjectIn({ event, subject }: Message, { marks }: Brevity) {
  if (event === 'test') return { monitor_id: '', monitor: sample }
  if (subject?.kind === 'heartbeat') {
    const { id, name, slug, schedule, last_ping_at, url } = subject
    const heartbeat = { id, name: short(name), slug, schedule, last_ping_at: isoOrNull(last_ping_at), dashboard_url: url }
    return { monitor_id: '', heartbeat_id: id, heartbeat }
  }
  if (subject?.kind !== 'monitor') return { monitor_id: '' }
  const { id, name, type, target, tags, labels, url } = subject
  return {
    monitor_id: id,
    monitor: {
      id,
      name: short(name),
      type,
      target: truncate(target, MAX_TEXT),
      tags: marks ? tags : [],
      labels: marks ? labels : {},
      dashboard_url: url
    }
  }
}

function statusOf({ event, subject, incident }: Message): string | null {
  if (event === 'test' || event === 'ssl_expiry') return 'up'
  if (!subject) return null
  const isUp = event === 'up' || incident?.status === 'resolved'
  return isUp ? 'up' : subject.kind === 'heartbeat' ? 'missed' : 'down'
}

function payload(message: Message, event: string, brevity: Brevity) {
  const { incident, failure, certificate, workspace } = message
  const isAlone = message.event === 'test' || message.event === 'ssl_expiry' || message.event === 'on_call'
  const status = statusOf(message)
  // The same in all attempts: nothing in it may depend on the time of an attempt.
  const text = message.event === 'up' ? null : bodyOf(message, message.queued_at)
  return {
    event,
    event_id: message.event_id,
    occurred_at: iso(message.at),
    sent_at: iso(message.queued_at),
    tenant_id: workspace.tenant_id,
    workspace: { id: workspace.tenant_id, name: short(workspace.name), slug: workspace.slug },
    ...subjectIn(message, brevity),
    ...(status !== null && { status }),
    severity: message.event === 'up' ? 'info' : severityOf(message),
    ...(!isAlone && { region: incident?.regions[0] ?? null, affected_regions: incident?.regions.slice(0, 100) ?? [] }),
    ...(message.event !== 'up' && {
      reason: failure?.reason ?? null,
      message: truncate(text === null || text === '' ? subjectLine(message) : text, brevity.text)
    }),
    ...(!isAlone && { http_status: failure?.http_status ?? null, response_time_ms: failure?.response_time_ms ?? null }),
    ...(message.event === 'up' && { duration_seconds: message.duration_seconds === null ? null : Math.round(message.duration_seconds) }),
    ...(message.event === 'ssl_expiry' && { certificate: certificate && { ...certificate, not_after: iso(certificate.not_after) } }),
    incident: incident && !isAlone ? incidentIn(incident) : null,
    ...(!isAlone && {
      team: incident?.team ?? null,
      assignee: incident?.assignee ?? null,
      escalation_policy: incident?.escalation_policy ?? null
    }),
    ...(message.actor !== null && !isAlone && { actor: oneLine(message.actor) }),
    flapping: incident?.flapping ?? false,
    reopened: incident?.reopened ?? false,
    test: message.event === 'test'
  }
}

/** Returns the body. Every attempt sends the same bytes. */
export function webhookBody(message: Message, event: string): string {
  for (const brevity of [
    { marks: true, text: MAX_TEXT },
    { marks: false, text: MAX_TEXT },
    { marks: false, text: MAX_SHORT_TEXT }
  ]) {
    const body = JSON.stringify(payload(message, event, brevity))
    if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body
  }
  return JSON.stringify({
    ...payload({ ...message, subject: null, failure: null }, event, { marks: false, text: MAX_SHORT_TEXT }),
    truncated: true
  })
}

function secretsOf({ secret, secret_previous, secret_previous_expires_at }: Config, now: number): string[] {
  if (secret === undefined) return []
  const isRotating = secret_previous !== undefined && Date.parse(secret_previous_expires_at ?? '') > now
  return isRotating ? [secret, secret_previous] : [secret]
}

function headersOf(message: Message, event: string, settings: Config, body: string, { now, attempt }: SendContext): Record<string, string> {
  const seconds = Math.floor(now / 1000)
  const secrets = secretsOf(settings, now)
  const standard = standardSignature(secrets, message.event_id, seconds, body)
  return {
    ...Object.fromEntries((settings.headers ?? []).map(({ name, value }) => [name.toLowerCase(), value])),
    'content-type': 'application/json; charset=utf-8',
    'user-agent': SHOWN_AGENT,
    'x-service-event': event,
    'x-service-event-id': message.event_id,
    'x-service-delivery': message.delivery_id,
    'x-service-attempt': String(attempt),
    'x-service-timestamp': String(seconds),
    ...(secrets.length > 0 && { 'x-service-signature': serviceSignature(secrets, seconds, body) }),
    ...(standard !== null && { 'webhook-id': message.event_id, 'webhook-timestamp': String(seconds), 'webhook-signature': standard })
  }
}

const addressOf = ({ url, url_query }: Config): string => (url_query === undefined ? url : `${url}?${url_query}`)

function check({ url, headers = [] }: Config): ConfigFault | null {
  const names = headers.map(({ name }) => name.toLowerCase())
  const at = names.findIndex((name, index) => OWN_HEADERS.test(name) || names.indexOf(name) !== index)
  if (at >= 0)
    return {
      path: `headers[${at}].name`,
      rule: 'format',
      message: OWN_HEADERS.test(names[at] ?? '') ? 'is a header that the service sets' : 'is listed twice'
    }
  return addressFault('url', url)
}

export const channel: Channel<Config> = {
  kind: 'webhook',
  name: 'Webhook',
  hint: 'An address of yours that takes POST with JSON.',
  family: 'webhook',
  config,
  fields: [
    { name: 'url', origin: true },
    { name: 'url_query', secret: true, read_only: true },
    { name: 'secret', secret: true },
    { name: 'secret_previous', secret: true, read_only: true },
    { name: 'secret_previous_expires_at' },
    { name: 'headers', secret: true }
  ],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'both',
  max_ambiguous: null,
  verified: false,
  check,
  normalise(settings) {
    const cut = settings.url.indexOf('?')
    if (cut < 0) return settings
    const query = settings.url.slice(cut + 1)
    return { ...settings, url: settings.url.slice(0, cut), ...(query !== '' && { url_query: query }) }
  },
  target: ({ url }) => (URL.canParse(url) ? new URL(url).host : ''),
  *steps(message, settings, _ref, context) {
    const event = eventName(message)
    if (event === null) return { outcome: 'skipped', why: 'no_event' }
    const body = webhookBody(message, event)
    const { url_query, secret, secret_previous, headers = [] } = settings
    const secrets = [url_query, secret, secret_previous, ...headers.map(({ value }) => value)].filter((text) => text !== undefined)
    const reply = yield {
      via: 'http',
      method: 'POST',
      url: addressOf(settings),
      headers: headersOf(message, event, settings, body, context),
      body,
      secrets,
      guarded: true,
      status_counts: true
    }
    return succeeded(reply) ? ({ outcome: 'delivered', confirmed: true } satisfies SendOutcome) : judge(reply, context)
  }
}
