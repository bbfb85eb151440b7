/**
 * Deletes rows that have reached their age, in pieces. Each piece is a transaction of its own, so a
 * long delete does not reach the time limit of a statement, and what it has deleted stays deleted.
 * For service_system.
 */
import type { Pool } from './pool.ts'

/** Rows of one piece. */
const MAX_PIECE_ROWS = 10_000

/**
 * Runs a statement until it changes fewer than `most` rows. The statement takes `values`, and then
 * the most rows that it may change. Returns how many rows it changed in all.
 */
export async function inPieces(pool: Pool, text: string, values: readonly unknown[], most: number = MAX_PIECE_ROWS): Promise<number> {
  for (let changed = 0; ; ) {
    const { rowCount } = await pool.query(text, [...values, most])
    changed += rowCount ?? 0
    if ((rowCount ?? 0) < most) return changed
  }
}

/**
 * Deletes the rows of a table that meet an SQL condition, in which the row is `x`. Returns how many
 * rows it deleted.
 */
export const forget = (pool: Pool, table: string, condition: string, values: readonly unknown[] = [], most?: number): Promise<number> =>
  inPieces(
    pool,
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM ${table} x WHERE ${condition} LIMIT $${values.length + 1}))`,
    values,
    most
  )
