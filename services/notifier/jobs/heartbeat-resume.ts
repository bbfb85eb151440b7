/**
 * Ends the pause of a heartbeat at its `resume_at`. A heartbeat that was resumed, paused again or
 * deleted since then is left alone. While a maintenance window pauses it, it stays paused.
 * Source: docs/design/api/heartbeats.md#hb-6.
 */
import { recordHeartbeat } from '../../store/heartbeat-record.ts'
import { lockHeartbeat, pauseHeartbeat } from '../../store/heartbeats.ts'
import { windowsPausing } from '../../store/maintenance.ts'
import { pausedUntil } from '../../store/pauses.ts'
import { endOf, payloadInstant, payloadText, type RunJob } from '../job.ts'
import { pauseOfWindow } from '../pause-of-window.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const before = await lockHeartbeat(tx, job.tenant_id, payloadText(job, 'heartbeat_id'))
  if (!before || !pausedUntil(before, payloadInstant(job, 'resume_at'))) return
  const { at } = await endOf(tx, job)
  const running = await windowsPausing(tx, job.tenant_id, { kind: 'heartbeat', id: before.heartbeat_id }, at)
  const pause = pauseOfWindow(before, running, at)
  const after = await pauseHeartbeat(tx, job.tenant_id, before.heartbeat_id, pause)
  await recordHeartbeat(tx, codec, actor, pause.paused_at === null ? 'heartbeat.resumed' : 'heartbeat.paused', before, after)
}
