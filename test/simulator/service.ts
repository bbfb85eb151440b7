/**
 * The service in simulated time: doors, log, clock, processors, relay, notifier and people, driven
 * by operations. Nothing here waits or reads the time, so a history runs as fast as records can be
 * folded.
 */
import type { Outgoing } from '../../streams/define.ts'
import type { HeartbeatState } from '../../streams/heartbeat/state.ts'
import type { MonitorRow, StatusState } from '../../streams/status/state.ts'
import type { Code } from './code.ts'
import { HeartbeatComparison, StatusComparison } from './compare.ts'
import { compareKey } from './compare-keys.ts'
import { DOORS, Doors, type Shared } from './doors.ts'
import { idOf, Log, PARTITIONS } from './log.ts'
import { refuteMiss } from './misses.ts'
import type { HeartbeatModel } from './model/heartbeat.ts'
import { IncidentModel, type KeyFacts } from './model/incident.ts'
import { MIN_MONITORS } from './model/together.ts'
import type { Kind, Operation, Part } from './operations.ts'
import { People } from './people.ts'
import { type Crash, IncidentProcessor, PartitionProcessor } from './processors.ts'
import { Queue } from './queue.ts'
import { beat, Clock, probe } from './rhythms.ts'
import { Rows } from './rows.ts'
import { Settings } from './rule-sets.ts'
import {
  control,
  type Heartbeat,
  heartbeatConfig,
  idFor,
  keyFor,
  type Monitor,
  monitorConfig,
  REGIONS,
  type Target,
  tenantOf,
  tenants
} from './targets.ts'
import { Windows } from './windows.ts'

/** 2026-03-01T12:00:00.000Z. */
export const START = Date.UTC(2026, 2, 1, 12)
/** Most rows that the relay sends in one batch. */
const RELAYED = 500

export class Service {
  readonly world: Shared
  readonly rows: Rows
  readonly doors: Doors
  readonly people: People
  readonly incidents = new IncidentModel()
  readonly status: PartitionProcessor<StatusState>[] = []
  readonly heartbeat: PartitionProcessor<HeartbeatState>[] = []
  readonly incident: IncidentProcessor
  /** By partition. */
  readonly expected: HeartbeatModel[] = []
  readonly targets = new Map<string, Target>()
  readonly deleted = new Map<string, Target>()
  readonly clock: Clock
  readonly #held = new Set<string>()
  readonly code: Code
  readonly settings: Settings
  readonly windows: Windows
  #chunk = { most: 1000, joined: true }
  #kept = START
  /** How far Postgres's clock has drifted. */
  #drift = 0

  constructor(code: Code) {
    this.code = code
    this.world = { log: new Log(), queue: new Queue(), now: START, count: {} }
    const { log } = this.world
    this.rows = new Rows(code)
    this.settings = new Settings(code, this.rows, this.incidents)
    this.doors = new Doors(this.world)
    const compare = (facts: KeyFacts): void => this.compare(facts)
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const checks = log.lane('checks.results.v1', partition)
      const pings = log.lane('heartbeat.pings.v1', partition)
      const missed = new HeartbeatComparison()
      missed.onMiss = (config, offset) =>
        refuteMiss(config, pings.appendedAt[offset] ?? 0, this.doors.accepted.get(config.heartbeat_id) ?? [], this.#drift)
      this.expected.push(missed.model)
      this.status.push(
        new PartitionProcessor(`status ${partition}`, checks, code.status.statusFold(idOf), new StatusComparison(), this.rows, code)
      )
      this.heartbeat.push(
        new PartitionProcessor(`heartbeat ${partition}`, pings, code.heartbeat.heartbeatFold(idOf), missed, this.rows, code)
      )
    }
    const signals = log.lanes.filter(({ topic }) => topic !== 'checks.results.v1' && topic !== 'heartbeat.pings.v1')
    this.incident = new IncidentProcessor(signals, code.incident.incidentFold(idOf), this.rows, this.incidents, compare)
    this.windows = new Windows({
      code,
      rows: this.rows,
      model: this.incidents,
      watched: () => [...this.targets.values()].map(({ kind, n, paused_by, config: { paused } }) => ({ kind, n, paused, paused_by })),
      pause: ({ kind, n }, window, resume_at) => this.#pauseBy(window, kind, n, resume_at),
      resume: ({ kind, n }) => this.#change({ op: 'resume', kind, n })
    })
    this.people = new People({
      windows: this.windows,
      code,
      rows: this.rows,
      model: this.incidents,
      compare,
      isWatchedStill: (key) => this.targets.get(key)?.config.paused === false
    })
    this.clock = new Clock(this.world)
    this.rows.monitorsOf = (tenant_id) => this.#monitorsOf(tenant_id)
    this.incidents.monitorsOf = this.rows.monitorsOf
  }

