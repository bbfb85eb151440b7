/**
 * Which channels are told of a certificate that ends, and of its renewal. Pure.
 *
 * In       the certificate as it is said, the channels that may be told, who was told before
 * Out      intents, sent or suppressed with the cause; deciding again makes no second one
 * Source   docs/design/api/notifications.md#certificates
 *
 *   ends soon, has ended   `ssl_expiry`   channels of the monitor, else the default ones, that want it
 *   over                   `up`           every channel that was told and is still there
 */
import type { IntentEvent, IntentReason } from '../../schemas/http/notification-words.ts'
import type { Intent, SaidCertificate } from '../define.ts'

const KEPT_MS = 24 * 3_600_000
/** Of `ssl_expiry`: a warning. */
const WANTED = ['warning', 'info']

export interface CertificateChannel {
  channel_id: string
  kind: string
  events: readonly IntentEvent[]
  min_severity: string
  /** Enabled, and not turned off. */
  works: boolean
  /** It may hear of what is the monitor's team's. */
  may_hear: boolean
}

export interface CertificateTelling {
  tenant_id: string
  workspace: { name: string; slug: string }
  certificate: SaidCertificate
  /** Of the monitor itself, or null: the default ones. */
  own_channels: boolean
  channels: readonly CertificateChannel[]
  team_id: string | null
  visibility: Intent['visibility']
  /** Epoch ms. */
  at: number
  uuidv5(namespace: string, name: string): string
}

function intentOf(
  { tenant_id, workspace, certificate, team_id, visibility, at, uuidv5 }: CertificateTelling,
  { channel_id, kind, works, may_hear }: CertificateChannel,
  event: 'ssl_expiry' | 'up',
  by: IntentReason,
  words: { title: string; body: string }
): Intent {
  const { monitor, threshold_days } = certificate
  return {
    tenant_id,
    intent_id: uuidv5(certificate.event_id, channel_id),
    incident_id: null,
    incident_ver: null,
    event,
    escalation: null,
    target: { channel_id },
    method_id: null,
    method_kind: kind,
    urgency: 'default',
    why: { by, monitor_id: monitor.id, threshold_days },
    suppressed_by: !works ? 'disabled' : may_hear ? null : 'not_visible',
    suppressed_cause: null,
    team_id,
    visibility,
    at,
    due_at: at,
    expires_at: at + KEPT_MS,
    said: { ...words, path: `/monitors/${monitor.id}`, workspace, certificate }
  }
}

/** The words of `ssl_expiry` are those of each kind of channel, or of a template. */
export const expiryIntents = (telling: CertificateTelling): Intent[] =>
  telling.channels
    .filter(({ events, min_severity }) => events.includes('ssl_expiry') && WANTED.includes(min_severity))
    .map((channel) => intentOf(telling, channel, 'ssl_expiry', telling.own_channels ? 'rule' : 'default_channel', { title: '', body: '' }))

const endWords: Readonly<Record<'renewed' | 'unwatched', (name: string) => { title: string; body: string }>> = {
  renewed: (name) => ({ title: `The certificate of ${name} is renewed`, body: '' }),
  unwatched: (name) => ({ title: `The certificate of ${name} is not watched any more`, body: 'Nobody will be told when it ends.' })
}

/** Whatever events a channel wants: what it was told of is closed. */
export const overIntents = (telling: CertificateTelling, why: 'renewed' | 'unwatched'): Intent[] =>
  telling.channels.map((channel) => intentOf(telling, channel, 'up', 'told_before', endWords[why](telling.certificate.monitor.name)))
