/**
 * The rule set as a whole: its order, its versions, and restoring one.
 * Source: docs/design/api/alerts-and-routing.md#rt-6, #rt-9 and #rt-10.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { envelope, iso } from '../../../schemas/http/common.ts'
import { OrderBody, RollbackBody, RuleList, RuleVersionList, RuleVersionsQuery } from '../../../schemas/http/routing.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import { insertAudit } from '../../store/audit.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { listRuleSets, readRuleSetAt } from '../../store/routing.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { checkIfMatch, demandIfMatch } from '../http/preconditions.ts'
import type { Services } from '../services.ts'
import { checkCosts, checkCount, checkShadow, hold, put } from './change.ts'
import { listOf } from './list.ts'
import { reordered, restoredAround } from './places.ts'
import { defaultRuleId } from './shapes.ts'

/**
 * Returns the rules that the caller sees in the order of `ids`, each once. The default rule may be
 * last.
 */
function ordered(seen: readonly StoredRule[], given: readonly string[], tenant_id: string): StoredRule[] {
  const ids = given.map((id) => id.toLowerCase())
  if (ids.at(-1) === defaultRuleId(tenant_id)) ids.pop()
  const byId = new Map(seen.map((rule) => [rule.id, rule]))
  const order = ids.flatMap((id) => byId.get(id) ?? [])
  if (order.length !== ids.length || new Set(order).size !== seen.length || ids.length !== seen.length)
    throw invalid('ids', 'not_a_permutation', 'must name every rule once; the default rule is always the last')
  return order
}

async function audited(tx: Tx, { tenant_id, actor }: Caller, action: string, before: number, after: number): Promise<void> {
  const diff: Record<string, [unknown, unknown]> = { version: [before, after] }
  await insertAudit(tx, tenant_id, actor, { action, object_type: 'routing_rules', object_id: tenant_id, diff })
}

export const routingSetRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('orderRoutingRules', { body: OrderBody, response: { 200: RuleList } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const list = await keyedTransaction(pool, caller, async (tx) => {
          const held = await hold(tx, caller)
          const { rules, version } = held.set
          demandIfMatch(request, version)
          const { sees } = held.sight
          const after = reordered(rules, sees, ordered(rules.filter(sees), request.body.ids, caller.tenant_id))
          if (after.some((rule, at) => rule !== rules[at])) {
            const next = await put(tx, caller, held, after, 'ordered')
            await audited(tx, caller, 'routing_rules.ordered', version, next)
          }
          return listOf(tx, caller)
        })
        return reply.header('etag', `"${list.version}"`).send(list)
      }
    })

    app.route({
      ...on('listRoutingVersions', { querystring: RuleVersionsQuery, response: { 200: RuleVersionList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listRuleSets(tx, caller.tenant_id, page))
        return envelope(
          items.map((item) => ({ ...item, created_at: iso(item.created_at) })),
          total,
          page
        )
      }
    })

    app.route({
      ...on('rollbackRoutingRules', { body: RollbackBody, response: { 200: RuleList } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { version } = request.body
        const list = await keyedTransaction(pool, caller, async (tx) => {
          const held = await hold(tx, caller)
          const { set, plan, sight } = held
          checkIfMatch(request, set.version)
          const target = await readRuleSetAt(tx, caller.tenant_id, version)
          if (!target) throw notFound()
          // What the caller may not change stays, whether it is the rule of now or of then.
          const kept = new Set(target.rules.filter((rule) => !sight.manages(rule)).map(({ id }) => id))
          const stays = (rule: StoredRule): boolean => !sight.manages(rule) || kept.has(rule.id)
          const after = restoredAround(set.rules, stays, target.rules.filter(sight.manages))
          if (after.length > set.rules.length) checkCount(plan, after.length)
          checkShadow(plan, after)
          checkCosts(after, new Map())
          const next = await put(tx, caller, held, after, `restored ${version}`)
          await audited(tx, caller, 'routing_rules.restored', set.version, next)
          return listOf(tx, caller)
        })
        return reply.header('etag', `"${list.version}"`).send(list)
      }
    })
  }
