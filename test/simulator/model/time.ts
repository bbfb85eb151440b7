/**
 * The model of partition time, by docs/design/architecture.md#s6-time: the time of the last tick
 * plus the time since then on the broker's clock. No single machine's clock decides it.
 */

/** How much the two clocks may differ about the time between two ticks, in ms. */
const STRAYS = 5000
/** This many ticks in a row are believed if they agree only with each other. */
const BELIEVED = 3

interface Mark {
  t: number
  appended: number
}

export class PartitionClock {
  tick: number | null = null
  #appended = 0
  /** The last tick that was not believed, and how many ticks agree with it. */
  #stray: (Mark & { count: number }) | null = null
  #saved: { tick: number | null; appended: number; stray: (Mark & { count: number }) | null } = { tick: null, appended: 0, stray: null }

  /** Whether the tick counts. */
  take(t: number, appended: number): boolean {
    const mark = { t, appended }
    if (this.tick !== null) {
      if (t <= this.tick) return false
      if (!agree(mark, { t: this.tick, appended: this.#appended })) {
        const follows = this.#stray !== null && t > this.#stray.t && agree(mark, this.#stray)
        const count = follows && this.#stray ? this.#stray.count + 1 : 1
        this.#stray = { ...mark, count }
        if (count < BELIEVED) return false
      }
    }
    this.tick = t
    this.#appended = appended
    this.#stray = null
    return true
  }

  /** Returns the partition time of a record from its append time; null before the first tick. */
  at(appended: number): number | null {
    return this.tick === null ? null : this.tick + Math.max(0, appended - this.#appended)
  }

  /** Returns the time that a door wrote, or partition time if that does not fit. */
  placed(written: number, appended: number): number {
    const time = this.at(appended)
    if (time === null || this.tick === null) return written
    return written >= Math.min(time, this.tick + 3000) - 6000 && written <= time + 3000 ? written : time
  }

  save(): void {
    this.#saved = { tick: this.tick, appended: this.#appended, stray: this.#stray }
  }

  reload(): void {
    const { tick, appended, stray } = this.#saved
    this.tick = tick
    this.#appended = appended
    this.#stray = stray
  }

  /** Whether the store has the last tick. */
  get isSaved(): boolean {
    return this.#saved.tick === this.tick
  }
}

const agree = (one: Mark, other: Mark): boolean => Math.abs(one.t - other.t - (one.appended - other.appended)) <= STRAYS
