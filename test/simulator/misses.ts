/**
 * Checks by true time alone that there is no false miss: whatever the clocks say, no tick may find
 * a heartbeat missed that was well in time. This is a second check next to the model, which knows
 * what the log says but no true time.
 */
import type { HeartbeatConfig } from '../../schemas/generated/events.ts'
import { Difference } from './difference.ts'

/** A ping is on the log at most this long after its receipt. */
const APPEND_MS = 5000
/** Time between two ticks. */
const COARSE_MS = 1000

/**
 * Throws if the miss is false. `found` is the true time of the tick, `finished` are the true times
 * of the accepted ends of runs, and `drift` is how far ticks may have moved from true time, in ms.
 */
export function refuteMiss(config: HeartbeatConfig, found: number, finished: readonly number[], drift: number): void {
  const { schedule_kind, period_seconds, grace_seconds, name } = config
  if (schedule_kind !== 'period') return
  const span = ((period_seconds ?? 0) + grace_seconds) * 1000
  // Ticks follow Postgres's clock by a tenth of the time that passes.
  const slack = COARSE_MS + Math.min(drift, span / 10)
  const last = finished.findLast((at) => at <= found - APPEND_MS)
  if (last === undefined || found - last >= span - slack) return
  throw new Difference('false miss', `${name} pinged ${(found - last) / 1000} s before it was found missed, and has ${span / 1000} s`)
}
