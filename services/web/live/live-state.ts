/** How live the page is, with subscriptions to changes. */

/** `full`: the gateway has as many connections of the workspace as its plan allows. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'full' | 'stale' | 'offline' | 'ended'

/** Whether the page must read what is shown again and again, because no frame tells of changes. */
export const polls = (state: LiveState): boolean => state === 'reconnecting' || state === 'full' || state === 'stale'

/**
 * Whether what is shown may be out of date. A `full` page has only the readings, and keeps to them
 * for hours: they alone decide.
 */
export const isOld = (state: LiveState): boolean => state === 'offline' || state === 'stale' || state === 'reconnecting'

export interface Live {
  state: LiveState
  /** The time of the last frame, epoch ms; null: none yet. */
  lastFrameAt: number | null
  /** The time since which the page is not live; null while it is live. */
  since: number | null
}

export class LiveStore {
  #live: Live = { state: 'ended', lastFrameAt: null, since: null }
  readonly #listeners = new Set<() => void>()

  /** Returns the same object until something changes. */
  get now(): Live {
    return this.#live
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  become(state: LiveState, at: number): void {
    if (state === this.#live.state) return
    this.#live = { ...this.#live, state, since: state === 'live' ? null : (this.#live.since ?? at) }
    for (const listener of this.#listeners) listener()
  }

  /** A frame alone does not notify the listeners. */
  sawFrame(at: number): void {
    this.#live = { ...this.#live, lastFrameAt: at }
  }
}
