/**
 * A maintenance window has settled, or was changed while it held incidents. Looks at what it
 * covered, one page per transaction, and then at the alerts that it kept.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import type { Scope } from '../../../streams/maintenance/windows.ts'
import { changeJobs } from '../../store/jobs.ts'
import { hurryKept, releaseWindow } from '../../store/maintenance-turns.ts'
import { endOf, type PageRun, payloadText, type RunJob } from '../job.ts'

const page: RunJob = async (tx, job, { codec }) => {
  const { tenant_id, job_id, payload, run_at } = job
  const { scope, after } = payload
  if (typeof scope !== 'object' || scope === null) throw new TypeError(`job ${job.kind}: payload.scope is no object`)
  const window_id = payloadText(job, 'window_id')
  // The scope was checked when the window was stored.
  const asked = { window_id, scope: scope as Scope, after: typeof after === 'string' ? after : null }
  const next = await releaseWindow(tx, codec, tenant_id, asked, await endOf(tx, job))
  if (next.after === null) return hurryKept(tx, tenant_id, window_id)
  const more = { ...payload, after: next.after }
  return changeJobs(tx, [{ start: job.kind, idem_key: `maintenance_release:${job_id}`, tenant_id, run_at, payload: more }])
}

export const run: PageRun = { page }
