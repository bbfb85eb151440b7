/**
 * Local time of an instant in a zone, and time windows in it. Every instant has exactly one local
 * time, so a window is either true or false at every clock change: a skipped hour is in no window,
 * and a repeated hour is in its window twice.
 *
 * The offset of a zone is valid until its next clock change. That stretch is cached, because asking
 * for it costs 40 µs.
 * Source: docs/design/api/alerts-and-routing.md#s6-3.
 */
import { Temporal } from 'temporal-polyfill'
import { type TimeWindow, weekdays } from '../../schemas/http/routing-words.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MINUTES_A_DAY = 1440
/**
 * The longest time for which an offset is cached, since the tz database may know no later change.
 */
const LONGEST_STRETCH_MS = 400 * DAY_MS
/**
 * Version of the tz database that zones are read from. temporal-polyfill uses Intl, which uses
 * ICU's own copy; Node reports its version. It is not the tz database of the machine.
 */
export const TZDB_VERSION = process.versions.tz ?? 'unknown'

/**
 * More than the number of zones. Spelling variants do not matter: zones are stored by their own
 * names.
 */
const MAX_ZONES = 1000

interface Stretch {
  from: number
  until: number
  offset_ms: number
}

const stretches = new Map<string, Stretch>()

/**
 * Milliseconds by which a zone is ahead of UTC at an instant. Throws RangeError for an unknown
 * zone.
 */
function offsetAt(zone: string, at: number): number {
  const kept = stretches.get(zone)
  if (kept && at >= kept.from && at < kept.until) return kept.offset_ms
  const moment = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  const next = moment.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY
  const stretch = { from: at, until: Math.min(next, at + LONGEST_STRETCH_MS), offset_ms: moment.offsetNanoseconds / 1e6 }
  // Records come nearly in order, so a slightly earlier instant causes at most one more query.
  if (kept && kept.offset_ms === stretch.offset_ms && kept.until === stretch.until) stretch.from = Math.min(kept.from, at)
  if (stretches.size >= MAX_ZONES) stretches.clear()
  stretches.set(zone, stretch)
  return stretch.offset_ms
}

/** Whether the zone exists. */
export function isZone(zone: string): boolean {
  try {
    offsetAt(zone, 0)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Local hour, 0 to 23. `at` in epoch ms. */
export const hourAt = (zone: string, at: number): number => Math.floor(positive(at + offsetAt(zone, at), DAY_MS) / 3_600_000)

const positive = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor

/** Tells whether an instant (epoch ms) is in a window. */
export type Window = (at: number) => boolean

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/

/** Minutes since midnight of HH:MM; null when the text is no time. */
export function minutesOf(text: string): number | null {
  const found = TIME.exec(text)
  return found ? Number(found[1]) * 60 + Number(found[2]) : null
}

/**
 * Compiles a time window. Returns null when this version cannot read it. A window whose end is not
 * after its start continues past midnight and belongs to the day on which it began. With equal
 * times it is a whole day.
 */
export function compileWindow({ time_zone, days, from, to }: TimeWindow): Window | null {
  const [first, last] = [minutesOf(from), minutesOf(to)]
  const chosen = days.map((day) => weekdays.indexOf(day))
  if (first === null || last === null || chosen.includes(-1) || !isZone(time_zone)) return null
  const onDay = Array.from(weekdays, (_, day) => chosen.length === 0 || chosen.includes(day))
  return (at) => {
    const civil = at + offsetAt(time_zone, at)
    // 1970-01-01 was a Thursday; 0 is Monday.
    const day = positive(Math.floor(civil / DAY_MS) + 3, weekdays.length)
    const minute = Math.floor(positive(civil, DAY_MS) / MINUTE_MS) % MINUTES_A_DAY
    if (first < last) return onDay[day] === true && minute >= first && minute < last
    const dayBefore = positive(day - 1, weekdays.length)
    return (onDay[day] === true && minute >= first) || (onDay[dayBefore] === true && minute < last)
  }
}
