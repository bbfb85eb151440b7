/**
 * Uptime beside a monitor, from analytics, as an extra: it is asked for with little patience and null without an answer. After a failure nobody
 * asks for a while, so that lists do not wait for a part of the service that is away.
 */
import type { Entity } from '../../schemas/analytics.ts'
import type { MonitorDetail } from '../../schemas/http/monitors.ts'
import type { Monitor } from '../store/monitors.ts'
import type { Region } from '../store/regions.ts'
import type { Analytics } from './analytics-client.ts'
import { toDetail, type Uptime } from './monitor-detail.ts'

export const UNKNOWN: Uptime = { h24: null, d7: null, d30: null }

const PATIENCE_MS = 300
const PAUSE_MS = 10_000

/** Uptime by id, of those that analytics knows; empty when it does not answer in time. Never throws. */
export type Uptimes = (tenant_id: string, entities: readonly Entity[]) => Promise<ReadonlyMap<string, Uptime>>

export function createUptimes(analytics: Pick<Analytics, 'ask'>, { patienceMs = PATIENCE_MS, pauseMs = PAUSE_MS } = {}): Uptimes {
  let askAgainAt = 0
  return async (tenant_id, entities) => {
    const found = new Map<string, Uptime>()
    if (entities.length === 0 || performance.now() < askAgainAt) return found
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, patienceMs, null)
    })
    // A failure is analytics' own to log and count.
    const answer = analytics.ask('uptime_summary', tenant_id, { entities, at: Date.now() }).catch(() => null)
    const given = await Promise.race([answer, late])
    clearTimeout(timer)
    if (!given) askAgainAt = performance.now() + pauseMs
    for (const { id, h24, d7, d30 } of given?.rows ?? []) found.set(id, { h24, d7, d30 })
    return found
  }
}

/** A monitor with its uptime, as far as analytics answers. */
export async function shownMonitor(uptimes: Uptimes, monitor: Monitor, regions: readonly Region[]): Promise<MonitorDetail> {
  const { tenant_id, monitor_id: id, created_at, tags } = monitor
  const found = await uptimes(tenant_id, [{ kind: 'monitor', id, created_at, tags }])
  return toDetail(monitor, regions, found.get(id) ?? UNKNOWN, Date.now())
}
