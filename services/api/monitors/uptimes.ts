/** Uptime beside a monitor, as far as analytics answers (patience.ts). */
import type { Entity } from '../../../schemas/analytics.ts'
import type { MonitorDetail } from '../../../schemas/http/monitors.ts'
import type { Monitor } from '../../store/monitors.ts'
import type { Region } from '../../store/regions.ts'
import type { Analytics } from '../analytics/client.ts'
import { askPatiently, type Patience } from '../analytics/patience.ts'
import { toDetail, type Uptime } from './detail.ts'

export const UNKNOWN: Uptime = { h24: null, d7: null, d30: null }

/** Uptime by id, of those that analytics knows; empty when it does not answer in time. Never throws. */
export type Uptimes = (tenant_id: string, entities: readonly Entity[]) => Promise<ReadonlyMap<string, Uptime>>

export function createUptimes(analytics: Pick<Analytics, 'ask'>, patience: Patience = {}): Uptimes {
  const ask = askPatiently(analytics, patience)
  return async (tenant_id, entities) => {
    const found = new Map<string, Uptime>()
    if (entities.length === 0) return found
    const rows = await ask('uptime_summary', tenant_id, { entities, at: Date.now() })
    for (const { id, h24, d7, d30 } of rows ?? []) found.set(id, { h24, d7, d30 })
    return found
  }
}

/** A monitor with its uptime, as far as analytics answers. */
export async function shownMonitor(uptimes: Uptimes, monitor: Monitor, regions: readonly Region[]): Promise<MonitorDetail> {
  const { tenant_id, monitor_id: id, created_at, tags } = monitor
  const found = await uptimes(tenant_id, [{ kind: 'monitor', id, created_at, tags }])
  return toDetail(monitor, regions, found.get(id) ?? UNKNOWN, Date.now())
}
