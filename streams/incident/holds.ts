/**
 * The holds on an incident or an alert: the reasons why people are not notified of it.
 *
 * In       an incident or alert in its current state, what else may hold it (silences, paused
 *          targets), a time in epoch ms
 * Out      every hold in the order of decision rule 8: the first one is recorded; and whether the
 *          last hold has ended between two looks
 * Source   docs/design/api/decision-rules.md#s23-8, docs/design/api/incidents.md#s5-3
 *
 * To add a suppressor, add a function to `suppressors` at its place in the order. Every suppressor
 * holds only what is ongoing, except a rule, which holds as long as the incident exists. A pause, a
 * dependency, a mass outage or flapping does not hold an incident of a group, because other alerts
 * of it may go on. A window or a silence by a pattern holds it only while they hold all of its
 * ongoing alerts. Recoveries do not use these holds: rule 5 decides who receives them.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import type { HoldKind } from '../../schemas/http/incidents.ts'
import { coveringWindows, noWindows, type WindowSet } from '../maintenance/windows.ts'
import type { Routable } from '../routing/rules.ts'
import { matchingSilences, noSilences, type SilenceSet } from '../routing/silences.ts'
import { isOfGroup } from './members.ts'

export interface Hold {
  kind: HoldKind
  /**
   * The id of the paused target, the window, the silence or the rule. For a hold by the incident's
   * own state, the id of the incident.
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

/** A hold on the incident of one monitor because of its parent or of a mass outage. */
export interface KeptFor {
  kind: 'dependency' | 'mass_outage'
  /**
   * The parent monitor, or the incident of the mass outage; the id of the held incident itself if
   * the other one must not be named.
   */
  id: string
  /** Epoch ms: when the hold ends, if that is known. */
  until: number | null
  /** Epoch ms: when the hold ends at the latest; null: it has no time limit. */
  bound_at: number | null
}

/** What may hold incidents, apart from their own fields. */
export interface HoldFacts {
  /** Active ones. */
  silences: SilenceSet
  /** By id of the monitor or heartbeat. */
  paused: ReadonlyMap<string, PausedTarget>
  /** Maintenance windows that hold at that time. */
  windows: WindowSet
  /** By id of the incident. */
  keptFor: ReadonlyMap<string, readonly KeptFor[]>
  /** Ids of incidents with an ongoing alert that no window and no silence by a pattern holds. */
  unmuted: ReadonlySet<string>
}

/** The facts of a workspace where nothing is silenced, paused or in maintenance. */
export const noFacts: HoldFacts = {
  silences: noSilences,
  paused: new Map(),
  windows: noWindows,
  keptFor: new Map(),
  unmuted: new Set()
}

/** An incident or alert, as the suppressors look at it. */
interface Subject {
  alert: Routable
  isOngoing: boolean
  /** The monitor or heartbeat that it is about; null: none, or several. */
  target_id: string | null
  /** Null for an alert with a row of its own: silences, storms and flapping belong to incidents. */
  incident_id: string | null
  silenced_until: number | null
  storm_until: number | null
  flapping: boolean
  rule_id: string | null
  /** True for an incident of a group, and for an alert with a row of its own. */
  isGroup: boolean
}

type Suppressor = (subject: Subject, facts: HoldFacts, at: number) => Hold[]

/** The most matching silences, and the most windows, that are listed for one incident. */
export const MAX_MATCHING_SILENCES = 20

/** A hold by the incident's own state, until an instant (epoch ms). */
function until(kind: HoldKind, { isOngoing, incident_id: id }: Subject, end: number | null, at: number): Hold[] {
  return isOngoing && id !== null && end !== null && end > at ? [{ kind, id, until: end }] : []
}

const pauses: Suppressor = ({ isOngoing, target_id: id }, { paused }) => {
  const target = isOngoing && id !== null ? paused.get(id) : undefined
  return id !== null && target ? [{ kind: target.by_plan ? 'entitlement_pause' : 'pause', id, until: target.until }] : []
}

/** Whether windows and silences by a pattern may hold the subject. */
const mayBeMuted = ({ isOngoing, incident_id }: Subject, { unmuted }: HoldFacts): boolean =>
  isOngoing && (incident_id === null || !unmuted.has(incident_id))

