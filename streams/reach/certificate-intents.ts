/**
 * Decides which channels are notified that a certificate ends, and that it was renewed. Pure.
 *
 * In       the certificate to report, the channels that may be notified, who was notified before
 * Out      intents, sent or suppressed with the cause; a repeated decision creates no second intent
 * Source   docs/design/api/notifications.md#certificates
 *
 *   ends soon, has ended   `ssl_expiry`   channels of the monitor, else default ones, that want it
 *   over                   `up`           every notified channel that still exists
 */
import type { IntentEvent, IntentReason } from '../../schemas/http/notification-words.ts'
import type { Intent, SaidCertificate } from '../define.ts'

const KEPT_MS = 24 * 3_600_000
/** Values of `min_severity` with which a channel receives `ssl_expiry`, which is a warning. */
const WANTED = ['warning', 'info']

export interface CertificateChannel {
  channel_id: string
  kind: string
  events: readonly IntentEvent[]
  min_severity: string
  /** The channel is enabled and has not been turned off. */
  works: boolean
  /** The channel may receive data of the monitor's team. */
  may_hear: boolean
}

export interface CertificateTelling {
  tenant_id: string
  workspace: { name: string; slug: string }
  certificate: SaidCertificate
  /** True for channels of the monitor itself, false for the default channels. */
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

/**
 * The words of `ssl_expiry` come from each kind of channel or from a template, so they are empty
 * here.
 */
export const expiryIntents = (telling: CertificateTelling): Intent[] =>
  telling.channels
    .filter(({ events, min_severity }) => events.includes('ssl_expiry') && WANTED.includes(min_severity))
    .map((channel) => intentOf(telling, channel, 'ssl_expiry', telling.own_channels ? 'rule' : 'default_channel', { title: '', body: '' }))

const endWords: Readonly<Record<'renewed' | 'unwatched', (name: string) => { title: string; body: string }>> = {
  renewed: (name) => ({ title: `The certificate of ${name} is renewed`, body: '' }),
  unwatched: (name) => ({ title: `The certificate of ${name} is not watched any more`, body: 'Nobody will be told when it ends.' })
}

/** Closes the earlier notification, whatever events a channel wants. */
export const overIntents = (telling: CertificateTelling, why: 'renewed' | 'unwatched'): Intent[] =>
  telling.channels.map((channel) => intentOf(telling, channel, 'up', 'told_before', endWords[why](telling.certificate.monitor.name)))
