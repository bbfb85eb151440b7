/**
 * Overrides, and swaps that became overrides. Whoever makes, ends or moves one does so inside
 * `changing` (schedule-history.ts). The row of an override that has begun is kept as long as its
 * workspace exists.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { Tx } from './pool.ts'

/** The fields that are given for a new override. Times are epoch ms. */
export interface NewOverride {
  override_id: string
  schedule_id: string
  user_id: string | null
  starts_at: number
  ends_at: number
  replaces_user_id: string | null
  layer: string | null
  reason: string
  swap_id: string | null
  /** kind:id. */
  created_by: string
}

export interface StoredOverride extends NewOverride {
  tenant_id: string
  created_at: number
}

const COLUMNS =
  'tenant_id, override_id, schedule_id, user_id, starts_at, ends_at, replaces_user_id, layer, reason, swap_id, created_by, created_at'

/** `created_by` of overrides that come from the schedule's calendar. */
export const CALENDAR = 'system:calendar'

/**
 * SQL: whether an override is the calendar's. An older version that still runs does not write
 * `from_calendar`.
 */
export const FROM_CALENDAR = `(from_calendar OR created_by = '${CALENDAR}')`

export interface OverrideFilter {
  schedule_id?: string | undefined
  user_id?: string | undefined
  /** Epoch ms: only overrides that touch this span. */
  from: number | null
  to: number | null
  /** The earliest begin first; else the latest. */
  earliest_first: boolean
}

export async function listOverrides(
  tx: Tx,
  tenant_id: string,
  { schedule_id, user_id, from, to, earliest_first }: OverrideFilter,
  { page, per_page }: Page
): Promise<{ items: StoredOverride[]; total: number }> {
  const values = [tenant_id, schedule_id ?? null, user_id ?? null, from === null ? null : new Date(from), to === null ? null : new Date(to)]
  const where = `tenant_id = $1 AND ($2::uuid IS NULL OR schedule_id = $2) AND ($3::uuid IS NULL OR user_id = $3)
    AND ($4::timestamptz IS NULL OR ends_at > $4) AND ($5::timestamptz IS NULL OR starts_at < $5)
    AND EXISTS (SELECT FROM schedules s WHERE s.tenant_id = $1 AND s.schedule_id = on_call_overrides.schedule_id AND s.deleted_at IS NULL)`
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM on_call_overrides WHERE ${where}`, values)
  const order = earliest_first ? 'starts_at, seq' : 'starts_at DESC, seq DESC'
  const { rows } = await tx.query<StoredOverride>(
    `SELECT ${COLUMNS} FROM on_call_overrides WHERE ${where} ORDER BY ${order} LIMIT $6 OFFSET $7`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** Returns an override of a schedule that is not deleted, or null. */
export async function readOverride(tx: Tx, tenant_id: string, override_id: string): Promise<StoredOverride | null> {
  const { rows } = await tx.query<StoredOverride>(
    `SELECT ${COLUMNS} FROM on_call_overrides o WHERE tenant_id = $1 AND override_id = $2
        AND EXISTS (SELECT FROM schedules s WHERE s.tenant_id = $1 AND s.schedule_id = o.schedule_id AND s.deleted_at IS NULL)`,
    [tenant_id, override_id]
  )
  return rows[0] ?? null
}

/** Counts the overrides of a schedule that have not ended at an instant (epoch ms). */
export async function countOverrides(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*) FROM on_call_overrides WHERE tenant_id = $1 AND schedule_id = $2 AND ends_at > $3',
    [tenant_id, schedule_id, new Date(at)]
  )
  return rows[0]?.count ?? 0
}

export async function insertOverride(tx: Tx, tenant_id: string, override: NewOverride): Promise<void> {
  const { override_id, schedule_id, user_id, starts_at, ends_at, replaces_user_id, layer, reason, swap_id, created_by } = override
  await tx.query(
    `INSERT INTO on_call_overrides
       (tenant_id, override_id, schedule_id, user_id, starts_at, ends_at, replaces_user_id, layer, reason, swap_id, created_by, from_calendar)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      tenant_id,
      override_id,
      schedule_id,
      user_id,
      new Date(starts_at),
      new Date(ends_at),
      replaces_user_id,
      layer,
      reason,
      swap_id,
      created_by,
      created_by === CALENDAR
    ]
  )
}

/**
 * Puts other people into an override from an instant on (epoch ms): it ends, and a new one has the
 * rest of its time. The new one has its rank, so it wins over no override that won over the old
 * one.
 */
export async function handOver(
  tx: Tx,
  tenant_id: string,
  override_id: string,
  { at, ...to }: Pick<NewOverride, 'user_id' | 'replaces_user_id' | 'created_by'> & { override_id: string; at: number }
): Promise<void> {
  await tx.query(
    `INSERT INTO on_call_overrides
       (tenant_id, override_id, seq, schedule_id, user_id, starts_at, ends_at, replaces_user_id, layer, reason, swap_id, created_by, from_calendar)
     OVERRIDING SYSTEM VALUE
     SELECT tenant_id, $4, seq, schedule_id, $5, greatest(starts_at, $3), ends_at, $6, layer, reason, swap_id, $7, ${FROM_CALENDAR}
       FROM on_call_overrides WHERE tenant_id = $1 AND override_id = $2 AND ends_at > $3`,
    [tenant_id, override_id, new Date(at), to.override_id, to.user_id, to.replaces_user_id, to.created_by]
  )
  await endOverride(tx, tenant_id, override_id, at)
}

