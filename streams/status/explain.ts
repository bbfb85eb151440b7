/**
 * Explains why a monitor has its status: what each region votes and by which rule, whether enough
 * regions are fresh, how the votes are counted, and whether the monitor flaps. Pure; it reads only
 * the row of the fold.
 * Source: docs/design/api/data.md#dt-10, docs/design/api/decision-rules.md#s23-2, #s23-3, #s23-9.
 */
import { changesPercent } from './rules.ts'
import type { MonitorRow, RegionRow } from './state.ts'
import { tally } from './votes.ts'

export interface StatusStep {
  rule: 'rounds' | 'failure_rate' | 'quorum' | 'vote' | 'flap'
  values: Record<string, unknown>
  /** For people. */
  verdict: string
}

const times = (count: number, what: string): string => `${count} ${count === 1 ? what : `${what}s in a row`}`

/**
 * For how many seconds the last results of the region have agreed, between their slots: a `seq` is
 * the slot of its result.
 */
const lastedSeconds = ({ run_at, last_seq }: RegionRow): number =>
  run_at === null || last_seq === null ? 0 : Math.max(0, Math.floor((last_seq - run_at) / 1000))

/**
 * Returns the condition that keeps the region from the other vote, although its last results say
 * it: the first that is not met. Null when its vote says what its last result says.
 */
function waitsFor(region: RegionRow, { config }: MonitorRow): 'rounds' | 'seconds' | 'failure_rate' | null {
  const { last, vote, streak, failures } = region
  const { rounds, min_seconds, recovery_rounds, recovery_seconds, failure_rate } = config.confirmation
  if (last === null || (last === 'failure') === (vote === 'down')) return null
  if (streak < (last === 'failure' ? rounds : recovery_rounds)) return 'rounds'
  if (last === 'failure') return min_seconds > 0 ? 'seconds' : 'rounds'
  const isOften = failure_rate !== null && failures.length >= failure_rate.failures
  return isOften && lastedSeconds(region) >= recovery_seconds ? 'failure_rate' : recovery_seconds > 0 ? 'seconds' : 'rounds'
}

function regionVerdict(row: RegionRow, monitor: MonitorRow): string {
  const { region, vote, last, streak, stale, by_rate, failures, advisory } = row
  const { rounds, min_seconds, recovery_rounds, recovery_seconds, failure_rate } = monitor.config.confirmation
  const often = `${failures.length} failures within ${failure_rate?.window_seconds ?? 0} s.`
  if (last === null) return `${region} has no result yet.`
  if (stale) return `${region} abstains: it has no fresh result.`
  const waits = waitsFor(row, monitor)
  const lasted = `for ${lastedSeconds(row)} of ${last === 'failure' ? min_seconds : recovery_seconds} s.`
  const failed = waits === 'seconds' ? `it has failed ${lasted}` : `it failed ${streak} of ${rounds} times in a row.`
  if (vote === null) return `${region} has no vote yet: ${failed}`
  if (vote === 'up') return last === 'failure' ? `${region} still votes up: ${failed}` : `${region} votes up.`
  const alone = advisory ? ' It alone has failed for long.' : ''
  if (waits === 'seconds') return `${region} still votes down: it has succeeded ${lasted}${alone}`
  if (waits === 'failure_rate') return `${region} still votes down: ${often}${alone}`
  if (waits === 'rounds') return `${region} still votes down: it succeeded ${streak} of ${recovery_rounds} times in a row.${alone}`
  if (by_rate) return `${region} votes down: ${often}${alone}`
  return `${region} votes down: ${times(streak, 'failure')}.${alone}`
}

const regionStep = (region: RegionRow, row: MonitorRow): StatusStep => ({
  rule: region.by_rate ? 'failure_rate' : 'rounds',
  values: {
    region: region.region,
    vote: region.vote,
    last: region.last,
    streak: region.streak,
    failures: region.failures.length,
    lasted_seconds: lastedSeconds(region),
    waits_for: waitsFor(region, row),
    fresh: region.heard_at !== null && !region.stale,
    advisory: region.advisory === true
  },
  verdict: regionVerdict(region, row)
})

function flapStep({ config: { flap }, history, flapping }: MonitorRow): StatusStep[] {
  if (!flap.enabled) return []
  const changes_percent = Math.round(changesPercent(flap, history))
  const { window_rounds, high_percent, low_percent } = flap
  const share = `${changes_percent} % of the last ${window_rounds} rounds are changes`
  const verdict = flapping
    ? `It flaps: ${share}; it ends at ${low_percent} %.`
    : `It does not flap: ${share}; it begins at ${high_percent} %.`
  return [{ rule: 'flap', values: { changes_percent, high_percent, low_percent, flapping }, verdict }]
}

/** Returns the steps in the order in which they decide. A paused monitor has no steps. */
export function statusSteps(row: MonitorRow): StatusStep[] {
  if (row.status === 'paused') return []
  const { configured, fresh, down, up, needed, majority, quorum } = tally(row.regions, row.config.confirmation)
  const enough = fresh >= quorum
  return [
    ...row.regions.map((region) => regionStep(region, row)),
    {
      rule: 'quorum',
      values: { configured, fresh, quorum },
      verdict: `${fresh} of ${configured} regions have a fresh result; ${quorum} ${quorum === 1 ? 'is' : 'are'} needed for a change${enough ? '' : ', so the status stays'}.`
    },
    {
      rule: 'vote',
      values: { down, up, needed, majority, status: row.status, phase: row.phase },
      verdict: `${down} vote down, and ${needed} would make it down; ${up} vote up, and ${majority} would bring it up.`
    },
    ...flapStep(row)
  ]
}
