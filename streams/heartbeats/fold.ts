/**
 * Pings and ticks into heartbeats: walks a batch of one partition of heartbeat.pings.v1 in the order of the log and returns everything that follows from it.
 *
 * State    a row per heartbeat and one for the partition (state.ts), owned by the partition
 * Inputs   HeartbeatPing, HeartbeatConfig, Tick, DoorGap
 * Returns  rows, transitions, notices of outages, frames, and the records it refuses, with reasons
 *
 * A tick counts when it is later than all before it and within 5 s of its append time; one more than 3 s after its predecessor is a gap, which moves deadlines before
 * anything is judged. A tick costs one comparison a row: `next_at` is the first instant at which a tick changes the row. Within a batch, ticks before the earliest of
 * these cost nothing at all. How a log is cut into batches changes no row and no record. Pure: nothing given is changed.
 */
import type { Hint, Input, Notice, Outgoing, PartitionOutcome, Refusal } from '../define.ts'
import { scheduleOf, TICK_GAP_MS, TICK_SKEW_MS } from './deadlines.ts'
import { pingFrame } from './frame.ts'
import { transitionOf, type Uuidv5 } from './outgoing.ts'
import { type HeartbeatInput, reduceHeartbeat } from './rules.ts'
import { validateSchedule } from './schedule.ts'
import { type HeartbeatRow, type HeartbeatState, type PartitionRow, partitionKey } from './state.ts'

type InputOf<N extends Input['record']> = Extract<Input, { record: N }>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const heartbeatFold =
  (uuidv5: Uuidv5) =>
  (state: ReadonlyMap<string, HeartbeatState>, inputs: readonly Input[]): PartitionOutcome<HeartbeatState> => {
    const batch = new Batch(state, uuidv5)
    for (const input of inputs) batch.take(input)
    return batch.outcome()
  }

/** One batch: the rows it touched lie over the state, which stays as it was. */
class Batch {
  readonly #state: ReadonlyMap<string, HeartbeatState>
  readonly #uuidv5: Uuidv5
  readonly #rows = new Map<string, HeartbeatRow | null>()
  readonly #partitions = new Map<string, PartitionRow>()
  readonly #matters = new Set<string>()
  readonly #outgoing: Outgoing[] = []
  readonly #refused: Refusal[] = []
  readonly #notices: Notice[] = []
  readonly #hints: Hint[] = []
  /** No row changes by a tick before this instant; null: not known yet. */
  #quietUntil: number | null = null

  constructor(state: ReadonlyMap<string, HeartbeatState>, uuidv5: Uuidv5) {
    this.#state = state
    this.#uuidv5 = uuidv5
  }

  take(input: Input): void {
    if (input.record === 'HeartbeatPing') this.#ping(input)
    else if (input.record === 'Tick') this.#tick(input)
    else if (input.record === 'HeartbeatConfig') this.#config(input)
    else if (input.record === 'DoorGap') this.#doorGap(input)
    else this.#refuse(input, `${input.record} is none of the heartbeats' business`)
  }

