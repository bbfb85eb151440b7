/**
 * Digests: when the next one is due, in the person's zone, and its text. Pure.
 *
 * In       the person's preferences, their zone, an instant; the incidents that they may see
 * Out      the next instant after it; title and text, or null when there is nothing to report
 * Source   docs/design/api/notifications.md#digests
 *
 * A weekly digest is sent on Mondays. A local time that a clock change skips becomes the first
 * instant after the gap; a local time that occurs twice means the first occurrence.
 */
import { Temporal } from 'temporal-polyfill'
import type { Severity } from '../../schemas/generated/events.ts'
import type { Wishes } from '../../schemas/http/notification-preferences.ts'

/**
 * Zones of streams/on-call/zones.ts. Local times and instants in ms; throws for an unknown zone.
 */
type Zones = (name: string) => { instantOf(local: number): number }

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MONDAY = 1
/** Incidents that are listed under each heading; the rest are only counted. */
const MAX_NAMED = 20
const MAX_TITLE = 200

/** The instant of the next digest after `after`, epoch ms; null when the person wants none. */
export function nextDigestAt({ every, at }: Wishes['digest'], time_zone: string, after: number, zones: Zones): number | null {
  if (every === 'none') return null
  const zone = zones(time_zone)
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  const first = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(time_zone).toPlainDate()
  // The next Monday is at most 7 days away; one more day is tried in case today's time has passed.
  for (let days = 0; days <= 8; days++) {
    const date = first.add({ days })
    if (every === 'weekly' && date.dayOfWeek !== MONDAY) continue
    const midnight = Date.UTC(date.year, date.month - 1, date.day)
    const instant = zone.instantOf(midnight + (hours * 60 + minutes) * MINUTE_MS)
    if (instant > after) return instant
  }
  return after + 7 * DAY_MS
}

export interface DigestIncident {
  number: number
  title: string
  severity: Severity | 'unknown'
  /** Epoch ms. */
  started_at: number
  resolved_at: number | null
}

export interface DigestFacts {
  workspace: string
  every: 'daily' | 'weekly'
  time_zone: string
  /** Epoch ms: the time of the previous digest, or when the person asked for digests. */
  from: number
  to: number
  /** Still going on. */
  open: { total: number; named: readonly DigestIncident[] }
  /** Number of incidents that opened since `from`, whatever their state now. */
  opened: number
  /** That were over since. */
  over: { total: number; named: readonly DigestIncident[] }
}

export interface Said {
  title: string
  body: string
}

/** Formats an instant as 2026-01-05 09:00, in the local time of the zone. */
export const localTime = (at: number, time_zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(time_zone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'minute' })
    .replace('T', ' ')

const lineOf = ({ number, title, severity }: DigestIncident, more: string): string =>
  `INC-${number} [${severity}] ${title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title}, ${more}`

function section(heading: string, { total, named }: DigestFacts['open'], words: (one: DigestIncident) => string): string[] {
  if (total === 0) return []
  const shown = named.slice(0, MAX_NAMED)
  const more = total - shown.length
  return [`${heading}: ${total}`, ...shown.map((one) => `- ${lineOf(one, words(one))}`), ...(more > 0 ? [`- and ${more} more`] : [])]
}

/** Returns null when no incident opened, ended, or is open. */
export function digestOf({ workspace, every, time_zone, from, to, open, opened, over }: DigestFacts): Said | null {
  if (open.total === 0 && opened === 0 && over.total === 0) return null
  const time = (at: number): string => localTime(at, time_zone)
  return {
    title: `${every === 'daily' ? 'Daily' : 'Weekly'} digest of ${workspace}: ${opened} opened, ${over.total} over, ${open.total} open now`,
    body: [
      `From ${time(from)} to ${time(to)} (${time_zone}).`,
      ...section('Open now', open, ({ started_at }) => `since ${time(started_at)}`),
      ...section('Over', over, ({ started_at, resolved_at }) => `from ${time(started_at)} to ${time(resolved_at ?? to)}`)
    ].join('\n')
  }
}
