/**
 * Token buckets limit how many may come, and how fast. A bucket holds `size` tokens and fills at a
 * steady rate. So over a window at least the rate passes, and never more than `size` at once.
 * Instants are milliseconds of a clock that does not jump.
 * Source: docs/design/api.md#s21.
 */
export class Bucket {
  #tokens: number
  #at: number
  #perMs: number
  #size: number

  /** Holds `size` tokens and gets `perSecond` more a second. */
  constructor(perSecond: number, size: number, now: number) {
    this.#perMs = perSecond / 1000
    this.#size = size
    this.#tokens = size
    this.#at = now
  }

  /**
   * Sets another rate, for example after a change of plan. The tokens in the bucket stay, up to its
   * size.
   */
  setRate(perSecond: number, size: number): void {
    this.#perMs = perSecond / 1000
    this.#size = size
  }

  #fill(now: number): void {
    this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#at) * this.#perMs)
    this.#at = now
  }

  /**
   * Takes `cost` tokens. Returns false, and takes nothing, when there are fewer than `cost` or less
   * than one. With `cost` 0 it only checks.
   */
  take(now: number, cost = 1): boolean {
    this.#fill(now)
    if (this.#tokens < Math.max(cost, 1)) return false
    this.#tokens -= cost
    return true
  }

  /** Gives a token back when the request that took it does not count after all. */
  giveBack(): void {
    this.#tokens = Math.min(this.#size, this.#tokens + 1)
  }

  /** Returns whole tokens: how many may pass at once now. */
  remaining(): number {
    return Math.max(0, Math.floor(this.#tokens))
  }

  /** Whole seconds until the next token, at least 1. */
  waitSeconds(): number {
    return Math.max(1, this.#secondsTo(1))
  }

  /** Whole seconds until the bucket is full. */
  fullSeconds(): number {
    return this.#secondsTo(this.#size)
  }

  #secondsTo(tokens: number): number {
    return Math.max(0, Math.ceil((tokens - this.#tokens) / this.#perMs / 1000))
  }

  isEmpty(now: number): boolean {
    this.#fill(now)
    return this.#tokens < 1
  }
}

/**
 * How many buckets are kept. The one unused for longest is dropped first; by then it is most likely
 * full again.
 */
const MAX_BUCKETS = 50_000

/** A bucket for each key. */
export class KeyedBuckets {
  readonly #buckets = new Map<string, Bucket>()

  /** Returns the bucket of `key`, which has this rate from now on. A new bucket is full. */
  of(key: string, perSecond: number, size: number, now: number): Bucket {
    const bucket = this.#buckets.get(key) ?? new Bucket(perSecond, size, now)
    bucket.setRate(perSecond, size)
    // Move it to the end: the map is in order of last use.
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > MAX_BUCKETS) {
      const [oldest] = this.#buckets.keys()
      if (oldest !== undefined) this.#buckets.delete(oldest)
    }
    return bucket
  }

  /** Returns the bucket of `key`, if there is one. */
  get(key: string): Bucket | undefined {
    return this.#buckets.get(key)
  }
}

/** Returns the headers that show the state of a bucket of requests; values are text. */
export function rateHeaders(bucket: { name: string; limit: number; remaining: number; reset_seconds: number }): Record<string, string> {
  return {
    'x-ratelimit-limit': String(bucket.limit),
    'x-ratelimit-remaining': String(bucket.remaining),
    'x-ratelimit-reset': String(bucket.reset_seconds),
    'x-ratelimit-name': bucket.name
  }
}
