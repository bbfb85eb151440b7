/**
 * Computes where buckets begin, by the wall clock of a time zone, also when its clock changes.
 * Input: a range, a bucket size, a zone. Output: the begins and ends in epoch ms, cut to the range.
 */
import { Temporal } from 'temporal-polyfill'
import { type BucketSize, queryLimits } from '../../schemas/analytics.ts'
import { planIds, plans } from '../../schemas/plans.ts'

export interface Buckets {
  edges: number[]
  ends: number[]
}

/** The query cannot be answered as it was asked. The message is for the caller. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest'
}

/**
 * Returns the begin of the bucket that contains `at`. A day begins when the zone's day begins, at
 * midnight or at one o'clock.
 */
function beginOf(at: Temporal.ZonedDateTime, size: Exclude<BucketSize, 'all'>): Temporal.ZonedDateTime {
  switch (size) {
    case 'hour':
      return at.round({ smallestUnit: 'hour', roundingMode: 'floor' })
    case 'day':
      return at.startOfDay()
    case 'week':
      return at.startOfDay().subtract({ days: at.dayOfWeek - 1 })
    case 'month':
      return at.startOfDay().with({ day: 1 })
  }
}

const next = {
  hour: { hours: 1 },
  day: { days: 1 },
  week: { weeks: 1 },
  month: { months: 1 }
} as const

/**
 * Throws BadRequest for an empty range, an unknown zone, or more buckets than an answer may have.
 */
export function bucketsOf(from: number, to: number, size: BucketSize, timeZone = 'UTC'): Buckets {
  if (!(from < to)) throw new BadRequest('from must lie before to')
  if (size === 'all') return { edges: [from], ends: [to] }
  let begin: Temporal.ZonedDateTime
  try {
    begin = beginOf(Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone), size)
  } catch (error) {
    if (error instanceof RangeError) throw new BadRequest('time_zone is no zone of the tz database')
    throw error
  }
  const edges: number[] = [from]
  for (;;) {
    // One hour later is not always the begin of another hour: Lord Howe's clock goes back by half
    // an hour.
    const ahead = beginOf(begin.add(next[size]), size)
    begin = ahead.epochMilliseconds > begin.epochMilliseconds ? ahead : begin.add({ hours: 1 })
    if (begin.epochMilliseconds >= to) break
    if (begin.epochMilliseconds > from) edges.push(begin.epochMilliseconds)
    if (edges.length > queryLimits.buckets)
      throw new BadRequest(`more than ${queryLimits.buckets} buckets: take larger ones or a shorter range`)
  }
  return { edges, ends: [...edges.slice(1), to] }
}

export type Cells = 'checks_1m' | 'checks_1h' | 'checks_1d'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * Minute cells of this time are there in every workspace, less a day for clocks that differ. The
 * plan of today does not say how long they were kept: it may have changed.
 */
const MINUTES_KEPT = (Math.min(...planIds.map((id) => plans[id].limits.check_retention_days ?? Number.POSITIVE_INFINITY)) - 1) * DAY

/**
 * Chooses the rollup for these buckets: the coarsest one whose cells do not cross the begin of a
 * bucket, and that keeps the ends of the range exact enough. Minute cells only where all of them
 * are still kept at `now`: of older time there are hour cells, also in a zone with a half-hour
 * offset.
 */
export function cellsFor({ edges, ends }: Buckets, now: number): Cells {
  const [from = now, ...inner] = edges
  const span = (ends.at(-1) ?? 0) - from
  if (span > 92 * DAY && inner.every((edge) => edge % DAY === 0)) return 'checks_1d'
  if (span > 2 * DAY && inner.every((edge) => edge % HOUR === 0)) return 'checks_1h'
  return from < now - MINUTES_KEPT ? 'checks_1h' : 'checks_1m'
}

const size = { checks_1m: 60_000, checks_1h: HOUR, checks_1d: DAY } as const

/**
 * The begin of the cell that contains `from`. Cells are selected by their begin, so the first one
 * would be missing otherwise.
 */
export const firstCell = (from: number, cells: Cells): number => from - (from % size[cells])

/**
 * The cells from `from` to `until` (epoch ms), without those that begin from `hole_from` to
 * `hole_until`.
 */
export interface Stretch {
  cells: Cells
  from: number
  until: number
  hole_from: number
  hole_until: number
}

/**
 * Returns the cells that count for these buckets up to `until`; each instant is in exactly one
 * stretch. Whole days are used where no bucket begins within a day, and finer cells for the rest at
 * both ends of the range. A day is then one cell instead of 24.
 */
export function stretchesOf(buckets: Buckets, until: number, now: number): Stretch[] {
  const [from = until, ...inner] = buckets.edges
  const fine = cellsFor(buckets, now) === 'checks_1m' ? 'checks_1m' : 'checks_1h'
  const [first, last] = [Math.ceil(from / DAY) * DAY, Math.floor(until / DAY) * DAY]
  const byDays = first < last && inner.every((edge) => edge % DAY === 0)
  const [hole_from, hole_until] = byDays ? [first, last] : [until, until]
  const whole: Stretch[] = byDays ? [{ cells: 'checks_1d', from: first, until: last, hole_from: last, hole_until: last }] : []
  const begin = firstCell(from, fine)
  return begin === hole_from && hole_until === until ? whole : [...whole, { cells: fine, from: begin, until, hole_from, hole_until }]
}
