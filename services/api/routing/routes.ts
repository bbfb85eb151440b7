/**
 * Routing rules one by one. Every change makes a new version of the whole set. Rules that a caller
 * does not see (sight.ts) do not exist for them.
 * Source: docs/design/api/alerts-and-routing.md#rt-1 to #rt-5.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Id } from '../../../schemas/http/common.ts'
import { CreateRuleBody, RuleDetail, RuleList, UpdateRuleBody } from '../../../schemas/http/routing.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { difference, insertAudit, isUnchanged } from '../../store/audit.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import type { Services } from '../services.ts'
import { checkCosts, checkCount, checkShadow, type Held, hold, put } from './change.ts'
import { detailOf, listOf, seenRule } from './list.ts'
import { insertedAt } from './places.ts'
import { changedSettings, defaultRuleId, type Settings, settingsOf, unsetRule } from './shapes.ts'
import { actionsOver, checkManagesRule, checkTeams } from './sight.ts'

const Params = Type.Object({ id: Id })

const record = (tx: Tx, { tenant_id, actor }: Caller, action: string, id: string, before: Settings | null, after: Settings | null) =>
  insertAudit(tx, tenant_id, actor, {
    action,
    object_type: 'routing_rule',
    object_id: id,
    diff: before && after ? difference(before, after) : {}
  })

/** Throws DEFAULT_RULE for the default rule, which is not stored. */
function checkNotDefault({ tenant_id }: Caller, id: string): void {
  if (id === defaultRuleId(tenant_id)) throw new ApiError('DEFAULT_RULE', 'The default rule cannot be changed, disabled or deleted')
}

/** A rule that is written, and what it was; null: it is new. */
interface Written {
  rule: StoredRule
  before: StoredRule | null
}

/** Checks a rule that is written, among the others. */
async function checkWritten(
  tx: Tx,
  caller: Caller,
  { plan, sight }: Held,
  rules: readonly StoredRule[],
  { rule, before }: Written
): Promise<void> {
  await checkTeams(tx, caller, rule, before)
  checkManagesRule(sight, rule)
  checkShadow(plan, [rule])
  checkCosts(rules, new Map([[rules.indexOf(rule), '']]))
}

async function create(tx: Tx, caller: Caller, { position, ...given }: CreateRuleBody): Promise<RuleDetail> {
  const settings = changedSettings(unsetRule, given)
  const held = await hold(tx, caller)
  checkCount(held.plan, held.set.rules.length + 1)
  const at = Date.now()
  const rule: StoredRule = { ...settings, id: uuidv7(), ver: 1, created_at: at, updated_at: at }
  const rules = insertedAt(held.set.rules, held.sight.sees, rule, position)
  await checkWritten(tx, caller, held, rules, { rule, before: null })
  await put(tx, caller, held, rules, 'rule created')
  await record(tx, caller, 'routing_rule.created', rule.id, null, null)
  return detailOf(tx, caller, rule.id)
}

/** Returns the rules with the changed one in its place, or moved if a position is given. */
function placed({ set, sight }: Held, before: StoredRule, after: StoredRule, position: number | undefined): StoredRule[] {
  const same = set.rules.map((rule) => (rule === before ? after : rule))
  if (position === undefined) return same
  const others = set.rules.filter((rule) => rule !== before)
  const at = set.rules.filter(sight.sees).indexOf(before)
  return position === at ? same : insertedAt(others, sight.sees, after, position)
}

/** `over`: the settings that the body is put over: the rule as it was, or (PUT) nothing. */
async function change(tx: Tx, request: FastifyRequest, id: string, { position, ...given }: UpdateRuleBody, over: Settings | null) {
  const caller = callerOf(request)
  checkNotDefault(caller, id)
  const held = await hold(tx, caller)
  const before = seenRule(held.set.rules, held.sight.sees, id)
  checkManagesRule(held.sight, before)
  checkIfMatch(request, before.ver)
  const written = changedSettings(over ?? settingsOf(before), given)
  const settings = { ...written, actions: await actionsOver(tx, caller, before.actions, written.actions) }
  const isChanged = !isUnchanged(settingsOf(before), settings)
  const after = isChanged ? { ...before, ...settings, ver: before.ver + 1, updated_at: Date.now() } : before
  const rules = placed(held, before, after, position)
  if (rules.every((rule, at) => rule === held.set.rules[at])) return detailOf(tx, caller, id)
  if (isChanged) await checkWritten(tx, caller, held, rules, { rule: after, before })
  await put(tx, caller, held, rules, isChanged ? 'rule changed' : 'ordered')
  await record(tx, caller, 'routing_rule.updated', id, settingsOf(before), settings)
  return detailOf(tx, caller, id)
}

async function remove(tx: Tx, request: FastifyRequest, id: string): Promise<void> {
  const caller = callerOf(request)
  checkNotDefault(caller, id)
  const held = await hold(tx, caller)
  const before = seenRule(held.set.rules, held.sight.sees, id)
  checkManagesRule(held.sight, before)
  checkIfMatch(request, before.ver)
  const rules = held.set.rules.filter((rule) => rule !== before)
  await put(tx, caller, held, rules, 'rule deleted')
  await record(tx, caller, 'routing_rule.deleted', id, null, null)
}

export const routingRuleRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listRoutingRules', { response: { 200: RuleList } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const list = await keyedTransaction(pool, caller, (tx) => listOf(tx, caller))
        return reply.header('etag', `"${list.version}"`).send(list)
      }
    })

    app.route({
      ...on('createRoutingRule', { body: CreateRuleBody, response: { 201: RuleDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const rule = await keyedTransaction(pool, caller, (tx) => create(tx, caller, request.body))
        return reply.code(201).header('etag', `"${rule.version}"`).send(rule)
      }
    })

    app.route({
      ...on('readRoutingRule', { params: Params, response: { 200: RuleDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const rule = await keyedTransaction(pool, caller, (tx) => detailOf(tx, caller, request.params.id.toLowerCase()))
        return reply.header('etag', `"${rule.version}"`).send(rule)
      }
    })

    app.route({
      ...on('updateRoutingRule', { params: Params, body: UpdateRuleBody, response: { 200: RuleDetail } }),
      handler: async (request, reply) => {
        const id = request.params.id.toLowerCase()
        const rule = await keyedTransaction(pool, callerOf(request), (tx) => change(tx, request, id, request.body, null))
        return reply.header('etag', `"${rule.version}"`).send(rule)
      }
    })

    app.route({
      ...on('replaceRoutingRule', { params: Params, body: CreateRuleBody, response: { 200: RuleDetail } }),
      handler: async (request, reply) => {
        const id = request.params.id.toLowerCase()
        const rule = await keyedTransaction(pool, callerOf(request), (tx) => change(tx, request, id, request.body, unsetRule))
        return reply.header('etag', `"${rule.version}"`).send(rule)
      }
    })

    app.route({
      ...on('deleteRoutingRule', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        await keyedTransaction(pool, callerOf(request), (tx) => remove(tx, request, request.params.id.toLowerCase()))
        return reply.code(204).send(null)
      }
    })
  }
