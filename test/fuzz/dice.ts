/** Pseudo-random numbers that depend only on their start value (mulberry32). */
export class Dice {
  #state: number

  constructor(start: number) {
    this.#state = start >>> 0
  }

  /** 0 to 2^32 - 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  below(end: number): number {
    return this.next() % end
  }

  oneIn(many: number): boolean {
    return this.below(many) === 0
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[this.below(from.length)] ?? from[0]
  }
}
