/**
 * The life of one incident: the inputs that open, acknowledge, silence, resolve and close it.
 *
 * State    the newest incident of a (tenant, dedup key) for a signal and for declare, the named
 *          incident for any other command; null: none
 * Inputs   signals (made by signals.ts from the three topics the processor reads) and commands (by
 *          services/api, or by a timer's job)
 * Returns  the incident after the input, its events, each with the next `ver`, and job changes; or
 *          why a command is refused
 * Source   docs/design/specification.md#s2-4, #s3-1; docs/design/architecture.md#s6;
 *          docs/design/api/incidents.md#s5-3 and docs/design/api/decision-rules.md#s23
 *
 *   from                 input                                  to         event          also
 *   none or resolved     fire                                   ongoing    created        a new incident; acknowledged_at is null
 *   ongoing              fire, worse severity                   ongoing    updated        severity raised, never lowered
 *   ongoing              fire or update, other regions          ongoing    updated        affected_regions grows, never shrinks
 *   ongoing, degraded    fire of a monitor that is down         ongoing    updated        title, summary, whatever its severity (degraded.ts)
 *   ongoing              resolve (the signal recovered)         resolved   resolved       resolution_reason recovered, resolved_by null
 *   ongoing              resolve of a target no longer watched  resolved   resolved       resolution_reason user, entitlement or monitor_deleted
 *   ongoing              note (the source passes it on)         ongoing    comment        whatever it says: an acknowledgement in the source does not acknowledge here
 *   ongoing              update, another title or summary       ongoing    updated        title, summary
 *   ongoing              acknowledge                            ongoing    acknowledged   acknowledged_at, _by; escalation pauses: its job is cancelled
 *   ongoing, acked       acknowledge with a comment             ongoing    comment        the first acknowledgement stays
 *   none or resolved     declare                                ongoing    created        a new incident that no source reports
 *   resolved             reopen (a timer: it still fires)       ongoing    created        a new incident with reopened_from
 *   none                 promote (an alert)                     ongoing    created        a new incident for an alert that rules kept from being one; acknowledged_at, _by if somebody acknowledged the alert that a window kept
 *   ongoing              alerts joined, got worse or ended      ongoing    alerts_changed members.ts; with the last alert it is resolved
 *   ongoing, resolved    merge into another (merging.ts)        resolved   merged         merged_into; if it was ongoing, reason merged and timers cancelled
 *   ongoing, resolved    take over another incident's alerts    same       merged         its alerts, and its severity if worse
 *   ongoing              escalate (a step, or a person)         ongoing    escalated      no field of the incident changes
 *   any                  assign, to another or to nobody        same       assigned       assignee_id
 *   any                  comment                                same       comment        its text is stored beside the incident, and can be deleted
 *   any                  delete_comment                         same       comment_deleted
 *   ongoing              silence                                ongoing    silenced       silenced_until, _by; timer silence_end starts
 *   ongoing, silenced    unsilence, or its timer                ongoing    unsilenced     timer cancelled
 *   none or resolved     fire of a mass outage                  ongoing    created        outages.ts; it has no alerts
 *   ongoing, in a storm  storm_end (its timer)                  ongoing    storm_ended    storm_until cleared
 *   ongoing              release (a job)                        ongoing    updated        a dependency or a mass outage no longer holds it
 *   ongoing              fire or update that flaps, or no more  ongoing    flapping_on, flapping_off; a recovery that flaps is an update
 *   ongoing              resolve (command)                      resolved   resolved       resolution_reason user, api, monitor_deleted or auto_timeout; timers cancelled
 *   ongoing              close                                  resolved   closed         as resolve, reason closed, and manually_closed_at, _by
 *   resolved             close, not closed before               resolved   closed         manually_closed_at, _by only
 *   resolved             acknowledge, silence, escalate by hand refused INCIDENT_RESOLVED
 *
 * If the incident has an escalation policy, opening it and taking an acknowledgement back start its
 * escalation. Acknowledging it and ending it cancel the job (escalation.ts).
 *
 * Everything else changes nothing and makes no event. A signal that is late, repeated or suppressed
 * (`accepted_as`) changes nothing either.
 */

