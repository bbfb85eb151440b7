/**
 * The queue of what happens when, in simulated time: a heap. Entries for the same instant run in
 * the order in which they were added.
 */
interface Entry {
  at: number
  nth: number
  run: () => void
}

export class Queue {
  readonly #heap: Entry[] = []
  #made = 0

  get next(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  add(at: number, run: () => void): void {
    const heap = this.#heap
    const entry = { at, nth: this.#made++, run }
    let place = heap.length
    heap.push(entry)
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = heap[parent]
      if (!above || !isBefore(entry, above)) break
      heap[place] = above
      place = parent
    }
    heap[place] = entry
  }

  /** Runs the first entry. */
  run(): void {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last) return
    if (heap.length > 0) this.#sink(last)
    first.run()
  }

  #sink(entry: Entry): void {
    const heap = this.#heap
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      const [left, right] = [heap[child], heap[child + 1]]
      let least = left
      if (left && right && isBefore(right, left)) {
        least = right
        child += 1
      }
      if (!least || isBefore(entry, least)) break
      heap[place] = least
      place = child
    }
    heap[place] = entry
  }
}

const isBefore = (one: Entry, other: Entry): boolean => one.at < other.at || (one.at === other.at && one.nth < other.nth)
