/**
 * Alerts as people read them: alerts with rows of their own, and incidents that are their own only
 * alert. Times are epoch ms. Every query takes the workspace first.
 *
 * Source: docs/design/api/alerts-and-routing.md#s6-1 and #s6-2.
 */
import type { Alert, Severity } from '../../schemas/generated/events.ts'
import { storable } from '../../streams/incident/rules.ts'
import { ALERT_COLUMNS, alertColumnsOf, toAlert } from './incident-rows.ts'
import type { Tx } from './pool.ts'

/** Columns that incidents name differently, or whose current value may be an edit by a person. */
const ofIncident: Partial<Record<keyof Alert, string>> = {
  alert_id: 'i.incident_id AS alert_id',
  title: 'coalesce(i.original_title, i.title) AS title'
}

/** Every row is an alert of the workspace $1. */
const SHOWN = `SELECT * FROM (
  SELECT ${alertColumnsOf('a')} FROM alerts a WHERE a.tenant_id = $1
  UNION ALL
  SELECT ${ALERT_COLUMNS.map((column) => ofIncident[column] ?? `i.${column}`).join(', ')} FROM incidents i
   WHERE i.tenant_id = $1 AND i.ongoing_alerts IS NULL AND i.source_kind <> 'manual') a`

/** One alert by its id (a UUID), or null. */
export async function readAlert(tx: Tx, tenant_id: string, alert_id: string): Promise<Alert | null> {
  const { rows } = await tx.query<Alert>(`${SHOWN} WHERE a.alert_id = $2`, [tenant_id, alert_id])
  return rows[0] ? toAlert(rows[0]) : null
}

/** Works as the filter of incidents: an absent filter admits everything. */
export interface AlertFilter {
  status?: readonly ('ongoing' | 'resolved')[] | undefined
  severity?: readonly Severity[] | undefined
  /** Whether the alert belongs to an incident. */
  promoted?: boolean | undefined
  /** Whether a rule says that nobody is notified. */
  suppressed?: boolean | undefined
  source_kind?: readonly string[] | undefined
  integration_id?: readonly string[] | undefined
  monitor_id?: readonly string[] | undefined
  heartbeat_id?: readonly string[] | undefined
  team_id?: readonly string[] | undefined
  incident_id?: readonly string[] | undefined
  dedup_key?: readonly string[] | undefined
  /** Bounds on started_at in epoch ms: `from` is included, `to` is not. */
  from?: number | undefined
  to?: number | undefined
  /** Substring of the title, ignoring case. */
  q?: string | undefined
  /** Label name → values. */
  labels?: Readonly<Record<string, readonly string[]>> | undefined
}

/** Where the previous page ended. */
export interface AlertPlace {
  started_at: number
  alert_id: string
}

/** Returns `limit` alerts, latest start first. With `before`, returns those that follow it. */
export async function listAlerts(
  tx: Tx,
  tenant_id: string,
  filter: AlertFilter,
  { before, limit }: { before: AlertPlace | null; limit: number }
): Promise<Alert[]> {
  const values: unknown[] = [tenant_id]
  const conditions: string[] = []
  const bind = (value: unknown): string => `$${values.push(value)}`
  const anyOf = (column: keyof Alert, cast: string, wanted: readonly string[] | undefined): void => {
    if (wanted) conditions.push(`a.${column} = ANY (${bind(wanted)}::${cast}[])`)
  }
  anyOf('status', 'text', filter.status)
  anyOf('severity', 'text', filter.severity)
  anyOf('source_kind', 'text', filter.source_kind)
  anyOf('integration_id', 'uuid', filter.integration_id)
  anyOf('monitor_id', 'uuid', filter.monitor_id)
  anyOf('heartbeat_id', 'uuid', filter.heartbeat_id)
  anyOf('team_id', 'uuid', filter.team_id)
  anyOf('incident_id', 'uuid', filter.incident_id)
  anyOf('dedup_key', 'text', filter.dedup_key?.map(storable))
  if (filter.promoted !== undefined) conditions.push(`a.incident_id IS ${filter.promoted ? 'NOT NULL' : 'NULL'}`)
  if (filter.suppressed !== undefined)
    conditions.push(`(a.routing ->> 'suppressed_by_rule_id') IS ${filter.suppressed ? 'NOT NULL' : 'NULL'}`)
  if (filter.from !== undefined) conditions.push(`a.started_at >= ${bind(new Date(filter.from))}`)
  if (filter.to !== undefined) conditions.push(`a.started_at < ${bind(new Date(filter.to))}`)
  if (filter.q !== undefined) conditions.push(`a.title ILIKE ${bind(`%${storable(filter.q).replace(/[\\%_]/g, '\\$&')}%`)}`)
  for (const [name, wanted] of Object.entries(filter.labels ?? {})) {
    conditions.push(`a.labels ->> ${bind(storable(name))} = ANY (${bind(wanted.map(storable))}::text[])`)
  }
  if (before)
    conditions.push(`(a.started_at, a.alert_id) < (${bind(new Date(before.started_at))}::timestamptz, ${bind(before.alert_id)}::uuid)`)
  const { rows } = await tx.query<Alert>(
    `${SHOWN} ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
      ORDER BY a.started_at DESC, a.alert_id DESC LIMIT ${bind(limit)}`,
    values
  )
  return rows.map(toAlert)
}

/** Returns those of these incident and alert ids that the transaction sees. */
export async function seenAmong(tx: Tx, tenant_id: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await tx.query<{ id: string }>(
    `SELECT incident_id AS id FROM incidents WHERE tenant_id = $1 AND incident_id = ANY ($2::uuid[])
     UNION SELECT alert_id FROM alerts WHERE tenant_id = $1 AND alert_id = ANY ($2::uuid[])`,
    [tenant_id, ids]
  )
  return new Set(rows.map(({ id }) => id))
}
