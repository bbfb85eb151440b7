/**
 * Builds configurations, results and ticks for tests, and the loop in memory: what is stored at
 * once, what is kept, and which records go to the log.
 */
import type { CheckResult, MonitorConfig, MonitorTransition } from '../../../schemas/generated/events.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { FeedNotice, Input, Notice, Outgoing, Refusal, Remarks } from '../../../streams/define.ts'
import { statusFold } from '../../../streams/status/fold.ts'
import { isMonitorRow, type MonitorRow, type StatusState } from '../../../streams/status/state.ts'
import { record } from '../../harness/records.ts'

export const tenant_id = '0190aaaa-0000-7000-8000-000000000001'
export const other_tenant_id = '0190aaaa-0000-7000-8000-000000000002'
export const team_id = '0190cccc-0000-7000-8000-000000000001'
export const monitor_id = '0190eeee-0000-7000-8000-000000000001'
/** 2026-03-01T12:00:00.000Z. */
export const T0 = Date.UTC(2026, 2, 1, 12)
export const SECOND = 1000
/** With the configuration below a result is fresh for 2 × 60 s + 10 s. */
export const WINDOW = 130 * SECOND

export const id = (name: string): string => uuidv5(tenant_id, name)
export const fold = statusFold(uuidv5)

export const confirmation = (over: Partial<MonitorConfig['confirmation']> = {}): MonitorConfig['confirmation'] => ({
  regions: 'majority',
  count: null,
  rounds: 2,
  min_seconds: 0,
  failure_rate: null,
  recovery_rounds: 2,
  recovery_seconds: 0,
  advisory_after_seconds: 900,
  ...over
})

export const config = (over: Partial<MonitorConfig> = {}): MonitorConfig => {
  const { version = 1, monitor_id: monitor = monitor_id } = over
  return record('MonitorConfig', {
    event_id: id(`${monitor}:${version}`),
    tenant_id,
    monitor_id: monitor,
    version,
    at: T0,
    name: 'Shop',
    regions: ['a', 'b', 'c'],
    confirmation: confirmation(),
    flap: { enabled: false, window_rounds: 20, high_percent: 30, low_percent: 15 },
    tls_expiry_days: [30, 14, 7, 3, 1],
    labels: { service: 'shop' },
    tags: ['eu'],
    ...over
  })
}

/** A success of region a that is scheduled, checked and received at `at`. */
export const result = (at: number, over: Partial<CheckResult> = {}): CheckResult => {
  const { outcome = 'success', region = 'a', monitor_id: monitor = monitor_id } = over
  const failed = outcome === 'failure'
  return record('CheckResult', {
    event_id: uuidv5(monitor, `${region}:${at}`),
    tenant_id,
    monitor_id: monitor,
    region,
    seq: at,
    scheduled_at: at,
    checked_at: at,
    finished_at: at + 100,
    received_at: at + 200,
    prober_version: '1.0.0',
    outcome,
    ok: outcome === 'success' || outcome === 'degraded',
    reason: failed ? 'http_status' : null,
    message: failed ? 'status 503, expected 200' : null,
    status_code: failed ? 503 : 200,
    timings_ms: { dns: null, connect: 10, tls: 20, request: 1, first_byte: 50, download: 1, total: 82.5 },
    response_bytes: 1000,
    ...over
  })
}

const place = { topic: 'checks.results.v1', partition: 3, offset: 0n } as const

export const resultInput = (at: number, over: Partial<CheckResult> = {}, timestamp = at + 200): Input => {
  const value = result(at, over)
  return { record: 'CheckResult', value, ...place, timestamp, key: value.monitor_id }
}

export const configInput = (over: Partial<MonitorConfig> = {}, timestamp = T0): Input => {
  const value = config(over)
  return { record: 'MonitorConfig', value, ...place, timestamp, key: value.monitor_id }
}

export const tickInput = (t: number, timestamp = t): Input => ({
  record: 'Tick',
  value: { t, boot: id('boot') },
  ...place,
  timestamp,
  key: 'tick'
})

/** Gives the inputs consecutive offsets, as the log does. */
export const numbered = (inputs: readonly Input[], from = 0): Input[] =>
  inputs.map((input, nth): Input => ({ ...input, offset: BigInt(from + nth) }))

