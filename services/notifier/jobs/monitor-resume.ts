/**
 * Ends the pause of a monitor at its `resume_at`. A monitor that was resumed, paused again or
 * deleted since then is left alone. While a maintenance window pauses it, it stays paused.
 * Source: docs/design/api/monitors.md#mo-6.
 */
import { recordMonitor } from '../../store/monitor-record.ts'
import { lockMonitor, pauseMonitor } from '../../store/monitors.ts'
import { pausedUntil } from '../../store/pauses.ts'
import { payloadInstant, payloadText, type RunJob } from '../job.ts'
import { pauseAfterAnother } from '../pause-of-window.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const before = await lockMonitor(tx, job.tenant_id, payloadText(job, 'monitor_id'))
  if (!before || !pausedUntil(before, payloadInstant(job, 'resume_at'))) return
  const pause = await pauseAfterAnother(tx, job, { kind: 'monitor', id: before.monitor_id }, before)
  const after = await pauseMonitor(tx, job.tenant_id, before.monitor_id, pause)
  await recordMonitor(tx, codec, actor, pause.paused_at === null ? 'monitor.resumed' : 'monitor.paused', before, after)
}
