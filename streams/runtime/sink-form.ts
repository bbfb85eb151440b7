/**
 * Forms batches: collects records of all partitions of a topic, until there are enough rows or
 * enough time has passed. One batch is written at a time. Meanwhile at most one more forms, and
 * further records wait.
 */
import { specOf, type TopicName } from '../../schemas/topics.ts'
import type { Range } from './intents.ts'
import type { SinkMetrics } from './sink-metrics.ts'
import type { SinkOptions } from './sink-options.ts'
import type { Persist, SinkState, SinkTask, SinkTasks } from './sink-task.ts'
import type { Watermark } from './sink-watermark.ts'
import type { SinkWriter } from './sink-write.ts'
import type { InRecord } from './stream.ts'

const BATCH_ROWS = 20_000
const BATCH_BYTES = 16 * 1024 * 1024
/**
 * From the first row of a batch to its insert. Together with the wait of the fetch before it, a row
 * can be queried within two seconds.
 */
const BATCH_MS = 600
/**
 * With fewer rows than this, a batch may wait longer. An insert costs the engine as much for one
 * row as for a hundred, and an idle service has few rows.
 */
const TRICKLE_ROWS = 100
const TRICKLE_MS = 3000
const IDLE_COMMIT_MS = 30_000

export interface FormerOptions extends Pick<SinkOptions, 'begin' | 'prepare' | 'log' | 'trickleMs'> {
  tasks: SinkTasks
  writer: SinkWriter
  watermark: Watermark
  persist: Persist
  state: SinkState
  counts: SinkMetrics
  /** Called when work for the task has failed for good. */
  failed(task: SinkTask, error: unknown): void
}

export interface Former {
  /**
   * Takes the records of one partition, waiting for room. `end` is the offset after its last record
   * on the log. Returns false when this member no longer owns them.
   */
  take(topic: TopicName, partition: number, records: readonly InRecord[], end: bigint): Promise<boolean>
  /**
   * Starts the insert of the collected rows. When another insert is under way, it starts after that
   * one.
   */
  flush(task: SinkTask): void
}

const isFull = ({ batch }: SinkTask): boolean => batch !== null && (batch.forming.rows >= BATCH_ROWS || batch.forming.bytes >= BATCH_BYTES)

export function createFormer(options: FormerOptions): Former {
  const { tasks, writer, watermark, persist, state, counts, log, failed, trickleMs = TRICKLE_MS } = options

  /**
   * Runs `work` as the only work under way for the task. A batch whose time ran out meanwhile is
   * written next.
   */
  function occupy(task: SinkTask, work: Promise<void>): void {
    task.flush = work
      .catch((error: unknown) => failed(task, error))
      .finally(() => {
        task.flush = null
        if (task.batch && !task.timer) flush(task)
      })
  }

  function flush(task: SinkTask): void {
    clearTimeout(task.timer)
    task.timer = undefined
    task.soon = false
    const { batch } = task
    if (task.flush || !batch || task.left) return
    task.batch = null
    const until = watermark.handed()
    occupy(
      task,
      writer.write(task, batch).then(() => {
        task.completeUntil = until ?? task.completeUntil
      })
    )
  }

  /** Writes a full batch at once, and the others after a time that depends on their size. */
  function schedule(task: SinkTask, rows: number): void {
    if (isFull(task)) flush(task)
    else if (rows >= TRICKLE_ROWS && !task.soon) {
      clearTimeout(task.timer)
      task.soon = true
      task.timer = setTimeout(() => flush(task), BATCH_MS)
    } else task.timer ??= setTimeout(() => flush(task), trickleMs)
  }

  /** Returns the records that were not taken before. Reports a gap before them. */
  function dueOf(task: SinkTask, partition: number, records: readonly InRecord[]): readonly InRecord[] {
    const { topic } = task
    const next = task.next.get(partition)
    const due = next === undefined ? records : records.filter((record) => record.offset >= next)
    const [first] = due
    if (first && next !== undefined && first.offset > next && specOf(topic).cleanup === 'delete') {
      counts.gaps.inc({ topic }, Number(first.offset - next))
      log.error({ topic, partition, expected: next.toString(), found: first.offset.toString() }, 'records are missing from the log')
    }
    return due
  }

  return {
    flush,
    async take(topic, partition, records, end) {
      const task = tasks.of(topic)
      await task.loaded
      await persist(task, 'prepare', () => options.prepare(records))
      while (isFull(task) && task.flush && !task.left) await task.flush
      if (task.left || state.dead || state.closing || !task.isLoaded) return false
      const due = dueOf(task, partition, records)
      const [first, last] = [due[0], due.at(-1)]
      if (!first || !last) return true
      const batch = task.batch ?? { ranges: new Map<number, Range>(), forming: options.begin(topic) }
      batch.forming.take(due)
      const range = batch.ranges.get(partition)
      batch.ranges.set(partition, { first: range?.first ?? first.offset, last: last.offset })
      task.next.set(partition, last.offset + 1n)
      counts.lag.set({ topic, partition: String(partition) }, Number(end - last.offset - 1n))
      if (last.offset + 1n < end) task.behind.set(partition, last.timestamp)
      else task.behind.delete(partition)
      if (batch.forming.rows === 0) {
        if (!task.flush && Date.now() - task.committedAt > IDLE_COMMIT_MS) occupy(task, writer.commitNext(task))
        return true
      }
      task.batch = batch
      schedule(task, batch.forming.rows)
      return true
    }
  }
}
