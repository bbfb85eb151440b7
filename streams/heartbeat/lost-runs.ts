/**
 * Open runs whose end never came, for example because their machine was switched off. Without a
 * limit nothing would ever end them, and the heartbeat would seem to run for ever.
 *
 *   when                              what
 *   a slot is missed                  marks the runs that started by its deadline
 *   a finish of a run without mark    forgets the marked runs
 *   a finish                          forgets runs that started over 7 days before
 *   a first limit is set              forgets runs that were over it at the last finish, because
 *                                     the job has finished since
 *
 * Only runs without a limit are forgotten by a finish; `overrun` judges the others. A marked run
 * may still end: its end then counts as usual, and it forgets no other run, because jobs on several
 * machines start together and are missed together. All functions change the draft that they are
 * given.
 * Source: docs/design/api/heartbeats.md#lost-runs.
 */
import { limitOf } from './deadlines.ts'
import type { HeartbeatRow, Run } from './state.ts'

/** The longest limit that a heartbeat can have. No run is awaited for longer. */
const MAX_RUN_MS = 604_800_000

/** Marks the runs whose end the slot that has just been missed was waiting for. */
export function markMissed(draft: HeartbeatRow, deadline_at: number): void {
  if (draft.runs.length > 0) draft.runs = draft.runs.map((run) => (run.started_at <= deadline_at ? { ...run, missed: true } : run))
}

/** `closed`: the run that the finish at `at` ended; null when its start is unknown. */
export function forgetLost(draft: HeartbeatRow, closed: Run | null, at: number): void {
  if (draft.config.max_run_seconds !== null || draft.runs.length === 0) return
  const isLater = closed?.missed !== true
  draft.runs = draft.runs.filter(({ missed, started_at }) => !(missed && isLater) && at - started_at <= MAX_RUN_MS)
}

/** Call it when a limit is set where there was none. */
export function forgetOver(draft: HeartbeatRow): void {
  const finished = draft.last_finish_at
  if (finished === null || draft.runs.length === 0) return
  draft.runs = draft.runs.filter((run) => (limitOf(draft, run) ?? finished) >= finished)
  if (draft.runs.length === 0 && draft.phase === 'running') draft.phase = 'on_time'
}
