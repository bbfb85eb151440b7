/**
 * Reads a page of a list in two steps: the ids of its rows by the filter, then the rows by their
 * ids. The first step is planned for the values of the filter. Row-level security makes planning
 * the second one take longer than running it, so its plan is kept (docs/decisions/0096).
 *
 * In a `listTransaction` both steps see the same rows.
 */
import type { QueryResultRow } from 'pg'
import { goOnByKey, type Tx } from './pool.ts'

export interface Wanted {
  tenant_id: string
  /** The table with its alias. */
  table: string
  /** Joins the state of the fold as `p`. Used only if the filter or the order needs `p.state`. */
  fold?: string
  /** Conditions with the parameters `values`; $1 is the workspace. */
  where: string
  values: readonly unknown[]
  /** The expression of a row's id. */
  id: string
  order: string
  /** Selects the rows of the workspace $1 whose ids are in $2. */
  rows: string
  /** Counts from 1. A page past the end is empty. */
  page: number
  per_page: number
}

/** Returns the rows of the page, in order, and the total of all pages. */
export async function pageById<Row extends QueryResultRow>(
  tx: Tx,
  { tenant_id, table, fold = '', where, values, id, order, rows, page, per_page }: Wanted,
  idOf: (row: Row) => string
): Promise<{ rows: Row[]; total: number }> {
  const needsFold = /\bp\.state\b/.test(`${where} ${order}`)
  const from = `FROM ${table} ${needsFold ? fold : ''} WHERE ${where}`
  const [counted, found] = await Promise.all([
    tx.query<{ total: number }>(`SELECT count(*) AS total ${from}`, [...values]),
    tx.query<{ id: string }>(`SELECT ${id} AS id ${from} ORDER BY ${order} LIMIT $${values.length + 1} OFFSET $${values.length + 2}`, [
      ...values,
      per_page,
      (page - 1) * per_page
    ])
  ])
  const ids = found.rows.map((row) => row.id)
  const total = counted.rows[0]?.total ?? 0
  if (ids.length === 0) return { rows: [], total }
  const [, read] = await Promise.all([goOnByKey(tx), tx.query<Row>(rows, [tenant_id, ids])])
  const byId = new Map(read.rows.map((row) => [idOf(row), row]))
  return { rows: ids.flatMap((one) => byId.get(one) ?? []), total }
}
