/**
 * Reads a record as a signal of its key, and decides whether the signal is applied, or is late,
 * repeated or suppressed.
 *
 * In       a record of the three topics, and the key's `signals` row, which outlives its incidents
 * Out      the Signal that rules.ts sees, and the row after the signal
 * Source   docs/design/architecture.md#s6-signals-and-incidents,
 *          docs/design/inbound-sources.md#s1-3, docs/design/api/incidents.md#s5-3 and
 *          docs/design/api/alerts-and-routing.md#s6-1
 *
 * A signal is compared with the last applied one of its key, whether or not an incident is open.
 * The first row that fits says how it is accepted:
 *   repeat       the same again, by order.ts; but see "not heard of" below
 *   older        from before the last applied one, by order.ts
 *   suppressed   a fire that was received before `suppressed_until`, without a later sequence, and
 *                not worse than what a person ended (see "worse" below)
 *   applied      any other
 * Only an applied signal acts on an incident. Every signal counts: `occurrences` grows and
 * `last_seen_at` moves. A note and an update say nothing about the condition. They are compared
 * with nothing, are always applied, and leave the row as it is.
 *
 * The row's states, by last_action, incident and suppressed_until:
 *   state        last_action  newest incident  suppressed_until   leaves it
 *   new          null         none             null               fire → firing; resolve → clear
 *   firing       fire         ongoing          null               resolve → clear; a person resolves or closes → quiet (or ended, see below)
 *   clear        resolve      none, resolved   null               fire → firing, a new incident
 *   quiet        fire         resolved         set                resolve → clear; a fire with a later sequence, a worse one, or one after
 *                                                                 suppressed_until → firing, a new
 *                                                                 incident with reopened_from; any
 *                                                                 other fire is suppressed and
 *                                                                 moves nothing
 *   ended        fire         resolved         null               as quiet, but already over: a person resolved it and asked not to wait for the recovery, or
 *                                                                 the target was paused or deleted
 *
 * A monitor or heartbeat also leaves the state quiet by a timer (reopening.ts). A repeat of the
 * same sequence never reopens, because the row for repeat comes first. A suppressed fire does not
 * become the last applied one, so a recovery from before it still ends the suppression. The time at
 * which a fire was received counts, not the time at which it is read or redriven.
 *
 * Worse: a person who resolves a warning has said nothing about a critical failure. So a fire of an
 * inbound alert is not suppressed if its severity is higher than that of every fire that the ended
 * incident or alert had. What the source says counts, not the severity that a rule or a person
 * gave. The row keeps it (`facts.worst`).
 *
 * Not heard of: a sweep ends an alert whose sender was silent for too long (`auto_timeout`). If the
 * sender then says once more that it fires, that is news, though it repeats the last applied
 * signal: it is applied and opens a new incident. A copy of what was read before is no news: the
 * same delivery, the same number of the api, and a redriven record.
 */

import type { Alert, HeartbeatTransition, InboundAlert, Incident, Link, MonitorTransition } from '../../schemas/generated/events.ts'
import {
  MAX_INCIDENT_DELIVERY_ID,
  MAX_INCIDENT_KEY,
  MAX_INCIDENT_LABEL_NAME,
  MAX_INCIDENT_LABEL_VALUE,
  MAX_INCIDENT_LABELS,
  MAX_INCIDENT_LINKS,
  MAX_INCIDENT_NOTE,
  MAX_INCIDENT_REGION,
  MAX_INCIDENT_REGIONS,
  MAX_INCIDENT_SOURCE_TYPE,
  MAX_INCIDENT_SUMMARY,
  MAX_INCIDENT_TITLE,
  MAX_URL
} from '../../schemas/limits.ts'
import { sortedByKey } from '../../schemas/text-order.ts'
import type { Input } from '../define.ts'
import { builtInDecision } from '../routing/rules.ts'
import { titleOf } from './degraded.ts'
import type { Watched } from './dependencies.ts'
import { rank } from './members.ts'
import { type LastApplied, offsetAfter, orderOf, type Place, senderAtAfter } from './order.ts'
import { type Ongoing, OUTAGE_KEY, type Outage, outageWords } from './outages.ts'
import { isWatched } from './reopening.ts'
import { type Signal, storable } from './rules.ts'
import type { Run } from './unapplied.ts'

