/**
 * What keeps people from being told of an incident or an alert.
 *
 * In       an incident or alert as it stands, what else may hold it (silences, paused targets), a
 *          time in epoch ms
 * Out      every hold in the order of decision rule 8: the first is the one that is recorded; and
 *          whether the last one has ended between two looks
 * Source   docs/design/api/decision-rules.md#s23-8, docs/design/api/incidents.md#s5-3
 *
 * A new suppressor is a function in `suppressors`, at its place in the order. All hold what is
 * ongoing, but for a rule's word, which stands as long as the incident. An incident of a group is
 * held by no pause, no dependency, no mass outage and no flapping: others of its alerts go on.
 * Recoveries do not ask here: rule 5 decides who receives them.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import type { HoldKind } from '../../schemas/http/incidents.ts'
import { coveringWindows, noWindows, type WindowSet } from '../maintenance/windows.ts'
import type { Routable } from '../routing/rules.ts'
import { matchingSilences, noSilences, type SilenceSet } from '../routing/silences.ts'

export interface Hold {
  kind: HoldKind
  /**
   * Of the paused target, the window, the silence or the rule; of the incident for what is its
   * own.
   */
  id: string
  /** Epoch ms; null: no end is known. */
  until: number | null
}

/** A monitor or heartbeat that is paused. */
export interface PausedTarget {
  /** The plan of the workspace paused it. */
  by_plan: boolean
  /** Epoch ms; null: no end is known. */
  until: number | null
}

/** What holds the incident of one monitor for the sake of others. */
export interface KeptFor {
  kind: 'dependency' | 'mass_outage'
  /**
   * The monitor that it depends on, or the incident of the mass outage; the incident itself, where
   * that is not to be named.
   */
  id: string
  /** Epoch ms: its end, where one is known. */
  until: number | null
  /** Epoch ms: it holds no longer, whatever comes; null: it is ended. */
  bound_at: number | null
}

/** What may hold incidents beside what they say themselves. */
export interface HoldFacts {
  /** Active ones. */
  silences: SilenceSet
  /** By id of the monitor or heartbeat. */
  paused: ReadonlyMap<string, PausedTarget>
  /** Maintenance windows that hold at that time. */
  windows: WindowSet
  /** By id of the incident. */
  keptFor: ReadonlyMap<string, readonly KeptFor[]>
}

/** Of a workspace where nothing is silenced, paused or in maintenance. */
export const noFacts: HoldFacts = { silences: noSilences, paused: new Map(), windows: noWindows, keptFor: new Map() }

/** An incident or alert, as the suppressors look at it. */
interface Subject {
  alert: Routable
  isOngoing: boolean
  /** What it watches, where that is one; null: nothing, or several. */
  target_id: string | null
  /** Null for an alert with a row of its own: what follows is an incident's. */
  incident_id: string | null
  silenced_until: number | null
  storm_until: number | null
  flapping: boolean
  rule_id: string | null
  /** It is one of several alerts, or has several. */
  isGroup: boolean
}

type Suppressor = (subject: Subject, facts: HoldFacts, at: number) => Hold[]

/** Of the silences by a pattern that hold one incident, so many are named, and of the windows. */
export const MAX_MATCHING_SILENCES = 20

/** Of the incident itself, until an instant. */
function until(kind: HoldKind, { isOngoing, incident_id: id }: Subject, end: number | null, at: number): Hold[] {
  return isOngoing && id !== null && end !== null && end > at ? [{ kind, id, until: end }] : []
}

const pauses: Suppressor = ({ isOngoing, target_id: id }, { paused }) => {
  const target = isOngoing && id !== null ? paused.get(id) : undefined
  return id !== null && target ? [{ kind: target.by_plan ? 'entitlement_pause' : 'pause', id, until: target.until }] : []
}

