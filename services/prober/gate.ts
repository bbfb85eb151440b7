/**
 * At most so many at a time, shared between workspaces. A share takes a place only while it holds
 * fewer than are left free. So whatever one share asks for, half of the places stay for others; of
 * two that ask for all each gets a third, and a third stays; of k each gets one part of k + 1.
 * Somebody who holds nothing comes in as long as one place is free. Where a share is alone there is
 * nobody to keep places for: it may have all of them.
 *
 * Those who wait come in by turns: one of each share, and within a share in their order.
 */
export class FairGate {
  #free: number
  readonly #isAlone: () => boolean
  /** Share → places it holds; none without one. */
  readonly #held = new Map<string, number>()
  /** Share → those who wait; the share whose turn is next comes first. None without somebody. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** `isAlone`: whether there is one share only. */
  constructor(places: number, isAlone: () => boolean = () => false) {
    this.#free = places
    this.#isAlone = isAlone
  }

  get waiting(): number {
    let count = 0
    for (const queue of this.#waiting.values()) count += queue.length
    return count
  }

  /** Places that the share holds. */
  held(share: string): number {
    return this.#held.get(share) ?? 0
  }

  isWaiting(share: string): boolean {
    return this.#waiting.has(share)
  }

  /** Resolves with a place. Rejects with the reason of `signal` when that ends the wait. */
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
      // To the end of the turn.
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
