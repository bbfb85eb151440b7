/** Combines figures of the workspace for the page. Pure. */
import type { UptimeAnswer } from '../../api/shapes.ts'
import type { Span } from '../../parts/range.ts'
import { dayAt, startOfDay } from '../../parts/zone-times.ts'

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

/**
 * Returns how many incidents opened on each day of the span, by the zone's clock. The answer has
 * only days with an incident; all others had none.
 */
export function openedByDay(
  items: readonly { from: string; opened: number }[],
  { from, to }: Span,
  zone: string
): { at: number; value: number }[] {
  const opened = new Map(items.map((item) => [dayAt(zone, Date.parse(item.from)), item.opened]))
  const points: { at: number; value: number }[] = []
  for (let day = dayAt(zone, from); startOfDay(zone, day) < to; day++)
    points.push({ at: Math.max(from, startOfDay(zone, day)), value: opened.get(day) ?? 0 })
  return points
}
