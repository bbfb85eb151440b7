/**
 * Bytes of several rows as one parameter, with the place of each in it: in an array Postgres would
 * be sent them in hex, and would read them from it again. `substring(bytes FROM place FOR length)`
 * gives one back.
 */
export interface EndToEnd {
  /** Where each begins, counted from 1 as SQL does. */
  places: number[]
  /** Bytes of each; null where there is none, which becomes NULL. */
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
