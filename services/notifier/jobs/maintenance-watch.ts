/**
 * Pauses a monitor or heartbeat while a maintenance window that pauses checks runs, and resumes it
 * afterwards, unless another such window runs then. A pause that a person made is left alone.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import { closeWatched } from '../../store/close-watched.ts'
import { recordHeartbeat } from '../../store/heartbeat-record.ts'
import { lockHeartbeat, pauseHeartbeat } from '../../store/heartbeats.ts'
import { type PausingWindow, windowsPausing } from '../../store/maintenance.ts'
import { pauserOf } from '../../store/maintenance-turns.ts'
import { recordMonitor } from '../../store/monitor-record.ts'
import { lockMonitor, pauseMonitor } from '../../store/monitors.ts'
import type { Pause } from '../../store/pauses.ts'
import type { Tx } from '../../store/pool.ts'
import { endOf, type JobContext, payloadText, type RunJob } from '../job.ts'
import { pauseOfWindow } from '../pause-of-window.ts'

/** Returns the new pause; null when nothing changes. `running`: the windows that pause it now. */
function pauseAfter(before: Pause, window_id: string, running: readonly PausingWindow[], at: number): Pause | null {
  const isOurs = before.pause_reason === 'maintenance' && before.paused_by === pauserOf(window_id)
  const own = running.find((one) => one.window_id === window_id)
  if (!own) return isOurs ? pauseOfWindow(before, running, at) : null
  if (before.paused_at !== null && (!isOurs || before.resume_at === own.until)) return null
  return pauseOfWindow(before, [own], at)
}

async function watch(
  tx: Tx,
  { codec, actor }: JobContext,
  { tenant_id, kind, id, window_id }: { tenant_id: string; kind: 'monitor' | 'heartbeat'; id: string; window_id: string },
  at: number
): Promise<void> {
  const before = await (kind === 'monitor' ? lockMonitor : lockHeartbeat)(tx, tenant_id, id)
  const pause = before && pauseAfter(before, window_id, await windowsPausing(tx, tenant_id, { kind, id }, at), at)
  if (!before || !pause) return
  const verb = pause.paused_at === null ? 'resumed' : 'paused'
  if ('monitor_id' in before) await recordMonitor(tx, codec, actor, `monitor.${verb}`, before, await pauseMonitor(tx, tenant_id, id, pause))
  else await recordHeartbeat(tx, codec, actor, `heartbeat.${verb}`, before, await pauseHeartbeat(tx, tenant_id, id, pause))
  if (before.paused_at === null && pause.paused_at !== null) await closeWatched(tx, codec, tenant_id, { kind, id }, 'paused', actor)
}

export const run: RunJob = async (tx, job, context) => {
  const { tenant_id } = job
  const window_id = payloadText(job, 'window_id')
  const kind = payloadText(job, 'kind') === 'monitor' ? 'monitor' : 'heartbeat'
  const id = payloadText(job, 'id')
  const { at } = await endOf(tx, job)
  await watch(tx, context, { tenant_id, kind, id, window_id }, at)
}
