/**
 * Decides which slot is due, for all watched monitors, with one timer for the next slot. A slot
 * that was slept over is not made up for. Of a long sleep, only the first missed slot is reported.
 */
import { DueQueue } from './schedule.ts'
import { intervalOf, slotAfter, type Watched } from './watched.ts'

/** The longest sleep of a timer, so that a change of the clock is noticed. */
const MAX_SLEEP_MS = 60_000
/**
 * Entries allowed in addition to two for each watched monitor. Stale entries pile up if somebody
 * changes one monitor over and over.
 */
const MAX_STALE = 1000

export interface SlotTimerOptions {
  /** Epoch ms by the service's clock. */
  now(): number
  isHeld(one: Watched): boolean
  /** `slot` must begin now; `missed` is an earlier slot that was slept over, or null. */
  onDue(one: Watched, slot: number, missed: number | null): void
}

export class SlotTimer {
  readonly #options: SlotTimerOptions
  readonly #queue = new DueQueue<{ watched: Watched; generation: number }>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: SlotTimerOptions) {
    this.#options = options
  }

  /** The earliest slot, epoch ms; null if there is none. */
  get firstAt(): number | null {
    return this.#queue.firstAt
  }

  /** Whether too many entries are stale, so that `restart` must be used instead of `add`. */
  isCrowded(watched: number): boolean {
    return this.#queue.size > MAX_STALE + 2 * watched
  }

  /** Adds a monitor, from its next slot on. */
  add(one: Watched): void {
    this.#put(one, slotAfter(one, this.#options.now()))
    this.#arm()
  }

  /** Computes all slots again. */
  restart(all: Iterable<Watched>): void {
    this.#queue.clear()
    const instant = this.#options.now()
    for (const one of all) this.#put(one, slotAfter(one, instant))
    this.#arm()
  }

  /** Stops the timer for good. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#queue.clear()
  }

  #put(one: Watched, at: number): void {
    this.#queue.put(at, { watched: one, generation: one.generation })
  }

  #arm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isStopped || this.#queue.firstAt === null) return
    this.#timer = setTimeout(() => this.#wake(), Math.min(MAX_SLEEP_MS, Math.max(0, this.#queue.firstAt - this.#options.now())))
  }

  #wake(): void {
    const { now, isHeld, onDue } = this.#options
    const instant = now()
    for (let due = this.#queue.take(instant); due; due = this.#queue.take(instant)) {
      const { watched: one, generation } = due.item
      if (!isHeld(one) || one.generation !== generation) continue
      const next = slotAfter(one, instant)
      this.#put(one, next)
      const { slot, missed } = slotsDue(due.at, next, intervalOf(one))
      onDue(one, slot, missed)
    }
    this.#arm()
  }
}

/**
 * Returns the slot to begin and the slot that was missed, when the slot at `dueAt` is taken from
 * the queue and `next` is the next one.
 */
export const slotsDue = (dueAt: number, next: number, interval: number): { slot: number; missed: number | null } => ({
  slot: next - interval,
  missed: next - dueAt > interval ? dueAt : null
})
