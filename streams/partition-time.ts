/**
 * Computes the time of a partition from its records, so that no single machine's clock decides it.
 * Pure functions: they read only records (their content and append times) and saved state.
 *
 * The partition time of a record, T, is the last tick plus the time that has passed, by the
 * broker's clock, since that tick was appended. Both append times contain the broker's own clock
 * offset, so it cancels out. If the broker's clock goes back, T is the last tick.
 *   T = tick + max(append time - append time of the tick, 0)
 * Ticks come every second, so the first 3 s after a tick are certain. A longer time means that
 * ticks are missing, or that another broker with another clock leads the partition; nobody can say
 * which.
 *
 * A time that a door wrote (receipt of a ping or result) is accepted when it lies in this range:
 *   from  the certain part of T - 6 s    5 s that an append may wait, 1 s between clocks
 *   to    T + 3 s                        1 s between clocks, 2 s that ticks may be behind
 * Otherwise it is replaced by T. Before the first tick there is no T, and every time is accepted.
 *
 * Both ends of a door's gap are moved by one shift (and `from` 6 s less, see gapShift). The attempt
 * to write the gap began 5 s before the gap's end (GAP_AHEAD_MS), and that instant is checked like
 * a receipt.
 *
 * A tick counts when it is later than the last tick that counted, and one of these is true:
 * - both clocks agree, within 5 s, about the time that has passed since that tick;
 * - they disagree, but it is the third such tick in a row and the three agree with each other:
 *   then the broker's clock was set, or another broker leads. Two clocks (the ticking one, and
 *   Postgres's, with which it is compared) count more than one.
 *
 * Source: docs/design/architecture.md#s6-time, docs/decisions/0048-no-clock-decides-alone.md.
 */

import type { Notice, Remarks } from './define.ts'

/**
 * How long after a tick the time of its partition is certain. A longer time between two ticks is an
 * outage.
 */
export const TICK_GAP_MS = 3000
/** How much the two clocks may differ about the time between two ticks. */
export const TICK_STRAYS_MS = 5000
/**
 * How many ticks in a row must agree with each other, though not with the last tick that counted,
 * before one of them counts.
 */
export const AGREEING_TICKS = 3

/** A door gives up an append after this time. */
const APPEND_MS = 5000
/** How much two clocks may differ when each measures by itself. */
const BETWEEN_CLOCKS_MS = 1000
/** How far ticks may be ahead of Postgres's time, or behind it (services/clock/advance.ts). */
const TICK_LEAD_MS = 2000

/**
 * How long after a deadline the tick that judges it missed must come. Every ping that was received
 * by the deadline and acknowledged is then on the log before that tick.
 */
export const LATENESS_MS = APPEND_MS + BETWEEN_CLOCKS_MS + TICK_LEAD_MS

const BEHIND_MS = APPEND_MS + BETWEEN_CLOCKS_MS
const AHEAD_MS = BETWEEN_CLOCKS_MS + TICK_LEAD_MS

/** A gap ends this long after the attempt to write it began. */
export const GAP_AHEAD_MS = APPEND_MS

/** How often a condition that lasts is reported again. The reports extend one notice. */
export const TOLD_EVERY_MS = 15_000

/** A result scheduled more than this after T comes from a prober with a wrong clock. */
export const SKEWED_AFTER_MS = 5000

/** Ticks in a row that did not count but agree with each other; the fields describe the newest. */
export interface StrayTicks {
  t: number
  appended_at: number
  /** How many in a row. */
  count: number
}

/**
 * What a partition's row keeps besides its last tick. Rows written by versions before 2026-12 have
 * none of these fields.
 */
export interface TickRecord {
  /** Append time of the last tick that counted, by the broker's clock. */
  tick_appended_at?: number
  stray_ticks?: StrayTicks | null
  /** Append time of the record at which ignored ticks were last reported. */
  ignored_told_at?: number
}

export type TickVerdict =
  /** It counts. */
  | 'counts'
  /** At or before the last tick, by no more than two clock processes may differ. */
  | 'repeat'
  /** Earlier than the last tick by more than that: time went back. */
  | 'old'
  /** The two clocks disagree about the time that has passed, or the value is not a time. */
  | 'stray'

const agree = (t: number, appended_at: number, from_t: number, from_appended_at: number): boolean =>
  Math.abs(t - from_t - (appended_at - from_appended_at)) <= TICK_STRAYS_MS

