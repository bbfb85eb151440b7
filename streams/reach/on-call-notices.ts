/**
 * Messages to channels "who is on call now and next": which are due, and what they say. Pure.
 *
 * In       the notices of a schedule, its final timeline around an instant
 * Out      what is due, and the next instant at which something is; the words
 * Source   docs/design/api/on-call.md#notices
 *
 * One is due for an hour: a service that was away makes up for what is still of use. Of changes
 * that are due at once the last one counts.
 */
import { Temporal } from 'temporal-polyfill'
import { localTime, type Said } from './digest.ts'

/** As streams/on-call/zones.ts has them. Local times and instants in ms; throws for no zone. */
type Zones = (name: string) => { instantOf(local: number): number }

/** As schemas/http/on-call-words.ts has it. */
interface Notice {
  channel_id: string
  when: 'on_change' | 'daily' | 'weekly'
  /** HH:MM in the zone of the schedule; null: DEFAULT_AT. */
  at: string | null
  /** Empty: every day, of a weekly one Mondays. */
  days: readonly string[]
}

/** As streams/on-call/timeline.ts has it; `fallback`: who is on call stands in for a gap. */
export interface Piece {
  /** Epoch ms; the end is not part of it. */
  starts_at: number
  ends_at: number
  user_ids: readonly string[]
  fallback: object | null
}

const MINUTE_MS = 60_000
/** So long a message is of use. */
export const NOTICE_MS = 60 * MINUTE_MS
export const DEFAULT_AT = '09:00'
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
/** A week on either side, and a day more for zones. */
const DAYS = 8

const shiftOf = ({ user_ids, fallback }: Piece): string => (fallback === null ? [...user_ids].sort().join(' ') : '')

/** When it changes who has the shift. The first piece of a timeline began who knows when. */
const changes = (pieces: readonly Piece[]): number[] =>
  pieces.flatMap((piece, at) => {
    const before = pieces[at - 1]
    return before && shiftOf(before) !== shiftOf(piece) ? [piece.starts_at] : []
  })

/** Times of a daily or weekly notice around an instant. */
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
  /** Epoch ms: when it fell due. */
  due_at: number
}

export interface NoticeSpan {
  /** Epoch ms. */
  now: number
  /** Since when these notices count, in epoch ms: they say nothing of what was before. */
  since: number
  time_zone: string
  zones: Zones
}

/** `next`: null, nothing comes that is known. */
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

/** In the order of the timeline; who continues is said once. */
export function onCallWords(pieces: readonly Piece[], { schedule, time_zone, now, nameOf }: OnCallFacts): Said {
  const at = pieces.findIndex(({ starts_at, ends_at }) => starts_at <= now && now < ends_at)
  const here = pieces[at]
  const names = ({ user_ids }: Piece): string => user_ids.map(nameOf).join(', ')
  const isGap = !here || here.fallback !== null || here.user_ids.length === 0
  const who = isGap ? 'nobody' : here.user_ids.slice(0, MAX_TITLE_NAMES).map(nameOf).join(', ')
  let last = at
  while (here && pieces[last + 1] && shiftOf(pieces[last + 1] as Piece) === shiftOf(here)) last += 1
  const until = pieces[last]?.ends_at
  const next = pieces[last + 1]
  const isShift = next !== undefined && next.fallback === null && next.user_ids.length > 0
  return {
    title: `On call for ${schedule}: ${who}`,
    body: [
      isGap ? 'Nobody has a shift now.' : `Now: ${names(here)}.`,
      isGap && here && here.user_ids.length > 0 ? `In the gap ${names(here)} is asked.` : null,
      until !== undefined && next !== undefined ? `Until ${localTime(until, time_zone)} (${time_zone}).` : null,
      next === undefined ? null : isShift ? `Next: ${names(next)}.` : 'Then nobody has a shift.'
    ]
      .filter((line) => line !== null)
      .join('\n')
  }
}