import type { Incident, IncidentChange, IncidentEvent, Link, Severity, Visibility } from '../../schemas/generated/events.ts'
import { MAX_INCIDENT_NOTE, MAX_SILENCE_MINUTES, MAX_SILENCE_REASON } from '../../schemas/limits.ts'
import type { Context, JobChange } from '../define.ts'
import { builtInDecision, type Decision } from '../routing/rules.ts'
import { sourceTitle, withWords, wordsOfDown } from './degraded.ts'
import { lookAgainAt, type Wait } from './dependencies.ts'
import { type Edits, edited } from './editing.ts'
import { acknowledging, type Escalated, endingEscalation, startingEscalation, unacknowledging } from './escalation.ts'
import { grown, type Members, membersChanged, rank } from './members.ts'
import { type Merge, mergedAway, type TakeOver, takenOver } from './merging.ts'
import type { Ordered } from './order.ts'
import type { Storm } from './storms.ts'

/** Why a signal changed nothing. */
export type Unapplied = 'repeat' | 'older' | 'suppressed'

/**
 * An alert or a transition as the rules see it. It is stored with the event that it causes, so that
 * a replay can feed it to the rules again. `action`: fire means that the condition holds, resolve
 * that it has ended. note and update are about the ongoing incident and leave the condition alone.
 */
export interface Signal extends Ordered {
  tenant_id: string
  dedup_key: string
  /**
   * Set by signals.ts, which compares it with the last applied signal of the key. Only an applied
   * signal acts.
   */
  accepted_as: 'applied' | Unapplied
  /** The incident that a person ended while this signal still fired. */
  reopened_from: string | null
  /** Epoch ms: the first evidence of the failure. */
  started_at: number
  /** Epoch ms: received or confirmed. */
  detected_at: number
  severity: Severity
  /** Empty in an update: the title stays as it is. */
  title: string
  /** In a note: its text. Null in an update: the summary stays as it is. */
  summary: string | null
  source_kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage'
  source_type: string | null
  integration_id: string | null
  monitor_id: string | null
  heartbeat_id: string | null
  region: string | null
  affected_regions: string[]
  priority: string | null
  labels: Record<string, string>
  links: Link[]
  team_id: string | null
  visibility: Visibility
  escalation_policy_id: string | null
  /** Why a resolve ends the incident although the condition holds; missing: it has recovered. */
  resolution_reason?: string
  /**
   * The decision of the workspace's routing rules for the incident that it opens, stored so that a
   * replay needs no rules; missing: there are none.
   */
  decision?: Decision
  /**
   * The id and key of the incident that it opens for a group. Its alert then has a row of its own.
   */
  opens_group?: { incident_id: string; dedup_key: string }
  /**
   * The incident in which its alert opens, as the group stood. Stored with the first event of the
   * alert.
   */
  joins?: string
  /** The monitor changes too often; missing: it does not, or the source has no flapping. */
  flapping?: true
  /** The storm in which it opens its incident; missing: none. */
  storm?: Storm
  /** The parent because of which the incident is held; missing: none of its parents fails. */
  waits?: Wait
  /** The mass outage that it is part of, and is notified with; missing: none. */
  bundled_into?: string
  /** The id of the incident that a mass outage opens. */
  opens_as?: string
  /**
   * For an update with words of its source: a title that a person gave stays. Missing: not one, or
   * stored by an older version, which replaced that title.
   */
  keeps_edited_title?: true
  /** For a fire of a monitor. Missing: not one, or stored by an older version. */
  monitor_state?: 'down' | 'degraded'
  /**
   * What a signal changed in its incident, stored by the rules for the timeline: for the fire of a
   * monitor, besides regions; for an update, only if it left the title that a person gave.
   */
  changes?: ('title' | 'original_title' | 'severity')[]
}

/**
 * A request by a person, a tool or a timer. `by` is the actor as kind:id; times are epoch ms; texts
 * may be null. `unwatched`: the target is no longer checked, so it cannot still fail.
 */