  /** Compares the rows of a key with its model, as they are now. */
  compare(facts: KeyFacts): void {
    const silences = this.settings.silencesOf(facts.tenant_id)
    compareKey(this.rows, facts, { silences, windows: this.incidents.windows, at: this.postgresNow })
  }

  get postgresNow(): number {
    return this.world.now + this.clock.ahead
  }

  /** Records on the log, plus commands of people and crashes. */
  get events(): number {
    const { commands = 0, crashes = 0 } = this.world.count
    return this.world.log.count + commands + crashes
  }

  counts(): Record<string, number> {
    const counts = { ...this.world.count }
    for (const { records } of this.world.log.lanes) for (const { record } of records) counts[record] = (counts[record] ?? 0) + 1
    return counts
  }

  count(what: string): void {
    const { count } = this.world
    count[what] = (count[what] ?? 0) + 1
  }

  target<K extends Kind>(kind: K, n: number): Extract<Target, { kind: K }> | null {
    const found = this.targets.get(keyFor(kind, n))
    return found?.kind === kind ? (found as Extract<Target, { kind: K }>) : null
  }

  isHeld(part: Part, partition = 0): boolean {
    return this.#held.has(`${part} ${partition}`)
  }

  apply(operation: Operation): void {
    switch (operation.op) {
      case 'pass':
        this.pass(operation.ms, operation.every)
        return
      case 'monitor':
        this.#makeMonitor(operation)
        return
      case 'heartbeat':
        this.#makeHeartbeat(operation)
        return
      case 'target': {
        const monitor = this.target('monitor', operation.n)
        if (monitor)
          Object.assign(monitor, { failing: operation.failing, degraded: operation.degraded, unreachable: operation.unreachable })
        return
      }
      case 'job': {
        const heartbeat = this.target('heartbeat', operation.n)
        if (heartbeat) heartbeat.does = operation.does
        return
      }
      case 'result': {
        const monitor = this.target('monitor', operation.n)
        if (monitor) this.doors.result(monitor, operation.region, operation.outcome, this.world.now - operation.ago, operation.door)
        return
      }
      case 'again':
        this.doors.again(operation.n, operation.region)
        return
      case 'ping':
        this.doors.ping(this.target('heartbeat', operation.n), operation.n, operation)
        return
      case 'alert':
        this.doors.alert(operation)
        return
      case 'act':
        this.count('commands')
        this.people.act(
          { tenant_id: tenantOf(operation.n), dedup_key: keyFor(operation.on, operation.n) },
          operation.does,
          this.postgresNow
        )
        return
      case 'act alert':
        this.count('commands')
        this.people.actOnAlert(
          { tenant_id: tenantOf(operation.n), dedup_key: keyFor(operation.on, operation.n) },
          operation.does,
          this.postgresNow
        )
        return
      case 'rules':
      case 'silence':
      case 'end silence':
        this.count('settings')
        this.settings.change(operation, this.postgresNow)
        return
      case 'window':
        this.count('windows')
        this.windows.make(operation, this.postgresNow)
        return
      case 'change window':
        this.count('windows')
        this.windows.change(operation, this.postgresNow)
        return
      case 'depend':
        this.#depend(operation)
        return
      case 'end outage':
        this.count('commands')
        this.people.endOutage(tenants[operation.tenant], this.postgresNow)
        return
      case 'sweep':
        this.people.sweep(this.postgresNow)
        return
      case 'pause':
      case 'resume':
      case 'delete':
        this.#change(operation)
        return
      default:
        this.#trouble(operation)
        return
    }
  }

