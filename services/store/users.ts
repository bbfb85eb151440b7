/** People, as a workspace that they belong to sees them. */
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import type { Tx } from './pool.ts'

export interface Member {
  user_id: string
  email: string
  name: string
  time_zone: string
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

export async function countMembers(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM members WHERE tenant_id = $1', [tenant_id])
  return rows[0]?.count ?? 0
}
