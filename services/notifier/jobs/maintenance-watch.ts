/**
 * Pauses a monitor or heartbeat while a maintenance window that pauses checks runs, and resumes it
 * afterwards. A pause that somebody else made is left alone.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import { closeWatched } from '../../store/close-watched.ts'
import { recordHeartbeat } from '../../store/heartbeat-record.ts'
import { lockHeartbeat, pauseHeartbeat } from '../../store/heartbeats.ts'
import { readWindow, type StoredWindow, spansOfRow, targetsOf } from '../../store/maintenance.ts'
import { pauserOf } from '../../store/maintenance-turns.ts'
import { recordMonitor } from '../../store/monitor-record.ts'
import { lockMonitor, pauseMonitor } from '../../store/monitors.ts'
import { notPaused, type Pause } from '../../store/pauses.ts'
import type { Tx } from '../../store/pool.ts'
import { endOf, type JobContext, payloadText, type RunJob } from '../job.ts'

/** Returns until when the window pauses the target; null when it does not. */
async function pausedUntil(
  tx: Tx,
  window: StoredWindow | null,
  kind: 'monitor' | 'heartbeat',
  id: string,
  at: number
): Promise<number | null> {
  if (window?.effect !== 'pause_checks') return null
  const span = spansOfRow(window).find(({ starts_at, ends_at }) => starts_at <= at && at < ends_at)
  if (!span) return null
  const { monitors, heartbeats } = await targetsOf(tx, window.tenant_id, window.scope)
  return (kind === 'monitor' ? monitors : heartbeats).includes(id) ? span.ends_at : null
}

/** Returns the new pause; null when nothing changes. */
function pauseAfter(before: Pause, by: string, until: number | null, at: number): Pause | null {
  const isOurs = before.pause_reason === 'maintenance' && before.paused_by === by
  if (until === null) return isOurs ? notPaused : null
  if (before.paused_at !== null && (!isOurs || before.resume_at === until)) return null
  const paused_at = before.paused_at ?? at
  return { paused_at, paused_by: by, pause_reason: 'maintenance', pause_comment: null, resume_at: until, resolve_open: true }
}

async function watch(
  tx: Tx,
  { codec, actor }: JobContext,
  { tenant_id, kind, id, by }: { tenant_id: string; kind: 'monitor' | 'heartbeat'; id: string; by: string },
  until: number | null,
  at: number
): Promise<void> {
  const before = await (kind === 'monitor' ? lockMonitor : lockHeartbeat)(tx, tenant_id, id)
  const pause = before && pauseAfter(before, by, until, at)
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
  const until = await pausedUntil(tx, await readWindow(tx, tenant_id, window_id), kind, id, at)
  await watch(tx, context, { tenant_id, kind, id, by: pauserOf(window_id) }, until, at)
}
