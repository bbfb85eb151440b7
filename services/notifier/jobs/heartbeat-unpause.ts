/**
 * The end of a heartbeat's pause by a ping, which the fold has seen already. A heartbeat that was
 * changed, resumed or deleted meanwhile is left alone: the fold has been told of that, too.
 * Source: docs/design/api/heartbeats.md#hb-6.
 */
import { recordHeartbeat } from '../../store/heartbeat-record.ts'
import { lockHeartbeat, pauseHeartbeat } from '../../store/heartbeats.ts'
import { cancelResume, notPaused } from '../../store/pauses.ts'
import { payloadNumber, payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const { tenant_id } = job
  const before = await lockHeartbeat(tx, tenant_id, payloadText(job, 'heartbeat_id'))
  if (!before || before.paused_at === null || !before.unpause_on_ping || before.ver !== payloadNumber(job, 'version')) return
  const { heartbeat_id: id, resume_at } = before
  const after = await pauseHeartbeat(tx, tenant_id, id, notPaused)
  await recordHeartbeat(tx, codec, actor, 'heartbeat.resumed', before, after)
  await cancelResume(tx, 'heartbeat', tenant_id, id, resume_at)
}
