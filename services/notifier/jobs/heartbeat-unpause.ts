/**
 * Ends the pause of a heartbeat after a ping, which the fold has already judged. If the heartbeat
 * was changed, resumed or deleted since then, it does nothing: the fold receives that change. While
 * a maintenance window pauses it, it stays paused.
 * Source: docs/design/api/heartbeats.md#hb-6.
 */
import { recordHeartbeat } from '../../store/heartbeat-record.ts'
import { lockHeartbeat, pauseHeartbeat } from '../../store/heartbeats.ts'
import { cancelResume } from '../../store/pauses.ts'
import { payloadNumber, payloadText, type RunJob } from '../job.ts'
import { pauseAfterAnother } from '../pause-of-window.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const { tenant_id } = job
  const before = await lockHeartbeat(tx, tenant_id, payloadText(job, 'heartbeat_id'))
  if (!before || before.paused_at === null || !before.unpause_on_ping || before.ver !== payloadNumber(job, 'version')) return
  const { heartbeat_id: id, resume_at } = before
  const pause = await pauseAfterAnother(tx, job, { kind: 'heartbeat', id }, before)
  const after = await pauseHeartbeat(tx, tenant_id, id, pause)
  await recordHeartbeat(tx, codec, actor, pause.paused_at === null ? 'heartbeat.resumed' : 'heartbeat.paused', before, after)
  await cancelResume(tx, 'heartbeat', tenant_id, id, resume_at)
}