export type LayerOverride = Pick<StoredOverride, 'override_id' | 'starts_at' | 'ends_at'> & { layer: string }

/** Returns the overrides of single layers of a schedule that have not ended (epoch ms). */
export async function overridesOfLayers(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<LayerOverride[]> {
  const { rows } = await tx.query<LayerOverride>(
    `SELECT override_id, layer, starts_at, ends_at FROM on_call_overrides
      WHERE tenant_id = $1 AND schedule_id = $2 AND layer IS NOT NULL AND ends_at > $3 ORDER BY seq`,
    [tenant_id, schedule_id, new Date(at)]
  )
  return rows
}

/**
 * Puts an override into another layer from an instant on (epoch ms). One that has begun by then
 * ends, and a new one, that of `to`, has the rest of its time and is otherwise the same. Returns
 * the id of the override that is in the new layer.
 */
export async function putIntoLayer(
  tx: Tx,
  tenant_id: string,
  override_id: string,
  { at, ...to }: { override_id: string; layer: string; at: number }
): Promise<string> {
  const moved = await tx.query('UPDATE on_call_overrides SET layer = $4 WHERE tenant_id = $1 AND override_id = $2 AND starts_at >= $3', [
    tenant_id,
    override_id,
    new Date(at),
    to.layer
  ])
  if (moved.rowCount === 1) return override_id
  await tx.query(
    `INSERT INTO on_call_overrides
       (tenant_id, override_id, seq, schedule_id, user_id, starts_at, ends_at, replaces_user_id, layer, reason, swap_id, created_by, created_at, from_calendar)
     OVERRIDING SYSTEM VALUE
     SELECT tenant_id, $4, seq, schedule_id, user_id, greatest(starts_at, $3), ends_at, replaces_user_id, $5, reason, swap_id, created_by, created_at, ${FROM_CALENDAR}
       FROM on_call_overrides WHERE tenant_id = $1 AND override_id = $2 AND ends_at > $3`,
    [tenant_id, override_id, new Date(at), to.override_id, to.layer]
  )
  await endOverride(tx, tenant_id, override_id, at)
  return to.override_id
}

/** Ends an override at the instant (epoch ms). One that has not begun is deleted. */
export async function endOverride(tx: Tx, tenant_id: string, override_id: string, at: number): Promise<void> {
  const values = [tenant_id, override_id, new Date(at)]
  await tx.query('DELETE FROM on_call_overrides WHERE tenant_id = $1 AND override_id = $2 AND starts_at >= $3', values)
  await tx.query('UPDATE on_call_overrides SET ends_at = $3 WHERE tenant_id = $1 AND override_id = $2 AND ends_at > $3', values)
}

/**
 * Ends the overrides of a schedule that came from its calendar (epoch ms), also those that a member
 * who left handed over.
 */
export async function endCalendarOverrides(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<void> {
  const { rows } = await tx.query<{ override_id: string }>(
    `SELECT override_id FROM on_call_overrides WHERE tenant_id = $1 AND schedule_id = $2 AND ${FROM_CALENDAR} AND ends_at > $3`,
    [tenant_id, schedule_id, new Date(at)]
  )
  for (const { override_id } of rows) await endOverride(tx, tenant_id, override_id, at)
}

export type CalendarOverride = Pick<StoredOverride, 'override_id' | 'starts_at' | 'ends_at' | 'reason'> & { user_id: string }

/**
 * Returns the overrides of a schedule that follow its calendar and have not ended (epoch ms).
 */
export async function calendarOverrides(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<CalendarOverride[]> {
  const { rows } = await tx.query<CalendarOverride>(
    'SELECT override_id, user_id, starts_at, ends_at, reason FROM on_call_overrides WHERE tenant_id = $1 AND schedule_id = $2 AND created_by = $3 AND ends_at > $4',
    [tenant_id, schedule_id, CALENDAR, new Date(at)]
  )
  return rows
}

/**
 * Returns the overrides that have not ended (epoch ms) and in which the person is on call or is
 * replaced.
 */
export async function overridesOf(tx: Tx, tenant_id: string, user_id: string, at: number): Promise<StoredOverride[]> {
  const { rows } = await tx.query<StoredOverride>(
    `SELECT ${COLUMNS} FROM on_call_overrides o
      WHERE tenant_id = $1 AND ends_at > $3 AND (user_id = $2 OR replaces_user_id = $2)
        AND EXISTS (SELECT FROM schedules s WHERE s.tenant_id = $1 AND s.schedule_id = o.schedule_id AND s.deleted_at IS NULL)
      ORDER BY seq`,
    [tenant_id, user_id, new Date(at)]
  )
  return rows
}