export type Command =
  | { command: 'acknowledge'; by: string; comment: string | null }
  | {
      command: 'resolve'
      by: string
      note: string | null
      until_recovered: boolean
      reason?: 'monitor_deleted' | 'auto_timeout'
      unwatched?: true
    }
  | { command: 'close'; by: string; note: string | null; user_id: string }
  | { command: 'silence'; by: string; until: number; reason: string | null }
  | { command: 'unsilence'; by: string }
  | { command: 'silence_end'; by: string; until: number }
  | { command: 'storm_end'; by: string; until: number }
  // What held the incident: the monitor that it depends on, or a mass outage.
  | { command: 'release'; by: string; held_by: 'dependency' | 'mass_outage'; id: string }
  | { command: 'assign'; by: string; user_id: string | null }
  // `timed_out`: the timer of the acknowledgement took it back.
  | { command: 'unacknowledge'; by: string; reason: string | null; timed_out?: true }
  // The result of a policy step, or of an escalation by hand.
  | ({ command: 'escalate'; by: string } & Escalated)
  | { command: 'edit'; by: string; edits: Edits }
  // Allowed by mergeRefusal; one command for each of the two incidents.
  | Merge
  | TakeOver
  // The signal is made from the declaration, because no source sends one.
  | { command: 'declare'; by: string; incident_id: string; signal: Signal; is_major: boolean; assignee_id: string | null }
  // The signal is the one that still fires (reopening.ts).
  | { command: 'reopen'; by: string; incident_id: string; signal: Signal }
  // Opens an incident for an alert that had none; the signal is made from the alert. `window`: a
  // maintenance window had kept the alert, and it still fails. `acknowledged_by`: who acknowledged
  // the alert meanwhile; missing: nobody, or stored by an older version, which forgot it.
  | {
      command: 'promote'
      by: string
      incident_id: string
      signal: Signal
      window?: { window_id: string; ended_at: number }
      acknowledged_by?: string
    }
  // The rules see only that a comment exists. The caller stores its text in the same transaction.
  | { command: 'comment'; by: string; comment_id: string }
  | { command: 'delete_comment'; by: string; comment_id: string }

export interface IncidentContext extends Context {
  /**
   * The number of an incident that this input opens: the next one of the workspace. Of the
   * commands, declare, reopen and promote open one.
   */
  number: number
}

/** An IncidentEvent without its `event_id`, which outgoing.ts derives. */
export type Event = Omit<IncidentEvent, 'event_id'>

export interface Step {
  incident: Incident | null
  events: Event[]
  jobs: JobChange[]
  refused?: Refusal
}

/** Why a command is refused; `path` is the field of the command's body that is wrong. */
export type Refusal =
  | { code: 'NOT_FOUND' | 'INCIDENT_RESOLVED'; message: string }
  | { code: 'VALIDATION_FAILED'; path: string; message: string }

export type DashboardState = 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'

/**
 * Returns the label that dashboards show (docs/design/specification.md#s3-1). There is no
 * acknowledged status.
 */
export function dashboardState(incident: Pick<Incident, 'status' | 'acknowledged_at' | 'manually_closed_at'>): DashboardState {
  if (incident.status === 'resolved') return incident.manually_closed_at === null ? 'Resolved' : 'Closed'
  return incident.acknowledged_at === null ? 'Triggered' : 'Acknowledged'
}

/**
 * True for the one event that takes an incident from ongoing to resolved. Closing or merging a
 * resolved incident is not that event.
 */
export const endsIncident = ({ change, incident }: Pick<Event, 'change' | 'incident'>): boolean =>
  change === 'resolved' || ((change === 'closed' || change === 'merged') && incident.resolution_reason === change)

/**
 * Returns text that every store accepts: NUL and unpaired surrogates become the replacement
 * character.
 */
export function storable(text: string): string {
  // Every text of every signal passes here, so the slower expressions run only for text that may
  // need them.
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0 || (unit & 0xf800) === 0xd800) return text.replaceAll('\0', '\uFFFD').replace(/\p{Surrogate}/gu, '\uFFFD')
  }
  return text
}

export function reduceIncident(incident: Incident | null, input: Signal | Command | Members, context: IncidentContext): Step {
  if ('command' in input) return obey(incident, input, context)
  if ('members' in input) return incident ? regrouped(incident, input, context) : unchanged(null)
  return observe(incident, input, context)
}

