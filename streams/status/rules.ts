/**
 * The life of one monitor: how its configuration, its results and the ticks of its partition change
 * its status and phase.
 *
 * State    MonitorRow, null for an unknown monitor
 * Inputs   configure (MonitorConfig), observe (a judged CheckResult), review (a tick at which the
 *          row's review is due)
 * Returns  the row after the input; its transition if status, phase or flapping changed, another
 *          region joined, or a region has failed alone for long (advisories.ts); and whether the
 *          row must be stored at once
 * Source   docs/design/specification.md#s3-2; docs/design/architecture.md#s6-monitor-status;
 *          docs/design/api/monitors.md#s3-1, #s3-5 and docs/design/api/decision-rules.md#s23-1 to
 *          #s23-3, #s23-9
 *
 * `fresh`, `down` and `up` count votes (votes.ts). "Enough fresh" means: of n >= 2 configured
 * regions at least floor(n/2)+1 are fresh, or 1 of 1. The first row that fits decides:
 *
 *   status   what the vote says                                              status after   phase after
 *   paused   anything                                                        paused         paused: nothing is judged, but a pushed state is kept
 *   any      none fresh, the first window after a configuration still runs   kept           kept, at first `pending`
 *   any      none fresh                                                      kept           no_data
 *   up       enough fresh, as many down as `confirmation.regions` asks       down           down
 *   up       so many down, but too few fresh                                 up             unconfirmed
 *   up       a fresh region failed last, or still votes down                 up             validating
 *   up       the majority of the fresh is degraded                           up             degraded
 *   up       anything else                                                   up             ok
 *   down     enough fresh, a strict majority up, not as many down as asked   up             as above for up
 *   down     anything else                                                   down           down
 * While the monitor flaps, the phase is `flapping` in place of ok, degraded or validating. A region
 * that begins to vote down while the monitor is down also makes a transition, with the region's
 * code in `joined_region`. Regions that have failed alone for long make one with
 * `advisory_regions`.
 *
 *   configuration                                  what happens
 *   the first one                                  a row, up and pending (or paused); no transition
 *   the same or a lower version                    nothing
 *   a higher version                               applies from the next result or staleness on;
 *                                                  removed regions drop out of the vote
 *   paused                                         status paused; with `resolve_open`, the
 *                                                  transition also ends an incident that earlier
 *                                                  decisions opened
 *   no longer paused                               status up, phase pending; votes, streaks and
 *                                                  rounds are cleared, last_seq is kept. A pushed
 *                                                  state is kept, and the next tick judges it
 *   no longer over TLS                             the stored certificate is cleared; a result by
 *                                                  older settings does not restore one
 *   degraded opens incidents no more               a monitor that is up, neither well nor flapping,
 *                                                  makes a transition that ends its incident
 *   deleted                                        a monitor that may have an incident (it is down,
 *                                                  flapping, or degraded where that opens one) is
 *                                                  reported up, and so is a paused one whose
 *                                                  incident was to stay open; the row is dropped;
 *                                                  later records concern an unknown monitor
 *
 * Flapping is measured over the last 21 rounds. A round is failing when so many fresh regions
 * failed last that the monitor would be down if those failures were confirmed. The measure is the
 * number of changes between failing and not failing, as a share of `flap.window_rounds` (at most
 * 20). Flapping begins at high_percent and ends at low_percent. It holds notifications, not state.
 */
import type { CheckResult, MonitorConfig, MonitorTransition, RegionState } from '../../schemas/generated/events.ts'
import { PUSHED } from '../../schemas/http/check-words.ts'
import type { Cause } from '../define.ts'
import { advisoryAt, begunAdvisories, withAdvisories } from './advisories.ts'
import type { LastFailure, MonitorRow, RegionRow } from './state.ts'
import {
  aged,
  type Heard,
  isFresh,
  isLate,
  judge,
  regionState,
  speaksOfTarget,
  staleAt,
  type Tally,
  tally,
  unheard,
  verdictOf,
  windowOf
} from './votes.ts'

/** The time and the cause of a change to a row. */
export interface Moment extends Heard {
  cause(): Cause
  /** event_id of one version of a monitor: UUIDv5 of both arguments. */
  id(monitor_id: string, ver: number): string
}

