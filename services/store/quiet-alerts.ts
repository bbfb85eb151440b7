/**
 * Ongoing alerts without any signal for `auto_resolve_minutes`, as set by their integration or by
 * the rule that decided. An incident that is its own alert counts as one of them.
 * Source: docs/design/inbound-sources.md#s1-3, docs/design/api/alerts-and-routing.md#s6-3.
 */
import type { Pool } from './pool.ts'

const waits = (alias: string): string => `coalesce((${alias}.routing ->> 'auto_resolve_minutes')::int, g.auto_resolve_minutes)`

/** $1: the workspace, or null for all. */
const quiet = (table: 'alerts' | 'incidents', id: string, only: string): string => `
  SELECT a.tenant_id, a.${id} AS alert_id, ${waits('a')} AS minutes
    FROM integrations g
    JOIN ${table} a ON a.tenant_id = g.tenant_id AND a.integration_id = g.integration_id AND a.status = 'ongoing' ${only}
    JOIN signals s ON s.tenant_id = a.tenant_id AND s.dedup_key = a.dedup_key
   WHERE ($1::uuid IS NULL OR g.tenant_id = $1) AND ${waits('a')} IS NOT NULL AND s.last_seen_at <= now() - make_interval(mins => ${waits('a')})`

const QUIET = `(${quiet('alerts', 'alert_id', '')} UNION ALL ${quiet('incidents', 'incident_id', 'AND a.ongoing_alerts IS NULL')}) q`

/** Returns the workspaces that have such alerts. */
export async function workspacesWithQuiet(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ tenant_id: string }>({
    name: 'alerts-quiet-workspaces',
    text: `SELECT DISTINCT q.tenant_id FROM ${QUIET} ORDER BY q.tenant_id`,
    values: [null]
  })
  return rows.map(({ tenant_id }) => tenant_id)
}

/**
 * Returns up to `most` of them in one workspace, by id, after the id `after` ('' starts from the
 * first).
 */
export async function quietAlerts(
  pool: Pool,
  tenant_id: string,
  after: string,
  most: number
): Promise<{ alert_id: string; minutes: number }[]> {
  const { rows } = await pool.query<{ alert_id: string; minutes: number }>({
    name: 'alerts-quiet',
    text: `SELECT q.alert_id, q.minutes FROM ${QUIET} WHERE q.alert_id > $2::uuid ORDER BY q.alert_id LIMIT $3`,
    values: [tenant_id, after === '' ? '00000000-0000-0000-0000-000000000000' : after, most]
  })
  return rows
}
