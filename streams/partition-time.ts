/**
 * The time of a partition, as its records tell it: no clock of one machine decides it alone. Pure;
 * it looks at records (what they hold, when they were appended) and at saved state, nothing else.
 *
 * Partition time of a record, T: the last tick, and what the broker's clock says has passed since
 * that tick was appended. The broker's own offset is in both append times and cancels, a broker
 * whose clock goes back makes T the last tick.
 *   T = tick + max(append time - append time of the tick, 0)
 * The first 3 s of that are sure: ticks come every second. More means that ticks are away, or that
 * another broker with another clock leads the partition, and nobody can say which.
 *
 * A time that a door wrote (receipt of a ping or result) is taken as it is where it fits:
 *   from  the sure part of T - 6 s    5 s that an append may wait, 1 s between clocks
 *   to    T + 3 s                     1 s between clocks, 2 s that ticks may be behind
 * Otherwise it becomes T. Before the first tick there is no T, and it is taken as it is.
 *
 * Both ends of a door's gap are moved alike: the attempt to write it began 5 s before its end
 * (GAP_AHEAD_MS), and that instant is looked at like a receipt.
 *
 * A tick counts
 *   when it is later than the last one that counted, and
 *   when both clocks say, within 5 s, that as much has passed since that one; or when it is the
 *   third tick in a row of which they do not, and the three agree among themselves: then the
 *   broker's clock was set, or another broker leads. Two clocks (the one that ticks, and
 *   Postgres's, with which it is compared) count more than one.
 *
 * Source: docs/design/architecture.md#s6-time,
 * docs/decisions/0048-no-clock-decides-alone.md.
 */

import type { Notice, Remarks } from './define.ts'

/** For so long after a tick its partition's time is sure; more between two ticks is an outage. */
export const TICK_GAP_MS = 3000
/** By how much the two clocks may differ over what has passed between two ticks. */
export const TICK_STRAYS_MS = 5000
/** Ticks in a row that agree with each other only, until the last of them counts. */
export const AGREEING_TICKS = 3

/** A door gives up an append after so long. */
const APPEND_MS = 5000
/** By how much clocks that measure themselves may differ. */
const BETWEEN_CLOCKS_MS = 1000
/** How far ticks may run ahead of Postgres's time, or lie behind it (services/clock/advance.ts). */
const TICK_LEAD_MS = 2000

/**
 * How long after a deadline the tick must come that judges it missed. Every ping that was received
 * by the deadline and acknowledged then stands before that tick.
 */
export const LATENESS_MS = APPEND_MS + BETWEEN_CLOCKS_MS + TICK_LEAD_MS

const BEHIND_MS = APPEND_MS + BETWEEN_CLOCKS_MS
const AHEAD_MS = BETWEEN_CLOCKS_MS + TICK_LEAD_MS

/** The end of a gap lies so far behind the beginning of the attempt to write it. */
export const GAP_AHEAD_MS = APPEND_MS

/** While something lasts, people are told again after so long: one notice grows with it. */
export const TOLD_EVERY_MS = 15_000

/** A result scheduled later than this after T comes from a prober whose clock is wrong. */
export const SKEWED_AFTER_MS = 5000

/** Ticks that counted for nothing and agree with each other; the newest of them. */
export interface StrayTicks {
  t: number
  appended_at: number
  /** How many in a row. */
  count: number
}

/**
 * What a partition's row keeps beside its last tick. Rows of versions before 2026-12 have none of
 * them.
 */
export interface TickRecord {
  /** Append time of the last tick that counted, by the broker's clock. */
  tick_appended_at?: number
  stray_ticks?: StrayTicks | null
  /** Append time of the record of which people were told last that ticks are ignored. */
  ignored_told_at?: number
}

export type TickVerdict =
  /** It counts. */
  | 'counts'
  /** Not later than the last one, by no more than the change from one clock process to another. */
  | 'repeat'
  /** Not later than the last one, by more than that: time went back. */
  | 'old'
  /** The two clocks differ over what has passed, or it is no time at all. */
  | 'stray'

