/**
 * Who was actually on call: one row for each begin of a shift, made with the zone data of that
 * time. A sweep of the clock writes the rows; every change of a schedule also writes them before it
 * takes effect. So neither edits nor new zone data change the past.
 * Source: docs/design/api/on-call.md#s7-1.
 */

import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import type { OnCallChange } from '../../streams/on-call/frame.ts'
import { continues, type Shift } from '../../streams/on-call/timeline.ts'
import { tellSchedule } from './on-call-news.ts'
import { type Pool, type Tx, tenantTransaction } from './pool.ts'
import { type HistoryRow, loadPlans, timelineOf, type ZoneData, zoneData } from './schedule-plans.ts'

const DAY_MS = 86_400_000
/** How many days ahead the next change is looked for; tried in this order. */
const LOOK_DAYS = [2, 16, 70, 400]
/** Most schedules of one sweep; the next sweep comes soon. */
const MAX_SWEPT = 500

async function insertRows(tx: Tx, tenant_id: string, schedule_id: string, rows: readonly HistoryRow[]): Promise<void> {
  for (const { starts_at, user_ids, origin, layer, turn, override_id, fallback, schedule_version, tzdb } of rows)
    await tx.query(
      `INSERT INTO schedule_history
         (tenant_id, schedule_id, starts_at, user_ids, origin, layer, turn, override_id, fallback, schedule_version, tzdb)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [tenant_id, schedule_id, new Date(starts_at), user_ids, origin, layer, turn, override_id, fallback, schedule_version, tzdb]
    )
}

interface Advanced {
  /** When the last row begins, epoch ms. */
  last: number
  /**
   * Other people are on call, or the zone data changed: what was read before may no longer hold.
   */
  news: boolean
}

/**
 * Writes down what began until `now` (epoch ms), and finds when the next change comes. The schedule
 * must be locked.
 */
async function advance(tx: Tx, tenant_id: string, schedule_id: string, now: number, data: ZoneData): Promise<Advanced> {
  let shifts: Shift[] = []
  let last: HistoryRow | null = null
  let tzdb = data.tzdb
  for (const days of LOOK_DAYS) {
    const { rows } = await tx.query<{ since: number; next_change_at: number; created_at: number; tzdb: string }>(
      `SELECT created_at, next_change_at, tzdb FROM schedules WHERE tenant_id = $1 AND schedule_id = $2`,
      [tenant_id, schedule_id]
    )
    const [head] = rows
    if (!head) throw new Error('The schedule of a history is gone')
    tzdb = head.tzdb
    const since = Math.max(head.created_at, Math.min(head.next_change_at, now))
    const to = now + days * DAY_MS
    const plan = (await loadPlans(tx, tenant_id, [schedule_id], { from: since, to }, data)).get(schedule_id)
    if (!plan) throw new Error('The schedule of a history is gone')
    last = plan.history.at(-1) ?? null
    // The history counts only until `since`.
    shifts = timelineOf({ ...plan, history: [], next_change_at: since }, since, to)
    if ((shifts.at(-1)?.starts_at ?? 0) > now) break
  }
  const begun: HistoryRow[] = []
  let next = now + (LOOK_DAYS.at(-1) ?? 0) * DAY_MS
  for (const shift of shifts) {
    if (shift.starts_at > now) {
      next = shift.starts_at
      break
    }
    const before: HistoryRow | null = begun.at(-1) ?? last
    if (!before || !continues(before, shift)) begun.push(shift)
  }
  await insertRows(tx, tenant_id, schedule_id, begun)
  await tx.query(
    "UPDATE schedules SET next_change_at = $3, tzdb = $4, reminders_at = '-infinity' WHERE tenant_id = $1 AND schedule_id = $2",
    [tenant_id, schedule_id, new Date(next), data.tzdb]
  )
  return { last: begun.at(-1)?.starts_at ?? last?.starts_at ?? -Infinity, news: begun.length > 0 || tzdb !== data.tzdb }
}

/** Returns the time of Postgres, in whole epoch ms. */
export async function postgresNow(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ now: number }>("SELECT date_trunc('milliseconds', clock_timestamp()) AS now")
  if (!rows[0]) throw new Error('Postgres has no time')
  return Math.floor(rows[0].now)
}

/** Locks a schedule and returns its team; undefined when there is no such schedule. */
export async function lockedTeam(tx: Tx, tenant_id: string, schedule_id: string): Promise<string | null | undefined> {
  const { rows } = await tx.query<{ team_id: string | null }>(
    'SELECT team_id FROM schedules WHERE tenant_id = $1 AND schedule_id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE',
    [tenant_id, schedule_id]
  )
  return rows[0]?.team_id
}

/**
 * Changes a schedule: calls `work` with the instant (epoch ms) from which the change counts, and
 * tells dashboards of it. Does nothing when there is no such schedule.
 */
export async function changing(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  change: OnCallChange,
  work: (at: number) => Promise<void>
): Promise<void> {
  const former = await lockedTeam(tx, tenant_id, schedule_id)
  if (former === undefined) return
  const now = await postgresNow(tx)
  // Two rows must not begin at the same instant.
  const at = Math.max(now, (await advance(tx, tenant_id, schedule_id, now, zoneData)).last + 1)
  await work(at)
  await advance(tx, tenant_id, schedule_id, at, zoneData)
  // If the schedule was deleted, or the author no longer sees it, the people who saw it before are
  // told.
  const team_id = await lockedTeam(tx, tenant_id, schedule_id)
  await tellSchedule(tx, tenant_id, schedule_id, change, { team_id: team_id === undefined ? former : team_id, former })
}

/**
 * Writes down what began in one schedule. If rows were added, or the zone data changed, dashboards
 * are told.
 */
async function swept(tx: Tx, tenant_id: string, schedule_id: string, data: ZoneData): Promise<void> {
  const team_id = await lockedTeam(tx, tenant_id, schedule_id)
  if (team_id === undefined) return
  const { news } = await advance(tx, tenant_id, schedule_id, await postgresNow(tx), data)
  if (news) await tellSchedule(tx, tenant_id, schedule_id, 'shift', { team_id })
}

/** Writes the first row of a schedule that was just made (`now` in epoch ms). */
export async function beginHistory(tx: Tx, tenant_id: string, schedule_id: string, now: number, data: ZoneData = zoneData): Promise<void> {
  await advance(tx, tenant_id, schedule_id, now, data)
}

/**
 * Writes down what began since the last sweep, and what new zone data change. Returns how many
 * schedules it looked at. `pool`: service_system.
 */
export async function sweepSchedules(pool: Pool, data: ZoneData = zoneData): Promise<number> {
  const { rows } = await pool.query<{ tenant_id: string; schedule_id: string }>(
    `SELECT tenant_id, schedule_id FROM schedules WHERE deleted_at IS NULL AND (next_change_at <= now() OR tzdb <> $1)
      ORDER BY next_change_at LIMIT $2`,
    [data.tzdb, MAX_SWEPT]
  )
  let fault: unknown = null
  // A schedule that fails does not stop the others.
  for (const { tenant_id, schedule_id } of rows)
    await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => swept(tx, tenant_id, schedule_id, data)).catch((error: unknown) => {
      fault = error
    })
  if (fault) throw fault
  return rows.length
}
