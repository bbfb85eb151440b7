/**
 * Installs of apps at chat services: installs that somebody has begun, and the channels that they
 * made. One workspace at a vendor may belong to several workspaces here.
 *
 * Source: docs/design/api/notifications.md#no-9.
 */
import type { ChannelKind } from '../../schemas/http/notification-words.ts'
import type { JobChange } from '../../streams/define.ts'
import { CHANNEL_COLUMNS, type StoredChannel } from './channels.ts'
import type { Tx } from './pool.ts'

/** How long the return from the vendor is accepted. */
const STATE_MINUTES = 10
/** Open installs of one person. Beyond that, the oldest one ends. */
const MAX_STATES = 10

export interface InstallState {
  sha256: Buffer
  user_id: string
  session_sha256: string
  kind: ChannelKind
}

export async function insertInstallState(
  tx: Tx,
  tenant_id: string,
  { sha256, user_id, session_sha256, kind }: InstallState
): Promise<void> {
  await tx.query(
    `DELETE FROM chat_install_states WHERE tenant_id = $1 AND (expires_at < now() OR (user_id = $2 AND state_sha256 NOT IN (
       SELECT state_sha256 FROM chat_install_states WHERE tenant_id = $1 AND user_id = $2 ORDER BY created_at DESC LIMIT $3)))`,
    [tenant_id, user_id, MAX_STATES - 1]
  )
  await tx.query(
    `INSERT INTO chat_install_states (tenant_id, state_sha256, user_id, session_sha256, kind, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + make_interval(mins => $6))`,
    [tenant_id, sha256, user_id, session_sha256, kind, STATE_MINUTES]
  )
}

/** Uses up an install state. Returns false when this session has no valid one. */
export async function takeInstallState(
  tx: Tx,
  tenant_id: string,
  { sha256, user_id, session_sha256, kind }: InstallState
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM chat_install_states
      WHERE tenant_id = $1 AND state_sha256 = $2 AND user_id = $3 AND session_sha256 = $4 AND kind = $5 AND expires_at > now()`,
    [tenant_id, sha256, user_id, session_sha256, kind]
  )
  return rowCount === 1
}

const ACCOUNT = "coalesce(config ->> 'team_id', config ->> 'guild_id')"
const INSTALLED = `tenant_id = $1 AND kind = $2 AND ${ACCOUNT} = $3 AND config ->> 'mode' = 'oauth' AND deleted_at IS NULL`

/**
 * Locks and returns the channels of a workspace that were made by an install in this vendor
 * account, oldest first.
 */
export async function lockInstalled(tx: Tx, tenant_id: string, kind: ChannelKind, account: string): Promise<StoredChannel[]> {
  const { rows } = await tx.query<StoredChannel>(
    `SELECT ${CHANNEL_COLUMNS} FROM notification_channels WHERE ${INSTALLED} ORDER BY channel_id FOR UPDATE`,
    [tenant_id, kind, account]
  )
  return rows
}

/**
 * Renews a channel after another install: it gets new credentials, and its failures and disabled
 * state are cleared.
 */
export async function renewInstalled(
  tx: Tx,
  tenant_id: string,
  channel_id: string,
  config: Record<string, unknown>
): Promise<StoredChannel | null> {
  const { rows } = await tx.query<StoredChannel>(
    `UPDATE notification_channels
        SET config = $3, health_state = 'ok', disabled_reason = NULL, consecutive_failures = 0, consecutive_refusals = 0, dead_letters = 0, dead_since = NULL,
            ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND channel_id = $2 AND deleted_at IS NULL RETURNING ${CHANNEL_COLUMNS}`,
    [tenant_id, channel_id, JSON.stringify(config)]
  )
  return rows[0] ?? null
}

/** Returns the workspaces of this service that have such channels. */
export async function installOwners(tx: Tx, kind: ChannelKind, account: string): Promise<string[]> {
  const { rows } = await tx.query<{ tenant_id: string }>('SELECT tenant_id FROM chat_install_owners($1, $2)', [kind, account])
  return rows.map(({ tenant_id }) => tenant_id)
}

/**
 * Makes the job that removes the app at the vendor if this was its last channel. Credentials stay
 * sealed.
 */
export const uninstallJob = ({ tenant_id, channel_id, kind, ver, config }: StoredChannel): JobChange => ({
  start: 'chat_uninstall',
  idem_key: `chat_uninstall:${channel_id}:${ver}`,
  tenant_id,
  run_at: Date.now(),
  payload: { channel_id, kind, config }
})

export interface Stopped {
  channel_id: string
  name: string
  team_id: string | null
  visibility: 'org' | 'private'
}

/**
 * Stops channels after the vendor reports that the app was removed at `at` (epoch ms). Channels of
 * installs before that send nothing more and lose their credentials. Returns the channels that were
 * on.
 */
export async function stopInstalled(
  tx: Tx,
  tenant_id: string,
  { kind, account, at, reason, secrets }: { kind: ChannelKind; account: string; at: number; reason: string; secrets: readonly string[] }
): Promise<Stopped[]> {
  const { rows } = await tx.query<Stopped & { was: string }>(
    `WITH before AS (
       SELECT channel_id, health_state FROM notification_channels
        WHERE ${INSTALLED} AND (config ->> 'installed_at')::timestamptz <= $4 ORDER BY channel_id FOR UPDATE)
     UPDATE notification_channels c SET health_state = 'disabled', disabled_reason = $5, config = c.config - $6::text[], ver = ver + 1, updated_at = now()
       FROM before b WHERE c.tenant_id = $1 AND c.channel_id = b.channel_id
     RETURNING c.channel_id, c.name, c.team_id, c.visibility, b.health_state AS was`,
    [tenant_id, kind, account, new Date(at), reason, secrets]
  )
  return rows.filter(({ was }) => was !== 'disabled').map(({ was: _was, ...one }) => one)
}
