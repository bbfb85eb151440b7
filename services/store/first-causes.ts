/**
 * Reads why incidents and alerts opened: the cause of their first version. Every query takes the
 * workspace first.
 *
 * Source: docs/design/api/data.md#s17-2.
 */
import type { Cause } from '../../schemas/generated/events.ts'
import type { Tx } from './pool.ts'

export interface FirstCause {
  /** Epoch ms. */
  at: number
  cause: Cause
  config_versions: Record<string, number>
}

const tables = { incident: 'incident_events', alert: 'alert_events' } as const

/** Returns null if it does not exist for the caller, or has no version of its own. */
export async function readFirstCause(tx: Tx, tenant_id: string, kind: keyof typeof tables, id: string): Promise<FirstCause | null> {
  const { rows } = await tx.query<FirstCause>(
    `SELECT at, cause, config_versions FROM ${tables[kind]} WHERE tenant_id = $1 AND ${kind}_id = $2 AND ver = 1`,
    [tenant_id, id]
  )
  return rows[0] ?? null
}
