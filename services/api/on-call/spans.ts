/** Reads the spans of questions about the future, and the instants that people give. */
import { isZone, tzZones } from '../../../streams/on-call/zones.ts'
import { invalid } from '../http/errors.ts'

const DAY_MS = 86_400_000
/** Shifts are computed this far ahead and back. */
const FURTHEST_DAYS = 3660

/**
 * Throws VALIDATION_FAILED for an instant (epoch ms) that is too far away. A zone has two clock
 * changes a year, and all of them up to that instant would be read.
 */
function checkNear(path: string, at: number, now: number): void {
  if (Math.abs(at - now) > FURTHEST_DAYS * DAY_MS) throw invalid(path, 'max', `must be within ${FURTHEST_DAYS} days of now`)
}

/** Returns epoch ms. Throws VALIDATION_FAILED. */
export function instantOf(path: string, text: string): number {
  const at = Date.parse(text)
  // A leap second has the form of an instant.
  if (Number.isNaN(at)) throw invalid(path, 'pattern', 'must be an instant')
  return at
}

/** Returns epoch ms of an instant that is not too far away. Throws VALIDATION_FAILED. */
export function instantNear(path: string, text: string, now: number): number {
  const at = instantOf(path, text)
  checkNear(path, at, now)
  return at
}

/** Throws VALIDATION_FAILED for bounds that make no span. `now` in epoch ms. */
export function spanAhead(
  { from, to }: { from?: string; to?: string },
  now: number,
  { default_days, most_days }: { default_days: number; most_days: number }
): { from: number; to: number } {
  const start = from === undefined ? now : instantOf('from', from)
  const end = to === undefined ? start + default_days * DAY_MS : instantOf('to', to)
  const path = to === undefined ? 'from' : 'to'
  if (end <= start) throw invalid(path, 'empty_interval', 'must be later than from')
  if (end - start > most_days * DAY_MS)
    throw invalid(path, 'max', `must be at most ${most_days} days after from`, {
      limit: most_days,
      actual: Math.ceil((end - start) / DAY_MS)
    })
  checkNear('from', start, now)
  return { from: start, to: end }
}

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/

/** Returns epoch ms of an instant, or of a local time in the zone. Throws VALIDATION_FAILED. */
export function momentOf(path: string, text: string, zone: string): number {
  const local = LOCAL.exec(text)
  const at = Date.parse(local ? `${text.slice(0, 19)}Z` : text)
  if (Number.isNaN(at)) throw invalid(path, 'pattern', 'is not a date with a time')
  if (!local) return at
  if (!isZone(zone)) throw invalid('time_zone', 'unknown_zone', 'is not a time zone')
  // 2026-02-30 is no date, though the parser accepts it.
  if (new Date(at).getUTCDate() !== Number(local[3])) throw invalid(path, 'pattern', 'is no date')
  checkNear(path, at, Date.now())
  return tzZones(zone).instantOf(at)
}
