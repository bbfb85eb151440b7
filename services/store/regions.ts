/**
 * Regions that checks run from, who of their probers is online, and which of them check a monitor.
 * Regions belong to no workspace and everybody sees them, but for private locations, which only
 * their workspace sees and chooses.
 * Source: docs/design/specification.md#s2-3; docs/design/api/monitors.md#s3-1, #mo-17 and
 * docs/design/api/prober.md#s16.
 */
import { PROBER_BEHIND_MS, REGION_ONLINE_MS } from '../../schemas/http/prober.ts'
import { type PlanId, planIds, plans } from '../../schemas/plans.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Pool, Tx } from './pool.ts'

export interface Region {
  code: string
  label: string
  /** ISO 3166-1; null of a private location. */
  country: string | null
  /**
   * A location of the workspace: checked from by choice alone, and counted by a limit of its own.
   */
  private: boolean
  /**
   * Probers with a hello in the last 90 s that are not leaving and not behind, and the types of
   * check that any of them knows.
   */
  probers_online: number
  kinds: string[]
  egress_ips: string[]
  /** The least plan that may choose it. */
  plan_min: PlanId
}

interface Row extends Omit<Region, 'plan_min'> {
  code: string
}

/**
 * Every region of everybody, oldest first: the first ones are those that the smaller plans list.
 * Behind them the locations of the transaction's workspace. One that is drained has no prober
 * online.
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

/** A plan lists the first `regions` of them; without a limit all. */
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
 * Of the regions configured those that the plan lists, each once, and no more than it allows for a
 * monitor: what is checked from and what is shown are both taken from these.
 */
function allowedRegions(configured: readonly string[], regions: readonly Region[], plan: PlanId): string[] {
  const listed = new Set(regions.filter((region) => planLists(region, plan)).map(({ code }) => code))
  const allowed = [...new Set(configured)].filter((code) => listed.has(code))
  return allowed.slice(0, plans[plan].limits.regions_per_monitor ?? allowed.length)
}

/** Regions that the service picks for a monitor nobody chose any for. */
const PICKED = 3

/**
 * The regions that check a monitor and vote: those configured, as far as its plan allows, or where
 * none is left some that the plan lists, spread over monitors and stable for one: a region that is
 * added takes over only where it comes out first. A location is never picked: it is another
 * network.
 */
export function assignRegions(monitor_id: string, configured: readonly string[], regions: readonly Region[], plan: PlanId): string[] {
  const allowed = allowedRegions(configured, regions, plan)
  if (allowed.length > 0) return allowed
  const most = Math.min(PICKED, plans[plan].limits.regions_per_monitor ?? PICKED)
  return regions
    .filter((region) => !region.private && planLists(region, plan))
    .map(({ code }) => ({ code, rank: uuidv5(monitor_id, code) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, most)
    .map(({ code }) => code)
    .sort()
}

/**
 * The regions configured, narrowed to those online for the monitor's type and clamped to what the
 * plan allows.
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
 * Makes the regions that are missing, in this order, and gives the others their label and country.
 * Needs service_system or the owner.
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
