/**
 * When a maintenance window applies: turns its schedule in civil time into spans of instants. Folds
 * and holds see only instants. A job, and the code that changes a window, compute the spans ahead
 * of time.
 *
 * In       a schedule, the zones of the tz database, a range in epoch ms
 * Out      the spans that touch the range, in order, and where a window stands at an instant
 * Source   docs/design/api/maintenance.md#s10-1, docs/design/api/on-call.md#s7-1
 *
 * A local time that does not exist becomes the first instant after the gap. For a local time that
 * occurs twice, the first occurrence counts. A span lasts as many minutes as its schedule says,
 * even if the clocks change meanwhile.
 */
import { dayOf, minutesOf } from '../on-call/dates.ts'
import { DAY_MS, MINUTE_MS, type Zones } from '../on-call/zones.ts'
import { datesOf, parseRule } from './rrule.ts'

export interface Once {
  kind: 'once'
  /** Epoch ms. */
  starts_at: number
  ends_at: number
}

export interface Recurring {
  kind: 'recurring'
  rrule: string
  time_zone: string
  /** YYYY-MM-DD in the local time of the zone, like all dates here. */
  starts_on: string
  /** HH:MM. */
  at: string
  duration_minutes: number
  /** Epoch ms: no span begins after it. */
  until: number | null
  exdates: readonly string[]
}

export type Schedule = Once | Recurring

/** Epoch ms; the end is exclusive. */
export interface Span {
  starts_at: number
  ends_at: number
}

export const MAX_DURATION_MINUTES = 10_080
/** Spans are computed this far ahead, and again each day. */
export const AHEAD_MS = 31 * DAY_MS
/** If no span follows within this time, none follows at all. */
export const LONGEST_PAUSE_MS = 10 * 366 * DAY_MS

/** Spans of a recurring schedule that begin at `from` or later and before `to`. */
function* beginning(schedule: Recurring, zones: Zones, from: number, to: number): Generator<Span> {
  const { time_zone, starts_on, at, duration_minutes, until, exdates } = schedule
  const rule = parseRule(schedule.rrule)
  const [first, minutes] = [dayOf(starts_on), minutesOf(at)]
  // The schedule was checked when it was stored. If this version cannot read it, it has no spans.
  if ('fault' in rule || first === null || minutes === null) return
  const zone = zones(time_zone)
  const left = new Set(exdates)
  const latest = Math.min(until ?? Infinity, rule.until !== null && 'at' in rule.until ? rule.until.at : Infinity)
  // No zone is further from UTC than a day.
  const days = datesOf(rule, first, Math.floor(from / DAY_MS) - 2, Math.floor(to / DAY_MS) + 3)
  for (const day of days) {
    if (left.has(new Date(day * DAY_MS).toISOString().slice(0, 10))) continue
    const starts_at = zone.instantOf(day * DAY_MS + minutes * MINUTE_MS)
    if (starts_at >= to || starts_at > latest) return
    if (starts_at >= from) yield { starts_at, ends_at: starts_at + duration_minutes * MINUTE_MS }
  }
}

/**
 * Yields the spans that end after `from` and begin before `to`, one for each occurrence, in order.
 */
export function* occurrences(schedule: Schedule, zones: Zones, from: number, to: number): Generator<Span> {
  if (schedule.kind === 'once') {
    const { starts_at, ends_at } = schedule
    if (ends_at > from && starts_at < to) yield { starts_at, ends_at }
    return
  }
  for (const span of beginning(schedule, zones, from - schedule.duration_minutes * MINUTE_MS, to)) if (span.ends_at > from) yield span
}

/** Like occurrences, but spans that overlap or meet become one. */
export function spansOf(schedule: Schedule, zones: Zones, from: number, to: number): Span[] {
  const spans: Span[] = []
  for (const span of occurrences(schedule, zones, from, to)) {
    const before = spans.at(-1)
    if (before && span.starts_at <= before.ends_at) before.ends_at = Math.max(before.ends_at, span.ends_at)
    else spans.push({ ...span })
  }
  return spans
}

