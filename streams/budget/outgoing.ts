/**
 * What the doors learn about a budget: the current row as a Budget on the compacted topic
 * tenant.budgets.v1, with aggregate `budget:<tenant_id>` and the version of the raised ceiling as
 * `ver`.
 */
import type { Budget } from '../../schemas/generated/events.ts'
import { observed } from './rules.ts'
import type { BudgetRow } from './state.ts'

/** What the fold may cause. The list in topology.ts is checked against it. */
export type Emits = 'tenant.budgets.v1' | 'feed'

/**
 * Returns null when no ceiling was ever raised: the limit of the plan then applies, and doors need
 * no record.
 */
export function toBudget({ tenant_id, raised, counters }: BudgetRow): Budget | null {
  if (!raised) return null
  const { accepted_1m, accepted_1h, refused_1h } = observed(counters, raised.at)
  return {
    event_id: raised.event_id,
    tenant_id,
    ver: raised.version,
    ceiling: raised.ceiling,
    observed_1m: accepted_1m,
    observed_1h: accepted_1h,
    refused_1h,
    cause: raised.cause,
    config_versions: { budget: raised.version },
    at: raised.at
  }
}
