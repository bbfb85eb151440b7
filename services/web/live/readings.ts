/**
 * Knows since when the page shows something that it could not read again, and reads it until it
 * could. A frame tells of a change, but the page shows it only when it can read: while the api does
 * not answer, a live connection says nothing about what is shown.
 */
import { focusManager, type Query, type QueryClient } from '@tanstack/react-query'
import { isGone } from '../api/client.ts'

/** A reading without an answer for this long counts as failed, in ms. */
const LATE_MS = 20_000
/** How often what failed is read again, in ms. Some data is read only when a frame tells of it. */
const AGAIN_MS = 30_000

export class Readings {
  /** Queries with data whose last reading failed → when the data were read, in epoch ms. */
  readonly #failed = new Map<Query, number>()
  /** Queries that are being read, and not for long yet. */
  readonly #late = new Map<Query, ReturnType<typeof setTimeout>>()
  readonly #listeners = new Set<() => void>()
  readonly #againMs: number
  #since: number | null = null

  constructor({ againMs = AGAIN_MS } = {}) {
    this.#againMs = againMs
  }

  /** Watches the queries until the returned function is called. */
  start(queries: QueryClient): () => void {
    const cache = queries.getQueryCache()
    const readAgain = (): void => {
      if (this.#since === null || !focusManager.isFocused()) return
      // A reading that has had no answer for long may never have one: another takes its place.
      const isDue = (query: Query): boolean => this.#failed.has(query) && !this.#late.has(query)
      void queries.refetchQueries({ type: 'active', predicate: isDue }, { cancelRefetch: true })
    }
    const again = setInterval(readAgain, this.#againMs)
    for (const query of cache.getAll()) if (query.state.status === 'error') this.#fail(query)
    this.#tell()
    const stop = cache.subscribe((event) => {
      const { query } = event
      if (event.type === 'removed') this.#forget(query)
      else if (event.type === 'updated') {
        const { action } = event
        if (action.type === 'fetch') this.#begin(query)
        else if (action.type === 'error') this.#fail(query)
        // What a frame or an action changes in the data is no reading.
        else if (action.type === 'success' && !action.manual) this.#forget(query)
        else if (action.type !== 'setState') return
      } else if (!event.type.startsWith('observer')) return
      this.#tell()
    })
    return () => {
      stop()
      clearInterval(again)
      for (const timer of this.#late.values()) clearTimeout(timer)
      this.#late.clear()
      this.#failed.clear()
    }
  }

  /** The time since which something shown could not be read, epoch ms; null: all is read. */
  readonly since = (): number | null => this.#since

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #begin(query: Query): void {
    if (this.#late.has(query)) return
    const late = (): void => {
      this.#late.delete(query)
      if (query.state.fetchStatus !== 'fetching') return
      this.#fail(query)
      this.#tell()
    }
    this.#late.set(query, setTimeout(late, LATE_MS))
  }

  #fail(query: Query): void {
    this.#done(query)
    const { data, dataUpdatedAt, error } = query.state
    // The page itself shows an error without data, and that something is gone.
    if (data === undefined || isGone(error)) this.#failed.delete(query)
    else if (!this.#failed.has(query)) this.#failed.set(query, dataUpdatedAt)
  }

  #forget(query: Query): void {
    this.#done(query)
    this.#failed.delete(query)
  }

  #done(query: Query): void {
    clearTimeout(this.#late.get(query))
    this.#late.delete(query)
  }

  #tell(): void {
    let since: number | null = null
    for (const [query, readAt] of this.#failed)
      if (query.isActive() && query.state.data !== undefined) since = Math.min(since ?? readAt, readAt)
    if (since === this.#since) return
    this.#since = since
    for (const listener of this.#listeners) listener()
  }
}
