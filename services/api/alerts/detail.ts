/**
 * Converts a stored alert to the form that the API shows.
 * Source: docs/design/api/alerts-and-routing.md#s6-1.
 */
import type { Alert } from '../../../schemas/generated/events.ts'
import type { AlertDetail, Suppressor } from '../../../schemas/http/alerts.ts'
import { iso } from '../../../schemas/http/common.ts'
import type { HoldKind } from '../../../schemas/http/incidents.ts'
import { type Hold, type HoldFacts, holdsOfAlert } from '../../../streams/incident/holds.ts'
import { dashboardState } from '../../../streams/incident/rules.ts'

/**
 * The API's name for each kind of hold. Both kinds of pause are `pause`; of silences, only one by a
 * pattern is named.
 */
const named: Readonly<Partial<Record<HoldKind, Suppressor>>> = {
  entitlement_pause: 'pause',
  pause: 'pause',
  maintenance: 'maintenance',
  matcher_silence: 'silence',
  rule: 'rule'
}

function suppressedBy([first]: readonly Hold[]): AlertDetail['suppressed_by'] {
  const kind = first && named[first.kind]
  return kind ? { kind, id: first.id } : null
}

/** `facts`: what may hold the alert; `now` in epoch ms. */
export function toAlertDetail(alert: Alert, facts: HoldFacts, now: number): AlertDetail {
  const { routing } = alert
  return {
    id: alert.alert_id,
    tenant_id: alert.tenant_id,
    version: alert.ver,
    incident_id: alert.incident_id,
    status: alert.status === 'resolved' ? 'resolved' : 'ongoing',
    dashboard_state: dashboardState(alert),
    severity: alert.severity,
    title: alert.title,
    description: alert.summary,
    source: {
      kind: alert.source_kind,
      type: alert.source_type,
      id: alert.monitor_id ?? alert.heartbeat_id ?? alert.integration_id,
      integration_id: alert.integration_id
    },
    dedup_key: alert.dedup_key,
    monitor_id: alert.monitor_id,
    heartbeat_id: alert.heartbeat_id,
    region: alert.region,
    affected_regions: alert.affected_regions,
    is_major: alert.is_major,
    visibility: alert.visibility,
    team_id: alert.team_id,
    escalation_policy_id: alert.escalation_policy_id,
    routing_version: alert.routing_version,
    matched_rule_ids: routing?.matched_rule_ids ?? [],
    suppressed_by: suppressedBy(holdsOfAlert(alert, facts, now)),
    acknowledged_at: iso(alert.acknowledged_at),
    acknowledged_by: alert.acknowledged_by,
    resolved_at: iso(alert.resolved_at),
    resolved_by: alert.resolved_by,
    resolution: alert.resolution_reason === null ? null : { reason: alert.resolution_reason },
    manually_closed_at: iso(alert.manually_closed_at),
    manually_closed_by: alert.manually_closed_by,
    promoted_at: iso(alert.promoted_at),
    priority: alert.priority,
    labels: alert.labels,
    links: alert.links,
    reopened_from: alert.reopened_from,
    started_at: iso(alert.started_at),
    detected_at: iso(alert.detected_at),
    opened_at: iso(alert.opened_at),
    created_at: iso(alert.opened_at),
    updated_at: iso(alert.updated_at)
  }
}
