/**
 * Handles the end of an acknowledgement's time. If the policy sets such a time, the acknowledgement
 * is taken back and the escalation starts again.
 * Source: docs/design/api/on-call.md#s7-3, docs/design/api/incidents.md#s5-3.
 */
import { type Command, reduceIncident } from '../../../streams/incident/rules.ts'
import { actorText, insertAudit } from '../../store/audit.ts'
import { readAckTimeout } from '../../store/escalation.ts'
import { commandContext, lockIncident, saveStep } from '../../store/incident-commands.ts'
import { payloadInstant, payloadText, type RunJob } from '../job.ts'

const MINUTE_MS = 60_000

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const locked = await lockIncident(tx, job.tenant_id, payloadText(job, 'incident_id'), { alerts: false })
  const acknowledged_at = payloadInstant(job, 'acknowledged_at')
  if (!locked || locked.incident.status === 'resolved' || locked.incident.acknowledged_at !== acknowledged_at) return
  const { incident, now } = locked
  const minutes = await readAckTimeout(tx, incident)
  if (minutes === null) return
  const ends = acknowledged_at + minutes * MINUTE_MS
  if (now < ends) return { at: ends, payload: job.payload }
  const reason = `Nobody has resolved it within ${minutes} minutes.`
  const command: Command = { command: 'unacknowledge', by: actorText(actor), reason, timed_out: true }
  const context = commandContext(locked, { kind: 'job', src: `job:${job.job_id}`, request_id: null })
  const step = reduceIncident(incident, command, context)
  await saveStep(tx, codec, locked, command, step, context)
  const { incident_id: object_id } = incident
  await insertAudit(tx, job.tenant_id, actor, { action: 'incident.unacknowledged', object_type: 'incident', object_id })
}
