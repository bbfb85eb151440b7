/**
 * The model of heartbeats: when a heartbeat must be missed and well again, by
 * docs/design/api/heartbeats.md#s4-1, docs/design/api/decision-rules.md#s23-10 and
 * docs/design/architecture.md#s6-heartbeats. It is written from these documents, not from the fold.
 * It knows one partition and reads its records one by one.
 *
 * Exact: status, reported phases (failed, unknown, paused), version, time, reason and deadline of
 * every transition, and status, deadline and open runs of every row after every chunk. Schedules
 * are periods, or crons of every minute or every fifth minute, whose slots need no calendar.
 */
import type { HeartbeatConfig, HeartbeatPing } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import { PartitionClock } from './time.ts'

interface OpenRun {
  id: string | null
  from: number
  moved: number
  /** The slot that waited for its end was missed. */
  lost: boolean
}

/** When the next ping is expected, and what moves its deadline. */
interface Slot {
  expected: number
  /**
   * Extended by a run that started in time and by gaps between ticks; not before the end of a
   * door's gap.
   */
  extended: number
  moved: number
  door: number | null
}

type Loud = 'failed' | 'unknown' | 'paused' | null

export interface HeartbeatFacts {
  config: HeartbeatConfig
  status: 'up' | 'missed'
  /** The phase if the fold reports it, else null. */
  loud: Loud
  reason: string | null
  ver: number
  slot: Slot | null
  runs: OpenRun[]
  finish: number | null
  judged: number | null
  miss: { expected: number; deadline: number } | null
  failures: number
  good: number
}

/** A transition that the fold must have emitted. */
export interface Told {
  id: string
  ver: number
  at: number
  from: string
  to: string
  loud: Loud
  reason: string | null
  /** Why its incident ends without a recovery. */
  ends: string | null
}

type Early = { ping: HeartbeatPing; until: number } | { gap: 'tick' | 'door'; from: number; to: number }

/** A miss waits this long after its deadline for pings that are still on their way. */
export const LATENESS = 8000
const EARLY = 60_000
/** The end of a run is awaited for so long at most. */
const AWAITED = 7 * 86_400_000
/** A ping of a cron job still counts for a slot this soon after it. */
const PUNCTUAL = 2000

const graceOf = ({ config }: HeartbeatFacts): number => config.grace_seconds * 1000

/** Returns the first slot after an instant. */
function next({ schedule_kind, period_seconds, cron }: HeartbeatConfig, after: number): number {
  if (schedule_kind === 'period') return after + (period_seconds ?? 0) * 1000
  const step = cron === '* * * * *' ? 60_000 : 300_000
  return (Math.floor(after / step) + 1) * step
}

/** What is expected within a maintenance window is not judged; `config` is that of its end. */
function afterWindow(config: HeartbeatConfig, finish: number): number {
  if (config.schedule_kind === 'cron') return next(config, Math.max(finish + PUNCTUAL, config.at))
  const expected = next(config, finish)
  return expected > config.at ? expected : next(config, config.at)
}

function deadlineOf(facts: HeartbeatFacts): number | null {
  const { slot } = facts
  if (!slot) return null
  const planned = slot.expected + graceOf(facts) + slot.extended + slot.moved
  return slot.door === null ? planned : Math.max(planned, slot.door + graceOf(facts))
}

const limitOf = ({ config }: HeartbeatFacts, run: OpenRun): number =>
  config.max_run_seconds === null ? Number.POSITIVE_INFINITY : run.from + config.max_run_seconds * 1000 + run.moved

const copy = (facts: HeartbeatFacts): HeartbeatFacts => ({
  ...facts,
  slot: facts.slot && { ...facts.slot },
  runs: facts.runs.map((run) => ({ ...run }))
})

export class HeartbeatModel {
  heartbeats = new Map<string, HeartbeatFacts>()
  readonly #time = new PartitionClock()
  #early = new Map<string, Early[]>()
  #saved = new Map<string, HeartbeatFacts | Early[]>()
  #told: Told[] = []
  /** Targets of the last chunk. */
  readonly touched = new Set<string>()

