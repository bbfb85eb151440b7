/**
 * Schedules whose reminders are due, and what must be known to tell them. As service_system.
 * Source: docs/design/api/notifications.md#digests.
 */
import type { Shift } from '../../streams/on-call/timeline.ts'
import { HANDOFF_MS, REMIND_AHEAD_MS } from '../../streams/reach/shift-notices.ts'
import type { Pool, Tx } from './pool.ts'
import { loadPlans, timelineOf } from './schedule-plans.ts'

/** Those that are due, the longest due first; at most so many. */
export async function dueSchedules(pool: Pool, most: number): Promise<{ tenant_id: string; schedule_id: string }[]> {
  const { rows } = await pool.query<{ tenant_id: string; schedule_id: string }>(
    'SELECT tenant_id, schedule_id FROM schedules WHERE deleted_at IS NULL AND reminders_at <= now() ORDER BY reminders_at LIMIT $1',
    [most]
  )
  return rows
}

/** Before the last hour, so that who was on call before a shift is known. */
const BACK_MS = HANDOFF_MS + 3_600_000
/** A shift that is reminded of a week ahead is found with its end. */
const AHEAD_MS = REMIND_AHEAD_MS + 8 * 86_400_000

/**
 * Name and final timeline around an instant (epoch ms); nobody else looks at it until the
 * transaction ends. Null: it is gone, not due any more, or somebody else has it.
 */
export async function lockDueSchedule(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  at: number
): Promise<{ name: string; shifts: Shift[] } | null> {
  const { rows } = await tx.query<{ name: string }>(
    `SELECT name FROM schedules WHERE tenant_id = $1 AND schedule_id = $2 AND deleted_at IS NULL AND reminders_at <= now()
        FOR NO KEY UPDATE SKIP LOCKED`,
    [tenant_id, schedule_id]
  )
  const [found] = rows
  if (!found) return null
  const [from, to] = [at - BACK_MS, at + AHEAD_MS]
  const plan = (await loadPlans(tx, tenant_id, [schedule_id], { from, to })).get(schedule_id)
  return plan ? { name: found.name, shifts: timelineOf(plan, from, to) } : null
}

/** Reminders are looked for again then (epoch ms). */
export async function lookAgainAt(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<void> {
  await tx.query('UPDATE schedules SET reminders_at = $3 WHERE tenant_id = $1 AND schedule_id = $2', [tenant_id, schedule_id, new Date(at)])
}

/** A person wishes to be reminded at other times: every schedule of the workspace is looked at. */
export async function lookAtReminders(tx: Tx, tenant_id: string): Promise<void> {
  await tx.query("UPDATE schedules SET reminders_at = '-infinity' WHERE tenant_id = $1 AND deleted_at IS NULL", [tenant_id])
}
