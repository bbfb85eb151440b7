/** Figures of the workspace put together from those of its parts. Pure. */
import type { UptimeAnswer } from '../../api/shapes.ts'

type Item = UptimeAnswer['items'][number]

/** Of all of them together, by the time that each was watched; null where nothing was. */
export function wholeUptime(items: readonly Item[]): number | null {
  const sum = (of: (item: Item) => number): number => items.reduce((all, item) => all + of(item), 0)
  const up = sum(({ up_seconds, degraded_seconds }) => up_seconds + degraded_seconds)
  const known = up + sum(({ down_seconds }) => down_seconds)
  return known === 0 ? null : (100 * up) / known
}

/** The worst first; what has no figure stands at the end. */
export const worstUptimeFirst = (items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => (one.uptime_percent ?? 101) - (other.uptime_percent ?? 101) || other.down_seconds - one.down_seconds)
