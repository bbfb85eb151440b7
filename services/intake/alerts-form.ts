/**
 * Reads alerts in the form of Alertmanager's webhook, which Grafana uses too: a group has a list
 * `alerts`, and each alert has its own status, labels and start.
 *
 * Source: docs/design/inbound-sources.md#s3 and #s4.
 */
import { byText } from '../../schemas/text-order.ts'
import { batch, digest, instant, numberOf, optionalText, severityOf } from './readers.ts'
import { type Json, type SequencedEvent, type SourceInput, Unparseable } from './source.ts'

/**
 * A start further ahead than this comes from a wrong clock. It is not used as a sequence number.
 */
const AHEAD_MS = 300_000

/**
 * Returns the alerts of a group. `message` tells the sender what to do when a custom template wrote
 * the body. Logs a warning when the sender truncated the list of alerts.
 */
export function alertsOf(group: Json, message: string, warn: SourceInput['warn']): readonly unknown[] {
  if (!Array.isArray(group.alerts)) throw new Unparseable({ path: 'alerts', rule: 'custom_template', message })
  const truncated = numberOf(group.truncatedAlerts) ?? 0
  if (truncated > 0) warn('truncated_alerts', truncated)
  return batch(group.alerts, 'alerts')
}

type Status = 'firing' | 'resolved'

/**
 * Returns an alert's own status. The status of the group does not say which alerts are resolved.
 */
export function statusOf({ status }: Json, path: string): Status {
  if (status === 'firing' || status === 'resolved') return status
  throw new Unparseable({
    path: `${path}.status`,
    rule: status === undefined ? 'required' : 'enum',
    message: 'expected "firing" or "resolved"'
  })
}

/**
 * Returns the severity from the labels, the time, and the sequence number of an occurrence, which
 * is its start.
 */
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

/** Identifies an alert that has no fingerprint: a digest of all its labels, in any order. */
export const digestOfLabels = (labels: Json): string =>
  digest(JSON.stringify(Object.entries(labels).sort(([one], [other]) => byText(one, other))))
