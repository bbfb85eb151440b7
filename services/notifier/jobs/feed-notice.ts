/** Writes a feed notice that a request has caused. Source: docs/design/api/webhooks.md#s19. */
import type { FeedNotice } from '../../../streams/define.ts'
import { writeEffects } from '../../store/effects.ts'
import type { RunJob } from '../job.ts'

export const run: RunJob = async (tx, { tenant_id, kind, payload: { notice } }, { codec }) => {
  if (typeof notice !== 'object' || notice === null) throw new TypeError(`job ${kind}: payload.notice is no notice`)
  // `feedJob` wrote this notice. It goes to the workspace of the job.
  await writeEffects(tx, { feed: [{ ...(notice as FeedNotice), tenant_id }] }, codec)
}
