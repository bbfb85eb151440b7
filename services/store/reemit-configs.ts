/**
 * Emits control records again every day: every monitor and heartbeat that is not deleted, and every
 * ceiling of a budget, in its present version. A fold that starts from the log of the last days
 * then knows them all. A fold ignores a version that it already has. Works across workspaces: needs
 * service_system.
 * Source: docs/design/architecture.md#s5 and #s6.
 */
import type { Codec } from '../../schemas/codec.ts'
import { planOf } from '../../schemas/plans.ts'
import type { Outgoing } from '../../streams/define.ts'
import { budgetConfig, type Ceiling } from './budgets.ts'
import { type Heartbeat, heartbeatConfig } from './heartbeats.ts'
import { monitorConfig } from './monitor-config.ts'
import type { StoredMonitor } from './monitors.ts'
import { insertOutgoing } from './outbox.ts'
import { type Pool, transaction } from './pool.ts'

const SRC = 'system:reemit'
const NOTHING = '00000000-0000-0000-0000-000000000000'
const BATCH = 500

interface Kind<Row> {
  table: 'monitors' | 'heartbeats'
  id: 'monitor_id' | 'heartbeat_id'
  idOf(row: Row): string
  outgoing(row: Row, retention_days: number): Outgoing
}

const monitors: Kind<StoredMonitor> = {
  table: 'monitors',
  id: 'monitor_id',
  idOf: (row) => row.monitor_id,
  outgoing: (row, retention_days) => monitorConfig(row, retention_days, SRC)
}

const heartbeats: Kind<Heartbeat> = {
  table: 'heartbeats',
  id: 'heartbeat_id',
  idOf: (row) => row.heartbeat_id,
  outgoing: (row, retention_days) => heartbeatConfig(row, retention_days, SRC)
}

export interface ReemitOptions {
  /** Most rows of one transaction. Default 500. */
  batch?: number
  /** Stops after the present batch. A new run starts from the first row. */
  signal?: AbortSignal
}

async function reemit<Row extends object>(
  pool: Pool,
  codec: Codec,
  kind: Kind<Row>,
  { batch = BATCH, signal }: ReemitOptions
): Promise<number> {
  const { table, id } = kind
  let count = 0
  let after: string | null = NOTHING
  while (after !== null && !signal?.aborted) {
    const from: string = after
    const rows: Row[] = await transaction(pool, async (tx) => {
      // Locked against writers: a version must not come onto the log after its successor.
      const { rows } = await tx.query<Row & { plan: string }>(
        `SELECT x.*, t.plan FROM ${table} x JOIN tenants t ON t.tenant_id = x.tenant_id
          WHERE x.deleted_at IS NULL AND x.${id} > $1 ORDER BY x.${id} LIMIT $2 FOR SHARE OF x`,
        [from, batch]
      )
      const outgoing = rows.map((row) => kind.outgoing(row, planOf(row.plan).limits.check_retention_days ?? 0))
      await insertOutgoing(tx, outgoing, codec)
      return rows
    })
    count += rows.length
    const last = rows.at(-1)
    after = last && rows.length === batch ? kind.idOf(last) : null
  }
  return count
}

/** Emits the ceilings that were raised, or set back. There are few. */
async function reemitBudgets(pool: Pool, codec: Codec): Promise<number> {
  return transaction(pool, async (tx) => {
    // Locked against writers: a version must not come onto the log after its successor.
    const { rows } = await tx.query<Ceiling>('SELECT tenant_id, ceiling, ver, updated_at FROM budgets ORDER BY tenant_id FOR SHARE')
    await insertOutgoing(
      tx,
      rows.map((row) => budgetConfig(row, SRC)),
      codec
    )
    return rows.length
  })
}

/**
 * Puts the present version of every monitor, heartbeat and raised ceiling into the outbox. Returns
 * how many of each.
 */
export async function reemitConfigs(
  pool: Pool,
  codec: Codec,
  options: ReemitOptions = {}
): Promise<{ monitors: number; heartbeats: number; budgets: number }> {
  return {
    monitors: await reemit(pool, codec, monitors, options),
    heartbeats: await reemit(pool, codec, heartbeats, options),
    budgets: await reemitBudgets(pool, codec)
  }
}
