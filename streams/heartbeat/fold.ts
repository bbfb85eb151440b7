/**
 * Pings and ticks into heartbeats: walks a batch of one partition of heartbeat.pings.v1 in the
 * order of the log and returns everything that follows from it.
 *
 * State    a row per heartbeat, one for the partition, and one for each heartbeat whose pings came
 *          before its first configuration (state.ts, early.ts)
 * Inputs   HeartbeatPing, HeartbeatConfig, Tick, DoorGap
 * Returns  rows, transitions, notices of outages, frames, and the records it refuses, with reasons
 *
 * A tick counts when it is later than all before it and within 5 s of its append time; one more
 * than 3 s after its predecessor is a gap, which moves deadlines before anything is judged. A tick
 * costs one comparison a row: `next_at` is the first instant at which a tick changes the row.
 * Within a batch, ticks before the earliest of these cost nothing at all. How a log is cut into
 * batches changes no row and no record. Pure: nothing given is changed.
 */
import type { Hint, Input, Notice, PartitionOutcome, Refusal } from '../define.ts'
import { scheduleOf, TICK_GAP_MS, TICK_SKEW_MS } from './deadlines.ts'
import { earlyInputs, keepGap, keepPing, MAX_EARLY_ROWS } from './early.ts'
import { pingFrame } from './frame.ts'
import { type Emits, originOf, transitionOf, type Uuidv5 } from './outgoing.ts'
import { type HeartbeatInput, reduceHeartbeat } from './rules.ts'
import { validateSchedule } from './schedule.ts'
import {
  type EarlyRow,
  earlyKey,
  type Gap,
  type HeartbeatRow,
  type HeartbeatState,
  type Origin,
  type PartitionRow,
  partitionKey
} from './state.ts'

type InputOf<N extends Input['record']> = Extract<Input, { record: N }>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const heartbeatFold =
  (uuidv5: Uuidv5) =>
  (state: ReadonlyMap<string, HeartbeatState>, inputs: readonly Input[]): PartitionOutcome<HeartbeatState, Emits> => {
    const batch = new Batch(state, uuidv5)
    for (const input of inputs) batch.take(input)
    return batch.outcome()
  }

/** One batch: the rows it touched lie over the state, which stays as it was. */
class Batch {
  readonly #state: ReadonlyMap<string, HeartbeatState>
  readonly #uuidv5: Uuidv5
  readonly #rows = new Map<string, HeartbeatRow | EarlyRow | null>()
  readonly #partitions = new Map<string, PartitionRow>()
  readonly #matters = new Set<string>()
  readonly #outgoing: ReturnType<typeof transitionOf>[] = []
  readonly #refused: Refusal[] = []
  readonly #notices: Notice[] = []
  readonly #hints: Hint[] = []
  /** No row changes by a tick before this instant; null: not known yet. */
  #quietUntil: number | null = null
  /** Rows of early pings; null: not counted yet. */
  #earlyRows: number | null = null

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

