/**
 * What the regions of a monitor report: it judges one result for its region, determines which
 * regions are fresh, and counts their votes.
 *
 * In       region rows, a result, the monitor's configuration, and tick time (state.ts)
 * Out      the region after the result; a tally
 * Source   docs/design/architecture.md#s6-monitor-status, docs/design/api/monitors.md#s3-5,
 *          docs/design/api/decision-rules.md#s23-2 and #s23-3
 *
 * A result is judged when it describes the target (success, degraded, failure), counts, is not
 * skewed (the fold decides that), and its seq is above the last one of its region. All other
 * results are only analytics data and change nothing here. The vote of a region:
 *
 *   vote    result                                                                                     vote after
 *   null    success or degraded                                                                        up: there is nothing to recover from
 *   null    failure                                                                                    null, until confirmed as below
 *   up      failure, `rounds` in a row and `min_seconds` since the first of them                       down
 *   up      failure, the `failure_rate.failures`th within `failure_rate.window_seconds`                down
 *   down    success, `recovery_rounds` in a row over `recovery_seconds`, failure_rate no longer met    up
 * Any other result leaves the vote as it is. Times between results are measured between their slots
 * (scheduled_at). A vote counts while its region is fresh.
 */
import type { CheckResult, Confirmation, FailureRate, MonitorConfig, RegionState } from '../../schemas/generated/events.ts'
import type { RegionRow } from './state.ts'

/**
 * How long a result is fresh, in ms of tick time. With `round_robin`, the regions take turns: each
 * is checked once in as many rounds as there are regions.
 */
export const windowOf = ({ interval_seconds, timeout_seconds, region_mode, regions }: MonitorConfig): number =>
  1000 * (2 * interval_seconds * (region_mode === 'round_robin' ? Math.max(regions.length, 1) : 1) + timeout_seconds)

const NONE: number[] = []

/** A region without any judged result. `last_seq`, if given, still tells which results are late. */
export const unheard = (region: string, last_seq: number | null = null): RegionRow => ({
  region,
  vote: null,
  last: null,
  streak: 0,
  run_at: null,
  down_from: null,
  failures: NONE,
  last_seq,
  last_at: null,
  heard_at: null,
  stale: false,
  since: null,
  reason: null,
  status_code: null,
  response_time_ms: null
})

/**
 * True for a result that may be judged if it is not skewed. Its seq is checked later, against its
 * region.
 */
export const speaksOfTarget = ({ outcome, count }: CheckResult): boolean =>
  count && (outcome === 'success' || outcome === 'degraded' || outcome === 'failure')

export const isLate = (region: RegionRow, result: CheckResult): boolean => region.last_seq !== null && result.seq <= region.last_seq

/** The verdict of a region, fresh or not. */
export function verdictOf({ vote, last }: RegionRow): 'up' | 'degraded' | 'down' | 'unknown' {
  if (vote === null) return 'unknown'
  return vote === 'up' && last === 'degraded' ? 'degraded' : vote
}

/**
 * Times of the latest failures within the window of `rate`, with this result's if it failed; at
 * most as many as `rate` requires.
 */
function failuresAfter(failures: number[], { scheduled_at, outcome }: CheckResult, rate: FailureRate | null): number[] {
  if (rate === null) return NONE
  const from = scheduled_at - rate.window_seconds * 1000
  const recent = failures.filter((at) => at > from)
  if (outcome === 'failure') recent.push(scheduled_at)
  return recent.slice(-Math.max(rate.failures, 1))
}

/** Times of the record that carries a result, in epoch ms. */
export interface Heard {
  /** Its append time. */
  at: number
  /** Tick time. */
  clock: number
  /** When the result was received; partition time when the door's own time is implausible. */
  received_at: number
}