  /** Returns what the fold must have emitted for the records, in order for each heartbeat. */
  take(inputs: readonly Input[]): Told[] {
    this.#told = []
    this.touched.clear()
    for (const input of inputs) {
      const at = input.timestamp
      if (input.record === 'HeartbeatPing') this.#received(input.value, at)
      else if (input.record === 'Tick') this.#tick(input.value.t, at)
      else if (input.record === 'DoorGap') this.#doorGap(input.value.from, input.value.to, at)
      else if (input.record === 'HeartbeatConfig') this.#config(input.value, at)
    }
    return this.#told
  }

  save(keys: Iterable<string>): void {
    for (const key of keys) {
      if (key.startsWith('partition:')) this.#time.save()
      else if (key.startsWith('early:')) {
        const early = this.#early.get(key.slice('early:'.length))
        if (early) this.#saved.set(key, [...early])
        else this.#saved.delete(key)
      } else {
        const facts = this.heartbeats.get(key)
        if (facts) this.#saved.set(key, copy(facts))
        else this.#saved.delete(key)
      }
    }
  }

  reload(): void {
    this.heartbeats = new Map()
    this.#early = new Map()
    for (const [key, saved] of this.#saved) {
      if (Array.isArray(saved)) this.#early.set(key.slice('early:'.length), [...saved])
      else this.heartbeats.set(key, copy(saved))
    }
    this.#time.reload()
  }

  /** Returns a heartbeat whose stored row lacks something; null: none. */
  lagging(): string | null {
    if (!this.#time.isSaved) return 'the partition'
    for (const [key, facts] of this.heartbeats) {
      const saved = this.#saved.get(key)
      if (!saved || Array.isArray(saved) || saved.ver !== facts.ver || saved.config !== facts.config) return key
      if (saved.status !== facts.status || saved.finish !== facts.finish || deadlineOf(saved) !== deadlineOf(facts)) return key
      if (saved.runs.length !== facts.runs.length) return key
    }
    for (const key of this.#saved.keys()) if (!key.startsWith('early:') && !this.heartbeats.has(key)) return key
    return null
  }

  deadlineOf(id: string): number | null {
    const facts = this.heartbeats.get(id)
    return facts ? deadlineOf(facts) : null
  }

  /**
   * Places both ends of the gap in partition time. The attempt to write it began 5 s before its
   * end.
   */
  #doorGap(from: number, to: number, at: number): void {
    const begun = to - 5000
    const shift = this.#time.placed(begun, at) - begun
    if (shift === 0) this.#gap('door', from, to, at)
    else this.#gap('door', from + shift - 6000, to + shift, at)
  }

  #received(sent: HeartbeatPing, at: number): void {
    const ping = { ...sent, received_at: this.#time.placed(sent.received_at, at) }
    const facts = this.heartbeats.get(ping.heartbeat_id)
    this.touched.add(ping.heartbeat_id)
    if (facts) this.#ping(facts, ping, at)
    else if (ping.kind !== 'log') {
      const early = this.#early.get(ping.heartbeat_id) ?? []
      this.#early.set(ping.heartbeat_id, [...early, { ping, until: (this.#time.at(at) ?? at) + EARLY }].slice(-100))
    }
  }

  #config(config: HeartbeatConfig, at: number): void {
    const facts = this.heartbeats.get(config.heartbeat_id)
    this.touched.add(config.heartbeat_id)
    if (!facts) this.#first(config, at)
    else if (config.version > facts.config.version) this.#changed(facts, config, at)
  }

