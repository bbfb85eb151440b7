/**
 * Calendars from which overrides of schedules are read, and how the last read went. The events that
 * were read are stored as overrides (overrides.ts).
 * Source: docs/design/api/on-call.md#calendar-overrides.
 */
import type { Pool, Tx } from './pool.ts'

export interface ScheduleCalendar {
  schedule_id: string
  host: string
  /** Sealed. */
  url: string
  /** Epoch ms of the last successful read; null: never yet. */
  read_at: number | null
  error: string | null
  events: number
  unmatched: string[]
}

const COLUMNS = 'schedule_id, host, url, read_at, error, events, unmatched'

/** Returns the calendars by schedule id. */
export async function readCalendars(tx: Tx, tenant_id: string, schedule_ids: readonly string[]): Promise<Map<string, ScheduleCalendar>> {
  const { rows } = await tx.query<ScheduleCalendar>(
    `SELECT ${COLUMNS} FROM schedule_calendars WHERE tenant_id = $1 AND schedule_id = ANY ($2::uuid[])`,
    [tenant_id, schedule_ids]
  )
  return new Map(rows.map((row) => [row.schedule_id, row]))
}

/** Saves the calendar; it is read at once. `url` is sealed. */
export async function saveCalendar(tx: Tx, tenant_id: string, schedule_id: string, { host, url }: { host: string; url: string }) {
  await tx.query(
    `INSERT INTO schedule_calendars (tenant_id, schedule_id, host, url) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant_id, schedule_id) DO UPDATE
       SET host = EXCLUDED.host, url = EXCLUDED.url, next_at = now(), slow_reads = 0, read_at = NULL, error = NULL, events = 0, unmatched = '{}'`,
    [tenant_id, schedule_id, host, url]
  )
}

export async function deleteCalendar(tx: Tx, tenant_id: string, schedule_id: string): Promise<void> {
  await tx.query('DELETE FROM schedule_calendars WHERE tenant_id = $1 AND schedule_id = $2', [tenant_id, schedule_id])
}

export interface DueCalendar {
  tenant_id: string
  schedule_id: string
  /** Sealed. */
  url: string
}

/** After so many slow readings in a row, the time until the next one does not grow any more. */
const MAX_DOUBLED = 2

/**
 * Takes the calendar that is due the longest, of any workspace but `full`. It is due again after
 * `everyMs`, whatever the result of this read, and twice as late after each slow one before.
 */
export async function takeDueCalendar(pool: Pool, full: readonly string[], everyMs: number): Promise<DueCalendar | null> {
  const { rows } = await pool.query<DueCalendar>(
    `WITH due AS MATERIALIZED (SELECT tenant_id, schedule_id FROM schedule_calendars WHERE next_at <= now() AND tenant_id <> ALL ($1::uuid[])
                                ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     UPDATE schedule_calendars c SET next_at = now() + $2 * power(2, least(c.slow_reads, ${MAX_DOUBLED})) * interval '1 millisecond'
       FROM due WHERE c.tenant_id = due.tenant_id AND c.schedule_id = due.schedule_id RETURNING c.tenant_id, c.schedule_id, c.url`,
    [full, everyMs]
  )
  return rows[0] ?? null
}

/**
 * Returns false when the calendar was removed, or has another address, since `url` was read. Locks
 * the row.
 */
export async function isStillRead(tx: Tx, { tenant_id, schedule_id, url }: DueCalendar): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM schedule_calendars WHERE tenant_id = $1 AND schedule_id = $2 AND url = $3 FOR UPDATE', [
    tenant_id,
    schedule_id,
    url
  ])
  return rowCount === 1
}

/** Saves how a read went; `error` null: it succeeded. `slow`: it took too long. */
export async function saveReading(
  tx: Tx,
  { tenant_id, schedule_id, url }: DueCalendar,
  { error, slow, events, unmatched }: { error: string | null; slow: boolean; events: number; unmatched: readonly string[] }
): Promise<void> {
  await tx.query(
    `UPDATE schedule_calendars
        SET error = $4, slow_reads = CASE WHEN $7::boolean THEN slow_reads + 1 ELSE 0 END, read_at = CASE WHEN $4::text IS NULL THEN now() ELSE read_at END,
            events = CASE WHEN $4::text IS NULL THEN $5 ELSE events END, unmatched = CASE WHEN $4::text IS NULL THEN $6::text[] ELSE unmatched END
      WHERE tenant_id = $1 AND schedule_id = $2 AND url = $3`,
    [tenant_id, schedule_id, url, error, events, unmatched, slow]
  )
}
