/**
 * The pause of a monitor or heartbeat after another pause has ended: that of a maintenance window
 * that runs now and pauses checks, or none.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import type { PausingWindow } from '../store/maintenance.ts'
import { pauserOf } from '../store/maintenance-turns.ts'
import { notPaused, type Pause } from '../store/pauses.ts'

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
