/**
 * Measures an attempt by phase, in milliseconds by the monotonic clock. Every moment belongs to
 * exactly one phase, so the phases add up to the total.
 */
export const phases = ['dns', 'connect', 'tls', 'request', 'ttfb', 'download'] as const
export type Phase = (typeof phases)[number]
export type Timings = Record<Phase | 'total', number | null>

export class Stopwatch {
  #startedAt: number
  readonly #spent: Partial<Record<Phase, number>> = {}
  #phase: Phase | null = null
  #since: number
  #stoppedAt: number | null = null
  #pausedAt: number | null = null

  constructor() {
    this.#startedAt = performance.now()
    this.#since = this.#startedAt
  }

  get phase(): Phase | null {
    return this.#phase
  }

  /**
   * Ends the current phase and begins this one. A phase that comes again (after a redirect)
   * continues its count.
   */
  enter(phase: Phase): void {
    this.#settle()
    if (Object.keys(this.#spent).length === 0 && this.#phase === null) this.#startedAt = this.#since
    this.#phase = phase
  }

  /** What happens from here to `resume` is not timed. */
  pause(): void {
    this.#settle()
    this.#pausedAt = this.#since
  }

  resume(): void {
    if (this.#pausedAt === null) return
    this.#since = performance.now()
    this.#startedAt += this.#since - this.#pausedAt
    this.#pausedAt = null
  }

  /** Ends the last phase. Further calls change nothing. */
  stop(): void {
    if (this.#stoppedAt !== null) return
    this.#settle()
    this.#stoppedAt = this.#since
    this.#phase = null
  }

  /**
   * Stops, and sets the duration of the phase to `ms`: deliberate waits are not the target's time.
   */
  stopAs(phase: Phase, ms: number): void {
    this.stop()
    this.#spent[phase] = ms
    const spent = Object.values(this.#spent).reduce((sum, one) => sum + one, 0)
    this.#stoppedAt = this.#startedAt + spent
  }

  /**
   * Returns the timings. A phase that was not reached is null; the phase in which an attempt ended
   * has the time until then.
   */
  read(): Timings {
    const of = (phase: Phase): number | null => round(this.#spent[phase])
    const total = round((this.#stoppedAt ?? this.#pausedAt ?? performance.now()) - this.#startedAt)
    return {
      dns: of('dns'),
      connect: of('connect'),
      tls: of('tls'),
      request: of('request'),
      ttfb: of('ttfb'),
      download: of('download'),
      total
    }
  }

  #settle(): void {
    const now = performance.now()
    if (this.#phase !== null && this.#stoppedAt === null) this.#spent[this.#phase] = (this.#spent[this.#phase] ?? 0) + now - this.#since
    this.#since = now
  }
}

/** Rounds to microseconds: more digits are only noise on the wire. */
const round = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms * 1000) / 1000)
