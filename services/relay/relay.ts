/**
 * The loop between the outbox and the log: read all unsent rows of the held shards in order, send
 * them in one append, delete them, again.
 *
 * - Everything happens on the session that holds the shards' locks, one step after the other: the
 *   next read waits for the send, so the order per aggregate holds on the wire, and a lost lock is
 *   a failed statement.
 * - It wakes by LISTEN outbox (payload: the shard), and reads on after a send only if it was woken
 *   meanwhile; a poll is there should a notification ever be missed.
 * - Sent, then deleted: what is sent twice has the same event_id and ver, and readers drop it.
 * - No acknowledgement (QueueFull, OutcomeUnknown): the rows stay, the loop backs off and sends
 *   them again.
 * - A lost session means that another relay may take the shards. Nothing is read or sent from then
 *   on, and `onFatal` ends the process and with it its producer; the marks of its shards were never
 *   set to clean, so the next holder waits. Whatever is not understood ends the same way.
 * Source: docs/design/architecture.md#s5, docs/design/streaming.md#s2-3.
 */

import { createRest, type Rest } from '../../streams/runtime/rest.ts'
import type { Append } from '../../streams/runtime/stream.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { type HeldSession, holdSession, isStatementError, SessionLost } from '../store/held-session.ts'
import type { Pool } from '../store/pool.ts'
import { createBacklog } from './backlog.ts'
import { createPass } from './pass.ts'
import { createRead, type OutboxRead, type ReadCurrent, type ReadOutbox } from './read.ts'
import type { CurrentLoaders } from './send.ts'
import { createShards, type Shards } from './shards.ts'

export interface RelayOptions {
  /** As service_system; the relay holds one of its connections. */
  pool: Pool
  log: Append
  /** Current rows for compacted topics, read through the relay's own session. */
  loaders: (ask: HeldSession['ask']) => CurrentLoaders
  /** Current rows that are read along with their marks; the others are loaded by `loaders`. */
  readCurrent?: ReadCurrent
  instance: string
  logger: Log
  metrics: Metrics
  /**
   * The session is lost or something is not understood: the process must end, and its producer with
   * it.
   */
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

/** After a statement that Postgres refused. */
const REFUSED_PAUSE_MS = 1000
const FIRST_CONNECT_PAUSE_MS = 200
const MAX_CONNECT_PAUSE_MS = 5000

export function startRelay(options: RelayOptions): Relay {
  const { log, logger, metrics, handoverMs = 10_000, pollMs = 5000, balanceMs = 4000 } = options
  const shardsHeld = metrics.gauge('service_relay_shards', 'Shards this relay holds')
  const wait = createRest()
  const observe = createBacklog(metrics)
  const readRows = createRead(options.readCurrent)
  const read: ReadOutbox = (held, shards) => {
    woken = false
    return readRows(held, shards)
  }
  const pass = createPass({ log, read, rest: wait.rest, logger, metrics })
  let session: HeldSession | null = null
  let shards: Shards | null = null
  let closing = false
  let failed = false
  /** A row was written since the last read began, and that read may not have it. */
  let woken = false

  /** Nothing that was sent can still be on its way. */
  const settled = (now: number): boolean => now - pass.uncertainAt() >= handoverMs

  /**
   * Takes the session and looks after the shards; null when it closes before there is a session.
   */
  async function begin(): Promise<{ held: HeldSession; own: Shards } | null> {
    const held = await connect(options.pool, wait, () => closing, logger)
    session = held
    if (!held) return null
    const own = await createShards(held, { instance: options.instance, handoverMs })
    shards = own
    await held.listen('outbox', (shard) => {
      if (!own.held().includes(Number(shard))) return
      woken = true
      wait.wake()
    })
    return { held, own }
  }

  async function run(): Promise<void> {
    const begun = await begin()
    if (!begun) return
    const { held, own } = begun
    const loaders = options.loaders(held.ask)
    let balanceAt = 0
    const isDue = (): boolean => Date.now() >= balanceAt
    let ahead: OutboxRead | null = null
    while (!closing) {
      try {
        if (held.lost()) throw new SessionLost('the session with Postgres has ended')
        let now = Date.now()
        if (isDue() && ahead === null) {
          await own.balance(now, settled(now))
          shardsHeld.set(own.held().length)
          now = Date.now()
          balanceAt = now + balanceMs
        }
        const readable = own.readable(now)
        const next: OutboxRead = ahead ?? (await read(held, readable))
        ahead = null
        await observe(held, readable, next, now)
        if (next.rows.length > 0) {
          ahead = await pass.run(held, readable, next, loaders, () => !isDue() && (next.full || woken))
          if (isDue()) ahead = null // What there is then is read once the shards were looked after.
        } else if (!woken) await wait.rest(Math.max(Math.min(pollMs, balanceAt - now, (own.nextAt(now) ?? Infinity) - now), 1))
      } catch (error) {
        ahead = null
        if (!isStatementError(error)) throw error
        logger.error({ err: error }, 'Postgres refused a statement of the relay; trying again')
        await wait.rest(REFUSED_PAUSE_MS)
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
      wait.end()
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

/**
 * Before its first session a relay holds nothing, so it may wait for Postgres as long as it takes.
 * Null when it closes meanwhile.
 */
async function connect(pool: Pool, { rest, wake }: Rest, isClosing: () => boolean, logger: Log): Promise<HeldSession | null> {
  for (let attempt = 0; !isClosing(); attempt++) {
    try {
      const held = await holdSession(pool, { onLost: wake })
      // The table is mostly empty, so its statistics say nothing about a backlog: rows are read
      // along the primary key, never all of them sorted, and what marks need by its id.
      const ways = ['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin']
      await held.ask((tx) => tx.query(ways.map((way) => `SET enable_${way} = off`).join('; ')))
      return held
    } catch (error) {
      logger.warn({ err: error }, 'the relay cannot reach Postgres; trying again')
      await rest(Math.min(FIRST_CONNECT_PAUSE_MS * 2 ** attempt, MAX_CONNECT_PAUSE_MS))
    }
  }
  return null
}
