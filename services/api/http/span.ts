/**
 * Reads the time span of a question about the past: from and to as instants, or as dates in a time
 * zone, within what the plan keeps.
 * Source: docs/design/api/analytics.md#s11 and docs/design/api/monitors.md#mo-10.
 */
import { Temporal } from 'temporal-polyfill'
import type { BucketSize } from '../../../schemas/analytics.ts'
import { readableZone } from '../../../streams/zone-names.ts'
import { ApiError, invalid } from './errors.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
/**
 * A client's clock and the travel time of its request may make the oldest moment look a little
 * older.
 */
const SLACK_MS = 3_600_000
/** Future time has no data, so a year of it is enough to ask for. */
const FURTHEST_MS = 366 * DAY_MS

export interface Span {
  /** Epoch ms; `from` is included, `to` is not. */
  from: number
  to: number
  /** As it was asked for. */
  time_zone: string
}

export interface SpanRules {
  /** How many days the plan keeps the data; null: for ever. */
  kept_days: number | null
  /** Longest span. */
  most_days?: number
}

interface Asked {
  from?: string
  to?: string
  time_zone?: string
}

const ZONE = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/**
 * Returns the name that is given, in the letter case of the tz database. It stays the same name:
 * Asia/Kolkata does not become Asia/Calcutta. Only short names that Temporal cannot read, such as
 * IST, become the zone that they mean. Throws VALIDATION_FAILED if there is no such zone.
 */
export function zoneNamed(name: string, path = 'time_zone'): string {
  const zone = ZONE.test(name) ? readableZone(name) : null
  if (zone === null) throw invalid(path, 'unknown_zone', 'is not a time zone')
  return zone
}

/**
 * Returns one name for a zone that has several, for analytics. It may be older than the one given,
 * and depends on this process, so it must not be stored or shown.
 */
export const canonicalZone = (name: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zoneNamed(name) }).resolvedOptions().timeZone

const DATE = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i

function boundOf(text: string | undefined, path: 'from' | 'to', zone: string): number | null {
  if (text === undefined) return null
  if (DATE.test(text)) {
    try {
      return Temporal.PlainDate.from(text).toZonedDateTime(zone).epochMilliseconds
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  } else if (INSTANT.test(text)) {
    const at = Date.parse(text)
    if (!Number.isNaN(at)) return at
  }
  throw invalid(path, 'pattern', 'must be an instant, or a date')
}

/**
 * Throws VALIDATION_FAILED for bounds that make no span, and HISTORY_EXPIRED for a start that is no
 * longer kept. `now` in epoch ms.
 */
export function spanOf({ from, to, time_zone = 'UTC' }: Asked, { kept_days, most_days }: SpanRules, now: number): Span {
  const zone = zoneNamed(time_zone)
  const end = boundOf(to, 'to', zone) ?? now
  const oldest = kept_days === null ? -Infinity : now - kept_days * DAY_MS
  const asked = boundOf(from, 'from', zone)
  const start = asked ?? Math.max(end - DEFAULT_DAYS * DAY_MS, oldest)
  if (end > now + FURTHEST_MS) throw invalid('to', 'max', 'is too far in the future')
  if (start < oldest - SLACK_MS) throw new ApiError('HISTORY_EXPIRED', `This plan keeps it for ${kept_days} days`)
  if (start >= end) throw invalid(asked === null ? 'to' : 'from', 'empty_interval', 'the span ends before it begins')
  if (most_days !== undefined && end - start > most_days * DAY_MS + SLACK_MS) {
    throw invalid('from', 'max', `the span must be at most ${most_days} days`, {
      limit: most_days,
      actual: Math.ceil((end - start) / DAY_MS)
    })
  }
  return { from: start, to: end, time_zone }
}

const BUCKET_MS: Record<BucketSize, number> = { hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS, month: 28 * DAY_MS, all: Infinity }

/** The most buckets that a span can have, including those that its ends cut. */
export const bucketsIn = ({ from, to }: Span, bucket: BucketSize): number =>
  bucket === 'all' ? 1 : Math.ceil((to - from) / BUCKET_MS[bucket]) + 1
