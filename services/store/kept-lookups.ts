/**
 * Look-ups that are asked of Postgres once and kept: what doors, sockets and routes need for every request, without a query for each.
 *
 * - What was found is used for 60 s without asking (for 4 s while nobody is listening for changes), and refreshed in the background before that ends.
 *   While Postgres cannot be asked it is used for 10 min after the last answer; then, and for what is not kept, a look-up rejects with Unavailable.
 * - What was not found is kept for 5 s, in a bounded table of its own: guessing cannot push good entries out, nor ask Postgres twice.
 * - News of a change (a NOTIFY on `channel`) drops the entry at once. A listener that was cut off may have missed some: everything is asked for again.
 *   So a change counts in every process within 5 s.
 * - Questions are one per key at a time and bounded in number; beyond, a look-up rejects with Unavailable.
 * Neither keys nor payloads are logged: they may be secrets. Source: docs/design/architecture.md#s7, #s9 and #s11; docs/design/api.md#s1-4.
 */
import { type HeldSession, holdSession } from './held-session.ts'
import type { Pool, Tx } from './pool.ts'

/** What stands for the key, or null when there is none such: at once when it is kept, else by a promise, which may reject with Unavailable. */
export type Check<T> = T | null | Promise<T | null>

/** Nothing usable is kept, and Postgres cannot be asked. Answer 503 + Retry-After. `crowded`: too many are asking; else Postgres is away. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  readonly crowded: boolean

  constructor(message: string, { crowded = false, cause }: { crowded?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.crowded = crowded
  }
}

export interface LookupLimits {
  freshMs: number
  /** Instead of `freshMs` while nobody listens for changes. */
  freshUnheardMs: number
  /** From this age on a use refreshes in the background. */
  refreshMs: number
  staleMs: number
  negativeMs: number
  lookupMs: number
  /** After a failed question, nobody asks for so long. */
  pauseMs: number
  /** Between questions on the listening connection, whether it still is one. */
  pulseMs: number
  entries: number
  negativeEntries: number
  lookups: number
}

const defaults: LookupLimits = {
  freshMs: 60_000,
  freshUnheardMs: 4000,
  refreshMs: 45_000,
  staleMs: 600_000,
  negativeMs: 5000,
  lookupMs: 2000,
  pauseMs: 500,
  pulseMs: 2000,
  entries: 50_000,
  negativeEntries: 20_000,
  lookups: 256
}

export interface TableOptions<Row, T> {
  /** Rows by key; keys without one are left out. */
  find(tx: Tx, keys: readonly string[]): Promise<ReadonlyMap<string, Row>>
  rowTo(row: Row, key: string): T
  /** Entries of one group can be dropped together. */
  groupOf?(value: T): string
}

export interface Table<T> {
  get(key: string): Check<T>
  /** All of them: at once when all are kept, else by one question for those that are not. Keys without a row are null. */
  getAll(keys: readonly string[]): ReadonlyMap<string, T | null> | Promise<ReadonlyMap<string, T | null>>
  drop(key: string): void
  /** Nothing is known of the key: a look-up asks Postgres, and nothing says that there is such a one. */
  isNew(key: string): boolean
  /** Drops what is of the group, and everything that was not found: it may be of the group now. */
  dropGroup(group: string): void
  /** Entries found and kept. */
  size(): number
}

export interface Lookups {
  table<Row, T>(options: TableOptions<Row, T>): Table<T>
  /** Called with the payload of news, or with null when such news may have been missed. Returns what takes the callback off. Tables are made anew before. */
  onNews(callback: (payload: string | null) => void): () => void
  /** True while changes are listened for. */
  listening(): boolean
  close(): void
}

export interface LookupOptions {
  /** Of role service_tenant; one of its connections is held for LISTEN. */
  pool: Pool
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void }
  /** What is looked up, for the log: `credentials`. */
  what: string
  channel: string
  /** Drops what the payload of a NOTIFY concerns. */
  onChange(payload: string): void
  limits?: Partial<LookupLimits>
}

interface Entry<T> {
  value: T
  checkedAt: number
  used: boolean
}

