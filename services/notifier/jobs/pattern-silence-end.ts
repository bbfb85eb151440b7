/**
 * Handles the end of a silence by pattern: looks at what it held, one page per transaction.
 * Source: docs/design/api/alerts-and-routing.md#s6-4.
 */
import type { Condition } from '../../../schemas/http/routing-words.ts'
import { changeJobs } from '../../store/jobs.ts'
import { endSilence } from '../../store/silence-ends.ts'
import { endOf, type PageRun, type RunJob } from '../job.ts'

const page: RunJob = async (tx, job, { codec }) => {
  const { tenant_id, job_id, payload, run_at } = job
  const { matchers, after } = payload
  if (!Array.isArray(matchers)) throw new TypeError(`job ${job.kind}: payload.matchers is no list`)
  // The matchers were checked when the silence was stored. One that cannot be read matches nothing.
  const asked = { matchers: matchers as Condition[], after: typeof after === 'string' ? after : null }
  const next = await endSilence(tx, codec, tenant_id, asked, await endOf(tx, job))
  if (next.after === null) return
  const more = { ...payload, after: next.after }
  await changeJobs(tx, [{ start: job.kind, idem_key: `pattern_silence_end:${job_id}`, tenant_id, run_at, payload: more }])
}

export const run: PageRun = { page }
