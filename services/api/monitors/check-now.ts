/**
 * Checks a monitor at once, outside its slots: on request of people, and for a monitor that is new
 * or resumed, so that nobody waits an interval for its first result.
 * Source: docs/design/api/monitors.md#mo-8, docs/design/api/prober.md#s16, #pr-2.
 */
import { checkId } from '../../checks/slots.ts'
import { insertOnDemand, type Monitor, type OnDemandRow } from '../../store/monitors.ts'
import type { Tx } from '../../store/pool.ts'
import type { Region } from '../../store/regions.ts'

/** Probers ignore an on-demand check that is older. */
const ON_DEMAND_MS = 60_000

/**
 * Asks those of the monitor's regions (or of `asked` only) that have probers online. Returns the
 * checks; none if no prober is online. `count`: results are judged like those of a slot.
 */
export async function checkNow(
  tx: Tx,
  tenant_id: string,
  { monitor_id, type, assigned_regions }: Pick<Monitor, 'monitor_id' | 'type' | 'assigned_regions'>,
  regions: readonly Region[],
  { count, asked = assigned_regions }: { count: boolean; asked?: readonly string[] }
): Promise<OnDemandRow[]> {
  const online = new Set(regions.filter(({ kinds }) => kinds.includes(type)).map(({ code }) => code))
  const scheduled_at = Date.now()
  const rows = assigned_regions
    .filter((code) => online.has(code) && asked.includes(code))
    .map((region) => ({
      check_id: checkId(monitor_id, region, scheduled_at),
      monitor_id,
      region,
      scheduled_at,
      count,
      expires_at: scheduled_at + ON_DEMAND_MS
    }))
  if (rows.length > 0) await insertOnDemand(tx, tenant_id, rows)
  return rows
}
