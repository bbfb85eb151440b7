/**
 * Groups of monitors, with how many monitors of each are up, degraded, down and paused. Only
 * monitors that the transaction sees are counted. Instants are epoch ms.
 * Source: docs/design/api/monitors.md#mo-15.
 */
import { storable } from '../../streams/incident/rules.ts'
import { PHASE, STATUS } from './monitors.ts'
import type { Tx } from './pool.ts'

export interface StoredGroup {
  tenant_id: string
  group_id: string
  name: string
  description: string
  place: number
  ver: number
  created_at: number
  updated_at: number
}

export interface CountedGroup extends StoredGroup {
  total: number
  up: number
  degraded: number
  down: number
  paused: number
}

const SELECT = `SELECT g.tenant_id, g.group_id, g.name, g.description, g.place, g.ver, g.created_at, g.updated_at,
    c.total, c.paused, c.down, c.degraded, c.total - c.paused - c.down - c.degraded AS up
  FROM monitor_groups g CROSS JOIN LATERAL (
    SELECT count(*) AS total,
           count(*) FILTER (WHERE s.status = 'paused') AS paused,
           count(*) FILTER (WHERE s.status = 'down') AS down,
           count(*) FILTER (WHERE s.status = 'up' AND s.phase = 'degraded') AS degraded
      FROM (SELECT ${STATUS} AS status, ${PHASE} AS phase
              FROM monitors m
              LEFT JOIN partition_state p ON p.processor = 'status' AND p.key = m.state_key AND p.tenant_id = m.tenant_id
             WHERE m.tenant_id = g.tenant_id AND m.group_id = g.group_id AND m.deleted_at IS NULL) s) c`

export async function readGroup(tx: Tx, tenant_id: string, group_id: string): Promise<CountedGroup | null> {
  const { rows } = await tx.query<CountedGroup>(`${SELECT} WHERE g.tenant_id = $1 AND g.group_id = $2`, [tenant_id, group_id])
  return rows[0] ?? null
}

/** Like readGroup, but locks the row. */
export async function lockGroup(tx: Tx, tenant_id: string, group_id: string): Promise<CountedGroup | null> {
  await tx.query('SELECT FROM monitor_groups WHERE tenant_id = $1 AND group_id = $2 FOR UPDATE', [tenant_id, group_id])
  return readGroup(tx, tenant_id, group_id)
}

/** Whether the group exists. If it does, it cannot be deleted until the transaction ends. */
export async function holdGroup(tx: Tx, tenant_id: string, group_id: string): Promise<boolean> {
  const { rows } = await tx.query('SELECT FROM monitor_groups WHERE tenant_id = $1 AND group_id = $2 FOR KEY SHARE', [tenant_id, group_id])
  return rows.length > 0
}

/** Returns the id of the group with this name, whatever its letter case. */
export async function groupNamed(tx: Tx, tenant_id: string, name: string): Promise<string | null> {
  const { rows } = await tx.query<{ group_id: string }>(
    'SELECT group_id FROM monitor_groups WHERE tenant_id = $1 AND lower(name) = lower($2)',
    [tenant_id, storable(name)]
  )
  return rows[0]?.group_id ?? null
}

/** Locks the monitors of a group that the transaction sees, before the group itself is locked. */
export async function lockMembers(tx: Tx, tenant_id: string, group_id: string): Promise<void> {
  await tx.query('SELECT FROM monitors WHERE tenant_id = $1 AND group_id = $2 ORDER BY monitor_id FOR UPDATE', [tenant_id, group_id])
}

export async function countGroups(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM monitor_groups WHERE tenant_id = $1', [tenant_id])
  return rows[0]?.count ?? 0
}

/** Lists the groups in their order; `page` counts from 1. */
export async function listGroups(
  tx: Tx,
  tenant_id: string,
  { page, per_page }: { page: number; per_page: number }
): Promise<{ items: CountedGroup[]; total: number }> {
  const { rows } = await tx.query<CountedGroup>(
    `${SELECT} WHERE g.tenant_id = $1 ORDER BY g.place, lower(g.name), g.group_id LIMIT $2 OFFSET $3`,
    [tenant_id, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: await countGroups(tx, tenant_id) }
}

export type GroupFields = Pick<StoredGroup, 'name' | 'description' | 'place'>

/** Rejects with 23505 of monitor_groups_name when the name is taken. */
export async function insertGroup(tx: Tx, tenant_id: string, group_id: string, { name, description, place }: GroupFields): Promise<void> {
  await tx.query('INSERT INTO monitor_groups (tenant_id, group_id, name, description, place) VALUES ($1, $2, $3, $4, $5)', [
    tenant_id,
    group_id,
    storable(name),
    storable(description),
    place
  ])
}

/** Updates a group that is locked. Rejects as insertGroup does. */
export async function updateGroup(tx: Tx, tenant_id: string, group_id: string, { name, description, place }: GroupFields): Promise<void> {
  await tx.query(
    `UPDATE monitor_groups SET name = $3, description = $4, place = $5, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND group_id = $2`,
    [tenant_id, group_id, storable(name), storable(description), place]
  )
}

/** Deletes the group. Its monitors belong to no group afterwards. */
export async function deleteGroup(tx: Tx, tenant_id: string, group_id: string): Promise<void> {
  await tx.query('DELETE FROM monitor_groups WHERE tenant_id = $1 AND group_id = $2', [tenant_id, group_id])
}
