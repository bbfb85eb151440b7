/** Combines the uptime figures of single items into one for the workspace. Pure. */
import type { UptimeAnswer } from '../../api/shapes.ts'

type Item = UptimeAnswer['items'][number]

/**
 * Returns the uptime of all items together in percent, weighted by how long each was watched. Null
 * when nothing was watched.
 */
export function wholeUptime(items: readonly Item[]): number | null {
  const sum = (of: (item: Item) => number): number => items.reduce((all, item) => all + of(item), 0)
  const up = sum(({ up_seconds, degraded_seconds }) => up_seconds + degraded_seconds)
  const known = up + sum(({ down_seconds }) => down_seconds)
  return known === 0 ? null : (100 * up) / known
}

/** Sorts the worst uptime first; items without a figure come last. */
export const worstUptimeFirst = (items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => (one.uptime_percent ?? 101) - (other.uptime_percent ?? 101) || other.down_seconds - one.down_seconds)
