/**
 * Ongoing alerts of senders without any signal for `auto_resolve_minutes`, as set by the rule that
 * decided or by their integration. An incident that is its own alert counts as one of them. Alerts
 * of the api have no integration, and that of others may be deleted: then only a rule sets it. A
 * rule never ends an alert of a monitor or heartbeat, which we know still fails.
 * Source: docs/design/inbound-sources.md#s1-3, docs/design/api/alerts-and-routing.md#s6-3.
 */
import type { Pool } from './pool.ts'

/** Until when all that came in is known. */
const AT = 'coalesce($4::timestamptz, now())'

const waits = (alias: string): string => `coalesce((${alias}.routing ->> 'auto_resolve_minutes')::int, g.auto_resolve_minutes)`

/**
 * Our own outages while the alert was silent: doors that refused, a log that was away. Notices of
 * one kind never overlap.
 */
const OURS = `coalesce((SELECT sum(least(n.ended_at, ${AT}) - greatest(n.started_at, s.last_seen_at)) FROM platform_notices n
       WHERE n.kind = 'ingest_gap' AND n.started_at < ${AT} AND n.ended_at > s.last_seen_at), interval '0')`

/** $1: the workspace. */
const quiet = (table: 'alerts' | 'incidents', id: string, only: string): string => `
  SELECT a.${id} AS alert_id, a.dedup_key, ${waits('a')} AS minutes, s.last_seen_at
    FROM ${table} a
    LEFT JOIN integrations g ON g.tenant_id = a.tenant_id AND g.integration_id = a.integration_id
    JOIN signals s ON s.tenant_id = a.tenant_id AND s.dedup_key = a.dedup_key
   WHERE a.status = 'ongoing' AND a.source_kind = 'inbound' ${only}
     AND a.tenant_id = $1 AND ${waits('a')} IS NOT NULL AND s.last_seen_at <= ${AT} - make_interval(mins => ${waits('a')})
     AND s.last_seen_at <= ${AT} - make_interval(mins => ${waits('a')}) - ${OURS}`

const QUIET = `
  SELECT q.alert_id, q.dedup_key, q.minutes, q.last_seen_at
    FROM (${quiet('alerts', 'alert_id', '')} UNION ALL ${quiet('incidents', 'incident_id', 'AND a.ongoing_alerts IS NULL')}) q
   WHERE q.alert_id > $2::uuid ORDER BY q.alert_id LIMIT $3`

/** The condition of the indexes of 0234. */
const BY_RULE = "status = 'ongoing' AND source_kind = 'inbound' AND (routing ->> 'auto_resolve_minutes') IS NOT NULL"

/** Steps from the first row of a workspace to the first of the next, however many it has. */
const workspacesOf = (table: 'alerts' | 'incidents'): string => `
  SELECT id FROM (
    WITH RECURSIVE of (id) AS (
      (SELECT tenant_id FROM ${table} WHERE ${BY_RULE} ORDER BY tenant_id LIMIT 1)
      UNION ALL
      SELECT (SELECT tenant_id FROM ${table} WHERE ${BY_RULE} AND tenant_id > of.id ORDER BY tenant_id LIMIT 1) FROM of WHERE of.id IS NOT NULL)
    SELECT id FROM of WHERE id IS NOT NULL) ${table}`

/** Exported for the test of its plan. */
export const WORKSPACES = `
  SELECT DISTINCT tenant_id AS id FROM integrations WHERE auto_resolve_minutes IS NOT NULL
   UNION ${workspacesOf('alerts')} UNION ${workspacesOf('incidents')} ORDER BY id`

/** Returns the workspaces that may have such alerts: an integration or a rule sets a time. */
export async function workspacesWithQuiet(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ name: 'alerts-quiet-workspaces', text: WORKSPACES })
  return rows.map(({ id }) => id)
}

export interface QuietAlert {
  alert_id: string
  dedup_key: string
  minutes: number
  /** Epoch ms. */
  last_seen_at: number
}

/**
 * Returns up to `most` of them in one workspace, by id, after the id `after` ('' starts from the
 * first). `at`: until when all that came in is known, epoch ms; null: now. Time of our own
 * outages does not count.
 */
export async function quietAlerts(pool: Pool, tenant_id: string, after: string, most: number, at: number | null): Promise<QuietAlert[]> {
  const { rows } = await pool.query<QuietAlert>({
    name: 'alerts-quiet',
    text: QUIET,
    values: [tenant_id, after === '' ? '00000000-0000-0000-0000-000000000000' : after, most, at === null ? null : new Date(at)]
  })
  return rows
}
