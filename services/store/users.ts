/** People, as seen by a workspace that they belong to: row-level security hides all others. */
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import type { Tx } from './pool.ts'

export interface Member {
  user_id: string
  email: string
  name: string
  /** Null: the time zone of the browser and, in mails, that of the workspace. */
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

/** Returns the role of a member whose account is not disabled; otherwise null. */
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

/** Updates the profile of a member. The account is the same in all workspaces of the person. */
export async function updateProfile(tx: Tx, tenant_id: string, user_id: string, { name, time_zone, locale }: Profile): Promise<void> {
  await tx.query(
    `UPDATE users u SET name = $3, time_zone = $4, locale = $5, updated_at = now()
       FROM members m WHERE m.tenant_id = $1 AND m.user_id = $2 AND u.user_id = m.user_id`,
    [tenant_id, user_id, name, time_zone, locale]
  )
}

/**
 * Returns the PHC string; null when the person is not a member of the workspace. Nobody can change
 * the password or the membership until the transaction ends.
 */
export async function lockPasswordHash(tx: Tx, tenant_id: string, user_id: string): Promise<string | null> {
  const { rows } = await tx.query<{ password_hash: string }>(
    'SELECT u.password_hash FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND m.user_id = $2 FOR SHARE',
    [tenant_id, user_id]
  )
  return rows[0]?.password_hash ?? null
}

/**
 * Changes the password, and ends every session of the person in every workspace except `kept`.
 * Returns false when the password is no longer `from`, because another change came first.
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

/** Returns the names of members, by id. */
export async function readNames(tx: Tx, tenant_id: string, user_ids: readonly string[]): Promise<Map<string, string>> {
  if (user_ids.length === 0) return new Map()
  const { rows } = await tx.query<{ user_id: string; name: string }>(
    'SELECT u.user_id, u.name FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND m.user_id = ANY ($2::uuid[])',
    [tenant_id, user_ids]
  )
  return new Map(rows.map(({ user_id, name }) => [user_id, name]))
}

const RESET_EVERY_MINUTES = 5

/**
 * Notes that a link for a new password is sent to a member. Returns false when one was sent within
 * the last five minutes, or the person is not a member any more.
 */
export async function noteReset(tx: Tx, tenant_id: string, user_id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE users u SET reset_asked_at = now()
       FROM members m WHERE m.tenant_id = $1 AND m.user_id = $2 AND u.user_id = m.user_id
        AND coalesce(u.reset_asked_at < now() - make_interval(mins => $3), true)`,
    [tenant_id, user_id, RESET_EVERY_MINUTES]
  )
  return rowCount === 1
}
