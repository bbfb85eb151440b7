/**
 * The part of the incident fold for alerts with rows of their own: alerts that a rule groups, and
 * alerts that a rule or a maintenance window keeps from becoming incidents.
 *
 * Joins, worse alerts and ends in one incident are gathered over the batch and become one version
 * of it, so that a thousand joins in a batch make one event and one frame. The version is made
 * earlier in two cases: before a note, and when the last alert ends, because the next alert that
 * fires opens another incident.
 *
 * An alert that a merge moved stays with the incident: if it recovers and fires again while that
 * one is ongoing, its next alert joins it, unless a rule groups or keeps that alert.
 * Source: docs/design/api/alerts-and-routing.md#groups.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { builtInDecision } from '../routing/rules.ts'
import { type AlertStepEvent, openAlert, reduceAlert } from './alerts.ts'
import { wordsForIncident } from './degraded.ts'
import { type Members, membersChanged, noChange, rank, takesBack, takesMore } from './members.ts'
import { type IncidentContext, reduceIncident, type Signal, type Step } from './rules.ts'
import type { SignalKey, SignalRow } from './signals.ts'

type Grouped = Signal & { decision: NonNullable<Signal['decision']> }

/** Whether the decision gives the alert of the signal a row of its own. */
export const hasOwnAlert = (signal: Signal): signal is Grouped =>
  signal.decision !== undefined && (!signal.decision.promote || signal.decision.group !== null)

/**
 * Returns the key of the signal's group; null: it has none. The row of this key is the lock of the
 * group's incidents. No signal has such a key.
 */
export function groupKeyOf({ tenant_id, decision }: Signal, uuidv5: (namespace: string, name: string) => string): SignalKey | null {
  if (!decision?.promote || !decision.group) return null
  return { tenant_id, dedup_key: `grp:${uuidv5(decision.group.rule_id, decision.group.key)}` }
}

/**
 * Returns the key whose row locks an incident: the group's key for an incident of a group,
 * otherwise its own key. No other key has a slash. In SQL this is LOCK_KEY in
 * services/store/incidents.ts.
 */
export const lockKeyOf = ({ dedup_key }: { dedup_key: string }): string => dedup_key.split('/', 1)[0] ?? dedup_key

/** Where the fold keeps its changes. */
export interface Ledger {
  /** The current row of a group's key. */
  group(key: SignalKey): SignalRow
  saveGroup(row: SignalRow): void
  /** Adds the storm at `now` (epoch ms), if there is one, to a signal that opens an incident. */
  stormy(signal: Signal, now: number): Signal
  /** The current state of an incident, by its id. */
  incident(incident_id: string): Incident
  /** Saves a version of an incident. A new incident takes its number from the counter. */
  saveIncident(before: Incident | null, step: Step): void
  saveAlert(before: Alert | null, after: Alert, events: readonly AlertStepEvent[]): void
}

export interface Grouping {
  /** Opens an alert with a row of its own. */
  open(signal: Grouped, context: IncidentContext): Alert
  /**
   * Opens the next alert of a key in the incident of the former one, which was moved there. Returns
   * null if that incident does not take it back.
   */
  again(former: Alert, signal: Signal, context: IncidentContext): Alert | null
  /** Applies a signal to the newest alert of its key, which has a row of its own. */
  step(alert: Alert, signal: Signal, context: IncidentContext): Alert
  /** Makes the versions that are still pending. Call it at the end of the batch. */
  finish(): void
}

interface Pending {
  members: Members
  context: IncidentContext
}

export function createGrouping(ledger: Ledger, uuidv5: (namespace: string, name: string) => string): Grouping {
  const pending = new Map<string, Pending>()

  /** The incident with what the batch has changed so far. */
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

  /**
   * Gathers for the incident of an alert a worse severity, new regions, and the words of an alert
   * whose monitor was degraded before and is down now.
   */
  function raise(incident_id: string, before: Alert | null, alert: Alert, context: IncidentContext): void {
    const { severity, affected_regions } = alert
    const incident = now(incident_id)
    const isWorse = rank[severity] > rank[incident.severity] && !incident.routing?.severity_by_rule
    const regions = affected_regions.filter((region) => !incident.affected_regions.includes(region))
    const words = before && wordsForIncident(incident, before, alert)
    if (!isWorse && regions.length === 0 && !words) return
    gather(incident_id, context, (members) => {
      if (isWorse) members.severity = severity
      members.affected_regions.push(...regions)
      if (words) members.words = words
    })
  }

  function join(incident_id: string, signal: Signal, context: IncidentContext): Alert {
    const { alert, events } = openAlert(signal, incident_id, context)
    ledger.saveAlert(null, alert, events)
    gather(incident_id, context, ({ joined }) => joined.push(alert.alert_id))
    raise(incident_id, null, alert, context)
    return alert
  }

  /** Opens a new incident with its first alert. It becomes the current incident of the group. */
  function begin(key: SignalKey, signal: Signal, context: IncidentContext): Alert {
    const incident_id = context.id('group')
    // Flapping or a failing parent of one alert says nothing about the other alerts.
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

    again({ incident_id }, signal, context) {
      if (incident_id === null || !takesBack(now(incident_id), signal.decision ?? builtInDecision(signal))) return null
      return join(incident_id, signal, context)
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
        raise(incident_id, before, alert, context)
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
