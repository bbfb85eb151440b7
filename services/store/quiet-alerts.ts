/**
 * Ongoing alerts of senders without any signal for `auto_resolve_minutes`, as set by the rule that
 * decided or by their integration. An incident that is its own alert counts as one of them. Alerts
 * of the api have no integration, and that of others may be deleted: then only a rule sets it. A
 * rule never ends an alert of a monitor or heartbeat, which we know still fails.
 * Source: docs/design/inbound-sources.md#s1-3, docs/design/api/alerts-and-routing.md#s6-3.
 */
import type { Pool } from './pool.ts'

const waits = (alias: string): string => `coalesce((${alias}.routing ->> 'auto_resolve_minutes')::int, g.auto_resolve_minutes)`

/** $1: the workspace, or null for all. */
const quiet = (table: 'alerts' | 'incidents', id: string, only: string): string => `
  SELECT a.tenant_id, a.${id} AS alert_id, ${waits('a')} AS minutes
    FROM ${table} a
    LEFT JOIN integrations g ON g.tenant_id = a.tenant_id AND g.integration_id = a.integration_id
    JOIN signals s ON s.tenant_id = a.tenant_id AND s.dedup_key = a.dedup_key
   WHERE a.status = 'ongoing' AND a.source_kind = 'inbound' ${only}
     AND ($1::uuid IS NULL OR a.tenant_id = $1) AND ${waits('a')} IS NOT NULL AND s.last_seen_at <= now() - make_interval(mins => ${waits('a')})`

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
