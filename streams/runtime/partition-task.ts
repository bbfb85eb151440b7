/**
 * What a processor holds in memory of a partition that it owns: position and state, loaded from the
 * store in one snapshot, and what of them the store does not have yet.
 *
 * After a failure or a new assignment a task is in doubt: another owner may have gone on. The next
 * batch compares its position with the store. If nobody moved it, what is only in memory is still
 * right and stays: a failed transaction must not make a region seem silent for longer than it was.
 * Otherwise the task is loaded again.
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
  /** Position that was sought on the log; what begins after it then is all there is. */
  sought: bigint | null
  state: Map<string, unknown>
  /** The open stop of the partition: nothing of it may be read on. */
  stop: Stop | null
  /** What an operator has it pass over. */
  skips: readonly Skip[]
  /** Keys whose state is newer in memory than in the store. */
  kept: Set<string>
  /** When the last of them were stored; epoch ms. */
  keptSince: number
  /** Settles with the step in hand. */
  step: Promise<unknown>
  /** Another owner may have moved the position in the store. */
  inDoubt: boolean
}

type Of = Pick<Task, 'topic' | 'partition'>

/**
 * Keys of facts about a partition itself, such as its last tick: stored with every position, or a
 * reload would see a gap where none was.
 */
const PARTITION_KEY = 'partition:'

export const nameOf = ({ topic, partition }: { topic: string; partition: number }): string => `${topic}:${partition}`

/**
 * Runs `work` after the step in hand: a position that is stored between a fold and its commit would
 * look like another owner's.
 */
export function inTurn<T>(task: Task, work: () => Promise<T>): Promise<T> {
  const turn = task.step.then(work)
  task.step = turn.catch(() => undefined)
  return turn
}

/**
 * What goes to the store with a position: what the fold changed, what is only in memory if `all`,
 * and always what belongs to the partition itself.
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

/** Whether anything of it must be in the store before the position moves. */
export const mustBeStored = (
  outcome: PartitionOutcome<unknown>,
  { poison, returned }: { poison: readonly unknown[]; returned: readonly unknown[] }
): boolean => outcome.changed.size + outcome.refused.length + poison.length + returned.length + countEffects(outcome) > 0

/** What a fold returned becomes what the task holds. `stored`: keys that the store has by now. */
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
 * Commits a share of the task and notes what the store has now. Resolves to its poison; rejects as
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
   * Returns the task in memory, or loads it. A task in doubt is compared with the store first, and
   * its stop and its skips are read again.
   */
  load(topic: TopicName, partition: number): Promise<Task>
  /** False where there is none, or one in doubt. */
  has(of: Of): boolean
  /** False for a task that was forgotten, also where another has taken its place. */
  isHeld(task: Task): boolean
  /** The stored position, as far as it is known. */
  storedOf(of: Of): bigint
  forget(of: Of): void
  /** The next load compares the task with the store. */
  doubt(of: Of): void
  /** These partitions are assigned: their tasks are in doubt, all others are forgotten. */
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
