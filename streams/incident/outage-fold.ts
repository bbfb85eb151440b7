/**
 * The part of the incident fold for mass outages. Everything that a batch says about one is
 * gathered and becomes one version of its incident, so that five hundred monitors in a batch make
 * one event and one frame.
 * Source: docs/design/api/decision-rules.md#s23-7.
 */
import type { Incident, MonitorTransition } from '../../schemas/generated/events.ts'
import type { Input } from '../define.ts'
import { cameUp, noOutage, type Outage, type OutageSettings, wentDown } from './outages.ts'
import { type IncidentContext, reduceIncident, type Signal, type Step } from './rules.ts'
import { fromOutage, type SignalRow } from './signals.ts'

/** Where the fold keeps its changes. */
export interface OutageLedger {
  /** The row of the workspace's mass outages; undefined: it was not loaded for this batch. */
  outageRow(tenant_id: string): SignalRow | undefined
  saveOutageRow(row: SignalRow): void
  /** The newest mass outage of the workspace. */
  newestOutage(tenant_id: string): Incident | null
  saveOutage(before: Incident | null, step: Step): void
}

export interface OutageOptions {
  settings: ReadonlyMap<string, OutageSettings>
  /** The context of a record. An incident that it opens takes the next number of the workspace. */
  contextOf(input: Input): IncidentContext
  /** The signal with the decision of the workspace's rules. */
  routed(signal: Signal, at: number): Signal
  /** Whether a maintenance window covers the signal. */
  isCovered(signal: Signal, at: number): boolean
}

export interface Outages {
  /** Adds the mass outage, if there is one, to a signal of a monitor that opens an incident. */
  down<Opening extends Signal>(signal: Opening, input: Input): Opening
  /**
   * Takes any record. If its monitor is no longer down, the monitor is no longer part of the mass
   * outage.
   */
  up(input: Input): void
  /** Makes the versions that are still pending. Call it at the end of the batch. */
  finish(): void
}

interface Pending {
  saved: Outage
  now: Outage
  /** The last record that changed it. */
  input: Input
}

/**
 * Whether the monitor counts: it is down, two or more regions check it, everybody may see it, and
 * nothing else keeps people from being notified.
 */
function counts(
  signal: Signal,
  value: MonitorTransition,
  { private_team_ids }: OutageSettings,
  isCovered: OutageOptions['isCovered'],
  at: number
): boolean {
  const { team_id, visibility } = signal.decision ?? signal
  const muted = signal.decision?.suppressed_by ?? null
  if (value.status !== 'down' || value.vote.configured < 2 || signal.flapping || signal.waits || muted !== null) return false
  if (visibility !== 'org' || (team_id !== null && private_team_ids.includes(team_id))) return false
  return !isCovered(signal, at)
}

export function createOutages(
  ledger: OutageLedger,
  { settings, contextOf, routed, isCovered }: OutageOptions,
  uuidv5: (namespace: string, name: string) => string
): Outages {
  const pending = new Map<string, Pending>()

  /** What the workspace remembers. A mass outage that a person has ended is over. */
  function begin(tenant_id: string, input: Input): Pending | null {
    const known = pending.get(tenant_id)
    if (known) return known
    const row = ledger.outageRow(tenant_id)
    if (!row) return null
    const saved = row.facts?.outage ?? noOutage
    const newest = ledger.newestOutage(tenant_id)
    const goesOn = saved.ongoing !== null && newest?.incident_id === saved.ongoing.incident_id && newest.status === 'ongoing'
    const now = goesOn ? saved : { downs: saved.downs, ongoing: null }
    const fresh = { saved, now, input }
    pending.set(tenant_id, fresh)
    return fresh
  }

  function flush(tenant_id: string, { saved, now, input }: Pending): void {
    const row = ledger.outageRow(tenant_id)
    if (!row || (now.downs === saved.downs && now.ongoing === saved.ongoing)) return
    const { ongoing } = now
    if (ongoing && ongoing !== saved.ongoing) {
      const before = ledger.newestOutage(tenant_id)
      const begins = before?.incident_id !== ongoing.incident_id
      tell(before, fromOutage(tenant_id, ongoing, begins ? 'fire' : 'update', input.timestamp), input)
      const open = ledger.newestOutage(tenant_id)
      if (ongoing.failing.length === 0) tell(open, fromOutage(tenant_id, ongoing, 'resolve', input.timestamp), input)
    }
    const outage = ongoing?.failing.length === 0 ? { downs: now.downs, ongoing: null } : now
    ledger.saveOutageRow({ ...row, incident_id: ongoing?.incident_id ?? row.incident_id, facts: { ...row.facts, outage } })
  }

  /** A mass outage is never grouped, and no rule keeps it from being an incident. */
  function tell(before: Incident | null, signal: Signal, input: Input): void {
    const { decision, ...asked } = routed(signal, input.timestamp)
    const whole = decision ? { ...asked, decision: { ...decision, promote: true, group: null } } : asked
    ledger.saveOutage(before, reduceIncident(before, whole, contextOf(input)))
  }

  return {
    down(signal, input) {
      const own = settings.get(signal.tenant_id)
      if (!own || input.record !== 'MonitorTransition') return signal
      const { value, timestamp: at } = input
      if (!counts(signal, value, own, isCovered, at)) return signal
      const found = begin(signal.tenant_id, input)
      if (!found) return signal
      const monitor = { id: value.monitor_id, name: value.name, at, regions: signal.affected_regions }
      const now = wentDown(found.now, monitor, own, uuidv5(value.event_id, 'outage'))
      pending.set(signal.tenant_id, { ...found, now, input })
      return now.ongoing ? { ...signal, bundled_into: now.ongoing.incident_id } : signal
    },

    up(input) {
      if (input.record !== 'MonitorTransition') return
      const { tenant_id, monitor_id, status } = input.value
      if (status === 'down' || status === 'unknown') return
      const found = begin(tenant_id, input)
      const now = found && cameUp(found.now, monitor_id)
      if (!found || now === null || now === found.now) return
      const after = { ...found, now, input }
      pending.set(tenant_id, after)
      if (now.ongoing?.failing.length !== 0) return
      // A monitor that goes down later in the batch starts a new count.
      flush(tenant_id, after)
      pending.delete(tenant_id)
    },

    finish() {
      for (const [tenant_id, one] of pending) flush(tenant_id, one)
      pending.clear()
    }
  }
}
