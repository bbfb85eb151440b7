/**
 * Deletes rows that have reached their age, piece by piece of the table. Each piece reads a few MB
 * and is a transaction of its own, so neither many old rows nor a large table reaches the time
 * limit of a statement, no index of the age is needed, and what a piece has deleted stays deleted.
 * For service_system.
 */
import type { Pool } from './pool.ts'

/** Blocks of one piece: 16 MB. */
const PIECE_BLOCKS = 2048

/**
 * Runs a statement on each piece of a table. `textOf` returns the statement from the SQL condition
 * of a row `x` to be in the piece; the statement takes `values` first. Returns how many rows it
 * changed in all. Rows that are written meanwhile may be left for the next time.
 */
export async function inPieces(
  pool: Pool,
  table: string,
  textOf: (isInPiece: string) => string,
  values: readonly unknown[] = [],
  blocks: number = PIECE_BLOCKS
): Promise<number> {
  const sized = await pool.query<{ blocks: number }>(
    "SELECT (pg_relation_size($1::regclass) / current_setting('block_size')::bigint)::int AS blocks",
    [table]
  )
  const all = sized.rows[0]?.blocks ?? 0
  const text = textOf(`x.ctid >= $${values.length + 1}::tid AND x.ctid < $${values.length + 2}::tid`)
  let changed = 0
  for (let first = 0; first < all; first += blocks) {
    const { rowCount } = await pool.query(text, [...values, `(${first},0)`, `(${first + blocks},0)`])
    changed += rowCount ?? 0
  }
  return changed
}

/**
 * Deletes the rows of a table that meet an SQL condition, in which the row is `x`. Returns how many
 * rows it deleted.
 */
export const forget = (pool: Pool, table: string, condition: string, values: readonly unknown[] = [], blocks?: number): Promise<number> =>
  inPieces(pool, table, (isInPiece) => `DELETE FROM ${table} x WHERE ${isInPiece} AND (${condition})`, values, blocks)
