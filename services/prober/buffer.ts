/**
 * Results on their way to the service, in their order, bounded by count and bytes: when it is full
 * the oldest go, and are counted. Each is kept as the text that is sent, so its size is known and
 * it is encoded once. 15 minutes of 100,000 checks a minute are 1.5 million results; of ten
 * monitors at 60 s, 150.
 */
export interface Bounds {
  count: number
  bytes: number
}

export interface Batch {
  /** JSON texts of the results. */
  texts: string[]
  /** To hand back to `release`. */
  last: number
}

export class ResultBuffer {
  readonly #bounds: Bounds
  /** Sparse at the front until it is worth moving: `#first` is the place of the oldest. */
  #texts: string[] = []
  #first = 0
  /** Number of the oldest result since the start. */
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

  /** Gives how many old ones went for it. */
  add(text: string): number {
    this.#texts.push(text)
    this.#bytes += Buffer.byteLength(text)
    let gone = 0
    while (this.size > 1 && (this.size > this.#bounds.count || this.#bytes > this.#bounds.bytes)) {
      this.#shift()
      gone++
    }
    this.#dropped += gone
    return gone
  }

  /**
   * The oldest, at most `count` and about `bytes` of them, at least one; null when there is none.
   * They stay until released.
   */
  peek(count: number, bytes: number): Batch | null {
    if (this.size === 0) return null
    const texts: string[] = []
    let taken = 0
    for (let at = this.#first; at < this.#texts.length && texts.length < count; at++) {
      const text = this.#texts[at] ?? ''
      taken += text.length
      if (texts.length > 0 && taken > bytes) break
      texts.push(text)
    }
    return { texts, last: this.#number + texts.length }
  }

  /**
   * The results before number `last` have arrived. Ones dropped meanwhile are not counted off
   * twice.
   */
  release(last: number): void {
    while (this.#number < last && this.size > 0) this.#shift()
  }

  #shift(): void {
    this.#bytes -= Buffer.byteLength(this.#texts[this.#first] ?? '')
    this.#texts[this.#first] = ''
    this.#first++
    this.#number++
    if (this.#first > 1024 && this.#first * 2 > this.#texts.length) {
      this.#texts = this.#texts.slice(this.#first)
      this.#first = 0
    }
  }
}
