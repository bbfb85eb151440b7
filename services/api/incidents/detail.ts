/**
 * Converts a stored incident to the form that the API shows.
 * Source: docs/design/specification.md#s2-4, docs/design/api/incidents.md#s5-1.
 */
import { iso } from '../../../schemas/http/common.ts'
import { holdKinds, type IncidentDetail } from '../../../schemas/http/incidents.ts'
import { type HoldFacts, holdsOf } from '../../../streams/incident/holds.ts'
import { dashboardState } from '../../../streams/incident/rules.ts'
import type { IncidentDetail as Stored } from '../../store/incident-reads.ts'

const seconds = (from: number, to: number | null): number | null => (to === null ? null : Math.max(0, Math.round((to - from) / 1000)))

/** Says who or what made the last change. */
function lastChange({ last_cause: cause, last_change_at, integration_id, source_kind, source_type }: Stored) {
  const at = iso(last_change_at)
  const { request_id } = cause
  if (cause.kind === 'signal') {
    // The integration of the API is stored nowhere.
    if (source_type === 'api') return { at, actor_kind: 'system', actor_id: 'api', request_id }
    return integration_id
      ? { at, actor_kind: 'integration', actor_id: integration_id, request_id }
      : { at, actor_kind: 'system', actor_id: source_kind, request_id }
  }
  if (cause.kind === 'job') return { at, actor_kind: 'system', actor_id: 'timer', request_id }
  const [actor_kind = 'system', ...rest] = cause.src.split(':')
  return { at, actor_kind, actor_id: rest.join(':'), request_id }
}

const none = { state: 'none', step: null, cycle: null, next_at: null, hold_reason: null } as const

/** What the incident says of its run: an acknowledgement and its end write nothing of it. */
function escalationOf({ escalation_policy_id, status, acknowledged_at, opened_at, run }: Stored): IncidentDetail['escalation'] {
  if (escalation_policy_id === null || status === 'resolved') return none
  if (acknowledged_at !== null) return { ...none, state: 'paused', step: run?.step ?? 0, cycle: run?.cycle ?? 0 }
  if (!run) return { state: 'running', step: 0, cycle: 0, next_at: iso(opened_at), hold_reason: null }
  const { state, step, cycle, next_at, hold_reason } = run
  if (state === 'exhausted') return { ...none, state }
  const reason = holdKinds.find((kind) => kind === hold_reason) ?? null
  return { state, step, cycle, next_at: state === 'held' ? null : iso(next_at), hold_reason: reason }
}

/** `facts`: what may hold the incident; `now` in epoch ms, for how long it has been going on. */
export function toDetail(incident: Stored, facts: HoldFacts, now: number): IncidentDetail {
  const { started_at } = incident
  return {
    id: incident.incident_id,
    tenant_id: incident.tenant_id,
    version: incident.ver,
    ver: incident.ver,
    number: incident.number,
    key: `INC-${incident.number}`,
    status: incident.status === 'resolved' ? 'resolved' : 'ongoing',
    dashboard_state: dashboardState(incident),
    severity: incident.severity,
    title: incident.title,
    original_title: incident.original_title,
    summary: incident.summary,
    source: {
      kind: incident.source_kind,
      type: incident.source_type,
      id: incident.monitor_id ?? incident.heartbeat_id ?? incident.integration_id,
      integration_id: incident.integration_id
    },
    dedup_key: incident.dedup_key,
    monitor_id: incident.monitor_id,
    heartbeat_id: incident.heartbeat_id,
    region: incident.region,
    affected_regions: incident.affected_regions,
    is_major: incident.is_major,
    visibility: incident.visibility,
    routing_version: incident.routing_version,
    team_id: incident.team_id,
    escalation_policy_id: incident.escalation_policy_id,
    escalation: escalationOf(incident),
    assignee_id: incident.assignee_id,
    acknowledged_at: iso(incident.acknowledged_at),
    acknowledged_by: incident.acknowledged_by,
    // routing/hidden.ts fills in the names.
    acknowledged_by_name: null,
    // A withdrawn acknowledgement remains in the timeline only.
    acknowledgement_comment: incident.acknowledged_at === null ? null : incident.acknowledgement_comment,
    resolved_at: iso(incident.resolved_at),
    resolved_by: incident.resolved_by,
    resolved_by_name: null,
    resolution: incident.resolution_reason === null ? null : { reason: incident.resolution_reason, note: incident.resolution_note },
    manually_closed_at: iso(incident.manually_closed_at),
    manually_closed_by: incident.manually_closed_by,
    promoted_at: iso(incident.promoted_at),
    silenced_until: iso(incident.silenced_until),
    silenced_by: incident.silenced_by,
    silenced_by_name: null,
    priority: incident.priority,
    labels: incident.labels,
    links: incident.links,
    tags: incident.tags,
    alert_count: incident.alert_count,
    // If an incident is its own alert, its status says whether the alert is ongoing.
    ongoing_alerts: incident.ongoing_alerts ?? (incident.status === 'ongoing' ? incident.alert_count : 0),
    matched_rule_ids: incident.routing?.matched_rule_ids ?? [],
    suppressed_by_rule_id: incident.routing?.suppressed_by_rule_id ?? null,
    flapping: incident.flapping,
    storm_until: iso(incident.storm_until),
    held_by: holdsOf(incident, facts, now).map(({ kind, id, until }) => ({ kind, id, until: iso(until) })),
    reopened_from: incident.reopened_from,
    merged_into: incident.merged_into,
    war_room: incident.war_room,
    started_at: iso(started_at),
    detected_at: iso(incident.detected_at),
    opened_at: iso(incident.opened_at),
    duration_seconds: seconds(started_at, incident.resolved_at ?? now),
    time_to_ack_seconds: seconds(started_at, incident.acknowledged_at),
    time_to_resolve_seconds: seconds(started_at, incident.resolved_at),
    created_at: iso(incident.opened_at),
    updated_at: iso(incident.updated_at),
    last_change: lastChange(incident)
  }
}
