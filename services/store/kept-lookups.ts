/**
 * Look-ups that are asked of Postgres once and kept: what doors, sockets and routes need for every
 * request, without a query for each.
 *
 * - What was found is used for 60 s without asking (for 4 s while nobody is listening for changes),
 *   and refreshed in the background before that ends. While Postgres cannot be asked it is used for
 *   10 min after the last answer; then, and for what is not kept, a look-up rejects with
 *   Unavailable.
 * - What was not found is kept for 5 s, in a bounded table of its own: guessing cannot push good
 *   entries out, nor ask Postgres twice.
 * - News of a change (a NOTIFY on `channel`) drops the entry at once. A listener that was cut off
 *   may have missed some: everything is asked for again. So a change counts in every process within
 *   5 s.
 * - Questions are one per key at a time and bounded in number; beyond, a look-up rejects with
 *   Unavailable.
 * Neither keys nor payloads are logged: they may be secrets. Source:
 * docs/design/architecture.md#s7, #s9 and #s11; docs/design/api.md#s1-4.
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
   * Called with the payload of news, or with null when such news may have been missed. Returns what
   * takes the callback off. Tables are made anew before.
   */
  onNews(callback: (payload: string | null) => void): () => void
  /** True while changes are listened for. */
  listening(): boolean
  close(): void
}

export interface LookupOptions {
  /** Of role service_tenant; one of its connections is held for LISTEN. */
  pool: Pool
  log: QuestionLog
  /** What is looked up, for the log: `credentials`. */
  what: string
  channel: string
  /** Drops what the payload of a NOTIFY concerns. */
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
      if (payload === null) for (const table of tables) table.outdate()
      else onChange(payload)
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
