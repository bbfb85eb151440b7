/**
 * The life of an alert that has a row of its own: one of several alerts of an incident, or an alert
 * without an incident. An alert that opened an incident by itself has no row: the incident is the
 * alert, under the same id.
 *
 * State    the newest alert of a (tenant, dedup key), if it has a row
 * Inputs   signals of the key, commands on the alert, and commands on its incident, which apply to
 *          all alerts of the incident
 * Returns  the alert after the input, and its events, each with the next `ver`
 * Source   docs/design/specification.md#s2-4, #s3-1; docs/design/api/alerts-and-routing.md#s6-1
 *
 *   from                 input                              to         event          also
 *   none or resolved     fire that a rule groups, or keeps  ongoing    opened         a new alert; promoted_at if it belongs to an incident
 *   ongoing              fire, worse severity               ongoing    updated        severity raised, never lowered, unless a rule set it
 *   ongoing, degraded    fire of a monitor that is down     ongoing    updated        title, summary
 *   ongoing              fire or update, other regions      ongoing    updated        affected_regions grows, never shrinks
 *   ongoing              update, another title or summary   ongoing    updated        title, summary
 *   ongoing              resolve                            resolved   resolved       resolution_reason recovered, or that of a target that is no longer watched
 *   ongoing              acknowledge                        ongoing    acknowledged   acknowledged_at, _by
 *   ongoing              resolve, close (commands)          resolved   resolved, closed
 *   ongoing, alone       promote                            ongoing    promoted       incident_id, promoted_at
 *   resolved, alone      reopen (a timer: it still fires)   ongoing    opened         a new alert, kept from being an incident as the former one was
 *   any                  move                               same       updated        team_id, the same as its incident's
 *   any                  join                               same       updated        incident_id, after a merge
 *
 * Everything else changes nothing and makes no event.
 */
import type { Alert, AlertChange, AlertEvent, Incident } from '../../schemas/generated/events.ts'
import type { Context } from '../define.ts'
import { builtInDecision } from '../routing/rules.ts'
import { alertWordsOfDown } from './degraded.ts'
import { grown, rank } from './members.ts'
import { routingOf, type Signal, storable } from './rules.ts'

export type AlertCommand =
  | { command: 'acknowledge'; by: string; comment: string | null }
  | { command: 'resolve'; by: string; note: string | null; reason: string }
  | { command: 'close'; by: string; note: string | null; user_id: string }
  | { command: 'promote'; by: string; incident_id: string }
  | { command: 'move'; by: string; team_id: string | null }
  | { command: 'join'; by: string; incident_id: string }

/** An alert that was kept from becoming an incident, that a person ended, and that still fires. */
export interface AlertReopening {
  command: 'reopen'
  by: string
  alert_id: string
  signal: Signal
}

/** An AlertEvent without its `event_id`, which outgoing.ts derives. */
export type AlertStepEvent = Omit<AlertEvent, 'event_id'>

export interface AlertStep {
  alert: Alert
  events: AlertStepEvent[]
}

/** Opens a new alert, in an incident or in none yet (`incident_id` null). */
export function openAlert(signal: Signal, incident_id: string | null, context: Context): AlertStep {
  // The alert gets the id that an incident of its own would get.
  const alert = opened(signal, context.id('incident'), incident_id, context)
  return changed(alert, 'opened', incident_id === null ? signal : { ...signal, joins: incident_id }, context)
}

/** Opens a new alert without an incident, for a key that a timer opens again. */
export const reopenAlert = (reopening: AlertReopening, context: Context): AlertStep =>
  changed(opened(reopening.signal, reopening.alert_id, null, context), 'opened', reopening, context)

function opened(signal: Signal, alert_id: string, incident_id: string | null, context: Context): Alert {
  const decision = signal.decision ?? builtInDecision(signal)
  return {
    alert_id,
    tenant_id: signal.tenant_id,
    ver: 0,
    incident_id,
    dedup_key: signal.dedup_key,
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
    acknowledged_at: null,
    acknowledged_by: null,
    resolved_at: null,
    resolved_by: null,
    resolution_reason: null,
    manually_closed_at: null,
    manually_closed_by: null,
    promoted_at: incident_id === null ? null : context.now,
    priority: decision.priority,
    labels: decision.labels,
    links: signal.links,
    started_at: signal.started_at,
    detected_at: signal.detected_at,
    opened_at: context.now,
    updated_at: context.now,
    reopened_from: signal.reopened_from,
    routing: routingOf(decision)
  }
}

/**
 * Gives a row of its own to an alert that was an incident by itself until now. The alert moves to
 * the incident that `join` names. Its versions continue those of the incident.
 */