const agree = (t: number, appended_at: number, from_t: number, from_appended_at: number): boolean =>
  Math.abs(t - from_t - (appended_at - from_appended_at)) <= TICK_STRAYS_MS

/**
 * `last`: the last tick that counted, epoch ms; null before the first. After 'counts' the row holds
 * `t`, `appended_at` and no stray ticks; after 'stray' it holds `strayAfter`.
 */
export function judgeTick(last: number | null, { tick_appended_at, stray_ticks }: TickRecord, t: number, appended_at: number): TickVerdict {
  if (!Number.isSafeInteger(t)) return 'stray'
  if (last === null) return 'counts'
  if (t <= last) return last - t > TICK_STRAYS_MS ? 'old' : 'repeat'
  // A row of an older version does not say when its tick was appended.
  if (tick_appended_at === undefined || agree(t, appended_at, last, tick_appended_at)) return 'counts'
  return follows(stray_ticks, t, appended_at) && stray_ticks.count + 1 >= AGREEING_TICKS ? 'counts' : 'stray'
}

const follows = (strays: StrayTicks | null | undefined, t: number, appended_at: number): strays is StrayTicks =>
  strays !== null && strays !== undefined && t > strays.t && agree(t, appended_at, strays.t, strays.appended_at)

/** What is kept of stray ticks after one more. */
export const strayAfter = ({ stray_ticks }: TickRecord, t: number, appended_at: number): StrayTicks | null => {
  if (!Number.isSafeInteger(t)) return stray_ticks ?? null
  return { t, appended_at, count: follows(stray_ticks, t, appended_at) ? stray_ticks.count + 1 : 1 }
}

/**
 * T of a record appended at `appended_at`, epoch ms; NaN where there is none: before the first tick
 * of the partition, and before the first one after an update of this service.
 */
export function partitionTime(last: number | null, tick_appended_at: number | undefined, appended_at: number): number {
  if (last === null || tick_appended_at === undefined) return Number.NaN
  return appended_at > tick_appended_at ? last + appended_at - tick_appended_at : last
}

/** The time that a door wrote, or T where that does not fit. `time`: T of the record. */
export function placed(written: number, last: number | null, time: number): number {
  if (last === null) return written
  // Both are false where there is no T.
  return written < Math.min(time, last + TICK_GAP_MS) - BEHIND_MS || written > time + AHEAD_MS ? time : written
}

/**
 * By how much both ends of a door's gap are moved; 0 where they fit. `from` is moved by 6 s less,
 * since T is that of the append, which the attempt may have waited for.
 */
export function gapShift(to: number, last: number | null, time: number): number {
  const begun = to - GAP_AHEAD_MS
  return placed(begun, last, time) - begun
}

/** Both ends of a door's gap in partition time. */
export function placedGap(from: number, to: number, last: number | null, time: number): { from: number; to: number } {
  const shift = gapShift(to, last, time)
  return shift === 0 ? { from, to } : { from: from + shift - BEHIND_MS, to: to + shift }
}

/**
 * Whether a result was scheduled after it can have been. `received_at` is looked at only where
 * there is no T.
 */
export const isSkewed = (scheduled_at: number, received_at: number, time: number): boolean =>
  scheduled_at > (Number.isNaN(time) ? received_at : time) + SKEWED_AFTER_MS

/** Whether people are told (again). `told_at` and `appended_at`: append times. */
export const isTold = (told_at: number | undefined, appended_at: number): boolean =>
  told_at === undefined || Math.abs(appended_at - told_at) >= TOLD_EVERY_MS

/**
 * The row after a tick that does not count; what is counted and told of it goes to the lists.
 * `last`: its last tick that counted; `time`: T of the record.
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
  // While broker and clock differ over what has passed, T is the broker's word alone.
  const at = verdict === 'stray' || Number.isNaN(time) ? last : time
  told.notices.push({ cause: 'ticks_ignored', from: at, to: at })
  return next
}
