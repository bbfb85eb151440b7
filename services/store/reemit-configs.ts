/**
 * Emits control records again every day: every monitor and heartbeat that is not deleted, and every
 * ceiling of a budget, in its present version. A fold that starts from the log of the last days
 * then knows them all. A fold ignores a version that it already has.
 *
 * Also emits the deletion of each monitor and heartbeat that a fold still has and Postgres does
 * not. A deletion that a fold never read, because the log was lost or the record was skipped, would
 * leave a heartbeat that is judged for ever and that nobody can pause. So would a restore of
 * Postgres beside a kept log, for what was created after the backup.
 *
 * Works across workspaces: needs service_system.
 * Source: docs/design/architecture.md#s5 and #s6.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { HeartbeatConfig, MonitorConfig } from '../../schemas/generated/events.ts'
import { planOf } from '../../schemas/plans.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Outgoing } from '../../streams/define.ts'
import { budgetConfig, type Ceiling } from './budgets.ts'
import { type Heartbeat, heartbeatConfig, heartbeatConfigRow } from './heartbeats.ts'
import { monitorConfig, monitorConfigRow } from './monitor-config.ts'
import type { StoredMonitor } from './monitors.ts'
import { insertOutgoing } from './outbox.ts'
import { type Pool, type Tx, transaction } from './pool.ts'

const SRC = 'system:reemit'
const NOTHING = '00000000-0000-0000-0000-000000000000'
const BATCH = 500

interface Kind<Row, Config> {
  table: 'monitors' | 'heartbeats'
  id: 'monitor_id' | 'heartbeat_id'
  /** The processor that folds them. */
  processor: 'status' | 'heartbeat'
  idOf(row: Row): string
  outgoing(row: Row, retention_days: number): Outgoing
  /** The deletion. `config`: the settings that the fold has; `at`: epoch ms. */
  deletion(config: Config, at: number): Outgoing
}

const monitors: Kind<StoredMonitor, MonitorConfig> = {
  table: 'monitors',
  id: 'monitor_id',
  processor: 'status',
  idOf: (row) => row.monitor_id,
  outgoing: (row, retention_days) => monitorConfig(row, retention_days, SRC),
  deletion: (config, at) => monitorConfigRow({ ...config, ...deletedFrom(config.monitor_id, config.version, at) }, SRC)
}

const heartbeats: Kind<Heartbeat, HeartbeatConfig> = {
  table: 'heartbeats',
  id: 'heartbeat_id',
  processor: 'heartbeat',
  idOf: (row) => row.heartbeat_id,
  outgoing: (row, retention_days) => heartbeatConfig(row, retention_days, SRC),
  deletion: (config, at) => heartbeatConfigRow({ ...config, ...deletedFrom(config.heartbeat_id, config.version, at) }, SRC)
}

/** The fields that make settings of a version the deletion that follows it. */
const deletedFrom = (id: string, version: number, at: number) => ({
  event_id: uuidv5(id, String(version + 1)),
  version: version + 1,
  at,
  deleted: true,
  resolve_open: true
})

export interface ReemitOptions {
  /** Most rows that one transaction reads. Default 500. */
  batch?: number
  /** Stops after the present batch. A new run starts from the first row. */
  signal?: AbortSignal
}

async function reemit<Row extends object, Config>(
  pool: Pool,
  codec: Codec,
  kind: Kind<Row, Config>,
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

/**
 * Emits the deletion of what the fold has and Postgres does not. Usually there is none. Each page
 * of keys is compared by itself: without statistics, one anti-join of everything may read the whole
 * table for each key, and run into the time limit of a statement.
 */
async function emitDeletions<Row, Config>(
  pool: Pool,
  codec: Codec,
  { table, id, processor, deletion }: Kind<Row, Config>,
  { batch = BATCH, signal }: ReemitOptions
): Promise<number> {
  let count = 0
  let after: string | null = ''
  while (after !== null && !signal?.aborted) {
    const from: string = after
    after = await transaction(pool, async (tx) => {
      // Only rows of a monitor or heartbeat belong to a workspace. Their key is its id.
      const { rows: page } = await tx.query<{ key: string; tenant_id: string }>(
        `SELECT key, tenant_id FROM partition_state
          WHERE processor = $1 AND key > $2 AND tenant_id IS NOT NULL ORDER BY key LIMIT $3`,
        [processor, from, batch]
      )
      const { rows: known } = await tx.query<{ key: string }>(
        `SELECT p.key FROM unnest($1::text[], $2::uuid[]) AS p (key, tenant_id)
           JOIN ${table} x ON x.tenant_id = p.tenant_id AND x.${id} = p.key::uuid AND x.deleted_at IS NULL`,
        [page.map(({ key }) => key), page.map(({ tenant_id }) => tenant_id)]
      )
      const keys = new Set(known.map(({ key }) => key))
      const lost = page.map(({ key }) => key).filter((key) => !keys.has(key))
      if (lost.length > 0) count += await emitDeletionsOf(tx, codec, processor, lost, deletion)
      return page.length === batch ? (page.at(-1)?.key ?? null) : null
    })
  }
  return count
}

async function emitDeletionsOf<Config>(
  tx: Tx,
  codec: Codec,
  processor: string,
  keys: readonly string[],
  deletion: (config: Config, at: number) => Outgoing
): Promise<number> {
  const { rows } = await tx.query<{ config: Config; at: number }>(
    `SELECT state -> 'config' AS config, floor(extract(epoch FROM now()) * 1000)::bigint AS at
       FROM partition_state WHERE processor = $1 AND key = ANY($2) AND tenant_id IS NOT NULL ORDER BY key`,
    [processor, keys]
  )
  await insertOutgoing(
    tx,
    rows.map(({ config, at }) => deletion(config, at)),
    codec
  )
  return rows.length
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
 * Puts the present version of every monitor, heartbeat and raised ceiling into the outbox, and the
 * deletion of each monitor and heartbeat that only a fold still has. Returns how many of each.
 */
export async function reemitConfigs(
  pool: Pool,
  codec: Codec,
  options: ReemitOptions = {}
): Promise<{ monitors: number; heartbeats: number; budgets: number; deleted: number }> {
  return {
    monitors: await reemit(pool, codec, monitors, options),
    heartbeats: await reemit(pool, codec, heartbeats, options),
    budgets: await reemitBudgets(pool, codec),
    deleted: (await emitDeletions(pool, codec, monitors, options)) + (await emitDeletions(pool, codec, heartbeats, options))
  }
}