/**
 * Judges a tick. `last` is the last tick that counted, epoch ms; null before the first. After
 * 'counts' the row must hold `t`, `appended_at` and no stray ticks; after 'stray' it must hold the
 * result of `strayAfter`.
 */
export function judgeTick(last: number | null, { tick_appended_at, stray_ticks }: TickRecord, t: number, appended_at: number): TickVerdict {
  if (!Number.isSafeInteger(t)) return 'stray'
  if (last === null) return 'counts'
  if (t <= last) return last - t > TICK_STRAYS_MS ? 'old' : 'repeat'
  // A row from an older version has no append time for its tick.
  if (tick_appended_at === undefined || agree(t, appended_at, last, tick_appended_at)) return 'counts'
  return follows(stray_ticks, t, appended_at) && stray_ticks.count + 1 >= AGREEING_TICKS ? 'counts' : 'stray'
}

const follows = (strays: StrayTicks | null | undefined, t: number, appended_at: number): strays is StrayTicks =>
  strays !== null && strays !== undefined && t > strays.t && agree(t, appended_at, strays.t, strays.appended_at)

/** Returns the stray ticks to keep after one more. */
export const strayAfter = ({ stray_ticks }: TickRecord, t: number, appended_at: number): StrayTicks | null => {
  if (!Number.isSafeInteger(t)) return stray_ticks ?? null
  return { t, appended_at, count: follows(stray_ticks, t, appended_at) ? stray_ticks.count + 1 : 1 }
}

/**
 * Returns T of a record appended at `appended_at`, in epoch ms. NaN when there is no T: before the
 * first tick of the partition, and before the first tick after an update from a version that stored
 * no append time.
 */
export function partitionTime(last: number | null, tick_appended_at: number | undefined, appended_at: number): number {
  if (last === null || tick_appended_at === undefined) return Number.NaN
  return appended_at > tick_appended_at ? last + appended_at - tick_appended_at : last
}

/**
 * Returns the time that a door wrote, or T when the written time does not fit. `time` is T of the
 * record.
 */
export function placed(written: number, last: number | null, time: number): number {
  if (last === null) return written
  // Both comparisons are false when there is no T (NaN).
  return written < Math.min(time, last + TICK_GAP_MS) - BEHIND_MS || written > time + AHEAD_MS ? time : written
}

/**
 * Returns how far both ends of a door's gap are moved; 0 when they fit. `from` is moved 6 s less,
 * because T is the time of the append, and the attempt may have waited for that.
 */
export function gapShift(to: number, last: number | null, time: number): number {
  const begun = to - GAP_AHEAD_MS
  return placed(begun, last, time) - begun
}

/** Returns both ends of a door's gap in partition time. */
export function placedGap(from: number, to: number, last: number | null, time: number): { from: number; to: number } {
  const shift = gapShift(to, last, time)
  return shift === 0 ? { from, to } : { from: from + shift - BEHIND_MS, to: to + shift }
}

/**
 * Whether a result was scheduled later than is possible. `received_at` is used only when there is
 * no T.
 */
export const isSkewed = (scheduled_at: number, received_at: number, time: number): boolean =>
  scheduled_at > (Number.isNaN(time) ? received_at : time) + SKEWED_AFTER_MS

/** Whether a condition must be reported (again). `told_at` and `appended_at` are append times. */
export const isTold = (told_at: number | undefined, appended_at: number): boolean =>
  told_at === undefined || Math.abs(appended_at - told_at) >= TOLD_EVERY_MS

/**
 * Returns the row after a tick that does not count, and adds the remark and the notice to `told`.
 * `last` is the last tick that counted; `time` is T of the record.
 */
export function afterIgnored<R extends TickRecord>(
  row: R,
  last: number,
  verdict: Exclude<TickVerdict, 'counts'>,
  { t, appended_at, time }: { t: number; appended_at: number; time: number },
  told: { remarks: Remarks; notices: Notice[] }
): R {
  if (verdict === 'repeat') {
    told.remarks.ticks_repeated += 1
    return row
  }
  told.remarks[verdict === 'old' ? 'ticks_old' : 'ticks_stray'] += 1
  const next: R = verdict === 'stray' ? { ...row, stray_ticks: strayAfter(row, t, appended_at) } : { ...row }
  if (!isTold(row.ignored_told_at, appended_at)) return next
  next.ignored_told_at = appended_at
  // While broker and clock disagree about the time that has passed, T rests on the broker alone.
  const at = verdict === 'stray' || Number.isNaN(time) ? last : time
  told.notices.push({ cause: 'ticks_ignored', from: at, to: at })
  return next
}
