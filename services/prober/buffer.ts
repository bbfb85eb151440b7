/**
 * Buffers results on their way to the service, in order. The buffer is limited by count and bytes.
 * When it is full, the oldest results are dropped and counted. Each result is kept as the text that
 * is sent, so that its size is known and it is encoded only once. For scale: 15 minutes of 100,000
 * checks a minute are 1.5 million results; 15 minutes of ten monitors at 60 s are 150.
 *
 * A result that is dropped while it is offered to the service may still be taken. So it counts as
 * lost only if the offer fails.
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
  /** The results before this number are offered to the service at the moment. */
  #offered = 0
  /** Offered results that were dropped meanwhile: the answer decides whether they are lost. */
  #undecided = 0
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

  /**
   * Adds a result, drops the oldest if there is no room, and returns how many are lost. Offered
   * ones are not among them: `keep` returns those.
   */
  add(text: string): number {
    const size = Buffer.byteLength(text)
    this.#texts.push(text)
    this.#sizes.push(size)
    this.#bytes += size
    let gone = 0
    while (this.size > 1 && (this.size > this.#bounds.count || this.#bytes > this.#bounds.bytes)) {
      if (this.#number < this.#offered) this.#undecided++
      else gone++
      this.#shift()
    }
    this.#dropped += gone
    return gone
  }

  /**
   * Returns the oldest results to offer them to the service: at most `count`, about `bytes` bytes,
   * and at least one; null when there are none. They stay in the buffer until released. Call
   * `release` or `keep` when the offer has ended.
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
    this.#offered = this.#number + texts.length
    return { texts, last: this.#offered }
  }

  /**
   * Removes the results before number `last`, which have arrived. Results that were dropped in the
   * meantime are not removed twice.
   */
  release(last: number): void {
    while (this.#number < last && this.size > 0) this.#shift()
    this.#offered = 0
    this.#undecided = 0
  }

  /**
   * Keeps the offered results, because the service has not taken them. Returns how many of them are
   * lost: they were dropped meanwhile.
   */
  keep(): number {
    const gone = this.#undecided
    this.#offered = 0
    this.#undecided = 0
    this.#dropped += gone
    return gone
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