const maintenance: Suppressor = ({ isOngoing, alert }, { windows }, at) =>
  isOngoing
    ? coveringWindows(windows, alert, at, MAX_MATCHING_SILENCES).map(({ window: { window_id }, until }) => ({
        kind: 'maintenance',
        id: window_id,
        until
      }))
    : []

const ownSilence: Suppressor = (subject, _facts, at) => until('silence', subject, subject.silenced_until, at)

const matcherSilences: Suppressor = ({ isOngoing, alert }, { silences }, at) =>
  isOngoing
    ? matchingSilences(silences, alert, at, MAX_MATCHING_SILENCES).map(({ silence_id, ends_at }) => ({
        kind: 'matcher_silence',
        id: silence_id,
        until: ends_at
      }))
    : []

/** A dependency comes before a mass outage, as facts have them. */
const keptForOthers: Suppressor = ({ isOngoing, incident_id, isGroup }, { keptFor }, at) => {
  const kept = isOngoing && incident_id !== null && !isGroup ? (keptFor.get(incident_id) ?? []) : []
  return kept.filter(({ bound_at }) => bound_at === null || bound_at > at).map(({ kind, id, until }) => ({ kind, id, until }))
}

const targetOf = ({ monitor_id, heartbeat_id }: Pick<Alert, 'monitor_id' | 'heartbeat_id'>): string | null => monitor_id ?? heartbeat_id

const storm: Suppressor = (subject, _facts, at) => until('storm', subject, subject.storm_until, at)

const rule: Suppressor = ({ rule_id }) => (rule_id === null ? [] : [{ kind: 'rule', id: rule_id, until: null }])

const flap: Suppressor = ({ isOngoing, incident_id: id, flapping }) =>
  isOngoing && id !== null && flapping ? [{ kind: 'flap', id, until: null }] : []

/** In the order of decision rule 8; the plan's pause and a person's are one look. */
const suppressors: readonly Suppressor[] = [pauses, maintenance, ownSilence, matcherSilences, keptForOthers, storm, rule, flap]

const holds = (subject: Subject, facts: HoldFacts, at: number): Hold[] => suppressors.flatMap((one) => one(subject, facts, at))

/** Never throws. */
export function holdsOf(incident: Incident, facts: HoldFacts, at: number): Hold[] {
  const { incident_id, original_title, routing, silenced_until, storm_until, flapping, status, ongoing_alerts } = incident
  // The title that it came with: an edit for people must not end or begin a silence.
  const alert = original_title === null ? incident : { ...incident, title: original_title }
  const subject: Subject = {
    alert,
    isOngoing: status === 'ongoing',
    target_id: ongoing_alerts === null ? targetOf(incident) : null,
    incident_id,
    silenced_until,
    storm_until,
    flapping: flapping && ongoing_alerts === null,
    rule_id: routing?.suppressed_by_rule_id ?? null,
    isGroup: ongoing_alerts !== null
  }
  return holds(subject, facts, at)
}

/** As holdsOf; an alert has no silence of its own, and no storm or flapping that it knows of. */
export function holdsOfAlert(alert: Alert, facts: HoldFacts, at: number): Hold[] {
  const subject: Subject = {
    alert,
    isOngoing: alert.status === 'ongoing',
    target_id: targetOf(alert),
    incident_id: null,
    silenced_until: null,
    storm_until: null,
    flapping: false,
    rule_id: alert.routing?.suppressed_by_rule_id ?? null,
    isGroup: true
  }
  return holds(subject, facts, at)
}

/** One look at an incident. */
export interface Look {
  incident: Incident
  facts: HoldFacts
  /** Epoch ms. */
  at: number
}

/**
 * Whether the last hold of an ongoing incident has ended between two looks at it: by a change of
 * the incident, of what else holds it, or by time alone.
 */
export const releases = (before: Look, after: Look): boolean =>
  after.incident.status === 'ongoing' &&
  holdsOf(before.incident, before.facts, before.at).length > 0 &&
  holdsOf(after.incident, after.facts, after.at).length === 0
