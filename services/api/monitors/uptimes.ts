/**
 * Uptime shown beside a monitor, if analytics answers (../analytics/patience.ts) or has answered
 * recently.
 */
import type { Entity } from '../../../schemas/analytics.ts'
import type { MonitorDetail } from '../../../schemas/http/monitors.ts'
import { BoundedMap } from '../../process/bounded-map.ts'
import type { Monitor } from '../../store/monitors.ts'
import type { Region } from '../../store/regions.ts'
import type { Analytics } from '../analytics/client.ts'
import { askPatiently, type Patience } from '../analytics/patience.ts'
import { toDetail, type Uptime } from './detail.ts'

export const UNKNOWN: Uptime = { h24: null, d7: null, d30: null }

/** Returns the known uptimes by id; others are missing. Never throws. */
export type Uptimes = (tenant_id: string, entities: readonly Entity[]) => Promise<ReadonlyMap<string, Uptime>>

/** How long a figure is shown without asking again, and how long one without data. */
const FRESH_MS = 15_000
const UNKNOWN_FRESH_MS = 1000
/**
 * Up to this age a figure is shown at once and renewed in the background: nobody must wait for a
 * figure that hardly changes.
 */
const SHOWN_AT_ONCE_MS = 60_000
/** Up to this age a figure replaces an answer that does not come. */
const MAX_AGE_MS = 300_000
const MAX_KEPT = 20_000

interface Kept {
  uptime: Uptime
  /** Both are times of performance.now(). */
  answeredAt: number
  askedAt: number
}

/**
 * Asks analytics for figures that are not cached. `now` in ms, from a clock that never goes back.
 */
export function createUptimes(analytics: Pick<Analytics, 'ask'>, patience: Patience = {}, now = () => performance.now()): Uptimes {
  const ask = askPatiently(analytics, patience)
  const kept = new BoundedMap<string, Kept>(MAX_KEPT)

  async function renew(tenant_id: string, entities: readonly Entity[]): Promise<ReadonlyMap<string, Uptime>> {
    const rows = await ask('uptime_summary', tenant_id, { entities, at: Date.now() })
    if (!rows) return new Map()
    const answers = new Map(rows.map(({ id, h24, d7, d30 }): [string, Uptime] => [id, { h24, d7, d30 }]))
    const at = now()
    for (const { id } of entities) kept.set(`${tenant_id}|${id}`, { uptime: answers.get(id) ?? UNKNOWN, answeredAt: at, askedAt: at })
    return answers
  }

  return async (tenant_id, entities) => {
    const found = new Map<string, Uptime>()
    const due: Entity[] = []
    let waits = false
    const at = now()
    for (const entity of entities) {
      const known = kept.get(`${tenant_id}|${entity.id}`)
      const age = known ? at - known.answeredAt : Number.POSITIVE_INFINITY
      if (known && age < MAX_AGE_MS) found.set(entity.id, known.uptime)
      if (known && at - known.askedAt < (known.uptime === UNKNOWN ? UNKNOWN_FRESH_MS : FRESH_MS)) continue
      if (known) known.askedAt = at
      waits ||= known === undefined || known.uptime === UNKNOWN || age >= SHOWN_AT_ONCE_MS
      due.push(entity)
    }
    if (due.length === 0) return found
    const renewed = renew(tenant_id, due)
    if (waits) for (const [id, uptime] of await renewed) found.set(id, uptime)
    return found
  }
}

/** What analytics needs to know of a monitor. */
export const entityOf = ({ monitor_id: id, created_at, open, tags }: Monitor): Entity => ({ kind: 'monitor', id, created_at, open, tags })

/** Shows a monitor with its uptime, if analytics answers. */
export async function shownMonitor(uptimes: Uptimes, monitor: Monitor, regions: readonly Region[]): Promise<MonitorDetail> {
  const found = await uptimes(monitor.tenant_id, [entityOf(monitor)])
  return toDetail(monitor, regions, found.get(monitor.monitor_id) ?? UNKNOWN, Date.now())
}
