/** Reads whole shifts, so that a shift has the same begin, and id, in every answer. */
import type { Shift } from '../../../streams/on-call/timeline.ts'
import type { Tx } from '../../store/pool.ts'
import { loadPlans, type SchedulePlan, timelineOf } from '../../store/schedule-plans.ts'
import { BEYOND_MS, DAY_MS } from './shapes.ts'

/**
 * How far back the begin of a shift is looked for, one after the other. The last has the longest
 * turn, of 52 months.
 */
const BACK_MS = [BEYOND_MS, 400 * DAY_MS, 1700 * DAY_MS]

/**
 * Returns by schedule id the shifts that touch the span (epoch ms), and the plan that they come
 * from. A shift has its begin, and its end if it is at most 60 days after the span.
 */
export async function wholeShiftsOf(
  tx: Tx,
  tenant_id: string,
  schedule_ids: readonly string[],
  from: number,
  to: number
): Promise<Map<string, { plan: SchedulePlan; shifts: Shift[] }>> {
  const found = new Map<string, { plan: SchedulePlan; shifts: Shift[] }>()
  let cut = schedule_ids
  for (const back of BACK_MS) {
    const wide = { from: from - back, to: to + BEYOND_MS }
    for (const [id, plan] of await loadPlans(tx, tenant_id, cut, wide)) {
      const shifts = timelineOf(plan, wide.from, wide.to).filter(({ starts_at, ends_at }) => starts_at < to && ends_at > from)
      found.set(id, { plan, shifts })
    }
    cut = cut.filter((id) => found.get(id)?.shifts[0]?.starts_at === wide.from)
    if (cut.length === 0) break
  }
  return found
}
