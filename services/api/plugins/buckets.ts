/**
 * The token buckets from which requests take, by rate group, in one instance.
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
  /** The number of requests that would pass at once now. */
  remaining: number
  /**
   * Seconds until the bucket is full again; after a refusal, until the next request passes. Whole,
   * and at least 1 after a refusal.
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

  /** Returns a token to the bucket, because what it was taken for does not count after all. */
  giveBack(name: RateGroup, key: string): void {
    this.#buckets.get(`${name}\n${key}`)?.giveBack()
  }
}
