/**
 * How many may come, and how fast: upgrades of the instance, connects of a workspace, bad credentials of an address, messages of a socket. Token buckets on a clock that does not jump.
 * Source: docs/design/api/realtime.md#s15, #rm-1 and docs/design/api.md#s21 (realtime).
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

  isEmpty(now: number): boolean {
    this.fill(now)
    return this.tokens < 1
  }
}

/** Buckets that are kept; the one unused for longest goes first, and is most likely full again by then. */
const MOST_BUCKETS = 50_000

/** A bucket for each key. */
export class Buckets {
  private readonly buckets = new Map<string, Bucket>()

  of(key: string, perSecond: number, size: number, now: number): Bucket {
    const bucket = this.buckets.get(key) ?? new Bucket(perSecond, size, now)
    // Back to the end: the order of the map is that of use.
    this.buckets.delete(key)
    this.buckets.set(key, bucket)
    if (this.buckets.size > MOST_BUCKETS) {
      const [oldest] = this.buckets.keys()
      if (oldest !== undefined) this.buckets.delete(oldest)
    }
    return bucket
  }
}
