/**
 * Warns about results that the full buffer dropped: at most once in 10 s, with the number dropped
 * since the last warning.
 */
import type { Log } from '../process/log.ts'

const WARN_EVERY_MS = 10_000

export class LossWarning {
  readonly #log: Log
  #warnedAt = Number.NEGATIVE_INFINITY
  #unsaid = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** `now` by performance.now(). `all`: dropped since the start; `kept`: still waiting. */
  note(dropped: number, all: number, kept: number, now: number): void {
    this.#unsaid += dropped
    if (now - this.#warnedAt < WARN_EVERY_MS) return
    this.#log.warn({ dropped: this.#unsaid, dropped_in_all: all, kept }, 'the buffer of results is full: the oldest are dropped')
    this.#warnedAt = now
    this.#unsaid = 0
  }
}
