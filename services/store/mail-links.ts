/**
 * Reads what a link in a mail is about, and makes the change to a channel that the link asks for.
 * Rows are found by ids that the link names and its MAC proves, or by the hash of its token.
 * Source: docs/design/api/notifications.md#no-28.
 */
import type { TeamLists } from '../../schemas/http/visibility.ts'
import type { Tx } from './pool.ts'

export interface Confirmation {
  tenant_id: string
  channel_id: string
  recipient: string
  /** Name of the workspace. */
  workspace: string
}

/** Returns an open confirmation, of any workspace; null when no valid one exists. */
export async function findConfirmation(tx: Tx, sha256: Buffer): Promise<Confirmation | null> {
  const { rows } = await tx.query<Confirmation>('SELECT tenant_id, channel_id, recipient, workspace FROM find_confirmation($1)', [sha256])
  return rows[0] ?? null
}

export interface MailChannel {
  channel_id: string
  recipient: string
  /** The channel is off, and its address is not confirmed. */
  stopped: boolean
  workspace: string
}

/** Returns an e-mail channel that is not deleted, or null. */
export async function readMailChannel(tx: Tx, tenant_id: string, channel_id: string): Promise<MailChannel | null> {
  const { rows } = await tx.query<MailChannel>(
    `SELECT c.channel_id, c.config ->> 'recipient' AS recipient, NOT c.enabled AND c.verified_at IS NULL AS stopped, t.name AS workspace
       FROM notification_channels c JOIN tenants t USING (tenant_id)
      WHERE c.tenant_id = $1 AND c.channel_id = $2 AND c.kind = 'email' AND c.deleted_at IS NULL`,
    [tenant_id, channel_id]
  )
  return rows[0] ?? null
}

const STOPPED = 'The recipient has stopped these mails by the link in one of them'

/**
 * Turns the channel off because its recipient wants no more mails; its address is no longer
 * confirmed. Returns false when it was so already.
 */
export async function stopMails(tx: Tx, tenant_id: string, channel_id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE notification_channels SET enabled = false, verified_at = NULL, last_error = $3, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND channel_id = $2 AND kind = 'email' AND deleted_at IS NULL AND (enabled OR verified_at IS NOT NULL)`,
    [tenant_id, channel_id, STOPPED]
  )
  return (rowCount ?? 0) > 0
}

export interface Actor extends TeamLists {
  user_id: string
  name: string
  role: string
  plan: string
  /** Name of the workspace. */
  workspace: string
}

/**
 * Returns the person when they may act by their link now: a member whose account is not disabled.
 */
export async function readActor(tx: Tx, tenant_id: string, user_id: string): Promise<Actor | null> {
  const { rows } = await tx.query<Actor>(
    `SELECT u.user_id, u.name, m.role, t.plan, t.name AS workspace, l.own_teams, l.hidden_teams
       FROM members m JOIN users u USING (user_id) JOIN tenants t USING (tenant_id) CROSS JOIN LATERAL team_lists(m.tenant_id, m.user_id) l
      WHERE m.tenant_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL`,
    [tenant_id, user_id]
  )
  return rows[0] ?? null
}
