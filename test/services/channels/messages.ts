/** Messages as the engine makes them, and a sender with a scripted vendor. */
import type {
  Channel,
  Deployment,
  HttpRequest,
  MailRequest,
  Message,
  MessageHeartbeat,
  MessageIncident,
  MessageMonitor,
  RemoteRef,
  SendContext,
  SendOutcome,
  SendReply,
  SendRequest
} from '../../../services/channels/channel.ts'

/** 2026-01-01T00:00:00Z. */
export const NOW = 1_767_225_600_000
export const INCIDENT = '0198f0c4-7b11-7aa0-8c3e-5a1d2e3f4a5b'
export const DELIVERY = '0198f0c4-aaaa-7aa0-8c3e-5a1d2e3f4a5b'

export const deployment: Deployment = {
  product: 'Acme Alerts',
  user_agent: 'AcmeAlerts/1 (+https://app.example.com)',
  api_url: 'https://app.example.com',
  mail_domain: 'mail.example.com',
  base_urls: {},
  twilio: {
    account_sid: 'AC00000000000000000000000000000001',
    credential: 'AC00000000000000000000000000000001:twilio-auth-token',
    from: '+15550001111',
    messaging_service_sid: null
  },
  telegram: null,
  fcm: null,
  apns: null,
  slack: null,
  discord: null
}

export const context = (changes: Partial<SendContext> = {}): SendContext => ({
  now: NOW,
  attempt: 1,
  doubtful: false,
  deployment,
  ...changes
})

export const monitor: MessageMonitor = {
  kind: 'monitor',
  id: '0198f0c4-bbbb-7aa0-8c3e-5a1d2e3f4a5b',
  name: 'api.example.com',
  type: 'http',
  target: 'https://api.example.com/health',
  tags: ['api'],
  labels: { env: 'prod' },
  url: 'https://app.example.com/monitors/1'
}

export const heartbeat: MessageHeartbeat = {
  kind: 'heartbeat',
  id: '0198f0c4-cccc-7aa0-8c3e-5a1d2e3f4a5b',
  name: 'nightly-backup',
  slug: 'nightly-backup',
  schedule: '0 2 * * *',
  last_ping_at: NOW - 86_400_000,
  url: 'https://app.example.com/heartbeats/1'
}

export const incident = (changes: Partial<MessageIncident> = {}): MessageIncident => ({
  id: INCIDENT,
  key: 'INC-42',
  version: 1,
  title: 'api.example.com is down',
  summary: 'HTTP 503 from 3 regions',
  status: 'ongoing',
  severity: 'critical',
  priority: null,
  is_major: false,
  flapping: false,
  reopened: false,
  url: 'https://app.example.com/incidents/42',
  regions: ['eu-west', 'us-east'],
  labels: {},
  source: { kind: 'monitor', type: null },
  team: null,
  assignee: null,
  escalation_policy: null,
  started_at: NOW - 10_000,
  acknowledged_at: null,
  silenced_until: null,
  resolved_at: null,
  resolution_reason: null,
  ...changes
})

export const message = (changes: Partial<Message> = {}): Message => ({
  event: 'down',
  delivery_id: DELIVERY,
  event_id: '0198f0c4-dddd-5aa0-8c3e-5a1d2e3f4a5b',
  seq: 1,
  key: `svc-inc-${INCIDENT}`,
  target_id: '0198f0c4-eeee-7aa0-8c3e-5a1d2e3f4a5b',
  at: NOW - 10_000,
  queued_at: NOW - 5000,
  workspace: { tenant_id: '0198e000-0000-7000-8000-000000000001', name: 'Acme', slug: 'acme' },
  incident: incident(),
  subject: monitor,
  failure: { reason: 'http_status', message: 'HTTP 503', http_status: 503, response_time_ms: 120 },
  certificate: null,
  actor: null,
  duration_seconds: null,
  combined: false,
  title_override: null,
  body_override: null,
  reply_code: null,
  unsubscribe_url: null,
  act_urls: null,
  ...changes
})

export const up = (changes: Partial<Message> = {}): Message =>
  message({
    event: 'up',
    seq: 3,
    incident: incident({ status: 'resolved', resolved_at: NOW }),
    failure: null,
    duration_seconds: 250,
    ...changes
  })

export const acknowledged = (changes: Partial<Message> = {}): Message =>
  message({ event: 'acknowledged', seq: 2, actor: 'Jo Doe', incident: incident({ acknowledged_at: NOW }), ...changes })

export const test = (changes: Partial<Message> = {}): Message =>
  message({ event: 'test', key: `svc-test-${DELIVERY}`, incident: null, subject: null, failure: null, ...changes })

/** Hostile texts. */
export const HOSTILE = `<!channel> @everyone </b> & $(x) *_~\` [a](b) "q" 'q' 🔥 \u202eright\u0007 ${'x'.repeat(10_000)}`

export const hostile = (changes: Partial<Message> = {}): Message =>
  message({
    incident: incident({ title: HOSTILE, summary: HOSTILE }),
    subject: { ...monitor, name: HOSTILE },
    failure: { reason: 'http_status', message: HOSTILE, http_status: 503, response_time_ms: 1 },
    workspace: { tenant_id: 't', name: HOSTILE.slice(0, 200), slug: 'acme' },
    ...changes
  })

export const reply = (status: number, body: unknown = '', headers: Record<string, string> = {}): SendReply => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body)
})

export interface Driven {
  requests: SendRequest[]
  outcome: SendOutcome
}

/** Runs the channel and answers the requests that it yields with the replies in turn. */
export function drive<C>(
  channel: Channel<C>,
  what: Message,
  config: C,
  replies: readonly SendReply[],
  { ref = null, at = context() }: { ref?: RemoteRef | null; at?: SendContext } = {}
): Driven {
  const steps = channel.steps(what, config, ref, at)
  const requests: SendRequest[] = []
  let step = steps.next()
  for (const one of replies) {
    if (step.done) throw new Error(`asked for ${requests.length} of ${replies.length} replies`)
    requests.push(step.value)
    step = steps.next(one)
  }
  if (!step.done) throw new Error(`wants one more reply, to ${JSON.stringify(step.value)}`)
  return { requests, outcome: step.value }
}

export function httpOf(request: SendRequest | undefined): HttpRequest {
  if (request?.via !== 'http') throw new Error('no request over HTTP')
  return request
}

export function mailOf(request: SendRequest | undefined): MailRequest {
  if (request?.via !== 'smtp') throw new Error('no mail')
  return request
}

// biome-ignore lint/suspicious/noExplicitAny: a vendor's JSON, read by tests field by field
export const json = (request: SendRequest | undefined): any => JSON.parse(httpOf(request).body ?? '')

/** Returns the part of an outcome that every table compares. */
export const short = (outcome: SendOutcome): string =>
  outcome.outcome === 'permanent' ? `permanent ${outcome.scope}${outcome.at_once ? ' at once' : ''}` : outcome.outcome
