/**
 * One pass of the relay: sends the rows of a read, deletes those that are done, sets aside those
 * that the log refuses for good, and reads the next rows if there are more. Rows without an
 * acknowledgement stay, and the pass pauses before they are sent again: longer each time, unless
 * some of the rows were acknowledged. Rows for a topic that is away stay, too. The reads of the
 * next two seconds leave this topic out, so that its rows, however many, hold up no others.
 *
 * While Postgres deletes nothing, for example because it is read-only, the pass remembers which
 * rows are on the log, and sends none of them again.
 */
import type { TopicName } from '../../schemas/topics.ts'
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import { type Append, OutcomeUnknown, QueueFull, RecordRefused } from '../../streams/runtime/stream.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { HeldSession } from '../store/held-session.ts'
import { deleteOutgoing, refuseOutgoing } from '../store/outbox.ts'
import { noRows, type OutboxRead, type ReadOutbox } from './read.ts'
import { type CurrentLoaders, type Sent, sendRows } from './send.ts'

const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 2000
/** How long reads leave out a topic that is away. Each try of it takes the relay about a second. */
const AWAY_MS = 2000

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
  /**
   * Deletes the rows that are on the log and that an earlier pass could not delete. Must come
   * before each read. Rejects when Postgres refuses again.
   */
  clear(held: HeldSession): Promise<void>
  /** The topics that a read at `now` (of performance.now()) must leave out. */
  without(now: number): readonly TopicName[]
}

export function createPass({ log, read, rest, logger, metrics }: PassOptions): Pass {
  const sentTotal = metrics.counter('service_relay_sent_total', 'Records that the relay put on the log')
  const refusedTotal = metrics.counter('service_relay_refused_total', 'Rows that the log refused for good')
  const retriesTotal = metrics.counter('service_relay_retries_total', 'Sends without an acknowledgement, to be repeated')
  let uncertainAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let away: { topics: readonly TopicName[]; until: number } = { topics: [], until: Number.NEGATIVE_INFINITY }

  /** Rows that are on the log and may still be in the outbox. */
  let undeleted: readonly number[] = []

  async function clear(held: HeldSession): Promise<void> {
    if (undeleted.length === 0) return
    await held.ask((tx) => deleteOutgoing(tx, undeleted))
    undeleted = []
  }

  const without = (now: number): readonly TopicName[] => (now < away.until ? away.topics : [])

  async function send(of: OutboxRead, loaders: CurrentLoaders): Promise<Sent> {
    const sent = await sendRows(of, log, loaders)
    if (sent.stopped instanceof OutcomeUnknown) uncertainAt = performance.now()
    else if (sent.stopped !== null && !(sent.stopped instanceof QueueFull || sent.stopped instanceof RecordRefused)) throw sent.stopped
    if (sent.away.length > 0) {
      const now = performance.now()
      away = { topics: [...without(now), ...sent.away], until: now + AWAY_MS }
    }
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
    clear,
    async run(held, shards, of, loaders, isMore) {
      crashPoint('relay.after-read')
      const { done, records, refused, stopped } = await send(of, loaders)
      crashPoint('relay.after-send')
      undeleted = done
      sentTotal.inc(records)
      await setAside(held, refused)
      crashPoint('relay.before-delete')
      // One round trip: the session runs the two statements in this order.
      const [, next] = await Promise.all([clear(held), stopped === null && isMore() ? read(held, shards) : noRows])
      crashPoint('relay.after-delete')
      if (stopped === null) {
        failures = 0
        return next
      }
      if (records > 0) failures = 0
      retriesTotal.inc()
      const left = { err: stopped, rows: of.rows.length - done.length - refused.length }
      if (stopped instanceof RecordRefused) {
        logger.warn(left, 'the log takes nothing for a topic; its rows stay and are sent again')
        return null
      }
      logger.warn(left, 'the log did not acknowledge; the rows stay and are sent again')
      await rest(Math.min(FIRST_PAUSE_MS * 2 ** failures++, MAX_PAUSE_MS))
      return null
    },
    uncertainAt: () => uncertainAt,
    without
  }
}
