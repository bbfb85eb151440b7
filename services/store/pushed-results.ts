/**
 * Remembers the names of the states that were pushed in the last day, so that the same one pushed
 * again changes nothing.
 */
import type { Tx } from './pool.ts'

/** Stores the name. Returns false when it was there already. */
export async function notePushed(tx: Tx, tenant_id: string, monitor_id: string, dedup_id: string): Promise<boolean> {
  await tx.query("DELETE FROM pushed_results WHERE tenant_id = $1 AND at < now() - interval '1 day'", [tenant_id])
  const { rowCount } = await tx.query(
    'INSERT INTO pushed_results (tenant_id, monitor_id, dedup_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [tenant_id, monitor_id, dedup_id]
  )
  return rowCount === 1
}
