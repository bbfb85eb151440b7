/**
 * What the clocks of a zone show at an instant, and back: beside clock.ts, which the first load
 * has. Instants are epoch ms, days are counted from 1970-01-01.
 */
import { clockOf, DAY_MS, MINUTE_MS, ownZone } from './clock.ts'

/** Ms that the clocks of the zone are ahead of UTC. */
export function offsetAt(zone: string, at: number): number {
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)])
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

/** What the clocks show, as ms since 1970-01-01 00:00 on them. */
const localAt = (zone: string, at: number): number => at + offsetAt(zone, at)

/**
 * The first instant at which the clocks show `local` or, where they leap over it, the one at which
 * they leap.
 */
export function instantOf(zone: string, local: number): number {
  const [before, after] = [offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)]
  const early = local - before
  if (before === after || localAt(zone, early) === local) return early
  const late = local - after
  if (localAt(zone, late) === local) return late
  // They leap over it: somewhere between the two.
  let [low, high] = [late, early]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (localAt(zone, middle) < local) low = middle
    else high = middle
  }
  return high
}

export const dayAt = (zone: string, at: number): number => Math.floor(localAt(zone, at) / DAY_MS)
export const startOfDay = (zone: string, day: number): number => instantOf(zone, day * DAY_MS)

/** What a field of the browser holds: `2026-03-02T09:00`, on the clocks of the zone. */
export const fieldOf = (zone: string, at: number): string => new Date(localAt(zone, at)).toISOString().slice(0, 16)

/** null: the field is empty, or no time. */
export function ofField(zone: string, field: string): number | null {
  const local = Date.parse(`${field}Z`)
  return field === '' || Number.isNaN(local) ? null : instantOf(zone, local)
}

/** A date whose own fields show what the person's clock shows at the instant. */
export const wallDate = (at: number): Date => new Date(localAt(ownZone(), at) + new Date(at).getTimezoneOffset() * MINUTE_MS)
