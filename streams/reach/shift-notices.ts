/**
 * Shift reminders, and the hand-off when a shift begins: who is notified of what, and when to look
 * at the schedule again. Pure.
 *
 * In       the final timeline of a schedule around an instant, the preferences of each person
 * Out      the notices that are due, and the next instant at which one is
 * Source   docs/design/api/notifications.md#digests
 *
 * A shift begins for a person who was not on call just before; a piece that continues their shift
 * begins none. If several reminders are due at once, only the last one is sent, so a shift that was
 * created late is reported once. A reminder is due until the shift begins, and a hand-off until an
 * hour after that, so a service that was down still sends the useful ones.
 */
import type { Wishes } from '../../schemas/http/notification-preferences.ts'
import { localTime, type Said } from './digest.ts'

/** A shift of streams/on-call/timeline.ts. With `fallback`, `user_ids` only stand in for a gap. */
interface Shift {
  /** Epoch ms; the end is exclusive. */
  starts_at: number
  ends_at: number
  user_ids: readonly string[]
  fallback: object | null
}

const MINUTE_MS = 60_000
/** How long after the start of a shift its hand-off is still sent. */
export const HANDOFF_MS = 60 * MINUTE_MS
/** The longest time ahead for which people can ask to be reminded. */
export const REMIND_AHEAD_MS = 10_080 * MINUTE_MS

export type ShiftWishes = Pick<Wishes, 'shift_reminders_minutes' | 'handoff_summary'>

export interface ShiftNotice {
  user_id: string
  kind: 'shift_reminder' | 'handoff'
  /** Minutes before the start of the shift; 0 for a hand-off. */
  minutes: number
  /** Start and end of the shift, epoch ms. */
  starts_at: number
  /** End of the last consecutive piece; null: the shift does not end within the timeline. */
  ends_at: number | null
  /** People who were on call before the shift. */
  before: readonly string[]
}

interface Begun {
  user_id: string
  starts_at: number
  ends_at: number | null
  before: readonly string[]
}

/**
 * The people who have the shift. A person of the fallback only stands in for a gap and has none.
 */
const onCall = ({ user_ids, fallback }: Shift): readonly string[] => (fallback === null ? user_ids : [])

/**
 * The starts of shifts, per person. The first piece is left out, because its real start is unknown.
 */
function beginnings(shifts: readonly Shift[]): Begun[] {
  return shifts.flatMap((shift, at) => {
    const before = shifts[at - 1]
    if (!before) return []
    return onCall(shift)
      .filter((user_id) => !onCall(before).includes(user_id))
      .map((user_id) => {
        const end = shifts.slice(at + 1).find((next) => !onCall(next).includes(user_id))
        return { user_id, starts_at: shift.starts_at, ends_at: end?.starts_at ?? null, before: onCall(before) }
      })
  })
}

/**
 * `at` in epoch ms; the timeline must begin more than an hour before it. `next`: the next instant,
 * or null when nothing is known to come.
 */
export function shiftNotices(
  shifts: readonly Shift[],
  at: number,
  wishesOf: (user_id: string) => ShiftWishes | null
): { due: ShiftNotice[]; next: number | null } {
  const due: ShiftNotice[] = []
  let next: number | null = null
  for (const begun of beginnings(shifts)) {
    const wishes = wishesOf(begun.user_id)
    if (!wishes) continue
    const { starts_at } = begun
    const times = wishes.shift_reminders_minutes.map((minutes) => ({ minutes, remind_at: starts_at - minutes * MINUTE_MS }))
    const passed = times.filter(({ remind_at }) => remind_at <= at).sort((one, other) => one.minutes - other.minutes)
    const [last] = passed
    if (last && at < starts_at) due.push({ ...begun, kind: 'shift_reminder', minutes: last.minutes })
    if (wishes.handoff_summary && starts_at <= at && at < starts_at + HANDOFF_MS) due.push({ ...begun, kind: 'handoff', minutes: 0 })
    const coming = [...times.map(({ remind_at }) => remind_at), ...(wishes.handoff_summary ? [starts_at] : [])].filter((one) => one > at)
    for (const one of coming) next = next === null ? one : Math.min(next, one)
  }
  return { due, next }
}

export interface NoticeFacts {
  schedule: string
  time_zone: string
  /** Epoch ms. */
  now: number
  /** Names of the people who were on call before. */
  before: readonly string[]
  /** Ongoing incidents that the person may see. */
  open: { total: number; named: readonly { number: number; title: string; severity: string; acknowledged: boolean }[] }
}

function away(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS))
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`
}

const MAX_NAMED = 20

export function noticeWords(notice: ShiftNotice, { schedule, time_zone, now, before, open }: NoticeFacts): Said {
  const { kind, starts_at, ends_at } = notice
  const to = ends_at === null ? '' : ` to ${localTime(ends_at, time_zone)}`
  const span = `From ${localTime(starts_at, time_zone)}${to} (${time_zone}).`
  if (kind === 'shift_reminder') return { title: `You are on call for ${schedule} in ${away(starts_at - now)}`, body: span }
  const shown = open.named.slice(0, MAX_NAMED)
  const more = open.total - shown.length
  return {
    title: `You are on call for ${schedule} now`,
    body: [
      span,
      before.length > 0 ? `Before you: ${before.join(', ')}.` : 'Nobody was on call before you.',
      open.total === 0 ? 'Nothing is open.' : `Open now: ${open.total}`,
      ...shown.map(
        ({ number, title, severity, acknowledged }) => `- INC-${number} [${severity}] ${title}${acknowledged ? ', acknowledged' : ''}`
      ),
      ...(more > 0 ? [`- and ${more} more`] : [])
    ].join('\n')
  }
}
