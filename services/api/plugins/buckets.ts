/**
 * What a request takes from the bucket of its rate group, in one instance.
 * Source: docs/design/api.md#s21.
 */
import { type PlanId, type Rate, type RateGroup, rates } from '../../../schemas/plans.ts'
import { KeyedBuckets } from '../../http/rate-buckets.ts'

/** What a request is counted in: a bucket, or the inbound budget of its workspace. */
export type Limit = RateGroup | 'ingest_tenant'

export interface Verdict {
  admitted: boolean
  name: Limit
  /** Requests per window. */
  limit: number
  /** Requests that would pass at once now. */
  remaining: number
  /**
   * Until the bucket is full again; while refusing, until the next request passes. Whole, at least
   * 1 while refusing.
   */
  reset_seconds: number
  window_seconds: number
}

export class Buckets {
  readonly #buckets = new KeyedBuckets()
  readonly #now: () => number

  /** `now` in ms; it must not jump. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Takes a token; with `cost` 0 it only looks. */
  take(name: RateGroup, key: string, plan: PlanId, cost = 1): Verdict {
    const rate: Rate = rates[name]
    const limit = rate.limit[plan]
    const { window_seconds, burst } = rate
    const now = this.#now()
    const bucket = this.#buckets.of(`${name}\n${key}`, limit / window_seconds, burst, now)
    const admitted = bucket.take(now, cost)
    const reset_seconds = admitted ? bucket.fullSeconds() : bucket.waitSeconds()
    return { admitted, name, limit, remaining: bucket.remaining(), reset_seconds, window_seconds }
  }

  /** Gives a token back: what it was taken for turned out not to count. */
  giveBack(name: RateGroup, key: string): void {
    this.#buckets.get(`${name}\n${key}`)?.giveBack()
  }
}
