/**
 * The attempts that this process has in hand, in all and at each target, and the targets of these
 * at which more may wait: who records an outcome asks there for what follows.
 */
import { type DeliveryRow, MAX_IN_FLIGHT } from '../store/deliveries.ts'

type At = Pick<DeliveryRow, 'target_id'>

export class InFlight {
  readonly #at = new Map<string, number>()
  readonly #followed = new Set<string>()
  #total = 0

  get total(): number {
    return this.#total
  }

  /** They were claimed. Where a target has all that it may, more may wait. */
  add(rows: readonly At[]): void {
    this.#total += rows.length
    for (const { target_id } of rows) {
      this.#at.set(target_id, (this.#at.get(target_id) ?? 0) + 1)
      if (this.isFull(target_id)) this.#followed.add(target_id)
    }
  }

  remove(rows: readonly At[]): void {
    this.#total -= rows.length
    for (const { target_id } of rows) {
      const left = (this.#at.get(target_id) ?? 1) - 1
      if (left > 0) this.#at.set(target_id, left)
      else {
        this.#at.delete(target_id)
        this.#followed.delete(target_id)
      }
    }
  }

  /** Another would be refused by the claim. */
  isFull(target_id: string): boolean {
    return (this.#at.get(target_id) ?? 0) >= MAX_IN_FLIGHT
  }

  isFollowed(target_id: string): boolean {
    return this.#followed.has(target_id)
  }

  /** Something waits at this target. */
  follow(target_id: string): void {
    if (this.#at.has(target_id)) this.#followed.add(target_id)
  }

  /** Nothing waits there that may be claimed. */
  unfollow(target_id: string): void {
    this.#followed.delete(target_id)
  }
}
