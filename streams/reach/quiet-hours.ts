/**
 * Decides whether a person is notified now, later, or not at all. Quiet hours are in the local time
 * of their zone; if a clock change skips or repeats an hour, they begin and end as the zone
 * defines.
 * Source: docs/design/api/notifications.md#s8-4.
 */
import { Temporal } from 'temporal-polyfill'
import type { Severity } from '../../schemas/generated/events.ts'
import type { QuietHours } from '../../schemas/http/notification-preferences.ts'
import { weekdays } from '../../schemas/http/routing-words.ts'
import { readableZone } from '../zone-names.ts'

export type Telling = { tell: 'now' } | { tell: 'later'; until: number } | { tell: 'never' }

const now: Telling = { tell: 'now' }

/** End of the quiet hours of one day that are active at `at`, in epoch ms; null when none are. */
function endOfDay({ time_zone, days, from, to }: QuietHours, at: number): number | null {
  const day = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(time_zone).toPlainDate()
  const isOverMidnight = to <= from
  for (const begins of [day.subtract({ days: 1 }), day]) {
    const name = weekdays[begins.dayOfWeek - 1]
    if (name === undefined || !days.includes(name)) continue
    const instant = (date: Temporal.PlainDate, time: string) =>
      date.toZonedDateTime({ timeZone: time_zone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds
    const end = instant(isOverMidnight ? begins.add({ days: 1 }) : begins, to)
    if (instant(begins, from) <= at && at < end) return end
  }
  return null
}

const DAYS_A_WEEK = 7

/**
 * End of the quiet hours that are active at `at`, in epoch ms; null when none are. Those of the
 * next day may begin just when these end. Quiet hours round the clock have no end, so what they
 * hold waits for the end of one day.
 */
function quietUntil(quiet: QuietHours, at: number): number | null {
  const first = endOfDay(quiet, at)
  let end = first
  for (let days = 1; end !== null && days < DAYS_A_WEEK; days++) {
    const next = endOfDay(quiet, end)
    if (next === null) return end
    end = next
  }
  return first
}

/**
 * `at` in epoch ms. A person who is on call is notified, unless they asked for quiet hours then,
 * too. A held notification waits for the end of the quiet hours, unless the person chose `drop`.
 */
export function tellingOf(
  quiet: QuietHours | null,
  { at, severity, on_call }: { at: number; severity: Severity; on_call: boolean }
): Telling {
  if (quiet === null || (on_call && quiet.apply_while_on_call !== true)) return now
  if ((quiet.except_severity ?? ['critical']).includes(severity)) return now
  // A zone that was stored before its name was checked must not keep a page of others back.
  const time_zone = readableZone(quiet.time_zone)
  if (time_zone === null) return now
  const until = quietUntil({ ...quiet, time_zone }, at)
  if (until === null) return now
  return quiet.hold === 'drop' ? { tell: 'never' } : { tell: 'later', until }
}
