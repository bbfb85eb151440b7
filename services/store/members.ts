/**
 * Members of a workspace and their roles. Whoever changes them holds the workspace's lock
 * (store/tenants.ts), so that counts stay true until the change has committed.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import { scopesOfRole } from '../../schemas/http/rights.ts'
import { roles } from '../../schemas/http/roles.ts'
import type { Tx } from './pool.ts'

export interface ListedMember {
  user_id: string
  email: string
  name: string
  role: MemberRole
  /** Epoch ms. */
  joined_at: number
  /** From a session that has not ended; null when there is none. */
  last_seen_at: number | null
}

const SELECT = `
  SELECT u.user_id, u.email, u.name, m.role, m.created_at AS joined_at,
         (SELECT max(s.last_seen_at) FROM sessions s WHERE s.tenant_id = m.tenant_id AND s.user_id = m.user_id) AS last_seen_at
    FROM members m JOIN users u USING (user_id)
   WHERE m.tenant_id = $1`

/** Ordered by when they joined. */
export async function listMembers(tx: Tx, tenant_id: string, { page, per_page }: Page): Promise<{ items: ListedMember[]; total: number }> {
  const { rows } = await tx.query<ListedMember>(`${SELECT} ORDER BY m.created_at, m.user_id LIMIT $2 OFFSET $3`, [
    tenant_id,
    per_page,
    (page - 1) * per_page
  ])
  return { items: rows, total: await countMembers(tx, tenant_id) }
}

/** Returns one member as listMembers has it, or null. */
export async function readListedMember(tx: Tx, tenant_id: string, user_id: string): Promise<ListedMember | null> {
  const { rows } = await tx.query<ListedMember>(`${SELECT} AND m.user_id = $2`, [tenant_id, user_id])
  return rows[0] ?? null
}

export async function countMembers(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM members WHERE tenant_id = $1', [tenant_id])
  return rows[0]?.count ?? 0
}

/** Counts the owners other than this person. A disabled account does not count. */
export async function countOtherOwners(tx: Tx, tenant_id: string, user_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*) FROM members m JOIN users u USING (user_id)
      WHERE m.tenant_id = $1 AND m.user_id <> $2 AND m.role = 'owner' AND u.disabled_at IS NULL`,
    [tenant_id, user_id]
  )
  return rows[0]?.count ?? 0
}

const actingRoles = roles.filter((role) => scopesOfRole[role].includes('incidents:act'))

/**
 * Returns the people whom a calendar event may put on call: members who may acknowledge. E-mail
 * addresses in lower case.
 */
export async function listCalendarMembers(tx: Tx, tenant_id: string): Promise<{ user_id: string; name: string; email: string }[]> {
  const { rows } = await tx.query<{ user_id: string; name: string; email: string }>(
    `SELECT u.user_id, u.name, lower(u.email) AS email FROM members m JOIN users u USING (user_id)
      WHERE m.tenant_id = $1 AND m.role = ANY ($2) ORDER BY u.user_id`,
    [tenant_id, actingRoles]
  )
  return rows
}

export async function isMemberAddress(tx: Tx, tenant_id: string, email: string): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND lower(u.email) = lower($2)) AS found',
    [tenant_id, email]
  )
  return rows[0]?.found ?? false
}

/**
 * Returns false when the person is a member already. A person who comes back starts anew: nothing
 * of an earlier membership gives access.
 */
export async function insertMember(tx: Tx, tenant_id: string, user_id: string, role: MemberRole): Promise<boolean> {
  const { rowCount } = await tx.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    tenant_id,
    user_id,
    role
  ])
  if (rowCount === 0) return false
  await endCredentials(tx, tenant_id, user_id)
  return true
}

/** Changes the role. Caches of credentials drop the entries of the person. */
export async function updateRole(tx: Tx, tenant_id: string, user_id: string, role: MemberRole): Promise<void> {
  await tx.query('UPDATE members SET role = $3 WHERE tenant_id = $1 AND user_id = $2', [tenant_id, user_id, role])
}

/** A token after it was ended. */
export interface EndedToken {
  token_id: string
  ver: number
}

/** Removes the person from the workspace, with sessions and tokens. Returns the tokens. */
export async function deleteMember(tx: Tx, tenant_id: string, user_id: string): Promise<EndedToken[]> {
  // The membership goes first: a log-in that is running holds its row until the new session is
  // stored and can be ended.
  await tx.query('DELETE FROM members WHERE tenant_id = $1 AND user_id = $2', [tenant_id, user_id])
  return endCredentials(tx, tenant_id, user_id)
}

async function endCredentials(tx: Tx, tenant_id: string, user_id: string): Promise<EndedToken[]> {
  await tx.query('DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2', [tenant_id, user_id])
  const { rows } = await tx.query<EndedToken>(
    `UPDATE api_tokens SET revoked_at = now(), ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING token_id, ver`,
    [tenant_id, user_id]
  )
  return rows
}

/** Returns those of the people who belong to the workspace, with their roles and names. */
export async function membersAmong(
  tx: Tx,
  tenant_id: string,
  user_ids: readonly string[]
): Promise<Map<string, { role: MemberRole; name: string }>> {
  const { rows } = await tx.query<{ user_id: string; role: MemberRole; name: string }>(
    'SELECT user_id, m.role, u.name FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND user_id = ANY ($2::uuid[])',
    [tenant_id, user_ids]
  )
  return new Map(rows.map(({ user_id, role, name }) => [user_id, { role, name }]))
}
