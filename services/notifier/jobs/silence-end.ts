/**
 * Handles the end of an incident's silence. The rules decide whether the incident still has that
 * silence.
 * Source: docs/design/architecture.md#s6-signals-and-incidents, docs/design/api/incidents.md#in-5.
 */
import { type Command, reduceIncident } from '../../../streams/incident/rules.ts'
import { actorText } from '../../store/audit.ts'
import { commandContext, lockIncident, saveStep } from '../../store/incident-commands.ts'
import { payloadInstant, payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const locked = await lockIncident(tx, job.tenant_id, payloadText(job, 'incident_id'), { alerts: false })
  if (!locked) return
  const command: Command = { command: 'silence_end', by: actorText(actor), until: payloadInstant(job, 'until') }
  const context = commandContext(locked, { kind: 'job', src: `job:${job.job_id}`, request_id: null })
  await saveStep(tx, codec, locked, command, reduceIncident(locked.incident, command, context), context)
}
