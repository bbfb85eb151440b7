/**
 * The open slot of a heartbeat: when its ping is expected, when it counts as missed, and what moves
 * that.
 *
 *   deadline = max(expected + grace + extended + tick gaps, end of the door gap + grace)
 *       the two kinds of outage commute, and neither makes it earlier
 *
 * expected   period: the last finish + period; cron: the first slot after the last finish, where a
 *            finish within PUNCTUAL_MS before a slot counts for that one. After a
 *            miss, the first one after deadline - grace: slots that lay in an outage of ours or
 *            within a started run are not judged.
 * extended   the first run that starts by the deadline moves it to its start + grace, or to its
 *            start + max_run_seconds where there is a limit, where that is later. So a job that
 *            starts in time has its grace (or its limit) from its start, the finish alone satisfies
 *            the slot, and starting again and again moves nothing. Healthchecks counts the grace
 *            from an early start, too, which would end a long job before it is due; here an early
 *            start moves nothing.
 * tick gap   while no tick could be appended no ping could: every open deadline and limit moves by
 *            the gap.
 * door gap   a ping due by its end may have been refused: an open slot with expected <= to and
 *            deadline >= from ends at `to` + grace at the earliest. That covers every deadline
 *            inside, and those shortly after, whose senders had no time left to try again.
 *
 * All functions change the draft they are given, a copy that the rules own.
 * Source: docs/design/architecture.md#s6, docs/design/streaming.md#s2-5,
 * docs/design/api/decision-rules.md#s23-1, #s23-10.
 */
import type { HeartbeatConfig } from '../../schemas/generated/events.ts'
import { LATENESS_MS } from '../partition-time.ts'
import { nextSlot, type Schedule } from './schedule.ts'
import type { HeartbeatRow, Run } from './state.ts'

/**
 * A ping so little before a slot of a cron expression counts for that slot: one second between the
 * clock of the job's machine and true time, one between that and ours. Else a job that is always
 * punctual is missed each time its machine is a little ahead.
 */
export const PUNCTUAL_MS = 2000

/**
 * Null where the record has no usable schedule; validateSchedule says whether a cron expression is
 * one.
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

/** Opens the slot after `from`; what moved the former one is forgotten. */
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
 * A finish at `at`, success or failure: the slots up to it are satisfied. A finish older than the
 * last one read moves nothing.
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
  // A cron's ping before its time satisfies an earlier slot; the open one stays open, with what
  // moved it.
  if (isCron && draft.expected_at !== null && counts < draft.expected_at) return
  if (draft.expected_at !== null) draft.last_slot = draft.expected_at
  openSlotAfter(draft, isCron ? Math.max(counts, draft.last_slot ?? counts) : at)
}

/** The open slot has been judged by a tick. */
export function passSlot(draft: HeartbeatRow): void {
  if (draft.expected_at === null || draft.deadline_at === null) return
  draft.last_slot = draft.expected_at
  openSlotAfter(draft, draft.deadline_at - graceOf(draft))
}

/** A run started at `at`. */
export function extendFor(draft: HeartbeatRow, at: number): void {
  if (draft.deadline_at === null || at > draft.deadline_at || draft.extended_ms > 0) return
  const { max_run_seconds } = draft.config
  const due = at + (max_run_seconds === null ? graceOf(draft) : max_run_seconds * 1000)
  draft.extended_ms = Math.max(0, due - draft.deadline_at)
  settle(draft)
}

/**
 * The schedule changed and the phase is kept: the slot is the new schedule's, and none before the
 * change is judged.
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

/** No tick came between two instants. True where the draft has anything to move. */
export function moveByTickGap(draft: HeartbeatRow, { from, to }: { from: number; to: number }): boolean {
  if (draft.expected_at === null && draft.runs.length === 0) return false
  const gap = to - from
  if (draft.expected_at !== null) draft.tick_gap_ms += gap
  // The grace after a door gap loses what of it lay in this gap; where both are one outage, nothing
  // is counted twice.
  const until = draft.door_gap_until
  if (until !== null) draft.door_gap_until = until <= from ? until + gap : Math.max(until, to)
  draft.runs = draft.runs.map((run) => ({ ...run, shifted_ms: run.shifted_ms + gap }))
  settle(draft)
  return true
}

/**
 * A door refused pings between two instants. True where that moved anything; the same gap again
 * moves nothing.
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

/** May a ping of the open slot have come between the two instants? */
export const isWithin = ({ expected_at, deadline_at }: HeartbeatRow, { from, to }: { from: number; to: number }): boolean =>
  expected_at !== null && deadline_at !== null && expected_at <= to && deadline_at >= from

/** When the run has run too long, outages of ours included; null without a limit. */
export const limitOf = ({ config }: HeartbeatRow, run: Run): number | null =>
  config.max_run_seconds === null ? null : run.started_at + config.max_run_seconds * 1000 + run.shifted_ms

/** The open run that passes its limit first, and the limit. */
export function firstLimit(row: HeartbeatRow): { run: Run; limit: number } | null {
  let first: { run: Run; limit: number } | null = null
  for (const run of row.runs) {
    const limit = limitOf(row, run)
    if (limit !== null && (first === null || limit < first.limit)) first = { run, limit }
  }
  return first
}

const graceOf = ({ config }: HeartbeatRow): number => config.grace_seconds * 1000

/** The deadline from its parts: after any of them changed, a new grace included. */
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
 * The first instant at which a tick has something to do for the row. The phase `grace` begins at
 * the expected time itself.
 */
export function nextInstant(row: HeartbeatRow): number | null {
  let next = Number.POSITIVE_INFINITY
  if (row.deadline_at !== null) next = row.deadline_at + LATENESS_MS
  if (row.runs.length > 0) next = Math.min(next, (firstLimit(row)?.limit ?? next) + LATENESS_MS)
  if (row.phase === 'on_time' && row.expected_at !== null) next = Math.min(next, row.expected_at)
  if (row.frame_due && row.frame_at !== null) next = Math.min(next, row.frame_at + FRAME_EVERY_MS)
  return next === Number.POSITIVE_INFINITY ? null : next
}

/** May a frame go out at `at`? One a second by the time of the records. */
export const frameMayGo = ({ frame_at }: HeartbeatRow, at: number): boolean => frame_at === null || at - frame_at >= FRAME_EVERY_MS
