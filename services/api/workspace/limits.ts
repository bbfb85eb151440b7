/**
 * Plan limits: a write that would exceed one is refused whole, with the figures and the plan that
 * allows more.
 * Source: docs/design/api.md#s1-5 and #s22.
 */
import { type LimitKey, type Plan, planOf, upgradeFor } from '../../../schemas/plans.ts'
import { countApiTokens } from '../../store/api-tokens.ts'
import { countChannels } from '../../store/channels.ts'
import { countPolicies } from '../../store/escalation-policies.ts'
import { countHeartbeats } from '../../store/heartbeats.ts'
import { countIntegrations } from '../../store/integrations.ts'
import { countSeats } from '../../store/invites.ts'
import { countDeployments, countWindows } from '../../store/maintenance.ts'
import { countMonitors } from '../../store/monitors.ts'
import { phoneQuota } from '../../store/phones.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { countLocations } from '../../store/private-locations.ts'
import { countRules } from '../../store/routing.ts'
import { countSchedules } from '../../store/schedules.ts'
import { countSilences } from '../../store/silences.ts'
import { countTeams } from '../../store/teams.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { ApiError, notFound } from '../http/errors.ts'

const counted = async (tx: Tx, tenant_id: string) => ({
  monitors: await countMonitors(tx, tenant_id),
  heartbeats: await countHeartbeats(tx, tenant_id),
  private_locations: await countLocations(tx, tenant_id),
  inbound_integrations: await countIntegrations(tx, tenant_id),
  api_tokens: await countApiTokens(tx, tenant_id),
  members: await countSeats(tx, tenant_id),
  teams: await countTeams(tx, tenant_id),
  schedules: await countSchedules(tx, tenant_id),
  channels: await countChannels(tx, tenant_id),
  routing_rules: await countRules(tx, tenant_id),
  silences: await countSilences(tx, tenant_id),
  escalation_policies: await countPolicies(tx, tenant_id),
  maintenance_windows: await countWindows(tx, tenant_id),
  deployment_windows: await countDeployments(tx, tenant_id),
  sms_voice_per_month: (await phoneQuota(tx, tenant_id)).used
})

/**
 * Counts everything that the plan limits, including what private teams own, so that a refusal can
 * be understood.
 */
export const usedOf = (tx: Tx, tenant_id: string) => seeingAll(tx, (tx) => counted(tx, tenant_id))

/** The refusal of a write after which there would be `actual` where the plan allows less. */
export const limitExceeded = (plan: Plan, key: LimitKey, actual: number, message: string): ApiError =>
  new ApiError('TIER_LIMIT_EXCEEDED', message, {
    details: [
      { rule: 'limit', limit_key: key, limit: plan.limits[key] ?? 0, actual, plan: plan.id, upgrade_to: upgradeFor(plan.id, key, actual) }
    ]
  })

/**
 * Call it before the insert, in the same transaction. From here on writers of one workspace take
 * turns, so that two cannot both take the last place.
 */
export async function checkLimit(
  tx: Tx,
  tenant_id: string,
  key: LimitKey,
  count: (tx: Tx, tenant_id: string) => Promise<number>
): Promise<void> {
  const workspace = await lockWorkspace(tx, tenant_id)
  if (!workspace) throw notFound()
  const plan = planOf(workspace.plan)
  const limit = plan.limits[key]
  if (limit === null) return
  const actual = await seeingAll(tx, (tx) => count(tx, tenant_id))
  if (actual < limit) return
  throw limitExceeded(plan, key, actual, `This plan allows ${limit} ${key.replaceAll('_', ' ')}.`)
}
