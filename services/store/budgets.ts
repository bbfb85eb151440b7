/**
 * The inbound budget of a workspace: the ceiling that an operator raised, and the usage that the
 * budget fold last stored (partition_state). Times are epoch ms.
 *
 * Source: docs/design/specification.md#s8-4, docs/design/architecture.md#s6-doors-and-budget.
 */
import type { Codec } from '../../schemas/codec.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { BudgetRow } from '../../streams/budget/state.ts'
import type { Outgoing } from '../../streams/define.ts'
import { type Actor, actorText, insertAudit } from './audit.ts'
import { insertConfigVersion } from './config-versions.ts'
import { insertOutgoing } from './outbox.ts'
import type { Tx } from './pool.ts'

export interface Ceiling {
  tenant_id: string
  /** Alerts a minute at each door instance; null: not raised. */
  ceiling: number | null
  ver: number
  updated_at: number
}

/** The control record. */
export function budgetConfig({ tenant_id, ceiling, ver, updated_at }: Ceiling, src: string): Extract<Outgoing, { record: 'BudgetConfig' }> {
  const event_id = uuidv5(tenant_id, `budget ${ver}`)
  return {
    tenant_id,
    aggregate: `budget-config:${tenant_id}`,
    ver,
    topic: 'ingest.usage.v1',
    key: tenant_id,
    event_id,
    event_type: 'budget_config',
    src,
    body: 'record',
    record: 'BudgetConfig',
    value: { event_id, tenant_id, version: ver, at: updated_at, ceiling: ceiling ?? 0, deleted: false }
  }
}

/**
 * Raises the ceiling, or resets it with null. Writes row, audit entry, version and control record
 * in this transaction. Needs service_system.
 */
export async function changeCeiling(tx: Tx, codec: Codec, tenant_id: string, ceiling: number | null, actor: Actor): Promise<Ceiling> {
  const before = await readCeiling(tx, tenant_id)
  const { rows } = await tx.query<Ceiling>(
    `INSERT INTO budgets AS b (tenant_id, ceiling) VALUES ($1, $2)
     ON CONFLICT (tenant_id) DO UPDATE SET ceiling = excluded.ceiling, ver = b.ver + 1, updated_at = now()
     RETURNING tenant_id, ceiling, ver, updated_at`,
    [tenant_id, ceiling]
  )
  const [changed] = rows
  if (!changed) throw new Error('INSERT INTO budgets returned no row')
  await insertAudit(tx, tenant_id, actor, {
    action: 'budget.changed',
    object_type: 'budget',
    object_id: tenant_id,
    diff: { ceiling: [before, ceiling] }
  })
  const version = { kind: 'budget', id: tenant_id, version: changed.ver, body: { ceiling }, actor: actorText(actor) }
  await insertConfigVersion(tx, tenant_id, version)
  await insertOutgoing(tx, [budgetConfig(changed, actorText(actor))], codec)
  return changed
}

/** Returns the raised ceiling, or null if it was not raised. */
export async function readCeiling(tx: Tx, tenant_id: string): Promise<number | null> {
  const { rows } = await tx.query<{ ceiling: number | null }>('SELECT ceiling FROM budgets WHERE tenant_id = $1', [tenant_id])
  return rows[0]?.ceiling ?? null
}

/** Returns what the fold last stored for the workspace, or null. */
export async function readBudget(tx: Tx, tenant_id: string): Promise<BudgetRow | null> {
  const { rows } = await tx.query<{ state: BudgetRow }>(
    "SELECT state FROM partition_state WHERE processor = 'budget' AND key = $1::text AND tenant_id = $1::uuid",
    [tenant_id]
  )
  return rows[0]?.state ?? null
}

/**
 * Reads the budgets that the relay sends to tenant.budgets.v1, by workspace. For service_system.
 */
export async function currentBudgets(tx: Tx, tenant_ids: readonly string[]): Promise<Map<string, BudgetRow>> {
  const { rows } = await tx.query<{ key: string; state: BudgetRow }>({
    name: 'budgets-current',
    text: "SELECT key, state FROM partition_state WHERE processor = 'budget' AND key = ANY ($1::text[])",
    values: [tenant_ids]
  })
  return new Map(rows.map(({ key, state }) => [key, state]))
}
