/**
 * Numbers the alerts that a workspace sends by the api. The row of the workspace stays locked until
 * the commit, so a higher number commits later and stands later in the outbox.
 */
import type { Tx } from './pool.ts'

export interface Receipt {
  receipt: number
  /** Epoch ms by the clock of Postgres. */
  at: number
}

export async function takeReceipt(tx: Tx, tenant_id: string): Promise<Receipt> {
  const { rows } = await tx.query<Receipt>(
    `INSERT INTO alert_receipts AS r (tenant_id) VALUES ($1)
     ON CONFLICT (tenant_id) DO UPDATE SET last_receipt = r.last_receipt + 1
     RETURNING last_receipt AS receipt, clock_timestamp() AS at`,
    [tenant_id]
  )
  const [taken] = rows
  if (!taken) throw new Error('INSERT INTO alert_receipts returned no row')
  return taken
}
