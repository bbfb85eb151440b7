/**
 * Back-tests of routing rules, and the past alerts that they look at: the stored cause of each
 * alert's first version, with what the rules of that time made of it. Reads Postgres only.
 *
 * Source: docs/design/api/alerts-and-routing.md#rt-8.
 */
import type { Alert } from '../../schemas/generated/events.ts'
import type { BacktestResult } from '../../schemas/http/backtests.ts'
import type { RuleMode } from '../../schemas/http/routing-words.ts'
import type { Sight } from '../../schemas/http/visibility.ts'
import type { FirstCause } from './first-causes.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

export interface StoredBacktest {
  backtest_id: string
  state: 'running' | 'done' | 'failed' | 'cancelled'
  failure: string | null
  mode: RuleMode
  /** Epoch ms. */
  from_at: number
  to_at: number
  looked_at: number
  result: BacktestResult | null
  created_at: number
  ended_at: number | null
}

/** Back-tests kept per workspace. Older ones are deleted when another begins. */
const MAX_KEPT = 20
const KEPT_DAYS = 7
/**
 * A back-test fails after this time without a sign of life, because its process has probably ended.
 */
const ALIVE_SECONDS = 60
const STOPPED = 'The process that ran it has ended: start it again'

const COLUMNS = 'backtest_id, state, failure, mode, from_at, to_at, looked_at, result, created_at, ended_at'

const failStopped = async (tx: Tx, tenant_id: string): Promise<void> => {
  await tx.query(
    `UPDATE routing_backtests SET state = 'failed', failure = $2, ended_at = now()
      WHERE tenant_id = $1 AND state = 'running' AND alive_until < now()`,
    [tenant_id, STOPPED]
  )
}

export interface NewBacktest {
  backtest_id: string
  user_id: string
  mode: RuleMode
  from: number
  to: number
  sight: Sight
}

/**
 * Begins a back-test. Returns false when one of the workspace is running already, including one of
 * somebody else: the transaction must see all teams.
 */
export async function insertBacktest(tx: Tx, tenant_id: string, { backtest_id, user_id, mode, from, to, sight }: NewBacktest) {
  await failStopped(tx, tenant_id)
  await tx.query(
    `DELETE FROM routing_backtests WHERE tenant_id = $1 AND state <> 'running' AND backtest_id NOT IN (
      SELECT backtest_id FROM routing_backtests WHERE tenant_id = $1 ORDER BY created_at DESC LIMIT $2)`,
    [tenant_id, MAX_KEPT - 1]
  )
  const { own, hidden } = sight === 'all' ? { own: [], hidden: [] } : sight
  const { rowCount } = await tx.query(
    `INSERT INTO routing_backtests
       (tenant_id, backtest_id, user_id, mode, from_at, to_at, saw_all, own_team_ids, hidden_team_ids, alive_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10))
     ON CONFLICT (tenant_id) WHERE state = 'running' DO NOTHING`,
    [tenant_id, backtest_id, user_id, mode, new Date(from), new Date(to), sight === 'all', own, hidden, ALIVE_SECONDS]
  )
  return rowCount === 1
}

/**
 * Reads a back-test of the person who asked for it. Returns null if the person has no such
 * back-test.
 */
export async function readBacktest(tx: Tx, tenant_id: string, user_id: string, backtest_id: string): Promise<StoredBacktest | null> {
  await failStopped(tx, tenant_id)
  const { rows } = await tx.query<StoredBacktest>(
    `SELECT ${COLUMNS} FROM routing_backtests WHERE tenant_id = $1 AND user_id = $2 AND backtest_id = $3`,
    [tenant_id, user_id, backtest_id]
  )
  return rows[0] ?? null
}

/** Stores the progress. Returns false when somebody ended the back-test and it no longer runs. */
export async function advanceBacktest(tx: Tx, tenant_id: string, backtest_id: string, looked_at: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE routing_backtests SET looked_at = $3, alive_until = now() + make_interval(secs => $4)
      WHERE tenant_id = $1 AND backtest_id = $2 AND state = 'running'`,
    [tenant_id, backtest_id, looked_at, ALIVE_SECONDS]
  )
  return rowCount === 1
}

export type BacktestEnd = { state: 'done'; looked_at: number; result: BacktestResult } | { state: 'failed'; failure: string }

/** Stores the end of a back-test. Does nothing when it has ended already. */
export async function endBacktest(tx: Tx, tenant_id: string, backtest_id: string, end: BacktestEnd): Promise<void> {
  const { looked_at, result, failure } = { looked_at: null, result: null, failure: null, ...end }
  await tx.query(
    `UPDATE routing_backtests SET state = $3, looked_at = coalesce($4, looked_at), result = $5, failure = $6, ended_at = now()
      WHERE tenant_id = $1 AND backtest_id = $2 AND state = 'running'`,
    [tenant_id, backtest_id, end.state, looked_at, result === null ? null : JSON.stringify(result), failure]
  )
}

/**
 * Cancels a running back-test; an ended one stays as it is. Returns false when the person has none
 * with this id.
 */
export async function cancelBacktest(tx: Tx, tenant_id: string, user_id: string, backtest_id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE routing_backtests SET state = CASE state WHEN 'running' THEN 'cancelled' ELSE state END, ended_at = coalesce(ended_at, now())
      WHERE tenant_id = $1 AND user_id = $2 AND backtest_id = $3`,
    [tenant_id, user_id, backtest_id]
  )
  return rowCount === 1
}

/**
 * Returns why each of these alerts opened. An alert without a version of its own gets the cause of
 * its incident.
 */
export async function firstCausesOf(tx: Tx, tenant_id: string, alerts: readonly Alert[]): Promise<Map<string, FirstCause>> {
  const ids = alerts.map(({ alert_id }) => alert_id)
  const { rows } = await tx.query<FirstCause & { id: string }>(
    `SELECT incident_id AS id, at, cause, config_versions FROM incident_events
      WHERE tenant_id = $1 AND incident_id = ANY ($2::uuid[]) AND ver = 1
     UNION ALL
     SELECT alert_id, at, cause, config_versions FROM alert_events WHERE tenant_id = $1 AND alert_id = ANY ($2::uuid[]) AND ver = 1`,
    [tenant_id, ids]
  )
  // The causes of alerts come last in the result, so they replace those of incidents.
  return new Map(rows.map(({ id, ...first }) => [id, first]))
}

/** Deletes back-tests made more than KEPT_DAYS ago. Returns how many. For service_system. */
export const forgetBacktests = (pool: Pool): Promise<number> =>
  forget(pool, 'routing_backtests', 'x.created_at < now() - make_interval(days => $1)', [KEPT_DAYS])
