/**
 * Ends the pause of a monitor at its `resume_at`. A monitor that was resumed, paused again or
 * deleted since then is left alone.
 * Source: docs/design/api/monitors.md#mo-6.
 */
import { recordMonitor } from '../../store/monitor-record.ts'
import { lockMonitor, pauseMonitor } from '../../store/monitors.ts'
import { notPaused, pausedUntil } from '../../store/pauses.ts'
import { payloadInstant, payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const before = await lockMonitor(tx, job.tenant_id, payloadText(job, 'monitor_id'))
  if (!before || !pausedUntil(before, payloadInstant(job, 'resume_at'))) return
  const after = await pauseMonitor(tx, job.tenant_id, before.monitor_id, notPaused)
  await recordMonitor(tx, codec, actor, 'monitor.resumed', before, after)
}
