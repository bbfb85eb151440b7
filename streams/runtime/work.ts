/**
 * A processor bound to the rows it keeps: what the one loop (run.ts) runs, without knowing what is
 * loaded and saved.
 */

import type { Views } from '../../schemas/codec.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { Input, KeyProcessor, Outcome, PartitionOutcome, PartitionProcessor, Refusal } from '../define.ts'
import { Crash, crashPoint } from './crash-point.ts'
import type { Tx } from './offsets.ts'

/**
 * Rows of a byKey processor: locked and loaded for the keys of a batch, saved after the fold; both
 * inside the transaction.
 */
export interface KeyStore<Loaded, Saved> {
  load(tx: Tx, inputs: readonly Input[]): Promise<Loaded>
  save(tx: Tx, saved: Saved): Promise<void>
}

/** A processor bound to its rows: the types of what is loaded and saved stay inside. */
export interface Work {
  name: string
  reads: readonly TopicName[]
  views: Views
  /**
   * Folds inputs in an open transaction, for byKey; null for byPartition. Loads first, and writes
   * only once `fence` has resolved and `judge` has not thrown. What is to be saved is on its way
   * when the outcome comes: `saved` settles with it.
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
 * Inputs that make a fold throw, found by folding growing beginnings of the batch. A fold must not
 * throw on a valid record, so this runs on faults only. Returns the fold of the rest, with the
 * culprits refused.
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
      if (!culprit) throw error // The fold throws on nothing at all: that is no record's fault.
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