function observe(newest: Incident | null, signal: Signal, context: IncidentContext): Step {
  if (signal.accepted_as !== 'applied') return unchanged(newest)
  const open = newest?.status === 'ongoing' ? newest : null
  if (signal.action === 'resolve') {
    // A recovery never creates an incident.
    const { resolution_reason: reason = 'recovered' } = signal
    const comment = reason === 'recovered' ? null : signal.summary
    const last = open && signal.source_kind === 'mass_outage' ? { ...open, summary: signal.summary } : open
    return last ? end(last, { by: null, reason, change: 'resolved', comment }, signal, context) : unchanged(newest)
  }
  if (signal.action === 'note' || signal.action === 'update') return open ? retold(open, signal, context) : unchanged(newest)
  if (!open) return created(signal, signal, context)
  return told(open, firedAgain(open, signal), signal, context)
}

/** Returns an ongoing incident after one more fire, or the same object if it changes nothing. */
function firedAgain(open: Incident, signal: Signal): Incident {
  const affected_regions = grown(open.affected_regions, signal.affected_regions)
  const isWorse = rank[signal.severity] > rank[open.severity] && !open.routing?.severity_by_rule
  const severity = isWorse ? signal.severity : open.severity
  // A signal that was stored without its monitor's state gave its words with a worse severity.
  const isOld = signal.source_kind === 'monitor' && signal.monitor_state === undefined
  if (isOld && isWorse) return { ...open, title: signal.title, summary: signal.summary, severity, affected_regions }
  const words = wordsOfDown(open, signal)
  if (words) return { ...withWords(open, words), severity, affected_regions }
  return isWorse || affected_regions !== open.affected_regions ? { ...open, severity, affected_regions } : open
}

/**
 * Makes a version if the signal changes something. If flapping begins or ends, the change is named
 * after that.
 */
function told(open: Incident, next: Incident, signal: Signal, context: IncidentContext): Step {
  const flapping = signal.flapping ?? false
  const jobs = (!flapping && open.flapping) || next !== open ? [lookAtHolds(open, context)] : []
  if (flapping === open.flapping) {
    if (next === open) return unchanged(open)
    return changed(next, { change: 'updated', jobs }, withChanges(signal, open, next), context)
  }
  return changed({ ...next, flapping }, { change: flapping ? 'flapping_on' : 'flapping_off', jobs }, signal, context)
}

function withChanges(signal: Signal, before: Incident, after: Incident): Signal {
  if (signal.monitor_state === undefined) return signal
  const hasWords = before.title !== after.title || before.original_title !== after.original_title
  return {
    ...signal,
    changes: [...(hasWords ? ['title' as const] : []), ...(before.severity === after.severity ? [] : ['severity' as const])]
  }
}

/** Alerts joined or ended. With the last alert the incident ends, unless a person declared it. */
function regrouped(incident: Incident, members: Members, context: IncidentContext): Step {
  const next = membersChanged(incident, members)
  const goesOn = incident.status === 'resolved' || next.ongoing_alerts !== 0 || incident.source_kind === 'manual'
  if (goesOn) {
    return changed(next, { change: 'alerts_changed', jobs: lookAfterJoin(incident, next, context) }, members, context)
  }
  const { by, reason, comment } = members
  return end(next, { by, reason, change: 'resolved', comment }, members, context)
}

function retold(open: Incident, signal: Signal, context: IncidentContext): Step {
  if (signal.action === 'note') {
    return signal.summary ? changed(open, { change: 'comment', comment: signal.summary }, signal, context) : unchanged(open)
  }
  const known = signal.keeps_edited_title ? sourceTitle(open) : open.title
  const title = signal.title === '' ? known : signal.title
  const summary = signal.summary ?? open.summary
  const affected_regions = grown(open.affected_regions, signal.affected_regions)
  if (title === known && summary === open.summary && affected_regions === open.affected_regions) return told(open, open, signal, context)
  if (!signal.keeps_edited_title) return told(open, { ...open, title, summary, affected_regions }, signal, context)
  const next = { ...withWords(open, { title, summary }), affected_regions }
  const isKept = next.original_title !== open.original_title
  return told(open, next, isKept ? { ...signal, changes: ['original_title'] } : signal, context)
}

