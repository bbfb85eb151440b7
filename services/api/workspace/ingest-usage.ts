/**
 * The inbound alerts of a workspace for the usage view: the limit and where it comes from, sums,
 * and what each door counted in each window.
 * Source: docs/design/specification.md#s8.
 */
import { iso } from '../../../schemas/http/common.ts'
import type { IngestUsage } from '../../../schemas/http/workspace.ts'
import { ingestPerMinute, type Plan } from '../../../schemas/plans.ts'
import { HOUR_MS, observed, STREAK_MS } from '../../../streams/budget/rules.ts'
import type { BudgetRow } from '../../../streams/budget/state.ts'

const WINDOW_MS = 60_000

export interface Ceilings {
  floor: number
  plan: Plan
  /** The limit that an operator set; null: none. */
  raised_to: number | null
}

/** Returns the alerts per minute that each door instance admits, and what decides the limit. */
export function ingestLimit({ floor, plan, raised_to }: Ceilings): { limit: number; origin: 'plan' | 'override' | 'floor' } {
  const byPlan = ingestPerMinute(plan)
  const limit = Math.max(floor, byPlan, raised_to ?? 0)
  return { limit, origin: limit === byPlan ? 'plan' : limit === raised_to ? 'override' : 'floor' }
}

/** `now`: epoch ms. */
export function ingestUsage(ceilings: Ceilings, budget: BudgetRow | null, now: number): IngestUsage {
  const { plan, raised_to } = ceilings
  const { limit, origin } = ingestLimit(ceilings)
  const counters = budget?.counters ?? []
  const limited = budget?.limited
  const windows = counters
    .filter(({ window }) => window > now - HOUR_MS)
    .map(({ instance, window, accepted, refused, limit: admits }) => ({
      instance,
      from: iso(window),
      to: iso(window + WINDOW_MS),
      accepted,
      refused,
      limit: admits
    }))
    .reverse()
  return {
    window_seconds: WINDOW_MS / 1000,
    limit,
    limit_origin: origin === 'override' ? 'raised' : origin,
    plan_limit: plan.limits.ingest_alerts_per_minute,
    raised_to,
    ...observed(counters, now),
    limited_since: limited && limited.last_at > now - STREAK_MS ? iso(limited.since) : null,
    windows
  }
}