/** The locked row of a key. Times are epoch ms. */
export interface SignalRow extends LastApplied {
  tenant_id: string
  dedup_key: string
  /** The newest incident. */
  incident_id: string | null
  /**
   * The newest alert, if it has a row of its own; null: the alert is that incident, or there is
   * none.
   */
  alert_id: string | null
  suppressed_until: number | null
  occurrences: number
  last_seen_at: number | null
  /** How recent signals were accepted, from the first one that was not applied (unapplied.ts). */
  unapplied: readonly Run[] | null
  /** What the key remembers besides its signals; null: nothing. */
  facts: KeyFacts | null
}

export interface KeyFacts {
  /** The state of a monitor that others depend on. */
  watched?: Watched
  /** The mass outage; only in the row of its key. */
  outage?: Outage
  /**
   * For an inbound alert: the worst severity that its source has given in the fires of the newest
   * incident or alert. Missing: nothing is worse. It was critical, or that incident or alert began
   * under an older version, which did not keep it.
   */
  worst?: Exclude<Signal['severity'], 'critical'>
  /** The incident that the key's alerts were moved to by the last merge. */
  merged_into?: string
}

/**
 * What a record is: a signal, which counts as applied until `judge` compares it with its row;
 * ignored, because it does not concern incidents; or refused, with the reason.
 */
export type Reading = { signal: Signal } | { ignored: true } | { refused: string }

