/**
 * Cached look-ups in Postgres: what doors, sockets and routes need for every request, without a
 * query for each.
 *
 * - A found entry is used for 60 s without a query (for 4 s while nobody is listening for changes),
 *   and refreshed in the background before that ends. While Postgres cannot be queried it is used
 *   for 10 min after the last answer. After that, and for entries that are not cached, a look-up
 *   rejects with Unavailable.
 * - A miss is cached for 5 s, in a bounded table of its own, so that guessing cannot push good
 *   entries out or query Postgres twice.
 * - A NOTIFY on `channel` drops the changed entry at once. A listener that was cut off may have
 *   missed some, so everything is queried again. So a change counts in every process within 5 s.
 *   If that query fails, the outdated entry is used on for new requests, but not for what is held
 *   open (`getCurrent`).
 * - There is one query per key at a time, and their number is bounded. Beyond that, a look-up
 *   rejects with Unavailable.
 *
 * Neither keys nor payloads are logged: they may be secrets.
 *
 * Source: docs/design/architecture.md#s7, #s9 and #s11; docs/design/api.md#s1-4.
 */
import { listenForChanges } from './kept/changes.ts'
import { defaultLimits, type LookupLimits } from './kept/limits.ts'
import { type QuestionLog, Questions } from './kept/questions.ts'
import { KeptTable, type Table, type TableOptions } from './kept/table.ts'
import type { Pool } from './pool.ts'

export type { LookupLimits } from './kept/limits.ts'
export { Unavailable } from './kept/questions.ts'
export type { Check, Table } from './kept/table.ts'

export interface Lookups {
  table<Row, T>(options: TableOptions<Row, T>): Table<T>
  /**
   * Calls back with the payload of each change, or with null when changes may have been missed.
   * Returns a function that removes the callback. Entries are dropped or outdated before.
   */
  onNews(callback: (payload: string | null) => void): () => void
  /** Whether changes are being listened for. */
  listening(): boolean
  close(): void
}

export interface LookupOptions {
  /** Pool of role service_tenant; one of its connections is held for LISTEN. */
  pool: Pool
  log: QuestionLog
  /** Name of what is looked up, for the log: `credentials`. */
  what: string
  channel: string
  /** Drops the entries that the payload of a NOTIFY concerns. */
  onChange(payload: string): void
  limits?: Partial<LookupLimits>
}

export function createLookups({ pool, log, what, channel, onChange, limits: given = {} }: LookupOptions): Lookups {
  const limits = { ...defaultLimits, ...given }
  const callbacks = new Set<(payload: string | null) => void>()
  const tables: { outdate(): void }[] = []
  const questions = new Questions(pool, what, log, limits)
  const changes = listenForChanges({
    pool,
    channel,
    what,
    log,
    limits,
    onNews(payload) {
      if (payload === null) {
        questions.answered()
        for (const table of tables) table.outdate()
      } else onChange(payload)
      for (const callback of callbacks) callback(payload)
    }
  })
  const { listening } = changes

  return {
    table<Row, T>(options: TableOptions<Row, T>): Table<T> {
      const table = new KeptTable(options, { questions, listening, limits })
      tables.push(table)
      return table
    },
    onNews(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    listening,
    close: changes.close
  }
}
