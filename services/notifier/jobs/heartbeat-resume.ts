/**
 * Ends the pause of a heartbeat at its `resume_at`. A heartbeat that was resumed, paused again or
 * deleted since then is left alone. While a maintenance window pauses it, it stays paused.
 * Source: docs/design/api/heartbeats.md#hb-6.
 */
import { recordHeartbeat } from '../../store/heartbeat-record.ts'
import { lockHeartbeat, pauseHeartbeat } from '../../store/heartbeats.ts'
import { pausedUntil } from '../../store/pauses.ts'
import { payloadInstant, payloadText, type RunJob } from '../job.ts'
import { pauseAfterAnother } from '../pause-of-window.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const before = await lockHeartbeat(tx, job.tenant_id, payloadText(job, 'heartbeat_id'))
  if (!before || !pausedUntil(before, payloadInstant(job, 'resume_at'))) return
  const pause = await pauseAfterAnother(tx, job, { kind: 'heartbeat', id: before.heartbeat_id }, before)
  const after = await pauseHeartbeat(tx, job.tenant_id, before.heartbeat_id, pause)
  await recordHeartbeat(tx, codec, actor, pause.paused_at === null ? 'heartbeat.resumed' : 'heartbeat.paused', before, after)
}