export interface SignalKey {
  tenant_id: string
  dedup_key: string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const YEAR_10000 = 253_402_300_800_000

/**
 * Returns the key of a record, which the store locks before the fold; null: it has no usable key.
 */
export function keyOf(input: Input): SignalKey | null {
  if (input.record === 'InboundAlert') return usable(input.value.tenant_id, input.value.dedup_key)
  if (input.record === 'MonitorTransition') return usable(input.value.tenant_id, `mon:${input.value.monitor_id}`)
  if (input.record === 'HeartbeatTransition') return usable(input.value.tenant_id, `hb:${input.value.heartbeat_id}`)
  return null
}

const usable = (tenant_id: string, dedup_key: string): SignalKey | null =>
  UUID.test(tenant_id) && /^(int|mon|hb):./.test(dedup_key) && dedup_key.length <= MAX_INCIDENT_KEY && storable(dedup_key) === dedup_key
    ? { tenant_id, dedup_key }
    : null

/**
 * Reads a record as a signal. Never throws. Values that a store or a reader cannot handle are
 * refused or replaced here, once.
 */
export function readSignal(input: Input): Reading {
  const key = keyOf(input)
  if (!key) return { refused: `${input.record}: no usable workspace and signal key` }
  if (!instant(input.timestamp)) return { refused: 'the record has no usable time' }
  const action = actionOf(input)
  if (input.record === 'InboundAlert') return checked(fromAlert(key, input.value, action), input.value.event_id)
  if (input.record === 'MonitorTransition') return checked(fromMonitor(key, input.value, action), input.value.event_id)
  if (input.record === 'HeartbeatTransition') return checked(fromHeartbeat(key, input.value, action), input.value.event_id)
  return { refused: `${input.record} is no signal` }
}

const instant = (ms: number): boolean => Number.isInteger(ms) && ms >= 0 && ms < YEAR_10000

const isId = (id: string | null): boolean => id === null || UUID.test(id)

function checked(reading: Reading, event_id: string): Reading {
  if (!('signal' in reading)) return reading
  const { signal } = reading
  const ids = isId(event_id) && isId(signal.integration_id) && isId(signal.monitor_id) && isId(signal.heartbeat_id)
  if (!ids || !isId(signal.team_id) || !isId(signal.escalation_policy_id)) return { refused: 'an id is not a UUID' }
  if (!instant(signal.occurred_at) || !instant(signal.started_at) || !instant(signal.detected_at))
    return { refused: 'a time is out of range' }
  if (signal.sequence !== null && !Number.isSafeInteger(signal.sequence)) return { refused: 'sequence is out of range' }
  return reading
}

/**
 * Actions by status. For a monitor, a change of phase alone is no new occurrence. A pause ends the
 * incident by a command. The `resolution_reason` of a transition ends an incident that opened from
 * an earlier decision.
 */
const monitorActions = { down: 'fire', up: 'resolve', paused: null, unknown: null } as const
const heartbeatActions = { missed: 'fire', up: 'resolve', unknown: null } as const

/**
 * If a degraded state opens an incident, the incident lasts until the monitor is fully well again,
 * or until the settings say that a degraded state opens none. A monitor that is well has none.
 * While a monitor flaps, its incident stays ongoing: a recovery counts only after the flapping.
 */
function monitorAction(transition: MonitorTransition): Signal['action'] | null {
  const { status, previous_status, phase, previous_phase, flapping } = transition
  if (transition.resolution_reason !== null) return 'resolve'
  // One failing region alone says nothing about the monitor.
  if (transition.advisory_regions.length > 0 && status === previous_status && phase === previous_phase) return null
  // The settings may have changed since an incident opened.
  if (status === 'up' && phase === 'ok') return 'resolve'
  if (transition.open_on_degraded && status === 'up') {
    if (phase === 'degraded') return 'fire'
    // The next transition says whether the monitor is well.
    if (phase === 'validating') return previous_phase === 'flapping' ? 'update' : null
  }
  if (status !== previous_status) return status === 'up' && flapping ? 'update' : monitorActions[status]
  if (status === 'up' && !flapping && isBackFromFlapping(transition)) return 'resolve'
  const turned = flapping || phase === 'flapping' || isBackFromFlapping(transition)
  return transition.joined_region !== null || (turned && status !== 'paused') ? 'update' : null
}

/**
 * Whether flapping may have ended with this change of phase. It may also have ended while the phase
 * was no_data or unconfirmed. Resolving something that has already recovered changes nothing.
 */
const isBackFromFlapping = ({ phase, previous_phase }: MonitorTransition): boolean =>
  phase === previous_phase || previous_phase === 'flapping' || previous_phase === 'no_data' || previous_phase === 'unconfirmed'

/**
 * Returns what a record does to the incident of its key. This is the only rule for what opens and
 * what recovers. null: nothing, or an action that this version does not know. By the schema, an
 * alert of a newer door opens and ends nothing.
 */
export function actionOf(input: Input): Signal['action'] | null {
  switch (input.record) {
    case 'InboundAlert':
      return input.value.action === 'unknown' ? null : input.value.action
    case 'MonitorTransition':
      return monitorAction(input.value)
    case 'HeartbeatTransition':
      if (input.value.resolution_reason !== null) return 'resolve'
      return input.value.status === input.value.previous_status ? null : heartbeatActions[input.value.status]
    default:
      return null
  }
}

/**
 * Whether a recovery comes under the key that its alert had before an upgrade. It creates no row.
 */
export const isByFormerKey = (input: Input): boolean => input.record === 'InboundAlert' && input.value.by_former_key

/** The status is one that only a newer producer knows. */
const unknownStatus: Reading = { refused: 'status is unknown: a newer producer says what this fold does not know' }
const ignored: Reading = { ignored: true }

// Shared empty lists; nobody writes to them.
const noLinks: Link[] = []
const noRegions: string[] = []

/**
 * Makes a signal with the fields that every source has. The caller owns the new object and adds
 * what else its source knows. Every record passes here, so the fields are written one by one,
 * without an object in between: a spread in front of a long literal costs 60 µs. Their order is
 * that of the stored JSON.
 */
function signalOf(
  key: SignalKey,
  action: Signal['action'],
  at: number,
  severity: Signal['severity'],
  title: string,
  summary: string | null,
  source_kind: Signal['source_kind'],
  labels: Record<string, string>
): Signal {
  return {
    tenant_id: key.tenant_id,
    dedup_key: key.dedup_key,
    action,
    accepted_as: 'applied',
    reopened_from: null,
    sequence: null,
    sequence_kind: 'position',
    delivery_id: null,
    occurred_at: at,
    time_source: 'door',
    started_at: at,
    detected_at: at,
    severity,
    title: cut(title, MAX_INCIDENT_TITLE),
    summary: summary === null ? null : cut(summary, action === 'note' ? MAX_INCIDENT_NOTE : MAX_INCIDENT_SUMMARY),
    source_kind,
    source_type: null,
    integration_id: null,
    monitor_id: null,
    heartbeat_id: null,
    region: null,
    affected_regions: noRegions,
    priority: null,
    labels: tidyLabels(labels),
    links: noLinks,
    team_id: null,
    visibility: 'org',
    escalation_policy_id: null
  }
}

function fromAlert(key: SignalKey, alert: InboundAlert, action: Signal['action'] | null): Reading {
  if (action === null) return ignored
  const { occurred_at, severity, title, description, source_severity } = alert
  const signal = signalOf(key, action, occurred_at, severity, title, description, 'inbound', alert.labels)
  signal.sequence = alert.sequence
  signal.sequence_kind = alert.sequence_kind
  signal.time_source = timeSourceOf(alert)
  signal.delivery_id = alert.delivery_id === null ? null : cut(alert.delivery_id, MAX_INCIDENT_DELIVERY_ID)
  signal.detected_at = alert.received_at
  signal.source_type = cut(alert.source, MAX_INCIDENT_SOURCE_TYPE)
  signal.integration_id = alert.integration_id
  signal.priority = source_severity !== null && /^P[1-5]$/.test(source_severity) ? source_severity : null
  signal.links = alert.links.slice(0, MAX_INCIDENT_LINKS).map(({ title, url }) => ({
    title: cut(title, MAX_INCIDENT_TITLE),
    url: cut(url, MAX_URL)
  }))
  signal.team_id = alert.team_id
  signal.visibility = alert.visibility
  if (action === 'update') signal.keeps_edited_title = true
  return { signal }
}

/**
 * An older door wrote no `time_source`. Then a time that differs from the time of receipt is the
 * sender's.
 */
function timeSourceOf({ time_source, occurred_at, received_at }: InboundAlert): Signal['time_source'] {
  if (time_source !== 'unknown') return time_source
  return occurred_at === received_at ? 'door' : 'sender'
}

/**
 * For targets that we check ourselves: `ver` is the sequence, because every change of status begins
 * a new occurrence.
 */
function owned(signal: Signal, transition: MonitorTransition | HeartbeatTransition): Reading {
  signal.sequence = transition.ver
  signal.team_id = transition.team_id
  signal.visibility = transition.visibility
  signal.escalation_policy_id = transition.escalation_policy_id
  if (transition.resolution_reason !== null) {
    signal.resolution_reason = transition.resolution_reason
    signal.summary = endingWords(transition)
  }
  return { signal }
}

/** Returns why the incident of a target ends, though the target has not recovered. */
function endingWords(transition: MonitorTransition | HeartbeatTransition): string {
  if (transition.resolution_reason === 'monitor_deleted') return 'It was deleted.'
  const isWatchedOn = 'monitor_id' in transition && transition.status === 'up'
  return isWatchedOn ? 'A degraded state no longer opens an incident.' : 'It was paused.'
}

function fromMonitor(key: SignalKey, transition: MonitorTransition, action: Signal['action'] | null): Reading {
  const { status, phase, name, at, message, region } = transition
  if (status === 'unknown') return unknownStatus
  if (action === null) return ignored
  const degraded = action === 'fire' && phase === 'degraded'
  // An update adds a region or changes flapping: the incident keeps its title and summary.
  const title = action === 'update' ? '' : titleOf(name, degraded ? phase : status)
  const summary = action === 'update' ? null : message
  const signal = signalOf(key, action, at, transition.severity, title, summary, 'monitor', transition.labels)
  signal.started_at = transition.started_at ?? at
  signal.monitor_id = transition.monitor_id
  signal.region = region === null ? null : cut(region, MAX_INCIDENT_REGION)
  signal.affected_regions = transition.affected_regions.slice(0, MAX_INCIDENT_REGIONS).map((code) => cut(code, MAX_INCIDENT_REGION))
  const reading = owned(signal, transition)
  if (transition.flapping) signal.flapping = true
  if (signal.action === 'fire') signal.monitor_state = degraded ? 'degraded' : 'down'
  // Degraded, well in some regions and degraded again is one occurrence, and so is flapping. An
  // incident that a person ended meanwhile stays quiet.
  if (degraded || (action === 'fire' && transition.flapping)) signal.sequence = null
  return reading
}

const silent = {
  missed: 'missed its ping',
  failed: 'reported a failure',
  overrun: 'has run too long',
  underrun: 'ended too soon',
  unknown: 'is missed'
} as const

function fromHeartbeat(key: SignalKey, transition: HeartbeatTransition, action: Signal['action'] | null): Reading {
  const { name, at, reason } = transition
  if (transition.status === 'unknown') return unknownStatus
  if (action === null) return ignored
  const fires = action === 'fire'
  const title = fires ? `${name} ${silent[reason ?? 'unknown']}` : `${name} is up`
  const signal = signalOf(key, action, at, transition.severity, title, null, 'heartbeat', transition.labels)
  if (fires && reason === 'missed') signal.started_at = transition.expected_at ?? at
  signal.heartbeat_id = transition.heartbeat_id
  return owned(signal, transition)
}

/**
 * Makes the signal of an incident that a person or tool declares. Nothing else has its key
 * (`man:<uuid>`), so there is nothing to compare it with. `now` in epoch ms.
 */
export function fromDeclaration(
  key: SignalKey,
  {
    title,
    summary,
    severity,
    labels,
    team_id,
    escalation_policy_id = null
  }: Pick<Signal, 'title' | 'summary' | 'severity' | 'labels' | 'team_id'> & Partial<Pick<Signal, 'escalation_policy_id'>>,
  now: number
): Signal {
  const signal = signalOf(key, 'fire', now, severity, title, summary, 'manual', labels)
  signal.team_id = team_id
  signal.escalation_policy_id = escalation_policy_id
  return signal
}

/**
 * Makes the signal of a mass outage at `now` (epoch ms): it has begun, more monitors are part of
 * it, or all are up.
 */
export function fromOutage(tenant_id: string, ongoing: Ongoing, action: 'fire' | 'update' | 'resolve', now: number): Signal {
  const { title, summary } = outageWords(ongoing)
  const signal = signalOf({ tenant_id, dedup_key: OUTAGE_KEY }, action, now, 'critical', title, summary, 'mass_outage', {})
  signal.affected_regions = ongoing.regions.slice(0, MAX_INCIDENT_REGIONS)
  if (action === 'fire') signal.opens_as = ongoing.incident_id
  if (action === 'update') signal.keeps_edited_title = true
  return signal
}

/**
 * Makes the signal of a monitor or heartbeat that still fires, from the incident or alert that a
 * person ended. Its times begin now (epoch ms), because the time before belongs to the ended one.
 * The earlier decision of the rules stands: no rule runs again, and an alert that rules kept quiet
 * comes back quiet.
 */
export function stillFiring(ended: Incident | Alert, now: number): Signal {
  const kind = ended.monitor_id === null ? 'heartbeat' : 'monitor'
  const signal = signalOf(ended, 'fire', now, ended.severity, ended.title, ended.summary, kind, ended.labels)
  signal.reopened_from = ended.incident_id
  signal.monitor_id = ended.monitor_id
  signal.heartbeat_id = ended.heartbeat_id
  signal.region = ended.region
  signal.affected_regions = ended.affected_regions
  signal.team_id = ended.team_id
  signal.visibility = ended.visibility
  signal.escalation_policy_id = ended.escalation_policy_id
  return ended.routing === null ? signal : { ...signal, decision: decidedFor(signal, ended) }
}

/** Rebuilds the decision of the rules from what an incident or alert keeps of it. */
function decidedFor(signal: Signal, from: Incident | Alert): NonNullable<Signal['decision']> {
  const { routing, routing_version, is_major, priority } = from
  return {
    ...builtInDecision({ ...signal, priority }),
    routing_version,
    is_major,
    promote: from.incident_id !== null,
    matched_rule_ids: routing?.matched_rule_ids ?? [],
    severity_by_rule: routing?.severity_by_rule ?? false,
    suppressed_by: routing?.suppressed_by_rule_id ?? null,
    notify_resolved: routing?.notify_resolved ?? true,
    auto_resolve_minutes: routing?.auto_resolve_minutes ?? null,
    ...(routing?.channel_ids && { channel_ids: routing.channel_ids })
  }
}

/**
 * Makes the signal for an incident that a person opens from an alert at `now` (epoch ms). It keeps
 * the alert's key and what the rules decided.
 */
export function fromAlertRow(alert: Alert, incident_id: string, now: number): Signal {
  const kind = alert.source_kind === 'monitor' || alert.source_kind === 'heartbeat' ? alert.source_kind : 'inbound'
  const { tenant_id, dedup_key, severity, title, summary, labels } = alert
  const signal = signalOf({ tenant_id, dedup_key }, 'fire', now, severity, title, summary, kind, labels)
  const { team_id, visibility, escalation_policy_id, priority } = alert
  const decision = decidedFor({ ...signal, team_id, visibility, escalation_policy_id }, alert)
  return {
    ...signal,
    source_type: alert.source_type,
    integration_id: alert.integration_id,
    monitor_id: alert.monitor_id,
    heartbeat_id: alert.heartbeat_id,
    region: alert.region,
    affected_regions: alert.affected_regions,
    priority,
    links: alert.links,
    team_id,
    visibility,
    escalation_policy_id,
    started_at: alert.started_at,
    detected_at: alert.detected_at,
    decision: { ...decision, promote: true },
    opens_group: { incident_id, dedup_key }
  }
}

/** The place of an input in the order of its key. */
export const placeOf = ({ offset, redriven }: Input): Place => ({ offset: Number(offset), redriven: redriven === true })

/** The newest incident of a key, or its newest alert. */
type Episode = Pick<Alert, 'status' | 'incident_id' | 'resolution_reason'> & { alert_id?: string }

/**
 * Returns the signal with `accepted_as` by the table above. `newest` is the key's newest incident
 * or alert; `place` is null for a signal that is in no log.
 */
export function judge(row: SignalRow, received: Signal, newest: Episode | null, place: Place | null = null): Signal {
  if (received.action === 'note' || received.action === 'update') return received
  const stood = standing(row, received, place)
  const accepted_as = stood === 'repeat' && isHeardAgain(row, received, newest, place) ? 'applied' : stood
  const reopens = received.action === 'fire' && row.last_action === 'fire' && newest?.status === 'resolved'
  if (accepted_as === 'applied' && !reopens) return received
  return { ...received, accepted_as, reopened_from: reopens ? newest.incident_id : null }
}

/** Whether a repeat says that an alert fires on, which ended because nothing was heard of it. */
const isHeardAgain = (row: SignalRow, signal: Signal, newest: Episode | null, place: Place | null): boolean =>
  signal.action === 'fire' &&
  newest?.status === 'resolved' &&
  newest.resolution_reason === 'auto_timeout' &&
  signal.sequence_kind !== 'receipt' &&
  (signal.delivery_id === null || signal.delivery_id !== row.last_delivery_id) &&
  place?.redriven !== true

function standing(row: SignalRow, signal: Signal, place: Place | null): Signal['accepted_as'] {
  const order = orderOf(row, signal, place)
  if (order !== 'newer') return order
  const quiet = signal.action === 'fire' && row.suppressed_until !== null && signal.detected_at < row.suppressed_until
  return quiet && !laterOccurrence(row, signal) && !isWorse(row, signal) ? 'suppressed' : 'applied'
}

/**
 * A receipt number grows with every signal and says nothing about what fires. Of a target that we
 * check ourselves, only what is no occurrence of its own has no number (degraded, flapping), so a
 * number is later than none.
 */
function laterOccurrence(row: SignalRow, { sequence, sequence_kind }: Signal): boolean {
  if (sequence_kind === 'receipt' || sequence === null) return false
  return row.last_sequence === null ? isWatched(row) : sequence > row.last_sequence
}

/** Whether a fire is worse than all fires of the incident or alert that a person ended. */
const isWorse = ({ facts }: SignalRow, { severity }: Signal): boolean => facts?.worst !== undefined && rank[severity] > rank[facts.worst]

/** Returns the facts of a row after an applied signal. */
function factsAfter(row: SignalRow, { action, source_kind, severity }: Signal, newest: Episode | null): KeyFacts | null {
  if (action !== 'fire' || source_kind !== 'inbound') return row.facts
  const known = row.facts?.worst ?? 'critical'
  const goesOn = newest !== null && idOf(newest) === idOf(row)
  const worst = goesOn && rank[severity] <= rank[known] ? known : severity
  if (worst === known) return row.facts
  const { worst: _before, ...others } = row.facts ?? {}
  if (worst !== 'critical') return { ...others, worst }
  // The key of an inbound alert has no other facts.
  return others.merged_into === undefined ? null : others
}

/** The id of an alert; one that is its incident has the same id. */
const idOf = ({ alert_id, incident_id }: Pick<Episode, 'alert_id' | 'incident_id'> | SignalRow): string | null => alert_id ?? incident_id

/**
 * Returns the row after a signal from `place`. `newest` is the key's newest incident or alert after
 * the signal. The last known sequence and sender time stay if a signal has none.
 */
export function rowAfter(row: SignalRow, signal: Signal, newest: Episode | null, place: Place | null = null): SignalRow {
  const { action } = signal
  if (action === 'note' || action === 'update') return row
  const applied = signal.accepted_as === 'applied'
  return {
    tenant_id: row.tenant_id, // Written field by field for speed: every signal passes here.
    dedup_key: row.dedup_key,
    incident_id: (applied ? newest?.incident_id : null) ?? row.incident_id,
    alert_id: applied && newest ? (newest.alert_id ?? null) : row.alert_id,
    last_action: applied ? action : row.last_action,
    last_at: applied ? signal.occurred_at : row.last_at,
    last_time_source: applied ? signal.time_source : row.last_time_source,
    last_sender_at: applied ? senderAtAfter(row, signal) : row.last_sender_at,
    last_sequence: (applied ? signal.sequence : null) ?? row.last_sequence,
    last_delivery_id: applied ? signal.delivery_id : row.last_delivery_id,
    last_offset: applied ? offsetAfter(row, place) : row.last_offset,
    suppressed_until: applied ? null : row.suppressed_until,
    occurrences: row.occurrences + 1,
    last_seen_at: Math.max(row.last_seen_at ?? 0, signal.detected_at),
    unapplied: row.unapplied,
    facts: applied ? factsAfter(row, signal, newest) : row.facts
  }
}

/**
 * Returns at most `max` UTF-16 units of storable text, without half of a surrogate pair at the cut.
 */
const cut = (text: string, max: number): string => storable(text.length > max ? text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '') : text)

const tidyLabels = (labels: Record<string, string>): Record<string, string> =>
  isTidy(labels)
    ? labels
    : sortedByKey(
        Object.fromEntries(
          Object.entries(labels)
            .slice(0, MAX_INCIDENT_LABELS)
            .map(([name, value]) => [cut(name, MAX_INCIDENT_LABEL_NAME), cut(value, MAX_INCIDENT_LABEL_VALUE)])
        )
      )

/**
 * Whether labels are already sorted and within their limits. Then the same object is used without a
 * copy, because nobody writes to it.
 */
function isTidy(labels: Record<string, string>): boolean {
  let before = ''
  let count = 0
  for (const name in labels) {
    const value = labels[name]
    if (value === undefined || name.length > MAX_INCIDENT_LABEL_NAME || value.length > MAX_INCIDENT_LABEL_VALUE) return false
    if (++count > MAX_INCIDENT_LABELS || name < before || storable(name) !== name || storable(value) !== value) return false
    before = name
  }
  return true
}