const MAX_SILENCE_MS = MAX_SILENCE_MINUTES * 60_000

function obey(incident: Incident | null, command: Command, context: IncidentContext): Step {
  if (command.command === 'declare') return declare(incident, command, context)
  if (command.command === 'promote') return openedBy(command, context)
  if (command.command === 'reopen' && !incident) return openedBy(command, context)
  if (!incident) return { ...unchanged(null), refused: { code: 'NOT_FOUND', message: 'No such incident in this workspace' } }
  switch (command.command) {
    case 'acknowledge':
      return acknowledge(incident, command, context)
    case 'resolve': {
      if (tooLong(command.note, MAX_INCIDENT_NOTE)) return tooLongAt(incident, 'note', MAX_INCIDENT_NOTE)
      if (incident.status === 'resolved') return unchanged(incident)
      const reason = command.reason ?? (command.by.startsWith('token:') ? 'api' : 'user')
      return end(incident, { by: command.by, reason, change: 'resolved', comment: command.note }, command, context)
    }
    case 'close':
      return close(incident, command, context)
    case 'silence':
      return silence(incident, command, context)
    case 'unsilence':
      if (incident.status === 'resolved' || incident.silenced_until === null) return unchanged(incident)
      return changed(unsilenced(incident), { change: 'unsilenced', jobs: cancelTimers(incident) }, command, context)
    case 'silence_end':
      // The timer of a silence that was ended or replaced meanwhile does nothing.
      if (incident.status === 'resolved' || incident.silenced_until !== command.until) return unchanged(incident)
      return changed(unsilenced(incident), { change: 'unsilenced' }, command, context)
    case 'storm_end':
      if (incident.status === 'resolved' || incident.storm_until !== command.until) return unchanged(incident)
      return changed({ ...incident, storm_until: null }, { change: 'storm_ended' }, command, context)
    case 'release':
      if (incident.status === 'resolved') return unchanged(incident)
      return changed(incident, { change: 'updated' }, command, context)
    case 'assign':
      if (incident.assignee_id === command.user_id) return unchanged(incident)
      return changed({ ...incident, assignee_id: command.user_id }, { change: 'assigned' }, command, context)
    case 'unacknowledge':
      return unacknowledge(incident, command, context)
    case 'edit': {
      const next = edited(incident, command.edits)
      if (next === incident) return unchanged(incident)
      const isWorse = incident.status === 'ongoing' && rank[next.severity] > rank[incident.severity]
      return changed(next, { change: 'updated', jobs: isWorse ? [lookAtHolds(incident, context)] : [] }, command, context)
    }
    case 'merge': {
      const away = mergedAway(incident, command)
      if (incident.status === 'resolved') return changed(away, { change: 'merged' }, command, context)
      return end(away, { by: command.by, reason: 'merged', change: 'merged', comment: null }, command, context)
    }
    case 'take_over': {
      const next = takenOver(incident, command)
      return changed(next, { change: 'merged', jobs: lookAfterJoin(incident, next, context) }, command, context)
    }
    case 'reopen':
      return incident.status === 'ongoing' ? unchanged(incident) : openedBy(command, context)
    case 'escalate':
      if (incident.status === 'resolved') return resolvedAlready(incident)
      return changed(incident, { change: 'escalated', comment: command.message }, command, context)
    case 'comment':
      return changed(incident, { change: 'comment' }, command, context)
    case 'delete_comment':
      return changed(incident, { change: 'comment_deleted' }, command, context)
  }
}

const openedBy = (command: Extract<Command, { command: 'reopen' | 'promote' }>, context: IncidentContext): Step =>
  created(command.signal, command, context, command.incident_id)

/** The acknowledgement counts from the opening: the time before is no time of the incident. */
const asAcknowledged = (incident: Incident, input: Signal | Command, { now }: IncidentContext): Incident =>
  'command' in input && input.command === 'promote' && input.acknowledged_by !== undefined
    ? { ...incident, acknowledged_at: now, acknowledged_by: input.acknowledged_by }
    : incident