export interface Step {
  /** Null when the row is dropped. */
  row: MonitorRow | null
  /** The row is dropped after its transition is sent. */
  gone?: true
  transition: MonitorTransition | null
  /** False when only watermarks moved; these may be stored later. */
  matters: boolean
  /** The configuration alone changed the monitor's record in monitor.state.v1. */
  restated: boolean
}

const step = (row: MonitorRow | null, matters: boolean, restated = false): Step => ({ row, transition: null, matters, restated })

export function configure(before: MonitorRow | null, given: MonitorConfig, moment: Moment): Step | null {
  if (before && given.version <= before.config.version) return null
  const row = before && leavesTls(before.config, given) ? { ...before, ...noCertificate } : before
  if (given.deleted) {
    if (!row || !mayHaveIncident(row)) return row && step(null, true, true)
    // The monitor began to fail between the command and this record; otherwise its incident would
    // already be resolved. No later record can report that it is over.
    const last: MonitorRow = { ...row, config: given, status: 'up', phase: 'pending', regions: matched(row.regions, given), ...steady }
    return { ...ending(changed(row, last, null, moment), 'monitor_deleted'), gone: true }
  }
  const regions = [...new Set(given.regions)]
  const config = regions.length === given.regions.length ? given : { ...given, regions }
  if (!row) return step(first(config, moment), true, true)

  if (config.paused && row.status !== 'paused') {
    const regions = withAdvisories(matched(row.regions, config), 'paused', config.confirmation, { clock: moment.clock, byTick: false })
    const paused: MonitorRow = { ...row, config, regions, started_at: null, review_at: null, ...steady }
    const step = changed(row, { ...paused, status: 'paused', phase: 'paused' }, null, moment)
    return config.resolve_open ? ending(step, config.pause_reason === 'entitlement' ? 'entitlement' : 'user') : step
  }
  if (!config.paused && row.status === 'paused') {
    const regions = heardBefore(row, config, moment)
    const waiting_until = moment.clock + windowOf(config)
    const resumed: MonitorRow = { ...row, config, regions, waiting_until, ...steady, status: 'up', phase: 'pending' }
    resumed.review_at = isUndecided(resumed) ? moment.clock : waiting_until
    return changed(row, resumed, null, moment)
  }

  const next: MonitorRow = { ...row, config, regions: matched(row.regions, config) }
  if (row.status === 'paused') return step(next, true, true)
  if (next.regions.length !== row.regions.length || next.regions.some((region, nth) => region !== row.regions[nth])) next.round = 0
  // The regions or the interval changed. Missing results count by the new window only after the
  // first such window has passed.
  if (windowOf(config) !== windowOf(row.config) || next.regions.some(({ heard_at }) => heard_at === null))
    next.waiting_until = moment.clock + windowOf(config)
  next.review_at = isUndecided(next) ? moment.clock : (reviewAt(next) ?? (next.phase === 'no_data' ? null : next.waiting_until))
  // By the former settings this state may have opened an incident, and by the new ones no later
  // state need report its end.
  if (isUnwell(row) && !row.flapping && !config.open_on_degraded) return ending(changed(row, next, null, moment), 'user')
  return step(next, true, true)
}

/**
 * Returns the regions of a monitor that is resumed: they must report anew. But what was pushed last
 * is the state until the next push, so a state that is still fresh is kept. Its failure counts from
 * the resume.
 */
function heardBefore(row: MonitorRow, config: MonitorConfig, { at, clock }: Moment): RegionRow[] {
  const window = windowOf(config)
  return matched(row.regions, config).map((region) => {
    if (config.type !== PUSHED || !isFresh(region, clock, window)) return unheard(region.region, region.last_seq)
    return { ...region, stale: false, down_from: region.down_from === null ? null : at }
  })
}

/** Whether a pushed state that was kept over a pause is not yet judged. The next tick does it. */
const isUndecided = ({ phase, regions }: MonitorRow): boolean =>
  phase === 'pending' && regions.some(({ heard_at, stale }) => heard_at !== null && !stale)

/** Whether a degraded state may have opened an incident that is not over yet. */
const isUnwell = ({ status, phase, config }: MonitorRow): boolean =>
  config.open_on_degraded && status === 'up' && phase !== 'ok' && phase !== 'pending'

