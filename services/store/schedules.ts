/**
 * On-call schedules as rows. Changing the future makes a new version: a saved definition never
 * changes. Whoever writes does so inside `changing` (schedule-history.ts), so that the past is
 * written down first.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { Definition } from '../../schemas/http/on-call-words.ts'
import type { Tx } from './pool.ts'

/** Settings of a schedule beside its definition. */
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
  /** Epoch ms; -Infinity for the first version. */
  effective_at: number
  definition: Definition
}

const COLUMNS = 'tenant_id, schedule_id, name, description, team_id, labels, ver, created_at, updated_at, deleted_at'

export interface ScheduleFilter {
  q?: string | undefined
  team_id?: string | undefined
  /** A person whom a definition of now or later names. */
  user_id?: string | undefined
}

/** SQL: whether the version `v` of a schedule is in force at the instant `at`, or will be later. */
export const inForceFromSql = (at: string): string => `v.version >= (
  SELECT max(b.version) FROM schedule_versions b
   WHERE b.tenant_id = v.tenant_id AND b.schedule_id = v.schedule_id AND b.effective_at <= ${at})
  AND NOT EXISTS (
  SELECT FROM schedule_versions n
   WHERE n.tenant_id = v.tenant_id AND n.schedule_id = v.schedule_id AND n.version > v.version AND n.effective_at <= v.effective_at)`

const WHERE = `s.tenant_id = $1 AND s.deleted_at IS NULL AND ($2::text IS NULL OR s.name ILIKE $2) AND ($3::uuid IS NULL OR s.team_id = $3)
  AND ($4::uuid IS NULL OR EXISTS (
    SELECT FROM schedule_versions v WHERE v.tenant_id = s.tenant_id AND v.schedule_id = s.schedule_id AND $4 = ANY (v.user_ids)
       AND ${inForceFromSql('now()')}))`

/** Lists the schedules, sorted by name. */
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

/** Returns the schedule, even if deleted, or null. */
export async function readSchedule(tx: Tx, tenant_id: string, schedule_id: string): Promise<Schedule | null> {
  const { rows } = await tx.query<Schedule>(`SELECT ${COLUMNS} FROM schedules WHERE tenant_id = $1 AND schedule_id = $2`, [
    tenant_id,
    schedule_id
  ])
  return rows[0] ?? null
}

/** Returns the last saved version of each schedule, by schedule id. */
export async function lastVersions(tx: Tx, tenant_id: string, schedule_ids: readonly string[]): Promise<Map<string, ScheduleVersion>> {
  const { rows } = await tx.query<ScheduleVersion>(
    `SELECT DISTINCT ON (schedule_id) schedule_id, version, effective_at, definition FROM schedule_versions
      WHERE tenant_id = $1 AND schedule_id = ANY ($2::uuid[]) ORDER BY schedule_id, version DESC`,
    [tenant_id, schedule_ids]
  )
  return new Map(rows.map((row) => [row.schedule_id, row]))
}

/** Returns the version in force at an instant (epoch ms), or null. */
export async function versionAt(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<ScheduleVersion | null> {
  const { rows } = await tx.query<ScheduleVersion>(
    `SELECT schedule_id, version, effective_at, definition FROM schedule_versions
      WHERE tenant_id = $1 AND schedule_id = $2 AND effective_at <= $3 ORDER BY version DESC LIMIT 1`,
    [tenant_id, schedule_id, new Date(at)]
  )
  return rows[0] ?? null
}

export async function lastVersionNumber(tx: Tx, tenant_id: string, schedule_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT max(version) AS count FROM schedule_versions WHERE tenant_id = $1 AND schedule_id = $2',
    [tenant_id, schedule_id]
  )
  return rows[0]?.count ?? 0
}

/**
 * A version, with the definition that it replaced and the end of its time in force. Times are epoch
 * ms.
 */
export interface SavedVersion extends ScheduleVersion {
  /** When a later version takes effect; null: none does yet. */
  until: number | null
  /** Definition of the previous version; null for the first. */
  before: Definition | null
  created_by: string
  created_at: number
}

/** Newest first. */
export async function listVersions(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  { page, per_page }: Page
): Promise<{ items: SavedVersion[]; total: number }> {
  const total = await lastVersionNumber(tx, tenant_id, schedule_id)
  const { rows } = await tx.query<SavedVersion>(
    `WITH spans AS (
       SELECT version, min(effective_at) OVER (ORDER BY version DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until
         FROM schedule_versions WHERE tenant_id = $1 AND schedule_id = $2),
     page AS (SELECT version, until FROM spans ORDER BY version DESC LIMIT $3 OFFSET $4)
     SELECT v.schedule_id, v.version, v.effective_at, v.definition, v.created_by, v.created_at, page.until, b.definition AS before
       FROM page JOIN schedule_versions v ON v.tenant_id = $1 AND v.schedule_id = $2 AND v.version = page.version
       LEFT JOIN schedule_versions b ON b.tenant_id = $1 AND b.schedule_id = $2 AND b.version = page.version - 1
      ORDER BY v.version DESC`,
    [tenant_id, schedule_id, per_page, (page - 1) * per_page]
  )
  return { items: rows, total }
}

