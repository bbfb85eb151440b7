/**
 * How many results go in one batch: as many as the service asks for, fewer for as long as it
 * refuses the shape of what is in it.
 */
export class BatchSize {
  #limit: number
  #most: number

  constructor(limit: number) {
    this.#limit = limit
    this.#most = limit
  }

  /** As many as a full batch has. */
  get limit(): number {
    return this.#limit
  }

  /** Results in the next batch, at most. */
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
