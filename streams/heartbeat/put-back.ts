/**
 * Judges pings of dead letters that were put back, long after their place on the log. Such a ping
 * counts from when it was received, and never as a ping of now: it must not end a miss that came
 * after it, nor report a failure that later pings have ended.
 *
 *   put back                                                            effect
 *   a log, or an unknown kind                                           none
 *   not newer than the newest ping that counted                         none
 *   while paused, or received before the settings for whose first       none
 *   ping the heartbeat waits
 *   a finish, while missed, and the slot after it was judged already    it is the newest ping;
 *                                                                       the heartbeat stays missed
 *   any other                                                           that of a ping
 *
 * Outages that moved the open slot also move the slot that such a ping opens, since some of them
 * may have come after the ping.
 * Source: docs/design/architecture.md#s5-failures.
 */
import { LATENESS_MS } from '../partition-time.ts'
import { openSlotAfter, PUNCTUAL_MS, settle } from './deadlines.ts'
import type { HeartbeatRow, PingReport } from './state.ts'

export type PutBack = 'counts' | 'noted' | 'passed over'

/** `lastTick`: last tick of the partition, epoch ms; -Infinity before the first. */
export function judgePutBack(row: HeartbeatRow, { kind, received_at }: PingReport, lastTick: number): PutBack {
  if (kind === 'log' || kind === 'unknown') return 'passed over'
  if (row.phase === 'paused' || (row.phase === 'waiting' && received_at < row.config.at)) return 'passed over'
  if (row.last_ping_at !== null && received_at <= row.last_ping_at) return 'passed over'
  if (row.status === 'up' || kind === 'start') return 'counts'
  const after: HeartbeatRow = { ...row }
  openSlotAfter(after, row.config.schedule_kind === 'cron' ? received_at + PUNCTUAL_MS : received_at)
  return after.deadline_at !== null && after.deadline_at + LATENESS_MS <= lastTick ? 'noted' : 'counts'
}

/** Moves the slot that the ping opened by what has moved the open slot before it. */
export function keepOutages(draft: HeartbeatRow, before: HeartbeatRow): void {
  draft.tick_gap_ms = before.tick_gap_ms
  draft.door_gap_until = before.door_gap_until
  settle(draft)
}
