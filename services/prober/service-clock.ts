/**
 * The service's clock as this prober knows it: the wall clock, corrected if it is off by more than
 * a tolerance. Epoch ms.
 */
import type { Log } from '../process/log.ts'

/** A clock that is off by less is not corrected. */
const SKEW_TOLERATED_MS = 2000

/**
 * Returns the milliseconds to add to a wall clock that is `aheadMs` ahead of the service's clock,
 * give or take `errorMs`; `current` if the difference is not worth a change, or may be none.
 */
export function correctionOf(aheadMs: number, current: number, errorMs: number): number {
  if (Math.abs(aheadMs + current) <= errorMs) return current
  const next = Math.abs(aheadMs) > SKEW_TOLERATED_MS ? -Math.round(aheadMs) : 0
  return Math.abs(next - current) <= SKEW_TOLERATED_MS / 2 ? current : next
}

export class ServiceClock {
  readonly #wallClock: () => number
  readonly #log: Log
  readonly #onCorrected: () => void
  #correction = 0

  constructor(wallClock: () => number, log: Log, onCorrected: () => void) {
    this.#wallClock = wallClock
    this.#log = log
    this.#onCorrected = onCorrected
  }

  now(): number {
    return this.#wallClock() + this.#correction
  }

  /** `aheadMs`: how far the wall clock is ahead of the service's, give or take `errorMs`. */
  correct(aheadMs: number, errorMs: number): void {
    const next = correctionOf(aheadMs, this.#correction, errorMs)
    if (next === this.#correction) return
    this.#log.warn(
      { skew_ms: Math.round(aheadMs) },
      next === 0 ? 'the clock is right again' : 'the clock is off: slots are counted by the time of the service'
    )
    this.#correction = next
    this.#onCorrected()
  }
}
