/**
 * Escalation policies. Every change is made under the workspace's lock. A policy that names a
 * private team is seen by people who see the team, and changed by its leads, owners and admins.
 * Source: docs/design/api/on-call.md#oc-11 to #oc-16.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { envelope, Id } from '../../../schemas/http/common.ts'
import {
  CreatePolicyBody,
  PolicyDetail,
  PolicyList,
  PolicyQuery,
  SimulateAnswer,
  SimulateBody,
  UpdatePolicyBody
} from '../../../schemas/http/escalation.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { actorText, difference, insertAudit } from '../../store/audit.ts'
import {
  countPolicies,
  deletePolicy,
  insertPolicy,
  listPolicies,
  type PolicySettings,
  type PolicyUses,
  updatePolicy,
  usesOfPolicy
} from '../../store/escalation-policies.ts'
import { tellPolicy } from '../../store/on-call-news.ts'
import { keyedTransaction, seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import { lockWorkspace, readWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { counted } from '../http/counted.ts'
import { on } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import { instantNear } from '../on-call/spans.ts'
import type { Services } from '../services.ts'
import { chosenTeam, givenTeam } from '../teams/rules.ts'
import { checkLimit } from '../workspace/limits.ts'
import { checkMayChange, checkTargets, seenPolicy } from './rules.ts'
import { changedSettings, settingsOf, toPolicy, unsetPolicy } from './shapes.ts'
import { simulate } from './simulate.ts'
import { readUses, standingOf, usesSeen } from './standing.ts'

const names: Readonly<Record<keyof PolicyUses, string>> = {
  workspace: 'default of the workspace',
  teams: 'teams',
  integrations: 'integrations',
  monitors: 'monitors',
  heartbeats: 'heartbeats',
  routing_rules: 'routing rules',
  incidents: 'ongoing incidents'
}

/**
 * Refuses to delete a policy that something names. Otherwise nobody would be asked, and nobody
 * would notice.
 */
function checkUnused(uses: PolicyUses): void {
  const used = (Object.keys(names) as (keyof PolicyUses)[]).filter((key) => uses[key] > 0)
  if (used.length === 0) return
  const list = used.map((key) => (key === 'workspace' ? names[key] : counted(uses[key], names[key]))).join(', ')
  const details = used.map((key) => ({ path: key, rule: 'in_use', message: names[key], actual: uses[key] }))
  throw new ApiError('IN_USE', `The policy is in use: ${list}. Choose another policy for them first`, { details })
}

const record = (tx: Tx, { tenant_id, actor }: Caller, action: string, object_id: string, diff: Record<string, [unknown, unknown]> = {}) =>
  insertAudit(tx, tenant_id, actor, { action, object_type: 'escalation_policy', object_id, diff })

async function shown(tx: Tx, caller: Caller, policy_id: string): Promise<PolicyDetail> {
  const [policy, workspace, uses] = await Promise.all([
    seenPolicy(tx, caller, policy_id),
    readWorkspace(tx, caller.tenant_id),
    readUses(tx, caller, policy_id.toLowerCase())
  ])
  return {
    ...toPolicy(policy, workspace?.default_escalation_policy_id ?? null),
    ...(await standingOf(tx, policy, Date.now())),
    used_by: await usesSeen(tx, caller, uses)
  }
}

/** `from` makes, out of the existing settings, the base over which the given settings are put. */
async function changed(
  tx: Tx,
  request: FastifyRequest,
  policy_id: string,
  given: UpdatePolicyBody,
  from: (before: PolicySettings) => PolicySettings
): Promise<PolicyDetail> {
  const caller = callerOf(request)
  await lockWorkspace(tx, caller.tenant_id)
  const policy = await seenPolicy(tx, caller, policy_id)
  checkIfMatch(request, policy.ver)
  const before = settingsOf(policy)
  await checkMayChange(tx, caller, before.team_id)
  const base = from(before)
  const team_id = await givenTeam(tx, caller, base.team_id, given.team_id)
  const after = { ...changedSettings(base, given), team_id }
  const diff = difference(before, after)
  if (Object.keys(diff).length === 0) return shown(tx, caller, policy.policy_id)
  await checkMayChange(tx, caller, team_id)
  await checkTargets(tx, caller, after, before)
  await updatePolicy(tx, policy, after, actorText(caller.actor))
  await tellPolicy(tx, caller.tenant_id, policy.policy_id, 'updated', { team_id, former: before.team_id })
  await record(tx, caller, 'escalation_policy.updated', policy.policy_id, diff)
  return shown(tx, caller, policy.policy_id)
}