/** Whether the monitor may have an ongoing incident. */
function mayHaveIncident(row: MonitorRow): boolean {
  if (row.status === 'paused') return !row.config.resolve_open
  return row.status === 'down' || row.flapping || isUnwell(row)
}

const noCertificate = { certificate_not_after: null, certificate_issuer: null, certificate_chain_ok: null }

const leavesTls = (before: MonitorConfig, given: MonitorConfig): boolean => before.over_tls !== false && given.over_tls === false

/**
 * The next tick time at which a tick can change a region: it becomes stale, or its advisory begins.
 */
function reviewAt({ regions, config }: MonitorRow): number | null {
  const stale_at = staleAt(regions, windowOf(config))
  const due = advisoryAt(regions, config.confirmation)
  return due !== null && (stale_at === null || due < stale_at) ? due : stale_at
}

/** The same step, with a transition that ends the ongoing incident for this reason. */
const ending = (step: Step, resolution_reason: string): Step => ({
  ...step,
  transition: step.transition && { ...step.transition, resolution_reason }
})

const steady = { history: 0, round: 0, flapping: false }

function first(config: MonitorConfig, { at, clock, cause, id }: Moment): MonitorRow {
  const waiting_until = clock + windowOf(config)
  return {
    tenant_id: config.tenant_id,
    monitor_id: config.monitor_id,
    config,
    status: config.paused ? 'paused' : 'up',
    phase: config.paused ? 'paused' : 'pending',
    since: at,
    phase_since: at,
    updated_at: at,
    ver: 0,
    event_id: id(config.monitor_id, 0),
    cause: cause(),
    started_at: null,
    ...steady,
    regions: config.regions.map((region) => unheard(region)),
    waiting_until,
    review_at: config.paused ? null : waiting_until,
    judged_version: 0,
    last_checked_at: null,
    last_response_time_ms: null,
    last_failure: null,
    ...noCertificate
  }
}

/** The rows of the configured regions, in the order of the configuration. */
const matched = (regions: readonly RegionRow[], config: MonitorConfig): RegionRow[] =>
  config.regions.map((code) => regions.find(({ region }) => region === code) ?? unheard(code))

const ROUNDS = 21
const HISTORY = (1 << ROUNDS) - 1

/** Returns null when the result is not judged. */
export function observe(row: MonitorRow, result: CheckResult, moment: Moment): Step | null {
  const nth = judgeable(row, result)
  const region = row.regions[nth]
  if (!region) return null
  const { config } = row
  const window = windowOf(config)
  const heard = judge(region, result, config.confirmation, moment)
  if (row.status === 'paused') return heardInPause(row, nth, heard, result, moment)
  const regions = aged(row.regions, moment.clock, window).slice()
  regions[nth] = heard

  const votes = tally(regions, config.confirmation)
  const opens = (row.round & (1 << nth)) !== 0
  const before = opens ? (row.history << 1) & HISTORY : row.history
  const history = votes.failed >= votes.needed ? before | 1 : before & ~1
  const next: MonitorRow = {
    ...row,
    regions,
    history,
    round: opens ? 1 << nth : row.round | (1 << nth),
    flapping: flaps(config, history, row.flapping),
    judged_version: config.version,
    last_checked_at: moment.received_at,
    last_response_time_ms: result.timings_ms.total
  }
  if (heard.last === 'failure') next.last_failure = failureOf(result, moment)
  if (showsCertificate(result, config)) {
    next.certificate_not_after = result.certificate_not_after
    next.certificate_issuer = result.certificate_issuer
    next.certificate_chain_ok = result.certificate_chain_ok
  }
  const decided = decide(row, next, votes, result, moment)
  if (!joins(row, region, heard)) return decided ?? step(next, differs(row, next))
  return joined(decided ?? changed(row, next, result, moment, votes), heard.region)
}

/** A state that is pushed to a paused monitor is kept for the end of the pause. */
function heardInPause(row: MonitorRow, nth: number, heard: RegionRow, result: CheckResult, moment: Moment): Step {
  const regions = row.regions.slice()
  regions[nth] = heard
  const next = { ...row, regions, last_checked_at: moment.received_at, last_response_time_ms: result.timings_ms.total }
  if (heard.last === 'failure') next.last_failure = failureOf(result, moment)
  return step(next, true)
}

