/**
 * The open slot of a heartbeat: when its ping is expected, when it counts as missed, and which
 * events move that deadline.
 *
 *   deadline = max(expected + grace + extended + tick gaps, end of the door gap + grace)
 *       the order of the two kinds of outage does not matter, and neither makes it earlier
 *
 * expected   period: the last finish + period. cron: the first slot after the last finish; a finish
 *            within PUNCTUAL_MS before a slot counts for that slot. After a miss: the first slot
 *            after deadline - grace, so slots inside an outage of the service or inside a started
 *            run are not judged. After a maintenance window that paused: see slotAfterPause.
 * extended   the first run that starts by the deadline moves it to the start + grace, or to the
 *            start + max_run_seconds where there is a limit, if that is later. So a job that starts
 *            in time has its grace (or its limit) from its start, only the finish satisfies the
 *            slot, and repeated starts do not move it further. Healthchecks counts the grace from
 *            an early start, too, which would end a long job before it is due; here an early start
 *            moves nothing. A change of settings while the run is open counts for it at once.
 * tick gap   while no tick could be appended, no ping could be: every open deadline and limit moves
 *            by the length of the gap.
 * door gap   a ping due by the end of the gap may have been refused: an open slot with
 *            expected <= to and deadline >= from ends at `to` + grace at the earliest. That covers
 *            every deadline inside the gap, and those shortly after it, whose senders had no time
 *            left to try again.
 *
 * All functions change the draft that they are given. The draft is a copy that belongs to the
 * rules.
 * Source: docs/design/architecture.md#s6, docs/design/streaming.md#s2-5,
 * docs/design/api/decision-rules.md#s23-1, #s23-10.
 */
import type { HeartbeatConfig } from '../../schemas/generated/events.ts'
import { LATENESS_MS } from '../partition-time.ts'
import { nextSlot, type Schedule } from './schedule.ts'
import type { HeartbeatRow, Run } from './state.ts'

/**
 * A ping that arrives at most this long before a slot of a cron expression counts for that slot.
 * One second covers the difference between the clock of the job's machine and true time, one second
 * that between true time and our clock. Otherwise a punctual job would be missed whenever its
 * machine's clock is slightly ahead.
 */
export const PUNCTUAL_MS = 2000

/**
 * Returns the schedule of a configuration, or null when it has no usable one. It does not check
 * cron expressions; validateSchedule does.
 */
export function scheduleOf(config: HeartbeatConfig): Schedule | null {
  if (config.schedule_kind === 'period' && config.period_seconds !== null && config.period_seconds > 0)
    return { kind: 'period', period_seconds: config.period_seconds }
  if (config.schedule_kind === 'cron' && config.cron !== null && config.time_zone !== null)
    return { kind: 'cron', expression: config.cron, time_zone: config.time_zone }
  return null
}

export const sameSchedule = (one: HeartbeatConfig, other: HeartbeatConfig): boolean =>
  one.schedule_kind === other.schedule_kind &&
  one.period_seconds === other.period_seconds &&
  one.cron === other.cron &&
  one.time_zone === other.time_zone

export const sameDeadline = (one: HeartbeatConfig, other: HeartbeatConfig): boolean =>
  sameSchedule(one, other) && one.grace_seconds === other.grace_seconds && one.max_run_seconds === other.max_run_seconds

/** Opens the first slot after `from` and clears everything that moved the previous slot. */
export function openSlotAfter(draft: HeartbeatRow, from: number): void {
  const schedule = scheduleOf(draft.config)
  draft.expected_at = schedule && nextSlot(schedule, from)
  draft.extended_ms = 0
  draft.tick_gap_ms = 0
  draft.door_gap_until = null
  settle(draft)
}

export function closeSlots(draft: HeartbeatRow): void {
  draft.expected_at = null
  draft.extended_ms = 0
  draft.tick_gap_ms = 0
  draft.door_gap_until = null
  settle(draft)
}

/**
 * Records a finish at `at`, success or failure, which satisfies the slots up to it. A finish that
 * is not newer than the last one satisfies nothing more.
 */
export function finishedAt(draft: HeartbeatRow, at: number): void {
  if (draft.runs.length === 0 && draft.extended_ms > 0) {
    draft.extended_ms = 0
    settle(draft)
  }
  if (draft.last_finish_at !== null && at <= draft.last_finish_at) return
  draft.last_finish_at = at
  const isCron = draft.config.schedule_kind === 'cron'
  const counts = isCron ? at + PUNCTUAL_MS : at
  // This cron ping came before its slot, so it satisfies an earlier slot. The open slot stays open,
  // and what moved it stays.
  if (isCron && draft.expected_at !== null && counts < draft.expected_at) return
  if (draft.expected_at !== null) draft.last_slot = draft.expected_at
  openSlotAfter(draft, isCron ? Math.max(counts, draft.last_slot ?? counts) : at)
}

/** Opens the next slot after a tick has judged the open one. */
export function passSlot(draft: HeartbeatRow): void {
  if (draft.expected_at === null || draft.deadline_at === null) return
  draft.last_slot = draft.expected_at
  openSlotAfter(draft, draft.deadline_at - graceOf(draft))
}

/** Moves the deadline for a run that started at `at`. */
export function extendFor(draft: HeartbeatRow, at: number): void {
  if (draft.deadline_at === null || at > draft.deadline_at || draft.extended_ms > 0) return
  const { max_run_seconds } = draft.config
  const due = at + (max_run_seconds === null ? graceOf(draft) : max_run_seconds * 1000)
  draft.extended_ms = Math.max(0, due - draft.deadline_at)
  settle(draft)
}

