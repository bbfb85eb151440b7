/**
 * Exports incidents as a CSV table, for people to sort, count and pass on. Names stand beside ids,
 * as far as the caller sees them.
 * Source: docs/design/api/incidents.md#in-1.
 */
import { iso } from '../../../schemas/http/common.ts'
import { MAX_EXPORTED } from '../../../schemas/http/incidents.ts'
import { dashboardState } from '../../../streams/incident/rules.ts'
import { actorNames } from '../../store/actor-names.ts'
import { type IncidentFilter, type IncidentSort, listIncidents, type IncidentDetail as Stored } from '../../store/incident-reads.ts'
import type { Tx } from '../../store/pool.ts'
import { csvOf } from '../http/csv.ts'

const seconds = (from: number, to: number | null): number | null => (to === null ? null : Math.max(0, Math.round((to - from) / 1000)))

export interface Exported {
  csv: string
  /**
   * Number of incidents that the filter matches. It is larger than the table if there are too many.
   */
  total: number
}

/** Returns at most MAX_EXPORTED incidents, one line each; empty if none matches. */
export async function exportIncidents(tx: Tx, tenant_id: string, filter: IncidentFilter, sort: IncidentSort): Promise<Exported> {
  const { items, total } = await listIncidents(tx, tenant_id, filter, { page: 1, per_page: MAX_EXPORTED, sort })
  const team = ({ team_id }: Stored): string | null => team_id && `team:${team_id}`
  const assignee = ({ assignee_id }: Stored): string | null => assignee_id && `user:${assignee_id}`
  const names = await actorNames(
    tx,
    tenant_id,
    items.flatMap((one) => [team(one), assignee(one), one.acknowledged_by, one.resolved_by])
  )
  const nameOf = (actor: string | null): string | null => (actor === null ? null : (names.get(actor) ?? actor))
  const lines = items.map((one) => ({
    key: `INC-${one.number}`,
    title: one.title,
    state: dashboardState(one),
    severity: one.severity,
    priority: one.priority,
    is_major: one.is_major,
    source_kind: one.source_kind,
    source_type: one.source_type,
    team: nameOf(team(one)),
    assignee: nameOf(assignee(one)),
    started_at: iso(one.started_at),
    acknowledged_at: iso(one.acknowledged_at),
    acknowledged_by: nameOf(one.acknowledged_by),
    resolved_at: iso(one.resolved_at),
    resolved_by: nameOf(one.resolved_by),
    resolution: one.resolution_reason,
    time_to_ack_seconds: seconds(one.started_at, one.acknowledged_at),
    time_to_resolve_seconds: seconds(one.started_at, one.resolved_at),
    alerts: one.alert_count,
    tags: one.tags.join(' '),
    labels: Object.entries(one.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    id: one.incident_id
  }))
  return { csv: csvOf(lines), total }
}