/** Returns at most `most` next occurrences. If one is running, it is the first of them. */
export function nextOccurrences(schedule: Schedule, zones: Zones, now: number, most: number): Span[] {
  const found: Span[] = []
  for (const span of occurrences(schedule, zones, now, now + LONGEST_PAUSE_MS)) {
    found.push(span)
    if (found.length >= most) break
  }
  return found
}

/** Sorts spans and joins those that overlap or meet. */
function merged(spans: readonly Span[]): Span[] {
  const found: Span[] = []
  for (const span of [...spans].sort((a, b) => a.starts_at - b.starts_at)) {
    const before = found.at(-1)
    if (before && span.starts_at <= before.ends_at) before.ends_at = Math.max(before.ends_at, span.ends_at)
    else found.push({ ...span })
  }
  return found
}

/** The parts of the spans from `from` on and before `to`. */
const within = (spans: readonly Span[], from: number, to: number): Span[] =>
  spans.flatMap(({ starts_at, ends_at }) => {
    const span = { starts_at: Math.max(starts_at, from), ends_at: Math.min(ends_at, to) }
    return span.starts_at < span.ends_at ? [span] : []
  })

/** The spans with the holes cut out. */
export function without(spans: readonly Span[], holes: readonly Span[]): Span[] {
  let left = [...spans]
  for (const hole of holes) left = [...within(left, -Infinity, hole.starts_at), ...within(left, hole.ends_at, Infinity)]
  return left.sort((a, b) => a.starts_at - b.starts_at)
}

/** Past spans are kept this long, for uptime. */
export const BEHIND_MS = 400 * DAY_MS

export interface Planned {
  /** null: the window was ended for good, and does not come again. */
  schedule: Schedule | null
  holes: readonly Span[]
}

/**
 * Returns the spans of a window as of `now`. Past spans stay as they were; future spans follow the
 * current schedule. `goes_on`: more occurrences follow after the last span.
 */
export function spansNow(
  before: readonly Span[],
  { schedule, holes }: Planned,
  zones: Zones,
  now: number
): { spans: Span[]; goes_on: boolean } {
  const was = within(before, -Infinity, now).filter(({ ends_at }) => ends_at > now - BEHIND_MS)
  if (!schedule) return { spans: was, goes_on: false }
  // A window that occurs once is known, however far ahead it is.
  const horizon = schedule.kind === 'once' ? Infinity : now + AHEAD_MS
  const comes = without([...occurrences(schedule, zones, now, horizon)], holes)
  const goes_on = schedule.kind === 'recurring' && !occurrences(schedule, zones, horizon, now + LONGEST_PAUSE_MS).next().done
  return { spans: merged([...was, ...within(comes, now, Infinity)]), goes_on }
}

/**
 * Returns the next instant after `now` at which a window begins, ends or has settled, or at which
 * its next spans must be computed; null: there is none.
 */
export function nextTurn({ spans, goes_on }: { spans: readonly Span[]; goes_on: boolean }, settle_ms: number, now: number): number | null {
  const turns = spans.flatMap(({ starts_at, ends_at }) => [starts_at, ends_at, ends_at + settle_ms]).filter((at) => at > now)
  const renewed = goes_on ? [now + DAY_MS] : []
  return turns.length + renewed.length === 0 ? null : Math.min(...turns, ...renewed)
}

/** Whether the window begins, ends or settles after `from` and not after `to`. */
export function turnsBetween(spans: readonly Span[], settle_ms: number, from: number, to: number) {
  const passed = (at: number): boolean => at > from && at <= to
  return {
    begins: spans.some(({ starts_at }) => passed(starts_at)),
    ends: spans.some(({ ends_at }) => passed(ends_at)),
    settles: spans.some(({ ends_at }) => passed(ends_at + settle_ms))
  }
}
