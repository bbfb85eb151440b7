/**
 * The model of a monitor's status: what it must be by docs/design/api/monitors.md#s3-5,
 * docs/design/api/decision-rules.md#s23-1 to #s23-3 and docs/design/architecture.md#s6. It is
 * written from these documents, not from the fold. It knows one partition and reads its records one
 * by one.
 *
 * Exact: status, phase, flapping, version, time and votes of every transition, and the row of every
 * monitor after every chunk.
 */
import type { CheckResult, MonitorConfig } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import { PartitionClock } from './time.ts'

interface Region {
  code: string
  vote: 'up' | 'down' | null
  last: CheckResult['outcome'] | null
  /** Number of equal results in a row, and the slot of the first of them. */
  run: number
  run_from: number
  /** The first failure that led to the vote for down. */
  down_from: number | null
  /** Slots of the failures that count for the failure rate. */
  failed: number[]
  /**
   * Since when the region votes down while the monitor is up. Reported when it has lasted long
   * enough.
   */
  alone: number | null
  advised: boolean
  seq: number | null
  heard: number | null
  fresh: boolean
}

export interface MonitorFacts {
  config: MonitorConfig
  status: 'up' | 'down' | 'paused'
  phase: string
  since: number
  ver: number
  regions: Region[]
  /** Until then, missing results mean nothing. */
  patience: number
  /**
   * The last rounds, the current one first: whether enough regions failed to make the monitor down.
   */
  rounds: boolean[]
  /** Regions that have reported in the current round. */
  spoke: Set<string>
  flapping: boolean
}

/** A transition that the fold must have emitted. */
export interface Told {
  id: string
  ver: number
  at: number
  from: string
  to: string
  phase_from: string
  phase: string
  /** configured/fresh/down/up */
  votes: string
  started_at: number | null
  /** A region that began to fail while the monitor was down. */
  joined: string | null
  /** Why its incident ends without a recovery. */
  ends: string | null
  /** Regions that have failed alone for long, separated by commas. */
  advised: string | null
  flapping: boolean
}

const silent = (code: string, seq: number | null = null): Region => ({
  code,
  vote: null,
  last: null,
  run: 0,
  run_from: 0,
  down_from: null,
  failed: [],
  alone: null,
  advised: false,
  seq,
  heard: null,
  fresh: false
})

const freshFor = ({ interval_seconds, timeout_seconds, region_mode, regions }: MonitorConfig): number =>
  1000 * (2 * interval_seconds * (region_mode === 'round_robin' ? Math.max(1, regions.length) : 1) + timeout_seconds)

const copy = (facts: MonitorFacts): MonitorFacts => ({
  ...facts,
  regions: facts.regions.map((region) => ({ ...region })),
  rounds: [...facts.rounds],
  spoke: new Set(facts.spoke)
})

/** The state before any result that could show flapping. */
const steady = () => ({ rounds: Array.from({ length: 21 }, () => false), spoke: new Set<string>(), flapping: false })

export class StatusModel {
  monitors = new Map<string, MonitorFacts>()
  readonly #time = new PartitionClock()
  #stoodStill = 0
  #saved = new Map<string, MonitorFacts>()
  #savedStill = 0
  #told: Told[] = []
  /** Targets of the last chunk. */
  readonly touched = new Set<string>()

  /** Returns what the fold must have emitted for the records, in order for each monitor. */
  take(inputs: readonly Input[]): Told[] {
    this.#told = []
    this.touched.clear()
    for (const input of inputs) {
      if (input.record === 'CheckResult') this.#result(input.value, input.timestamp)
      else if (input.record === 'Tick') this.#tick(input.value.t, input.timestamp)
      else if (input.record === 'MonitorConfig') this.#config(input.value, input.timestamp)
    }
    return this.#told
  }

  /** The store now has these rows in their current state. */
  save(keys: Iterable<string>): void {
    for (const key of keys) {
      if (key.startsWith('partition:')) {
        this.#time.save()
        this.#savedStill = this.#stoodStill
      } else {
        const facts = this.monitors.get(key)
        if (facts) this.#saved.set(key, copy(facts))
        else this.#saved.delete(key)
      }
    }
  }

