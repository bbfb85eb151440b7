/** Views of lists that people save. Instants are epoch ms. Queries take the workspace first. */
import type { Page } from '../../schemas/http/common.ts'
import type { Tx } from './pool.ts'

export interface StoredView {
  tenant_id: string
  view_id: string
  page: 'incidents'
  name: string
  search: Record<string, string>
  ver: number
  created_at: number
  updated_at: number
}

const COLUMNS = 'tenant_id, view_id, page, name, search, ver, created_at, updated_at'

/** Lists the views of a person, sorted by name. */
export async function listViews(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  { page, per_page }: Page
): Promise<{ items: StoredView[]; total: number }> {
  const { rows } = await tx.query<StoredView>(
    `SELECT ${COLUMNS} FROM saved_views WHERE tenant_id = $1 AND user_id = $2 ORDER BY lower(name), view_id LIMIT $3 OFFSET $4`,
    [tenant_id, user_id, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: await countViews(tx, tenant_id, user_id) }
}

export async function countViews(tx: Tx, tenant_id: string, user_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM saved_views WHERE tenant_id = $1 AND user_id = $2', [
    tenant_id,
    user_id
  ])
  return rows[0]?.count ?? 0
}

export type GivenView = Pick<StoredView, 'view_id' | 'page' | 'name' | 'search'>

/**
 * Saves a view. It replaces the person's view of the same page and name, whatever the letter case.
 */
export async function saveView(tx: Tx, tenant_id: string, user_id: string, given: GivenView): Promise<StoredView> {
  const { view_id, page, name, search } = given
  const { rows } = await tx.query<StoredView>(
    `INSERT INTO saved_views (tenant_id, view_id, user_id, page, name, search) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (tenant_id, user_id, page, lower(name))
     DO UPDATE SET name = excluded.name, search = excluded.search, ver = saved_views.ver + 1, updated_at = now()
     RETURNING ${COLUMNS}`,
    [tenant_id, view_id, user_id, page, name, JSON.stringify(search)]
  )
  if (!rows[0]) throw new Error('INSERT INTO saved_views returned no row')
  return rows[0]
}

/** Returns false when the person has no such view. */
export async function deleteView(tx: Tx, tenant_id: string, user_id: string, view_id: string): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM saved_views WHERE tenant_id = $1 AND user_id = $2 AND view_id = $3', [
    tenant_id,
    user_id,
    view_id
  ])
  return rowCount === 1
}
