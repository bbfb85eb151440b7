/**
 * Ends the pause of a heartbeat at its `resume_at`. A heartbeat that was resumed, paused again or
 * deleted since then is left alone.
 * Source: docs/design/api/heartbeats.md#hb-6.
 */
import { recordHeartbeat } from '../../store/heartbeat-record.ts'
import { lockHeartbeat, pauseHeartbeat } from '../../store/heartbeats.ts'
import { notPaused, pausedUntil } from '../../store/pauses.ts'
import { payloadInstant, payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const before = await lockHeartbeat(tx, job.tenant_id, payloadText(job, 'heartbeat_id'))
  if (!before || !pausedUntil(before, payloadInstant(job, 'resume_at'))) return
  const after = await pauseHeartbeat(tx, job.tenant_id, before.heartbeat_id, notPaused)
  await recordHeartbeat(tx, codec, actor, 'heartbeat.resumed', before, after)
}
