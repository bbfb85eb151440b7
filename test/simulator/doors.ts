/**
 * Simulates doors (intakes), probers and cron jobs: who sends what, when it reaches the log, and
 * which clock stamps it. A door appends records in the order in which it received them.
 */
import type { CheckResult, HeartbeatPing, InboundAlert } from '../../schemas/generated/events.ts'
import { idOf, type Lane, type Log, PARTITIONS } from './log.ts'
import type { Operation } from './operations.ts'
import type { Queue } from './queue.ts'
import { type Heartbeat, idFor, integration, keyFor, type Monitor, REGIONS, tenantOf } from './targets.ts'

export const DOORS = 3
const boot = '0190abcd-0000-7000-8000-000000000001'
/** A door's gap ends this long after the attempt to write it began. */
const GAP_AHEAD_MS = 5000
/** Alerts of this key come through the api. */
const API_KEY = 5
const NO_TIMINGS = { dns: null, connect: null, tls: null, request: null, first_byte: null, download: null, total: 80 }

interface Door {
  ahead: number
  latency: number
  /** Time of its last append. */
  appended: number
  /** Since when it refuses pings, by its own clock; null: it accepts them. */
  refusing: number | null
}

export interface Shared {
  log: Log
  queue: Queue
  /** True time. */
  now: number
  count: Record<string, number>
}

export class Doors {
  readonly doors: Door[] = Array.from({ length: DOORS }, () => ({ ahead: 0, latency: 20, appended: 0, refusing: null }))
  /** How far the clock of a region's prober is ahead, in ms. */
  readonly probers: number[] = REGIONS.map(() => 0)
  /** True times of accepted ends of runs, by heartbeat. A miss must not contradict them. */
  readonly accepted = new Map<string, number[]>()
  readonly #world: Shared
  readonly #last = new Map<string, { lane: Lane; result: CheckResult }>()
  #sent = 0
  /** Alerts that the api accepted, in its order. */
  readonly #taken: InboundAlert[] = []

  constructor(world: Shared) {
    this.#world = world
  }

