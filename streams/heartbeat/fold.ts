/**
 * Turns pings and ticks into heartbeat state. It processes a batch of one partition of
 * heartbeat.pings.v1 in log order and returns everything that follows from it.
 *
 * State    a row per heartbeat, one for the partition, and one for each heartbeat whose pings came
 *          before its first configuration (state.ts, early.ts)
 * Inputs   HeartbeatPing, HeartbeatConfig, Tick, DoorGap
 * Returns  rows, transitions, jobs that end a pause, notices of outages and of ignored ticks,
 *          frames, refused records with reasons, and counts of irregular records
 *
 * ../partition-time.ts decides which ticks count and which times written by doors are kept. A tick
 * more than 3 s after its predecessor is a gap. The gap moves deadlines before anything is judged.
 * A tick costs one comparison per row: `next_at` is the first instant at which a tick changes the
 * row. Within a batch, ticks before the earliest `next_at` cost nothing at all. The way a log is
 * cut into batches changes no row and no record. Pure: arguments are never changed.
 */
import type { Hint, Input, JobChange, Notice, PartitionOutcome, Refusal, Remarks } from '../define.ts'
import { afterIgnored, judgeTick, partitionTime, placed, placedGap, TICK_GAP_MS } from '../partition-time.ts'
import { scheduleOf } from './deadlines.ts'
import { earlyInputs, keepGap, keepPing, MAX_EARLY_ROWS } from './early.ts'
import { pingFrame } from './frame.ts'
import { type Emits, originOf, toldOf, type Uuidv5, unpauseJob } from './outgoing.ts'
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
  type PingReport,
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

/**
 * State of one batch. The rows it changed override those of the given state, which stays unchanged.
 */
class Batch {
  readonly #state: ReadonlyMap<string, HeartbeatState>
  readonly #uuidv5: Uuidv5
  readonly #rows = new Map<string, HeartbeatRow | EarlyRow | null>()
  readonly #partitions = new Map<string, PartitionRow>()
  readonly #matters = new Set<string>()
  readonly #outgoing: ReturnType<typeof toldOf> = []
  readonly #refused: Refusal[] = []
  readonly #notices: Notice[] = []
  readonly #hints: Hint[] = []
  readonly #jobs: JobChange[] = []
  readonly #remarks: Remarks = { ticks_repeated: 0, ticks_old: 0, ticks_stray: 0, results_skewed: 0, times_placed: 0 }
  /** Partition of the current record, with its row. -1 before the first record. */
  #partition = -1
  #own: PartitionRow | null = null
  /** Before this instant no tick changes a row; null when not yet known. */
  #quietUntil: number | null = null
  /** Number of rows with early pings; null when not yet counted. */
  #earlyRows: number | null = null

  constructor(state: ReadonlyMap<string, HeartbeatState>, uuidv5: Uuidv5) {
    this.#state = state
    this.#uuidv5 = uuidv5
  }

  take(input: Input): void {
    if (input.partition !== this.#partition) this.#enter(input.partition)
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
    // Whenever a log position is stored, the last tick is stored with it. With an older tick, the
    // time between would look like a gap.
    const quiet = changed.size + this.#outgoing.length + this.#refused.length + this.#notices.length + this.#jobs.length === 0
    for (const [key, row] of this.#partitions) (quiet ? kept : changed).set(key, row)
    return {
      outgoing: this.#outgoing,
      jobs: this.#jobs,
      refused: this.#refused,
      changed,
      kept,
      notices: this.#notices,
      hints: this.#hints,
      remarks: this.#remarks
    }
  }

  #ping(input: InputOf<'HeartbeatPing'>): void {
    const { value } = input
    if (value.kind === 'unknown') this.#refuse(input, 'kind is unknown: a newer producer says what this fold does not know')
    else if (value.kind === 'exit' && value.exit_code === null) this.#refuse(input, 'an exit has no exit code')
    else if (this.#row(value.heartbeat_id)) this.#step(value.heartbeat_id, this.#pingOf(input), input)
    else if (value.kind !== 'log') this.#early(input)
  }

  #enter(partition: number): void {
    this.#partition = partition
    const row = this.#state.get(partitionKey(partition))
    this.#own = this.#partitions.get(partitionKey(partition)) ?? (row?.kind === 'partition' ? row : null)
  }

  #keep(row: PartitionRow): void {
    this.#own = row
    this.#partitions.set(partitionKey(this.#partition), row)
  }

