/**
 * One pass of the relay: sends the rows of a read, deletes those that are done, sets aside those
 * that the log refuses for good, and reads the next rows if there are more. Rows without an
 * acknowledgement stay, and the pass pauses before they are sent again: longer each time, unless
 * some of the rows were acknowledged.
 */
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import { type Append, OutcomeUnknown, QueueFull } from '../../streams/runtime/stream.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { HeldSession } from '../store/held-session.ts'
import { deleteOutgoing, refuseOutgoing } from '../store/outbox.ts'
import { noRows, type OutboxRead, type ReadOutbox } from './read.ts'
import { type CurrentLoaders, type Sent, sendRows } from './send.ts'

const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 2000

export interface PassOptions {
  log: Append
  read: ReadOutbox
  rest(ms: number): Promise<void>
  logger: Log
  metrics: Metrics
}

export interface Pass {
  /**
   * Returns the next rows of `shards`, or null when rows stay that must be sent again. `isMore` is
   * asked after the rows are sent and says whether there may be others. Throws every error that it
   * does not know.
   */
  run(held: HeldSession, shards: number[], read: OutboxRead, loaders: CurrentLoaders, isMore: () => boolean): Promise<OutboxRead | null>
  /**
   * When a send last got no answer, so that its records may still be on their way, by
   * performance.now(); -Infinity when that never happened.
   */
  uncertainAt(): number
}

export function createPass({ log, read, rest, logger, metrics }: PassOptions): Pass {
  const sentTotal = metrics.counter('service_relay_sent_total', 'Records that the relay put on the log')
  const refusedTotal = metrics.counter('service_relay_refused_total', 'Rows that the log refused for good')
  const retriesTotal = metrics.counter('service_relay_retries_total', 'Sends without an acknowledgement, to be repeated')
  let uncertainAt = Number.NEGATIVE_INFINITY
  let failures = 0

  async function send(of: OutboxRead, loaders: CurrentLoaders): Promise<Sent> {
    const sent = await sendRows(of, log, loaders)
    if (sent.stopped instanceof OutcomeUnknown) uncertainAt = performance.now()
    else if (sent.stopped !== null && !(sent.stopped instanceof QueueFull)) throw sent.stopped
    return sent
  }

  async function setAside(held: HeldSession, refused: Sent['refused']): Promise<void> {
    for (const { row, reason } of refused) {
      refusedTotal.inc()
      logger.error(
        { id: row.id, topic: row.topic, aggregate: row.aggregate, ver: row.ver, tenant_id: row.tenant_id, reason },
        'the log refused a row for good'
      )
      await held.ask((tx) => refuseOutgoing(tx, row.id, reason))
    }
  }

  return {
    async run(held, shards, of, loaders, isMore) {
      crashPoint('relay.after-read')
      const { done, records, refused, stopped } = await send(of, loaders)
      crashPoint('relay.after-send')
      sentTotal.inc(records)
      await setAside(held, refused)
      crashPoint('relay.before-delete')
      // One round trip: the session runs the two statements in this order.
      const [, next] = await Promise.all([
        done.length > 0 ? held.ask((tx) => deleteOutgoing(tx, done)) : null,
        stopped === null && isMore() ? read(held, shards) : noRows
      ])
      crashPoint('relay.after-delete')
      if (stopped === null) {
        failures = 0
        return next
      }
      if (records > 0) failures = 0
      retriesTotal.inc()
      logger.warn({ err: stopped, rows: of.rows.length - done.length }, 'the log did not acknowledge; the rows stay and are sent again')
      await rest(Math.min(FIRST_PAUSE_MS * 2 ** failures++, MAX_PAUSE_MS))
      return null
    },
    uncertainAt: () => uncertainAt
  }
}
