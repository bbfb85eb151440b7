/**
 * Incidents as the sender of an integration may see them: only those that its own alerts opened.
 * Queries take the workspace first, then the integration; an incident of another integration is not
 * found. Instants are epoch ms.
 * Source: docs/design/inbound-sources.md#s2-2.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import { columnsOf, toIncident } from './incident-rows.ts'
import type { Tx } from './pool.ts'

export interface SenderIncident extends Incident {
  occurrences: number
  last_seen_at: number | null
}

const SEEN = `SELECT ${columnsOf('i')}, s.occurrences, s.last_seen_at
    FROM incidents i JOIN signals s ON s.tenant_id = i.tenant_id AND s.dedup_key = i.dedup_key`

const toSeen = (row: SenderIncident): SenderIncident => ({ ...row, ...toIncident(row) })

/** Returns an incident by its id (a UUID) or its number, or null. */
export async function readSenderIncident(
  tx: Tx,
  tenant_id: string,
  integration_id: string,
  by: { incident_id: string } | { number: number }
): Promise<SenderIncident | null> {
  const [condition, value] = 'number' in by ? ['i.number = $3', by.number] : ['i.incident_id = $3', by.incident_id]
  const { rows } = await tx.query<SenderIncident>(`${SEEN} WHERE i.tenant_id = $1 AND i.integration_id = $2 AND ${condition}`, [
    tenant_id,
    integration_id,
    value
  ])
  return rows[0] ? toSeen(rows[0]) : null
}

/** The newest incident of a signal key, or null. */
export async function readNewestOfKey(
  tx: Tx,
  tenant_id: string,
  integration_id: string,
  dedup_key: string
): Promise<SenderIncident | null> {
  const { rows } = await tx.query<SenderIncident>(
    `${SEEN} AND s.incident_id = i.incident_id WHERE i.tenant_id = $1 AND i.integration_id = $2 AND i.dedup_key = $3`,
    [tenant_id, integration_id, dedup_key]
  )
  return rows[0] ? toSeen(rows[0]) : null
}

/** Lists one page, newest first. `status` null: both. */
export async function listSenderIncidents(
  tx: Tx,
  tenant_id: string,
  integration_id: string,
  { status, limit, offset }: { status: 'ongoing' | 'resolved' | null; limit: number; offset: number }
): Promise<SenderIncident[]> {
  const { rows } = await tx.query<SenderIncident>(
    `${SEEN} WHERE i.tenant_id = $1 AND i.integration_id = $2 AND ($3::text IS NULL OR i.status = $3) ORDER BY i.number DESC LIMIT $4 OFFSET $5`,
    [tenant_id, integration_id, status, limit, offset]
  )
  return rows.map(toSeen)
}

/**
 * Returns the signal whose key begins with `key_prefix` (which ends in hex digits), and its newest
 * incident with its alias; null while there is no such signal.
 */
export async function readSignalByPrefix(
  tx: Tx,
  tenant_id: string,
  key_prefix: string
): Promise<{ last_seen_at: number | null; incident_id: string | null; alias: string | null } | null> {
  // The range ends at the prefix followed by the character after all hex digits, so that the key's
  // index is used.
  const { rows } = await tx.query<{ last_seen_at: number | null; incident_id: string | null; alias: string | null }>(
    `SELECT s.last_seen_at, s.incident_id, i.labels ->> 'alias' AS alias
       FROM signals s LEFT JOIN incidents i ON i.tenant_id = s.tenant_id AND i.incident_id = s.incident_id
      WHERE s.tenant_id = $1 AND s.dedup_key >= $2 AND s.dedup_key < $3 ORDER BY s.last_seen_at DESC NULLS LAST LIMIT 1`,
    [tenant_id, key_prefix, `${key_prefix}g`]
  )
  return rows[0] ?? null
}