/**
 * Moves the deadline again for the runs that are open, after a change of the schedule, the grace or
 * the limit of runs. What outages moved of a run stays moved.
 */
export function extendAgain(draft: HeartbeatRow): void {
  draft.extended_ms = 0
  settle(draft)
  for (const { started_at, shifted_ms } of draft.runs) extendFor(draft, started_at + shifted_ms)
}

/**
 * Opens the slot of a changed schedule while the phase is kept. No slot before the change is
 * judged.
 */
export function reopenSlot(draft: HeartbeatRow, changedAt: number): void {
  if (draft.expected_at === null) return
  const last = draft.last_finish_at ?? changedAt
  if (draft.config.schedule_kind === 'cron') {
    openSlotAfter(draft, Math.max(last, changedAt, draft.last_slot ?? 0))
  } else {
    openSlotAfter(draft, last)
    draft.expected_at = Math.max(draft.expected_at, changedAt)
    settle(draft)
  }
}

/**
 * Opens the first slot after a maintenance window that paused until `at`. The job could not run in
 * the window, so a period that ended there begins again at `at`.
 */
export function slotAfterPause(draft: HeartbeatRow, lastFinish: number, at: number): void {
  if (draft.config.schedule_kind === 'cron') openSlotAfter(draft, Math.max(lastFinish + PUNCTUAL_MS, at))
  else {
    openSlotAfter(draft, lastFinish)
    if (draft.expected_at !== null && draft.expected_at <= at) openSlotAfter(draft, at)
  }
}

/**
 * Moves the draft by an interval without ticks. Returns true when the draft had anything to move.
 */
export function moveByTickGap(draft: HeartbeatRow, { from, to }: { from: number; to: number }): boolean {
  if (draft.expected_at === null && draft.runs.length === 0) return false
  const gap = to - from
  if (draft.expected_at !== null) draft.tick_gap_ms += gap
  // Time of the grace after a door gap that lay in this tick gap is given back. If the two gaps are
  // one outage, nothing is counted twice.
  const until = draft.door_gap_until
  if (until !== null) draft.door_gap_until = until <= from ? until + gap : Math.max(until, to)
  draft.runs = draft.runs.map((run) => ({ ...run, shifted_ms: run.shifted_ms + gap }))
  settle(draft)
  return true
}

/**
 * Moves the draft by an interval in which a door refused pings. Returns true when that moved
 * anything; the same gap again moves nothing.
 */
export function moveByDoorGap(draft: HeartbeatRow, { from, to }: { from: number; to: number }): boolean {
  const floor = to + graceOf(draft)
  let moved = false
  if (isWithin(draft, { from, to }) && floor > (draft.deadline_at ?? floor)) {
    draft.door_gap_until = to
    moved = true
  }
  const runs = draft.runs.map((run) => {
    const limit = limitOf(draft, run)
    if (limit === null || run.started_at > to || limit < from || limit >= floor) return run
    moved = true
    return { ...run, shifted_ms: run.shifted_ms + floor - limit }
  })
  if (moved) draft.runs = runs
  settle(draft)
  return moved
}

/** Whether a ping of the open slot may have come between the two instants. */
export const isWithin = ({ expected_at, deadline_at }: HeartbeatRow, { from, to }: { from: number; to: number }): boolean =>
  expected_at !== null && deadline_at !== null && expected_at <= to && deadline_at >= from

/** When the run exceeds its limit, moved by outages of the service; null without a limit. */
export const limitOf = ({ config }: HeartbeatRow, run: Run): number | null =>
  config.max_run_seconds === null ? null : run.started_at + config.max_run_seconds * 1000 + run.shifted_ms

/** The open run whose limit passes first, with that limit. */
export function firstLimit(row: HeartbeatRow): { run: Run; limit: number } | null {
  let first: { run: Run; limit: number } | null = null
  for (const run of row.runs) {
    const limit = limitOf(row, run)
    if (limit !== null && (first === null || limit < first.limit)) first = { run, limit }
  }
  return first
}

const graceOf = ({ config }: HeartbeatRow): number => config.grace_seconds * 1000

/** Recomputes the deadline from its parts. Call it after any part changes, the grace included. */
export function settle(draft: HeartbeatRow): void {
  if (draft.expected_at === null) {
    draft.deadline_at = null
    draft.shifted_ms = 0
    return
  }
  const planned = draft.expected_at + graceOf(draft) + draft.extended_ms
  const floor = draft.door_gap_until === null ? planned : draft.door_gap_until + graceOf(draft)
  draft.deadline_at = Math.max(planned + draft.tick_gap_ms, floor)
  draft.shifted_ms = draft.deadline_at - planned
}

const FRAME_EVERY_MS = 1000

/**
 * The first instant at which a tick must do something for the row; null when there is none. The
 * phase `grace` begins exactly at the expected time.
 */
export function nextInstant(row: HeartbeatRow): number | null {
  let next = Number.POSITIVE_INFINITY
  if (row.deadline_at !== null) next = row.deadline_at + LATENESS_MS
  if (row.runs.length > 0) next = Math.min(next, (firstLimit(row)?.limit ?? next) + LATENESS_MS)
  if (row.phase === 'on_time' && row.expected_at !== null) next = Math.min(next, row.expected_at)
  if (row.frame_due && row.frame_at !== null) next = Math.min(next, row.frame_at + FRAME_EVERY_MS)
  return next === Number.POSITIVE_INFINITY ? null : next
}

/** Whether a frame may be sent at `at`. The limit is one per second, measured in record time. */
export const frameMayGo = ({ frame_at }: HeartbeatRow, at: number): boolean => frame_at === null || at - frame_at >= FRAME_EVERY_MS
