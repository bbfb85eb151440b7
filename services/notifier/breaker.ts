/**
 * Targets that are given a rest: one whose attempts keep failing would fill the room of all others
 * with waiting. After a rest its next attempts close the breaker or open it for
 * twice as long.
 */

const AFTER = 5
const REST_MS = 15_000
const MAX_REST_MS = 300_000
/** Targets that are remembered; the one that failed longest ago is forgotten. */
const MAX_TARGETS = 10_000

interface State {
  failures: number
  restMs: number
  /** By the clock of the caller. */
  until: number
}

export class Breaker {
  readonly #targets = new Map<string, State>()

  /** The target answered, whatever it said of the message. */
  answered(target_id: string): void {
    this.#targets.delete(target_id)
  }

  /** Nothing came back, or that it is overloaded. */
  failed(target_id: string, now: number): void {
    const { failures = 0, restMs = REST_MS, until = 0 } = this.#targets.get(target_id) ?? {}
    this.#targets.delete(target_id)
    const isOpen = failures + 1 >= AFTER && now >= until
    this.#targets.set(target_id, {
      failures: failures + 1,
      restMs: isOpen ? Math.min(restMs * 2, MAX_REST_MS) : restMs,
      until: isOpen ? now + restMs : until
    })
    const [oldest] = this.#targets.keys()
    if (this.#targets.size > MAX_TARGETS && oldest !== undefined) this.#targets.delete(oldest)
  }

  /** Whether it rests now. */
  rests(target_id: string, now: number): boolean {
    return (this.#targets.get(target_id)?.until ?? 0) > now
  }

  /** All that rest now. */
  resting(now: number): string[] {
    return [...this.#targets].flatMap(([target_id, { until }]) => (until > now ? [target_id] : []))
  }
}
