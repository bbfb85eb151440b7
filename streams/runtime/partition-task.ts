/**
 * What a processor holds in memory of a partition that it owns: position and state, loaded from the
 * store in one snapshot, and what of them the store does not have yet. A task that another owner
 * may have overtaken is forgotten; the next batch loads it again.
 */
import type { Pool } from 'pg'
import type { TopicName } from '../../schemas/topics.ts'
import type { Committer, Share } from './commit.ts'
import type { RuntimeLog } from './connect.ts'
import { type KeyedState, loadOffset, loadState } from './offsets.ts'
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
  /** Keys whose state is newer in memory than in the store. */
  kept: Set<string>
  /** When the last of them were stored; epoch ms. */
  keptSince: number
  /** Settles with the step in hand. */
  step: Promise<unknown>
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

/**
 * Commits a share of the task and notes what the store has now. Resolves to the number of records
 * that the fold refused; rejects as the committer does.
 */
export async function storeShare(committer: Committer, task: Task, share: Omit<Share, 'topic' | 'partition' | 'from'>): Promise<number> {
  const { topic, partition, stored: from } = task
  const refused = await committer.commit({ topic, partition, from, ...share })
  task.stored = share.to
  for (const { key } of share.state) task.kept.delete(key)
  return refused
}

export interface Tasks {
  /** The task in memory, or one loaded from the store. */
  load(topic: TopicName, partition: number): Promise<Task>
  has(of: Of): boolean
  /** False for a task that was forgotten, also where another has taken its place. */
  isHeld(task: Task): boolean
  forget(of: Of): void
  forgetAll(): void
  all(): Task[]
}

export function createTasks({ work, pool, clusterId, log }: { work: Work; pool: Pool; clusterId: string; log: RuntimeLog }): Tasks {
  const tasks = new Map<string, Task>()
  return {
    async load(topic, partition) {
      const name = nameOf({ topic, partition })
      const known = tasks.get(name)
      if (known) return known
      const task = await transaction(pool, 'REPEATABLE READ', log, async (tx): Promise<Task> => {
        const next = await loadOffset(tx, work.name, topic, partition, clusterId)
        const state = work.byPartition ? await loadState<unknown>(tx, work.name, partition) : new Map<string, unknown>()
        return {
          topic,
          partition,
          next,
          stored: next,
          sought: null,
          state,
          kept: new Set(),
          keptSince: Date.now(),
          step: Promise.resolve()
        }
      })
      tasks.set(name, task)
      return task
    },
    has: (of) => tasks.has(nameOf(of)),
    isHeld: (task) => tasks.get(nameOf(task)) === task,
    forget: (of) => void tasks.delete(nameOf(of)),
    forgetAll: () => tasks.clear(),
    all: () => [...tasks.values()]
  }
}