/**
 * Opens a new incident. In a storm it also starts the storm's timer; the key allows one timer per
 * storm.
 */
function created(signal: Signal, input: Signal | Command, context: IncidentContext, as?: string): Step {
  const { tenant_id, storm } = signal
  const jobs: JobChange[] = storm
    ? [
        {
          start: 'storm_end',
          idem_key: `storm_end:${tenant_id}:${storm.until}`,
          tenant_id,
          run_at: storm.until,
          payload: { until: storm.until }
        }
      ]
    : []
  const { incident, events, jobs: begins } = begun(asAcknowledged(opened(signal, context, as), input, context), input, context)
  return { incident, events, jobs: [...jobs, ...waitingFor(signal, incident, context), ...begins] }
}

/** Returns the job that looks whether a parent still holds the incident. */
function waitingFor({ waits }: Signal, incident: Incident | null, { now }: IncidentContext): JobChange[] {
  if (!waits || !incident) return []
  const { until } = waits
  const { tenant_id, incident_id } = incident
  const idem_key = `dependency_end:${incident_id}`
  return [{ start: 'dependency_end', idem_key, tenant_id, run_at: lookAgainAt({ until }, now), payload: { incident_id } }]
}

/** `newest`: of the key. Declaring again while it is ongoing gives the same incident. */
function declare(newest: Incident | null, command: Extract<Command, { command: 'declare' }>, context: IncidentContext): Step {
  if (newest?.status === 'ongoing') return unchanged(newest)
  const { signal, incident_id, is_major, assignee_id } = command
  return begun({ ...opened(signal, context, incident_id), is_major, assignee_id }, command, context)
}

function acknowledge(incident: Incident, command: Extract<Command, { command: 'acknowledge' }>, context: IncidentContext): Step {
  const { by, comment } = command
  if (tooLong(comment, MAX_INCIDENT_NOTE)) return tooLongAt(incident, 'comment', MAX_INCIDENT_NOTE)
  if (incident.status === 'resolved') return resolvedAlready(incident)
  if (incident.acknowledged_at !== null) {
    return comment ? changed(incident, { change: 'comment', comment }, command, context) : unchanged(incident)
  }
  const acknowledged = { ...incident, acknowledged_at: context.now, acknowledged_by: by }
  return changed(acknowledged, { change: 'acknowledged', comment, jobs: acknowledging(acknowledged) }, command, context)
}

/** Takes the acknowledgement back. The next acknowledgement, by anybody, counts again. */
function unacknowledge(incident: Incident, command: Extract<Command, { command: 'unacknowledge' }>, context: IncidentContext): Step {
  const { reason } = command
  if (tooLong(reason, MAX_INCIDENT_NOTE)) return tooLongAt(incident, 'reason', MAX_INCIDENT_NOTE)
  if (incident.status === 'resolved') return resolvedAlready(incident)
  if (incident.acknowledged_at === null) return unchanged(incident)
  const open = { ...incident, acknowledged_at: null, acknowledged_by: null }
  const jobs = unacknowledging(incident, command.timed_out === true, context.now)
  return changed(open, { change: 'unacknowledged', comment: reason, jobs }, command, context)
}

function close(incident: Incident, command: Extract<Command, { command: 'close' }>, context: IncidentContext): Step {
  const { by, note, user_id } = command
  if (tooLong(note, MAX_INCIDENT_NOTE)) return tooLongAt(incident, 'note', MAX_INCIDENT_NOTE)
  if (incident.manually_closed_at !== null) return unchanged(incident)
  const closed = { ...incident, manually_closed_at: context.now, manually_closed_by: user_id }
  if (incident.status === 'resolved') return changed(closed, { change: 'closed', comment: note }, command, context)
  return end(closed, { by, reason: 'closed', change: 'closed', comment: note }, command, context)
}

