/**
 * The loop between the outbox and the log: read all unsent rows of the held shards in order, send them in one append, delete them, again.
 *
 * - Everything happens on the session that holds the shards' locks, one step after the other: the next read waits for the send, so the order per
 *   aggregate holds on the wire, and a lost lock is a failed statement.
 * - It wakes by LISTEN outbox (payload: the shard); a poll is there should a notification ever be missed.
 * - Sent, then deleted: what is sent twice has the same event_id and ver, and readers drop it.
 * - No acknowledgement (QueueFull, OutcomeUnknown): the rows stay, the loop backs off and sends them again.
 * - A lost session means that another relay may take the shards. Nothing is read or sent from then on, and `onFatal` ends the process and with it its
 *   producer; the marks of its shards were never set to clean, so the next holder waits. Whatever is not understood ends the same way.
 * Source: docs/design/architecture.md#s5, docs/design/streaming.md#s2-3.
 */

import { crashPoint } from '../../streams/runtime/crash-point.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import { type Append, OutcomeUnknown, QueueFull } from '../../streams/runtime/stream.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { type HeldSession, holdSession, isStatementError, SessionLost } from '../store/held-session.ts'
import { countOutgoing, deleteOutgoing, type OutboxRow, readOutbox, refuseOutgoing } from '../store/outbox.ts'
import type { Pool, Tx } from '../store/pool.ts'
import { type CurrentLoaders, sendRows } from './send.ts'
import { createShards, type Shards } from './shards.ts'

export interface RelayOptions {
  /** As service_system; the relay holds one of its connections. */
  pool: Pool
  log: Append
  /** Current rows for compacted topics, read through the relay's own session. */
  loaders: (ask: HeldSession['ask']) => CurrentLoaders
  instance: string
  logger: Log
  metrics: Metrics
  /** The session is lost or something is not understood: the process must end, and its producer with it. */
  onFatal(reason: string, error: unknown): void
  /** Wait before a shard is read whose last holder did not let go cleanly. */
  handoverMs?: number
  pollMs?: number
  /** How often free shards are looked for, and surplus ones let go of. */
  balanceMs?: number
}

export interface Relay {
  /** Has its session and looks after its shards. */
  ready(): boolean
  shards(): number[]
  /** Finishes the append in hand, lets go of its shards and its session. */
  close(): Promise<void>
}

const COUNT_EVERY_MS = 10_000
const COUNT_AT_MOST = 1_000_000

