/**
 * Request rates at this instance: `burst` requests may come at once, and `limit` of them pass over
 * a window. Each key stores one number, the time at which its bucket is full again, and is deleted
 * after that. The caller passes the time, ms from a clock that never jumps back.
 *
 * Source: docs/design/api.md#s21.
 */

export interface Rate {
  windowMs: number
  limit: number
  burst: number
}

/** The state of a key's rate; `name` is that of its group. */
export interface RateStanding {
  admitted: boolean
  name: string
  limit: number
  /** Requests that would pass at once now. */
  remaining: number
  /**
   * Whole seconds until the bucket is full again. After a refusal: until the next request passes,
   * at least 1.
   */
  reset_seconds: number
}

export interface Rates {
  /**
   * Takes one request of `key`, or `count` of them, if they pass. `count` must not exceed `burst`.
   */
  take(key: string, rate: Rate, now: number, count?: number): RateStanding
  size(): number
}

const SWEEP_MS = 60_000

export function createRates(name: string): Rates {
  const fullAt = new Map<string, number>()
  let sweptAt = 0

  return {
    take(key, { windowMs, limit, burst }, now, count = 1) {
      if (now - sweptAt > SWEEP_MS) {
        for (const [known, at] of fullAt) if (at <= now) fullAt.delete(known)
        sweptAt = now
      }
      const interval = windowMs / limit
      const owed = Math.max(0, (fullAt.get(key) ?? 0) - now)
      const taken = count * interval
      const room = burst * interval - owed
      const admitted = room >= taken
      if (admitted) fullAt.set(key, now + owed + taken)
      const left = admitted ? room - taken : room
      const wait = admitted ? owed + taken : taken - room
      return {
        admitted,
        name,
        limit,
        remaining: Math.floor(left / interval + 1e-9),
        reset_seconds: Math.max(admitted ? 0 : 1, Math.ceil(wait / 1000))
      }
    },
    size: () => fullAt.size
  }
}