/** A result by older settings may show the certificate of another target. */
const showsCertificate = (result: CheckResult, config: MonitorConfig): boolean =>
  result.certificate_not_after !== null && result.config_version >= config.version

/**
 * Whether one more region is affected: it begins to vote down while the monitor is down, or fails
 * again after it was stale.
 */
const joins = ({ status }: MonitorRow, before: RegionRow, after: RegionRow): boolean =>
  status === 'down' && after.vote === 'down' && (before.vote !== 'down' || (before.stale && after.last === 'failure'))

const joined = (step: Step, joined_region: string): Step => ({
  ...step,
  transition: step.transition && { ...step.transition, joined_region }
})

/** Index of the region whose result may be judged; -1 when the result may not be judged. */
export function judgeable(row: MonitorRow, result: CheckResult): number {
  if ((row.status === 'paused' && row.config.type !== PUSHED) || !speaksOfTarget(result) || result.tenant_id !== row.tenant_id) return -1
  const { regions } = row
  for (let nth = 0; nth < regions.length; nth++) {
    const region = regions[nth]
    if (region && region.region === result.region) return isLate(region, result) ? -1 : nth
  }
  return -1
}

/**
 * Detects the most common result cheaply: one more success of a healthy region of a healthy
 * monitor, which moves only watermarks. Returns the region's index, or -1 for any other result. For
 * such a result, `observeCalm` makes the same row as `observe`.
 */
export function calmPlace(row: MonitorRow, result: CheckResult, clock: number): number {
  if (row.phase !== 'ok' || row.history !== 0 || row.flapping || row.judged_version !== row.config.version) return -1
  if (result.outcome !== 'success' || row.review_at === null || clock >= row.review_at) return -1
  if (result.certificate_not_after !== null && result.certificate_not_after !== row.certificate_not_after) return -1
  const nth = judgeable(row, result)
  const region = row.regions[nth]
  if (region?.vote !== 'up' || region.last !== 'success' || region.stale || region.failures.length > 0) return -1
  return nth
}

/**
 * Copies a row so that it can be changed. The list of regions is copied, the regions in it are not.
 * This and the functions below copy field by field, because a spread costs more than all the rest.
 */
export const copyOf = (row: MonitorRow): MonitorRow => ({
  tenant_id: row.tenant_id,
  monitor_id: row.monitor_id,
  config: row.config,
  status: row.status,
  phase: row.phase,
  since: row.since,
  phase_since: row.phase_since,
  updated_at: row.updated_at,
  ver: row.ver,
  event_id: row.event_id,
  cause: row.cause,
  started_at: row.started_at,
  history: row.history,
  round: row.round,
  flapping: row.flapping,
  regions: row.regions.slice(),
  waiting_until: row.waiting_until,
  review_at: row.review_at,
  judged_version: row.judged_version,
  last_checked_at: row.last_checked_at,
  last_response_time_ms: row.last_response_time_ms,
  last_failure: row.last_failure,
  certificate_not_after: row.certificate_not_after,
  certificate_issuer: row.certificate_issuer,
  certificate_chain_ok: row.certificate_chain_ok
})

const calmRegion = (region: RegionRow): RegionRow => ({
  region: region.region,
  vote: 'up',
  last: 'success',
  streak: region.streak,
  run_at: region.run_at,
  down_from: null,
  failures: region.failures,
  last_seq: region.last_seq,
  last_at: region.last_at,
  heard_at: region.heard_at,
  stale: false,
  since: region.since,
  reason: region.reason,
  status_code: region.status_code,
  response_time_ms: region.response_time_ms
})

/**
 * Writes the result to `row`, which must be the caller's own copy (`copyOf`) and calm at `nth`.
 * `ownRegion`: whether the region at `nth` is the caller's own copy, too.
 */
export function observeCalm(row: MonitorRow, nth: number, ownRegion: boolean, result: CheckResult, { clock, received_at }: Heard): void {
  const given = row.regions[nth]
  if (!given) return
  const region = ownRegion ? given : calmRegion(given)
  const total = result.timings_ms.total
  region.streak += 1
  region.last_seq = result.seq
  region.last_at = received_at
  region.heard_at = clock
  region.reason = result.reason
  region.status_code = result.status_code
  region.response_time_ms = total
  row.regions[nth] = region
  const bit = 1 << nth
  row.round = (row.round & bit) !== 0 ? bit : row.round | bit
  row.review_at = staleAt(row.regions, windowOf(row.config))
  row.last_checked_at = received_at
  row.last_response_time_ms = total
  if (!showsCertificate(result, row.config)) return
  row.certificate_issuer = result.certificate_issuer
  row.certificate_chain_ok = result.certificate_chain_ok
}

