/**
 * Pauses assertions that used up their time or memory, so that a monitor that can never be decided
 * costs its neighbours little. The pause is a minute after the first time, doubles each further
 * time, and is at most a quarter of an hour. A change of the monitor ends the pause, because it
 * makes a new version.
 */
import { BoundedMap } from '../process/bounded-map.ts'

const FIRST_MS = 60_000
const MAX_MS = 900_000
/**
 * Versions of monitors that are kept. Above this, the entry that was written longest ago is
 * dropped.
 */
const MAX_KEPT = 10_000

export class Cooling {
  readonly #kept = new BoundedMap<string, { times: number; until: number }>(MAX_KEPT)
  readonly #now: () => number

  /** `now`: ms of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Returns for how many ms the monitor is still paused; 0: it may be evaluated. */
  rest(monitor: string): number {
    if (this.#kept.size === 0) return 0
    return Math.max(0, (this.#kept.get(monitor)?.until ?? 0) - this.#now())
  }

  /** It took too much. */
  tooCostly(monitor: string): void {
    const times = (this.#kept.get(monitor)?.times ?? 0) + 1
    this.#kept.set(monitor, { times, until: this.#now() + Math.min(FIRST_MS * 2 ** (times - 1), MAX_MS) })
  }

  /** Clears the record of the monitor: it was decided in time. */
  decided(monitor: string): void {
    this.#kept.delete(monitor)
  }
}
