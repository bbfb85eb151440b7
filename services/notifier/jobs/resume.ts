/** The end of a pause at its `resume_at`. A monitor or heartbeat that was resumed, paused anew or deleted meanwhile is left alone. Source: docs/design/api/monitors.md#mo-6, docs/design/api/heartbeats.md#hb-6. */
import { recordHeartbeat } from '../../store/heartbeat-record.ts'
import { lockHeartbeat, pauseHeartbeat } from '../../store/heartbeats.ts'
import { recordMonitor } from '../../store/monitor-record.ts'
import { lockMonitor, pauseMonitor } from '../../store/monitors.ts'
import { notPaused, type Pause } from '../../store/pauses.ts'
import { payloadInstant, payloadText, type RunJob } from '../job.ts'

/** Whether it is still the pause that the job was made with. */
const isDue = (paused: Pause | null, resume_at: number): boolean =>
  paused !== null && paused.paused_at !== null && paused.resume_at === resume_at

export const monitorResume: RunJob = async (tx, job, { codec, actor }) => {
  const before = await lockMonitor(tx, job.tenant_id, payloadText(job, 'monitor_id'))
  if (!before || !isDue(before, payloadInstant(job, 'resume_at'))) return
  const after = await pauseMonitor(tx, job.tenant_id, before.monitor_id, notPaused)
  await recordMonitor(tx, codec, actor, 'monitor.resumed', before, after)
}

export const heartbeatResume: RunJob = async (tx, job, { codec, actor }) => {
  const before = await lockHeartbeat(tx, job.tenant_id, payloadText(job, 'heartbeat_id'))
  if (!before || !isDue(before, payloadInstant(job, 'resume_at'))) return
  const after = await pauseHeartbeat(tx, job.tenant_id, before.heartbeat_id, notPaused)
  await recordHeartbeat(tx, codec, actor, 'heartbeat.resumed', before, after)
}
