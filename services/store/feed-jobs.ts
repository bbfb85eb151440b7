/**
 * A notice that is told by a job: whoever acts in the name of a person writes no items of others.
 * Source: docs/design/api/webhooks.md#s19.
 */
import type { FeedNotice, JobChange } from '../../streams/define.ts'

/** One under way for each notice; what was told before is told to nobody again (feed.ts). */
export const feedJob = (notice: FeedNotice): JobChange => ({
  start: 'feed_notice',
  idem_key: `feed_notice:${notice.tenant_id}:${notice.key}`,
  tenant_id: notice.tenant_id,
  run_at: notice.at,
  payload: { notice }
})
