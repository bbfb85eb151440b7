/**
 * Monitors and heartbeats as analytics needs them: whether a workspace has them, since when, and
 * what decides which maintenance windows cover them. Times are epoch ms.
 */
import type { Entity } from '../../schemas/analytics.ts'
import type { Tx } from './pool.ts'
import { openSql } from './teams.ts'

/**
 * Ids by kind: null for all, an empty list for none. If `tags` are given, only those with one of
 * the tags.
 */
export interface EntityFilter {
  monitor_ids: readonly string[] | null
  heartbeat_ids: readonly string[] | null
  tags?: readonly string[] | undefined
}

const SELECT = `
  SELECT 'monitor' AS kind, monitor_id AS id, created_at, tags, ${openSql('m')} AS open FROM monitors m
   WHERE tenant_id = $1 AND deleted_at IS NULL AND ($2::uuid[] IS NULL OR monitor_id = ANY ($2)) AND ($4::text[] IS NULL OR tags && $4)
  UNION ALL
  SELECT 'heartbeat', heartbeat_id, created_at, tags, ${openSql('h')} FROM heartbeats h
   WHERE tenant_id = $1 AND deleted_at IS NULL AND ($3::uuid[] IS NULL OR heartbeat_id = ANY ($3)) AND ($4::text[] IS NULL OR tags && $4)
   ORDER BY kind, id
   LIMIT $5`

/** Returns at most `limit`, by kind and id. Deleted ones are left out. */
export async function listEntities(
  tx: Tx,
  tenant_id: string,
  filter: EntityFilter,
  limit: number
): Promise<Required<Omit<Entity, 'group_id'>>[]> {
  const { monitor_ids, heartbeat_ids, tags } = filter
  const { rows } = await tx.query<Required<Omit<Entity, 'group_id'>>>(SELECT, [tenant_id, monitor_ids, heartbeat_ids, tags ?? null, limit])
  return rows
}

/** Returns those of `incident_ids` that are incidents of the workspace. */
export async function knownIncidents(tx: Tx, tenant_id: string, incident_ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ incident_id: string }>(
    'SELECT incident_id FROM incidents WHERE tenant_id = $1 AND incident_id = ANY ($2::uuid[])',
    [tenant_id, incident_ids]
  )
  return new Set(rows.map((row) => row.incident_id))
}
