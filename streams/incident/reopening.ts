/**
 * A target that still fails never stays silent: what a person ends while it fires comes back.
 *
 * A command that ends an incident whose signal still fires leaves `suppressed_until` on the row of
 * its key. For a monitor or heartbeat, which fires once and then says nothing until it recovers, a
 * timer starts in the same step. When it is due, under the lock of the key, and the row still has
 * that suppression, a new incident opens with `reopened_from`; an alert that rules had kept from
 * being one opens again as an alert. What rules decided of the former one stands. What a
 * maintenance window had kept is an alert while a window keeps it, and an incident after that.
 * Inbound alerts need no timer: their senders repeat.
 *
 *   what happens meanwhile                     the suppression   the timer
 *   a recovery, or a later occurrence (fold)   ends              cancelled
 *   a pause or the deletion of the target      ends              cancelled
 *   nothing until it is due                    ends              opens the new incident or alert
 *
 * Source: docs/design/api/incidents.md#s5-3,
 * docs/decisions/0045-what-still-fails-opens-again-by-a-timer.md.
 */
import type { Alert, Cause, Incident } from '../../schemas/generated/events.ts'
import type { JobChange } from '../define.ts'
import type { Kept } from '../routing/outcome.ts'
import { builtInDecision } from '../routing/rules.ts'
import type { AlertReopening } from './alerts.ts'
import { type Command, type Event, endsIncident, type Signal } from './rules.ts'
import type { SignalKey, SignalRow } from './signals.ts'

/** Whether the key is of a monitor or heartbeat: of what we watch ourselves. */
export const isWatched = ({ dedup_key }: Pick<SignalKey, 'dedup_key'>): boolean => /^(?:mon|hb):/.test(dedup_key)

/** What ends an incident or an alert. */
type Ending = { command: Command['command']; until_recovered?: boolean; unwatched?: true }

/** What an ending leaves behind. */
export interface Aftermath {
  /** Epoch ms; null: nothing is suppressed. */
  suppressed_until: number | null
  jobs: JobChange[]
}

/**
 * The suppression after a command's events, and its timer: set when they ended an incident whose
 * signal still fires, else as it was. A signal that has recovered already, and a target that is
 * watched no longer, leave nothing to suppress. A resolve that does not wait for the recovery
 * suppresses nothing either: what we watch and still fails opens again at once.
 */
export function aftermathOf(row: SignalRow, command: Command, events: readonly Event[], reopen_after_seconds: number): Aftermath {
  const ended = events.find(endsIncident)
  return aftermath(row, command, ended?.at ?? null, reopen_after_seconds)
}

/** The same of one alert: `ended_at` in epoch ms, null: nothing ended. */
export function aftermath(row: SignalRow, command: Ending, ended_at: number | null, reopen_after_seconds: number): Aftermath {
  if (ended_at === null) return { suppressed_until: row.suppressed_until, jobs: [] }
  if (row.last_action !== 'fire' || (command.command === 'resolve' && command.unwatched)) return { suppressed_until: null, jobs: [] }
  const waits = command.command !== 'resolve' || command.until_recovered !== false
  if (!isWatched(row)) return { suppressed_until: waits ? ended_at + reopen_after_seconds * 1000 : null, jobs: [] }
  const suppressed_until = ended_at + (waits ? reopen_after_seconds * 1000 : 0)
  const { tenant_id, dedup_key } = row
  const timer: JobChange = {
    start: 'incident_reopen',
    idem_key: reopenKey(row),
    tenant_id,
    run_at: suppressed_until,
    payload: { dedup_key, until: suppressed_until }
  }
  return { suppressed_until, jobs: [timer] }
}

const reopenKey = ({ alert_id, incident_id }: SignalRow): string => `incident_reopen:${alert_id ?? incident_id}`

/** Takes away the timer of a row whose suppression ends before its time. */
export const cancelReopening = (row: SignalRow): JobChange[] =>
  row.suppressed_until !== null && isWatched(row) ? [{ cancel: reopenKey(row), tenant_id: row.tenant_id }] : []

/**
 * Whether the timer of the suppression that ends at `until` (epoch ms) still has something to do.
 */
export const reopens = <Ended extends Pick<Incident, 'status'>>(row: SignalRow, newest: Ended | null, until: number): newest is Ended =>
  row.last_action === 'fire' && row.suppressed_until === until && newest?.status === 'resolved'

/** Whether what ended is an alert that was kept from being an incident, and nobody promoted. */
export const isKept = (ended: Incident | Alert | null): ended is Alert => ended !== null && ended.incident_id === null

/** Whether a maintenance window kept an alert, by the stored cause of its opening. */
export function keptByWindow({ input }: Pick<Cause, 'input'>): boolean {
  if (input === null) return false
  const stored = JSON.parse(input) as Signal | AlertReopening
  const { decision } = 'command' in stored ? stored.signal : stored
  return decision?.maintenance !== undefined
}

/** What still fires, as a maintenance window keeps it. */
export const keptBy = (signal: Signal, maintenance: Kept): Signal => ({
  ...signal,
  decision: { ...(signal.decision ?? builtInDecision(signal)), promote: false, group: null, maintenance }
})

/** The row after its alert has come back as `alert_id`, without an incident. */
export const keptRow = (row: SignalRow, alert_id: string): SignalRow => ({ ...row, alert_id, suppressed_until: null })

/** The row after its incident has come back as `incident_id`. */
export const reopenedRow = (row: SignalRow, incident_id: string): SignalRow => ({
  ...row,
  incident_id,
  alert_id: null,
  suppressed_until: null
})
