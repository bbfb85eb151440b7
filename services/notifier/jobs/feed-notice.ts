/** Tells a notice that a request has caused. Source: docs/design/api/webhooks.md#s19. */
import type { FeedNotice } from '../../../streams/define.ts'
import { writeEffects } from '../../store/effects.ts'
import type { RunJob } from '../job.ts'

export const run: RunJob = async (tx, { tenant_id, kind, payload: { notice } }, { codec }) => {
  if (typeof notice !== 'object' || notice === null) throw new TypeError(`job ${kind}: payload.notice is no notice`)
  // As feedJob wrote it; the job's workspace is the one that is told.
  await writeEffects(tx, { feed: [{ ...(notice as FeedNotice), tenant_id }] }, codec)
}
