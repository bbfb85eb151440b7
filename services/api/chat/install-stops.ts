/**
 * Handles the removal of an app at a chat service. Its channels stop sending in every workspace
 * that has one there, and people who can repair it are told in their feed. Handling the same
 * removal again changes nothing.
 * Source: docs/design/outbound-channels.md#s3-1.
 */
import type { ChannelKind } from '../../../schemas/http/notification-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import type { FeedNotice } from '../../../streams/define.ts'
import { channels } from '../../channels/kinds/index.ts'
import { installOwners, type Stopped, stopInstalled } from '../../store/chat-installs.ts'
import { feedJob } from '../../store/feed-jobs.ts'
import { changeJobs } from '../../store/jobs.ts'
import { type Pool, tenantTransaction } from '../../store/pool.ts'

const noticeOf = (tenant_id: string, { channel_id, name, team_id, visibility }: Stopped, vendor: string, at: number): FeedNotice => ({
  tenant_id,
  key: `channel_off:${channel_id}:${at}`,
  type: 'announcement',
  severity: 'critical',
  title: `${name} is turned off`,
  body: `The app was taken away at ${vendor}, so nothing more is sent to this channel. Add the app there again, and it goes on.`,
  at,
  audience: 'editors',
  about: { team_id, visibility }
})

/** Returns how many channels were on until now. Installs made after `at` (epoch ms) stay. */
export async function stopInstalls(pool: Pool, taken: { kind: ChannelKind; account: string; at: number }): Promise<number> {
  const { kind, account, at } = taken
  const vendor = channels[kind]?.name ?? kind
  const secrets = (channels[kind]?.fields ?? []).filter(({ secret, read_only }) => secret && read_only).map(({ name }) => name)
  const reason = `The app was taken away at ${vendor}. Add it there again.`
  let count = 0
  for (const tenant_id of await installOwners(pool, kind, account))
    await tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
      const stopped = await stopInstalled(tx, tenant_id, { kind, account, at, reason, secrets })
      count += stopped.length
      const told = Math.min(at, Date.now())
      await changeJobs(
        tx,
        stopped.map((one) => feedJob(noticeOf(tenant_id, one, vendor, told)))
      )
    })
  return count
}
