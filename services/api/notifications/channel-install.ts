/**
 * Creates or renews channels after an install at a chat service: a channel for the chosen room, or
 * new credentials for its existing channel, and for all others of the same workspace of the vendor.
 * Source: docs/design/api/notifications.md#no-10, docs/design/outbound-channels.md#s4-6.
 */
import type { ChannelKind } from '../../../schemas/http/notification-words.ts'
import { type Plan, planIds, plans } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { mapSecrets } from '../../channels/config.ts'
import type { ChatApp, Installed, InstallMarks } from '../../channels/install.ts'
import { actorText } from '../../store/audit.ts'
import { countChannels, insertChannel, readChannel, type StoredChannel } from '../../store/channels.ts'
import { lockInstalled, renewInstalled } from '../../store/chat-installs.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import type { Caller } from '../http/caller.ts'
import { checkLimit } from '../workspace/limits.ts'
import { channelOf, record, sealingOf } from './channel-change.ts'

/** Whether a plan includes the app of a kind: `<kind>:webhook` is only the webhook. */
export const planHasApp = (plan: Plan, kind: ChannelKind): boolean => plan.channels.includes(kind)

/** Returns the lowest plan above `plan` that includes it; null: none does. */
export const planWithApp = (plan: Plan, kind: ChannelKind): string | null =>
  planIds.slice(planIds.indexOf(plan.id) + 1).find((id) => planHasApp(plans[id], kind)) ?? null

interface Made {
  app: ChatApp
  installed: Installed
  secretsKey: string
  /** Epoch ms. */
  now: number
}

/** Returns the settings as they are stored, sealed for this channel. */
function sealed({ app, secretsKey }: Made, tenant_id: string, channel_id: string, config: Record<string, unknown>) {
  const sealing = sealingOf(secretsKey, tenant_id, channel_id)
  return mapSecrets(channelOf(app.kind), config, (value, field) => sealing.seal(value, field))
}

const marksOf = ({ installed, now }: Made, { user_id }: Caller): InstallMarks => ({
  mode: 'oauth',
  installer_external_id: installed.installer,
  installer_user_id: user_id,
  installed_at: new Date(now).toISOString()
})

/**
 * Gives the new credentials to all channels of the vendor's workspace, even those that the caller
 * does not see.
 */
async function renewAll(tx: Tx, caller: Caller, made: Made, room: StoredChannel | null): Promise<void> {
  const { app, installed } = made
  const { tenant_id } = caller
  const account = installed.config[app.place.account] ?? ''
  const shared = Object.fromEntries(Object.entries(installed.config).filter(([name]) => app.shared.includes(name)))
  await seeingAll(tx, async (tx) => {
    for (const before of await lockInstalled(tx, tenant_id, app.kind, account)) {
      const { channel_id, config } = before
      const isRoom = channel_id === room?.channel_id
      const fresh = isRoom
        ? { ...installed.config, ...marksOf(made, caller) }
        : { ...shared, installed_at: marksOf(made, caller).installed_at }
      const after = await renewInstalled(tx, tenant_id, channel_id, { ...config, ...sealed(made, tenant_id, channel_id, fresh) })
      if (after) await record(tx, caller, 'channel.installed', before, after)
    }
  })
}

async function makeChannel(tx: Tx, caller: Caller, made: Made): Promise<string> {
  const { app, installed } = made
  const { tenant_id, actor } = caller
  await checkLimit(tx, tenant_id, 'channels', countChannels)
  const channel_id = uuidv7()
  const after = await insertChannel(
    tx,
    tenant_id,
    { channel_id, kind: app.kind, created_by: actorText(actor), verified: false },
    {
      name: installed.name,
      enabled: true,
      team_id: null,
      is_default: true,
      config: sealed(made, tenant_id, channel_id, { ...installed.config, ...marksOf(made, caller) }),
      events: [...app.events],
      min_severity: 'info',
      allowed_team_ids: [],
      template_overrides: {}
    }
  )
  await record(tx, caller, 'channel.installed', null, after)
  return channel_id
}

/**
 * Returns the id of the install's channel. Throws TIER_LIMIT_EXCEEDED if there would be too many.
 */
export async function saveInstall(tx: Tx, caller: Caller, made: Made): Promise<string> {
  const { app, installed } = made
  const { tenant_id } = caller
  const { account, room } = app.place
  await lockWorkspace(tx, tenant_id) // A second concurrent install finds the channel of the first.
  const here = await lockInstalled(tx, tenant_id, app.kind, installed.config[account] ?? '')
  // A channel of a team that the caller does not see is not revealed, and is not theirs to change.
  const known = here.find(({ config }) => config[room] === installed.config[room])
  const seen = known ? await readChannel(tx, tenant_id, known.channel_id) : null
  await renewAll(tx, caller, made, seen)
  return seen?.channel_id ?? makeChannel(tx, caller, made)
}
