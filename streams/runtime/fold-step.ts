/**
 * One step of a partition: the next chunk of a batch is decoded, folded and committed, or nothing
 * of it is.
 *
 * byKey: the fold runs inside the transaction, on locked rows. byPartition: it runs here, on the
 * state in memory; where it changed nothing that matters, nothing is stored and the position moves
 * in memory only.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Hint, Input, PartitionOutcome } from '../define.ts'
import type { Committer } from './commit.ts'
import type { Batch } from './consumer.ts'
import { crashPoint } from './crash-point.ts'
import type { Poison } from './dead-letter.ts'
import { decode } from './decode.ts'
import { countEffects } from './effects.ts'
import type { FetchedRecord } from './fetched.ts'
import { statesOf, storeShare, type Task } from './partition-task.ts'
import type { Work } from './work.ts'

/** The records in hand: where they begin, and how many. Known also when the step throws. */
export interface Chunk {
  first: bigint
  length: number
}

/** What a step processed. */
export interface Stepped {
  records: number
  deadLetters: number
}

export interface StepOptions {
  work: Work
  codec: Codec
  committer: Committer
  /** What a fold keeps in memory is stored with a position at most so much later, ms. */
  keepMs: number
  sendHints(hints: readonly Hint[]): void
}

/**
 * `unfit`: records by offset that the store does not take, with the reason; they become dead
 * letters. Null after the last record of the batch.
 */
export type Step = (
  task: Task,
  batch: Batch,
  maxRecords: number,
  unfit: ReadonlyMap<bigint, string>,
  chunk: Chunk
) => Promise<Stepped | null>

/** A chunk that was read. `records` and `inputs`: for what is still to come of them. */
interface Folded {
  next: bigint
  count: number
  records: readonly FetchedRecord[]
  inputs: readonly Input[]
  poison: readonly Poison[]
  /** What a byPartition processor returned. */
  outcome: PartitionOutcome<unknown> | null
}

/** Whether anything of it must be in the store before the position moves. */
const mustBeStored = (outcome: PartitionOutcome<unknown>, poison: readonly Poison[]): boolean =>
  outcome.changed.size + outcome.refused.length + poison.length + countEffects(outcome) > 0

export function createStep({ work, codec, committer, keepMs, sendHints }: StepOptions): Step {
  const reading = { learn: codec.learn, reads: codec.within(work.views) }

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
    const { inputs, poison } = await decode(reading, records, unfit)
    const next = last.offset + 1n
    if (!work.byPartition) return { next, count: records.length, records, inputs, poison, outcome: null }
    const outcome = work.byPartition(task.state, inputs)
    crashPoint('run.after-fold')
    return { next, count: records.length, records: outcome.refused.length > 0 ? records : [], inputs: [], poison, outcome }
  }

  /**
   * Stores what a byPartition fold returned, as far as it must be, and then takes it over into the
   * task's memory.
   */
  async function take(task: Task, { next, records, inputs, poison }: Folded, outcome: PartitionOutcome<unknown>): Promise<void> {
    const { changed, kept, hints } = outcome
    const stored = new Set<string>()
    if (mustBeStored(outcome, poison)) {
      const due = Date.now() - task.keptSince >= keepMs
      const state = statesOf(task, due, changed, kept)
      await storeShare(committer, task, { to: next, records, inputs, poison, outcome, state })
      if (due) task.keptSince = Date.now()
      for (const { key } of state) stored.add(key)
    }
    for (const [key, state] of kept) {
      if (!stored.has(key)) task.kept.add(key)
      task.state.set(key, state)
    }
    for (const [key, state] of changed) {
      task.kept.delete(key)
      if (state === null) task.state.delete(key)
      else task.state.set(key, state)
    }
    if (hints.length > 0) sendHints(hints)
  }

  return async (task, batch, maxRecords, unfit, chunk) => {
    const folded = await read(task, batch, maxRecords, unfit, chunk)
    if (!folded) return null
    const { next, count, records, inputs, poison, outcome } = folded
    let refused: number
    if (outcome) {
      await take(task, folded, outcome)
      refused = outcome.refused.length
    } else {
      refused = await storeShare(committer, task, { to: next, records, inputs, poison, outcome: null, state: [] })
    }
    task.next = next
    return { records: count, deadLetters: poison.length + refused }
  }
}
