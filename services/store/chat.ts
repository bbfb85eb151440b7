/**
 * Senders in chat apps, the members they are linked to, and the links that link them.
 *
 * Source: docs/design/api/notifications.md#ch-11.
 */
import type { ChatVendor } from '../../schemas/http/chat.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { seeingAll, type Tx } from './pool.ts'

/** Somebody at a vendor. */
export interface Sender {
  vendor: ChatVendor
  /** The vendor's workspace, server or bot. */
  account: string
  /** The permanent id of the sender. */
  sender: string
}

export interface NamedSender extends Sender {
  name: string
}

export interface Identity extends NamedSender {
  identity_id: string
  /** Epoch ms. */
  linked_at: number
}

export interface Linked {
  tenant_id: string
  user_id: string
}

/**
 * Returns the member a sender is linked to. Null: not linked, or the member's account is disabled.
 */
export async function identityOf(tx: Tx, { vendor, account, sender }: Sender): Promise<Linked | null> {
  const { rows } = await tx.query<Linked>('SELECT tenant_id, user_id FROM chat_identity_of($1, $2, $3)', [vendor, account, sender])
  return rows[0] ?? null
}

/** Makes the one open link of a sender. */
export async function offerLink(tx: Tx, { vendor, account, sender, name }: NamedSender, sha256: Buffer, seconds: number): Promise<void> {
  await tx.query('SELECT offer_chat_link($1, $2, $3, $4, $5, $6)', [vendor, account, sender, name, sha256, seconds])
}

/** Returns the sender of an open link, or null when no valid link matches. */
export async function findLink(tx: Tx, sha256: Buffer): Promise<(NamedSender & { expires_at: number }) | null> {
  const { rows } = await tx.query<NamedSender & { expires_at: number }>(
    'SELECT vendor, account, sender, name, expires_at FROM find_chat_link($1)',
    [sha256]
  )
  return rows[0] ?? null
}

/** Reads a link as findLink does, and uses it up. A rollback undoes this. */
export async function takeLink(tx: Tx, sha256: Buffer): Promise<NamedSender | null> {
  const { rows } = await tx.query<NamedSender>('SELECT vendor, account, sender, name FROM take_chat_link($1)', [sha256])
  return rows[0] ?? null
}

/** Links a sender to a member. Returns null if the sender is already linked, in any workspace. */
export async function insertIdentity(tx: Tx, tenant_id: string, user_id: string, who: NamedSender): Promise<Identity | null> {
  const { vendor, account, sender, name } = who
  const { rows } = await tx.query<Identity>(
    `INSERT INTO chat_identities (tenant_id, identity_id, user_id, vendor, account, sender, name) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT DO NOTHING RETURNING identity_id, vendor, account, sender, name, linked_at`,
    [tenant_id, uuidv7(), user_id, vendor, account, sender, name]
  )
  return rows[0] ?? null
}

/** Lists the identities of a member, in the order of linking. */
export async function listIdentities(tx: Tx, tenant_id: string, user_id: string): Promise<Identity[]> {
  const { rows } = await tx.query<Identity>(
    `SELECT identity_id, vendor, account, sender, name, linked_at FROM chat_identities
      WHERE tenant_id = $1 AND user_id = $2 ORDER BY linked_at, identity_id`,
    [tenant_id, user_id]
  )
  return rows
}

/**
 * Adds a contact method with the identity's id for a member who is linked to the operator's bot, so
 * that the bot notifies them too. It comes after the existing methods. A member with `most` methods
 * gets none.
 */
export async function addMethodOf(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  { identity_id, sender }: Identity,
  most: number
): Promise<void> {
  await tx.query(
    `INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at, position)
     SELECT $1, $3, $2, 'telegram', $4, now(), coalesce(max(position) + 1, 0) FROM contact_methods WHERE tenant_id = $1 AND user_id = $2
     HAVING count(*) < $5 ON CONFLICT DO NOTHING`,
    [tenant_id, user_id, identity_id, sender, most]
  )
}

/**
 * Deletes an identity and the contact method that writes to the member there. Returns null if there
 * is none with this id. `user_id`: only if it is of this member; null: of any member. `own_bot`:
 * the id of the operator's bot, the only one that writes to people in private; empty: none.
 */
export async function deleteIdentity(
  tx: Tx,
  tenant_id: string,
  user_id: string | null,
  identity_id: string,
  own_bot: string
): Promise<(NamedSender & { user_id: string }) | null> {
  const { rows } = await tx.query<NamedSender & { user_id: string }>(
    `DELETE FROM chat_identities WHERE tenant_id = $1 AND ($2::uuid IS NULL OR user_id = $2) AND identity_id = $3
     RETURNING user_id, vendor, account, sender, name`,
    [tenant_id, user_id, identity_id]
  )
  const [gone] = rows
  if (!gone) return null
  const { vendor, account, sender } = gone
  if (vendor === 'slack')
    await tx.query("DELETE FROM contact_methods WHERE tenant_id = $1 AND user_id = $2 AND kind = 'slack_dm' AND address = $3", [
      tenant_id,
      gone.user_id,
      `${account}:${sender}`
    ])
  // A method that was left behind by an earlier link has that link's id.
  if (vendor === 'telegram')
    await tx.query(
      "DELETE FROM contact_methods WHERE tenant_id = $1 AND user_id = $2 AND kind = 'telegram' AND (method_id = $3 OR ($4::boolean AND address = $5))",
      [tenant_id, gone.user_id, identity_id, account === own_bot, sender]
    )
  return gone
}

/**
 * Returns a member's senders, as `account:sender`, in the Slack workspaces where this workspace has
 * installed the app.
 */
export async function slackSenders(tx: Tx, tenant_id: string, user_id: string): Promise<ReadonlySet<string>> {
  const { rows } = await seeingAll(tx, (tx) =>
    tx.query<{ address: string }>(
      `SELECT c.account || ':' || c.sender AS address FROM chat_identities c
        WHERE c.tenant_id = $1 AND c.user_id = $2 AND c.vendor = 'slack' AND EXISTS (
          SELECT FROM notification_channels n WHERE n.tenant_id = c.tenant_id AND n.kind = 'slack' AND n.config ->> 'mode' = 'oauth'
             AND coalesce(n.config ->> 'team_id', n.config ->> 'guild_id') = c.account AND n.deleted_at IS NULL)`,
      [tenant_id, user_id]
    )
  )
  return new Set(rows.map(({ address }) => address))
}
