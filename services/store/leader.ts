/**
 * Elects one leader among the instances of a role, by an advisory lock of its session. Also reads
 * the server's clock, for the leader that keeps time.
 */
import type { Tx } from './pool.ts'

/**
 * Keys of the advisory locks that elect a single leader. The relay's shards have their own
 * (relay-shards.ts).
 */
const LEADERS = { clock: 7302, redrive: 7303 } as const

/** True when this session becomes the leader; it stays so until it ends. */
export async function tryLead(tx: Tx, role: keyof typeof LEADERS): Promise<boolean> {
  const { rows } = await tx.query<{ leads: boolean }>('SELECT pg_try_advisory_lock($1, 0) AS leads', [LEADERS[role]])
  return rows[0]?.leads ?? false
}

/** Releases the lock that `tryLead` took in this session. */
export async function stopLeading(tx: Tx, role: keyof typeof LEADERS): Promise<void> {
  await tx.query('SELECT pg_advisory_unlock($1, 0)', [LEADERS[role]])
}

/** Epoch ms by the server's clock. */
export async function serverTime(tx: Pick<Tx, 'query'>): Promise<number> {
  const { rows } = await tx.query<{ at: number }>('SELECT clock_timestamp() AS at')
  return rows[0]?.at ?? Number.NaN
}
