/**
 * The messages "who is on call now and next" to channels: which ones are due, and their text. Pure.
 *
 * In       the notices of a schedule, its final timeline around an instant
 * Out      the notices that are due, and the next instant at which one is; the text
 * Source   docs/design/api/on-call.md#notices
 *
 * A notice stays due for an hour, so a service that was down still sends the useful ones. If
 * several changes are due at once, only the last one is sent.
 */
import { Temporal } from 'temporal-polyfill'
import { localTime, type Said } from './digest.ts'

/**
 * Zones of streams/on-call/zones.ts. Local times and instants in ms; throws for an unknown zone.
 */
type Zones = (name: string) => { instantOf(local: number): number }

/** A notice as defined in schemas/http/on-call-words.ts. */
interface Notice {
  channel_id: string
  when: 'on_change' | 'daily' | 'weekly'
  /** HH:MM in the zone of the schedule; null means DEFAULT_AT. */
  at: string | null
  /** Empty means every day; for a weekly notice, Mondays. */
  days: readonly string[]
}

/** A shift of streams/on-call/timeline.ts. With `fallback`, `user_ids` only stand in for a gap. */
export interface Piece {
  /** Epoch ms; the end is exclusive. */
  starts_at: number
  ends_at: number
  user_ids: readonly string[]
  fallback: object | null
}

const MINUTE_MS = 60_000
/** How long a message stays useful. */
export const NOTICE_MS = 60 * MINUTE_MS
export const DEFAULT_AT = '09:00'
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
/** Days to look ahead: a week, and one more day for zone differences. */
const DAYS = 8

const shiftOf = ({ user_ids, fallback }: Piece): string => (fallback === null ? [...user_ids].sort().join(' ') : '')

/**
 * Instants at which the people of the shift change. The first piece is left out, because its real
 * start is unknown.
 */
const changes = (pieces: readonly Piece[]): number[] =>
  pieces.flatMap((piece, at) => {
    const before = pieces[at - 1]
    return before && shiftOf(before) !== shiftOf(piece) ? [piece.starts_at] : []
  })

/** Instants of a daily or weekly notice around `around`. */
function timesOf({ when, at, days }: Notice, time_zone: string, around: number, zones: Zones): number[] {
  const zone = zones(time_zone)
  const wanted = days.length > 0 ? days : when === 'weekly' ? ['mon'] : weekdays
  const [hours = 0, minutes = 0] = (at ?? DEFAULT_AT).split(':').map(Number)
  const today = Temporal.Instant.fromEpochMilliseconds(around).toZonedDateTimeISO(time_zone).toPlainDate()
  const times: number[] = []
  for (let days = -1; days <= DAYS; days++) {
    const date = today.add({ days })
    if (!wanted.includes(weekdays[date.dayOfWeek - 1] ?? '')) continue
    times.push(zone.instantOf(Date.UTC(date.year, date.month - 1, date.day) + (hours * 60 + minutes) * MINUTE_MS))
  }
  return times
}

export interface DueNotice {
  channel_id: string
  when: Notice['when']
  /** When the notice became due, epoch ms. */
  due_at: number
}

export interface NoticeSpan {
  /** Epoch ms. */
  now: number
  /** Instant from which these notices count, epoch ms; earlier instants are not reported. */
  since: number
  time_zone: string
  zones: Zones
}

/** Returns the due notices, and `next`: the next instant, or null when no next one is known. */
export function onCallNotices(
  notices: readonly Notice[],
  pieces: readonly Piece[],
  { now, since, time_zone, zones }: NoticeSpan
): { due: DueNotice[]; next: number | null } {
  const due: DueNotice[] = []
  let next: number | null = null
  for (const notice of notices) {
    const { channel_id, when } = notice
    const times = when === 'on_change' ? changes(pieces) : timesOf(notice, time_zone, now, zones)
    const last = times.filter((at) => at <= now && at >= since && at > now - NOTICE_MS).at(-1)
    if (last !== undefined) due.push({ channel_id, when, due_at: last })
    const coming = times.find((at) => at > now)
    if (coming !== undefined) next = Math.min(next ?? coming, coming)
  }
  return { due, next }
}

export interface OnCallFacts {
  schedule: string
  time_zone: string
  /** Epoch ms. */
  now: number
  nameOf(user_id: string): string
}

const MAX_TITLE_NAMES = 5

/**
 * Returns the pieces of now and of what comes after the shift of now: consecutive pieces of the
 * same people count as one shift.
 */
function currentAndNext(pieces: readonly Piece[], now: number): { here: Piece | undefined; next: Piece | undefined } {
  const at = pieces.findIndex(({ starts_at, ends_at }) => starts_at <= now && now < ends_at)
  const here = pieces[at]
  return { here, next: here && pieces.slice(at + 1).find((piece) => shiftOf(piece) !== shiftOf(here)) }
}

/** Whether the timeline has what comes after the shift of now, so that the text can say it. */
export const hasNext = (pieces: readonly Piece[], now: number): boolean => currentAndNext(pieces, now).next !== undefined

/** The text for the timeline's current and next shift. */
export function onCallWords(pieces: readonly Piece[], { schedule, time_zone, now, nameOf }: OnCallFacts): Said {
  const { here, next } = currentAndNext(pieces, now)
  const names = ({ user_ids }: Piece): string => user_ids.map(nameOf).join(', ')
  const isGap = !here || here.fallback !== null || here.user_ids.length === 0
  const who = isGap ? 'nobody' : here.user_ids.slice(0, MAX_TITLE_NAMES).map(nameOf).join(', ')
  const isShift = next !== undefined && next.fallback === null && next.user_ids.length > 0
  return {
    title: `On call for ${schedule}: ${who}`,
    body: [
      isGap ? 'Nobody has a shift now.' : `Now: ${names(here)}.`,
      isGap && here && here.user_ids.length > 0 ? `In the gap ${names(here)} is asked.` : null,
      next === undefined ? null : `Until ${localTime(next.starts_at, time_zone)} (${time_zone}).`,
      next === undefined ? null : isShift ? `Next: ${names(next)}.` : 'Then nobody has a shift.'
    ]
      .filter((line) => line !== null)
      .join('\n')
  }
}
