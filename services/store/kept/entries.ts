/**
 * What a table keeps, bounded: values that were found, and keys that were not, in a space of their
 * own. Instants are as of performance.now().
 */
import type { LookupLimits } from './limits.ts'

export interface Entry<T> {
  value: T
  checkedAt: number
  /** Since the last round of the second chance. */
  used: boolean
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

  /** A moment ago there was none such. */
  isAbsent(key: string, now: number): boolean {
    return (this.#absent.get(key) ?? 0) > now
  }

  /** Keeps what Postgres answered. Null: there is none such. */
  keep(key: string, value: T | null, now: number): void {
    if (value === null) {
      this.#remove(key)
      if (this.#absent.size >= this.#limits.negativeEntries) this.#absent.delete(this.#absent.keys().next().value ?? '')
      this.#absent.set(key, now + this.#limits.negativeMs)
      return
    }
    this.#absent.delete(key)
    if (!this.#found.has(key)) this.#makeRoom()
    if (this.#groupOf) this.#remove(key) // Its group may be another now.
    this.#put(key, { value, checkedAt: now, used: false })
  }

  drop(key: string): void {
    this.#remove(key)
    this.#absent.delete(key)
  }

  /** Drops what is of the group, and every absent key: it may be of the group now. */
  dropGroup(group: string): void {
    for (const key of this.#groups.get(group) ?? []) this.#found.delete(key)
    this.#groups.delete(group)
    this.#absent.clear()
  }

  /** Values count as checked at `checkedAt` at the latest, and absent keys are forgotten. */
  outdate(checkedAt: number): void {
    for (const entry of this.#found.values()) entry.checkedAt = Math.min(entry.checkedAt, checkedAt)
    this.#absent.clear()
  }

  /**
   * Second chance: a value that was used since the last round goes to the end of the queue, so a
   * hit costs no reordering.
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
