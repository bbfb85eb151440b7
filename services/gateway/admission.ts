/**
 * How many may come, and how fast: upgrades of the instance, connects of a workspace, messages of a socket. Token buckets on a clock that does not jump.
 * Source: api-design.md 15 RM-1 and 21 (realtime).
 */
export class Bucket {
  private tokens: number
  private at: number
  private readonly perMs: number
  private readonly size: number

  /** Holds `size` tokens and gets `perSecond` more a second. */
  constructor(perSecond: number, size: number, now: number) {
    this.perMs = perSecond / 1000
    this.size = size
    this.tokens = size
    this.at = now
  }

  private fill(now: number): void {
    this.tokens = Math.min(this.size, this.tokens + (now - this.at) * this.perMs)
    this.at = now
  }

  take(now: number): boolean {
    this.fill(now)
    if (this.tokens < 1) return false
    this.tokens -= 1
    return true
  }

  remaining(): number {
    return Math.floor(this.tokens)
  }

  /** Whole seconds until the next token, at least 1. */
  waitSeconds(): number {
    return Math.max(1, Math.ceil((1 - this.tokens) / this.perMs / 1000))
  }

  full(now: number): boolean {
    this.fill(now)
    return this.tokens >= this.size
  }
}

/** A bucket for each key, forgotten once it is full again. */
export class Buckets {
  private readonly buckets = new Map<string, Bucket>()

  of(key: string, perSecond: number, size: number, now: number): Bucket {
    let bucket = this.buckets.get(key)
    if (!bucket) {
      if (this.buckets.size >= 10_000) for (const [other, idle] of this.buckets) if (idle.full(now)) this.buckets.delete(other)
      bucket = new Bucket(perSecond, size, now)
      this.buckets.set(key, bucket)
    }
    return bucket
  }
}
