/**
 * Work in places of the gate: it waits for one of its workspace, holds it, and is waited for at the
 * end.
 */
import type { FairGate } from './gate.ts'

export class PlacedWork {
  readonly #gate: FairGate
  readonly #onFault: (error: unknown) => void
  readonly #underWay = new Set<Promise<void>>()

  /** `onFault`: what work rejects with. */
  constructor(gate: FairGate, onFault: (error: unknown) => void) {
    this.#gate = gate
    this.#onFault = onFault
  }

  /** Work that waits for a place or holds one. */
  get size(): number {
    return this.#underWay.size
  }

  start(share: string, work: () => Promise<void>): void {
    const guarded = this.#inPlace(share, work)
      .catch(this.#onFault)
      .finally(() => this.#underWay.delete(guarded))
    this.#underWay.add(guarded)
  }

  /** Resolves when all that was started has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #inPlace(share: string, work: () => Promise<void>): Promise<void> {
    await this.#gate.enter(share)
    try {
      await work()
    } finally {
      this.#gate.leave(share)
    }
  }
}
