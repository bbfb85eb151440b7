/**
 * The limits of a workspace, and where each figure comes from: its plan, an operator's override, or
 * the floor that every workspace has.
 * Source: docs/design/api.md#s22.
 */
import type { Static } from 'typebox'
import type { LimitsAnswer } from '../../../schemas/http/workspace.ts'
import { type Capability, capabilities, type LimitKey, limitKeys, planned } from '../../../schemas/plans.ts'
import { type Ceilings, ingestLimit } from './ingest-usage.ts'

type Effective = Pick<Static<typeof LimitsAnswer>, 'limits' | 'capabilities'>

export function effectiveLimits(ceilings: Ceilings): Effective {
  const { plan } = ceilings
  const ingest = ingestLimit(ceilings)
  const limits = (Object.keys(limitKeys) as LimitKey[]).map((key) => {
    const plan_limit = plan.limits[key]
    const inForce = key === 'ingest_alerts_per_minute' ? ingest : { limit: plan_limit, origin: 'plan' as const }
    return { key, ...limitKeys[key], plan_limit, ...inForce, available: !planned.has(key) }
  })
  const flags = (Object.keys(capabilities) as Capability[]).map((key) => ({
    key,
    description: capabilities[key].description,
    included: plan.capabilities.includes(key),
    available: !planned.has(key),
    origin: 'plan' as const
  }))
  return { limits, capabilities: flags }
}
