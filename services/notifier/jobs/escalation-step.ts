/**
 * Runs the step of an escalation that is due.
 * Source: docs/design/api/on-call.md#s7-3, docs/design/api/decision-rules.md#s23-11.
 */
import { actorText } from '../../store/audit.ts'
import { payloadOf } from '../../store/escalation.ts'
import { stepEscalation } from '../../store/escalation-step.ts'
import { commandContext, lockIncident } from '../../store/incident-commands.ts'
import { payloadNumber, payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const locked = await lockIncident(tx, job.tenant_id, payloadText(job, 'incident_id'), { alerts: false })
  if (!locked) return
  const place = { run: payloadNumber(job, 'run'), cycle: payloadNumber(job, 'cycle'), step: payloadNumber(job, 'step') }
  const begun = Math.floor(job.run_at)
  const context = commandContext(locked, { kind: 'job', src: `job:${job.job_id}`, request_id: null })
  const again = await stepEscalation(tx, codec, locked, { ...place, begun }, actorText(actor), context)
  return again ? { at: again.at, payload: { ...payloadOf(locked.incident.incident_id, again.run) } } : undefined
}
