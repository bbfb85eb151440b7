/**
 * What a processor holds in memory for a partition that it owns: position and state, loaded from
 * the store in one snapshot, and which of them the store does not have yet.
 *
 * After a failure or a new assignment a task is in doubt, because another owner may have gone on.
 * The next batch compares its position with the store. If nobody moved the position, the state in
 * memory is still right and is kept: a failed transaction must not make a region seem silent for
 * longer than it was. Otherwise the task is loaded again.
 */
import type { Pool } from 'pg'
import type { TopicName } from '../../schemas/topics.ts'
import type { PartitionOutcome } from '../define.ts'
import type { Committer, Share } from './commit.ts'
import type { RuntimeLog } from './connect.ts'
import type { Poison } from './dead-letter.ts'
import { countEffects } from './effects.ts'
import { type KeyedState, loadOffset, loadState } from './offsets.ts'
import { loadStop, type Skip, type Stop } from './stops.ts'
import { transaction } from './transaction.ts'
import type { Work } from './work.ts'

export interface Task {
  topic: TopicName
  partition: number
  /** Position in memory. */
  next: bigint
  /** Position in the store. */
  stored: bigint
  /**
   * Position that was sought on the log. When the next batch begins after it, the records between
   * are missing from the log.
   */
  sought: bigint | null
  state: Map<string, unknown>
  /** The open stop of the partition: while it is set, nothing of the partition is read. */
  stop: Stop | null
  /** Offsets that an operator has the processor pass over. */
  skips: readonly Skip[]
  /** Keys whose state is newer in memory than in the store. */
  kept: Set<string>
  /** When the last of these keys were stored; epoch ms. */
  keptSince: number
  /** Settles when the current step ends. */
  step: Promise<unknown>
  /** True when another owner may have moved the position in the store. */
  inDoubt: boolean
}

type Of = Pick<Task, 'topic' | 'partition'>

/**
 * Prefix of keys with facts about a partition itself, such as its last tick. They are stored with
 * every position; otherwise a reload would see a gap where there was none.
 */
const PARTITION_KEY = 'partition:'

export const nameOf = ({ topic, partition }: { topic: string; partition: number }): string => `${topic}:${partition}`

/**
 * Runs `work` after the current step. A position stored between a fold and its commit would look
 * like a move by another owner.
 */
export function inTurn<T>(task: Task, work: () => Promise<T>): Promise<T> {
  const turn = task.step.then(work)
  task.step = turn.catch(() => undefined)
  return turn
}

/**
 * Returns the state to store with a position: what the fold changed, what is only in memory if
 * `all`, and always the partition's own keys.
 */
export function statesOf(
  task: Task,
  all: boolean,
  changed?: ReadonlyMap<string, unknown>,
  kept?: ReadonlyMap<string, unknown>
): KeyedState[] {
  const states = changed ? [...changed].map(([key, state]) => ({ key, state })) : []
  const add = (key: string): void => {
    if (all || key.startsWith(PARTITION_KEY)) states.push({ key, state: kept?.get(key) ?? task.state.get(key) })
  }
  if (kept) for (const key of kept.keys()) add(key)
  for (const key of task.kept) if (!kept?.has(key) && !changed?.has(key)) add(key)
  return states
}

/** Whether part of the outcome must be in the store before the position moves. */
export const mustBeStored = (
  outcome: PartitionOutcome<unknown>,
  { poison, returned }: { poison: readonly unknown[]; returned: readonly unknown[] }
): boolean => outcome.changed.size + outcome.refused.length + poison.length + returned.length + countEffects(outcome) > 0

/**
 * Takes the result of a fold into the task's memory. `stored` names the keys that the store already
 * has.
 */
export function takeOver(task: Task, { changed, kept }: PartitionOutcome<unknown>, stored: ReadonlySet<string>): void {
  for (const [key, state] of kept) {
    if (!stored.has(key)) task.kept.add(key)
    task.state.set(key, state)
  }
  for (const [key, state] of changed) {
    task.kept.delete(key)
    if (state === null) task.state.delete(key)
    else task.state.set(key, state)
  }
}

/**
 * Commits a share of the task and notes what the store now has. Resolves to its poison; rejects as
 * the committer does.
 */
export async function storeShare(
  committer: Committer,
  task: Task,
  share: Omit<Share, 'topic' | 'partition' | 'from'>
): Promise<readonly Poison[]> {
  const { topic, partition, stored: from } = task
  const poison = await committer.commit({ topic, partition, from, ...share })
  task.stored = share.to
  for (const { key } of share.state) task.kept.delete(key)
  return poison
}

export interface Tasks {
  /**
   * Returns the task in memory, or loads it. For a task in doubt, first compares it with the store
   * and reads its stop and its skips again.
   */
  load(topic: TopicName, partition: number): Promise<Task>
  /** False when there is no task, or when it is in doubt. */
  has(of: Of): boolean
  /** False for a task that was forgotten, even when another has taken its place. */
  isHeld(task: Task): boolean
  /** The last known stored position; 0 when there is no task. */
  storedOf(of: Of): bigint
  forget(of: Of): void
  /** Marks the task, so that the next load compares it with the store. */
  doubt(of: Of): void
  /**
   * Called with the assigned partitions: their tasks are put in doubt, and all others are
   * forgotten.
   */
  assign(partitions: readonly Of[]): void
  all(): Task[]
}

export function createTasks({ work, pool, clusterId, log }: { work: Work; pool: Pool; clusterId: string; log: RuntimeLog }): Tasks {
  const tasks = new Map<string, Task>()
  return {
    async load(topic, partition) {
      const name = nameOf({ topic, partition })
      const known = tasks.get(name)
      if (known && !known.inDoubt) return known
      const task = await transaction(pool, 'REPEATABLE READ', log, async (tx): Promise<Task> => {
        const next = await loadOffset(tx, work.name, topic, partition, clusterId)
        const { stop, skips } = await loadStop(tx, { processor: work.name, topic, partition }, next)
        if (known && tasks.get(name) === known && known.stored === next) {
          return Object.assign(known, { stop, skips, sought: null, inDoubt: false })
        }
        const state = work.byPartition ? await loadState<unknown>(tx, work.name, partition) : new Map<string, unknown>()
        return {
          topic,
          partition,
          next,
          stored: next,
          sought: null,
          state,
          stop,
          skips,
          kept: new Set(),
          keptSince: Date.now(),
          step: Promise.resolve(),
          inDoubt: false
        }
      })
      tasks.set(name, task)
      return task
    },
    has: (of) => tasks.get(nameOf(of))?.inDoubt === false,
    isHeld: (task) => tasks.get(nameOf(task)) === task,
    storedOf: (of) => tasks.get(nameOf(of))?.stored ?? 0n,
    forget: (of) => void tasks.delete(nameOf(of)),
    doubt(of) {
      const task = tasks.get(nameOf(of))
      if (task) task.inDoubt = true
    },
    assign(partitions) {
      const assigned = new Set(partitions.map(nameOf))
      for (const [name, task] of tasks) {
        if (assigned.has(name)) task.inDoubt = true
        else tasks.delete(name)
      }
    },
    all: () => [...tasks.values()]
  }
}