/**
 * Re-evaluates a row at a tick, because a region may have become stale. Call it when tick time has
 * reached `review_at`.
 */
export function review(row: MonitorRow, moment: Moment): Step {
  const window = windowOf(row.config)
  const regions = aged(row.regions, moment.clock, window)
  const waiting = row.waiting_until > moment.clock ? row.waiting_until : null
  const next: MonitorRow = { ...row, regions }
  const votes = tally(regions, row.config.confirmation)
  const decided = decide(row, next, votes, null, moment) ?? step(next, next.regions !== row.regions)
  if (decided.row) decided.row.review_at ??= waiting
  return decided
}

/** The percentage of changes among the last `window_rounds` rounds. */
export function changesPercent({ window_rounds }: MonitorConfig['flap'], history: number): number {
  const window = Math.min(Math.max(window_rounds, 1), ROUNDS - 1)
  let turns = (history ^ (history >>> 1)) & ((1 << window) - 1)
  let changes = 0
  for (; turns !== 0; turns &= turns - 1) changes += 1
  return (100 * changes) / window
}

/**
 * Whether the monitor flaps after this history. `was`: it flapped before; the lower limit applies
 * then, so flapping ends later than it begins.
 */
function flaps({ flap }: MonitorConfig, history: number, was: boolean): boolean {
  if (!flap.enabled) return false
  const percent = changesPercent(flap, history)
  return was ? percent > flap.low_percent : percent >= flap.high_percent
}

/**
 * Whether a row must be stored at once although no transition reports it. That holds for changed
 * verdicts, and for regions on their way to another vote, because their count must not start again
 * after a crash. A region that continues as before, up or down, moves only watermarks. A crash may
 * also lose the last ten seconds of rounds.
 */
function differs(before: MonitorRow, after: MonitorRow): boolean {
  if (before.judged_version !== after.judged_version || before.certificate_not_after !== after.certificate_not_after) return true
  return after.regions.some((region, nth) => {
    const earlier = before.regions[nth]
    if (!earlier || region === earlier) return !earlier
    if (region.vote !== earlier.vote || region.stale !== earlier.stale || verdictOf(region) !== verdictOf(earlier)) return true
    return (region.last === 'failure') !== (region.vote === 'down') || region.failures.length > 0
  })
}

type Standing = Pick<MonitorRow, 'status' | 'phase'>

function standing({ status, phase, waiting_until, flapping }: MonitorRow, votes: Tally, clock: number): Standing {
  const { fresh, down, up, failing, degraded, needed, majority, quorum } = votes
  if (fresh === 0) return { status, phase: clock < waiting_until ? phase : 'no_data' }
  const enough = fresh >= quorum
  const confirmed = down >= needed
  if (status === 'down' && !(enough && up >= majority)) return { status, phase: 'down' }
  if (confirmed) return enough ? { status: 'down', phase: 'down' } : { status: 'up', phase: 'unconfirmed' }
  if (flapping) return { status: 'up', phase: 'flapping' }
  if (failing > 0) return { status: 'up', phase: 'validating' }
  return { status: 'up', phase: 2 * degraded > fresh ? 'degraded' : 'ok' }
}

/**
 * Returns a step with a transition if the votes cause one. Returns null when status, phase and
 * flapping stay the same and no advisory begins. Writes to `next` the advisory state of each region
 * and the time of the next review.
 */
function decide(before: MonitorRow, next: MonitorRow, votes: Tally, result: CheckResult | null, moment: Moment): Step | null {
  const { status, phase } = standing(next, votes, moment.clock)
  const { confirmation } = next.config
  next.regions = withAdvisories(next.regions, status, confirmation, { clock: moment.clock, byTick: result === null })
  next.review_at = reviewAt(next)
  const isSame = status === before.status && phase === before.phase && next.flapping === before.flapping
  if (isSame && begunAdvisories(before.regions, next.regions).length === 0) return null
  return changed(before, { ...next, status, phase }, result, moment, votes)
}

