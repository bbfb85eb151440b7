/**
 * Regions that checks run from: which of their probers are online, and which regions check a
 * monitor. Regions belong to no workspace, and everybody sees them. Private locations are the
 * exception: only their workspace sees and chooses them.
 * Source: docs/design/specification.md#s2-3; docs/design/api/monitors.md#s3-1, #mo-17 and
 * docs/design/api/prober.md#s16.
 */
import { PROBER_BEHIND_MS, REGION_ONLINE_MS } from '../../schemas/http/prober.ts'
import { type PlanId, planIds, plans } from '../../schemas/plans.ts'
import { byText } from '../../schemas/text-order.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Pool, Tx } from './pool.ts'

export interface Region {
  code: string
  label: string
  /** ISO 3166-1; null for a private location. */
  country: string | null
  /**
   * A location of the workspace. It checks only when people choose it, and counts against a limit
   * of its own.
   */
  private: boolean
  /**
   * Probers that said hello in the last 90 s and are neither leaving nor behind, and the check
   * types that any of them knows.
   */
  probers_online: number
  kinds: string[]
  egress_ips: string[]
  /** The smallest plan that may choose it. */
  plan_min: PlanId
}

interface Row extends Omit<Region, 'plan_min'> {
  code: string
}

/**
 * Returns all regions that are open to everybody, oldest first, because smaller plans list the
 * first ones. After them come the locations of the transaction's workspace. A drained location has
 * no prober online.
 */
export async function readRegions(tx: Tx): Promise<Region[]> {
  const { rows } = await tx.query<Row>({
    name: 'regions-read',
    text: `WITH online AS (
             SELECT p.region, p.instance_id, p.kinds, p.egress_ips FROM probers p LEFT JOIN private_locations l ON l.code = p.region
              WHERE NOT p.leaving AND p.behind_ms <= $2 AND p.last_hello_at > now() - $1 * interval '1 ms' AND l.draining IS NOT TRUE)
           SELECT r.code, r.label, r.country, r.private, count(p.instance_id) AS probers_online,
             coalesce((SELECT array_agg(DISTINCT kind ORDER BY kind) FROM online q, unnest(q.kinds) AS kind WHERE q.region = r.code), '{}') AS kinds,
             coalesce((SELECT array_agg(DISTINCT ip ORDER BY ip) FROM online q, unnest(q.egress_ips) AS ip WHERE q.region = r.code), '{}') AS egress_ips
        FROM regions r LEFT JOIN online p ON p.region = r.code
       WHERE NOT r.private OR r.code IN (SELECT l.code FROM private_locations l WHERE l.tenant_id = current_tenant())
       GROUP BY r.code ORDER BY r.private, r.created_at, r.code`,
    values: [REGION_ONLINE_MS, PROBER_BEHIND_MS]
  })
  return rows.map((row, at) => ({ ...row, plan_min: row.private ? 'free' : leastPlan(at) }))
}

/** A plan lists the first `regions` of them, or all when it has no limit. */
function leastPlan(at: number): PlanId {
  return (
    planIds.find((id) => {
      const { regions } = plans[id].limits
      return regions === null || at < regions
    }) ?? 'enterprise'
  )
}

export const planLists = (region: Region, plan: PlanId): boolean => planIds.indexOf(region.plan_min) <= planIds.indexOf(plan)

/**
 * Returns the configured regions that the plan lists, each once, and no more than it allows for a
 * monitor. The regions that check and the regions that are shown are both taken from these.
 */
function allowedRegions(configured: readonly string[], regions: readonly Region[], plan: PlanId): string[] {
  const listed = new Set(regions.filter((region) => planLists(region, plan)).map(({ code }) => code))
  const allowed = [...new Set(configured)].filter((code) => listed.has(code))
  return allowed.slice(0, plans[plan].limits.regions_per_monitor ?? allowed.length)
}

/** Number of regions that the service picks for a monitor without any chosen region. */
const PICKED = 3

/**
 * Returns the regions that check a monitor and vote: the configured ones, as far as its plan
 * allows. When none is left, it picks some that the plan lists. Picks are spread over monitors and
 * stable for each: an added region takes over only where it ranks among the first. A location is
 * never picked, because it is another network.
 */
export function assignRegions(monitor_id: string, configured: readonly string[], regions: readonly Region[], plan: PlanId): string[] {
  const allowed = allowedRegions(configured, regions, plan)
  if (allowed.length > 0) return allowed
  const most = Math.min(PICKED, plans[plan].limits.regions_per_monitor ?? PICKED)
  return regions
    .filter((region) => !region.private && planLists(region, plan))
    .map(({ code }) => ({ code, rank: uuidv5(monitor_id, code) }))
    .sort((a, b) => byText(a.rank, b.rank))
    .slice(0, most)
    .map(({ code }) => code)
    .sort()
}

/**
 * Returns the configured regions that are online for the monitor's type, as far as the plan allows.
 */
export function effectiveRegions(configured: readonly string[], type: string, regions: readonly Region[], plan: PlanId): string[] {
  const known = new Map(regions.map((region) => [region.code, region]))
  return allowedRegions(configured, regions, plan).filter((code) => known.get(code)?.kinds.includes(type))
}

export interface NewRegion {
  code: string
  label: string
  country: string
}

/**
 * Adds the missing regions in this order, and sets the label and country of the others. Needs
 * service_system or the owner.
 */
export async function ensureRegions(pool: Pool, regions: readonly NewRegion[]): Promise<void> {
  for (const { code, label, country } of regions) {
    await pool.query(
      `INSERT INTO regions (code, label, country, created_at) VALUES ($1, $2, $3, clock_timestamp())
       ON CONFLICT (code) DO UPDATE SET label = excluded.label, country = excluded.country
        WHERE (regions.label, regions.country) IS DISTINCT FROM (excluded.label, excluded.country)`,
      [code, label, country]
    )
  }
}