export function startRelay(options: RelayOptions): Relay {
  const { pool, log, logger, metrics, handoverMs = 10_000, pollMs = 5000, balanceMs = 4000 } = options
  const waitingRows = metrics.gauge('service_outbox_rows', 'Rows of the held shards that wait for the log')
  const oldestSeconds = metrics.gauge('service_outbox_oldest_seconds', 'Age of the oldest of them')
  const sentTotal = metrics.counter('service_relay_sent_total', 'Records that the relay put on the log')
  const refusedTotal = metrics.counter('service_relay_refused_total', 'Rows that the log refused for good')
  const retriesTotal = metrics.counter('service_relay_retries_total', 'Sends without an acknowledgement, to be repeated')
  const shardsHeld = metrics.gauge('service_relay_shards', 'Shards this relay holds')

  let session: HeldSession | null = null
  let shards: Shards | null = null
  let closing = false
  let failed = false
  const { rest, wake, end } = createRest()
  let woken = false
  /** When a send was last left without an answer: it may still be on its way. */
  let uncertainAt = 0
  let failures = 0
  let countedAt = 0

  const settled = (now: number): boolean => now - uncertainAt >= handoverMs

  /** Before its first session a relay holds nothing, so it may wait for Postgres as long as it takes. */
  async function connect(): Promise<HeldSession | null> {
    for (let attempt = 0; !closing; attempt++) {
      try {
        const held = await holdSession(pool, { onLost: wake })
        // The table is mostly empty, so its statistics say nothing about a backlog: rows are read along the primary key, never all of them sorted.
        await held.ask((tx) => tx.query('SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off'))
        return held
      } catch (error) {
        logger.warn({ err: error }, 'the relay cannot reach Postgres; trying again')
        await rest(Math.min(200 * 2 ** attempt, 5000))
      }
    }
    return null
  }

  async function observe(held: HeldSession, readable: number[], rows: readonly OutboxRow[], full: boolean, now: number): Promise<void> {
    const oldest = rows[0]
    oldestSeconds.set(oldest ? Math.max(now - oldest.created_at, 0) / 1000 : 0)
    if (!full) waitingRows.set(rows.length)
    else if (now - countedAt >= COUNT_EVERY_MS) {
      countedAt = now
      waitingRows.set(await held.ask((tx) => countOutgoing(tx, readable, COUNT_AT_MOST)))
    }
  }

  /** Sends `rows`, deletes what is done. Returns the next rows where they could be read along, else null. */
  async function pass(held: HeldSession, readable: number[], rows: OutboxRow[], loaders: CurrentLoaders, readOn: boolean) {
    crashPoint('relay.after-read')
    const sent = await sendRows(rows, log, loaders)
    if (sent.stopped instanceof OutcomeUnknown) uncertainAt = Date.now()
    if (sent.stopped !== null && !(sent.stopped instanceof OutcomeUnknown) && !(sent.stopped instanceof QueueFull)) throw sent.stopped
    crashPoint('relay.after-send')
    sentTotal.inc(sent.records)
    for (const { row, reason } of sent.refused) {
      refusedTotal.inc()
      logger.error(
        { id: row.id, topic: row.topic, aggregate: row.aggregate, ver: row.ver, tenant_id: row.tenant_id, reason },
        'the log refused a row for good'
      )
      await held.ask((tx) => refuseOutgoing(tx, row.id, reason))
    }
    crashPoint('relay.before-delete')
    const read = (tx: Tx) => readOutbox(tx, readable)
    // One round trip: the session takes the two in order.
    const [, next] = await Promise.all([
      sent.done.length > 0 ? held.ask((tx) => deleteOutgoing(tx, sent.done)) : null,
      readOn && sent.stopped === null ? held.ask(read) : null
    ])
    crashPoint('relay.after-delete')
    if (sent.stopped === null) {
      failures = 0
      return next
    }
    retriesTotal.inc()
    logger.warn(
      { err: sent.stopped, rows: rows.length - sent.done.length },
      'the log did not acknowledge; the rows stay and are sent again'
    )
    await rest(Math.min(200 * 2 ** failures++, 2000))
    return null
  }

  async function run(): Promise<void> {
    session = await connect()
    if (!session) return
    const held = session
    shards = await createShards(held, { instance: options.instance, handoverMs })
    const own = shards
    await held.listen('outbox', (shard) => {
      if (!own.held().includes(Number(shard))) return
      woken = true
      wake()
    })
    const loaders = options.loaders(held.ask)
    let balanceAt = 0
    let ahead: { rows: OutboxRow[]; full: boolean } | null = null
    while (!closing) {
      try {
        if (held.lost()) throw new SessionLost('the session with Postgres has ended')
        let now = Date.now()
        if (now >= balanceAt && ahead === null) {
          await own.balance(now, settled(now))
          shardsHeld.set(own.held().length)
          now = Date.now()
          balanceAt = now + balanceMs
        }
        const readable = own.readable(now)
        woken = false
        const read: { rows: OutboxRow[]; full: boolean } =
          ahead ?? (readable.length > 0 ? await held.ask((tx) => readOutbox(tx, readable)) : { rows: [], full: false })
        ahead = null
        await observe(held, readable, read.rows, read.full, now)
        if (read.rows.length > 0) {
          ahead = await pass(held, readable, read.rows, loaders, Date.now() < balanceAt)
        } else if (!woken) {
          await rest(Math.max(Math.min(pollMs, balanceAt - now, (own.nextAt(now) ?? Infinity) - now), 1))
        }
      } catch (error) {
        ahead = null
        if (!isStatementError(error)) throw error
        logger.error({ err: error }, 'Postgres refused a statement of the relay; trying again')
        await rest(1000)
      }
    }
  }

  const running = run().catch((error: unknown) => {
    failed = true
    shardsHeld.set(0)
    session?.close()
    if (!closing || !(error instanceof SessionLost))
      options.onFatal('the relay cannot go on: the process ends, and its producer with it', error)
  })

  return {
    ready: () => session !== null && !failed && !session.lost(),
    shards: () => shards?.held() ?? [],
    async close() {
      closing = true
      end()
      await running
      if (!failed && session && !session.lost()) {
        await shards
          ?.release(settled(Date.now()))
          .catch((error: unknown) => logger.warn({ err: error }, 'the shards were not let go of cleanly'))
      }
      session?.close()
    }
  }
}
