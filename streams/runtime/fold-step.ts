/**
 * One step of a partition: the next chunk of a batch is decoded, folded and committed, either
 * completely or not at all.
 *
 * byKey: the fold runs inside the transaction, on locked rows. byPartition: it runs here, on the
 * state in memory. If it changed nothing that matters, nothing is stored, and the position moves
 * only in memory.
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

/** The current records: the offset of the first, and how many. Set even when the step throws. */
export interface Chunk {
  first: bigint
  length: number
}

/** What a step processed. */
export interface Stepped {
  records: number
  poison: readonly Poison[]
  /** How many dead letters that were put back are among them. */
  redriven: number
}

export interface StepOptions {
  work: Work
  codec: Codec
  clusterId: string
  committer: Committer
  /** Whether a letter that was put back has already been folded. */
  isFolded: Reading['isFolded']
  /**
   * Called before a chunk with poison is committed. Throws when the chunk must not be committed.
   */
  judge(task: Task, records: number, poison: readonly Poison[]): void
  /** State that a fold keeps in memory is stored with a position at most this much later; ms. */
  keepMs: number
  sendHints(hints: readonly Hint[]): void
  /** Called once the current records are done. */
  onRemarks(remarks: Remarks): void
}

/**
 * `unfit`: records, by offset, that the store does not accept, with the reason; they become dead
 * letters. Resolves to null after the last record of the batch.
 */
export type Step = (task: Task, batch: Batch, maxRecords: number, unfit: Beforehand['unfit'], chunk: Chunk) => Promise<Stepped | null>

/** A chunk that was read. `records` and `inputs` hold only what later steps still need. */
interface Folded {
  next: bigint
  count: number
  records: readonly FetchedRecord[]
  inputs: readonly Input[]
  poison: readonly Poison[]
  /** Letters that were put back and are among the records. */
  returned: readonly Returned[]
  /** What a byPartition processor returned. */
  outcome: PartitionOutcome<unknown> | null
}

export function createStep({ work, codec, clusterId, committer, isFolded, judge, keepMs, sendHints, onRemarks }: StepOptions): Step {
  const reads = codec.within(work.views)
  const reading: Reading = { codec: { learn: codec.learn, reads }, processor: work.name, clusterId, isFolded }

  /**
   * Records and inputs are passed on only when they are needed later. Objects held while a
   * transaction waits are costly to garbage-collect.
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

  /** Commits the chunk. Resolves to the poison that was stored with it. */
  const store = (task: Task, folded: Folded, state: readonly KeyedState[]): Promise<readonly Poison[]> => {
    const { next: to, count, records, inputs, poison, returned, outcome } = folded
    return storeShare(committer, task, { to, records, inputs, poison, returned, outcome, state, judge: (bad) => judge(task, count, bad) })
  }

  /**
   * Stores as much of a byPartition fold's result as must be stored, and then takes the result into
   * the task's memory.
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
    // Set right after the state, before anything else, so that a later failure leaves position and
    // state consistent.
    task.next = folded.next
    const { hints = [], remarks } = folded.outcome ?? {}
    if (hints.length > 0) sendHints(hints)
    if (remarks) onRemarks(remarks)
    return { records: folded.count, poison, redriven: folded.returned.length }
  }
}
