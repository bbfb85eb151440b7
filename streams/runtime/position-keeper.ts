/**
 * At a regular interval, stores positions that moved only in memory, with the state that a fold
 * keeps there. Then reports the stored positions to Kafka as a hint for lag displays.
 */
import { type Committer, Fenced } from './commit.ts'
import type { RuntimeLog } from './connect.ts'
import type { Place } from './consumer.ts'
import { isRetryable } from './failures.ts'
import { inTurn, nameOf, statesOf, storeShare, type Task, type Tasks } from './partition-task.ts'

export interface PositionKeeperOptions {
  processor: string
  tasks: Tasks
  committer: Committer
  everyMs: number
  /** State kept in memory is stored when it is this old; ms. */
  keepMs: number
  log: RuntimeLog
  /** May reject; then the same places are told with their next change. */
  hint(places: Place[]): Promise<void>
  /** Called when positions cannot be stored for a reason that does not pass by itself. */
  onFailure(error: unknown): void
}

export interface PositionKeeper {
  /**
   * Stores everything that is only in memory. Rejects when that fails for a reason that does not
   * pass by itself.
   */
  flush(): Promise<void>
  /**
   * Stops the interval. Resolves when the writes under way are done, including those of tasks that
   * were forgotten in the meantime.
   */
  stop(): Promise<void>
}

export function keepPositions(options: PositionKeeperOptions): PositionKeeper {
  const { processor, tasks, committer, everyMs, keepMs, log } = options

  async function storeOne(task: Task, now: number, all: boolean): Promise<void> {
    const due = all || now - task.keptSince >= keepMs
    // Kept state falls due even when no further record arrives.
    if (task.next === task.stored && !(due && task.kept.size > 0)) return
    if (!tasks.isHeld(task)) return // Forgotten meanwhile.
    const state = statesOf(task, due)
    await storeShare(committer, task, { to: task.next, records: [], inputs: [], poison: [], returned: [], outcome: null, state })
    if (due) task.keptSince = now
  }

  /** Stores everything, or only what is due. */
  async function store(all: boolean): Promise<void> {
    const now = Date.now()
    const storeTask = (task: Task): Promise<void> =>
      inTurn(task, () => storeOne(task, now, all)).catch((error: unknown) => {
        const isFenced = error instanceof Fenced
        const isTold = task.inDoubt // An outage is logged once, not every five seconds.
        if (tasks.isHeld(task)) {
          if (isFenced) tasks.forget(task)
          else tasks.doubt(task)
        }
        if (!isFenced && !isRetryable(error)) throw error
        const { topic, partition } = task
        if (!isTold)
          log.info({ processor, topic, partition, err: error }, 'a position was not stored; the next batch compares it with the store')
      })
    await Promise.all(tasks.all().map(storeTask))
  }

  const hinted = new Map<string, bigint>()
  function hintMoved(): Promise<void> {
    const moved = tasks.all().filter((task) => hinted.get(nameOf(task)) !== task.stored)
    for (const task of moved) hinted.set(nameOf(task), task.stored)
    return options.hint(moved.map(({ topic, partition, stored }) => ({ topic, partition, next: stored })))
  }

  let storing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    storing = store(false).catch(options.onFailure).then(hintMoved)
  }, everyMs)

  return {
    flush: () => store(true),
    async stop() {
      clearInterval(timer)
      await storing
    }
  }
}
