/**
 * Days and times on the clocks of a zone, for a calendar. Pure; zones as the browser knows them.
 * Days are counted from 1970-01-01. Instants are epoch ms.
 */

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(zone: string): Intl.DateTimeFormat {
  const kept = clocks.get(zone)
  if (kept) return kept
  const two = '2-digit' as const
  const fields = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two, hourCycle: 'h23' } as const
  const made = new Intl.DateTimeFormat('en-GB', { ...fields, timeZone: zone })
  clocks.set(zone, made)
  return made
}

/** The zone, or UTC where this browser does not know it. */
export function knownZone(name: string): string {
  try {
    clockOf(name)
    return name
  } catch (error) {
    if (error instanceof RangeError) return 'UTC'
    throw error
  }
}

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

/** What a field of the browser holds: `2026-03-02T09:00`, on the clocks of the zone. */
export const fieldOf = (zone: string, at: number): string => new Date(localAt(zone, at)).toISOString().slice(0, 16)

/** null: the field is empty, or no time. */
export function ofField(zone: string, field: string): number | null {
  const local = Date.parse(`${field}Z`)
  return field === '' || Number.isNaN(local) ? null : instantOf(zone, local)
}

/** To the nearest step of the zone's clocks. */
export function snapped(zone: string, at: number, step_ms: number): number {
  const offset = offsetAt(zone, at)
  return Math.round((at + offset) / step_ms) * step_ms - offset
}

export type View = 'week' | 'month'

export interface Span {
  /** Days that are shown, whole weeks from Monday. */
  first: number
  days: number
  from: number
  to: number
}

/** Whole weeks around a day: one, or all that the month of the day touches. */
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

/** A day of the span before or after. */
export function moved(view: View, day: number, by: 1 | -1): number {
  if (view === 'week') return day + 7 * by
  const date = new Date(day * DAY_MS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by, 1) / DAY_MS
}

interface Formats {
  dayTime: Intl.DateTimeFormat
  time: Intl.DateTimeFormat
}
const formats = new Map<string, Formats>()

function formatsOf(zone: string): Formats {
  const kept = formats.get(zone)
  if (kept) return kept
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone } as const
  const made = {
    dayTime: new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', ...time }),
    time: new Intl.DateTimeFormat(undefined, time)
  }
  formats.set(zone, made)
  return made
}

/** `Mon 2 Mar, 09:00`, as the person's language writes it. */
export const dayTimeIn = (zone: string, at: number | string): string => formatsOf(zone).dayTime.format(new Date(at))
export const timeIn = (zone: string, at: number): string => formatsOf(zone).time.format(at)

const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
const monthFormat = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })
const longFormat = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' })
const weekdayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' })
/** `index` 0 is Monday: so was 1970-01-05. */
export const weekdayName = (index: number): string => longFormat.format((index + 4) * DAY_MS)
export const dayInWords = (day: number): string => dayFormat.format(day * DAY_MS)
export const monthInWords = (day: number): string => monthFormat.format(day * DAY_MS)
export const weekdayInWords = (day: number): string => weekdayFormat.format(day * DAY_MS)
