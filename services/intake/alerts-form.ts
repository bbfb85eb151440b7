/**
 * Alerts in the form of Alertmanager's webhook, which Grafana's have, too: `alerts` of a group,
 * each with its own status, labels and start.
 * Source: docs/design/inbound-sources.md#s3 and #s4.
 */
import { batch, digest, instant, numberOf, optionalText, severityOf } from './readers.ts'
import { type Json, type SequencedEvent, type SourceInput, Unparseable } from './source.ts'

/** A start further ahead is the fault of a clock, and no number to order by. */
const AHEAD_MS = 300_000

/**
 * The alerts of a group; `message` says what to do about a body that the sender's own template did
 * not write. Alerts that the sender cut off are warned of.
 */
export function alertsOf(group: Json, message: string, warn: SourceInput['warn']): readonly unknown[] {
  if (!Array.isArray(group.alerts)) throw new Unparseable({ path: 'alerts', rule: 'custom_template', message })
  const truncated = numberOf(group.truncatedAlerts) ?? 0
  if (truncated > 0) warn('truncated_alerts', truncated)
  return batch(group.alerts, 'alerts')
}

type Status = 'firing' | 'resolved'

/** An alert's own status; the group's says nothing of it. */
export function statusOf({ status }: Json, path: string): Status {
  if (status === 'firing' || status === 'resolved') return status
  throw new Unparseable({
    path: `${path}.status`,
    rule: status === undefined ? 'required' : 'enum',
    message: 'expected "firing" or "resolved"'
  })
}

/** How bad it is by its labels, and when: an occurrence is known by its start. */
export function occurrenceOf(
  alert: Json,
  status: Status,
  labels: Json,
  received_at: number
): Pick<SequencedEvent, 'severity' | 'source_severity' | 'occurred_at' | 'sequence'> {
  const started = instant(alert.startsAt)
  const word = optionalText(labels.severity) ?? optionalText(labels.priority)
  return {
    severity: severityOf(word),
    source_severity: word,
    occurred_at: status === 'firing' ? started : instant(alert.endsAt),
    sequence: started !== null && started <= received_at + AHEAD_MS ? started : null
  }
}

/** What tells alerts apart that came without a fingerprint: all their labels, in whatever order. */
export const digestOfLabels = (labels: Json): string =>
  digest(JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))))