/** Returns the region after a judged result. */
export function judge(region: RegionRow, result: CheckResult, confirmation: Confirmation, { at, clock, received_at }: Heard): RegionRow {
  const { scheduled_at } = result
  const failed = result.outcome === 'failure'
  const agrees = region.last !== null && failed === (region.last === 'failure')
  const streak = agrees ? region.streak + 1 : 1
  const run_at = agrees ? (region.run_at ?? scheduled_at) : scheduled_at
  const lasted = scheduled_at - run_at
  const failures = failuresAfter(region.failures, result, confirmation.failure_rate)
  const often = confirmation.failure_rate !== null && failures.length >= Math.max(confirmation.failure_rate.failures, 1)

  let { vote, down_from, by_rate } = region
  if (failed) {
    const confirmed = streak >= confirmation.rounds && lasted >= confirmation.min_seconds * 1000
    if (vote !== 'down' && (confirmed || often)) {
      vote = 'down'
      if (!confirmed) by_rate = true
      down_from = Math.min(confirmed ? run_at : scheduled_at, often ? (failures[0] ?? scheduled_at) : scheduled_at)
    }
  } else if (vote !== 'down') vote = 'up'
  else if (streak >= confirmation.recovery_rounds && lasted >= confirmation.recovery_seconds * 1000 && !often) {
    vote = 'up'
    down_from = null
    by_rate = undefined
  }

  const next: RegionRow = {
    region: region.region,
    vote,
    last: failed ? 'failure' : result.outcome === 'degraded' ? 'degraded' : 'success',
    streak,
    run_at,
    down_from,
    failures,
    last_seq: result.seq,
    last_at: received_at,
    heard_at: clock,
    stale: false,
    since: region.since,
    reason: result.reason,
    status_code: result.status_code,
    response_time_ms: result.timings_ms.total
  }
  if (by_rate) next.by_rate = true
  if (region.alone_at !== undefined) next.alone_at = region.alone_at
  if (region.advisory) next.advisory = true
  if (region.since === null || verdictOf(next) !== verdictOf(region)) next.since = at
  return next
}

/** True while the last result of the region is younger than the window. */
export const isFresh = (region: RegionRow, clock: number, window: number): boolean =>
  region.heard_at !== null && clock < region.heard_at + window

/** Updates the staleness of the regions at `clock`. Returns the same array when nothing changes. */
export function aged(regions: RegionRow[], clock: number, window: number): RegionRow[] {
  let after = regions
  for (let nth = 0; nth < regions.length; nth++) {
    const region = regions[nth]
    if (!region || region.heard_at === null || region.stale !== isFresh(region, clock, window)) continue
    if (after === regions) after = regions.slice()
    after[nth] = { ...region, stale: !region.stale }
  }
  return after
}

/** The counted votes of the fresh regions. */
export interface Tally {
  /** Number of configured regions. */
  configured: number
  fresh: number
  down: number
  up: number
  /** Fresh regions whose last result failed. */
  failed: number
  /** Fresh regions whose last result failed, or that still vote down. */
  failing: number
  /** Fresh regions that vote up and whose last result was degraded. */
  degraded: number
  /** Votes for down that a change to down needs, by the monitor's rule. */
  needed: number
  /** Votes for up that a change to up needs: a strict majority of the fresh regions. */
  majority: number
  /** Number of fresh regions below which the status cannot change. */
  quorum: number
}

/** Counts the votes of `aged` regions. */
export function tally(regions: readonly RegionRow[], confirmation: Confirmation): Tally {
  let [fresh, down, up, failed, failing, degraded] = [0, 0, 0, 0, 0, 0]
  for (const region of regions) {
    if (region.heard_at === null || region.stale) continue
    fresh += 1
    if (region.vote === 'down') down += 1
    if (region.vote === 'up') up += 1
    if (region.last === 'failure') failed += 1
    if (region.last === 'failure' || region.vote === 'down') failing += 1
    else if (region.last === 'degraded') degraded += 1
  }
  const configured = regions.length
  const quorum = configured >= 2 ? (configured >> 1) + 1 : 1
  return {
    configured,
    fresh,
    down,
    up,
    failed,
    failing,
    degraded,
    needed: neededOf(confirmation, fresh),
    majority: (fresh >> 1) + 1,
    quorum
  }
}

/**
 * Votes for down that a change to down needs. At least 1; a count is capped at the number of fresh
 * regions.
 */
export function neededOf({ regions, count }: Confirmation, fresh: number): number {
  if (regions === 'any') return 1
  if (regions === 'all') return Math.max(fresh, 1)
  if (regions === 'count' && count !== null) return Math.max(Math.min(count, fresh), 1)
  return (fresh >> 1) + 1
}

/** The first tick time at which a fresh region becomes stale; null when none is fresh. */
export function staleAt(regions: readonly RegionRow[], window: number): number | null {
  let first: number | null = null
  for (const { heard_at, stale } of regions) {
    if (heard_at !== null && !stale && (first === null || heard_at + window < first)) first = heard_at + window
  }
  return first
}

/** The state of a region as records and HTTP responses show it. */
export const regionState = (region: RegionRow): RegionState => ({
  region: region.region,
  state: region.heard_at !== null && region.stale ? 'stale' : verdictOf(region),
  fresh: region.heard_at !== null && !region.stale,
  streak: region.streak,
  last_seq: region.last_seq,
  last_at: region.last_at,
  since: region.since,
  reason: region.reason,
  status_code: region.status_code,
  response_time_ms: region.response_time_ms,
  failures: region.failures.length,
  down_by: region.vote !== 'down' ? null : region.by_rate ? 'failure_rate' : 'rounds',
  advisory: region.advisory === true
})
