/**
 * The state of a topic that this sink owns, and the retries: every step is tried again until it
 * succeeds or another member owns the topic.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { RuntimeLog } from './connect.ts'
import { Crash } from './crash-point.ts'
import { isFenced, type Range } from './intents.ts'
import type { SinkMetrics } from './sink-metrics.ts'
import type { Forming } from './sink-options.ts'

/** Another member owns the topic now, or the sink closes: the work under way is abandoned. */
export class Left extends Error {}

export interface SinkBatch {
  ranges: Map<number, Range>
  forming: Forming
}

export interface SinkTask {
  topic: TopicName
  left: boolean
  loaded: Promise<void>
  isLoaded: boolean
  /** Offset to read on from, by partition. */
  next: Map<number, bigint>
  batch: SinkBatch | null
  timer: NodeJS.Timeout | undefined
  /** True when the timer is that of a batch with many rows. */
  soon: boolean
  /** Settles when the batch being inserted is done; null while there is none. */
  flush: Promise<void> | null
  committedAt: number
  /** Timestamp of the last record taken, for partitions with more on the log than was fetched. */
  behind: Map<number, number>
  completeUntil: number | null
}

/** How far the shutdown of the sink has come, and how many of its steps are failing now. */
export interface SinkState {
  closing: boolean
  dead: boolean
  failing: number
}

const MAX_BACKOFF_MS = 5000

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export interface SinkTasks {
  /**
   * Returns the task of a topic that this member owns. Creates it and calls `load` when there is
   * none.
   */
  of(topic: TopicName): SinkTask
  get(topic: TopicName): SinkTask | undefined
  all(): SinkTask[]
  /**
   * Drops what the task holds. The next owner finishes its announced batch and reads the rest
   * again.
   */
  leave(task: SinkTask): void
  /** Leaves and forgets all tasks. */
  clear(): void
  /** Settles when the inserts and commits of abandoned topics are done. */
  lingering(): Promise<unknown>
}

/** `load` never rejects. */
export function createSinkTasks(load: (task: SinkTask) => Promise<void>): SinkTasks {
  const tasks = new Map<TopicName, SinkTask>()
  const lingering = new Set<Promise<unknown>>()

  function leave(task: SinkTask): void {
    task.left = true
    clearTimeout(task.timer)
    task.batch = null
    for (const under of task.isLoaded ? [task.flush] : [task.loaded]) {
      if (!under) continue
      lingering.add(under)
      // Neither of them rejects.
      under.finally(() => lingering.delete(under)).catch(() => undefined)
    }
  }

  return {
    of(topic) {
      const known = tasks.get(topic)
      if (known) return known
      const task: SinkTask = {
        topic,
        left: false,
        loaded: Promise.resolve(),
        isLoaded: false,
        next: new Map(),
        batch: null,
        timer: undefined,
        soon: false,
        flush: null,
        committedAt: Date.now(),
        behind: new Map(),
        completeUntil: null
      }
      tasks.set(topic, task)
      task.loaded = load(task)
      return task
    },
    get: (topic) => tasks.get(topic),
    all: () => [...tasks.values()],
    leave,
    clear() {
      for (const task of tasks.values()) leave(task)
      tasks.clear()
    },
    lingering: () => Promise.allSettled(lingering)
  }
}

/**
 * Runs `step` until it succeeds. Throws Left once this member no longer owns the topic; passes a
 * Crash on.
 */
export type Persist = <T>(task: SinkTask, name: string, step: () => Promise<T>) => Promise<T>

export function createPersist(state: SinkState, metrics: SinkMetrics, log: RuntimeLog): Persist {
  return async (task, name, step) => {
    for (let attempt = 0; ; attempt++) {
      if (task.left || state.dead) throw new Left()
      try {
        const result = await step()
        if (attempt > 0) state.failing -= 1
        return result
      } catch (error) {
        if (error instanceof Crash || error instanceof Left) throw error
        if (isFenced(error)) {
          if (attempt > 0) state.failing -= 1
          throw new Left()
        }
        if (attempt === 0) state.failing += 1
        metrics.retries.inc({ step: name })
        if (attempt % 10 === 0) log.warn({ err: error, topic: task.topic, step: name }, 'the sink tries again')
        await pause(Math.min(50 * 2 ** Math.min(attempt, 10), MAX_BACKOFF_MS))
        if (task.left || state.dead) state.failing -= 1
      }
    }
  }
}
