/**
 * The pause of a monitor or heartbeat after another pause has ended: that of a maintenance window
 * that runs now and pauses checks, or none.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import type { LeasedJob } from '../store/jobs.ts'
import { type PausingWindow, windowsPausing } from '../store/maintenance.ts'
import { pauserOf } from '../store/maintenance-turns.ts'
import { notPaused, type Pause } from '../store/pauses.ts'
import type { Tx } from '../store/pool.ts'
import { endOf } from './job.ts'

/**
 * `running`: the windows that pause the target at `at` (epoch ms), the one that ends last first.
 */
export function pauseOfWindow(before: Pause, running: readonly PausingWindow[], at: number): Pause {
  const [window] = running
  if (!window) return notPaused
  return {
    paused_at: before.paused_at ?? at,
    paused_by: pauserOf(window.window_id),
    pause_reason: 'maintenance',
    pause_comment: null,
    resume_at: window.until,
    resolve_open: true
  }
}

/** Returns the pause of a target after the job has ended the pause `before`. */
export async function pauseAfterAnother(
  tx: Tx,
  job: LeasedJob,
  target: { kind: 'monitor' | 'heartbeat'; id: string },
  before: Pause
): Promise<Pause> {
  const { at } = await endOf(tx, job)
  return pauseOfWindow(before, await windowsPausing(tx, job.tenant_id, target, at), at)
}
