/**
 * Back-tests of rules: the person who asks starts, watches and cancels them. The process that was
 * asked runs the back-test beside its requests, few at once. Every process sees the row in
 * Postgres.
 * Source: docs/design/api/alerts-and-routing.md#rt-8.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import {
  BacktestBody,
  BacktestDetail,
  BacktestParams,
  type BacktestDetail as Detail,
  MAX_BACKTEST_DAYS
} from '../../../schemas/http/backtests.ts'
import { iso } from '../../../schemas/http/common.ts'
import { planOf } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { compile } from '../../../streams/routing/rules.ts'
import { cancelBacktest, endBacktest, insertBacktest, readBacktest, type StoredBacktest } from '../../store/backtests.ts'
import { seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import { readRuleSet } from '../../store/routing.ts'
import { readSight } from '../../store/teams.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { spanOf } from '../http/span.ts'
import type { Services } from '../services.ts'
import { type BacktestPlan, runBacktest } from './backtest.ts'
import { checkCapability } from './change.ts'
import { checkDraft, draftOf } from './drafts.ts'
import { ruleSightOf } from './sight.ts'

/** The most backtests that run in one process, for all workspaces. */
const MAX_AT_ONCE = 4

const toDetail = ({ backtest_id, from_at, to_at, created_at, ended_at, ...rest }: StoredBacktest): Detail => ({
  id: backtest_id,
  state: rest.state,
  failure: rest.failure,
  mode: rest.mode,
  from: iso(from_at),
  to: iso(to_at),
  created_at: iso(created_at),
  ended_at: iso(ended_at),
  looked_at: rest.looked_at,
  result: rest.result
})

/** Claims the workspace's turn. Throws CONFLICT if another back-test has it. */
async function begin(tx: Tx, caller: Caller, { rules: given, mode = 'live', from, to }: BacktestBody): Promise<BacktestPlan> {
  const { tenant_id, user_id } = caller
  checkCapability(planOf(caller.plan), 'backtest', '', 'This plan has no back-tests.')
  const span = spanOf({ from, ...(to !== undefined && { to }) }, { kept_days: null, most_days: MAX_BACKTEST_DAYS }, Date.now())
  const seen = await ruleSightOf(tx, caller)
  const saved = await readRuleSet(tx, tenant_id)
  const draft = given && draftOf(caller, given)
  if (draft) await checkDraft(tx, caller, draft)
  const rules = draft ?? saved.rules.filter(seen.sees)
  const asked = mode === 'shadow' ? rules.map((rule) => ({ ...rule, mode: 'live' as const })) : rules
  const set = compile(saved.version, asked, draft ? seen.private_team_ids : saved.private_team_ids)
  const sight = await readSight(tx)
  const backtest_id = uuidv7()
  const began = await seeingAll(tx, (tx) => insertBacktest(tx, tenant_id, { backtest_id, user_id, mode, ...span, sight }))
  if (!began) throw new ApiError('CONFLICT', 'Another back-test of this workspace is running. Wait for it, or cancel it')
  return { backtest_id, viewer: caller, sight, set, rules, routing_version: saved.version, from: span.from, to: span.to }
}

export const backtestRoutes =
  ({ pool, log }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const ending = new AbortController()
    const running = new Set<Promise<void>>()

    async function run(plan: BacktestPlan): Promise<void> {
      const { backtest_id, viewer } = plan
      const end = await runBacktest(pool, plan, ending.signal).catch((error: unknown) => {
        log.warn({ backtest_id, err: error }, 'a back-test failed')
        return { state: 'failed', failure: 'It could not read the alerts: start it again' } as const
      })
      if (end === null && !ending.signal.aborted) return
      const last = end ?? ({ state: 'failed', failure: 'The service was restarted: start it again' } as const)
      // The person who asked may see less by now, but the row is still theirs.
      await tenantTransaction(pool, viewer, (tx) => seeingAll(tx, (tx) => endBacktest(tx, viewer.tenant_id, backtest_id, last)))
    }

    /** Runs beside the request. A row that cannot be ended counts as failed once it is silent. */
    function start(plan: BacktestPlan): void {
      const task = run(plan)
        .catch((error: unknown) => log.warn({ backtest_id: plan.backtest_id, err: error }, 'a back-test has no end'))
        .finally(() => running.delete(task))
      running.add(task)
    }

    app.addHook('onClose', async () => {
      ending.abort()
      await Promise.all(running)
    })

    const read = async (tx: Tx, { tenant_id, user_id }: Caller, id: string): Promise<Detail> => {
      const found = await readBacktest(tx, tenant_id, user_id, id.toLowerCase())
      if (!found) throw notFound()
      return toDetail(found)
    }

    app.route({
      ...on('startBacktest', { body: BacktestBody, response: { 202: BacktestDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        if (running.size >= MAX_AT_ONCE)
          throw new ApiError('UNAVAILABLE', 'Too many back-tests at once', { headers: { 'retry-after': '5' } })
        const { plan, detail } = await tenantTransaction(pool, caller, async (tx) => {
          const begun = await begin(tx, caller, request.body)
          return { plan: begun, detail: await read(tx, caller, begun.backtest_id) }
        })
        start(plan)
        return reply.code(202).send(detail)
      }
    })

    app.route({
      ...on('readBacktest', { params: BacktestParams, response: { 200: BacktestDetail } }),
      handler: (request) => {
        const caller = callerOf(request)
        return tenantTransaction(pool, caller, (tx) => read(tx, caller, request.params.id))
      }
    })

    app.route({
      ...on('cancelBacktest', { params: BacktestParams, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id } = caller
        const isThere = await tenantTransaction(pool, caller, (tx) =>
          cancelBacktest(tx, tenant_id, user_id, request.params.id.toLowerCase())
        )
        if (!isThere) throw notFound()
        return reply.code(204).send(null)
      }
    })
  }
