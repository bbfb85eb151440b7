/**
 * Alerts as the sender of an integration may see them: only its own. An alert with a row of its own
 * is one that a rule groups, or keeps from becoming an incident; otherwise the incident that the
 * alert opened is the alert. Queries take the workspace first, then the integration; an alert of
 * another integration is not found. Instants are epoch ms.
 * Source: docs/design/inbound-sources.md#s2-2.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { sortedByKey } from '../../schemas/text-order.ts'
import type { Tx } from './pool.ts'

const SHARED = [
  'dedup_key',
  'status',
  'severity',
  'title',
  'summary',
  'integration_id',
  'priority',
  'labels',
  'links',
  'started_at',
  'opened_at',
  'updated_at'
] as const satisfies readonly (keyof Alert & keyof Incident)[]

export interface SenderAlert extends Pick<Alert, (typeof SHARED)[number]> {
  /** The id of the alert; that of the incident if the incident is the alert. */
  id: string
  /** The number of the incident that is the alert. */
  number: number | null
  /** Of the alert, or of the incident that it belongs to. */
  acknowledged_at: number | null
  silenced_until: number | null
  /** How often the key fired, over all its alerts. */
  occurrences: number
  last_seen_at: number | null
}

const sharedOf = (alias: string): string => SHARED.map((column) => `${alias}.${column}`).join(', ')

/** Alerts of the integration $2 that are incidents `i`. */
const INCIDENTS = `SELECT i.tenant_id, i.incident_id AS id, i.number, ${sharedOf('i')}, i.acknowledged_at, i.silenced_until
    FROM incidents i
   WHERE i.tenant_id = $1 AND i.integration_id = $2 AND i.ongoing_alerts IS NULL`

/** Alerts of the integration $2 with rows of their own, `a`. */
const OWN_ROWS = `SELECT a.tenant_id, a.alert_id AS id, NULL::bigint AS number, ${sharedOf('a')},
         coalesce(a.acknowledged_at, g.acknowledged_at) AS acknowledged_at, g.silenced_until
    FROM alerts a LEFT JOIN incidents g ON g.tenant_id = a.tenant_id AND g.incident_id = a.incident_id
   WHERE a.tenant_id = $1 AND a.integration_id = $2`

/** Selects from alerts `x` what their keys saw. */
const seen = (
  alerts: string
): string => `SELECT x.id, x.number, ${sharedOf('x')}, x.acknowledged_at, x.silenced_until, s.occurrences, s.last_seen_at
    FROM (${alerts}) x JOIN signals s ON s.tenant_id = x.tenant_id AND s.dedup_key = x.dedup_key`

const toSeen = (row: SenderAlert): SenderAlert => ({ ...row, labels: sortedByKey(row.labels) })
const one = ([row]: readonly SenderAlert[]): SenderAlert | null => (row ? toSeen(row) : null)

/** Returns an alert by its id (a UUID), or null. */
export async function readSenderAlert(tx: Tx, tenant_id: string, integration_id: string, id: string): Promise<SenderAlert | null> {
  const { rows } = await tx.query<SenderAlert>(seen(`${INCIDENTS} AND i.incident_id = $3 UNION ALL ${OWN_ROWS} AND a.alert_id = $3`), [
    tenant_id,
    integration_id,
    id
  ])
  return one(rows)
}

/** Returns the alert that is the incident with this number, or null. */
export async function readAlertOfNumber(tx: Tx, tenant_id: string, integration_id: string, number: number): Promise<SenderAlert | null> {
  const { rows } = await tx.query<SenderAlert>(seen(`${INCIDENTS} AND i.number = $3`), [tenant_id, integration_id, number])
  return one(rows)
}

/** Returns the newest alert of a signal key, or null. */
export async function readNewestOfKey(tx: Tx, tenant_id: string, integration_id: string, dedup_key: string): Promise<SenderAlert | null> {
  const { rows } = await tx.query<SenderAlert>(
    `${seen(`${INCIDENTS} AND i.dedup_key = $3 UNION ALL ${OWN_ROWS} AND a.dedup_key = $3`)} AND x.id = coalesce(s.alert_id, s.incident_id)`,
    [tenant_id, integration_id, dedup_key]
  )
  return one(rows)
}

/** Lists one page, latest start first. `status` null: both. */
export async function listSenderAlerts(
  tx: Tx,
  tenant_id: string,
  integration_id: string,
  { status, limit, offset }: { status: 'ongoing' | 'resolved' | null; limit: number; offset: number }
): Promise<SenderAlert[]> {
  // Each part is read by its index of starts, and only as far as the page reaches.
  const { rows } = await tx.query<SenderAlert>(
    `${seen(`(${INCIDENTS} AND ($3::text IS NULL OR i.status = $3) ORDER BY i.started_at DESC, i.incident_id DESC LIMIT $4::int + $5::int)
       UNION ALL
       (${OWN_ROWS} AND ($3::text IS NULL OR a.status = $3) ORDER BY a.started_at DESC, a.alert_id DESC LIMIT $4::int + $5::int)`)}
      ORDER BY x.started_at DESC, x.id DESC LIMIT $4::int OFFSET $5::int`,
    [tenant_id, integration_id, status, limit, offset]
  )
  return rows.map(toSeen)
}

/**
 * Returns the signal whose key begins with `key_prefix` (which ends in hex digits), and the id and
 * alias of its newest alert; null while there is no such signal.
 */
export async function readSignalByPrefix(
  tx: Tx,
  tenant_id: string,
  key_prefix: string
): Promise<{ last_seen_at: number | null; alert_id: string | null; alias: string | null } | null> {
  // The range ends at the prefix followed by the character after all hex digits, so that the key's
  // index is used.
  const { rows } = await tx.query<{ last_seen_at: number | null; alert_id: string | null; alias: string | null }>(
    `SELECT s.last_seen_at, coalesce(s.alert_id, s.incident_id) AS alert_id, coalesce(a.labels, i.labels) ->> 'alias' AS alias
       FROM signals s
       LEFT JOIN alerts a ON a.tenant_id = s.tenant_id AND a.alert_id = s.alert_id
       LEFT JOIN incidents i ON i.tenant_id = s.tenant_id AND i.incident_id = s.incident_id
      WHERE s.tenant_id = $1 AND s.dedup_key >= $2 AND s.dedup_key < $3 ORDER BY s.last_seen_at DESC NULLS LAST LIMIT 1`,
    [tenant_id, key_prefix, `${key_prefix}g`]
  )
  return rows[0] ?? null
}