  /** The processor started anew from what is stored. */
  reload(): void {
    this.monitors = new Map([...this.#saved].map(([key, facts]) => [key, copy(facts)]))
    this.#time.reload()
    this.#stoodStill = this.#savedStill
  }

  /** Returns a monitor whose stored row lacks more than watermarks; null: none. */
  lagging(): string | null {
    if (!this.#time.isSaved || this.#savedStill !== this.#stoodStill) return 'the partition'
    for (const [key, facts] of this.monitors) {
      const saved = this.#saved.get(key)
      if (!saved || saved.ver !== facts.ver || saved.status !== facts.status || saved.config !== facts.config) return key
      for (const [nth, region] of facts.regions.entries()) {
        const before = saved.regions[nth]
        const isUnderWay = (region.last === 'failure') !== (region.vote === 'down')
        if (!before || before.vote !== region.vote || before.fresh !== region.fresh) return key
        if (isUnderWay && (before.run !== region.run || before.last !== region.last)) return key
      }
    }
    for (const key of this.#saved.keys()) if (!this.monitors.has(key)) return key
    return null
  }

  /** Returns partition time: the time of the last tick without the gaps between ticks. */
  #clock(timestamp: number): number {
    return this.#time.tick === null ? timestamp : this.#time.tick - this.#stoodStill
  }

  #config(config: MonitorConfig, at: number): void {
    const { monitor_id } = config
    const clock = this.#clock(at)
    const facts = this.monitors.get(monitor_id)
    if (!facts) {
      if (config.deleted) return
      const regions = config.regions.map((code) => silent(code))
      const standing = config.paused ? ({ status: 'paused', phase: 'paused' } as const) : ({ status: 'up', phase: 'pending' } as const)
      this.monitors.set(monitor_id, { config, ...standing, since: at, ver: 0, regions, patience: clock + freshFor(config), ...steady() })
      return
    }
    if (config.version <= facts.config.version) return
    this.touched.add(monitor_id)
    const before = facts.config
    facts.config = config
    const find = (code: string): Region => facts.regions.find((region) => region.code === code) ?? silent(code)
    const codes = facts.regions.map(({ code }) => code).join()
    facts.regions = config.regions.map(find)
    if (config.regions.join() !== codes) facts.spoke = new Set()
    const hasDegraded = before.open_on_degraded && facts.status === 'up' && facts.phase !== 'ok' && facts.phase !== 'pending'
    const wasFlapping = facts.flapping
    if (config.deleted || config.paused !== (facts.status === 'paused')) Object.assign(facts, steady())
    if (config.deleted) {
      const isOver = facts.status === 'up' ? !hasDegraded && !wasFlapping : facts.status === 'paused' && before.resolve_open
      if (!isOver) this.#change(facts, 'up', 'pending', at, null, 'monitor_deleted')
      this.monitors.delete(monitor_id)
    } else if (config.paused) {
      for (const region of facts.regions) [region.alone, region.advised] = [null, false]
      if (facts.status !== 'paused') this.#change(facts, 'paused', 'paused', at, null, config.resolve_open ? 'user' : null)
    } else if (facts.status === 'paused') {
      // A state that was pushed stays until the next push, also over a pause.
      this.#age(facts, clock)
      facts.regions = facts.regions.map((region) => {
        if (config.type !== 'external' || !region.fresh) return silent(region.code, region.seq)
        return { ...region, down_from: region.down_from === null ? null : at }
      })
      facts.patience = clock + freshFor(config)
      this.#change(facts, 'up', 'pending', at)
    } else {
      if (freshFor(before) !== freshFor(config) || facts.regions.some(({ heard }) => heard === null))
        facts.patience = clock + freshFor(config)
      // What opens incidents no more ends the one that it opened.
      if (hasDegraded && !config.open_on_degraded && !wasFlapping) this.#change(facts, 'up', facts.phase, at, null, 'user')
    }
  }

  #result(result: CheckResult, at: number): void {
    const facts = this.monitors.get(result.monitor_id)
    if (
      !facts ||
      (facts.status === 'paused' && facts.config.type !== 'external') ||
      !result.count ||
      result.tenant_id !== facts.config.tenant_id
    )
      return
    const { outcome, seq, scheduled_at } = result
    if (scheduled_at > (this.#time.at(at) ?? result.received_at) + 5000) return
    if (outcome !== 'success' && outcome !== 'degraded' && outcome !== 'failure') return
    const region = facts.regions.find(({ code }) => code === result.region)
    if (!region || (region.seq !== null && seq <= region.seq)) return
    this.touched.add(result.monitor_id)
    const { rounds, min_seconds, recovery_rounds, recovery_seconds, failure_rate } = facts.config.confirmation
    const isFailure = outcome === 'failure'
    const wasDown = region.vote === 'down'
    const wasStale = region.heard !== null && !region.fresh
    if (region.last !== null && isFailure === (region.last === 'failure')) region.run += 1
    else [region.run, region.run_from] = [1, scheduled_at]
    const lasted = (scheduled_at - region.run_from) / 1000
    const within = region.failed.filter((slot) => failure_rate !== null && slot > scheduled_at - failure_rate.window_seconds * 1000)
    if (failure_rate !== null && isFailure) within.push(scheduled_at)
    region.failed = failure_rate === null ? [] : within.slice(-failure_rate.failures)
    const isOften = failure_rate !== null && region.failed.length === failure_rate.failures
    const isConfirmed = region.run >= rounds && lasted >= min_seconds
    if (isFailure && region.vote !== 'down' && (isConfirmed || isOften)) {
      region.vote = 'down'
      region.down_from = Math.min(...(isConfirmed ? [region.run_from] : []), ...(isOften ? region.failed : []))
    }
    if (!isFailure && (region.vote !== 'down' || (region.run >= recovery_rounds && lasted >= recovery_seconds && !isOften))) {
      region.vote = 'up'
      region.down_from = null
    }
    region.last = outcome
    region.seq = seq
    const clock = this.#clock(at)
    region.heard = clock
    if (facts.status === 'paused') {
      region.fresh = true
      return
    }
    this.#age(facts, clock)
    const joins = facts.status === 'down' && region.vote === 'down' && (!wasDown || (wasStale && isFailure))
    const wasFlapping = facts.flapping
    this.#round(facts, region.code)
    this.#count(facts, at, clock, joins ? region.code : null, false, facts.flapping !== wasFlapping)
  }

  #tick(t: number, at: number): void {
    const last = this.#time.tick
    if (!this.#time.take(t, at)) return
    const gap = last === null ? 0 : t - last
    if (gap > 3000) this.#stoodStill += gap
    const clock = this.#clock(at)
    for (const facts of this.monitors.values()) {
      if (facts.status === 'paused') continue
      const window = freshFor(facts.config)
      const turnsStale = facts.regions.some(({ fresh, heard }) => fresh && heard !== null && clock >= heard + window)
      if (turnsStale) this.#age(facts, clock)
      const isLong = facts.regions.some((region) => !region.advised && failsLong(region, facts.config, clock))
      const isKept = facts.phase === 'pending' && facts.regions.some(({ fresh }) => fresh)
      if (turnsStale || isLong || isKept || (clock >= facts.patience && !facts.regions.some(({ fresh }) => fresh)))
        this.#count(facts, at, clock, null, true)
    }
  }

  #age(facts: MonitorFacts, clock: number): void {
    const window = freshFor(facts.config)
    for (const region of facts.regions) region.fresh = region.heard !== null && clock < region.heard + window
  }

  /** A region reported: in this round, or its report begins the next. */
  #round(facts: MonitorFacts, code: string): void {
    const { flap } = facts.config
    if (facts.spoke.has(code)) {
      facts.rounds = [false, ...facts.rounds.slice(0, 20)]
      facts.spoke = new Set()
    }
    facts.spoke.add(code)
    const fresh = facts.regions.filter((region) => region.fresh)
    const failed = fresh.filter(({ last }) => last === 'failure').length
    facts.rounds[0] = failed >= askedFor(facts.config, fresh.length)
    const changes = facts.rounds.slice(0, flap.window_rounds).filter((bad, nth) => bad !== facts.rounds[nth + 1]).length
    const percent = (100 * changes) / flap.window_rounds
    facts.flapping = flap.enabled && (facts.flapping ? percent > flap.low_percent : percent >= flap.high_percent)
  }

  /** Counts the votes of the fresh regions, and applies the result. */
  #count(facts: MonitorFacts, at: number, clock: number, joined: string | null = null, byTick = false, flaps = false): void {
    const [status, phase] = this.#standing(facts, clock)
    const advised: string[] = []
    for (const region of facts.regions) {
      const isAlone = status === 'up' && region.vote === 'down' && region.fresh
      if (isAlone && byTick && !region.advised && failsLong(region, facts.config, clock)) advised.push(region.code)
      region.alone = isAlone ? (region.alone ?? clock) : null
      region.advised = isAlone && (region.advised || advised.includes(region.code))
    }
    this.#change(facts, status, phase, at, joined, null, advised, flaps)
  }

