/**
 * A maintenance window has settled, or was changed while it held incidents. Looks at what it
 * covered, one page per transaction, and then at the alerts that it kept. After a change it looks
 * at these once more.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import type { Scope } from '../../../streams/maintenance/windows.ts'
import { changeJobs } from '../../store/jobs.ts'
import { hurryKept, releaseWindow } from '../../store/maintenance-turns.ts'
import { endOf, type PageRun, payloadText, type RunJob } from '../job.ts'

/**
 * A transaction that had read the window before it changed may still keep an alert, or put one off,
 * until the window's former end. It is over by then: each of its statements may take 15 s.
 */
const LOOK_AGAIN_MS = 30_000

const page: RunJob = async (tx, job, { codec }) => {
  const { tenant_id, job_id, payload, run_at } = job
  const { scope, after, look_again } = payload
  const window_id = payloadText(job, 'window_id')
  if (payload.only_kept === true) {
    await hurryKept(tx, tenant_id, window_id)
    return undefined
  }
  if (typeof scope !== 'object' || scope === null) throw new TypeError(`job ${job.kind}: payload.scope is no object`)
  // The scope was checked when the window was stored.
  const asked = { window_id, scope: scope as Scope, after: typeof after === 'string' ? after : null }
  const cause = await endOf(tx, job)
  const next = await releaseWindow(tx, codec, tenant_id, asked, cause)
  if (next.after === null) {
    await hurryKept(tx, tenant_id, window_id)
    return look_again === true ? { at: cause.at + LOOK_AGAIN_MS, payload: { window_id, only_kept: true } } : undefined
  }
  const more = { ...payload, after: next.after }
  await changeJobs(tx, [{ start: job.kind, idem_key: `maintenance_release:${job_id}`, tenant_id, run_at, payload: more }])
  return undefined
}

export const run: PageRun = { page }
