/**
 * The incident fold changed an incident so that something may hold it no more: flapping ended, or
 * it got worse than a silence matches. The fold reads no silences; here all holds are looked at.
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