  #first(config: HeartbeatConfig, at: number): void {
    const { heartbeat_id } = config
    const early = this.#early.get(heartbeat_id) ?? []
    this.#early.delete(heartbeat_id)
    if (config.deleted) return
    const facts: HeartbeatFacts = {
      config,
      status: 'up',
      loud: config.paused ? 'paused' : null,
      reason: null,
      ver: 0,
      slot: null,
      runs: [],
      finish: null,
      judged: null,
      miss: null,
      failures: 0,
      good: 0
    }
    this.heartbeats.set(heartbeat_id, facts)
    for (const one of early) {
      if ('gap' in one) this.#move(facts, one.gap, one.from, one.to, at)
      else if (this.#time.tick === null || one.until > this.#time.tick) this.#ping(facts, one.ping, at)
    }
  }

  #changed(facts: HeartbeatFacts, config: HeartbeatConfig, at: number): void {
    const before = { ...facts }
    const isOther =
      config.schedule_kind !== facts.config.schedule_kind ||
      config.period_seconds !== facts.config.period_seconds ||
      config.cron !== facts.config.cron ||
      config.time_zone !== facts.config.time_zone
    facts.config = config
    if (config.deleted) {
      if (facts.status === 'missed') {
        well(facts)
        facts.loud = null
        this.#tell(before, facts, at, 'monitor_deleted')
      }
      this.heartbeats.delete(config.heartbeat_id)
      return
    }
    const isNew = isOther && !config.keep_phase
    // A maintenance window is no new beginning: it keeps when the job finished last.
    const kept = (config.paused ? config : before.config).pause_reason === 'maintenance' && !isNew ? before.finish : null
    if (config.paused) {
      blank(facts)
      facts.loud = 'paused'
      facts.finish = kept
    } else if (before.loud === 'paused' || isNew) {
      blank(facts)
      well(facts)
      facts.loud = null
      if (before.loud === 'paused' && kept !== null) {
        facts.finish = kept
        facts.slot = { expected: afterWindow(config, kept), extended: 0, moved: 0, door: null }
      }
    } else if (isOther && facts.slot) {
      const last = facts.finish ?? config.at
      const isCron = config.schedule_kind === 'cron'
      const expected = next(config, isCron ? Math.max(last, config.at, facts.judged ?? 0) : last)
      facts.slot = { expected: isCron ? expected : Math.max(expected, config.at), extended: 0, moved: 0, door: null }
    }
    const isLater = isOther || config.grace_seconds !== before.config.grace_seconds
    const { finish: finished } = facts
    // A first limit does not judge runs that were over it before the job last finished.
    if (before.config.max_run_seconds === null && finished !== null)
      facts.runs = facts.runs.filter((run) => limitOf(facts, run) >= finished)
    if (isLater || config.max_run_seconds !== before.config.max_run_seconds) startedBefore(facts)
    const isPause = config.paused && before.loud !== 'paused'
    this.#tell(before, facts, at, isPause && config.resolve_open ? 'user' : null)
  }

  #ping(facts: HeartbeatFacts, { kind, run_id, exit_code, received_at }: HeartbeatPing, at: number): void {
    if (kind === 'log') return
    if (facts.loud === 'paused' && !facts.config.unpause_on_ping) {
      if (facts.config.pause_reason === 'maintenance' && kind !== 'start') facts.finish = Math.max(facts.finish ?? 0, received_at)
      return
    }
    if (facts.loud === 'paused') {
      const paused = { ...facts }
      blank(facts)
      well(facts)
      facts.loud = null
      facts.config = { ...facts.config, paused: false, unpause_on_ping: false }
      this.#tell(paused, facts, at)
    }
    const before = { ...facts }
    if (kind === 'start') start(facts, run_id, received_at)
    else {
      const nth = run_id === null ? facts.runs.length - 1 : facts.runs.findIndex(({ id }) => id === run_id)
      const ran = facts.runs[nth]
      facts.runs = facts.runs.filter((_, place) => place !== nth)
      if (facts.config.max_run_seconds === null)
        facts.runs = facts.runs.filter(({ lost, from }) => received_at - from <= AWAITED && (!lost || ran?.lost === true))
      finish(facts, received_at)
      const { min_run_seconds } = facts.config
      const isGood = kind === 'success' || exit_code === 0
      const isShort = ran !== undefined && min_run_seconds !== null && Math.max(0, received_at - ran.from) < min_run_seconds * 1000
      if (isGood && !isShort) success(facts, received_at)
      else failure(facts, isGood ? 'underrun' : 'failed')
    }
    this.#tell(before, facts, at)
  }

  #tick(t: number, at: number): void {
    const last = this.#time.tick
    if (!this.#time.take(t, at)) return
    if (last !== null && t - last > 3000) this.#gap('tick', last, t, at)
    for (const [id, early] of this.#early) {
      if (early.every((one) => 'gap' in one || one.until <= t)) this.#early.delete(id)
    }
    for (const facts of this.heartbeats.values()) while (this.#judge(facts, t, at));
  }

  /** Decides one thing that is overdue at the tick. */
  #judge(facts: HeartbeatFacts, t: number, at: number): boolean {
    if (facts.loud === 'paused') return false
    const before = { ...facts }
    const due = deadlineOf(facts) ?? Number.POSITIVE_INFINITY
    const [run] = [...facts.runs].sort((one, other) => limitOf(facts, one) - limitOf(facts, other))
    const limit = run ? limitOf(facts, run) : Number.POSITIVE_INFINITY
    if (run && limit <= due && limit + LATENESS <= t) {
      facts.runs = facts.runs.filter((one) => one !== run)
      facts.miss = { expected: run.from, deadline: limit }
      if (due === limit) pass(facts, due)
      ;[facts.status, facts.loud, facts.reason] = ['missed', 'failed', 'overrun']
    } else if (facts.slot && due + LATENESS <= t) {
      facts.miss = { expected: facts.slot.expected, deadline: due }
      facts.runs = facts.runs.map((one) => ({ ...one, lost: one.lost || one.from <= due }))
      pass(facts, due)
      if (facts.status === 'up') [facts.status, facts.loud, facts.reason] = ['missed', null, 'missed']
    } else return false
    facts.good = 0
    this.touched.add(facts.config.heartbeat_id)
    this.#tell(before, facts, at)
    return true
  }

  #gap(kind: 'tick' | 'door', from: number, to: number, at: number): void {
    for (const facts of this.heartbeats.values()) this.#move(facts, kind, from, to, at)
    for (const [id, early] of this.#early) {
      const later = early.map((one) =>
        kind === 'tick' && !('gap' in one) && one.until > from ? { ...one, until: one.until + to - from } : one
      )
      this.#early.set(id, [...later, { gap: kind, from, to }])
    }
  }

  #move(facts: HeartbeatFacts, kind: 'tick' | 'door', from: number, to: number, at: number): void {
    if (facts.loud === 'paused') return
    const before = { ...facts }
    const isOpen = facts.slot !== null && facts.slot.expected <= to
    const moved = kind === 'tick' ? moveByTicks(facts, from, to) : moveByDoor(facts, from, to)
    if (!moved) return
    this.touched.add(facts.config.heartbeat_id)
    if (facts.status === 'up' && isOpen) facts.loud = 'unknown'
    this.#tell(before, facts, at)
  }

  #tell(before: HeartbeatFacts, facts: HeartbeatFacts, at: number, ends: string | null = null): void {
    if (before.status === facts.status && before.loud === facts.loud) return
    facts.ver += 1
    const { ver, status, loud, reason } = facts
    this.#told.push({ id: facts.config.heartbeat_id, ver, at, from: before.status, to: status, loud, reason, ends })
  }
}

