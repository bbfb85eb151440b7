/**
 * No false miss, by true time alone: whatever the clocks say, a tick finds no heartbeat missed that
 * was well in time. A second look beside the model, which knows what the log says and no true time.
 */
import type { HeartbeatConfig } from '../../schemas/generated/events.ts'
import { Difference } from './difference.ts'

/** A ping is on the log so long after its receipt at the latest. */
const APPEND_MS = 5000
/** Between two ticks. */
const COARSE_MS = 1000

/**
 * `found`: true time of the tick; `finished`: those of the accepted ends of runs; `drift`: how far
 * ticks may have gone from true time, ms.
 */
export function refuteMiss(config: HeartbeatConfig, found: number, finished: readonly number[], drift: number): void {
  const { schedule_kind, period_seconds, grace_seconds, name } = config
  if (schedule_kind !== 'period') return
  const span = ((period_seconds ?? 0) + grace_seconds) * 1000
  // Ticks follow Postgres by a tenth of what passes.
  const slack = COARSE_MS + Math.min(drift, span / 10)
  const last = finished.findLast((at) => at <= found - APPEND_MS)
  if (last === undefined || found - last >= span - slack) return
  throw new Difference('false miss', `${name} pinged ${(found - last) / 1000} s before it was found missed, and has ${span / 1000} s`)
}
