/**
 * Looks at incidents that are held because of what their monitors depend on. It looks at one
 * incident when its wait is over, or at all incidents of a monitor that no longer holds them, one
 * page per transaction. Incidents that are still held are looked at again later.
 * Source: docs/design/api/decision-rules.md#s23-6.
 */
import { actorText } from '../../store/audit.ts'
import { heldForMonitor, lookAtWaiting } from '../../store/dependents.ts'
import { changeJobs } from '../../store/jobs.ts'
import { RELEASE_PAGE } from '../../store/releases.ts'
import { endOf, type PageRun, payloadText, type RunJob } from '../job.ts'

const page: RunJob = async (tx, job, { codec, actor }) => {
  const { tenant_id, job_id, payload, kind } = job
  const cause = { ...(await endOf(tx, job)), by: actorText(actor) }
  if (!('monitor_id' in payload)) {
    const at = await lookAtWaiting(tx, codec, tenant_id, [payloadText(job, 'incident_id')], cause)
    return at === null ? undefined : { at, payload }
  }
  const monitor_id = payloadText(job, 'monitor_id')
  const after = typeof payload.after === 'string' ? payload.after : null
  const held = await heldForMonitor(tx, tenant_id, monitor_id, after)
  const at = await lookAtWaiting(tx, codec, tenant_id, held, cause)
  const last = held.at(-1)
  if (held.length === RELEASE_PAGE && last !== undefined) {
    const more = { monitor_id, after: last }
    await changeJobs(tx, [{ start: kind, idem_key: `dependency_end:${job_id}`, tenant_id, run_at: cause.at, payload: more }])
  }
  // Incidents of this page that still wait are looked at again.
  return at === null ? undefined : { at, payload: { monitor_id, after } }
}

export const run: PageRun = { page }
