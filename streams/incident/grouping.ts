/**
 * The part of the incident fold that knows alerts with rows of their own: those that a rule groups,
 * and those that a rule keeps from becoming incidents.
 *
 * What joins, gets worse or ends in an incident is gathered over the batch and becomes one version
 * of it, so that a batch of a thousand joins makes one event and one frame. The version is made
 * before the end of the batch only where the last alert ends, for what fires next opens another
 * incident.
 * Source: docs/design/api/alerts-and-routing.md#groups.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { type AlertStepEvent, openAlert, reduceAlert } from './alerts.ts'
import { type Members, membersChanged, noChange, rank, takesMore } from './members.ts'
import { type IncidentContext, reduceIncident, type Signal, type Step } from './rules.ts'
import type { SignalKey, SignalRow } from './signals.ts'

type Grouped = Signal & { decision: NonNullable<Signal['decision']> }

/** Whether the rules give its alert a row of its own. */
export const hasOwnAlert = (signal: Signal): signal is Grouped =>
  signal.decision !== undefined && (!signal.decision.promote || signal.decision.group !== null)

/** The key of a group: its row is the lock of its incidents. No signal has such a key. */
export function groupKeyOf({ tenant_id, decision }: Signal, uuidv5: (namespace: string, name: string) => string): SignalKey | null {
  if (!decision?.promote || !decision.group) return null
  return { tenant_id, dedup_key: `grp:${uuidv5(decision.group.rule_id, decision.group.key)}` }
}

/**
 * The key whose row locks an incident: its own, and of a group's that of the group. No other key
 * has a slash. SQL has it as LOCK_KEY in services/store/incidents.ts.
 */
export const lockKeyOf = ({ dedup_key }: { dedup_key: string }): string => dedup_key.split('/', 1)[0] ?? dedup_key

/** Where the fold keeps what it changed. */
export interface Ledger {
  /** The row of a group's key, as it is now. */
  group(key: SignalKey): SignalRow
  saveGroup(row: SignalRow): void
  /** The signal that opens an incident at `now` (epoch ms), with the storm that it falls into. */
  stormy(signal: Signal, now: number): Signal
  /** An incident by its id, as it is now. */
  incident(incident_id: string): Incident
  /** A version of an incident; a new one takes its number from the counter. */
  saveIncident(before: Incident | null, step: Step): void
  saveAlert(before: Alert | null, after: Alert, events: readonly AlertStepEvent[]): void
}

export interface Grouping {
  /** A signal opens an alert of its own. */
  open(signal: Grouped, context: IncidentContext): Alert
  /** A signal of a key whose newest alert has a row. */
  step(alert: Alert, signal: Signal, context: IncidentContext): Alert
  /** Makes the versions that are due. Call it at the end of the batch. */
  finish(): void
}

interface Pending {
  members: Members
  context: IncidentContext
}

export function createGrouping(ledger: Ledger, uuidv5: (namespace: string, name: string) => string): Grouping {
  const pending = new Map<string, Pending>()

  /** An incident with what the batch has said so far. */
  function now(incident_id: string): Incident {
    const incident = ledger.incident(incident_id)
    const gathered = pending.get(incident_id)
    return gathered ? membersChanged(incident, gathered.members) : incident
  }

  function flush(incident_id: string): void {
    const gathered = pending.get(incident_id)
    if (!gathered) return
    pending.delete(incident_id)
    const before = ledger.incident(incident_id)
    const ids = new Set([...gathered.members.joined, ...gathered.members.ended])
    const alert_id = ids.size === 1 ? ([...ids][0] ?? null) : null
    ledger.saveIncident(before, reduceIncident(before, { ...gathered.members, alert_id }, gathered.context))
  }

  function gather(incident_id: string, context: IncidentContext, change: (members: Members) => void): void {
    const members = pending.get(incident_id)?.members ?? noChange()
    change(members)
    pending.set(incident_id, { members, context })
  }

  /** What the incident hears of an alert that is worse, or fails elsewhere, too. */
  function raise(incident_id: string, { severity, affected_regions }: Alert, context: IncidentContext): void {
    const incident = now(incident_id)
    const isWorse = rank[severity] > rank[incident.severity] && !incident.routing?.severity_by_rule
    const regions = affected_regions.filter((region) => !incident.affected_regions.includes(region))
    if (!isWorse && regions.length === 0) return
    gather(incident_id, context, (members) => {
      if (isWorse) members.severity = severity
      members.affected_regions.push(...regions)
    })
  }

  function join(incident_id: string, signal: Signal, context: IncidentContext): Alert {
    const { alert, events } = openAlert(signal, incident_id, context)
    ledger.saveAlert(null, alert, events)
    gather(incident_id, context, ({ joined }) => joined.push(alert.alert_id))
    raise(incident_id, alert, context)
    return alert
  }

  /** The first alert of an incident: it takes the group over. */
  function begin(key: SignalKey, signal: Signal, context: IncidentContext): Alert {
    const incident_id = context.id('group')
    // Whether one of its alerts flaps, or depends on what fails, says nothing of the others.
    const { flapping: _flapping, waits: _waits, ...steady } = ledger.stormy(signal, context.now)
    const opens_group = { incident_id, dedup_key: `${key.dedup_key}/${incident_id}` }
    ledger.saveIncident(null, reduceIncident(null, { ...steady, opens_group }, context))
    ledger.saveGroup({ ...ledger.group(key), incident_id })
    const { alert, events } = openAlert(signal, incident_id, context)
    ledger.saveAlert(null, alert, events)
    return alert
  }

  return {
    open(signal, context) {
      const { decision } = signal
      const key = groupKeyOf(signal, uuidv5)
      if (!key || !decision.group) {
        const { alert, events } = openAlert(signal, null, context)
        ledger.saveAlert(null, alert, events)
        return alert
      }
      const { incident_id } = ledger.group(key)
      const current = incident_id === null ? null : now(incident_id)
      return takesMore(current, { ...decision, group: decision.group }, context.now)
        ? join(current.incident_id, signal, context)
        : begin(key, signal, context)
    },

    step(before, signal, context) {
      const { alert, events } = reduceAlert(before, signal, context)
      if (events.length > 0) ledger.saveAlert(before, alert, events)
      const { incident_id } = alert
      if (incident_id === null || before.status !== 'ongoing') return alert
      if (signal.action === 'note') {
        flush(incident_id)
        const incident = ledger.incident(incident_id)
        ledger.saveIncident(incident, reduceIncident(incident, signal, context))
        return alert
      }
      if (events.length === 0) return alert
      if (alert.status === 'ongoing') {
        raise(incident_id, alert, context)
        return alert
      }
      gather(incident_id, context, (members) => {
        members.ended.push(alert.alert_id)
        members.reason = alert.resolution_reason ?? 'recovered'
        members.comment = events[0]?.comment ?? null
      })
      if (now(incident_id).ongoing_alerts === 0) flush(incident_id)
      return alert
    },

    finish() {
      for (const incident_id of [...pending.keys()]) flush(incident_id)
    }
  }
}
