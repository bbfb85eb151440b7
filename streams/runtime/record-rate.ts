/**
 * Records a second, measured over a quarter of a second. It tells a busy process from an idle one.
 */
const WINDOW_MS = 250

export class RecordRate {
  #perSecond = 0
  #since: number
  #counted = 0

  /** `now`: epoch ms. */
  constructor(now: number) {
    this.#since = now
  }

  /** The rate in the last complete window. A window ends with the first record after it. */
  get perSecond(): number {
    return this.#perSecond
  }

  count(records: number, now: number): void {
    this.#counted += records
    const ms = now - this.#since
    if (ms < WINDOW_MS) return
    this.#perSecond = (this.#counted * 1000) / ms
    this.#counted = 0
    this.#since = now
  }
}