  #door(nth: number): Door {
    const door = this.doors[nth % DOORS]
    if (!door) throw new Error(`no door ${nth}`)
    return door
  }

  #id(): string {
    return `0190dcba-0000-7000-8000-${String(this.#sent++).padStart(12, '0')}`
  }

  #append(door: Door, append: () => void): void {
    const { queue, now } = this.#world
    door.appended = Math.max(door.appended, now + door.latency)
    queue.add(door.appended, append)
  }

  /** Sends the result of a prober for its slot; `scheduled` in true time. */
  result(monitor: Monitor, region: number, outcome: CheckResult['outcome'], scheduled: number, nth: number): void {
    const door = this.#door(nth)
    const code = REGIONS[region] ?? 'a'
    const { monitor_id, tenant_id } = monitor.config
    const at = scheduled + (this.probers[region] ?? 0)
    const received_at = this.#world.now + door.ahead
    const isGood = outcome === 'success' || outcome === 'degraded'
    const result: CheckResult = {
      event_id: this.#id(),
      tenant_id,
      monitor_id,
      region: code,
      seq: at,
      scheduled_at: at,
      checked_at: at,
      finished_at: at + 80,
      received_at,
      skewed: at > received_at + 5000,
      prober: code,
      prober_version: null,
      kind: 'scheduled',
      count: true,
      attempts: 1,
      outcome,
      ok: isGood,
      reason: isGood ? null : 'timeout',
      message: null,
      status_code: null,
      timings_ms: NO_TIMINGS,
      response_bytes: null,
      assertions: [],
      certificate_not_after: null,
      certificate_issuer: null,
      certificate_chain_ok: null,
      domain_expires_at: null,
      config_version: monitor.config.version,
      team_id: null,
      visibility: 'org',
      retention_days: 30
    }
    this.#put(door, this.#world.log.lane('checks.results.v1', monitor.n % PARTITIONS), result)
  }

  /** Sends the same result once more. */
  again(n: number, region: number): void {
    const last = this.#last.get(`${n} ${REGIONS[region]}`)
    if (last) this.#put(this.#door(region), last.lane, last.result)
  }

  #put(door: Door, lane: Lane, result: CheckResult): void {
    const { log, count } = this.#world
    this.#last.set(`${Number(result.monitor_id.slice(-12))} ${result.region}`, { lane, result })
    count.results = (count.results ?? 0) + 1
    this.#append(door, () => log.append(lane, 'CheckResult', result, result.monitor_id, this.#world.now, this.#world.now + door.ahead))
  }

  ping(
    heartbeat: Heartbeat | null,
    n: number,
    { kind, code, run, door: nth }: Pick<Extract<Operation, { op: 'ping' }>, 'kind' | 'code' | 'run' | 'door'>
  ): void {
    const { log, count, now } = this.#world
    const door = this.#door(nth)
    if (door.refusing !== null) return
    const heartbeat_id = idFor('heartbeat', n)
    const ping: HeartbeatPing = {
      event_id: this.#id(),
      tenant_id: heartbeat?.config.tenant_id ?? tenantOf(n),
      heartbeat_id,
      kind,
      exit_code: kind === 'exit' ? code : null,
      run_id: run === null ? null : idOf(heartbeat_id, `run ${run}`),
      received_at: now + door.ahead,
      client_at: null,
      method: 'GET',
      source_class: 'public',
      user_agent: null,
      body_bytes: 0,
      body_excerpt: null,
      instance: `door-${nth}`,
      team_id: null,
      visibility: 'org',
      retention_days: 30
    }
    count.pings = (count.pings ?? 0) + 1
    if (kind !== 'start' && kind !== 'log') {
      const times = this.accepted.get(heartbeat_id)
      if (times) times.push(now)
      else this.accepted.set(heartbeat_id, [now])
    }
    const lane = log.lane('heartbeat.pings.v1', n % PARTITIONS)
    this.#append(door, () => log.append(lane, 'HeartbeatPing', ping, heartbeat_id, this.#world.now, this.#world.now + door.ahead))
  }

  alert({ key, action, severity, sequence, sent_ago, delivery, door: nth }: Extract<Operation, { op: 'alert' }>): void {
    const { log, count, now } = this.#world
    const door = this.#door(nth)
    const received_at = now + door.ahead
    const alert: InboundAlert = {
      event_id: this.#id(),
      tenant_id: tenantOf(key),
      integration_id: integration,
      source: 'generic',
      dedup_key: keyFor('key', key),
      source_dedup_key: `key ${key}`,
      action,
      title: 'Alert',
      description: null,
      severity,
      source_severity: null,
      // Senders give times in coarse steps, so equal times are common.
      occurred_at: sent_ago === null ? received_at : Math.floor((now - sent_ago) / 2000) * 2000,
      time_source: sent_ago === null ? 'door' : 'sender',
      received_at,
      sequence,
      sequence_kind: key % 2 === 0 ? 'occurrence' : 'position',
      delivery_id: delivery === null ? null : `delivery ${delivery}`,
      labels: { n: String(key), service: String(key % 2) },
      links: [],
      team_id: null,
      visibility: 'org',
      retention_days: 30,
      by_former_key: false
    }
    count.alerts = (count.alerts ?? 0) + 1
    const lane = log.lane('alerts.inbound.v1', key % PARTITIONS)
    const name = `${alert.tenant_id}|${alert.dedup_key}`
    const put = (value: InboundAlert): void =>
      void log.append(lane, 'InboundAlert', value, name, this.#world.now, this.#world.now + door.ahead)
    this.#append(door, () => {
      if (key !== API_KEY) return put(alert)
      this.#taken.push({ ...alert, sequence: this.#taken.length + 1, sequence_kind: 'receipt', delivery_id: null })
      // The relay got no acknowledgement, so it sends what it had read once more.
      const again = delivery === null ? [] : this.#taken.slice(-2)
      for (const value of [...this.#taken.slice(-1), ...again]) put(value)
    })
  }

  /**
   * A door begins or stops to refuse pings. All partitions are told before it accepts pings again.
   */
  refuse(nth: number, on: boolean): void {
    const door = this.#door(nth)
    const { log, now, count } = this.#world
    if (on) {
      door.refusing ??= now + door.ahead
      return
    }
    if (door.refusing === null) return
    const [from, to] = [door.refusing, now + door.ahead + GAP_AHEAD_MS]
    const gap = { event_id: this.#id(), instance: `door-${nth}`, boot, from, to: Math.max(from, to), reason: 'refused' } as const
    door.refusing = null
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const lane = log.lane('heartbeat.pings.v1', partition)
      count.gaps = (count.gaps ?? 0) + 1
      log.append(lane, 'DoorGap', gap, `door-${nth}`, this.#world.now, this.#world.now + door.ahead)
    }
  }
}
