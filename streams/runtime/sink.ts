/**
 * The loop of the analytics sink: each topic belongs to one member of the group, a batch covers all
 * partitions of a topic, and each batch is inserted exactly once.
 *
 *   forming ── 20,000 rows, or 0.6 s (few rows: 3 s) ──► intent ──► inserts ──► done
 *
 * - A batch is a range of offsets for each partition. Before its insert, the ranges are committed
 *   as metadata (intents.ts). Each insert carries a token made from the ranges, by which the engine
 *   recognizes an insert that it already has. Then the offsets after the ranges are committed.
 * - A member that takes a topic over first reads the intents. If there are any, exactly those
 *   ranges are read again and inserted with the same tokens. So after a crash between any two
 *   steps, a lost answer to an insert, or a rebalance, each row is stored once. Rows depend only on
 *   the record.
 * - When the group takes a topic away, its batch is dropped: the next owner finishes an announced
 *   batch, and reads records that were only forming again. The broker refuses commits of an older
 *   generation, so a member that was frozen announces nothing more.
 * - Inserts that fail are tried again with back-off for as long as this member owns the topic:
 *   nothing is lost or skipped. Meanwhile at most one batch waits and one forms for a topic, so
 *   memory is bounded, and the log is the buffer.
 * - Records without rows (ticks) only move the position in memory. It is committed with the next
 *   batch, or after 30 s.
 *
 * `completeUntil` of a topic: everything that was on the log before that instant has been inserted.
 * It moves with every fetch, even when nothing arrived.
 */
import { specOf, type TopicName } from '../../schemas/topics.ts'
import { wholeTopics } from './assignor.ts'
import { by } from './deadline.ts'
import { fetchedOf, toInRecord } from './fetched.ts'
import { groupOffsets, type Member } from './intents.ts'
import { createKafka, createSockets, fetchedOffsetOf } from './kafkajs.ts'
import { createFormer, type Former } from './sink-form.ts'
import { createSinkMetrics } from './sink-metrics.ts'
import type { Sink, SinkOptions } from './sink-options.ts'
import { createPersist, createSinkTasks, Left, pause, type SinkState, type SinkTask } from './sink-task.ts'
import { createWatermark } from './sink-watermark.ts'
import { createSinkWriter } from './sink-write.ts'
import { steadyNow } from './steady.ts'

export type { Forming, Insert, Sink, SinkOptions } from './sink-options.ts'

/**
 * The sink asks the broker again after FETCH_MS, or at once when the last answer had FETCH_BYTES or
 * more (kafkajs.ts).
 */
const FETCH_BYTES = 262_144
const FETCH_MS = 700
const CLOSE_MS = 8000
/** Without a fetch for this long, the sink is not ready. */
const SILENT_MS = 30_000
/** High enough that no batch of a fetch waits for another topic's batch. */
const CONCURRENT_PARTITIONS = 256
const MEMBER_POLL_MS = 20

type Consumer = ReturnType<ReturnType<typeof createKafka>['consumer']>
type EachBatch = NonNullable<NonNullable<Parameters<Consumer['run']>[0]>['eachBatch']>

const heartbeatOf = ({ sessionTimeoutMs }: SinkOptions): number => Math.min(2000, Math.floor(sessionTimeoutMs / 4))

function createConsumer(options: SinkOptions, groupId: string, sockets: ReturnType<typeof createSockets>): Consumer {
  const { topicPrefix, topics, sessionTimeoutMs } = options
  const heartbeatInterval = heartbeatOf(options)
  return createKafka(options, sockets).consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval,
    rebalanceTimeout: Math.max(10_000, sessionTimeoutMs),
    // Batches take a second to form anyway. A fetch for each record would cost the broker and the
    // sink more than the rows do.
    minBytes: FETCH_BYTES,
    maxWaitTimeInMs: Math.min(FETCH_MS, heartbeatInterval),
    maxBytesPerPartition: 1024 * 1024,
    maxBytes: 8 * 1024 * 1024,
    allowAutoTopicCreation: false,
    readUncommitted: true,
    partitionAssigners: [wholeTopics(topics.map((topic) => topicPrefix + topic))],
    retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 1000, restartOnFailure: async () => false }
  })
}

/**
 * Returns the handler of a fetched batch. It hands the records over and sends heartbeats meanwhile.
 */
function eachBatchOf(options: SinkOptions, former: Former, state: SinkState, logical: (name: string) => TopicName): EachBatch {
  const { log } = options
  /**
   * This member no longer owns the topic: the heartbeat fails for that reason and makes kafkajs
   * join again.
   */
  async function elsewhere(heartbeat: () => Promise<void>): Promise<void> {
    await pause(50)
    await heartbeat()
  }
  return async ({ batch, resolveOffset, heartbeat, isRunning, isStale }) => {
    if (!isRunning() || isStale() || state.closing) return
    const topic = logical(batch.topic)
    const fetched = fetchedOf(batch.messages)?.records(topic, batch.partition, BigInt(fetchedOffsetOf(batch))) ?? []
    const records = fetched.map(toInRecord)
    // A member that waits for the engine must not lose its place in the group.
    const beat = setInterval(() => {
      heartbeat().catch((error: unknown) => log.debug({ err: error, topic, partition: batch.partition }, 'heartbeat failed'))
    }, heartbeatOf(options) / 2)
    try {
      if (await former.take(topic, batch.partition, records, BigInt(batch.highWatermark))) resolveOffset(batch.lastOffset())
      else await elsewhere(heartbeat)
    } catch (error) {
      if (!(error instanceof Left)) throw error
      await elsewhere(heartbeat)
    } finally {
      clearInterval(beat)
    }
  }
}