interface Running<T> {
  answer: Promise<T | null>
  /** The row changed while the question was under way: its answer may be older than the change. */
  overtaken: boolean
}

export function createLookups({ pool, log, what, channel, onChange, limits: given = {} }: LookupOptions): Lookups {
  const limits = { ...defaults, ...given }
  const callbacks = new Set<(payload: string | null) => void>()
  let session: HeldSession | null = null
  let closed = false
  let failing = false // The last question got no answer.
  let askAgainAt = 0
  let lookups = 0
  const listening = (): boolean => session !== null && !session.lost()

  /** Rejects with Unavailable when Postgres does not answer in time, or is known not to. */
  async function ask<R>(question: (tx: Tx) => Promise<R>): Promise<R> {
    if (performance.now() < askAgainAt) throw new Unavailable('Postgres could not be asked a moment ago')
    if (lookups >= limits.lookups) throw new Unavailable(`${lookups} ${what} are being looked up already`, { crowded: true })
    lookups += 1
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Postgres did not answer within ${limits.lookupMs} ms`)), limits.lookupMs)
    })
    // A question that nobody waits for any more still counts until it ends: a hanging Postgres is not asked ever more.
    const answer = question(pool).finally(() => {
      lookups -= 1
    })
    try {
      const found = await Promise.race([answer, late])
      if (failing) log.info({}, `${what} can be asked for again`)
      failing = false
      return found
    } catch (error) {
      if (!failing) log.warn({ err: error }, `Postgres cannot be asked for ${what}; those kept serve on for a while`)
      failing = true
      askAgainAt = performance.now() + limits.pauseMs
      answer.catch(() => undefined) // Whatever becomes of a question that came too late.
      throw new Unavailable(`Postgres cannot be asked for ${what}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  const renewals: (() => void)[] = []

  function table<Row, T>({ find, rowTo, groupOf }: TableOptions<Row, T>): Table<T> {
    const entries = new Map<string, Entry<T>>()
    const groups = new Map<string, Set<string>>()
    const negative = new Map<string, number>() // → when it ends.
    const running = new Map<string, Running<T>>()

    // After news may have been missed. What is kept stays for the case that Postgres is away, but nobody uses it without asking.
    renewals.push(() => {
      for (const entry of entries.values()) entry.checkedAt = Math.min(entry.checkedAt, performance.now() - limits.freshMs)
      for (const lookup of running.values()) lookup.overtaken = true
      negative.clear()
    })

    function remove(key: string): void {
      const entry = entries.get(key)
      if (!entry) return
      entries.delete(key)
      if (!groupOf) return
      const group = groupOf(entry.value)
      const members = groups.get(group)
      members?.delete(key)
      if (members?.size === 0) groups.delete(group)
    }

    function put(key: string, entry: Entry<T>): void {
      entries.set(key, entry)
      if (!groupOf) return
      const group = groupOf(entry.value)
      const members = groups.get(group)
      if (members) members.add(key)
      else groups.set(group, new Set([key]))
    }

    function keep(key: string, value: T | null): void {
      const now = performance.now()
      if (value === null) {
        remove(key)
        if (negative.size >= limits.negativeEntries) negative.delete(negative.keys().next().value ?? '')
        negative.set(key, now + limits.negativeMs)
        return
      }
      negative.delete(key)
      // Second chance: who was used since the last round goes to the end of the queue, so a hit costs no reordering.
      while (entries.size >= limits.entries && !entries.has(key)) {
        const oldest = entries.entries().next().value
        if (!oldest) break
        remove(oldest[0])
        if (oldest[1].used) put(oldest[0], { ...oldest[1], used: false })
      }
      if (groupOf) remove(key)
      put(key, { value, checkedAt: now, used: false })
    }

    async function askAndKeep(keys: readonly string[]): Promise<Map<string, T | null>> {
      const answers = new Map<string, T | null>()
      let wanted = keys
      while (wanted.length > 0) {
        const asked = wanted
        const rows = await ask((tx) => find(tx, asked))
        const again: string[] = []
        for (const key of asked) {
          const lookup = running.get(key)
          if (lookup?.overtaken) {
            lookup.overtaken = false
            again.push(key)
            continue
          }
          const row = rows.get(key)
          const value = row === undefined ? null : rowTo(row, key)
          keep(key, value)
          answers.set(key, value)
        }
        wanted = again
      }
      return answers
    }

    /** One question for all that nobody asks for yet; when it fails, what is kept and not too old answers. */
    function lookUp(keys: readonly string[]): Promise<T | null>[] {
      const missing = keys.filter((key) => !running.has(key))
      if (missing.length > 0) {
        const answers = askAndKeep(missing)
        for (const key of missing) {
          const answer = answers
            .then((found) => found.get(key) ?? null)
            .catch((error: unknown) => {
              const entry = entries.get(key)
              if (entry && performance.now() - entry.checkedAt < limits.staleMs) return entry.value
              throw error
            })
            .finally(() => running.delete(key))
          running.set(key, { answer, overtaken: false })
        }
      }
      return keys.map((key) => running.get(key)?.answer ?? Promise.resolve(null))
    }

    /** undefined: it has to be asked for. */
    function kept(key: string): T | null | undefined {
      const entry = entries.get(key)
      const now = performance.now()
      if (!entry) return (negative.get(key) ?? 0) > now ? null : undefined
      const age = now - entry.checkedAt
      // Nobody waits for a Postgres that does not answer while something usable is kept.
      const usable = failing ? limits.staleMs : listening() ? limits.freshMs : limits.freshUnheardMs
      if (age >= usable) return undefined
      entry.used = true
      // The kept one serves on while it is refreshed; `ask` has logged what fails.
      if ((failing || age >= limits.refreshMs) && now >= askAgainAt) for (const answer of lookUp([key])) answer.catch(() => undefined)
      return entry.value
    }

    async function askFor(key: string): Promise<T | null> {
      const [answer] = lookUp([key])
      return (await answer) ?? null
    }

    return {
      get(key) {
        const found = kept(key)
        return found === undefined ? askFor(key) : found
      },
      getAll(keys) {
        const found = new Map<string, T | null>()
        const missing: string[] = []
        for (const key of new Set(keys)) {
          const value = kept(key)
          if (value === undefined) missing.push(key)
          else found.set(key, value)
        }
        if (missing.length === 0) return found
        return Promise.all(lookUp(missing)).then((values) => {
          for (const [nth, key] of missing.entries()) found.set(key, values[nth] ?? null)
          return found
        })
      },
      drop(key) {
        remove(key)
        negative.delete(key)
        const lookup = running.get(key)
        if (lookup) lookup.overtaken = true
      },
      isNew: (key) => !entries.has(key) && !running.has(key) && (negative.get(key) ?? 0) <= performance.now(),
      dropGroup(group) {
        for (const key of groups.get(group) ?? []) entries.delete(key)
        groups.delete(group)
        negative.clear()
        for (const lookup of running.values()) lookup.overtaken = true
      },
      size: () => entries.size
    }
  }

  function changed(payload: string | null): void {
    if (payload === null) for (const renew of renewals) renew()
    else onChange(payload)
    for (const callback of callbacks) callback(payload)
  }

  let timer: NodeJS.Timeout | undefined
  let warned = false

  /** Listens, and once a pulse makes sure that the connection still is one; a lost one is replaced, and everything kept is asked for again. */
  async function listen(): Promise<void> {
    let opening: HeldSession | undefined
    try {
      if (listening() && session) {
        await session.ask((tx) => tx.query('SELECT 1'))
      } else {
        session?.close()
        session = null
        opening = await holdSession(pool, { timeoutMs: limits.lookupMs })
        await opening.listen(channel, changed)
        session = opening
        changed(null)
        if (warned) log.info({}, `listening for changed ${what} again`)
        warned = false
      }
    } catch (error) {
      opening?.close()
      session?.close()
      session = null
      if (!warned && !closed) log.warn({ err: error }, `cannot listen for changed ${what}; each is asked for every few seconds meanwhile`)
      warned = true
    }
    if (closed) session?.close()
    else timer = setTimeout(() => void listen(), limits.pulseMs)
  }
  void listen()

  return {
    table,
    onNews(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    listening,
    close() {
      closed = true
      clearTimeout(timer)
      session?.close()
    }
  }
}
