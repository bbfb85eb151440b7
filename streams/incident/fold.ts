/**
 * Signals into incidents: walks a batch in the order of the log and returns everything that follows
 * from it.
 *
 * Loaded   for every usable key of the batch its locked `signals` row and its newest incident, and
 *          the number counters of the workspaces in which the batch may open one
 *          (services/store/incidents.ts locks and loads them)
 * Returns  rows to save, records and frames for the log, timers, and the records it refuses, with
 *          reasons
 * Several signals of one key in a batch see one another's effects. Pure: nothing loaded is changed,
 * and the same inputs give the same output.
 */
import type { Incident, IncidentEvent } from '../../schemas/generated/events.ts'
import type { Cause, Input, JobChange, Outcome, Refusal } from '../define.ts'
import { ROUTING_VERSION } from '../routing/rules.ts'
import { type Emits, outgoingOf, type Uuidv5 } from './outgoing.ts'
import { cancelReopening } from './reopening.ts'
import { type Event, reduceIncident, type Signal } from './rules.ts'
import { isByFormerKey, judge, placeOf, readSignal, rowAfter, type SignalKey, type SignalRow } from './signals.ts'
import { runsAfter } from './unapplied.ts'

/** Names a key in the maps of `Loaded`. */
export const nameOf = ({ tenant_id, dedup_key }: SignalKey): string => `${tenant_id}|${dedup_key}`

export interface Loaded {
  signals: ReadonlyMap<string, SignalRow>
  incidents: ReadonlyMap<string, Incident>
  /** Last number given out, by tenant_id. */
  counters: ReadonlyMap<string, number>
}

export interface Saved {
  signals: SignalRow[]
  /**
   * `seen`: the version that was loaded, 0 for an incident that did not exist; the store writes
   * only if the row still has it.
   */
  incidents: { incident: Incident; seen: number }[]
  events: IncidentEvent[]
  counters: { tenant_id: string; last_number: number }[]
}

export const incidentFold =
  (uuidv5: Uuidv5) =>
  (loaded: Loaded, inputs: readonly Input[]): Outcome<Emits> & { saved: Saved } => {
    const signals = new Map<string, SignalRow>()
    const newest = new Map<string, Incident>()
    const changed = new Map<string, { incident: Incident; seen: number }>()
    const counters = new Map<string, number>()
    const events: Event[] = []
    const jobs: JobChange[] = []
    const refused: Refusal[] = []

    for (const input of inputs) {
      const reading = readSignal(input)
      if ('refused' in reading) refused.push({ input, reason: reading.refused })
      if (!('signal' in reading)) continue
      const name = nameOf(reading.signal)
      const row = signals.get(name) ?? loaded.signals.get(name)
      if (!row && isByFormerKey(input)) continue // There never was such a signal: nothing to end.
      if (!row) throw new Error(`the signals row of ${name} was not loaded`)
      const before = newest.get(name) ?? loaded.incidents.get(name) ?? null
      const { tenant_id } = row
      const last = counters.get(tenant_id) ?? loaded.counters.get(tenant_id)

      const place = placeOf(input)
      const signal = judge(row, reading.signal, before, place)
      const step = reduceIncident(before, signal, {
        now: input.timestamp,
        cause: causeOf(input),
        versions: versionsOf(input),
        id: (purpose) => uuidv5(eventIdOf(input), purpose),
        number: (last ?? 0) + 1
      })
      const after = step.incident
      const rowNow = remembering(rowAfter(row, signal, after, place), signal, input)
      signals.set(name, rowNow)
      if (row.suppressed_until !== null && rowNow.suppressed_until === null) jobs.push(...cancelReopening(row))
      if (!after || after === before) continue
      if (after.incident_id !== before?.incident_id) {
        if (last === undefined) throw new Error(`the number counter of workspace ${tenant_id} was not loaded`)
        counters.set(tenant_id, after.number)
      }
      newest.set(name, after)
      const seen = changed.get(after.incident_id)?.seen ?? (after.incident_id === before?.incident_id ? before.ver : 0)
      changed.set(after.incident_id, { incident: after, seen })
      events.push(...step.events)
      jobs.push(...step.jobs)
    }

    const told = outgoingOf(events, uuidv5)
    return {
      saved: {
        signals: [...signals.values()],
        incidents: [...changed.values()],
        events: told.events,
        counters: [...counters].map(([tenant_id, last_number]) => ({ tenant_id, last_number }))
      },
      outgoing: told.outgoing,
      jobs,
      refused
    }
  }

/**
 * The row with how the signal was accepted: of what senders told alone, for theirs are listed. What
 * was put back stands where the others have passed.
 */
function remembering(row: SignalRow, { action, accepted_as }: Signal, { record, offset, redriven }: Input): SignalRow {
  if (record !== 'InboundAlert' || action === 'note' || action === 'update' || redriven) return row
  const unapplied = runsAfter(row.unapplied, accepted_as, Number(offset))
  return unapplied === row.unapplied ? row : { ...row, unapplied }
}

/** Identity of the causing record; '' only where readSignal has refused it. */
const eventIdOf = ({ value }: Input): string => ('event_id' in value ? value.event_id : '')

/** The rules add the signal itself as `input`. */
const causeOf = (input: Input): Cause => ({
  kind: 'signal',
  src: `${input.topic}:${input.partition}:${input.offset}`,
  event_id: eventIdOf(input),
  request_id: null,
  input: null
})

/**
 * Versions of the configuration that decided: routing's, and those that decided the transition
 * behind it.
 */
function versionsOf({ value }: Input): Record<string, number> {
  return 'config_versions' in value ? { ...value.config_versions, routing: ROUTING_VERSION } : { routing: ROUTING_VERSION }
}
