/**
 * Counts the attempts that this process has in flight, in total, per workspace and per target, and
 * those by mail. It also keeps the followed targets, where more deliveries may wait: whoever
 * records an outcome at such a target claims the next delivery there.
 */
import { type DeliveryRow, MAX_IN_FLIGHT } from '../store/deliveries.ts'
import { isMail } from './mail-places.ts'

type At = Pick<DeliveryRow, 'tenant_id' | 'target_id' | 'kind'>

export class InFlight {
  readonly #at = new Map<string, number>()
  readonly #of = new Map<string, number>()
  readonly #mailsOf = new Map<string, number>()
  readonly #followed = new Set<string>()
  #total = 0
  #mails = 0

  get total(): number {
    return this.#total
  }

  /** Attempts by mail. */
  get mails(): number {
    return this.#mails
  }

  /** Attempts by mail of a workspace. */
  mailsOf(tenant_id: string): number {
    return this.#mailsOf.get(tenant_id) ?? 0
  }

  /** Attempts of a workspace. */
  of(tenant_id: string): number {
    return this.#of.get(tenant_id) ?? 0
  }

  /**
   * Adds claimed deliveries. A target that reached its limit is followed, because more may wait
   * there.
   */
  add(rows: readonly At[]): void {
    this.#total += rows.length
    for (const { tenant_id } of rows.filter(isMail)) {
      this.#mails += 1
      this.#mailsOf.set(tenant_id, this.mailsOf(tenant_id) + 1)
    }
    for (const { tenant_id, target_id } of rows) {
      this.#of.set(tenant_id, this.of(tenant_id) + 1)
      this.#at.set(target_id, (this.#at.get(target_id) ?? 0) + 1)
      if (this.isFull(target_id)) this.#followed.add(target_id)
    }
  }

  remove(rows: readonly At[]): void {
    this.#total -= rows.length
    for (const { tenant_id } of rows.filter(isMail)) {
      this.#mails -= 1
      const others = this.mailsOf(tenant_id) - 1
      if (others > 0) this.#mailsOf.set(tenant_id, others)
      else this.#mailsOf.delete(tenant_id)
    }
    for (const { tenant_id, target_id } of rows) {
      const others = this.of(tenant_id) - 1
      if (others > 0) this.#of.set(tenant_id, others)
      else this.#of.delete(tenant_id)
      const left = (this.#at.get(target_id) ?? 1) - 1
      if (left > 0) this.#at.set(target_id, left)
      else {
        this.#at.delete(target_id)
        this.#followed.delete(target_id)
      }
    }
  }

  /** True when the target is at its limit, so that a claim would refuse another delivery. */
  isFull(target_id: string): boolean {
    return (this.#at.get(target_id) ?? 0) >= MAX_IN_FLIGHT
  }

  isFollowed(target_id: string): boolean {
    return this.#followed.has(target_id)
  }

  /** Call when a delivery waits at this target. */
  follow(target_id: string): void {
    if (this.#at.has(target_id)) this.#followed.add(target_id)
  }

  /** Call when no delivery waits there that may be claimed. */
  unfollow(target_id: string): void {
    this.#followed.delete(target_id)
  }
}