function silence(incident: Incident, command: Extract<Command, { command: 'silence' }>, context: IncidentContext): Step {
  const { by, until, reason } = command
  if (tooLong(reason, MAX_SILENCE_REASON)) return tooLongAt(incident, 'reason', MAX_SILENCE_REASON)
  if (!(until > context.now && until <= context.now + MAX_SILENCE_MS))
    return invalid(incident, 'duration_minutes', `1 to ${MAX_SILENCE_MINUTES.toLocaleString('en')}`)
  if (incident.status === 'resolved') return resolvedAlready(incident)
  if (incident.silenced_until === until) return unchanged(incident)
  const silenced = { ...incident, silenced_until: until, silenced_by: by }
  const { tenant_id, incident_id } = incident
  const timer: JobChange = {
    start: 'silence_end',
    idem_key: silenceEndKey(silenced, until),
    tenant_id,
    run_at: until,
    payload: { incident_id, until }
  }
  return changed(silenced, { change: 'silenced', comment: reason, jobs: [...cancelTimers(incident), timer] }, command, context)
}

/**
 * Takes an incident from ongoing to resolved, whatever the cause. Its timers and its silence end,
 * too.
 */
function end(
  incident: Incident,
  how: { by: string | null; reason: string; change: IncidentChange; comment: string | null },
  input: Signal | Command | Members,
  context: IncidentContext
): Step {
  const { by, reason, change, comment } = how
  const resolved: Incident = {
    ...unsilenced(incident),
    status: 'resolved',
    resolved_at: context.now,
    resolved_by: by,
    resolution_reason: reason,
    flapping: false,
    ongoing_alerts: incident.ongoing_alerts === null ? null : 0
  }
  const jobs = [...cancelTimers(incident), ...endingEscalation(incident), ...outageEnd(incident, context)]
  return changed(resolved, { change, comment, jobs }, input, context)
}

/**
 * After a mass outage ends, a job notifies people of each incident that it held and that still
 * fails.
 */
const outageEnd = ({ source_kind, tenant_id, incident_id }: Incident, { now }: IncidentContext): JobChange[] =>
  source_kind === 'mass_outage'
    ? [{ start: 'outage_end', idem_key: `outage_end:${incident_id}`, tenant_id, run_at: now, at_once: true, payload: { incident_id } }]
    : []

function opened(signal: Signal, context: IncidentContext, as?: string): Incident {
  const decision = signal.decision ?? builtInDecision(signal)
  const group = signal.opens_group
  return {
    incident_id: as ?? group?.incident_id ?? signal.opens_as ?? context.id('incident'),
    tenant_id: signal.tenant_id,
    ver: 0,
    number: context.number,
    dedup_key: group?.dedup_key ?? signal.dedup_key,
    status: 'ongoing',
    severity: decision.severity,
    title: signal.title,
    summary: signal.summary,
    source_kind: signal.source_kind,
    source_type: signal.source_type,
    integration_id: signal.integration_id,
    monitor_id: signal.monitor_id,
    heartbeat_id: signal.heartbeat_id,
    region: signal.region,
    affected_regions: signal.affected_regions,
    is_major: decision.is_major,
    team_id: decision.team_id,
    visibility: decision.visibility,
    escalation_policy_id: decision.escalation_policy_id,
    routing_version: decision.routing_version,
    assignee_id: null,
    acknowledged_at: null,
    acknowledged_by: null,
    resolved_at: null,
    resolved_by: null,
    resolution_reason: null,
    manually_closed_at: null,
    manually_closed_by: null,
    promoted_at: context.now, // By default every alert becomes an incident at once.
    silenced_until: null,
    silenced_by: null,
    priority: decision.priority,
    labels: decision.labels,
    links: signal.links,
    started_at: signal.started_at,
    detected_at: signal.detected_at,
    opened_at: context.now,
    updated_at: context.now,
    reopened_from: signal.reopened_from,
    original_title: null,
    routing: routingOf(decision),
    alert_count: signal.source_kind === 'manual' || signal.source_kind === 'mass_outage' ? 0 : 1,
    ongoing_alerts: group ? 1 : null,
    flapping: signal.flapping ?? false,
    storm_until: signal.storm?.until ?? null,
    merged_into: null,
    tags: []
  }
}