function blank(facts: HeartbeatFacts): void {
  facts.slot = null
  facts.runs = []
  facts.finish = null
  facts.judged = null
  facts.failures = 0
  facts.good = 0
}

function well(facts: HeartbeatFacts): void {
  facts.status = 'up'
  facts.reason = null
  facts.miss = null
  facts.good = 0
}

function pass(facts: HeartbeatFacts, due: number): void {
  if (!facts.slot) return
  facts.judged = facts.slot.expected
  facts.slot = { expected: next(facts.config, due - graceOf(facts)), extended: 0, moved: 0, door: null }
}

function extend(facts: HeartbeatFacts, at: number): void {
  const { max_run_seconds } = facts.config
  const deadline = deadlineOf(facts) ?? 0
  if (!facts.slot || at > deadline || facts.slot.extended > 0) return
  const until = at + (max_run_seconds === null ? graceOf(facts) : max_run_seconds * 1000)
  facts.slot.extended = Math.max(0, until - deadline)
}

/** Other settings count at once for the runs that are open. */
function startedBefore(facts: HeartbeatFacts): void {
  if (facts.slot) facts.slot.extended = 0
  for (const { from, moved } of facts.runs) extend(facts, from + moved)
}

/** A run begins. The first one that starts in time moves the deadline. */
function start(facts: HeartbeatFacts, id: string | null, at: number): void {
  if (id === null || !facts.runs.some((run) => run.id === id)) {
    const others = facts.runs.filter((run) => id !== null || run.id !== null)
    facts.runs = [...others, { id, from: at, moved: 0, lost: false }].slice(-20)
  }
  facts.slot ??= { expected: next(facts.config, at), extended: 0, moved: 0, door: null }
  extend(facts, at)
  if (facts.status === 'up') facts.loud = null
}

