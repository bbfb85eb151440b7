/**
 * Runs the processors over the log in memory. What they hold, store and load again follows
 * streams/runtime/fold-step.ts and position-keeper.ts, with the real rule for what is stored. The
 * fold of each chunk is compared with the model, which reads the same chunk.
 */
import type { Input, PartitionOutcome } from '../../streams/define.ts'
import type { Task } from '../../streams/runtime/partition-task.ts'
import type { Code } from './code.ts'
import { compareMass } from './compare-keys.ts'
import { Difference, same } from './difference.ts'
import type { Lane } from './log.ts'
import type { IncidentModel, KeyFacts } from './model/incident.ts'
import type { Rows } from './rows.ts'
import { tenants } from './targets.ts'

/** As in runtime/run.ts: positions are stored every 5 s, what a fold keeps after 10 s. */
const STORE_EVERY_MS = 5000
const KEEP_MS = 2 * STORE_EVERY_MS

export type Crash = 'before commit' | 'after commit' | null

/** The model of a partition, and how the fold is compared with it. */
export interface PartitionModel<S> {
  /** Takes the chunk, and compares the fold's result with the model's. */
  compare(inputs: readonly Input[], outcome: PartitionOutcome<S>): void
  /**
   * Compares the rows in memory after the chunk: those that it touched, and those that it should
   * have touched.
   */
  compareRows(state: ReadonlyMap<string, S>, keys: Iterable<string>): void
  /** Keys that the model changed in the chunk. */
  touched(): Iterable<string>
  save(keys: Iterable<string>): void
  reload(): void
  lagging(): string | null
}

export class PartitionProcessor<S> {
  readonly lane: Lane
  readonly #fold: (state: ReadonlyMap<string, S>, inputs: readonly Input[]) => PartitionOutcome<S>
  readonly #model: PartitionModel<S>
  readonly #rows: Rows
  readonly #code: Code
  readonly #name: string
  readonly #stored = new Map<string, S>()
  #task: Task
  #kept = 0

  constructor(
    name: string,
    lane: Lane,
    fold: (state: ReadonlyMap<string, S>, inputs: readonly Input[]) => PartitionOutcome<S>,
    model: PartitionModel<S>,
    rows: Rows,
    code: Code
  ) {
    this.#name = name
    this.lane = lane
    this.#fold = fold
    this.#model = model
    this.#rows = rows
    this.#code = code
    this.#task = this.#load(0n)
  }

  get state(): ReadonlyMap<string, S> {
    return this.#task.state as Map<string, S>
  }

  /** Returns the row as it is stored, which people read. */
  storedOf(key: string): S | undefined {
    return this.#stored.get(key)
  }

  get lag(): number {
    return this.lane.records.length - Number(this.#task.next)
  }

  /** Folds and stores one chunk. Returns false if there was none. */
  step(most: number, now: number, crash: Crash = null): boolean {
    const task = this.#task
    const from = Number(task.next)
    const inputs = this.lane.records.slice(from, from + most)
    if (inputs.length === 0) {
      if (crash) this.reload(now)
      return false
    }
    const outcome = this.#fold(this.state, inputs)
    for (const { input, reason } of outcome.refused) throw new Difference('refused', `${input.record} at ${input.offset}: ${reason}`)
    this.#model.compare(inputs, outcome)
    if (crash === 'before commit') {
      this.reload(now)
      return true
    }
    const stored = new Set<string>()
    const next = task.next + BigInt(inputs.length)
    if (this.#code.task.mustBeStored(outcome, { poison: [], returned: [] })) {
      const due = now - this.#kept >= KEEP_MS
      const state = this.#code.task.statesOf(task, due, outcome.changed, outcome.kept)
      if (due) this.#kept = now
      this.#rows.tell(outcome.outgoing)
      this.#rows.change(outcome.jobs)
      this.#store(state, next)
      for (const { key } of state) stored.add(key)
    }
    this.#code.task.takeOver(task, outcome, stored)
    task.next = next
    this.#model.compareRows(this.state, outcome.changed.keys())
    this.#model.compareRows(this.state, outcome.kept.keys())
    this.#model.compareRows(this.state, this.#model.touched())
    if (task.stored === next) this.#mayBegin()
    if (crash) this.reload(now)
    return true
  }

  /** Does what position-keeper.ts does at its interval. */
  keep(now: number): void {
    const task = this.#task
    const due = now - this.#kept >= KEEP_MS
    if (task.next === task.stored && !(due && task.kept.size > 0)) return
    const state = this.#code.task.statesOf(task, due)
    if (due) this.#kept = now
    this.#store(state, task.next)
    this.#mayBegin()
  }

  /** Another owner takes the partition, or this one after a crash: it knows only what is stored. */
  reload(now: number): void {
    this.#task = this.#load(this.#task.stored)
    this.#kept = now
    this.#model.reload()
  }

  #store(state: readonly { key: string; state: unknown }[], next: bigint): void {
    for (const one of state) {
      if (one.state === null) this.#stored.delete(one.key)
      else this.#stored.set(one.key, one.state as S)
      this.#task.kept.delete(one.key)
    }
    this.#task.stored = next
    this.#model.save(state.map(({ key }) => key))
  }

