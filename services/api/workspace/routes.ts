/**
 * The settings of a workspace, its usage, and its limits.
 * Source: docs/design/api/account.md#ac-3, #ac-16, #ac-17.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { iso } from '../../../schemas/http/common.ts'
import { LimitsAnswer, UpdateWorkspaceBody, UsageAnswer, WorkspaceDetail } from '../../../schemas/http/workspace.ts'
import { planOf } from '../../../schemas/plans.ts'
import { nextMonth } from '../../channels/push.ts'
import { actorText, difference, insertAudit } from '../../store/audit.ts'
import { readBudget, readCeiling } from '../../store/budgets.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { lockWorkspace, readWorkspace, updateWorkspace, type Workspace, type WorkspaceSettings } from '../../store/tenants.ts'
import { givenPolicy } from '../escalation/rules.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { zoneNamed } from '../http/span.ts'
import { taken } from '../http/taken.ts'
import type { Services } from '../services.ts'
import { effectiveLimits } from './effective-limits.ts'
import { ingestUsage } from './ingest-usage.ts'
import { usedOf } from './limits.ts'

const toDetail = ({ tenant_id, ver, name, slug, plan, time_zone, reopen_after_seconds, ...more }: Workspace) => ({
  id: tenant_id,
  tenant_id,
  name,
  slug,
  plan,
  time_zone,
  reopen_after_seconds,
  storm_threshold: more.storm_threshold,
  mass_outage: more.mass_outage,
  default_escalation_policy_id: more.default_escalation_policy_id,
  created_at: iso(more.created_at),
  updated_at: iso(more.updated_at),
  version: ver
})

const settingsOf = ({
  name,
  slug,
  time_zone,
  reopen_after_seconds,
  storm_threshold,
  mass_outage,
  default_escalation_policy_id
}: Workspace): WorkspaceSettings => ({
  name,
  slug,
  time_zone,
  reopen_after_seconds,
  storm_threshold,
  mass_outage,
  default_escalation_policy_id
})

export const workspaceRoutes =
  ({ pool, config: { ingestFloorPerMinute: floor } }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('readWorkspaceUsage', { response: { 200: UsageAnswer } }),
      handler: (request) => {
        const { tenant_id } = callerOf(request)
        return keyedTransaction(pool, callerOf(request), async (tx) => {
          const workspace = await readWorkspace(tx, tenant_id)
          if (!workspace) throw notFound()
          const plan = planOf(workspace.plan)
          const used = await usedOf(tx, tenant_id)
          const budget = await readBudget(tx, tenant_id)
          const ingest = ingestUsage({ floor, plan, raised_to: await readCeiling(tx, tenant_id) }, budget, Date.now())
          const [newest] = ingest.windows
          const perMinute = {
            key: 'ingest_alerts_per_minute',
            used: ingest.accepted_1m,
            limit: ingest.limit,
            unit: 'alerts_per_minute' as const,
            resets_at: newest && Date.parse(newest.to) > Date.now() ? newest.to : null
          }
          const counts = (Object.keys(used) as (keyof typeof used)[]).map((key) => ({
            key,
            used: used[key],
            limit: plan.limits[key],
            unit: 'count' as const,
            resets_at: key === 'sms_voice_per_month' ? iso(nextMonth(Date.now())) : null
          }))
          return { tenant_id, plan: plan.id, at: iso(Date.now()), limits: [...counts, perMinute], ingest }
        })
      }
    })

    app.route({
      ...on('readWorkspaceLimits', { response: { 200: LimitsAnswer } }),
      handler: (request) => {
        const { tenant_id } = callerOf(request)
        return keyedTransaction(pool, callerOf(request), async (tx) => {
          const workspace = await readWorkspace(tx, tenant_id)
          if (!workspace) throw notFound()
          const plan = planOf(workspace.plan)
          const effective = effectiveLimits({ floor, plan, raised_to: await readCeiling(tx, tenant_id) })
          return { tenant_id, plan: plan.id, at: iso(Date.now()), ...effective }
        })
      }
    })

    app.route({
      ...on('readWorkspace', { response: { 200: WorkspaceDetail } }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const workspace = await keyedTransaction(pool, callerOf(request), (tx) => readWorkspace(tx, tenant_id))
        if (!workspace) throw notFound()
        return reply.header('etag', `"${workspace.ver}"`).send(toDetail(workspace))
      }
    })

    app.route({
      ...on('updateWorkspace', { body: UpdateWorkspaceBody, response: { 200: WorkspaceDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { time_zone: zone } = request.body
        const time_zone = zone === undefined ? {} : { time_zone: zoneNamed(zone) }
        const workspace = await keyedTransaction(pool, callerOf(request), async (tx) => {
          const before = await lockWorkspace(tx, tenant_id)
          if (!before) throw notFound()
          const { default_escalation_policy_id: given, mass_outage, ...body } = request.body
          const default_escalation_policy_id = await givenPolicy(
            tx,
            callerOf(request),
            before.default_escalation_policy_id,
            given,
            'default_escalation_policy_id'
          )
          const settings = {
            ...settingsOf(before),
            ...body,
            ...time_zone,
            mass_outage: { ...before.mass_outage, ...mass_outage },
            default_escalation_policy_id
          }
          const diff = difference(settingsOf(before), settings)
          if (Object.keys(diff).length === 0) return before
          const after = await updateWorkspace(tx, tenant_id, settings)
          await insertAudit(tx, tenant_id, actor, { action: 'workspace.updated', object_type: 'workspace', object_id: tenant_id, diff })
          const version = { kind: 'workspace', id: tenant_id, version: after.ver, body: { ...settings, plan: after.plan } }
          await insertConfigVersion(tx, tenant_id, { ...version, actor: actorText(actor) })
          return after
        }).catch(taken('tenants_slug_key', 'SLUG_TAKEN', 'slug', 'workspace'))
        return reply.header('etag', `"${workspace.ver}"`).send(toDetail(workspace))
      }
    })
  }
