/**
 * How many results go in one batch: as many as the service asks for, and fewer while it refuses the
 * shape of a batch.
 */
export class BatchSize {
  #limit: number
  #most: number

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
    return this.#most
  }

  setLimit(limit: number): void {
    this.#limit = limit
    this.#most = Math.min(this.#most, limit)
  }

  /** A batch was taken. */
  grow(): void {
    this.#most = Math.min(this.#limit, this.#most * 2)
  }

  /** A batch of `sent` results was refused for its shape. */
  halve(sent: number): void {
    this.#most = Math.ceil(sent / 2)
  }
}
