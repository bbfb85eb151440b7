/**
 * Token buckets of one instance. A bucket holds `burst` tokens and fills at `limit` per window, so over a window at least `limit` requests pass, and
 * never more than `burst` at once. Source: docs/design/api.md#s21.
 */
import { type PlanId, type Rate, type RateGroup, rates } from '../../schemas/plans.ts'

export interface Verdict {
  admitted: boolean
  name: RateGroup
  /** Requests per window. */
  limit: number
  /** Requests that would pass at once now. */
  remaining: number
  /** Until the bucket is full again; while refusing, until the next request passes. Whole, at least 1 while refusing. */
  reset_seconds: number
  window_seconds: number
}

interface Bucket {
  tokens: number
  at: number
}

/** Buckets that are kept; the one unused for longest goes first, and has most likely filled up by then. */
const MOST_BUCKETS = 50_000

export class Buckets {
  readonly #buckets = new Map<string, Bucket>()
  readonly #now: () => number

  /** `now` in ms; it must not jump. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Takes a token; with `cost` 0 it only looks. */
  take(name: RateGroup, key: string, plan: PlanId, cost = 1): Verdict {
    const rate: Rate = rates[name]
    const limit = rate.limit[plan]
    const perMs = limit / (rate.window_seconds * 1000)
    const bucket = this.#filled(`${name}\n${key}`, rate.burst, perMs)
    const admitted = bucket.tokens >= Math.max(cost, 1)
    if (admitted) bucket.tokens -= cost
    const wanted = admitted ? rate.burst : 1
    const reset_seconds = Math.max(admitted ? 0 : 1, Math.ceil((wanted - bucket.tokens) / perMs / 1000))
    return { admitted, name, limit, remaining: Math.max(0, Math.floor(bucket.tokens)), reset_seconds, window_seconds: rate.window_seconds }
  }

  /** Gives a token back: what it was taken for turned out not to count. */
  giveBack(name: RateGroup, key: string): void {
    const bucket = this.#buckets.get(`${name}\n${key}`)
    if (bucket) bucket.tokens = Math.min(rates[name].burst, bucket.tokens + 1)
  }

  #filled(id: string, burst: number, perMs: number): Bucket {
    const now = this.#now()
    const bucket = this.#buckets.get(id) ?? { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) * perMs)
    bucket.at = now
    // Back to the end: the order of the map is that of use.
    this.#buckets.delete(id)
    this.#buckets.set(id, bucket)
    if (this.#buckets.size > MOST_BUCKETS) {
      const [oldest] = this.#buckets.keys()
      if (oldest !== undefined) this.#buckets.delete(oldest)
    }
    return bucket
  }
}
