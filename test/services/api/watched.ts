/**
 * Creates objects that analytics can be queried about: a monitor as a row, without regions, and a
 * heartbeat over the API.
 */
import { defaultRetry } from '../../../schemas/http/check-config.ts'
import { defaultConfirmation } from '../../../schemas/http/monitors.ts'
import type { Stand, Workspace } from './stand.ts'

/** Creates a monitor that has existed since the beginning of 2026; returns its id. */
export async function monitor(s: Stand, who: Workspace, name: string, tags: string[] = []): Promise<string> {
  const { rows } = await s.systemPool.query<{ monitor_id: string }>(
    `INSERT INTO monitors (tenant_id, monitor_id, name, type, target, interval_seconds, timeout_seconds, assigned_regions, confirmation, retry, severity_down,
                           severity_degraded, tls_expiry_days, tags, created_at)
     VALUES ($1, gen_random_uuid(), $2, 'http', 'https://example.test/', 60, 10, '{}', $4, $5, 'critical', 'warning', '{}', $3, '2026-01-01')
     RETURNING monitor_id`,
    [who.tenant_id, name, tags, JSON.stringify(defaultConfirmation), JSON.stringify(defaultRetry)]
  )
  if (!rows[0]) throw new Error('no monitor')
  return rows[0].monitor_id
}

export const heartbeat = async (s: Stand, who: Workspace, name: string): Promise<string> =>
  (await s.call(who, 'POST', '/api/v1/heartbeats', { name, schedule: { kind: 'period', period_seconds: 60 } })).json().id