  #standing(facts: MonitorFacts, clock: number): [MonitorFacts['status'], string] {
    const configured = facts.regions.length
    const fresh = facts.regions.filter((region) => region.fresh)
    const down = fresh.filter(({ vote }) => vote === 'down').length
    const up = fresh.filter(({ vote }) => vote === 'up').length
    const majority = Math.floor(fresh.length / 2) + 1
    const isDown = down >= askedFor(facts.config, fresh.length)
    const isEnough = fresh.length >= (configured < 2 ? 1 : Math.floor(configured / 2) + 1)
    if (fresh.length === 0) return [facts.status, clock >= facts.patience ? 'no_data' : facts.phase]
    if (facts.status === 'down') return isEnough && up >= majority && !isDown ? ['up', upPhase(facts, fresh)] : ['down', 'down']
    if (isDown) return isEnough ? ['down', 'down'] : ['up', 'unconfirmed']
    return ['up', upPhase(facts, fresh)]
  }

  #change(
    facts: MonitorFacts,
    status: MonitorFacts['status'],
    phase: string,
    at: number,
    joined: string | null = null,
    ends: string | null = null,
    advised: readonly string[] = [],
    flaps = false
  ): void {
    if (facts.status === status && facts.phase === phase && joined === null && ends === null && advised.length === 0 && !flaps) return
    const fresh = facts.regions.filter((region) => region.fresh)
    const downs = fresh.filter(({ vote }) => vote === 'down')
    const begins = status === 'down' && facts.status !== 'down'
    facts.ver += 1
    this.touched.add(facts.config.monitor_id)
    this.#told.push({
      id: facts.config.monitor_id,
      ver: facts.ver,
      at,
      from: facts.status,
      to: status,
      phase_from: facts.phase,
      phase,
      votes: `${facts.regions.length}/${fresh.length}/${downs.length}/${fresh.filter(({ vote }) => vote === 'up').length}`,
      started_at: begins ? Math.min(...downs.map(({ down_from }) => down_from ?? at)) : null,
      joined,
      ends,
      advised: advised.length === 0 ? null : advised.join(','),
      flapping: facts.flapping
    })
    if (facts.status !== status) facts.since = at
    facts.status = status
    facts.phase = phase
  }
}

/** Returns how many votes a change to down needs. */
function askedFor({ confirmation: { regions, count } }: MonitorConfig, fresh: number): number {
  const majority = Math.floor(fresh / 2) + 1
  return Math.max(1, { any: 1, majority, all: fresh, count: Math.min(count ?? majority, fresh), unknown: majority }[regions])
}

/** Whether the region has failed alone for as long as the monitor's setting says. */
const failsLong = ({ alone }: Region, { confirmation }: MonitorConfig, clock: number): boolean =>
  alone !== null && clock >= alone + confirmation.advisory_after_seconds * 1000

/** Returns the phase of a monitor that is up, from its fresh regions. */
function upPhase({ flapping }: MonitorFacts, fresh: readonly Region[]): string {
  if (flapping) return 'flapping'
  if (fresh.some(({ last, vote }) => last === 'failure' || vote === 'down')) return 'validating'
  return 2 * fresh.filter(({ last }) => last === 'degraded').length > fresh.length ? 'degraded' : 'ok'
}
