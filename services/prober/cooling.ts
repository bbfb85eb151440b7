/**
 * Assertions that used up their time or memory are left alone for a while, so that a monitor that
 * can never be decided costs its neighbours little: a minute after the first time, twice as long
 * after each further one, at most a quarter of an hour. A change of the monitor ends that, since it
 * is another version of it.
 */
import { BoundedMap } from '../process/bounded-map.ts'

const FIRST_MS = 60_000
const MAX_MS = 900_000
/** Versions of monitors that are kept; above, the one that has been there longest is forgotten. */
const MAX_KEPT = 10_000

export class Cooling {
  readonly #kept = new BoundedMap<string, { times: number; until: number }>(MAX_KEPT)
  readonly #now: () => number

  /** `now` in ms, of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** For how many ms the monitor is still left alone; 0: it may be evaluated. */
  rest(monitor: string): number {
    if (this.#kept.size === 0) return 0
    return Math.max(0, (this.#kept.get(monitor)?.until ?? 0) - this.#now())
  }

  /** It took too much. */
  tooCostly(monitor: string): void {
    const times = (this.#kept.get(monitor)?.times ?? 0) + 1
    this.#kept.set(monitor, { times, until: this.#now() + Math.min(FIRST_MS * 2 ** (times - 1), MAX_MS) })
  }

  /** It was decided in time. */
  decided(monitor: string): void {
    this.#kept.delete(monitor)
  }
}
