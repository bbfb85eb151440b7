/**
 * Lists which member of a workspace acts from which chat account, for people who manage its
 * members.
 * Source: docs/design/api/notifications.md#ch-15.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { Identity } from './chat.ts'
import type { Tx } from './pool.ts'

export interface LinkedSender extends Identity {
  member: { user_id: string; name: string; email: string }
}

/** Ordered by member, then by when they were linked. `user_id` null lists everybody. */
export async function listLinkedSenders(
  tx: Tx,
  tenant_id: string,
  user_id: string | null,
  { page, per_page }: Page
): Promise<{ items: LinkedSender[]; total: number }> {
  const where = 'c.tenant_id = $1 AND ($2::uuid IS NULL OR c.user_id = $2)'
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM chat_identities c WHERE ${where}`, [tenant_id, user_id])
  const { rows } = await tx.query<LinkedSender>(
    `SELECT c.identity_id, c.vendor, c.account, c.sender, c.name, c.linked_at,
            jsonb_build_object('user_id', u.user_id, 'name', u.name, 'email', u.email) AS member
       FROM chat_identities c JOIN users u USING (user_id)
      WHERE ${where} ORDER BY lower(u.name), c.user_id, c.linked_at, c.identity_id LIMIT $3 OFFSET $4`,
    [tenant_id, user_id, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}
