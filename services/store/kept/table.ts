/**
 * Looks up one kind of thing by key. A kept value answers; otherwise Postgres is asked, with at
 * most one question at a time for each key.
 */
import type { Tx } from '../pool.ts'
import { Entries } from './entries.ts'
import type { LookupLimits } from './limits.ts'
import type { Questions } from './questions.ts'

/**
 * The value of the key, or null when it has none. Returned directly when it is kept, otherwise as a
 * promise, which may reject with Unavailable.
 */
export type Check<T> = T | null | Promise<T | null>

export interface TableOptions<Row, T> {
  /** Returns the rows by key; keys without a row are left out. */
  find(tx: Tx, keys: readonly string[]): Promise<ReadonlyMap<string, Row>>
  rowTo(row: Row, key: string): T
  /** Entries of one group can be dropped together. */
  groupOf?(value: T): string
}

export interface Table<T> {
  get(key: string): Check<T>
  /**
   * As `get`, but never returns a value that may have changed unheard: Postgres is asked first, and
   * the promise rejects with Unavailable when it does not answer.
   */
  getCurrent(key: string): Check<T>
  /**
   * Returns the values of all keys: directly when all are kept, otherwise as a promise, after one
   * question for the missing ones. Keys without a row are null.
   */
  getAll(keys: readonly string[]): ReadonlyMap<string, T | null> | Promise<ReadonlyMap<string, T | null>>
  drop(key: string): void
  /**
   * Whether nothing is known about the key: it is neither kept, nor being looked up, nor known to
   * be absent.
   */
  isNew(key: string): boolean
  /**
   * Drops every entry of the group, and every absent key, because it may belong to the group now.
   */
  dropGroup(group: string): void
  /** Number of entries that were found and are kept. */
  size(): number
}

interface Running<T> {
  answer: Promise<T | null>
  /** The row changed while the question was running, so its answer may be older than the change. */
  overtaken: boolean
}

export interface TableParts {
  questions: Questions
  /** True while changes are listened for. */
  listening(): boolean
  limits: LookupLimits
}

export class KeptTable<Row, T> implements Table<T> {
  readonly #find: TableOptions<Row, T>['find']
  readonly #rowTo: TableOptions<Row, T>['rowTo']
  readonly #entries: Entries<T>
  readonly #running = new Map<string, Running<T>>()
  readonly #questions: Questions
  readonly #listening: () => boolean
  readonly #limits: LookupLimits

  constructor({ find, rowTo, groupOf }: TableOptions<Row, T>, { questions, listening, limits }: TableParts) {
    this.#find = find
    this.#rowTo = rowTo
    this.#entries = new Entries(limits, groupOf)
    this.#questions = questions
    this.#listening = listening
    this.#limits = limits
  }

  get(key: string): Check<T> {
    const found = this.#kept(key)
    return found === undefined ? this.#orKept(key, this.#askFor(key)) : found
  }

  getCurrent(key: string): Check<T> {
    const entry = this.#entries.get(key)
    return entry?.isOutdated ? this.#askFor(key) : this.get(key)
  }

  getAll(keys: readonly string[]): ReadonlyMap<string, T | null> | Promise<ReadonlyMap<string, T | null>> {
    const found = new Map<string, T | null>()
    const missing: string[] = []
    for (const key of new Set(keys)) {
      const value = this.#kept(key)
      if (value === undefined) missing.push(key)
      else found.set(key, value)
    }
    if (missing.length === 0) return found
    this.#lookUp(missing)
    return Promise.all(missing.map((key) => this.#orKept(key, this.#askFor(key)))).then((values) => {
      for (const [nth, key] of missing.entries()) found.set(key, values[nth] ?? null)
      return found
    })
  }

  drop(key: string): void {
    this.#entries.drop(key)
    const lookup = this.#running.get(key)
    if (lookup) lookup.overtaken = true
  }

  isNew(key: string): boolean {
    return !this.#entries.get(key) && !this.#running.has(key) && !this.#entries.isAbsent(key, performance.now())
  }

  dropGroup(group: string): void {
    this.#entries.dropGroup(group)
    this.#overtakeAll()
  }

  size(): number {
    return this.#entries.size
  }

  /**
   * Called when notifications may have been missed. Entries stay for the case that Postgres does
   * not answer, but otherwise none is used before Postgres was asked again.
   */
  outdate(): void {
    this.#entries.outdate(performance.now() - this.#limits.freshMs)
    this.#overtakeAll()
  }

  #overtakeAll(): void {
    for (const lookup of this.#running.values()) lookup.overtaken = true
  }

  /** Returns undefined when Postgres must be asked. */
  #kept(key: string): T | null | undefined {
    const entry = this.#entries.get(key)
    const now = performance.now()
    if (!entry) return this.#entries.isAbsent(key, now) ? null : undefined
    const age = now - entry.checkedAt
    const { failing } = this.#questions
    if (age >= usableMs(failing, this.#listening(), this.#limits)) return undefined
    entry.used = true
    // The kept value answers while it is refreshed. `ask` has already logged any failure.
    if ((failing || age >= this.#limits.refreshMs) && this.#questions.mayAsk(now)) this.#lookUp([key])
    return entry.value
  }

  /** Resolves to the answer of Postgres. Rejects with Unavailable when there is none. */
  #askFor(key: string): Promise<T | null> {
    this.#lookUp([key])
    return this.#running.get(key)?.answer ?? Promise.resolve(null)
  }

  /** Asks one question for all keys that are not being asked for yet. */
  #lookUp(keys: readonly string[]): void {
    const missing = keys.filter((key) => !this.#running.has(key))
    if (missing.length === 0) return
    const answers = this.#askAndKeep(missing)
    for (const key of missing) {
      const answer = answers.then((found) => found.get(key) ?? null).finally(() => this.#running.delete(key))
      answer.catch(() => undefined) // Perhaps nobody waits: a refresh in the background.
      this.#running.set(key, { answer, overtaken: false })
    }
  }

  /** When the question fails, a kept value that is not too old answers. */
  async #orKept(key: string, answer: Promise<T | null>): Promise<T | null> {
    try {
      return await answer
    } catch (error) {
      const entry = this.#entries.get(key)
      if (entry && performance.now() - entry.checkedAt < this.#limits.staleMs) return entry.value
      throw error
    }
  }

  /**
   * Asks, and keeps the answers. Keys whose rows changed while the question ran are asked for
   * again.
   */
  async #askAndKeep(keys: readonly string[]): Promise<Map<string, T | null>> {
    const answers = new Map<string, T | null>()
    let wanted = keys
    while (wanted.length > 0) {
      const asked = wanted
      const rows = await this.#questions.ask((tx) => this.#find(tx, asked))
      const again: string[] = []
      for (const key of asked) {
        const lookup = this.#running.get(key)
        if (lookup?.overtaken) {
          lookup.overtaken = false
          again.push(key)
          continue
        }
        const row = rows.get(key)
        const value = row === undefined ? null : this.#rowTo(row, key)
        this.#entries.keep(key, value, performance.now())
        answers.set(key, value)
      }
      wanted = again
    }
    return answers
  }
}

/**
 * How old a kept value may be to be used without asking. While Postgres does not answer, no caller
 * waits for it as long as a usable value is kept.
 */
export function usableMs(
  failing: boolean,
  listening: boolean,
  limits: Pick<LookupLimits, 'staleMs' | 'freshMs' | 'freshUnheardMs'>
): number {
  if (failing) return limits.staleMs
  return listening ? limits.freshMs : limits.freshUnheardMs
}
