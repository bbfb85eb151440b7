/** A sample message, with which people preview a template. Pure. */
import type { ChannelEvent } from '../../schemas/http/notification-words.ts'
import type { Message } from './channel.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const ID = '00000000-0000-0000-0000-000000000000'

/** The message as it would be sent now. `now` in epoch ms. */
export function sampleMessage(
  event: ChannelEvent,
  workspace: Message['workspace'],
  { publicUrl, now }: { publicUrl: string; now: number }
): Message {
  const started_at = now - 10 * MINUTE_MS
  const isOver = event === 'up'
  const isCertificate = event === 'ssl_expiry'
  return {
    event,
    delivery_id: ID,
    event_id: ID,
    seq: 1,
    key: `svc-inc-${ID}`,
    target_id: ID,
    at: now,
    queued_at: now,
    workspace,
    incident: {
      id: ID,
      key: 'INC-42',
      version: 1,
      title: 'api.example.com is down',
      summary: 'HTTP 503 from 2 regions',
      status: isOver ? 'resolved' : 'ongoing',
      severity: event === 'degraded' ? 'warning' : 'critical',
      priority: 'P1',
      is_major: false,
      flapping: false,
      reopened: false,
      url: `${publicUrl}/incidents/${ID}`,
      regions: ['eu-west', 'us-east'],
      labels: { env: 'prod', service: 'api' },
      source: { kind: 'monitor', type: null },
      team: { id: ID, name: 'Backend' },
      assignee: { id: ID, name: 'Sam Doe' },
      escalation_policy: null,
      started_at,
      acknowledged_at: event === 'acknowledged' || isOver ? now - 8 * MINUTE_MS : null,
      silenced_until: null,
      resolved_at: isOver ? now : null,
      resolution_reason: isOver ? 'recovered' : null
    },
    subject: {
      kind: 'monitor',
      id: ID,
      name: 'api.example.com',
      type: 'http',
      target: 'https://api.example.com/health',
      tags: ['api'],
      labels: { env: 'prod' },
      url: `${publicUrl}/monitors/${ID}`
    },
    failure: isOver ? null : { reason: 'http_status', message: 'HTTP 503', http_status: 503, response_time_ms: 120 },
    certificate: isCertificate
      ? { host: 'api.example.com', subject: null, issuer: null, not_after: now + 7 * DAY_MS, days_left: 7, threshold_days: 7 }
      : null,
    actor: event === 'acknowledged' || isOver ? 'Sam Doe' : null,
    duration_seconds: isOver ? 600 : null,
    combined: false,
    title_override: null,
    body_override: null,
    reply_code: null,
    unsubscribe_url: null,
    act_urls: null
  }
}
