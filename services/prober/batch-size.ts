/**
 * How many results go in one batch: as many as the service asks for, and fewer while it refuses
 * batches. If a batch has a faulty result, the batches after it halve what may hold that result. So
 * one faulty result costs some ten requests, and results of others do not wait for it. Where
 * faulty results follow one another, batches begin with one result and grow.
 */
export class BatchSize {
  #limit: number
  #most: number
  /** How many of the next results were in a refused batch; one of them is faulty. */
  #suspects = 0
  /** Results dropped since a batch of several was taken. */
  #dropped = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#most = limit
  }

  /** Number of results in a full batch. */
  get limit(): number {
    return this.#limit
  }

  /** Maximum number of results in the next batch. */
  get most(): number {
    return this.#suspects > 0 ? Math.min(this.#most, Math.ceil(this.#suspects / 2)) : this.#most
  }

  setLimit(limit: number): void {
    this.#limit = limit
    this.#most = Math.min(this.#most, limit)
  }

  /** A batch of `sent` results was taken. */
  passed(sent: number): void {
    this.#suspects = Math.max(0, this.#suspects - sent)
    if (sent > 1) this.#dropped = 0
    if (this.#suspects === 0) this.#most = Math.min(this.#limit, this.#most * 2)
  }

  /** A result that was refused alone was dropped. */
  dropped(): void {
    this.#suspects = Math.max(0, this.#suspects - 1)
    this.#dropped++
    if (this.#dropped > 1) this.#most = 1
  }

  /** A batch of `sent` results was refused because one of them is faulty. */
  suspect(sent: number): void {
    this.#suspects = sent
  }

  /** A batch of `sent` results was too large. */
  halve(sent: number): void {
    this.#suspects = 0
    this.#most = Math.ceil(sent / 2)
  }
}