  /** Returns how many monitors count for a mass outage. */
  #monitorsOf(tenant_id: string): number {
    const some = [...this.targets.values()].filter(
      ({ kind, config }) =>
        kind === 'monitor' && config.tenant_id === tenant_id && !config.paused && 'regions' in config && config.regions.length > 1
    )
    return Math.min(some.length, 2 * MIN_MONITORS)
  }

  /** As chosenParents and lookAtDependent do: what people set, and what the status fold stored. */
  #depend({ n, parents, wait }: Extract<Operation, { op: 'depend' }>): void {
    const monitor = this.target('monitor', n)
    const some = parents.filter((one) => one < n && tenantOf(one) === tenantOf(n) && this.target('monitor', one))
    if (!monitor) return
    this.count('dependencies')
    const tenant_id = tenantOf(n)
    const key = { tenant_id, dedup_key: keyFor('monitor', n) }
    const known = new Set(this.rows.depends.get(this.code.incident.nameOf(key))?.parent_ids)
    const found = new Map<string, Pick<MonitorRow, 'status' | 'phase' | 'ver'>>()
    for (const one of some.filter((parent) => !known.has(idFor('monitor', parent)))) {
      const state = this.status[one % PARTITIONS]?.storedOf(idFor('monitor', one))
      if (!state || !('phase' in state)) continue
      const { status, phase, ver } = state
      const row = this.rows.signal({ tenant_id, dedup_key: keyFor('monitor', one) })
      if (row.facts?.watched && row.facts.watched.ver >= ver) continue
      this.rows.signals.set(this.code.incident.nameOf(row), {
        ...row,
        facts: { ...row.facts, watched: { status, phase, ver, down_until: null } }
      })
      found.set(keyFor('monitor', one), { status, phase, ver })
    }
    this.rows.depends.set(this.code.incident.nameOf(key), {
      parent_ids: some.map((one) => idFor('monitor', one)),
      wait_seconds: wait,
      maintenance: new Map()
    })
    this.incidents.together.depend(
      tenant_id,
      key.dedup_key,
      some.map((one) => keyFor('monitor', one)),
      wait * 1000,
      found
    )
    const incident = this.rows.newest(this.rows.signal(key))
    if (!incident || !this.rows.held.has(incident.incident_id)) return
    const idem_key = `dependency_end:${incident.incident_id}:${this.world.count.dependencies}`
    this.rows.change([
      { start: 'dependency_end', idem_key, tenant_id, run_at: this.postgresNow, payload: { incident_id: incident.incident_id } }
    ])
  }

  /** Applies a fault, or ends it. */
  #trouble(operation: Extract<Operation, { op: 'hold' | 'crash' | 'chunk' | 'skew' | 'latency' | 'refuse' | 'late tick' }>): void {
    const { log } = this.world
    switch (operation.op) {
      case 'hold': {
        const name = `${operation.part} ${operation.partition}`
        if (operation.on) this.#held.add(name)
        else this.#held.delete(name)
        if (operation.part === 'clock') this.clock.stopped = operation.on
        return
      }
      case 'crash':
        this.#crash(operation.part, operation.partition, operation.when, operation.most)
        return
      case 'chunk':
        this.#chunk = { most: operation.most, joined: operation.joined }
        return
      case 'skew':
        this.#skew(operation)
        return
      case 'latency': {
        const door = this.doors.doors[operation.door % DOORS]
        if (door) door.latency = operation.ms
        return
      }
      case 'refuse':
        this.doors.refuse(operation.door, operation.on)
        return
      case 'late tick':
        this.clock.delay(
          log.lane(operation.topic === 'checks' ? 'checks.results.v1' : 'heartbeat.pings.v1', operation.partition),
          operation.ms
        )
    }
  }

  #skew({ clock, n, ms }: Extract<Operation, { op: 'skew' }>): void {
    if (clock === 'postgres') this.#drift = Math.max(this.#drift, Math.abs(ms) * 2)
    if (clock === 'broker') this.world.log.brokerAhead = ms
    else if (clock === 'postgres') this.clock.ahead = ms
    else if (clock === 'prober') this.doors.probers[n % REGIONS.length] = ms
    else {
      const door = this.doors.doors[n % DOORS]
      if (door) door.ahead = ms
    }
  }

  /** Time passes: everything that is due happens, and the parts run every `every` ms. */
  pass(ms: number, every: number): void {
    const { queue } = this.world
    const until = this.world.now + ms
    let nextRun = this.world.now + every
    while (this.world.now < until) {
      const stop = Math.min(until, nextRun)
      while (queue.next <= stop) {
        this.world.now = Math.max(this.world.now, queue.next)
        queue.run()
      }
      this.world.now = stop
      this.run()
      nextRun = stop + every
    }
  }

  /** Every part that is not held does its pending work. */
  run(): void {
    const { now } = this.world
    const { most, joined } = this.#chunk
    for (;;) {
      let more = false
      for (let partition = 0; partition < PARTITIONS; partition++) {
        if (!this.isHeld('status', partition)) while (this.status[partition]?.step(most, now)) more = true
        if (!this.isHeld('heartbeat', partition)) while (this.heartbeat[partition]?.step(most, now)) more = true
      }
      if (!this.isHeld('relay') && this.relay(RELAYED)) more = true
      if (!this.isHeld('incident')) while (this.incident.step(most, joined)) more = true
      if (!more) break
    }
    if (!this.isHeld('notifier')) this.#runJobs()
    if (now - this.#kept >= 5000) {
      this.#kept = now
      for (const processor of [...this.status, ...this.heartbeat]) processor.keep(now)
    }
  }

  /** Sends the oldest rows of the outbox; `keep`: it dies before it deletes them. */
  relay(most: number, keep = false): boolean {
    const { outbox } = this.rows
    if (outbox.length === 0) return false
    const rows = keep ? outbox.slice(0, most) : outbox.splice(0, most)
    for (const row of rows) this.#send(row)
    return true
  }

  #send(row: Outgoing): void {
    const { log, now } = this.world
    if (row.body !== 'record') return
    const partition = Number(row.key.slice(-12)) % PARTITIONS
    if (row.record === 'MonitorTransition' && row.topic === 'monitor.transitions.v1') {
      log.append(log.lane('monitor.transitions.v1', partition), 'MonitorTransition', row.value, row.key, now, this.postgresNow)
    } else if (row.record === 'HeartbeatTransition') {
      log.append(log.lane('heartbeat.transitions.v1', partition), 'HeartbeatTransition', row.value, row.key, now, this.postgresNow)
    } else if (row.record === 'MonitorConfig') {
      log.append(log.lane('checks.results.v1', partition), 'MonitorConfig', row.value, row.key, now, this.postgresNow)
    } else if (row.record === 'HeartbeatConfig') {
      log.append(log.lane('heartbeat.pings.v1', partition), 'HeartbeatConfig', row.value, row.key, now, this.postgresNow)
    }
  }

  #runJobs(): void {
    const now = this.postgresNow
    for (const target of this.targets.values()) {
      if (target.resume_at !== null && target.resume_at <= now) this.#change({ op: 'resume', kind: target.kind, n: target.n })
    }
    for (const job of [...this.rows.jobs.values()]) {
      if (job.start !== 'heartbeat_unpause' || job.run_at > now) continue
      this.rows.jobs.delete(job.idem_key)
      this.#unpause(String(job.payload.heartbeat_id), Number(job.payload.version))
    }
    this.people.runJobs(now)
  }

  /** As services/notifier/jobs/heartbeat-unpause.ts. */
  #unpause(heartbeat_id: string, version: number): void {
    for (const target of this.targets.values()) {
      if (target.kind !== 'heartbeat' || target.config.heartbeat_id !== heartbeat_id) continue
      const { paused, unpause_on_ping } = target.config
      if (paused && unpause_on_ping && target.config.version === version) this.#change({ op: 'resume', kind: 'heartbeat', n: target.n })
    }
  }

  #crash(part: Exclude<Part, 'clock'>, partition: number, when: Exclude<Crash, null>, most: number): void {
    const { now } = this.world
    this.count('crashes')
    if (part === 'status') this.status[partition]?.step(most, now, when)
    else if (part === 'heartbeat') this.heartbeat[partition]?.step(most, now, when)
    else if (part === 'incident') this.incident.step(most, this.#chunk.joined, when)
    else if (part === 'relay') this.relay(most, when === 'before commit')
    else if (when === 'after commit') this.#runJobs()
  }

  #makeMonitor(made: Extract<Operation, { op: 'monitor' }>): void {
    const key = keyFor('monitor', made.n)
    if (this.deleted.has(key)) return
    const before = this.target('monitor', made.n)
    const config = monitorConfig(made, before?.config ?? null, this.postgresNow)
    const monitor: Monitor = before ?? {
      kind: 'monitor',
      n: made.n,
      config,
      resume_at: null,
      paused_by: null,
      failing: 0,
      degraded: 0,
      unreachable: 0,
      rhythm: 0
    }
    monitor.config = config
    this.#put(monitor)
    probe(this.world, this.doors, monitor)
  }

  #makeHeartbeat(made: Extract<Operation, { op: 'heartbeat' }>): void {
    const key = keyFor('heartbeat', made.n)
    if (this.deleted.has(key)) return
    const before = this.target('heartbeat', made.n)
    const config = heartbeatConfig(made, before?.config ?? null, this.postgresNow)
    const heartbeat: Heartbeat = before ?? {
      kind: 'heartbeat',
      n: made.n,
      config,
      resume_at: null,
      paused_by: null,
      does: 'pings',
      rhythm: 0
    }
    heartbeat.config = config
    this.#put(heartbeat)
    beat(this.world, this.doors, heartbeat)
  }

  /** Writes the row and, in the same transaction, the control record. */
  #put(target: Target): void {
    this.targets.set(keyFor(target.kind, target.n), target)
    this.count('changes')
    this.rows.tell([control(target)])
  }

  /** A window pauses the target, or changes how long it is paused. */
  #pauseBy(window: number, kind: Kind, n: number, resume_at: number): void {
    const target = this.target(kind, n)
    if (!target) return
    if (!target.config.paused) this.#change({ op: 'pause', kind, n, resolve_open: true, for: null, by_ping: false }, window)
    target.resume_at = resume_at
  }

  #change(operation: Extract<Operation, { op: 'pause' | 'resume' | 'delete' }>, by: number | null = null): void {
    const { kind, n } = operation
    const target = this.target(kind, n)
    if (!target) return
    const now = this.postgresNow
    const key = { tenant_id: tenantOf(n), dedup_key: keyFor(kind, n) }
    if (operation.op === 'resume' ? !target.config.paused : operation.op === 'pause' && target.config.paused) return
    const version = target.config.version + 1
    const paused = operation.op === 'pause'
    const deleted = operation.op === 'delete'
    const resolve_open = deleted || (operation.op === 'pause' && operation.resolve_open)
    const over = {
      version,
      event_id: idOf(idFor(kind, n), `config ${version}`),
      at: now,
      paused: paused || (deleted && target.config.paused),
      deleted,
      resolve_open,
      pause_reason: by === null ? null : ('maintenance' as const)
    }
    target.paused_by = by
    if (target.kind === 'monitor') target.config = { ...target.config, ...over }
    else target.config = { ...target.config, ...over, unpause_on_ping: operation.op === 'pause' && operation.by_ping }
    target.resume_at = operation.op === 'pause' && operation.for !== null ? now + operation.for : null
    this.#put(target)
    if (deleted) {
      this.targets.delete(key.dedup_key)
      this.deleted.set(key.dedup_key, target)
      this.rows.gone.add(`${kind}:${idFor(kind, n)}`)
    }
    if (operation.op !== 'resume') {
      this.people.endWatch(key, deleted ? 'deleted' : 'paused', resolve_open, now)
    }
    if (target.kind === 'monitor') probe(this.world, this.doors, target)
    else beat(this.world, this.doors, target)
  }
}