/** Makes the next version of the row, and the transition that reports it. */
function changed(
  before: MonitorRow,
  next: MonitorRow,
  result: CheckResult | null,
  moment: Moment,
  votes: Tally = tally(next.regions, next.config.confirmation)
): Step {
  const { at } = moment
  const ver = before.ver + 1
  const turned = next.status !== before.status
  const evidence = next.status === 'down' ? firstEvidence(next.regions) : null
  const row: MonitorRow = {
    ...next,
    ver,
    event_id: moment.id(next.monitor_id, ver),
    cause: moment.cause(),
    since: turned ? at : before.since,
    phase_since: next.phase !== before.phase ? at : before.phase_since,
    updated_at: at,
    started_at: next.status !== 'down' ? null : turned ? (evidence?.down_from ?? at) : before.started_at
  }
  return { row, transition: transitionOf(before, row, evidence, result, votes, moment), matters: true, restated: false }
}

/** The fresh region that votes down and whose vote rests on the oldest failure. */
function firstEvidence(regions: readonly RegionRow[]): RegionRow | null {
  let earliest: RegionRow | null = null
  for (const region of regions) {
    if (region.stale || region.down_from === null) continue
    if (earliest === null || region.down_from < (earliest.down_from ?? region.down_from)) earliest = region
  }
  return earliest
}

function transitionOf(
  before: MonitorRow,
  row: MonitorRow,
  evidence: RegionRow | null,
  result: CheckResult | null,
  votes: Tally,
  heard: Heard
): MonitorTransition {
  const { at, received_at } = heard
  const { config, status, phase } = row
  const failing = status === 'down' || phase === 'validating' || phase === 'unconfirmed'
  // The failure that decided. If a tick or a success in another region decided, the last failure
  // seen.
  const failure = !failing ? null : result?.outcome === 'failure' ? failureOf(result, heard) : row.last_failure
  return {
    event_id: row.event_id,
    tenant_id: row.tenant_id,
    monitor_id: row.monitor_id,
    ver: row.ver,
    name: config.name,
    type: config.type,
    previous_status: before.status,
    status,
    previous_phase: before.phase,
    phase,
    at,
    previous_at: before.since,
    started_at: status === 'down' && before.status !== 'down' ? row.started_at : null,
    scheduled_at: result?.scheduled_at ?? null,
    received_at: result === null ? null : received_at,
    region: evidence?.region ?? failure?.region ?? null,
    affected_regions: row.regions.filter(({ vote, stale }) => vote === 'down' && !stale).map(({ region }) => region),
    reason: failure?.reason ?? null,
    message: failure?.message ?? null,
    status_code: result?.status_code ?? null,
    response_time_ms: result?.timings_ms.total ?? null,
    vote: {
      configured: votes.configured,
      fresh: votes.fresh,
      down: votes.down,
      up: votes.up,
      needed: status === 'up' && before.status === 'down' ? votes.majority : votes.needed,
      regions: regionStates(row)
    },
    confirmation: config.confirmation,
    flapping: row.flapping,
    severity: phase === 'degraded' ? config.severity_degraded : config.severity_down,
    escalation_policy_id: config.escalation_policy_id,
    labels: config.labels,
    tags: config.tags,
    team_id: config.team_id,
    visibility: config.visibility,
    cause: row.cause,
    config_versions: { monitor: config.version },
    joined_region: null,
    open_on_degraded: config.open_on_degraded,
    resolution_reason: null,
    advisory_regions: begunAdvisories(before.regions, row.regions)
  }
}

/** The state of each configured region, in the order of the configuration. */
export const regionStates = ({ regions }: MonitorRow): RegionState[] => regions.map(regionState)

/** NUL is replaced because the stores cannot hold it in text. */
const failureOf = ({ region, reason, message, status_code }: CheckResult, { received_at }: Heard): LastFailure => ({
  region,
  reason,
  message: message?.includes('\0') ? message.replaceAll('\0', '\uFFFD') : message,
  at: received_at,
  status_code
})

/** True when tick time has reached the row's next review. */
export const isDue = ({ review_at }: MonitorRow, clock: number): boolean => review_at !== null && clock >= review_at
