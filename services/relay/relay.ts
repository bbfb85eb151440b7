/**
 * The loop between the outbox and the log: read the unsent rows of the held shards in order, send
 * them in one append, delete them, and repeat.
 *
 * - Everything runs on the session that holds the locks of the shards, one step after the other.
 *   The next read waits for the send, so the order per aggregate is kept on the wire, and a lost
 *   lock shows as a failed statement.
 * - LISTEN outbox (payload: the shard) wakes it. After a send it reads on only if it was woken
 *   meanwhile or the last read was full. A poll covers a notification that is missed.
 * - Rows are sent first and deleted after that. A row that is sent twice has the same event_id and
 *   ver, and readers drop the second one. After a delete that Postgres refused, it is tried again
 *   before anything is read.
 * - No acknowledgement (QueueFull, OutcomeUnknown): the rows stay, the loop backs off and sends
 *   them again. Rows for a topic of ours that is missing stay as well, and others go on.
 * - When the session is lost, another relay may take the shards. From then on nothing is read or
 *   sent, and `onFatal` ends the process together with its producer. The marks of its shards were
 *   never set to clean, so the next holder waits. An unknown error ends the same way.
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
  /** Connects as service_system; the relay holds one connection of it. */
  pool: Pool
  log: Append
  /** Loads current rows for compacted topics, through the relay's own session. */
  loaders: (ask: HeldSession['ask']) => CurrentLoaders
  /** Reads current rows together with their marks; the other rows are loaded by `loaders`. */
  readCurrent?: ReadCurrent
  instance: string
  logger: Log
  metrics: Metrics
  /**
   * Called when the session is lost or an error is not known. The process must then end, together
   * with its producer.
   */
  onFatal(reason: string, error: unknown): void
  /** How long to wait before reading a shard that its last holder did not release cleanly. */
  handoverMs?: number
  pollMs?: number
  /** How often the relay takes free shards and releases surplus ones. */
  balanceMs?: number
}

export interface Relay {
  /** True while the relay has its session and has not failed. */
  ready(): boolean
  shards(): number[]
  /** Finishes the append under way, then releases its shards and its session. */
  close(): Promise<void>
}

/** Pause after a statement that Postgres refused. */
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
    return readRows(held, shards, pass.without(performance.now()))
  }
  const pass = createPass({ log, read, rest: wait.rest, logger, metrics })
  let session: HeldSession | null = null
  let shards: Shards | null = null
  let closing = false
  let failed = false
  /** A row was written since the last read began, so that read may have missed it. */
  let woken = false

  /** True when nothing that was sent can still be on its way. */
  const settled = (now: number): boolean => now - pass.uncertainAt() >= handoverMs

  /**
   * Opens the session and prepares the shards. Returns null when the relay closes before it has a
   * session.
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
    let balanceAt = -Infinity
    const isDue = (): boolean => performance.now() >= balanceAt
    let ahead: OutboxRead | null = null
    while (!closing) {
      try {
        if (held.lost()) throw new SessionLost('the session with Postgres has ended')
        await pass.clear(held)
        let now = performance.now()
        if (isDue() && ahead === null) {
          await own.balance(now, settled(now))
          shardsHeld.set(own.held().length)
          now = performance.now()
          balanceAt = now + balanceMs
        }
        const readable = own.readable(now)
        const next: OutboxRead = ahead ?? (await read(held, readable))
        ahead = null
        if (next.whole) await observe(held, readable, next, Date.now())
        if (next.rows.length > 0) {
          ahead = await pass.run(held, readable, next, loaders, () => !isDue() && (next.full || woken))
          if (isDue()) ahead = null // Rows are read again after the balance.
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
          ?.release(settled(performance.now()))
          .catch((error: unknown) => logger.warn({ err: error }, 'the shards were not let go of cleanly'))
      }
      session?.close()
    }
  }
}

/**
 * Connects to Postgres. Before its first session a relay holds nothing, so it may wait as long as
 * it takes. Returns null when the relay closes meanwhile.
 */
async function connect(pool: Pool, { rest, wake }: Rest, isClosing: () => boolean, logger: Log): Promise<HeldSession | null> {
  for (let attempt = 0; !isClosing(); attempt++) {
    try {
      const held = await holdSession(pool, { onLost: wake })
      // The table is mostly empty, so its statistics say nothing about a backlog. These settings
      // make Postgres read the rows along the primary key instead of sorting all of them, and find
      // the rows that marks need by id.
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
