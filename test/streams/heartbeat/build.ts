/**
 * Builds heartbeat.pings.v1 records for tests, and a partition in memory that folds them the same
 * way as the runtime does.
 */
import type { DoorGap, HeartbeatConfig, HeartbeatPing, HeartbeatTransition } from '../../../schemas/generated/events.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { Hint, Input, JobChange, Notice, Outgoing, Refusal, Remarks } from '../../../streams/define.ts'
import { heartbeatFold } from '../../../streams/heartbeat/fold.ts'
import { type EarlyRow, earlyKey, type HeartbeatRow, type HeartbeatState } from '../../../streams/heartbeat/state.ts'
import { record } from '../../harness/records.ts'

export const tenant_id = '0190aaaa-0000-7000-8000-000000000001'
export const team_id = '0190cccc-0000-7000-8000-000000000001'
export const heartbeat_id = '0190ffff-0000-7000-8000-000000000001'
/** 2026-03-01T12:00:00.000Z. */
export const T0 = Date.UTC(2026, 2, 1, 12)
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

export const id = (name: string): string => uuidv5(tenant_id, name)
export const fold = heartbeatFold(uuidv5)

/** A configuration that expects a ping every minute, with 30 s of grace. */
export const config = (over: Partial<HeartbeatConfig> = {}): HeartbeatConfig =>
  record('HeartbeatConfig', {
    event_id: id('config'),
    tenant_id,
    heartbeat_id,
    at: T0,
    name: 'Nightly backup',
    labels: { app: 'backup' },
    tags: ['night'],
    ...over
  })

export const cronOf = (cron: string, time_zone: string, over: Partial<HeartbeatConfig> = {}): HeartbeatConfig =>
  config({ schedule_kind: 'cron', period_seconds: null, cron, time_zone, ...over })

export const ping = (received_at: number, over: Partial<HeartbeatPing> = {}): HeartbeatPing =>
  record('HeartbeatPing', { event_id: id(`ping ${received_at}`), tenant_id, heartbeat_id, received_at, ...over })

type Place = { partition?: number; offset?: bigint; timestamp?: number }
const place = ({ partition = 0, offset = 0n, timestamp = 0 }: Place, key: string) =>
  ({ topic: 'heartbeat.pings.v1', partition, offset, timestamp, key }) as const

export const configInput = (value: HeartbeatConfig, where: Place = {}): Input => ({
  record: 'HeartbeatConfig',
  value,
  ...place({ timestamp: value.at, ...where }, value.heartbeat_id)
})
export const pingInput = (value: HeartbeatPing, where: Place = {}): Input => ({
  record: 'HeartbeatPing',
  value,
  ...place({ timestamp: value.received_at, ...where }, value.heartbeat_id)
})
export const tickInput = (t: number, where: Place = {}): Input => ({
  record: 'Tick',
  value: { t, boot: id('boot') },
  ...place({ timestamp: t, ...where }, 'tick')
})
export const gapInput = (from: number, to: number, reason: DoorGap['reason'] = 'refused', where: Place = {}): Input => ({
  record: 'DoorGap',
  value: record('DoorGap', { event_id: id(`gap ${from}`), from, to, reason }),
  ...place({ timestamp: to, ...where }, 'door-1')
})

/** A partition: its state, and all transitions since it began. */
export class World {
  readonly state = new Map<string, HeartbeatState>()
  readonly told: HeartbeatTransition[] = []
  readonly outgoing: Outgoing[] = []
  readonly hints: Hint[] = []
  readonly jobs: JobChange[] = []
  readonly notices: Notice[] = []
  readonly refused: Refusal[] = []
  readonly remarks: Remarks = { ticks_repeated: 0, ticks_old: 0, ticks_stray: 0, results_skewed: 0, times_placed: 0 }
  #offset = 0n

  /** Folds the inputs as one batch and gives them consecutive offsets. */
  take(...inputs: Input[]): this {
    return this.fold(inputs.map((input) => ({ ...input, offset: this.#offset++ })))
  }

  /** Folds a piece of a log as it is, with the offsets that it has. */
  fold(inputs: readonly Input[]): this {
    const outcome = fold(this.state, inputs)
    for (const [key, state] of [...outcome.changed, ...outcome.kept]) {
      if (state === null) this.state.delete(key)
      else this.state.set(key, state)
    }
    for (const row of outcome.outgoing) if (row.body === 'record' && row.record === 'HeartbeatTransition') this.told.push(row.value)
    this.outgoing.push(...outcome.outgoing)
    this.hints.push(...outcome.hints)
    this.jobs.push(...outcome.jobs)
    this.notices.push(...outcome.notices)
    this.refused.push(...outcome.refused)
    for (const name of Object.keys(this.remarks) as (keyof Remarks)[]) this.remarks[name] += outcome.remarks?.[name] ?? 0
    return this
  }

  /** One tick a second, after `from` up to `to`. */
  ticks(from: number, to: number): this {
    for (let t = from + SECOND; t <= to; t += SECOND) this.take(tickInput(t))
    return this
  }

  row(heartbeat: string = heartbeat_id): HeartbeatRow {
    const row = this.state.get(heartbeat)
    if (row?.kind !== 'heartbeat') throw new Error(`no row of ${heartbeat}`)
    return row
  }

  /** What is kept of the pings of a heartbeat that is not configured yet; null when nothing is. */
  early(heartbeat: string = heartbeat_id): EarlyRow | null {
    const row = this.state.get(earlyKey(heartbeat))
    return row?.kind === 'early' ? row : null
  }
}

/** Freezes a value deeply, so that a fold that changes its input throws. */
export function frozen<T>(value: T): T {
  if (value instanceof Map) for (const each of value.values()) frozen(each)
  else if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const each of Object.values(value)) frozen(each)
  }
  return value
}
