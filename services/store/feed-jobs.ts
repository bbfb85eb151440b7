/**
 * Makes a job that delivers a notice. A session that acts for one person must not write feed items
 * of others.
 *
 * Source: docs/design/api/webhooks.md#s19.
 */
import { uuidv5 } from '../../schemas/uuid.ts'
import type { FeedNotice, JobChange } from '../../streams/define.ts'

/**
 * At most one job is under way for each notice. A notice that was delivered before is not delivered
 * again (feed.ts).
 */
export const feedJob = (notice: FeedNotice): JobChange => ({
  start: 'feed_notice',
  idem_key: `feed_notice:${notice.tenant_id}:${notice.key}`,
  tenant_id: notice.tenant_id,
  run_at: notice.at,
  at_once: true,
  payload: { notice }
})

/** The id by which the feed knows whether a notice was delivered. */
export const noticeIdOf = ({ tenant_id, key }: Pick<FeedNotice, 'tenant_id' | 'key'>): string => uuidv5(tenant_id, key)
