/**
 * Joins the bytes of several rows into one parameter, with the place of each. In an array, Postgres
 * would receive the bytes as hex and decode them. `substring(bytes FROM place FOR length)` returns
 * one of them.
 */
export interface EndToEnd {
  /** Where each begins, counted from 1 as in SQL. */
  places: number[]
  /** Length of each in bytes; null if there is none, which becomes NULL. */
  lengths: (number | null)[]
  bytes: Buffer
}

export function endToEnd(parts: readonly (Buffer | null)[]): EndToEnd {
  const places: number[] = []
  let next = 1
  for (const part of parts) {
    places.push(next)
    next += part?.length ?? 0
  }
  return { places, lengths: parts.map((part) => part?.length ?? null), bytes: Buffer.concat(parts.filter((part) => part !== null)) }
}