export function ownAlert(incident: Incident, join: Extract<AlertCommand, { command: 'join' }>, context: Context): AlertStep {
  const alert: Alert = {
    alert_id: incident.incident_id,
    tenant_id: incident.tenant_id,
    ver: incident.ver,
    incident_id: join.incident_id,
    dedup_key: incident.dedup_key,
    status: incident.status,
    severity: incident.severity,
    title: incident.original_title ?? incident.title,
    summary: incident.summary,
    source_kind: incident.source_kind,
    source_type: incident.source_type,
    integration_id: incident.integration_id,
    monitor_id: incident.monitor_id,
    heartbeat_id: incident.heartbeat_id,
    region: incident.region,
    affected_regions: incident.affected_regions,
    is_major: incident.is_major,
    team_id: incident.team_id,
    visibility: incident.visibility,
    escalation_policy_id: incident.escalation_policy_id,
    routing_version: incident.routing_version,
    acknowledged_at: incident.acknowledged_at,
    acknowledged_by: incident.acknowledged_by,
    resolved_at: incident.resolved_at,
    resolved_by: incident.resolved_by,
    resolution_reason: incident.resolution_reason,
    manually_closed_at: incident.manually_closed_at,
    manually_closed_by: incident.manually_closed_by,
    promoted_at: incident.promoted_at,
    priority: incident.priority,
    labels: incident.labels,
    links: incident.links,
    started_at: incident.started_at,
    detected_at: incident.detected_at,
    opened_at: incident.opened_at,
    updated_at: incident.updated_at,
    reopened_from: incident.reopened_from,
    routing: incident.routing
  }
  return changed(alert, 'updated', join, context)
}

/** Applies a signal or a command to an alert. Only an applied signal changes it. */
export function reduceAlert(alert: Alert, input: Signal | AlertCommand, context: Context): AlertStep {
  if ('command' in input) return obey(alert, input, context)
  if (input.accepted_as !== 'applied' || alert.status !== 'ongoing') return unchanged(alert)
  switch (input.action) {
    case 'resolve': {
      const { resolution_reason: reason = 'recovered' } = input
      return ended(alert, { by: null, reason }, 'resolved', reason === 'recovered' ? null : input.summary, input, context)
    }
    case 'note':
      return unchanged(alert) // A note goes to the timeline of the incident.
    case 'update': {
      const title = input.title === '' ? alert.title : input.title
      return told(alert, { ...alert, title, summary: input.summary ?? alert.summary }, input, context)
    }
    case 'fire': {
      const isWorse = rank[input.severity] > rank[alert.severity] && !alert.routing?.severity_by_rule
      const next = { ...alert, ...alertWordsOfDown(alert, input), severity: isWorse ? input.severity : alert.severity }
      return told(alert, next, input, context)
    }
  }
}

/** Makes an `updated` event if the title, the summary, the severity or the regions changed. */
function told(alert: Alert, next: Alert, signal: Signal, context: Context): AlertStep {
  const affected_regions = grown(alert.affected_regions, signal.affected_regions)
  const isSame = next.title === alert.title && next.summary === alert.summary && next.severity === alert.severity
  if (isSame && affected_regions === alert.affected_regions) return unchanged(alert)
  return changed({ ...next, affected_regions }, 'updated', signal, context)
}

function obey(alert: Alert, command: AlertCommand, context: Context): AlertStep {
  const { by } = command
  switch (command.command) {
    case 'acknowledge':
      if (alert.status !== 'ongoing' || alert.acknowledged_at !== null) return unchanged(alert)
      return changed({ ...alert, acknowledged_at: context.now, acknowledged_by: by }, 'acknowledged', command, context, command.comment)
    case 'resolve':
      if (alert.status !== 'ongoing') return unchanged(alert)
      return ended(alert, { by, reason: command.reason }, 'resolved', command.note, command, context)
    case 'close': {
      if (alert.manually_closed_at !== null) return unchanged(alert)
      const closed = { ...alert, manually_closed_at: context.now, manually_closed_by: command.user_id }
      if (alert.status !== 'ongoing') return changed(closed, 'closed', command, context, command.note)
      return ended(closed, { by, reason: 'closed' }, 'closed', command.note, command, context)
    }
    case 'promote':
      if (alert.status !== 'ongoing' || alert.incident_id !== null) return unchanged(alert)
      return changed({ ...alert, incident_id: command.incident_id, promoted_at: context.now }, 'promoted', command, context)
    case 'move':
      return alert.team_id === command.team_id
        ? unchanged(alert)
        : changed({ ...alert, team_id: command.team_id }, 'updated', command, context)
    case 'join':
      return alert.incident_id === command.incident_id
        ? unchanged(alert)
        : changed({ ...alert, incident_id: command.incident_id }, 'updated', command, context)
  }
}

function ended(
  alert: Alert,
  { by, reason }: { by: string | null; reason: string },
  change: AlertChange,
  comment: string | null,
  input: Signal | AlertCommand,
  context: Context
): AlertStep {
  const resolved: Alert = { ...alert, status: 'resolved', resolved_at: context.now, resolved_by: by, resolution_reason: reason }
  return changed(resolved, change, input, context, comment)
}

function changed(
  next: Alert,
  change: AlertChange,
  input: Signal | AlertCommand | AlertReopening,
  context: Context,
  comment: string | null = null
): AlertStep {
  // A record can be older than the last command: `updated_at` never goes back in time.
  const alert = { ...next, ver: next.ver + 1, updated_at: Math.max(next.updated_at, context.now) }
  const { tenant_id, alert_id, ver, incident_id, team_id, visibility, routing_version } = alert
  const event: AlertStepEvent = {
    tenant_id,
    alert_id,
    ver,
    change,
    at: context.now,
    cause: { ...context.cause, input: JSON.stringify(input) },
    comment: comment ? storable(comment) : null,
    incident_id,
    team_id,
    visibility,
    config_versions: { ...context.versions, routing: routing_version },
    alert
  }
  return { alert, events: [event] }
}

const unchanged = (alert: Alert): AlertStep => ({ alert, events: [] })