const Params = Type.Object({ id: Id })

export const escalationPolicyRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listEscalationPolicies', { querystring: PolicyQuery, response: { 200: PolicyList } }),
      handler: (request) => {
        const caller = callerOf(request)
        const { page: _page, per_page: _per_page, ...filter } = request.query
        const page = pageOf(request.query)
        return tenantTransaction(pool, caller, async (tx) => {
          const { items, total } = await listPolicies(tx, caller.tenant_id, filter, page)
          const workspace = await readWorkspace(tx, caller.tenant_id)
          const default_id = workspace?.default_escalation_policy_id ?? null
          return envelope(
            items.map((policy) => toPolicy(policy, default_id)),
            total,
            page
          )
        })
      }
    })

    app.route({
      ...on('createEscalationPolicy', { body: CreatePolicyBody, response: { 201: PolicyDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const policy_id = uuidv7()
        const policy = await keyedTransaction(pool, caller, async (tx) => {
          await checkLimit(tx, caller.tenant_id, 'escalation_policies', countPolicies)
          const team_id = await chosenTeam(tx, caller, 'team_id', request.body.team_id ?? null)
          await checkMayChange(tx, caller, team_id)
          const settings = { ...changedSettings(unsetPolicy, request.body), team_id }
          await checkTargets(tx, caller, settings, null)
          await insertPolicy(tx, caller.tenant_id, policy_id, settings, actorText(caller.actor))
          await tellPolicy(tx, caller.tenant_id, policy_id, 'created', { team_id })
          await record(tx, caller, 'escalation_policy.created', policy_id)
          return shown(tx, caller, policy_id)
        })
        return reply.code(201).header('etag', `"${policy.version}"`).send(policy)
      }
    })

    app.route({
      ...on('readEscalationPolicy', { params: Params, response: { 200: PolicyDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const policy = await keyedTransaction(pool, caller, (tx) => shown(tx, caller, request.params.id))
        return reply.header('etag', `"${policy.version}"`).send(policy)
      }
    })

    app.route({
      ...on('updateEscalationPolicy', { params: Params, body: UpdatePolicyBody, response: { 200: PolicyDetail } }),
      handler: async (request, reply) => {
        const policy = await keyedTransaction(pool, callerOf(request), (tx) =>
          changed(tx, request, request.params.id, request.body, (before) => before)
        )
        return reply.header('etag', `"${policy.version}"`).send(policy)
      }
    })

    app.route({
      ...on('replaceEscalationPolicy', { params: Params, body: CreatePolicyBody, response: { 200: PolicyDetail } }),
      handler: async (request, reply) => {
        const { team_id = null } = request.body
        // Fields that are not sent get the values of a new policy. The caller need not see the team
        // if it stays the same.
        const policy = await keyedTransaction(pool, callerOf(request), (tx) =>
          changed(tx, request, request.params.id, { ...request.body, team_id }, (before) => ({ ...unsetPolicy, team_id: before.team_id }))
        )
        return reply.header('etag', `"${policy.version}"`).send(policy)
      }
    })

    app.route({
      ...on('deleteEscalationPolicy', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        await tenantTransaction(pool, caller, async (tx) => {
          await lockWorkspace(tx, caller.tenant_id)
          const policy = await seenPolicy(tx, caller, request.params.id)
          checkIfMatch(request, policy.ver)
          await checkMayChange(tx, caller, policy.team_id)
          // Uses that the caller cannot see are counted, too.
          checkUnused(await seeingAll(tx, (tx) => usesOfPolicy(tx, caller.tenant_id, policy.policy_id)))
          await deletePolicy(tx, caller.tenant_id, policy.policy_id)
          await tellPolicy(tx, caller.tenant_id, policy.policy_id, 'deleted', policy)
          await record(tx, caller, 'escalation_policy.deleted', policy.policy_id)
        })
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('simulateEscalationPolicy', { params: Params, body: SimulateBody, response: { 200: SimulateAnswer } }),
      handler: (request) => {
        const caller = callerOf(request)
        const now = Date.now()
        if (request.body.at !== undefined) instantNear('at', request.body.at, now)
        return tenantTransaction(pool, caller, async (tx) => {
          const policy = await seenPolicy(tx, caller, request.params.id)
          return simulate(tx, policy, request.body, now)
        })
      }
    })
  }
