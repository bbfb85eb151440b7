/**
 * Places of rules where somebody sees only some of them: what is hidden keeps its place. Pure.
 * Source: docs/design/api/alerts-and-routing.md#s6-3-private.
 */

type Has<T> = (one: T) => boolean

/** Before the one that stands at `position` among those that are seen; beyond them, at the end. */
export function insertedAt<T>(all: readonly T[], seen: Has<T>, one: T, position: number | undefined): T[] {
  const place = position === undefined ? -1 : (all.flatMap((other, at) => (seen(other) ? [at] : []))[position] ?? -1)
  return place < 0 ? [...all, one] : [...all.slice(0, place), one, ...all.slice(place)]
}

/** Those that are seen change places among themselves; `order` has each of them once. */
export function reordered<T>(all: readonly T[], seen: Has<T>, order: readonly T[]): T[] {
  let next = 0
  return all.map((one) => (seen(one) ? (order[next++] ?? one) : one))
}

/** `restored`, with those of `present` that stay at the place that they have now. */
export function restoredAround<T extends { id: string }>(present: readonly T[], stays: Has<T>, restored: readonly T[]): T[] {
  const staying = present.flatMap((one, at) => (stays(one) ? [{ one, at }] : []))
  const ids = new Set(staying.map(({ one }) => one.id))
  const result = restored.filter(({ id }) => !ids.has(id))
  for (const { one, at } of staying) result.splice(at, 0, one)
  return result
}
