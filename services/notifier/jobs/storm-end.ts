/**
 * Handles the end of a workspace's storm: releases what it held, one page per transaction.
 * Source: docs/design/api/alerts-and-routing.md#storms.
 */
import { actorText } from '../../store/audit.ts'
import { changeJobs } from '../../store/jobs.ts'
import { endStorm } from '../../store/storms.ts'
import { endOf, type PageRun, payloadInstant, type RunJob } from '../job.ts'

const page: RunJob = async (tx, job, { codec, actor }) => {
  const { tenant_id, job_id } = job
  const until = payloadInstant(job, 'until')
  const { more } = await endStorm(tx, codec, tenant_id, until, { ...(await endOf(tx, job)), by: actorText(actor) })
  if (!more) return
  const idem_key = `storm_end:${tenant_id}:${until}:${job_id}`
  await changeJobs(tx, [{ start: 'storm_end', idem_key, tenant_id, run_at: job.run_at, payload: { until } }])
}

export const run: PageRun = { page }