  outcome(): PartitionOutcome<HeartbeatState> {
    const changed = new Map<string, HeartbeatState | null>()
    const kept = new Map<string, HeartbeatState>()
    for (const [key, row] of this.#rows) {
      if (row === null || this.#matters.has(key)) changed.set(key, row)
      else kept.set(key, row)
    }
    // The last tick is stored with every position that is stored: an older one beside it would be read as a gap.
    const quiet = changed.size + this.#outgoing.length + this.#refused.length + this.#notices.length === 0
    for (const [key, row] of this.#partitions) (quiet ? kept : changed).set(key, row)
    return { outgoing: this.#outgoing, jobs: [], refused: this.#refused, changed, kept, notices: this.#notices, hints: this.#hints }
  }

  #ping(input: InputOf<'HeartbeatPing'>): void {
    const { value } = input
    if (value.kind === 'unknown') this.#refuse(input, 'kind is unknown: a newer producer says what this fold does not know')
    else if (value.kind === 'exit' && value.exit_code === null) this.#refuse(input, 'an exit has no exit code')
    else this.#step(value.heartbeat_id, { input: 'ping', ping: value }, input)
  }

  #config(input: InputOf<'HeartbeatConfig'>): void {
    const { value } = input
    const known = this.#row(value.heartbeat_id)?.config.version
    if (known !== undefined && value.version <= known) return // Re-emitted daily.
    const fault = UUID.test(value.heartbeat_id) && UUID.test(value.tenant_id) ? null : 'an id is not a UUID'
    const reason = fault ?? (value.deleted ? null : scheduleFault(input))
    if (reason) this.#refuse(input, reason)
    else this.#step(value.heartbeat_id, { input: 'config', config: value }, input)
  }

  #tick(input: InputOf<'Tick'>): void {
    const { t } = input.value
    const key = partitionKey(input.partition)
    const last = this.#lastTick(key)
    if (Math.abs(t - input.timestamp) > TICK_SKEW_MS || (last !== null && t <= last)) return
    this.#partitions.set(key, { kind: 'partition', last_tick: t })
    if (last !== null && t - last > TICK_GAP_MS) {
      this.#notices.push({ cause: 'tick_gap', from: last, to: t })
      this.#everyRow({ input: 'tick_gap', from: last, to: t }, input)
    }
    if (this.#quietUntil !== null && t < this.#quietUntil) return
    for (const id of this.#due(t)) {
      // A tick may bring several things to one heartbeat, such as an overrun and a miss; each step leaves less to do.
      let more = true
      while (more) more = this.#step(id, { input: 'tick', t }, input)
    }
  }

  #doorGap(input: InputOf<'DoorGap'>): void {
    const { from, to, reason } = input.value
    if (to < from) {
      this.#refuse(input, 'the gap ends before it begins')
      return
    }
    this.#notices.push({ cause: reason === 'refused' ? 'door_refused' : 'door_unconfirmed', from, to })
    this.#everyRow({ input: 'door_gap', from, to }, input)
  }

  #refuse(input: Input, reason: string): void {
    this.#refused.push({ input, reason })
  }

  #lastTick(key: string): number | null {
    const row = this.#partitions.get(key) ?? this.#state.get(key)
    return row?.kind === 'partition' ? row.last_tick : null
  }

  #row(id: string): HeartbeatRow | null {
    const touched = this.#rows.get(id)
    if (touched !== undefined) return touched
    const row = this.#state.get(id)
    return row?.kind === 'heartbeat' ? row : null
  }

  /** True where it changed the row. */
  #step(id: string, input: HeartbeatInput, cause: Input): boolean {
    const before = this.#row(id)
    const { row, matters, told, frame, gone } = reduceHeartbeat(before, input, cause.timestamp)
    if (row === before) return false
    this.#rows.set(id, gone ? null : row)
    if (matters) this.#matters.add(id)
    if (!row) return true
    if (row.next_at !== null && this.#quietUntil !== null && row.next_at < this.#quietUntil) this.#quietUntil = row.next_at
    if (before && told) this.#outgoing.push(transitionOf(before, row, told, cause, this.#uuidv5))
    const hint = frame ? pingFrame(row, cause.timestamp) : null
    if (hint) this.#hints.push(hint)
    return true
  }

  /** Heartbeats that the tick may change, by id: the order of what is told does not depend on the order in which rows were loaded. */
  #due(t: number): string[] {
    const due: string[] = []
    let quietUntil = Number.POSITIVE_INFINITY
    for (const row of this.#state.values()) {
      if (row.kind !== 'heartbeat' || row.next_at === null) continue
      if (row.next_at > t) {
        if (row.next_at < quietUntil) quietUntil = row.next_at
      } else if (!this.#rows.has(row.heartbeat_id)) due.push(row.heartbeat_id)
    }
    for (const row of this.#rows.values()) {
      if (!row || row.next_at === null) continue
      if (row.next_at <= t) due.push(row.heartbeat_id)
      else if (row.next_at < quietUntil) quietUntil = row.next_at
    }
    this.#quietUntil = quietUntil
    return due.sort()
  }

  #everyRow(input: HeartbeatInput, cause: Input): void {
    const ids = new Set<string>(this.#rows.keys())
    for (const row of this.#state.values()) if (row.kind === 'heartbeat') ids.add(row.heartbeat_id)
    for (const id of [...ids].sort()) this.#step(id, input, cause)
  }
}

function scheduleFault({ value }: InputOf<'HeartbeatConfig'>): string | null {
  const schedule = scheduleOf(value)
  if (!schedule) return 'the schedule is neither a period nor a cron expression with its zone'
  return schedule.kind === 'cron' ? validateSchedule(schedule.expression, schedule.time_zone) : null
}
