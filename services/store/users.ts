/** People, as a workspace that they belong to sees them: row-level security hides all others. */
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import type { Tx } from './pool.ts'

export interface Member {
  user_id: string
  email: string
  name: string
  /** null: that of the browser and, for mails, of the workspace. */
  time_zone: string | null
  locale: string
  role: MemberRole
  /** Epoch ms. */
  created_at: number
  updated_at: number
}

/** A member of the workspace, or null. */
export async function readMember(tx: Tx, tenant_id: string, user_id: string): Promise<Member | null> {
  const { rows } = await tx.query<Member>(
    `SELECT u.user_id, u.email, u.name, u.time_zone, u.locale, m.role, u.created_at, u.updated_at
       FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND m.user_id = $2`,
    [tenant_id, user_id]
  )
  return rows[0] ?? null
}

/** Role of a member whose account is not disabled; null: there is none. */
export async function readRole(tx: Tx, tenant_id: string, user_id: string): Promise<MemberRole | null> {
  const { rows } = await tx.query<{ role: MemberRole }>(
    'SELECT m.role FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL',
    [tenant_id, user_id]
  )
  return rows[0]?.role ?? null
}

export interface Profile {
  name: string
  time_zone: string | null
  locale: string
}

/** Of a member of the workspace; the account is the same in all their workspaces. */
export async function updateProfile(tx: Tx, tenant_id: string, user_id: string, { name, time_zone, locale }: Profile): Promise<void> {
  await tx.query(
    `UPDATE users u SET name = $3, time_zone = $4, locale = $5, updated_at = now()
       FROM members m WHERE m.tenant_id = $1 AND m.user_id = $2 AND u.user_id = m.user_id`,
    [tenant_id, user_id, name, time_zone, locale]
  )
}

/**
 * PHC string; null when the person is no member of the workspace. The password and the membership
 * stay as they are until the transaction ends.
 */
export async function lockPasswordHash(tx: Tx, tenant_id: string, user_id: string): Promise<string | null> {
  const { rows } = await tx.query<{ password_hash: string }>(
    'SELECT u.password_hash FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND m.user_id = $2 FOR SHARE',
    [tenant_id, user_id]
  )
  return rows[0]?.password_hash ?? null
}

/**
 * Ends every session of the person in every workspace, but for `kept`. False when the password is
 * no longer `from`: another change was first.
 */
export async function updatePassword(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  { from, to, kept }: { from: string; to: string; kept: Buffer }
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE users u SET password_hash = $4, updated_at = now()
       FROM members m WHERE m.tenant_id = $1 AND m.user_id = $2 AND u.user_id = m.user_id AND u.password_hash = $3`,
    [tenant_id, user_id, from, to]
  )
  if (rowCount !== 1) return false
  await tx.query('SELECT end_other_sessions($1, $2)', [user_id, kept])
  return true
}

/** Names of members, by id. */
export async function readNames(tx: Tx, tenant_id: string, user_ids: readonly string[]): Promise<Map<string, string>> {
  if (user_ids.length === 0) return new Map()
  const { rows } = await tx.query<{ user_id: string; name: string }>(
    'SELECT u.user_id, u.name FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND m.user_id = ANY ($2::uuid[])',
    [tenant_id, user_ids]
  )
  return new Map(rows.map(({ user_id, name }) => [user_id, name]))
}
