/**
 * Civil time of an instant in a zone, and windows of it. Every instant has exactly one civil time,
 * so a window is true or false at every change of the clocks: an hour that is left out is in no
 * window, and one that comes twice is in it twice.
 *
 * What a zone says holds until its next change; that stretch is kept, since asking costs 40 µs.
 * Source: docs/design/api/alerts-and-routing.md#s6-3.
 */
import { Temporal } from 'temporal-polyfill'
import { type TimeWindow, weekdays } from '../../schemas/http/routing-words.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MINUTES_A_DAY = 1440
/** The tz database may know no change further on; asked again after so long. */
const LONGEST_STRETCH_MS = 400 * DAY_MS
/**
 * The tz database that zones are read from. temporal-polyfill asks Intl, and so ICU's own copy,
 * whose version Node names; it is not the one of the machine.
 */
export const TZDB_VERSION = process.versions.tz ?? 'unknown'

/** More zones than there are; spelling does not count, for zones are stored by their own names. */
const MAX_ZONES = 1000

interface Stretch {
  from: number
  until: number
  offset_ms: number
}

const stretches = new Map<string, Stretch>()

/** Ms that a zone is ahead of UTC at an instant. Throws RangeError for what is no zone. */
function offsetAt(zone: string, at: number): number {
  const kept = stretches.get(zone)
  if (kept && at >= kept.from && at < kept.until) return kept.offset_ms
  const moment = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  const next = moment.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY
  const stretch = { from: at, until: Math.min(next, at + LONGEST_STRETCH_MS), offset_ms: moment.offsetNanoseconds / 1e6 }
  // Records come nearly in order: what lies a little before is asked for once more at most.
  if (kept && kept.offset_ms === stretch.offset_ms && kept.until === stretch.until) stretch.from = Math.min(kept.from, at)
  if (stretches.size >= MAX_ZONES) stretches.clear()
  stretches.set(zone, stretch)
  return stretch.offset_ms
}

/** Whether there is such a zone. */
export function isZone(zone: string): boolean {
  try {
    offsetAt(zone, 0)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** 0 to 23. `at` in epoch ms. */
export const hourAt = (zone: string, at: number): number => Math.floor(positive(at + offsetAt(zone, at), DAY_MS) / 3_600_000)

const positive = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor

/** Whether an instant (epoch ms) lies in a window. */
export type Window = (at: number) => boolean

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/

/** Minutes since midnight of HH:MM; null: it is no time. */
export function minutesOf(text: string): number | null {
  const found = TIME.exec(text)
  return found ? Number(found[1]) * 60 + Number(found[2]) : null
}

/**
 * null: it is no window (of another version). A window whose end is not after its begin goes on
 * past midnight, and belongs to the day on which it began; equal ones are a whole day.
 */
export function compileWindow({ time_zone, days, from, to }: TimeWindow): Window | null {
  const [first, last] = [minutesOf(from), minutesOf(to)]
  const chosen = days.map((day) => weekdays.indexOf(day))
  if (first === null || last === null || chosen.includes(-1) || !isZone(time_zone)) return null
  const onDay = Array.from(weekdays, (_, day) => chosen.length === 0 || chosen.includes(day))
  return (at) => {
    const civil = at + offsetAt(time_zone, at)
    // 1970 began on a Thursday.
    const day = positive(Math.floor(civil / DAY_MS) + 3, weekdays.length)
    const minute = Math.floor(positive(civil, DAY_MS) / MINUTE_MS) % MINUTES_A_DAY
    if (first < last) return onDay[day] === true && minute >= first && minute < last
    const dayBefore = positive(day - 1, weekdays.length)
    return (onDay[day] === true && minute >= first) || (onDay[dayBefore] === true && minute < last)
  }
}
