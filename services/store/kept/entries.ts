/**
 * The bounded contents of one look-up table: values that were found, and keys that have no row.
 * Each of the two has its own limit. Instants are on the clock of performance.now().
 */
import type { LookupLimits } from './limits.ts'

export interface Entry<T> {
  value: T
  checkedAt: number
  /** The value was used since its last second-chance round. */
  used: boolean
  /** The row may have changed unheard since `checkedAt`. */
  isOutdated: boolean
}

export class Entries<T> {
  readonly #limits: Pick<LookupLimits, 'entries' | 'negativeEntries' | 'negativeMs'>
  readonly #groupOf: ((value: T) => string) | undefined
  readonly #found = new Map<string, Entry<T>>()
  readonly #groups = new Map<string, Set<string>>()
  readonly #absent = new Map<string, number>() // → when it ends.

  constructor(limits: Pick<LookupLimits, 'entries' | 'negativeEntries' | 'negativeMs'>, groupOf?: (value: T) => string) {
    this.#limits = limits
    this.#groupOf = groupOf
  }

  /** Values kept. */
  get size(): number {
    return this.#found.size
  }

  get(key: string): Entry<T> | undefined {
    return this.#found.get(key)
  }

  /** Whether Postgres had no row for the key a moment ago. */
  isAbsent(key: string, now: number): boolean {
    return (this.#absent.get(key) ?? 0) > now
  }

  /** Keeps the answer of Postgres. Null means that the key has no row. */
  keep(key: string, value: T | null, now: number): void {
    if (value === null) {
      this.#remove(key)
      if (this.#absent.size >= this.#limits.negativeEntries) this.#absent.delete(this.#absent.keys().next().value ?? '')
      this.#absent.set(key, now + this.#limits.negativeMs)
      return
    }
    this.#absent.delete(key)
    if (!this.#found.has(key)) this.#makeRoom()
    if (this.#groupOf) this.#remove(key) // The value may be in another group now.
    this.#put(key, { value, checkedAt: now, used: false, isOutdated: false })
  }

  drop(key: string): void {
    this.#remove(key)
    this.#absent.delete(key)
  }

  /**
   * Drops every entry of the group. Also drops every absent key, because it may belong to the group
   * now.
   */
  dropGroup(group: string): void {
    for (const key of this.#groups.get(group) ?? []) this.#found.delete(key)
    this.#groups.delete(group)
    this.#absent.clear()
  }

  /**
   * Marks every value as outdated and treats it as checked no later than `checkedAt`. Forgets the
   * absent keys.
   */
  outdate(checkedAt: number): void {
    for (const entry of this.#found.values()) {
      entry.checkedAt = Math.min(entry.checkedAt, checkedAt)
      entry.isOutdated = true
    }
    this.#absent.clear()
  }

  /**
   * Evicts by second chance: a value that was used since the last round moves to the end of the
   * queue instead. A hit therefore costs no reordering.
   */
  #makeRoom(): void {
    while (this.#found.size >= this.#limits.entries) {
      const oldest = this.#found.entries().next().value
      if (!oldest) break
      const [key, entry] = oldest
      this.#remove(key)
      if (entry.used) this.#put(key, { ...entry, used: false })
    }
  }

  #remove(key: string): void {
    const entry = this.#found.get(key)
    if (!entry) return
    this.#found.delete(key)
    if (!this.#groupOf) return
    const group = this.#groupOf(entry.value)
    const members = this.#groups.get(group)
    members?.delete(key)
    if (members?.size === 0) this.#groups.delete(group)
  }

  #put(key: string, entry: Entry<T>): void {
    this.#found.set(key, entry)
    if (!this.#groupOf) return
    const group = this.#groupOf(entry.value)
    const members = this.#groups.get(group)
    if (members) members.add(key)
    else this.#groups.set(group, new Set([key]))
  }
}
