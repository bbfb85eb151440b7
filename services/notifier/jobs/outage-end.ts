/**
 * A mass outage is over, by itself or because a person ended it. Looks at what it held, one page
 * per transaction.
 * Source: docs/design/api/decision-rules.md#s23-7.
 */
import { actorText } from '../../store/audit.ts'
import { endOutage } from '../../store/outages.ts'
import { endOf, type PageRun, payloadText, type RunJob } from '../job.ts'

const page: RunJob = async (tx, job, { codec, actor }) => {
  const cause = { ...(await endOf(tx, job)), by: actorText(actor) }
  const more = await endOutage(tx, codec, job.tenant_id, payloadText(job, 'incident_id'), cause)
  return more ? { at: cause.at, payload: job.payload } : undefined
}

export const run: PageRun = { page }
