/**
 * Runs work in places of the gate. Each piece of work waits for a place of its workspace and holds
 * it while it runs. At the end, all work is awaited.
 */
import type { FairGate } from '../process/gate.ts'

export class PlacedWork {
  readonly #gate: FairGate
  readonly #onFault: (error: unknown) => void
  readonly #underWay = new Set<Promise<void>>()

  /** `onFault` gets the errors with which work rejects. */
  constructor(gate: FairGate, onFault: (error: unknown) => void) {
    this.#gate = gate
    this.#onFault = onFault
  }

  /** Number of pieces of work that wait for a place or hold one. */
  get size(): number {
    return this.#underWay.size
  }

  start(share: string, work: () => Promise<void>): void {
    const guarded = this.#inPlace(share, work)
      .catch(this.#onFault)
      .finally(() => this.#underWay.delete(guarded))
    this.#underWay.add(guarded)
  }

  /** Resolves when all started work has ended. */
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
