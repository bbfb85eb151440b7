/**
 * On-call schedules as rows. What people change of the future is a new version: a saved definition
 * never changes. Whoever writes does it inside `changing` (schedule-history.ts), so that what was
 * in fact is written down before.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { Definition } from '../../schemas/http/on-call-words.ts'
import type { Tx } from './pool.ts'

/** What people set of a schedule beside its definition. */
export interface ScheduleSettings {
  name: string
  description: string
  team_id: string | null
  labels: Record<string, string>
}

export interface Schedule extends ScheduleSettings {
  tenant_id: string
  schedule_id: string
  ver: number
  /** Epoch ms. */
  created_at: number
  updated_at: number
  deleted_at: number | null
}

export interface ScheduleVersion {
  schedule_id: string
  version: number
  /** Epoch ms; -Infinity for the first. */
  effective_at: number
  definition: Definition
}

const COLUMNS = 'tenant_id, schedule_id, name, description, team_id, labels, ver, created_at, updated_at, deleted_at'

export interface ScheduleFilter {
  q?: string | undefined
  team_id?: string | undefined
  /** Named by the last definition. */
  user_id?: string | undefined
}

const LAST = `SELECT v.user_ids FROM schedule_versions v WHERE v.tenant_id = s.tenant_id AND v.schedule_id = s.schedule_id
               ORDER BY v.version DESC LIMIT 1`
const WHERE = `s.tenant_id = $1 AND s.deleted_at IS NULL AND ($2::text IS NULL OR s.name ILIKE $2) AND ($3::uuid IS NULL OR s.team_id = $3)
  AND ($4::uuid IS NULL OR $4 = ANY ((${LAST})::uuid[]))`

/** By name. */
export async function listSchedules(
  tx: Tx,
  tenant_id: string,
  { q, team_id, user_id }: ScheduleFilter,
  { page, per_page }: Page
): Promise<{ items: Schedule[]; total: number }> {
  const part = q === undefined ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const values = [tenant_id, part, team_id ?? null, user_id ?? null]
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM schedules s WHERE ${WHERE}`, values)
  const { rows } = await tx.query<Schedule>(
    `SELECT ${COLUMNS} FROM schedules s WHERE ${WHERE} ORDER BY lower(s.name), s.schedule_id LIMIT $5 OFFSET $6`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

export async function countSchedules(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM schedules WHERE tenant_id = $1 AND deleted_at IS NULL', [
    tenant_id
  ])
  return rows[0]?.count ?? 0
}

/** The schedule, deleted ones too, or null. */
export async function readSchedule(tx: Tx, tenant_id: string, schedule_id: string): Promise<Schedule | null> {
  const { rows } = await tx.query<Schedule>(`SELECT ${COLUMNS} FROM schedules WHERE tenant_id = $1 AND schedule_id = $2`, [
    tenant_id,
    schedule_id
  ])
  return rows[0] ?? null
}

/** The last saved version of each, by the id of the schedule. */
export async function lastVersions(tx: Tx, tenant_id: string, schedule_ids: readonly string[]): Promise<Map<string, ScheduleVersion>> {
  const { rows } = await tx.query<ScheduleVersion>(
    `SELECT DISTINCT ON (schedule_id) schedule_id, version, effective_at, definition FROM schedule_versions
      WHERE tenant_id = $1 AND schedule_id = ANY ($2::uuid[]) ORDER BY schedule_id, version DESC`,
    [tenant_id, schedule_ids]
  )
  return new Map(rows.map((row) => [row.schedule_id, row]))
}

/** The version that counts at an instant (epoch ms), or null. */
export async function versionAt(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<ScheduleVersion | null> {
  const { rows } = await tx.query<ScheduleVersion>(
    `SELECT schedule_id, version, effective_at, definition FROM schedule_versions
      WHERE tenant_id = $1 AND schedule_id = $2 AND effective_at <= $3 ORDER BY version DESC LIMIT 1`,
    [tenant_id, schedule_id, new Date(at)]
  )
  return rows[0] ?? null
}

export async function countVersions(tx: Tx, tenant_id: string, schedule_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM schedule_versions WHERE tenant_id = $1 AND schedule_id = $2', [
    tenant_id,
    schedule_id
  ])
  return rows[0]?.count ?? 0
}

/** `at` in epoch ms: when it is made. */
export async function insertSchedule(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  { name, description, team_id, labels }: ScheduleSettings,
  at: number
): Promise<void> {
  await tx.query(
    `INSERT INTO schedules (tenant_id, schedule_id, name, description, team_id, labels, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [tenant_id, schedule_id, name, description, team_id, labels, new Date(at)]
  )
}

export async function updateSchedule(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  { name, description, team_id, labels }: ScheduleSettings
): Promise<void> {
  await tx.query(
    `UPDATE schedules SET name = $3, description = $4, team_id = $5, labels = $6, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND schedule_id = $2`,
    [tenant_id, schedule_id, name, description, team_id, labels]
  )
}

/** The row stays, for the past. `at` in epoch ms. */
export async function deleteSchedule(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<void> {
  await tx.query(`UPDATE schedules SET deleted_at = $3, ver = ver + 1, updated_at = now() WHERE tenant_id = $1 AND schedule_id = $2`, [
    tenant_id,
    schedule_id,
    new Date(at)
  ])
}

/** Everybody whom a definition names, in layers and in the fallback. */
export function peopleOf({ layers, fallback }: Definition): string[] {
  const ids = layers.flatMap(({ participants }) => participants.flatMap((one) => one ?? []))
  return [...new Set(fallback.kind === 'user' && fallback.id !== null ? [...ids, fallback.id] : ids)]
}

/** `effective_at` in epoch ms, null for the first version. */
export async function insertVersion(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  entry: { version: number; effective_at: number | null; definition: Definition; created_by: string }
): Promise<void> {
  const { version, effective_at, definition, created_by } = entry
  await tx.query(
    `INSERT INTO schedule_versions (tenant_id, schedule_id, version, effective_at, definition, user_ids, created_by)
     VALUES ($1, $2, $3, coalesce($4, '-infinity'::timestamptz), $5, $6, $7)`,
    [
      tenant_id,
      schedule_id,
      version,
      effective_at === null ? null : new Date(effective_at),
      JSON.stringify(definition),
      peopleOf(definition),
      created_by
    ]
  )
}
