/**
 * Swaps: who asks somebody else to take their shifts, and who took them. A row is kept as long as
 * its workspace exists.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { Tx } from './pool.ts'

/** Times are epoch ms. */
export interface Swap {
  tenant_id: string
  swap_id: string
  schedule_id: string
  user_id: string
  starts_at: number
  ends_at: number
  note: string
  taken_by: string | null
  taken_at: number | null
  withdrawn_at: number | null
  ver: number
  created_at: number
  updated_at: number
}

const COLUMNS =
  'tenant_id, swap_id, schedule_id, user_id, starts_at, ends_at, note, taken_by, taken_at, withdrawn_at, ver, created_at, updated_at'
/** At $2. */
const STATE = `CASE WHEN taken_at IS NOT NULL THEN 'taken' WHEN withdrawn_at IS NOT NULL THEN 'withdrawn' WHEN ends_at <= $2 THEN 'expired' ELSE 'open' END`
const THERE =
  'EXISTS (SELECT FROM schedules s WHERE s.tenant_id = $1 AND s.schedule_id = on_call_swaps.schedule_id AND s.deleted_at IS NULL)'

/** The state as STATE computes it, at an instant (epoch ms). */
export const swapStateAt = ({ taken_at, withdrawn_at, ends_at }: Swap, at: number): 'open' | 'taken' | 'withdrawn' | 'expired' =>
  taken_at !== null ? 'taken' : withdrawn_at !== null ? 'withdrawn' : ends_at <= at ? 'expired' : 'open'

/** Lists swaps, the latest begin first; `at` in epoch ms. */
export async function listSwaps(
  tx: Tx,
  tenant_id: string,
  { schedule_id, state, at }: { schedule_id?: string | undefined; state?: string | undefined; at: number },
  { page, per_page }: Page
): Promise<{ items: Swap[]; total: number }> {
  const values = [tenant_id, new Date(at), schedule_id ?? null, state ?? null]
  const where = `tenant_id = $1 AND ($3::uuid IS NULL OR schedule_id = $3) AND ($4::text IS NULL OR ${STATE} = $4) AND ${THERE}`
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM on_call_swaps WHERE ${where}`, values)
  const { rows } = await tx.query<Swap>(
    `SELECT ${COLUMNS} FROM on_call_swaps WHERE ${where} ORDER BY starts_at DESC, swap_id DESC LIMIT $5 OFFSET $6`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** Locks and returns a swap of a schedule that is not deleted, or null. */
export async function lockSwap(tx: Tx, tenant_id: string, swap_id: string): Promise<Swap | null> {
  const { rows } = await tx.query<Swap>(
    `SELECT ${COLUMNS} FROM on_call_swaps WHERE tenant_id = $1 AND swap_id = $2 AND ${THERE} FOR UPDATE`,
    [tenant_id, swap_id]
  )
  return rows[0] ?? null
}

/** Counts the swaps of a person that nobody took yet; `at` in epoch ms. */
export async function countOpenSwaps(tx: Tx, tenant_id: string, user_id: string, at: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*) FROM on_call_swaps
      WHERE tenant_id = $1 AND user_id = $2 AND taken_at IS NULL AND withdrawn_at IS NULL AND ends_at > $3`,
    [tenant_id, user_id, new Date(at)]
  )
  return rows[0]?.count ?? 0
}

export async function insertSwap(
  tx: Tx,
  tenant_id: string,
  {
    swap_id,
    schedule_id,
    user_id,
    starts_at,
    ends_at,
    note
  }: Pick<Swap, 'swap_id' | 'schedule_id' | 'user_id' | 'starts_at' | 'ends_at' | 'note'>
): Promise<Swap> {
  const { rows } = await tx.query<Swap>(
    `INSERT INTO on_call_swaps (tenant_id, swap_id, schedule_id, user_id, starts_at, ends_at, note)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${COLUMNS}`,
    [tenant_id, swap_id, schedule_id, user_id, new Date(starts_at), new Date(ends_at), note]
  )
  if (!rows[0]) throw new Error('INSERT INTO on_call_swaps returned no row')
  return rows[0]
}

/** `at` in epoch ms. */
export async function takeSwap(tx: Tx, tenant_id: string, swap_id: string, taken_by: string, at: number): Promise<void> {
  await tx.query(
    'UPDATE on_call_swaps SET taken_by = $3, taken_at = $4, ver = ver + 1, updated_at = now() WHERE tenant_id = $1 AND swap_id = $2',
    [tenant_id, swap_id, taken_by, new Date(at)]
  )
}

export async function withdrawSwap(tx: Tx, tenant_id: string, swap_id: string): Promise<void> {
  await tx.query(
    `UPDATE on_call_swaps SET withdrawn_at = now(), ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND swap_id = $2 AND taken_at IS NULL AND withdrawn_at IS NULL`,
    [tenant_id, swap_id]
  )
}

/** Withdraws the swaps of a person that nobody took yet. */
export async function withdrawSwapsOf(tx: Tx, tenant_id: string, user_id: string): Promise<void> {
  await tx.query(
    `UPDATE on_call_swaps SET withdrawn_at = now(), ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND user_id = $2 AND taken_at IS NULL AND withdrawn_at IS NULL`,
    [tenant_id, user_id]
  )
}