  /** Returns the partition time of the record; NaN before the first tick. */
  #time({ timestamp }: Input): number {
    const own = this.#own
    return own ? partitionTime(own.last_tick, own.tick_appended_at, timestamp) : Number.NaN
  }

  #pingOf(input: InputOf<'HeartbeatPing'>): HeartbeatInput {
    const put_back = input.redriven ? (this.#own?.last_tick ?? Number.NEGATIVE_INFINITY) : undefined
    return { input: 'ping', ping: this.#placed(input), put_back }
  }

  /**
   * The ping, with `received_at` replaced when it is implausible. A ping that was put back was
   * received long before T, so its time is kept, up to the last tick.
   */
  #placed(input: InputOf<'HeartbeatPing'>): PingReport {
    const { value } = input
    const last = this.#own?.last_tick ?? null
    const past = input.redriven && last !== null ? Math.min(value.received_at, last) : null
    const received_at = past ?? placed(value.received_at, last, this.#time(input))
    if (received_at === value.received_at) return value
    this.#remarks.times_placed += 1
    return { kind: value.kind, exit_code: value.exit_code, run_id: value.run_id, received_at }
  }

  #early(input: InputOf<'HeartbeatPing'>): void {
    const { heartbeat_id, event_id, run_id } = input.value
    const row = this.#earlyRow(heartbeat_id)
    if (![heartbeat_id, event_id, run_id ?? event_id].every((id) => UUID.test(id))) this.#refuse(input, 'an id is not a UUID')
    else if (!row && this.#earlyCount() >= MAX_EARLY_ROWS) {
      this.#refuse(input, `the heartbeat is not known, and pings of ${MAX_EARLY_ROWS} such are kept already`)
    } else {
      // Ticks decide when this ping is dropped, so its time is partition time.
      const time = this.#time(input)
      const at = Number.isNaN(time) ? input.timestamp : time
      this.#putEarly(row, keepPing(row, heartbeat_id, this.#placed(input), originOf(input), at))
    }
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
      for (const one of earlyInputs(early, this.#own?.last_tick ?? null)) this.#step(value.heartbeat_id, one, input, one)
    }
  }

  #tick(input: InputOf<'Tick'>): void {
    if (input.redriven) return // Its time has passed: later ticks have judged what it would.
    const { t } = input.value
    const { timestamp } = input
    const own = this.#own
    const last = own?.last_tick ?? null
    const verdict = judgeTick(last, own ?? {}, t, timestamp)
    if (verdict !== 'counts') {
      const record = { t, appended_at: timestamp, time: this.#time(input) }
      if (own) this.#keep(afterIgnored(own, own.last_tick, verdict, record, { remarks: this.#remarks, notices: this.#notices }))
      return
    }
    this.#keep({
      kind: 'partition',
      last_tick: t,
      tick_appended_at: timestamp,
      ...(own?.ignored_told_at !== undefined && { ignored_told_at: own.ignored_told_at })
    })
    if (last !== null && t - last > TICK_GAP_MS) {
      this.#notices.push({ cause: 'tick_gap', from: last, to: t })
      this.#everyRow({ input: 'tick_gap', from: last, to: t }, input)
    }
    if (this.#quietUntil !== null && t < this.#quietUntil) return
    for (const key of this.#due(t)) {
      const row = this.#touched(key)
      if (row?.kind === 'early') this.#putEarly(row, null)
      // One tick may cause several steps for a heartbeat, such as an overrun and a miss. Each step
      // leaves less to do, so the loop ends.
      let more = row?.kind === 'heartbeat'
      while (more) more = this.#step(key, { input: 'tick', t }, input)
    }
  }

  #doorGap(input: InputOf<'DoorGap'>): void {
    const { reason } = input.value
    if (input.value.to < input.value.from) {
      this.#refuse(input, 'the gap ends before it begins')
      return
    }
    const last = this.#own?.last_tick ?? null
    // A gap that was put back lies where it lay. It moves only deadlines that it can have touched.
    const isPast = input.redriven && last !== null && input.value.to <= last
    const { from, to } = isPast ? input.value : placedGap(input.value.from, input.value.to, last, this.#time(input))
    if (to !== input.value.to) this.#remarks.times_placed += 1
    this.#notices.push({ cause: reason === 'refused' ? 'door_refused' : 'door_unconfirmed', from, to })
    this.#everyRow({ input: 'door_gap', from, to }, input)
  }

  #refuse(input: Input, reason: string): void {
    this.#refused.push({ input, reason })
  }

  /** The row in its current state within the batch. */
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

  /** Early rows are stored at once, because their pings were acknowledged. */
  #putEarly(before: EarlyRow | null, after: EarlyRow | null): void {
    const known = before ?? after
    if (!known) return
    const key = earlyKey(known.heartbeat_id)
    this.#rows.set(key, after)
    this.#matters.add(key)
    if (this.#earlyRows !== null) this.#earlyRows += (after ? 1 : 0) - (before ? 1 : 0)
    this.#hasten(after)
  }

  /** Lowers `#quietUntil` if a tick must process this row earlier. */
  #hasten(row: HeartbeatRow | EarlyRow | null): void {
    if (row && row.next_at !== null && this.#quietUntil !== null && row.next_at < this.#quietUntil) this.#quietUntil = row.next_at
  }

  /**
   * Applies one step and returns true when it changed the row. `cause` is the record being read.
   * `origin` is the record that the step belongs to, if that is another one.
   */
  #step(id: string, input: HeartbeatInput, cause: Input, origin?: Origin): boolean {
    const before = this.#row(id)
    // A record that was put back keeps its time. What it begins must not begin before what it ends.
    const at = cause.redriven && before ? Math.max(cause.timestamp, before.since) : cause.timestamp
    const { row, matters, told, frame, gone, unpaused } = reduceHeartbeat(before, input, at)
    if (row === before) return false
    this.#rows.set(id, gone ? null : row)
    if (matters) this.#matters.add(id)
    if (!row) return true
    this.#hasten(row)
    if (before && told) this.#outgoing.push(...toldOf(before, row, told, at, origin ?? originOf(cause), this.#uuidv5))
    const hint = frame ? pingFrame(row, at) : null
    if (hint) this.#hints.push(hint)
    if (unpaused === undefined) return true
    this.#jobs.push(unpauseJob(row, unpaused, at))
    this.#step(id, input, cause, origin)
    return true
  }

  /**
   * Keys of the rows that the tick may change. They are sorted, so that the order of the outputs
   * does not depend on the order in which rows were loaded.
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
