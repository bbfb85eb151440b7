/**
 * Days and times on the clocks of a time zone, for a calendar. Pure; the zones are those that the
 * browser knows. Days are counted from 1970-01-01. Instants are epoch ms.
 */

import { DAY_MS } from '../../parts/clock.ts'
import { ofField, offsetAt, startOfDay } from '../../parts/zone-times.ts'

export {
  DAY_MS,
  dayInWords,
  dayTimeIn,
  HOUR_MS,
  knownZone,
  MINUTE_MS,
  monthInWords,
  timeIn,
  weekdayInWords,
  weekdayName
} from '../../parts/clock.ts'
export { dayAt, fieldOf, instantOf, ofField, offsetAt, startOfDay } from '../../parts/zone-times.ts'

/**
 * Returns the instant that a date field asks for. null: it holds none, or its year is still being
 * typed: a browser gives 0002, 0020 and 0202 on the way to 2027.
 */
export function askedFor(zone: string, field: string): number | null {
  const at = ofField(zone, field)
  return at === null || at < 0 ? null : at
}

/** `2026-03-02`. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** null: it is no date. */
export function dayOfDate(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null
  const at = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(at) || dateOf(at / DAY_MS) !== date ? null : at / DAY_MS
}

/** 0 is Monday. 1970 began on a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

/** Rounds an instant to the nearest step on the zone's clocks. */
export function snapped(zone: string, at: number, step_ms: number): number {
  const offset = offsetAt(zone, at)
  return Math.round((at + offset) / step_ms) * step_ms - offset
}

export type View = 'week' | 'month'

export interface Span {
  /** The days that are shown: whole weeks that begin on Monday. */
  first: number
  days: number
  from: number
  to: number
}

/** Returns the whole weeks around a day: one week, or all weeks that the day's month touches. */
export function spanOf(zone: string, view: View, day: number): Span {
  const monday = (of: number): number => of - weekdayOf(of)
  let [first, last] = [monday(day), monday(day) + 7]
  if (view === 'month') {
    const date = new Date(day * DAY_MS)
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
    first = monday(Date.UTC(year, month, 1) / DAY_MS)
    last = monday(Date.UTC(year, month + 1, 0) / DAY_MS) + 7
  }
  return { first, days: last - first, from: startOfDay(zone, first), to: startOfDay(zone, last) }
}

/** Returns a day in the span before or after. */
export function moved(view: View, day: number, by: 1 | -1): number {
  if (view === 'week') return day + 7 * by
  const date = new Date(day * DAY_MS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by, 1) / DAY_MS
}
