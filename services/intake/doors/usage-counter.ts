/** What an instance counted of a window of the inbound budget, as the record of the log. */
import type { UsageCounter } from '../../../schemas/generated/events.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Usage } from './budget.ts'

/** Usage is asked about as long as an invoice may be, whatever the plan keeps of the alerts. */
const RETENTION_DAYS = 395

/** `at`: epoch ms. */
export function usageCounter(usage: Usage, { instance, boot, at }: Pick<UsageCounter, 'instance' | 'boot' | 'at'>): UsageCounter {
  const { tenant_id, window, accepted, refused, limit } = usage
  const event_id = uuidv7(at)
  return { event_id, tenant_id, instance, boot, window, accepted, refused, limit, at, retention_days: RETENTION_DAYS }
}
