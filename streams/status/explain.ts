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

function regionVerdict({ region, vote, last, streak, stale, by_rate, failures, advisory }: RegionRow, { config }: MonitorRow): string {
  const { rounds, recovery_rounds, failure_rate } = config.confirmation
  if (last === null) return `${region} has no result yet.`
  if (stale) return `${region} abstains: it has no fresh result.`
  if (vote === null) return `${region} has no vote yet: it failed ${streak} of ${rounds} times in a row.`
  if (vote === 'up') {
    if (last !== 'failure') return `${region} votes up.`
    return `${region} still votes up: it failed ${streak} of ${rounds} times in a row.`
  }
  const alone = advisory ? ' It alone has failed for long.' : ''
  if (last !== 'failure') return `${region} still votes down: it succeeded ${streak} of ${recovery_rounds} times in a row.${alone}`
  if (by_rate) return `${region} votes down: ${failures.length} failures within ${failure_rate?.window_seconds ?? 0} s.${alone}`
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