/** Settings of a schedule as they were at an instant (epoch ms), with their version; or null. */
export async function settingsAt(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  at: number
): Promise<(ScheduleSettings & { ver: number; updated_at: number }) | null> {
  const { rows } = await tx.query<{ ver: number; updated_at: number; body: ScheduleSettings }>(
    `SELECT version AS ver, at AS updated_at, body FROM config_versions
      WHERE tenant_id = $1 AND kind = 'schedule' AND id = $2 AND date_trunc('milliseconds', at) <= $3 AND NOT body ? 'deleted'
      ORDER BY version DESC LIMIT 1`,
    [tenant_id, schedule_id, new Date(at)]
  )
  const [row] = rows
  if (!row) return null
  const { name, description, team_id, labels } = row.body
  return { name, description, team_id, labels, ver: row.ver, updated_at: row.updated_at }
}

/** `at`: when it is made, in epoch ms. */
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

/** Marks the schedule as deleted; the row stays, for the past. `at` in epoch ms. */
export async function deleteSchedule(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<void> {
  await tx.query(`UPDATE schedules SET deleted_at = $3, ver = ver + 1, updated_at = now() WHERE tenant_id = $1 AND schedule_id = $2`, [
    tenant_id,
    schedule_id,
    new Date(at)
  ])
}

/** Returns everybody whom a definition names, in its layers and in its fallback. */
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

/** Returns the schedules that existed at an instant (epoch ms), by name; at most `most`. */
export async function schedulesAt(
  tx: Tx,
  tenant_id: string,
  { team_id, at, most }: { team_id?: string | undefined; at: number; most: number }
): Promise<Schedule[]> {
  const { rows } = await tx.query<Schedule>(
    `SELECT ${COLUMNS} FROM schedules WHERE tenant_id = $1 AND ($2::uuid IS NULL OR team_id = $2) AND (deleted_at IS NULL OR deleted_at > $3)
      ORDER BY lower(name), schedule_id LIMIT $4`,
    [tenant_id, team_id ?? null, new Date(at), most]
  )
  return rows
}

/** Returns the versions that are in force at an instant (epoch ms) or will be later, in order. */
export async function versionsFrom(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<ScheduleVersion[]> {
  const { rows } = await tx.query<ScheduleVersion>(
    `SELECT schedule_id, version, effective_at, definition FROM schedule_versions v
      WHERE tenant_id = $1 AND schedule_id = $2 AND ${inForceFromSql('$3')}
      ORDER BY version`,
    [tenant_id, schedule_id, new Date(at)]
  )
  return rows
}

/** Schedules whose definitions name a person from an instant on (epoch ms), with their names. */
export async function schedulesNaming(tx: Tx, tenant_id: string, user_id: string, at: number): Promise<Schedule[]> {
  const { rows } = await tx.query<Schedule>(
    `SELECT ${COLUMNS} FROM schedules s WHERE tenant_id = $1 AND deleted_at IS NULL AND EXISTS (
       SELECT FROM schedule_versions v WHERE v.tenant_id = $1 AND v.schedule_id = s.schedule_id AND $2 = ANY (v.user_ids)
          AND ${inForceFromSql('$3')})
      ORDER BY lower(name), schedule_id`,
    [tenant_id, user_id, new Date(at)]
  )
  return rows
}

/**
 * Returns the schedules by which a person is on call from an instant on (epoch ms), by a definition
 * or an override, by name; at most `most`.
 */
export async function schedulesWith(tx: Tx, tenant_id: string, user_id: string, at: number, most: number): Promise<Schedule[]> {
  const { rows } = await tx.query<Schedule>(
    `SELECT ${COLUMNS} FROM schedules s WHERE tenant_id = $1 AND deleted_at IS NULL
        AND (EXISTS (SELECT FROM schedule_versions v WHERE v.tenant_id = $1 AND v.schedule_id = s.schedule_id AND $2 = ANY (v.user_ids)
                        AND ${inForceFromSql('$3')})
             OR EXISTS (SELECT FROM on_call_overrides o WHERE o.tenant_id = $1 AND o.schedule_id = s.schedule_id AND o.user_id = $2
                           AND o.ends_at > $3))
      ORDER BY lower(name), schedule_id LIMIT $4`,
    [tenant_id, user_id, new Date(at), most]
  )
  return rows
}

/** Returns other schedules that fall back to this one, now or later; `at` in epoch ms. */
export async function schedulesFallingBackTo(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<Schedule[]> {
  const { rows } = await tx.query<Schedule>(
    `SELECT ${COLUMNS} FROM schedules s WHERE tenant_id = $1 AND deleted_at IS NULL AND schedule_id <> $2 AND EXISTS (
       SELECT FROM schedule_versions v WHERE v.tenant_id = $1 AND v.schedule_id = s.schedule_id
          AND v.definition @> jsonb_build_object('fallback', jsonb_build_object('kind', 'schedule', 'id', $2::text))
          AND ${inForceFromSql('$3')})
      ORDER BY lower(name), schedule_id`,
    [tenant_id, schedule_id, new Date(at)]
  )
  return rows
}