const maintenance: Suppressor = (subject, facts, at) =>
  mayBeMuted(subject, facts)
    ? coveringWindows(facts.windows, subject.alert, at, MAX_MATCHING_SILENCES).map(({ window: { window_id }, until }) => ({
        kind: 'maintenance',
        id: window_id,
        until
      }))
    : []

const ownSilence: Suppressor = (subject, _facts, at) => until('silence', subject, subject.silenced_until, at)

const matcherSilences: Suppressor = (subject, facts, at) =>
  mayBeMuted(subject, facts)
    ? matchingSilences(facts.silences, subject.alert, at, MAX_MATCHING_SILENCES).map(({ silence_id, ends_at }) => ({
        kind: 'matcher_silence',
        id: silence_id,
        until: ends_at
      }))
    : []

/** `keptFor` lists a dependency before a mass outage. */
const keptForOthers: Suppressor = ({ isOngoing, incident_id, isGroup }, { keptFor }, at) => {
  const kept = isOngoing && incident_id !== null && !isGroup ? (keptFor.get(incident_id) ?? []) : []
  return kept.filter(({ bound_at }) => bound_at === null || bound_at > at).map(({ kind, id, until }) => ({ kind, id, until }))
}

const targetOf = ({ monitor_id, heartbeat_id }: Pick<Alert, 'monitor_id' | 'heartbeat_id'>): string | null => monitor_id ?? heartbeat_id

const storm: Suppressor = (subject, _facts, at) => until('storm', subject, subject.storm_until, at)

const rule: Suppressor = ({ rule_id }) => (rule_id === null ? [] : [{ kind: 'rule', id: rule_id, until: null }])

const flap: Suppressor = ({ isOngoing, incident_id: id, flapping }) =>
  isOngoing && id !== null && flapping ? [{ kind: 'flap', id, until: null }] : []

/** In the order of decision rule 8. One function checks the plan's pause and a person's pause. */
const suppressors: readonly Suppressor[] = [pauses, maintenance, ownSilence, matcherSilences, keptForOthers, storm, rule, flap]

const holds = (subject: Subject, facts: HoldFacts, at: number): Hold[] => suppressors.flatMap((one) => one(subject, facts, at))

/** Never throws. */
export function holdsOf(incident: Incident, facts: HoldFacts, at: number): Hold[] {
  const { incident_id, original_title, routing, silenced_until, storm_until, flapping, status } = incident
  const isGroup = isOfGroup(incident)
  // Silences match the original title: an edit must not end or begin a silence.
  const alert = original_title === null ? incident : { ...incident, title: original_title }
  const subject: Subject = {
    alert,
    isOngoing: status === 'ongoing',
    target_id: isGroup ? null : targetOf(incident),
    incident_id,
    silenced_until,
    storm_until,
    flapping: flapping && !isGroup,
    rule_id: routing?.suppressed_by_rule_id ?? null,
    isGroup
  }
  return holds(subject, facts, at)
}

/** Like holdsOf, for an alert with a row of its own. It has no silence, storm or flapping. */
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

const isMute = ({ kind }: Hold): boolean => kind === 'maintenance' || kind === 'matcher_silence'

/** Whether a window or a silence by a pattern holds an incident that may have other alerts. */
export const isMutedGroup = (incident: Incident, facts: HoldFacts, at: number): boolean =>
  isOfGroup(incident) && incident.alert_count > 1 && holdsOf(incident, facts, at).some(isMute)

/** Whether no window and no silence by a pattern holds, or would hold if it went on, an alert. */
export const isUnmuted = (alert: Alert, facts: Pick<HoldFacts, 'silences' | 'windows'>, at: number): boolean =>
  !holdsOfAlert({ ...alert, status: 'ongoing' }, { ...noFacts, ...facts }, at).some(isMute)

/** The state of an incident at one time. */
export interface Look {
  incident: Incident
  facts: HoldFacts
  /** Epoch ms. */
  at: number
}

/**
 * Whether the last hold of an ongoing incident has ended between two looks at it. The cause may be
 * a change of the incident, a change of what else holds it, or time alone.
 */
export const releases = (before: Look, after: Look): boolean =>
  after.incident.status === 'ongoing' &&
  holdsOf(before.incident, before.facts, before.at).length > 0 &&
  holdsOf(after.incident, after.facts, after.at).length === 0