  /** A new owner could start here, so the store must have everything that matters. */
  #mayBegin(): void {
    const key = this.#model.lagging()
    if (key !== null) throw new Difference('stored', `${this.#name}: what the store has of ${key} is older than the position beside it`)
  }

  /** The state goes through JSON, as in the store. */
  #load(next: bigint): Task {
    const state = new Map<string, unknown>(JSON.parse(JSON.stringify([...this.#stored])) as [string, unknown][])
    const { topic, partition } = this.lane
    return {
      topic,
      partition,
      next,
      stored: next,
      sought: null,
      state,
      kept: new Set(),
      keptSince: 0,
      step: Promise.resolve(),
      inDoubt: false,
      stop: null,
      skips: []
    }
  }
}

/** Compares a key after a transaction. */
export type CompareKey = (facts: KeyFacts) => void

export class IncidentProcessor {
  readonly lanes: readonly Lane[]
  readonly #positions: number[]
  readonly #rows: Rows
  readonly #model: IncidentModel
  readonly #compare: CompareKey
  readonly #fold: ReturnType<Code['incident']['incidentFold']>

  constructor(
    lanes: readonly Lane[],
    fold: ReturnType<Code['incident']['incidentFold']>,
    rows: Rows,
    model: IncidentModel,
    compare: CompareKey
  ) {
    this.lanes = lanes
    this.#positions = lanes.map(() => 0)
    this.#fold = fold
    this.#rows = rows
    this.#model = model
    this.#compare = compare
  }

  get lag(): number {
    return this.lanes.reduce((sum, { records }, nth) => sum + records.length - (this.#positions[nth] ?? 0), 0)
  }

  /** Folds a chunk of each partition; with `joined`, in one transaction. */
  step(most: number, joined: boolean, crash: Crash = null): boolean {
    const shares = this.lanes.map(({ records }, nth) => {
      const from = this.#positions[nth] ?? 0
      return { nth, inputs: records.slice(from, from + most) }
    })
    const full = shares.filter(({ inputs }) => inputs.length > 0)
    for (const group of joined ? [full] : full.map((share) => [share])) {
      const inputs = group.flatMap((share) => share.inputs)
      if (inputs.length === 0) continue
      const { saved, outgoing, jobs, refused } = this.#fold(this.#rows.load(inputs), inputs)
      for (const { input, reason } of refused) throw new Difference('refused', `${input.record} at ${input.offset}: ${reason}`)
      if (crash === 'before commit') return true
      this.#rows.save(saved)
      this.#rows.change(jobs)
      this.#rows.tell(outgoing)
      for (const share of group) this.#positions[share.nth] = (this.#positions[share.nth] ?? 0) + share.inputs.length
      const touched = new Set<KeyFacts>()
      for (const input of inputs) {
        const facts = this.#model.take(input)
        if (facts) touched.add(facts)
      }
      this.#model.finish()
      for (const facts of touched) this.#compare(facts)
      for (const tenant_id of tenants) compareMass(this.#rows, tenant_id, this.#model.together.massOf(tenant_id))
      const told = outgoing.filter(({ topic }) => topic === 'incident.events.v1').length
      same('events', 'events on the log for those of the incidents', told, saved.events.length)
    }
    return full.length > 0
  }
}
