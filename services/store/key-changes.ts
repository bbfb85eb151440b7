/**
 * Since when alert keys are built in another way. The migration of each such change writes its row.
 */
import type { Pool } from './pool.ts'

export interface KeyChange {
  name: string
  /** Epoch ms by Postgres's clock: when the change took effect, and the present time. */
  since: number
  read_at: number
}

export async function readKeyChanges(pool: Pool): Promise<KeyChange[]> {
  const { rows } = await pool.query<KeyChange>('SELECT name, since, now() AS read_at FROM key_changes ORDER BY name')
  return rows
}
