/**
 * Limits how much runs at a time, and shares the places between workspaces. A share takes a place
 * only while it holds fewer places than are free. So whatever one share asks for, half of the
 * places stay for others. If two shares ask for all, each gets a third, and a third stays free; of
 * k shares, each gets one part of k + 1. A share that holds nothing gets in as long as one place is
 * free. A share that is alone may have all places, because there is nobody to keep them for.
 *
 * Waiting entries get in by turns: one of each share, and in order within a share.
 */
export class FairGate {
  #free: number
  readonly #isAlone: () => boolean
  /** Share → number of places it holds; no entry without a place. */
  readonly #held = new Map<string, number>()
  /**
   * Share → its waiting entries. The share whose turn is next comes first. No entry without a wait.
   */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** `isAlone`: whether there is only one share. */
  constructor(places: number, isAlone: () => boolean = () => false) {
    this.#free = places
    this.#isAlone = isAlone
  }

  get waiting(): number {
    let count = 0
    for (const queue of this.#waiting.values()) count += queue.length
    return count
  }

  /** Number of places that the share holds. */
  held(share: string): number {
    return this.#held.get(share) ?? 0
  }

  waitingOf(share: string): number {
    return this.#waiting.get(share)?.length ?? 0
  }

  isWaiting(share: string): boolean {
    return this.#waiting.has(share)
  }

  /**
   * Resolves once the share has a place. Rejects with the reason of `signal` if that ends the wait.
   */
  async enter(share: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const queue = this.#waiting.get(share) ?? []
      const come = (): void => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = (): void => {
        const left = (this.#waiting.get(share) ?? []).filter((one) => one !== come)
        if (left.length > 0) this.#waiting.set(share, left)
        else this.#waiting.delete(share)
        reject(signal?.reason)
      }
      queue.push(come)
      this.#waiting.set(share, queue)
      signal?.addEventListener('abort', giveUp, { once: true })
      this.#admit()
    })
  }

  leave(share: string): void {
    const held = this.held(share) - 1
    if (held > 0) this.#held.set(share, held)
    else this.#held.delete(share)
    this.#free++
    this.#admit()
  }

  #admit(): void {
    while (this.#admitOne());
  }

  #admitOne(): boolean {
    if (this.#free === 0) return false
    const isAlone = this.#isAlone()
    for (const [share, queue] of this.#waiting) {
      const held = this.held(share)
      if (!isAlone && held >= this.#free) continue
      const next = queue.shift()
      // The share goes to the end of the queue.
      this.#waiting.delete(share)
      if (queue.length > 0) this.#waiting.set(share, queue)
      this.#held.set(share, held + 1)
      this.#free--
      next?.()
      return true
    }
    return false
  }
}
