/**
 * Buffers results on their way to the service, in order. The buffer is limited by count and bytes.
 * When it is full, the oldest results are dropped and counted. Each result is kept as the text that
 * is sent, so that its size is known and it is encoded only once. For scale: 15 minutes of 100,000
 * checks a minute are 1.5 million results; 15 minutes of ten monitors at 60 s are 150.
 */
export interface Bounds {
  count: number
  bytes: number
}

export interface Batch {
  /** JSON texts of the results. */
  texts: string[]
  /** Pass this to `release`. */
  last: number
}

export class ResultBuffer {
  readonly #bounds: Bounds
  /** Empty at the front until a move is worth it: `#first` is the index of the oldest result. */
  #texts: string[] = []
  /** The bytes of each text. They are counted once. */
  #sizes: number[] = []
  #first = 0
  /** Number of the oldest result, counted since the start. */
  #number = 0
  #bytes = 0
  #dropped = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#texts.length - this.#first
  }

  get bytes(): number {
    return this.#bytes
  }

  get dropped(): number {
    return this.#dropped
  }

  /** Returns how many old results were dropped to make room. */
  add(text: string): number {
    const size = Buffer.byteLength(text)
    this.#texts.push(text)
    this.#sizes.push(size)
    this.#bytes += size
    let gone = 0
    while (this.size > 1 && (this.size > this.#bounds.count || this.#bytes > this.#bounds.bytes)) {
      this.#shift()
      gone++
    }
    this.#dropped += gone
    return gone
  }

  /**
   * Returns the oldest results: at most `count`, about `bytes` bytes, and at least one; null when
   * there are none. They stay in the buffer until released.
   */
  peek(count: number, bytes: number): Batch | null {
    if (this.size === 0) return null
    const texts: string[] = []
    let taken = 0
    for (let at = this.#first; at < this.#texts.length && texts.length < count; at++) {
      taken += this.#sizes[at] ?? 0
      if (texts.length > 0 && taken > bytes) break
      texts.push(this.#texts[at] ?? '')
    }
    return { texts, last: this.#number + texts.length }
  }

  /**
   * Removes the results before number `last`, which have arrived. Results that were dropped in the
   * meantime are not removed twice.
   */
  release(last: number): void {
    while (this.#number < last && this.size > 0) this.#shift()
  }

  #shift(): void {
    this.#bytes -= this.#sizes[this.#first] ?? 0
    this.#texts[this.#first] = ''
    this.#first++
    this.#number++
    if (this.#first > 1024 && this.#first * 2 > this.#texts.length) {
      this.#texts = this.#texts.slice(this.#first)
      this.#sizes = this.#sizes.slice(this.#first)
      this.#first = 0
    }
  }
}