/** A run ended in success or failure, which satisfies the slots up to it. */
function finish(facts: HeartbeatFacts, at: number): void {
  const isCron = facts.config.schedule_kind === 'cron'
  if (facts.runs.length === 0 && facts.slot) facts.slot = { ...facts.slot, extended: 0 }
  if (facts.finish !== null && at <= facts.finish) return
  facts.finish = at
  const counts = isCron ? at + PUNCTUAL : at
  if (isCron && facts.slot && counts < facts.slot.expected) return
  if (facts.slot) facts.judged = facts.slot.expected
  facts.slot = { expected: next(facts.config, isCron ? Math.max(counts, facts.judged ?? counts) : at), extended: 0, moved: 0, door: null }
}

function success(facts: HeartbeatFacts, at: number): void {
  facts.failures = 0
  if (facts.status === 'missed') {
    const { miss, config } = facts
    const isInTime = miss !== null && at <= miss.deadline && (config.schedule_kind !== 'cron' || at + PUNCTUAL >= miss.expected)
    facts.good += 1
    if (!isInTime && facts.good < config.recovery_pings) return
    well(facts)
  }
  facts.loud = null
}

function failure(facts: HeartbeatFacts, reason: 'failed' | 'underrun'): void {
  facts.failures += 1
  facts.good = 0
  if (facts.failures > facts.config.fail_tolerance) {
    ;[facts.status, facts.loud, facts.reason, facts.miss] = ['missed', 'failed', reason, null]
  } else if (facts.status === 'up') facts.loud = null
}

/** While there were no ticks, no ping could arrive, so every open deadline moves by the gap. */
function moveByTicks(facts: HeartbeatFacts, from: number, to: number): boolean {
  if (!facts.slot && facts.runs.length === 0) return false
  if (facts.slot) {
    const { door, moved } = facts.slot
    const later = door === null ? null : door <= from ? door + to - from : Math.max(door, to)
    facts.slot = { ...facts.slot, moved: moved + to - from, door: later }
  }
  facts.runs = facts.runs.map((run) => ({ ...run, moved: run.moved + to - from }))
  return true
}

/** A ping due by the end of a door's gap may have been refused. */
function moveByDoor(facts: HeartbeatFacts, from: number, to: number): boolean {
  const deadline = deadlineOf(facts)
  const floor = to + graceOf(facts)
  let moved = false
  if (facts.slot && deadline !== null && facts.slot.expected <= to && deadline >= from && floor > deadline) {
    facts.slot = { ...facts.slot, door: to }
    moved = true
  }
  facts.runs = facts.runs.map((run) => {
    const limit = limitOf(facts, run)
    if (run.from > to || limit < from || limit >= floor || limit === Number.POSITIVE_INFINITY) return run
    moved = true
    return { ...run, moved: run.moved + floor - limit }
  })
  return moved
}