/** One tick a second, from the first instant to the last. */
export const ticks = (from: number, to: number): Input[] =>
  Array.from({ length: Math.floor((to - from) / SECOND) + 1 }, (_, nth) => tickInput(from + nth * SECOND))

/** Freezes a value, so that a fold that changes its input throws. */
export function frozen<T>(value: T): T {
  if (value instanceof Map) {
    for (const entry of value.values()) frozen(entry)
  } else if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const entry of Object.values(value)) frozen(entry)
  }
  return value
}

/** A partition in memory. */
export interface World {
  state: Map<string, StatusState>
  /** The state that a restart would find: `changed` is stored at once, `kept` never. */
  stored: Map<string, StatusState>
  outgoing: Outgoing[]
  notices: Notice[]
  feed: FeedNotice[]
  refused: Refusal[]
  remarks: Remarks
  taken: number
  /** Folds one batch. */
  take(...inputs: Input[]): void
  row(monitor?: string): MonitorRow
  transitions(monitor?: string): MonitorTransition[]
  /**
   * Transitions as `status/phase`, from number `from` on, except those of a region that joined or
   * has failed alone for long.
   */
  told(from?: number): string[]
  /** Regions that joined while the monitor was down, in order. */
  joined(): string[]
}

export function world(): World {
  const self: World = {
    state: new Map(),
    stored: new Map(),
    outgoing: [],
    notices: [],
    feed: [],
    refused: [],
    remarks: { ticks_repeated: 0, ticks_old: 0, ticks_stray: 0, results_skewed: 0, times_placed: 0 },
    taken: 0,
    take(...inputs) {
      const batch = numbered(inputs, self.taken)
      self.taken += batch.length
      const { changed, kept, outgoing, notices, feed, refused, remarks } = fold(frozen(self.state), frozen(batch))
      for (const [key, state] of changed) {
        if (kept.has(key)) throw new Error(`${key} is both changed and kept`)
        if (state === null) {
          self.state.delete(key)
          self.stored.delete(key)
        } else {
          self.state.set(key, state)
          self.stored.set(key, state)
        }
      }
      for (const [key, state] of kept) self.state.set(key, state)
      self.outgoing.push(...outgoing)
      self.notices.push(...notices)
      self.feed.push(...(feed ?? []))
      self.refused.push(...refused)
      for (const name of Object.keys(self.remarks) as (keyof Remarks)[]) self.remarks[name] += remarks?.[name] ?? 0
    },
    row(monitor = monitor_id) {
      const row = self.state.get(monitor)
      if (!isMonitorRow(row)) throw new Error(`no row of ${monitor}`)
      return row
    },
    transitions: (monitor = monitor_id) =>
      self.outgoing.flatMap((one) =>
        one.body === 'record' && one.record === 'MonitorTransition' && one.key === monitor ? [one.value] : []
      ),
    told: (from = 0) =>
      self
        .transitions()
        .slice(from)
        .filter(({ joined_region, phase, previous_phase }) => joined_region === null || phase !== previous_phase)
        .filter(({ advisory_regions, phase, previous_phase }) => advisory_regions.length === 0 || phase !== previous_phase)
        .map(({ status, phase }) => `${status}/${phase}`),
    joined: () => self.transitions().flatMap(({ joined_region }) => joined_region ?? [])
  }
  return self
}

const outcomes = { S: 'success', D: 'degraded', F: 'failure', E: 'prober_error', M: 'missed_window', L: 'rate_limited' } as const
type Letter = keyof typeof outcomes
const isLetter = (letter: string): letter is Letter => letter in outcomes

/**
 * One round at `at`. Each letter is a region, in order from a on: S, D, F; E, M, L abstain; for any
 * other character the region has no result.
 */
export const round = (at: number, letters: string, over: Partial<CheckResult> = {}): Input[] =>
  [...letters].flatMap((letter, nth) =>
    isLetter(letter) ? [resultInput(at, { ...over, region: String.fromCharCode(97 + nth), outcome: outcomes[letter] })] : []
  )

/** Plays rounds a minute apart, with every tick in between. Returns the time after them. */
export function play(acme: World, rounds: readonly string[], from: number, over: Partial<CheckResult> = {}): number {
  rounds.forEach((letters, nth) => {
    const at = from + nth * 60 * SECOND
    acme.take(...round(at, letters, over), ...ticks(at + SECOND, at + 60 * SECOND))
  })
  return from + rounds.length * 60 * SECOND
}
