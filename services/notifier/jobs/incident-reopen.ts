/**
 * Ends the quiet period after a person resolved the incident of a target that still fails.
 * Source: docs/design/api/incidents.md#s5-3.
 */
import { actorText } from '../../store/audit.ts'
import { lockHeartbeat } from '../../store/heartbeats.ts'
import { reopenIncident } from '../../store/incident-commands.ts'
import { lockMonitor } from '../../store/monitors.ts'
import { payloadInstant, payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const { tenant_id } = job
  const dedup_key = payloadText(job, 'dedup_key')
  const id = dedup_key.slice(dedup_key.indexOf(':') + 1)
  // The target is locked before its key, in the same order as a pause does. A paused target is
  // judged again when it is resumed.
  const target = await (dedup_key.startsWith('mon:') ? lockMonitor : lockHeartbeat)(tx, tenant_id, id)
  if (!target || target.paused_at !== null) return
  const cause = { kind: 'job', src: `job:${job.job_id}`, request_id: null, by: actorText(actor) } as const
  await reopenIncident(tx, codec, { tenant_id, dedup_key }, payloadInstant(job, 'until'), cause)
}
