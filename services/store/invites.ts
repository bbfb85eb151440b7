/**
 * Open invites of a workspace. A row is deleted when it is accepted or withdrawn. Only the SHA-256
 * of the token is stored. Whoever makes, takes or withdraws an invite because of a member holds the
 * workspace's lock (store/tenants.ts).
 */
import type { Page } from '../../schemas/http/common.ts'
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { forget } from './forget.ts'
import { countMembers } from './members.ts'
import type { Pool, Tx } from './pool.ts'

export interface Invite {
  invite_id: string
  tenant_id: string
  email: string
  role: MemberRole
  /** Teams to join on accepting, as far as they still exist. */
  team_ids: string[]
  invited_by: string
  /** Epoch ms. */
  expires_at: number
  created_at: number
}

const VALID_DAYS = 7
/** How long unaccepted invites are shown as expired. */
const KEPT_DAYS = 30

const COLUMNS = 'invite_id, tenant_id, email, role, team_ids, invited_by, expires_at, created_at'

/** Lists invites, newest first, including expired ones. */
export async function listInvites(tx: Tx, tenant_id: string, { page, per_page }: Page): Promise<{ items: Invite[]; total: number }> {
  const { rows } = await tx.query<Invite>(
    `SELECT ${COLUMNS} FROM invites WHERE tenant_id = $1 ORDER BY created_at DESC, invite_id DESC LIMIT $2 OFFSET $3`,
    [tenant_id, per_page, (page - 1) * per_page]
  )
  const { rows: all } = await tx.query<{ count: number }>('SELECT count(*) FROM invites WHERE tenant_id = $1', [tenant_id])
  return { items: rows, total: all[0]?.count ?? 0 }
}

/** Counts members, and the invites that may still become members. The plan limits this number. */
export async function countSeats(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM invites WHERE tenant_id = $1 AND expires_at > now()', [
    tenant_id
  ])
  return (await countMembers(tx, tenant_id)) + (rows[0]?.count ?? 0)
}

/**
 * Makes an invite. It replaces an expired one for the same address. Returns null when there is an
 * open one.
 */
export async function insertInvite(
  tx: Tx,
  tenant_id: string,
  invite: { email: string; role: MemberRole; team_ids: readonly string[]; invited_by: string; sha256: Buffer }
): Promise<Invite | null> {
  await tx.query('DELETE FROM invites WHERE tenant_id = $1 AND lower(email) = lower($2) AND expires_at <= now()', [tenant_id, invite.email])
  const { rows } = await tx.query<Invite>(
    `INSERT INTO invites (tenant_id, invite_id, email, role, team_ids, invited_by, token_sha256, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => $8)) ON CONFLICT (tenant_id, lower(email)) DO NOTHING RETURNING ${COLUMNS}`,
    [tenant_id, uuidv7(), invite.email, invite.role, invite.team_ids, invite.invited_by, invite.sha256, VALID_DAYS]
  )
  return rows[0] ?? null
}

/** Deletes an invite and returns it; null when there was none. */
export async function deleteInvite(tx: Tx, tenant_id: string, invite_id: string): Promise<Invite | null> {
  const { rows } = await tx.query<Invite>(`DELETE FROM invites WHERE tenant_id = $1 AND invite_id = $2 RETURNING ${COLUMNS}`, [
    tenant_id,
    invite_id
  ])
  return rows[0] ?? null
}

/**
 * Uses up an invite. If two try at once, only one gets it. Returns null when it is gone or has
 * expired.
 */
export async function takeInvite(tx: Tx, tenant_id: string, invite_id: string): Promise<Invite | null> {
  const { rows } = await tx.query<Invite>(
    `DELETE FROM invites WHERE tenant_id = $1 AND invite_id = $2 AND expires_at > now() RETURNING ${COLUMNS}`,
    [tenant_id, invite_id]
  )
  return rows[0] ?? null
}

/** Withdraws the invites that a person made for any of `roles`. Returns the deleted invites. */
export async function withdrawInvitesOf(tx: Tx, tenant_id: string, user_id: string, roles: readonly MemberRole[]): Promise<Invite[]> {
  const { rows } = await tx.query<Invite>(
    `DELETE FROM invites WHERE tenant_id = $1 AND invited_by = $2 AND role = ANY ($3) RETURNING ${COLUMNS}`,
    [tenant_id, user_id, roles]
  )
  return rows
}

/**
 * Creates the account of an invited person, as `user_id`. Returns false when the address has an
 * account by now, or the invite is gone.
 */
export async function createInvitedUser(
  tx: Tx,
  invite_id: string,
  user: { user_id: string; name: string; password_hash: string }
): Promise<boolean> {
  const { rows } = await tx.query<{ made: boolean }>('SELECT create_invited_user($1, $2, $3, $4) AS made', [
    invite_id,
    user.user_id,
    user.name,
    user.password_hash
  ])
  return rows[0]?.made ?? false
}

/** Deletes old invites in all workspaces. Needs service_system. Returns how many. */
export const forgetInvites = (pool: Pool): Promise<number> =>
  forget(pool, 'invites', 'x.expires_at < now() - make_interval(days => $1)', [KEPT_DAYS])