/** The first version of an incident. */
function begun(incident: Incident, input: Signal | Command, context: IncidentContext): Step {
  const jobs = incident.acknowledged_at === null ? startingEscalation(incident, context.now) : acknowledging(incident)
  return changed(incident, { change: 'created', jobs }, input, context)
}

/** The parts of a decision that have no field of their own; null if no rule matched. */
export function routingOf(decision: Decision): Incident['routing'] {
  const { matched_rule_ids, suppressed_by, severity_by_rule, notify_resolved, auto_resolve_minutes, channel_ids = null } = decision
  if (matched_rule_ids.length === 0) return null
  return { matched_rule_ids, suppressed_by_rule_id: suppressed_by, severity_by_rule, notify_resolved, auto_resolve_minutes, channel_ids }
}

/** Makes the next version and its event. The jobs commit in the same transaction. */
function changed(
  next: Incident,
  { change, comment = null, jobs = [] }: { change: IncidentChange; comment?: string | null; jobs?: JobChange[] },
  input: Signal | Command | Members,
  context: IncidentContext
): Step {
  // A record can be older than the last command: `updated_at` never goes back in time.
  const incident = { ...next, ver: next.ver + 1, updated_at: Math.max(next.updated_at, context.now) }
  const { tenant_id, incident_id, ver, team_id, visibility } = incident
  const cause = { ...context.cause, input: JSON.stringify(input) }
  const event: Event = {
    tenant_id,
    incident_id,
    ver,
    change,
    at: context.now,
    cause,
    comment: comment ? storable(comment) : null,
    team_id,
    visibility,
    config_versions: { ...context.versions, routing: incident.routing_version },
    alert_id: 'alert_id' in input && input.alert_id !== undefined ? input.alert_id : null,
    incident
  }
  return { incident, events: [event], jobs }
}

const unchanged = (incident: Incident | null): Step => ({ incident, events: [], jobs: [] })

const resolvedAlready = (incident: Incident): Step => ({
  ...unchanged(incident),
  refused: { code: 'INCIDENT_RESOLVED', message: 'The incident is resolved' }
})

const invalid = (incident: Incident, path: string, message: string): Step => ({
  ...unchanged(incident),
  refused: { code: 'VALIDATION_FAILED', path, message }
})

const tooLongAt = (incident: Incident, path: string, max: number): Step => invalid(incident, path, `at most ${max} characters`)

const tooLong = (text: string | null, max: number): boolean => text !== null && text.length > max

const unsilenced = (incident: Incident): Incident => ({ ...incident, silenced_until: null, silenced_by: null })

/**
 * Returns the job that checks the holds after a change of an incident's alerts. Its severity or its
 * flapping may have changed. An incident that gets the key of a group has several alerts from then
 * on, so no pause, no parent and no mass outage holds it any more.
 */
function lookAfterJoin(before: Incident, after: Incident, context: IncidentContext): JobChange[] {
  const isSeveral = after.dedup_key !== before.dedup_key && (before.monitor_id ?? before.heartbeat_id) !== null
  const looks = isSeveral || after.severity !== before.severity || after.flapping !== before.flapping
  return looks && before.status === 'ongoing' ? [lookAtHolds(before, context)] : []
}

/**
 * Flapping has ended, or a silence may no longer match because the severity, a text or the regions
 * changed. The fold reads no silences, so a job checks whether something still holds the incident.
 * If nothing does, it also tells those who want to hear of the new severity.
 */
const lookAtHolds = ({ tenant_id, incident_id, ver }: Incident, { now }: IncidentContext): JobChange => ({
  start: 'hold_end',
  idem_key: `hold_end:${incident_id}:${ver + 1}`,
  tenant_id,
  run_at: now,
  at_once: true,
  payload: { incident_id }
})

/** The key has the end of the silence in it, so the incident alone tells which timer runs. */
const silenceEndKey = ({ incident_id }: Incident, until: number): string => `silence_end:${incident_id}:${until}`

/** Cancels the timer of a silence that ends early, or is replaced. */
const cancelTimers = (incident: Incident): JobChange[] =>
  incident.silenced_until === null ? [] : [{ cancel: silenceEndKey(incident, incident.silenced_until), tenant_id: incident.tenant_id }]