/**
 * Creates the parts of a sink. `memberNow` returns this member of the group; null until a heartbeat
 * has reported the generation.
 */
function assemble(options: SinkOptions, offsets: ReturnType<typeof groupOffsets>, memberNow: () => Member | null) {
  const { log } = options
  const state: SinkState = { closing: false, dead: false, failing: 0 }
  const counts = createSinkMetrics(options.metrics)
  const persist = createPersist(state, counts, log)
  const fatal = (reason: string, error: unknown): void => {
    if (state.dead) return
    state.dead = true
    for (const task of tasks.all()) tasks.leave(task)
    options.onFatal(reason, error)
  }
  const failed = (task: SinkTask, error: unknown): void => {
    // The batch in hand is lost. Nothing more of this topic is taken until the group assigns it
    // again.
    if (error instanceof Left) tasks.leave(task)
    else fatal('the sink failed', error)
  }
  const memberOf = async (task: SinkTask): Promise<Member> => {
    for (;;) {
      if (task.left || state.dead) throw new Left()
      const member = memberNow()
      if (member) return member
      await pause(MEMBER_POLL_MS)
    }
  }
  const writer = createSinkWriter({ ...options, offsets, persist, counts, memberOf })
  const load = async (task: SinkTask): Promise<void> => {
    await tasks.lingering()
    await writer.load(task)
  }
  const tasks = createSinkTasks((task) => load(task).catch((error: unknown) => failed(task, error)))
  const watermark = createWatermark(tasks.all)
  const former = createFormer({ ...options, tasks, writer, watermark, persist, state, counts, failed })
  return { state, tasks, watermark, former, fatal }
}

export async function runSink(options: SinkOptions): Promise<Sink> {
  const { topicPrefix, log } = options
  const sockets = createSockets()
  const groupId = topicPrefix + options.group
  const offsets = groupOffsets(options, groupId)
  const consumer = createConsumer(options, groupId, sockets)
  const logical = (name: string): TopicName => specOf(name.slice(topicPrefix.length) as TopicName).name

  let member: { memberId: string; generation: number | null } | null = null
  const memberNow = (): Member | null => (member?.generation == null ? null : { memberId: member.memberId, generation: member.generation })
  let joined = false
  let lastFetch = steadyNow()
  const { state, tasks, watermark, former, fatal } = assemble(options, offsets, memberNow)

  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    joined = true
    member = { memberId: payload.memberId, generation: null }
    tasks.clear()
    watermark.clear()
    // Loaded at once, because a topic that receives no records may also have intents, and needs a
    // watermark.
    for (const name of Object.keys(payload.memberAssignment)) tasks.of(logical(name))
  })
  consumer.on(consumer.events.HEARTBEAT, ({ payload }) => {
    if (member?.memberId === payload.memberId) member.generation = payload.groupGenerationId
  })
  consumer.on(consumer.events.FETCH_START, ({ payload }) => watermark.begun(String((payload as { nodeId?: unknown }).nodeId)))
  consumer.on(consumer.events.FETCH, () => {
    lastFetch = steadyNow()
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => fatal('the consumer crashed', payload.error))
  consumer.on(consumer.events.STOP, () => {
    if (!state.closing) fatal('the consumer stopped', new Error('the consumer stopped'))
  })
  const end = (): void => {
    sockets.end()
    offsets.close()
  }
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: options.topics.map((topic) => topicPrefix + topic), fromBeginning: true })
  } catch (error) {
    end()
    throw error
  }
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
    eachBatch: eachBatchOf(options, former, state, logical)
  })

  async function finishBatches(): Promise<void> {
    for (const task of tasks.all()) {
      former.flush(task)
      while (task.flush) await task.flush
    }
  }

  return {
    ready: () =>
      joined && !state.dead && state.failing === 0 && steadyNow() - lastFetch < SILENT_MS && tasks.all().every((task) => task.isLoaded),
    completeUntil(topic) {
      const task = tasks.get(topic)
      if (!task?.isLoaded || task.left) return null
      if (!task.batch && !task.flush) task.completeUntil = watermark.handed() ?? task.completeUntil
      return task.completeUntil
    },
    async close() {
      state.closing = true
      if (joined) consumer.pause(options.topics.map((topic) => ({ topic: topicPrefix + topic })))
      const told = (message: string) => (error: unknown) => log.warn({ err: error }, message)
      if (!state.dead) {
        await by(steadyNow() + CLOSE_MS, finishBatches()).catch(
          told('the sink ends with batches in hand: they are finished at the next start')
        )
      }
      for (const task of tasks.all()) tasks.leave(task)
      state.dead = true
      await by(steadyNow() + CLOSE_MS, consumer.disconnect()).catch(told('the consumer did not close cleanly'))
      end()
    }
  }
}
