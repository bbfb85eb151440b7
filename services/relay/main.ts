/**
 * The role `relay`: verifies the topics, then runs the loop of relay.ts between a Postgres session
 * and the producer of the process.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Budget } from '../../schemas/generated/events.ts'
import { toBudget } from '../../streams/budget/outgoing.ts'
import type { BudgetRow } from '../../streams/budget/state.ts'
import { waitForLog } from '../../streams/runtime/connect.ts'
import { verifyTopics } from '../../streams/runtime/create-topics.ts'
import { toMonitorState } from '../../streams/status/outgoing.ts'
import type { StartRole } from '../process/role.ts'
import { currentBudgets } from '../store/budgets.ts'
import type { HeldSession } from '../store/held-session.ts'
import { currentIncidents, markedIncidents } from '../store/incident-reads.ts'
import { currentWindows } from '../store/maintenance.ts'
import { createPool } from '../store/pool.ts'
import { currentMonitors } from '../store/watched-state.ts'
import { type Current, nameOfMark, type ReadCurrent } from './read.ts'
import { startRelay } from './relay.ts'
import type { CurrentLoaders } from './send.ts'

/** Incidents change most often, so their current rows are read together with their marks. */
const readIncidents =
  (codec: Codec): ReadCurrent =>
  async (tx, shards) => {
    const named = [...(await markedIncidents(tx, shards))].map(([id, row]): [string, Current] => [
      nameOfMark({ topic: 'incident.state.v1', aggregate: `incident:${id}` }),
      { ver: row.ver, encode: () => codec.encode('Incident', row) }
    ])
    return new Map(named)
  }

/** Returns a loader for aggregates of one kind, named `<kind>:<id>`. */
function byId<Row extends { ver: number }>(
  kind: string,
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
  encode: (row: Row) => Buffer
): (aggregates: readonly string[]) => Promise<ReadonlyMap<string, Current>> {
  const form = new RegExp(`^${kind}:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
  return async (aggregates) => {
    const ids = aggregates.flatMap((aggregate) => form.exec(aggregate)?.[1] ?? [])
    const rows = await load(ids)
    return new Map(
      ids.map((id): [string, Current] => {
        const row = rows.get(id)
        return [`${kind}:${id}`, row ? { ver: row.ver, encode: () => encode(row) } : null]
      })
    )
  }
}

/**
 * Keeps the workspaces that have a ceiling of their own. The others have no record on that topic.
 */
function toBudgets(rows: ReadonlyMap<string, BudgetRow>): Map<string, Budget> {
  const budgets = new Map<string, Budget>()
  for (const [tenant_id, row] of rows) {
    const budget = toBudget(row)
    if (budget) budgets.set(tenant_id, budget)
  }
  return budgets
}

/** Loaders of current rows, by the compacted topic that they are sent to. */
const loadersOf =
  (codec: Codec) =>
  (ask: HeldSession['ask']): CurrentLoaders => ({
    'incident.state.v1': byId(
      'incident',
      (ids) => ask((tx) => currentIncidents(tx, ids)),
      (row) => codec.encode('Incident', row)
    ),
    'monitor.state.v1': byId(
      'monitor',
      (ids) => ask((tx) => currentMonitors(tx, ids)),
      (row) => codec.encode('MonitorState', toMonitorState(row))
    ),
    'maintenance.windows.v1': byId(
      'maintenance',
      (ids) => ask((tx) => currentWindows(tx, ids)),
      (row) => codec.encode('MaintenanceWindow', row)
    ),
    'tenant.budgets.v1': byId(
      'budget',
      async (ids) => toBudgets(await ask((tx) => currentBudgets(tx, ids))),
      (budget) => codec.encode('Budget', budget)
    )
  })

export const start: StartRole = async (context) => {
  const { config, log, metrics } = context
  const codec = await context.codec()
  const stream = await context.stream()
  const kafka = { brokers: config.kafkaBrokers, clientId: `relay-${config.instance}`, topicPrefix: config.topicPrefix, log }
  await waitForLog(kafka)
  await verifyTopics(kafka)
  const pool = createPool(config.postgresSystemUrl, {
    application_name: 'relay',
    max: 1,
    keepPlans: true,
    onIdleError: (error) => log.warn({ err: error }, 'an idle Postgres connection broke')
  })
  const relay = startRelay({
    pool,
    log: stream.log,
    loaders: loadersOf(codec),
    readCurrent: readIncidents(codec),
    instance: config.instance,
    logger: log,
    metrics,
    onFatal: (reason, error) => context.fatal(reason, error)
  })
  return {
    ready: () => ({ relay: relay.ready() }),
    async close() {
      await relay.close()
      await pool.end()
    }
  }
}
