/** Converts what an instance counted in one window of the inbound budget to a record of the log. */
import type { UsageCounter } from '../../../schemas/generated/events.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Usage } from './budget.ts'

/**
 * Usage may be questioned for as long as an invoice may be. So this does not depend on how long the
 * plan keeps alerts.
 */
const RETENTION_DAYS = 395

/** `at`: epoch ms. */
export function usageCounter(usage: Usage, { instance, boot, at }: Pick<UsageCounter, 'instance' | 'boot' | 'at'>): UsageCounter {
  const { tenant_id, window, accepted, refused, limit } = usage
  const event_id = uuidv7(at)
  return { event_id, tenant_id, instance, boot, window, accepted, refused, limit, at, retention_days: RETENTION_DAYS }
}
