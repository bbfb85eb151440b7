/**
 * Writes a batch exactly once. Its ranges are announced as an intent, its inserts carry tokens made
 * from the ranges, and then the offsets after them are committed. A batch that an earlier owner had
 * announced is read and inserted again with the same tokens.
 */
import { crashPoint } from './crash-point.ts'
import { type groupOffsets, type Intent, intentText, type Member, type Range, tokenOf } from './intents.ts'
import { readRanges } from './read-range.ts'
import type { SinkMetrics } from './sink-metrics.ts'
import type { SinkOptions } from './sink-options.ts'
import type { Persist, SinkBatch, SinkTask } from './sink-task.ts'
import type { InRecord } from './stream.ts'

export interface SinkWriter {
  /**
   * Writes the batch. Resolves when every row is stored and its offsets are committed. Rejects with
   * Left.
   */
  write(task: SinkTask, batch: SinkBatch): Promise<void>
  /** Commits the offsets to read on from, without inserting rows. */
  commitNext(task: SinkTask): Promise<void>
  /** Reads the positions of the topic and finishes a batch that an earlier owner had announced. */
  load(task: SinkTask): Promise<void>
}

export interface SinkWriterOptions extends SinkOptions {
  offsets: ReturnType<typeof groupOffsets>
  persist: Persist
  counts: SinkMetrics
  /** Resolves to this member of the group once its generation is known. Rejects with Left. */
  memberOf(task: SinkTask): Promise<Member>
}

export function createSinkWriter(options: SinkWriterOptions): SinkWriter {
  const { topicPrefix, clusterId, rev, log, offsets, persist, counts, memberOf } = options
  const nameOf = (task: SinkTask): string => topicPrefix + task.topic

  async function commit(task: SinkTask, places: readonly { partition: number; offset: bigint; metadata: string }[]): Promise<void> {
    await persist(task, 'commit', async () => offsets.commit(await memberOf(task), nameOf(task), places))
  }

  async function insertAll(task: SinkTask, { ranges, forming }: SinkBatch, tokenRev: number): Promise<void> {
    for (const insert of forming.inserts()) {
      const token = tokenOf(clusterId, nameOf(task), ranges, insert.table, tokenRev)
      crashPoint('sink.before-insert')
      const begun = performance.now()
      await persist(task, 'insert', () => options.insert(insert, token))
      counts.insertMs.observe({ table: insert.table }, performance.now() - begun)
      counts.rows.inc({ table: insert.table }, insert.rows)
      crashPoint('sink.after-insert')
    }
    counts.batchRows.observe({ topic: task.topic }, forming.rows)
  }

  async function finish(task: SinkTask, ranges: ReadonlyMap<number, Range>): Promise<void> {
    crashPoint('sink.before-commit')
    await commit(
      task,
      [...ranges].map(([partition, { last }]) => ({ partition, offset: last + 1n, metadata: '' }))
    )
    crashPoint('sink.after-commit')
    task.committedAt = Date.now()
  }

  async function recover(task: SinkTask, intents: ReadonlyMap<number, Intent>): Promise<void> {
    const tokenRev = Math.max(...[...intents.values()].map((intent) => intent.rev))
    const forming = await persist(task, 'recover', async () => {
      const records: InRecord[] = []
      await readRanges(options, task.topic, intents, (some) => {
        for (const one of some) records.push(one)
      })
      await options.prepare(records)
      const rows = options.begin(task.topic)
      rows.take(records)
      return rows
    })
    log.info({ topic: task.topic, rows: forming.rows }, 'finishing a batch that an earlier owner had announced')
    await insertAll(task, { ranges: new Map(intents), forming }, tokenRev)
    await finish(task, intents)
    counts.recovered.inc({ topic: task.topic })
  }

  return {
    async write(task, batch) {
      const announced = [...batch.ranges].map(([partition, range]) => ({
        partition,
        offset: range.first,
        metadata: intentText({ ...range, rev })
      }))
      await commit(task, announced)
      crashPoint('sink.after-intent')
      await insertAll(task, batch, rev)
      await finish(task, batch.ranges)
    },
    commitNext(task) {
      task.committedAt = Date.now()
      return commit(
        task,
        [...task.next].map(([partition, offset]) => ({ partition, offset, metadata: '' }))
      )
    },
    async load(task) {
      const committed = await persist(task, 'load', () => offsets.fetch(nameOf(task)))
      const intents = new Map<number, Intent>()
      for (const { partition, offset, intent } of committed) {
        if (intent) intents.set(partition, intent)
        if (offset !== null) task.next.set(partition, offset)
      }
      if (intents.size > 0) {
        await recover(task, intents)
        for (const [partition, { last }] of intents) task.next.set(partition, last + 1n)
      }
      task.isLoaded = true
    }
  }
}
