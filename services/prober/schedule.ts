/**
 * A queue of the slots that are due, in order. services/checks/slots.ts, which the api shares,
 * computes the slots of a monitor.
 * Source: docs/design/api/prober.md#s16, #pr-2.
 */
export { checkId, nextSlot, slotOffset } from '../checks/slots.ts'

interface Due<T> {
  at: number
  order: number
  item: T
}

/**
 * Earliest first; for the same instant, first in, first out. It is a binary heap: 50,000 monitors
 * cost 16 steps a slot and one timer in all.
 */
export class DueQueue<T> {
  readonly #heap: Due<T>[] = []
  #order = 0

  get size(): number {
    return this.#heap.length
  }

  /** Instant of the earliest entry; null when empty. */
  get firstAt(): number | null {
    return this.#heap[0]?.at ?? null
  }

  put(at: number, item: T): void {
    const due = { at, order: this.#order++, item }
    let place = this.#heap.length
    while (place > 0) {
      const parentPlace = (place - 1) >> 1
      const parent = this.#heap[parentPlace]
      if (!parent || before(parent, due)) break
      this.#heap[place] = parent
      place = parentPlace
    }
    this.#heap[place] = due
  }

  /** Removes and returns the earliest entry if it is due at `now`, else null. */
  take(now: number): { at: number; item: T } | null {
    const first = this.#heap[0]
    if (!first || first.at > now) return null
    const last = this.#heap.pop()
    if (last && last !== first) this.#sink(last)
    return { at: first.at, item: first.item }
  }

  clear(): void {
    this.#heap.length = 0
  }

  #sink(due: Due<T>): void {
    let place = 0
    for (;;) {
      let childPlace = 2 * place + 1
      let child = this.#heap[childPlace]
      const other = this.#heap[childPlace + 1]
      if (child && other && before(other, child)) {
        childPlace++
        child = other
      }
      if (!child || before(due, child)) break
      this.#heap[place] = child
      place = childPlace
    }
    this.#heap[place] = due
  }
}

const before = <T>(a: Due<T>, b: Due<T>): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)
