/**
 * Who is on call at an instant, past or future, and who is next.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import type { Fallback } from '../../schemas/http/on-call-words.ts'
import { onCallIn } from '../../streams/on-call/timeline.ts'
import type { Tx } from './pool.ts'
import { loadPlans, timelineOf } from './schedule-plans.ts'

export interface OnCall {
  schedule_id: string
  /** Nobody: none. */
  user_ids: string[]
  origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'
  layer: string | null
  /** Epoch ms at which the people on call change; null: not within 400 days. */
  until: number | null
  next: { user_ids: string[]; from: number } | null
  schedule_version: number
  /** Version of the time zone data that was used. */
  tzdb: string
  /** In a gap: the fallback of the schedule. The caller must resolve `policy_default`. */
  fallback?: Fallback
}

const LOOK_MS = 400 * 86_400_000
/** Most steps from one schedule to its fallback schedule. */
const MAX_FALLBACKS = 5

async function found(tx: Tx, tenant_id: string, schedule_ids: readonly string[], at: number, depth: number): Promise<Map<string, OnCall>> {
  const plans = await loadPlans(tx, tenant_id, schedule_ids, { from: at, to: at + LOOK_MS })
  const answers = new Map<string, OnCall>()
  const fallbacks = new Map<string, string>()
  for (const [schedule_id, plan] of plans) {
    const answer = onCallIn((from, to) => timelineOf(plan, from, to), at)
    if (!answer) continue
    const { shift, until, next } = answer
    const { origin, layer, schedule_version, tzdb, fallback } = shift
    const common = { schedule_id, layer, until, next: next && { ...next, user_ids: [...next.user_ids] }, schedule_version, tzdb }
    const user_ids = [...shift.user_ids]
    // A schedule with a fallback schedule counts as a gap until that one has somebody on call.
    answers.set(
      schedule_id,
      fallback === null ? { ...common, origin, user_ids } : { ...common, origin: user_ids.length > 0 ? origin : 'gap', user_ids, fallback }
    )
    if (fallback?.kind === 'schedule' && fallback.id !== null && depth > 0) fallbacks.set(schedule_id, fallback.id)
  }
  if (fallbacks.size === 0) return answers
  const others = await found(tx, tenant_id, [...new Set(fallbacks.values())], at, depth - 1)
  for (const [schedule_id, other_id] of fallbacks) {
    const [own, other] = [answers.get(schedule_id), others.get(other_id)]
    if (!own || !other || other.user_ids.length === 0) continue
    const until = Math.min(own.until ?? Infinity, other.until ?? Infinity)
    answers.set(schedule_id, { ...own, origin: 'fallback', user_ids: other.user_ids, until: until === Infinity ? null : until })
  }
  return answers
}

/**
 * Returns who is on call, by schedule id, for the schedules that existed at the instant (epoch ms)
 * and that the transaction sees. A fallback to a person or a schedule is resolved; when nobody is
 * found, the origin is `gap`.
 */
export const onCallAt = (tx: Tx, tenant_id: string, schedule_ids: readonly string[], at: number): Promise<Map<string, OnCall>> =>
  found(tx, tenant_id, schedule_ids, at, MAX_FALLBACKS)
