/**
 * One step of a partition: the next chunk of a batch is decoded, folded and committed, or nothing
 * of it is.
 *
 * byKey: the fold runs inside the transaction, on locked rows. byPartition: it runs here, on the
 * state in memory; where it changed nothing that matters, nothing is stored and the position moves
 * in memory only.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Hint, Input, PartitionOutcome, Remarks } from '../define.ts'
import type { Committer } from './commit.ts'
import type { Batch } from './consumer.ts'
import { crashPoint } from './crash-point.ts'
import type { Poison } from './dead-letter.ts'
import { type Beforehand, decode, type Reading } from './decode.ts'
import type { FetchedRecord } from './fetched.ts'
import type { KeyedState } from './offsets.ts'
import { mustBeStored, statesOf, storeShare, type Task, takeOver } from './partition-task.ts'
import type { Returned } from './redriven.ts'
import type { Work } from './work.ts'

/** The records in hand: where they begin, and how many. Known also when the step throws. */
export interface Chunk {
  first: bigint
  length: number
}

/** What a step processed. */
export interface Stepped {
  records: number
  poison: readonly Poison[]
  /** Dead letters that came back among them. */
  redriven: number
}

export interface StepOptions {
  work: Work
  codec: Codec
  clusterId: string
  committer: Committer
  /** Whether a letter that was put back is folded already. */
  isFolded: Reading['isFolded']
  /**
   * Asked before a chunk with poison is committed, and throws where it must not be.
   */
  judge(task: Task, records: number, poison: readonly Poison[]): void
  /** What a fold keeps in memory is stored with a position at most so much later, ms. */
  keepMs: number
  sendHints(hints: readonly Hint[]): void
  /** Told once the records in hand are done. */
  onRemarks(remarks: Remarks): void
}

/**
 * `unfit`: records by offset that the store does not take, with the reason; they become dead
 * letters. Null after the last record of the batch.
 */
export type Step = (task: Task, batch: Batch, maxRecords: number, unfit: Beforehand['unfit'], chunk: Chunk) => Promise<Stepped | null>

/** A chunk that was read. `records` and `inputs`: for what is still to come of them. */
interface Folded {
  next: bigint
  count: number
  records: readonly FetchedRecord[]
  inputs: readonly Input[]
  poison: readonly Poison[]
  /** Letters that came back among them. */
  returned: readonly Returned[]
  /** What a byPartition processor returned. */
  outcome: PartitionOutcome<unknown> | null
}

export function createStep({ work, codec, clusterId, committer, isFolded, judge, keepMs, sendHints, onRemarks }: StepOptions): Step {
  const reads = codec.within(work.views)
  const reading: Reading = { codec: { learn: codec.learn, reads }, processor: work.name, clusterId, isFolded }

  /**
   * Records and inputs are handed on only where somebody needs them: what is held while a
   * transaction waits is costly to collect.
   */
  async function read(...[task, batch, maxRecords, unfit, chunk]: Parameters<Step>): Promise<Folded | null> {
    const records = batch.read(task.next, maxRecords)
    const [first, last] = [records[0], records.at(-1)]
    if (!first || !last) return null
    chunk.first = first.offset
    chunk.length = records.length
    const { inputs, poison, returned, count } = await decode(reading, records, { unfit, skips: task.skips })
    chunk.length = count
    const next = records[count]?.offset ?? last.offset + 1n
    if (!work.byPartition) return { next, count, records, inputs, poison, returned, outcome: null }
    const outcome = work.byPartition(task.state, inputs)
    crashPoint('run.after-fold')
    return { next, count, records: outcome.refused.length > 0 ? records : [], inputs: [], poison, returned, outcome }
  }

  /** Resolves to the poison that was stored with it. */
  const store = (task: Task, folded: Folded, state: readonly KeyedState[]): Promise<readonly Poison[]> => {
    const { next: to, count, records, inputs, poison, returned, outcome } = folded
    return storeShare(committer, task, { to, records, inputs, poison, returned, outcome, state, judge: (bad) => judge(task, count, bad) })
  }

  /**
   * Stores what a byPartition fold returned, as far as it must be, and then takes it over into the
   * task's memory.
   */
  async function take(task: Task, folded: Folded, outcome: PartitionOutcome<unknown>): Promise<readonly Poison[]> {
    const { changed, kept } = outcome
    const stored = new Set<string>()
    let bad: readonly Poison[] = []
    if (mustBeStored(outcome, folded)) {
      const due = Date.now() - task.keptSince >= keepMs
      const state = statesOf(task, due, changed, kept)
      bad = await store(task, folded, state)
      if (due) task.keptSince = Date.now()
      for (const { key } of state) stored.add(key)
    }
    takeOver(task, outcome, stored)
    return bad
  }

  return async (task, batch, maxRecords, unfit, chunk) => {
    const folded = await read(task, batch, maxRecords, unfit, chunk)
    if (!folded) return null
    const poison = folded.outcome ? await take(task, folded, folded.outcome) : await store(task, folded, [])
    // With the state and before all else: what fails from here on leaves the two in step.
    task.next = folded.next
    const { hints = [], remarks } = folded.outcome ?? {}
    if (hints.length > 0) sendHints(hints)
    if (remarks) onRemarks(remarks)
    return { records: folded.count, poison, redriven: folded.returned.length }
  }
}
