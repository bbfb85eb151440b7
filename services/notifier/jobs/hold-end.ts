/**
 * A rule changed an incident in a way that may end a hold: flapping ended, the incident got worse
 * than its silence covers, or it has several alerts since a merge. Rules do not read silences, so
 * this job looks at all holds.
 * Source: docs/design/api/decision-rules.md#s23-8.
 */
import { holdsChanged, lockOngoing } from '../../store/releases.ts'
import { endOf, payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec }) => {
  const { tenant_id } = job
  const locked = await lockOngoing(tx, tenant_id, [payloadText(job, 'incident_id')])
  await holdsChanged(
    tx,
    codec,
    tenant_id,
    locked.map(({ incident_id }) => incident_id),
    await endOf(tx, job)
  )
}
