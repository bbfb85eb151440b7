/**
 * Orders rules for a person who sees only some of them: hidden rules keep their places. Pure.
 * Source: docs/design/api/alerts-and-routing.md#s6-3-private.
 */

type Has<T> = (one: T) => boolean

/**
 * Inserts `one` before the visible rule at `position`, counted among the visible rules; beyond
 * them, at the end.
 */
export function insertedAt<T>(all: readonly T[], seen: Has<T>, one: T, position: number | undefined): T[] {
  const place = position === undefined ? -1 : (all.flatMap((other, at) => (seen(other) ? [at] : []))[position] ?? -1)
  return place < 0 ? [...all, one] : [...all.slice(0, place), one, ...all.slice(place)]
}

/** The visible rules change places among themselves. `order` must have each of them once. */
export function reordered<T>(all: readonly T[], seen: Has<T>, order: readonly T[]): T[] {
  let next = 0
  return all.map((one) => (seen(one) ? (order[next++] ?? one) : one))
}

/** Returns `restored`, together with those of `present` that stay at their present place. */
export function restoredAround<T extends { id: string }>(present: readonly T[], stays: Has<T>, restored: readonly T[]): T[] {
  const staying = present.flatMap((one, at) => (stays(one) ? [{ one, at }] : []))
  const ids = new Set(staying.map(({ one }) => one.id))
  const result = restored.filter(({ id }) => !ids.has(id))
  for (const { one, at } of staying) result.splice(at, 0, one)
  return result
}
