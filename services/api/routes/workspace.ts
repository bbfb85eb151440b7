/** The account of the caller and the settings of its workspace. Source: api-design.md 13. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AccountAnswer } from '../../../schemas/http/auth.ts'
import { iso } from '../../../schemas/http/common.ts'
import { UsageAnswer, WorkspaceDetail } from '../../../schemas/http/workspace.ts'
import { planOf } from '../../../schemas/plans.ts'
import { countApiTokens } from '../../store/api-tokens.ts'
import { readBudget, readCeiling } from '../../store/budgets.ts'
import { countHeartbeats } from '../../store/heartbeats.ts'
import { countIntegrations } from '../../store/integrations.ts'
import { countMonitors } from '../../store/monitors.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { countMembers, readMember } from '../../store/users.ts'
import { callerOf } from '../caller.ts'
import { on } from '../endpoint.ts'
import { notFound } from '../errors.ts'
import { ingestUsage } from '../ingest-usage.ts'
import type { Services } from '../services.ts'
import { toUser, toWorkspaceSummary } from './auth.ts'

export const workspaceRoutes =
  ({ pool, config: { ingestFloorPerMinute: floor } }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('readAccount', { response: { 200: AccountAnswer } }),
      handler: (request) => {
        const { tenant_id, user_id } = callerOf(request)
        return tenantTransaction(pool, tenant_id, async (tx) => {
          const member = await readMember(tx, tenant_id, user_id)
          const workspace = await readWorkspace(tx, tenant_id)
          if (!member || !workspace) throw notFound()
          const plan = planOf(workspace.plan)
          return {
            user: toUser(member),
            workspace: toWorkspaceSummary(workspace),
            role: member.role,
            plan: plan.id,
            entitlements: { ...plan.limits },
            usage: {
              members: await countMembers(tx, tenant_id),
              api_tokens: await countApiTokens(tx, tenant_id),
              inbound_integrations: await countIntegrations(tx, tenant_id),
              heartbeats: await countHeartbeats(tx, tenant_id)
            },
            features: [...plan.capabilities],
            limits_source: 'plan' as const
          }
        })
      }
    })

    app.route({
      ...on('readWorkspaceUsage', { response: { 200: UsageAnswer } }),
      handler: (request) => {
        const { tenant_id } = callerOf(request)
        return tenantTransaction(pool, tenant_id, async (tx) => {
          const workspace = await readWorkspace(tx, tenant_id)
          if (!workspace) throw notFound()
          const plan = planOf(workspace.plan)
          const counted = [
            ['monitors', await countMonitors(tx, tenant_id)],
            ['heartbeats', await countHeartbeats(tx, tenant_id)],
            ['inbound_integrations', await countIntegrations(tx, tenant_id)],
            ['api_tokens', await countApiTokens(tx, tenant_id)],
            ['members', await countMembers(tx, tenant_id)]
          ] as const
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
          const counts = counted.map(([key, used]) => ({ key, used, limit: plan.limits[key], unit: 'count' as const, resets_at: null }))
          return { tenant_id, plan: plan.id, at: iso(Date.now()), limits: [...counts, perMinute], ingest }
        })
      }
    })

    app.route({
      ...on('readWorkspace', { response: { 200: WorkspaceDetail } }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const workspace = await tenantTransaction(pool, tenant_id, (tx) => readWorkspace(tx, tenant_id))
        if (!workspace) throw notFound()
        const { name, slug, plan, time_zone, reopen_after_seconds, created_at, updated_at, ver } = workspace
        return reply.header('etag', `"${ver}"`).send({
          id: tenant_id,
          tenant_id,
          name,
          slug,
          plan,
          time_zone,
          reopen_after_seconds,
          created_at: iso(created_at),
          updated_at: iso(updated_at),
          version: ver
        })
      }
    })
  }
