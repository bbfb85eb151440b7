/**
 * Sends hints: frames that may be lost. They are put on the log after their batch has committed,
 * without the outbox. A lost hint does no harm: its content is also stored elsewhere, and a
 * dashboard that misses one shows the next. When the log is behind, hints are dropped first.
 * Source: docs/design/streaming.md#s2-5.
 */
import type { Hint } from '../../streams/define.ts'
import type { Append } from '../../streams/runtime/stream.ts'
import type { Log } from '../process/log.ts'

/** When more records than this wait for the broker, hints are dropped. */
const DEPTH = 2000

export function hintSender(append: Append, log: Log): (hints: readonly Hint[]) => void {
  return (hints) => {
    if (append.depth() > DEPTH) return
    append
      .append(
        hints.map(({ tenant_id, aggregate, ver, event_type, json, audience }) => ({
          topic: 'realtime.frames.v1',
          key: tenant_id,
          value: Buffer.from(json),
          headers: { event_type, tenant_id, aggregate, ver: String(ver), audience }
        }))
      )
      .catch((error: unknown) => log.debug({ err: error }, 'frames without a row behind them were lost'))
  }
}