  outcome(): PartitionOutcome<HeartbeatState, Emits> {
    const changed = new Map<string, HeartbeatState | null>()
    const kept = new Map<string, HeartbeatState>()
    for (const [key, row] of this.#rows) {
      if (row !== null && !this.#matters.has(key)) kept.set(key, row)
      else if (row !== null || this.#state.has(key)) changed.set(key, row)
    }
    // The last tick is stored with every position that is stored: an older one beside it would be
    // read as a gap.
    const quiet = changed.size + this.#outgoing.length + this.#refused.length + this.#notices.length === 0
    for (const [key, row] of this.#partitions) (quiet ? kept : changed).set(key, row)
    return { outgoing: this.#outgoing, jobs: [], refused: this.#refused, changed, kept, notices: this.#notices, hints: this.#hints }
  }

  #ping(input: InputOf<'HeartbeatPing'>): void {
    const { value } = input
    if (value.kind === 'unknown') this.#refuse(input, 'kind is unknown: a newer producer says what this fold does not know')
    else if (value.kind === 'exit' && value.exit_code === null) this.#refuse(input, 'an exit has no exit code')
    else if (this.#row(value.heartbeat_id)) this.#step(value.heartbeat_id, { input: 'ping', ping: value }, input)
    else if (value.kind !== 'log') this.#early(input)
  }

  #early(input: InputOf<'HeartbeatPing'>): void {
    const { heartbeat_id, event_id, run_id } = input.value
    const row = this.#earlyRow(heartbeat_id)
    if (![heartbeat_id, event_id, run_id ?? event_id].every((id) => UUID.test(id))) this.#refuse(input, 'an id is not a UUID')
    else if (!row && this.#earlyCount() >= MAX_EARLY_ROWS) {
      this.#refuse(input, `the heartbeat is not known, and pings of ${MAX_EARLY_ROWS} such are kept already`)
    } else this.#putEarly(row, keepPing(row, heartbeat_id, input.value, originOf(input), input.timestamp))
  }

  #config(input: InputOf<'HeartbeatConfig'>): void {
    const { value } = input
    const known = this.#row(value.heartbeat_id)?.config.version
    if (known !== undefined && value.version <= known) return // Re-emitted daily.
    const fault = UUID.test(value.heartbeat_id) && UUID.test(value.tenant_id) ? null : 'an id is not a UUID'
    const reason = fault ?? (value.deleted ? null : scheduleFault(input))
    if (reason) this.#refuse(input, reason)
    else {
      this.#step(value.heartbeat_id, { input: 'config', config: value }, input)
      const early = this.#earlyRow(value.heartbeat_id)
      if (!early) return
      this.#putEarly(early, null)
      for (const one of earlyInputs(early, this.#lastTick(partitionKey(input.partition)))) this.#step(value.heartbeat_id, one, input, one)
    }
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
    for (const key of this.#due(t)) {
      const row = this.#touched(key)
      if (row?.kind === 'early') this.#putEarly(row, null)
      // A tick may bring several things to one heartbeat, such as an overrun and a miss; each step
      // leaves less to do.
      let more = row?.kind === 'heartbeat'
      while (more) more = this.#step(key, { input: 'tick', t }, input)
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

  /** The row as the batch has left it so far. */
  #touched(key: string): HeartbeatState | null {
    const row = this.#rows.get(key)
    return row === undefined ? (this.#state.get(key) ?? null) : row
  }

  #row(id: string): HeartbeatRow | null {
    const row = this.#touched(id)
    return row?.kind === 'heartbeat' ? row : null
  }

  #earlyRow(id: string): EarlyRow | null {
    const row = this.#touched(earlyKey(id))
    return row?.kind === 'early' ? row : null
  }

  #earlyCount(): number {
    if (this.#earlyRows === null) {
      const kinds = [...this.#keys()].map((key) => this.#touched(key)?.kind)
      this.#earlyRows = kinds.filter((kind) => kind === 'early').length
    }
    return this.#earlyRows
  }

  /** Stored at once: a ping that is kept was acknowledged. */
  #putEarly(before: EarlyRow | null, after: EarlyRow | null): void {
    const known = before ?? after
    if (!known) return
    const key = earlyKey(known.heartbeat_id)
    this.#rows.set(key, after)
    this.#matters.add(key)
    if (this.#earlyRows !== null) this.#earlyRows += (after ? 1 : 0) - (before ? 1 : 0)
    this.#hasten(after)
  }

  /** A tick has something to do for the row. */
  #hasten(row: HeartbeatRow | EarlyRow | null): void {
    if (row && row.next_at !== null && this.#quietUntil !== null && row.next_at < this.#quietUntil) this.#quietUntil = row.next_at
  }

  /**
   * True where it changed the row. `cause` is the record that is read; `origin` the one to which
   * the step is owed, where that is another.
   */
  #step(id: string, input: HeartbeatInput, cause: Input, origin?: Origin): boolean {
    const before = this.#row(id)
    const { row, matters, told, frame, gone } = reduceHeartbeat(before, input, cause.timestamp)
    if (row === before) return false
    this.#rows.set(id, gone ? null : row)
    if (matters) this.#matters.add(id)
    if (!row) return true
    this.#hasten(row)
    if (before && told) this.#outgoing.push(transitionOf(before, row, told, cause.timestamp, origin ?? originOf(cause), this.#uuidv5))
    const hint = frame ? pingFrame(row, cause.timestamp) : null
    if (hint) this.#hints.push(hint)
    return true
  }

  /**
   * Keys of rows that the tick may change, sorted: the order of what is told does not depend on the
   * order in which rows were loaded.
   */
  #due(t: number): string[] {
    const due: string[] = []
    let quietUntil = Number.POSITIVE_INFINITY
    for (const [key, row] of this.#state) {
      if (row.kind === 'partition' || row.next_at === null) continue
      if (row.next_at > t) {
        if (row.next_at < quietUntil) quietUntil = row.next_at
      } else if (!this.#rows.has(key)) due.push(key)
    }
    for (const [key, row] of this.#rows) {
      if (!row || row.next_at === null) continue
      if (row.next_at <= t) due.push(key)
      else if (row.next_at < quietUntil) quietUntil = row.next_at
    }
    this.#quietUntil = quietUntil
    return due.sort()
  }

  #keys(): Set<string> {
    return new Set([...this.#rows.keys(), ...this.#state.keys()])
  }

  #everyRow(gap: Gap, cause: Input): void {
    for (const key of [...this.#keys()].sort()) {
      const row = this.#touched(key)
      if (row?.kind === 'heartbeat') this.#step(key, gap, cause)
      else if (row?.kind === 'early') this.#putEarly(row, keepGap(row, gap, originOf(cause)))
    }
  }
}

function scheduleFault({ value }: InputOf<'HeartbeatConfig'>): string | null {
  const schedule = scheduleOf(value)
  if (!schedule) return 'the schedule is neither a period nor a cron expression with its zone'
  return schedule.kind === 'cron' ? (validateSchedule(schedule.expression, schedule.time_zone)?.message ?? null) : null
}
