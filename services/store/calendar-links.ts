/**
 * Links to calendar feeds of a schedule, or of the shifts of a person. Only the SHA-256 of the
 * secret is stored. A row is deleted when it is revoked or its member leaves.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { Tx } from './pool.ts'

export interface CalendarLinkRow {
  link_id: string
  schedule_id: string | null
  /** Epoch ms. */
  created_at: number
}

/** Lists the links of a person, newest first. */
export async function listCalendarLinks(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  { page, per_page }: Page
): Promise<{ items: CalendarLinkRow[]; total: number }> {
  const { rows } = await tx.query<CalendarLinkRow>(
    `SELECT link_id, schedule_id, created_at FROM calendar_links WHERE tenant_id = $1 AND user_id = $2
      ORDER BY created_at DESC, link_id DESC LIMIT $3 OFFSET $4`,
    [tenant_id, user_id, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: await countCalendarLinks(tx, tenant_id, user_id) }
}

export async function countCalendarLinks(tx: Tx, tenant_id: string, user_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM calendar_links WHERE tenant_id = $1 AND user_id = $2', [
    tenant_id,
    user_id
  ])
  return rows[0]?.count ?? 0
}

export async function insertCalendarLink(
  tx: Tx,
  tenant_id: string,
  link: { link_id: string; user_id: string; schedule_id: string | null; sha256: Buffer }
): Promise<CalendarLinkRow> {
  const { rows } = await tx.query<CalendarLinkRow>(
    `INSERT INTO calendar_links (tenant_id, link_id, user_id, schedule_id, secret_sha256) VALUES ($1, $2, $3, $4, $5)
     RETURNING link_id, schedule_id, created_at`,
    [tenant_id, link.link_id, link.user_id, link.schedule_id, link.sha256]
  )
  if (!rows[0]) throw new Error('INSERT INTO calendar_links returned no row')
  return rows[0]
}

/** Deletes a link. Returns false when the person has no such link. */
export async function deleteCalendarLink(tx: Tx, tenant_id: string, user_id: string, link_id: string): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM calendar_links WHERE tenant_id = $1 AND user_id = $2 AND link_id = $3', [
    tenant_id,
    user_id,
    link_id
  ])
  return rowCount === 1
}
