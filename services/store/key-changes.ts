/** Since when keys of alerts are made in another way: written by the migration of each change. */
import type { Pool } from './pool.ts'

export interface KeyChange {
  name: string
  /** Epoch ms by Postgres's clock: when the change came, and now. */
  since: number
  read_at: number
}

export async function readKeyChanges(pool: Pool): Promise<KeyChange[]> {
  const { rows } = await pool.query<KeyChange>('SELECT name, since, now() AS read_at FROM key_changes ORDER BY name')
  return rows
}
