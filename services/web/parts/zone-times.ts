/**
 * Converts between instants and the local time of a zone. It is apart from clock.ts, which is part
 * of the first load. Instants are epoch ms, days are counted from 1970-01-01.
 */
import { clockOf, DAY_MS, MINUTE_MS, ownZone } from './clock.ts'

/** After this many years the calendar repeats. */
const CYCLE_YEARS = 400
const CYCLE_MS = 146_097 * DAY_MS

/** Returns how far, in ms, the zone is ahead of UTC at an instant. */
export function offsetAt(zone: string, at: number): number {
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)])
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  // Date.UTC takes the years 0 to 99 as 1900 to 1999, so it gets a year with the same calendar.
  return Date.UTC(year + CYCLE_YEARS, month - 1, day, hour, minute, second) - CYCLE_MS - Math.floor(at / 1000) * 1000
}

/** Returns the local time as ms since 1970-01-01 00:00 of that local time. */
const localAt = (zone: string, at: number): number => at + offsetAt(zone, at)

/**
 * Returns the first instant at which the local time is `local`. If the clocks skip `local`, it
 * returns the instant at which they skip.
 */
export function instantOf(zone: string, local: number): number {
  const [before, after] = [offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)]
  const early = local - before
  if (before === after || localAt(zone, early) === local) return early
  const late = local - after
  if (localAt(zone, late) === local) return late
  // The clocks skip `local`: the skip lies between the two instants.
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

/**
 * Returns the value of a browser's date field: `2026-03-02T09:00`, in the local time of the zone.
 */
export const fieldOf = (zone: string, at: number): string => new Date(localAt(zone, at)).toISOString().slice(0, 16)

/** Returns null if the field is empty or holds no time. */
export function ofField(zone: string, field: string): number | null {
  const local = Date.parse(`${field}Z`)
  return field === '' || Number.isNaN(local) ? null : instantOf(zone, local)
}

/** Returns a Date whose own fields show the person's local time at the instant. */
export const wallDate = (at: number): Date => new Date(localAt(ownZone(), at) + new Date(at).getTimezoneOffset() * MINUTE_MS)
