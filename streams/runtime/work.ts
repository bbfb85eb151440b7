/**
 * A processor bound to the rows that it keeps. The one loop (run.ts) runs it without knowing what
 * is loaded and saved.
 */

import type { Views } from '../../schemas/codec.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { Input, KeyProcessor, Outcome, PartitionOutcome, PartitionProcessor, Refusal } from '../define.ts'
import { Crash, crashPoint } from './crash-point.ts'
import type { Tx } from './offsets.ts'

/**
 * The rows of a byKey processor: locked and loaded for the keys of a batch, and saved after the
 * fold, both inside the transaction.
 */
export interface KeyStore<Loaded, Saved> {
  load(tx: Tx, inputs: readonly Input[]): Promise<Loaded>
  save(tx: Tx, saved: Saved): Promise<void>
}

/** A processor bound to its rows. The types of what is loaded and saved are hidden inside. */
export interface Work {
  name: string
  reads: readonly TopicName[]
  views: Views
  /**
   * Folds inputs in an open transaction, for byKey; null for byPartition. It loads first, and
   * writes only after `fence` has resolved and `judge` has not thrown. It resolves with the outcome
   * while the write is under way; `saved` settles when the write is done.
   */
  byKey:
    | ((
        tx: Tx,
        inputs: readonly Input[],
        fence: Promise<void>,
        judge: (outcome: Outcome) => void
      ) => Promise<{ outcome: Outcome; saved: Promise<void> }>)
    | null
  /** Folds inputs over the task's state, for byPartition; null for byKey. */
  byPartition: ((state: ReadonlyMap<string, unknown>, inputs: readonly Input[]) => PartitionOutcome<unknown>) | null
}

/**
 * Folds the inputs without those that make the fold throw, which are found by folding ever longer
 * beginnings of the batch. A fold must not throw on a valid record, so the search runs only after a
 * fault. Returns the fold of the rest, with the culprits refused.
 */
function foldAround<R extends Outcome>(inputs: readonly Input[], fold: (inputs: readonly Input[]) => R): R {
  let good = [...inputs]
  const culprits: Refusal[] = []
  for (;;) {
    try {
      const result = fold(good)
      return culprits.length === 0 ? result : { ...result, refused: [...result.refused, ...culprits] }
    } catch (error) {
      if (error instanceof Crash) throw error
      let count = 1
      for (; count < good.length; count++) {
        try {
          fold(good.slice(0, count))
        } catch {
          break
        }
      }
      const culprit = good[count - 1]
      if (!culprit) throw error // It throws without any record: no record is at fault.
      culprits.push({ input: culprit, reason: `the fold threw: ${(error as Error).message}` })
      good = good.filter((input) => input !== culprit)
    }
  }
}

export function bindKey<Loaded, Saved>(processor: KeyProcessor<Loaded, Saved>, store: KeyStore<Loaded, Saved>): Work {
  return {
    name: processor.name,
    reads: processor.reads,
    views: {},
    byPartition: null,
    byKey: async (tx, inputs, fence, judge) => {
      const [loaded] = await Promise.all([store.load(tx, inputs), fence])
      const result = foldAround(inputs, (some) => processor.fold(loaded, some))
      crashPoint('run.after-fold')
      judge(result)
      return { outcome: result, saved: store.save(tx, result.saved) }
    }
  }
}

export function bindPartition<S>(processor: PartitionProcessor<S>): Work {
  return {
    name: processor.name,
    reads: processor.reads,
    views: processor.views ?? {},
    byKey: null,
    byPartition: (state, inputs) => foldAround(inputs, (some) => processor.fold(state as ReadonlyMap<string, S>, some))
  }
}
