/**
 * Advisories: regions that fail alone. Such a region votes down while the monitor as a whole is up.
 * People see the failure next to the region. When it has lasted long enough, their feed reports it.
 * Nobody is paged.
 *
 * In       region rows, the status of their monitor, tick time
 * Out      the rows with `alone_at` and `advisory`; when the next advisory is due
 * Source   docs/design/api/monitors.md#s3-5
 *
 *   row        condition                                                    row after
 *   neither    fresh, votes down, the monitor is up                         alone_at: now
 *   alone_at   the same, a tick `advisory_after_seconds` later              advisory, too
 *   either     it votes up, it is stale, or the monitor is down or paused   neither
 * Only a tick can begin an advisory, so an advisory never coincides with another change that a
 * result causes.
 */
import type { Confirmation } from '../../schemas/generated/events.ts'
import type { MonitorRow, RegionRow } from './state.ts'

const isAlone = ({ vote, stale }: RegionRow, status: MonitorRow['status']): boolean => status === 'up' && vote === 'down' && !stale

const lasts = ({ alone_at }: RegionRow, { advisory_after_seconds }: Confirmation, clock: number): boolean =>
  alone_at !== undefined && clock >= alone_at + advisory_after_seconds * 1000

function advised(region: RegionRow, status: MonitorRow['status'], clock: number, begins: boolean): RegionRow {
  if (!isAlone(region, status)) {
    if (region.alone_at === undefined && !region.advisory) return region
    const { alone_at: _alone_at, advisory: _advisory, ...rest } = region
    return rest
  }
  if (region.alone_at === undefined) return { ...region, alone_at: clock }
  return begins && !region.advisory ? { ...region, advisory: true } : region
}

/**
 * Updates `alone_at` and `advisory` of each region. Returns the same array when nothing changes.
 * `byTick`: true when a tick, not a result, caused the call; only then can an advisory begin.
 */
export function withAdvisories(
  regions: RegionRow[],
  status: MonitorRow['status'],
  confirmation: Confirmation,
  { clock, byTick }: { clock: number; byTick: boolean }
): RegionRow[] {
  let after = regions
  for (const [nth, region] of regions.entries()) {
    const next = advised(region, status, clock, byTick && lasts(region, confirmation, clock))
    if (next === region) continue
    if (after === regions) after = regions.slice()
    after[nth] = next
  }
  return after
}

/** Codes of the regions whose advisory began between two rows of one monitor. */
export const begunAdvisories = (before: readonly RegionRow[], after: readonly RegionRow[]): string[] =>
  after
    .filter(({ region, advisory }) => advisory && !before.some((one) => one.region === region && one.advisory))
    .map(({ region }) => region)

/** The first tick time at which an advisory begins; null when none is due. */
export function advisoryAt(regions: readonly RegionRow[], { advisory_after_seconds }: Confirmation): number | null {
  let first: number | null = null
  for (const { alone_at, advisory } of regions) {
    if (alone_at === undefined || advisory) continue
    const at = alone_at + advisory_after_seconds * 1000
    if (first === null || at < first) first = at
  }
  return first
}
