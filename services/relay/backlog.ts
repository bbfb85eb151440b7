/**
 * Measures what waits in the outbox of the held shards. When a read returned all rows, their number
 * is known. When there are more, the rows are counted from time to time.
 */
import type { Metrics } from '../process/metrics.ts'
import type { HeldSession } from '../store/held-session.ts'
import { countOutgoing } from '../store/outbox.ts'
import type { OutboxRead } from './read.ts'

const COUNT_EVERY_MS = 10_000
const MAX_COUNT = 1_000_000

export type ObserveBacklog = (held: HeldSession, shards: number[], read: OutboxRead, now: number) => Promise<void>

/** `now`: epoch ms. */
export function createBacklog(metrics: Metrics): ObserveBacklog {
  const waitingRows = metrics.gauge('service_outbox_rows', 'Rows of the held shards that wait for the log')
  const oldestSeconds = metrics.gauge('service_outbox_oldest_seconds', 'Age of the oldest of them')
  let countedAt = 0
  return async (held, shards, { rows, full }, now) => {
    const oldest = rows[0]
    oldestSeconds.set(oldest ? Math.max(now - oldest.created_at, 0) / 1000 : 0)
    if (!full) waitingRows.set(rows.length)
    else if (now - countedAt >= COUNT_EVERY_MS) {
      countedAt = now
      waitingRows.set(await held.ask((tx) => countOutgoing(tx, shards, MAX_COUNT)))
    }
  }
}
