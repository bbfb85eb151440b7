/**
 * Rests targets whose attempts keep failing. Without a rest, their waiting attempts would fill the
 * room of all other targets. After a rest, the next attempts either close the breaker or open it
 * for twice as long.
 */

const AFTER = 5
const REST_MS = 15_000
const MAX_REST_MS = 300_000
/** How many targets are remembered. Beyond it, the one that failed longest ago is forgotten. */
const MAX_TARGETS = 10_000

interface State {
  failures: number
  restMs: number
  /** Time on the caller's clock. */
  until: number
}

export class Breaker {
  readonly #targets = new Map<string, State>()
  readonly #maxRestMs: number

  constructor(maxRestMs = MAX_REST_MS) {
    this.#maxRestMs = maxRestMs
  }

  /** Call when the target answered, whatever it said about the message. */
  answered(target_id: string): void {
    this.#targets.delete(target_id)
  }

  /** Call when nothing came back, or when the target said that it is overloaded. */
  failed(target_id: string, now: number): void {
    const { failures = 0, restMs = REST_MS, until = 0 } = this.#targets.get(target_id) ?? {}
    this.#targets.delete(target_id)
    const isOpen = failures + 1 >= AFTER && now >= until
    this.#targets.set(target_id, {
      failures: failures + 1,
      restMs: isOpen ? Math.min(restMs * 2, this.#maxRestMs) : restMs,
      until: isOpen ? now + restMs : until
    })
    const [oldest] = this.#targets.keys()
    if (this.#targets.size > MAX_TARGETS && oldest !== undefined) this.#targets.delete(oldest)
  }

  /** Whether it rests now. */
  rests(target_id: string, now: number): boolean {
    return (this.#targets.get(target_id)?.until ?? 0) > now
  }

  /** Whether it has rested, and has not answered since. */
  isInDoubt(target_id: string): boolean {
    return (this.#targets.get(target_id)?.failures ?? 0) >= AFTER
  }

  /** All that rest now. */
  resting(now: number): string[] {
    return [...this.#targets].flatMap(([target_id, { until }]) => (until > now ? [target_id] : []))
  }
}
