/**
 * Reopening: an incident that a person ends while its target still fails comes back later, so that
 * a failing target never stays silent.
 *
 * A command that ends an incident whose signal still fires sets `suppressed_until` on the row of
 * its key. A monitor or heartbeat fires once and then says nothing until it recovers, so for these
 * the same step also starts a timer. When the timer is due, it takes the lock of the key. If the
 * row still has that suppression, a new incident opens with `reopened_from`. An alert that rules
 * had kept from becoming an incident opens again as an alert. What the rules decided for the former
 * one stands. An alert that a maintenance window had kept stays an alert while a window keeps it,
 * and becomes an incident after that. Inbound alerts need no timer, because their senders repeat;
 * a fire that is worse than what the person ended does not wait at all (signals.ts).
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

/** Whether the key is of a monitor or heartbeat, which we check ourselves. */
export const isWatched = ({ dedup_key }: Pick<SignalKey, 'dedup_key'>): boolean => /^(?:mon|hb):/.test(dedup_key)

/** The command that ends an incident or an alert. */
type Ending = { command: Command['command']; until_recovered?: boolean; unwatched?: true }

/** The suppression and the jobs that an ending leaves behind. */
export interface Aftermath {
  /** Epoch ms; null: nothing is suppressed. */
  suppressed_until: number | null
  jobs: JobChange[]
}

/**
 * Returns the suppression after a command's events, and its timer. They are set if the command
 * ended an incident whose signal still fires; otherwise the suppression stays as it was. Nothing is
 * suppressed if the signal has already recovered or the target is no longer watched. A resolve that
 * does not wait for the recovery suppresses nothing either: a target that we watch and that still
 * fails opens again at once.
 */
export function aftermathOf(row: SignalRow, command: Command, events: readonly Event[], reopen_after_seconds: number): Aftermath {
  const ended = events.find(endsIncident)
  return aftermath(row, command, ended?.at ?? null, reopen_after_seconds)
}

/** The same for one alert. `ended_at`: epoch ms; null: nothing ended. */
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

/** Cancels the timer of a row whose suppression ends early. */
export const cancelReopening = (row: SignalRow): JobChange[] =>
  row.suppressed_until !== null && isWatched(row) ? [{ cancel: reopenKey(row), tenant_id: row.tenant_id }] : []

/** Whether the timer of the suppression that ends at `until` (epoch ms) still has work to do. */
export const reopens = <Ended extends Pick<Incident, 'status'>>(row: SignalRow, newest: Ended | null, until: number): newest is Ended =>
  row.last_action === 'fire' && row.suppressed_until === until && newest?.status === 'resolved'

/**
 * Whether the ended item is an alert that was kept from becoming an incident and was never
 * promoted.
 */
export const isKept = (ended: Incident | Alert | null): ended is Alert => ended !== null && ended.incident_id === null

/** Whether a maintenance window kept an alert. Reads the stored cause of its opening. */
export function keptByWindow({ input }: Pick<Cause, 'input'>): boolean {
  if (input === null) return false
  const stored = JSON.parse(input) as Signal | AlertReopening
  const { decision } = 'command' in stored ? stored.signal : stored
  return decision?.maintenance !== undefined
}

/** The signal that still fires, with the decision that a maintenance window keeps its alert. */
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
