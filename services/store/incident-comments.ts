/**
 * Comments of people on an incident. A comment is a change of its incident, which the incident's
 * rules decide. Its text is stored only here, where it can be deleted, and not on the log or with
 * the event. Times are epoch ms.
 *
 * Source: docs/design/api/incidents.md#s5, #in-14 and #in-15.
 */
import type { Tx } from './pool.ts'

export interface Comment {
  tenant_id: string
  incident_id: string
  comment_id: string
  /**
   * Version of the incident that the comment made. The comments of an incident are ordered by it.
   */
  ver: number
  /** Markdown. */
  body: string
  /** kind:id. */
  author: string
  /** The person, or the owner of the token. */
  author_id: string
  created_at: number
}

/**
 * A comment with the name of its author. The name is null once that person has left the workspace.
 */
export interface NamedComment extends Comment {
  author_name: string | null
}

const SELECT = `
  SELECT c.tenant_id, c.incident_id, c.comment_id, c.ver, c.body, c.author, c.author_id, c.created_at,
         (SELECT u.name FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = c.tenant_id AND m.user_id = c.author_id) AS author_name
    FROM incident_comments c`

export async function insertComment(tx: Tx, comment: Comment): Promise<void> {
  const { tenant_id, incident_id, comment_id, ver, body, author, author_id, created_at } = comment
  await tx.query(
    `INSERT INTO incident_comments (tenant_id, incident_id, comment_id, ver, body, author, author_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [tenant_id, incident_id, comment_id, ver, body, author, author_id, new Date(created_at)]
  )
}

/** Reads a comment of the incident, or null. */
export async function readComment(tx: Tx, tenant_id: string, incident_id: string, comment_id: string): Promise<NamedComment | null> {
  const { rows } = await tx.query<NamedComment>(`${SELECT} WHERE c.tenant_id = $1 AND c.incident_id = $2 AND c.comment_id = $3`, [
    tenant_id,
    incident_id,
    comment_id
  ])
  return rows[0] ?? null
}

/**
 * Returns comments by ascending `ver`, after `after` (0: from the start), with the number of
 * comments before them and in all. `next` is the `after` of the next page, null at the end.
 */
export async function listComments(
  tx: Tx,
  tenant_id: string,
  incident_id: string,
  { after, limit }: { after: number; limit: number }
): Promise<{ items: NamedComment[]; before: number; total: number; next: number | null }> {
  const { rows } = await tx.query<NamedComment>(
    `${SELECT} WHERE c.tenant_id = $1 AND c.incident_id = $2 AND c.ver > $3 ORDER BY c.ver LIMIT $4`,
    [tenant_id, incident_id, after, limit + 1]
  )
  const counted = await tx.query<{ before: number; total: number }>(
    'SELECT count(*) FILTER (WHERE ver <= $3) AS before, count(*) AS total FROM incident_comments WHERE tenant_id = $1 AND incident_id = $2',
    [tenant_id, incident_id, after]
  )
  const items = rows.slice(0, limit)
  const { before, total } = counted.rows[0] ?? { before: 0, total: 0 }
  return { items, before, total, next: rows.length > limit ? (items.at(-1)?.ver ?? null) : null }
}

export async function deleteComment(tx: Tx, tenant_id: string, comment_id: string): Promise<void> {
  await tx.query('DELETE FROM incident_comments WHERE tenant_id = $1 AND comment_id = $2', [tenant_id, comment_id])
}
