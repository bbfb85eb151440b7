/**
 * The loop of the analytics sink: whole topics to one member, batches over all partitions of a
 * topic, each batch inserted exactly once.
 *
 *   forming ── 20,000 rows, or 0.6 s (few rows: 3 s) ──► intent ──► inserts ──► done
 *
 * - A batch is a range of offsets for each partition. Before its insert the ranges are committed as
 *   metadata (intents.ts); each insert carries a token made of them, by which the engine knows an
 *   insert that it has had; then the offsets behind them are committed.
 * - Whoever takes a topic over first reads the intents: where there are some, exactly those ranges
 *   are read again and inserted with the same tokens. So a crash between any two steps, an insert
 *   whose answer was lost and a rebalance leave each row once. Rows follow from the record alone.
 * - What the group takes away is dropped: an intent is finished by the next owner, what was only
 *   forming is read again. The broker refuses commits of an older generation, so a member that was
 *   frozen promises nothing more.
 * - Inserts that fail are tried again with back-off for as long as the topic is ours: nothing is
 *   lost or skipped. Meanwhile at most one batch waits and one forms for a topic, so memory is
 *   bounded, and the log is the buffer.
 * - Records without rows (ticks) only move the position in memory; it is committed with the next
 *   batch, or after 30 s.
 *
 * `completeUntil` of a topic: everything that was on the log before that instant has been inserted.
 * It moves with every fetch, whether or not anything came.
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
 * The sink asks the broker again after FETCH_MS, or at once after an answer of FETCH_BYTES or more
 * (kafkajs.ts).
 */
const FETCH_BYTES = 262_144
const FETCH_MS = 700
const CLOSE_MS = 8000
/** Ready only while fetches go on. */
const SILENT_MS = 30_000
/** Enough that no batch of a fetch waits for another topic's. */
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
    // Batches are formed for a second anyway: a fetch for each record would cost broker and sink
    // more than the rows do.
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
 * What the consumer does with a fetched batch: hands its records over, with heartbeats while that
 * takes.
 */
function eachBatchOf(options: SinkOptions, former: Former, state: SinkState, logical: (name: string) => TopicName): EachBatch {
  const { log } = options
  /** Not ours any more: the heartbeat says so, and has kafkajs join again. */
  async function elsewhere(heartbeat: () => Promise<void>): Promise<void> {
    await pause(50)
    await heartbeat()
  }
  return async ({ batch, resolveOffset, heartbeat, isRunning, isStale }) => {
    if (!isRunning() || isStale() || state.closing) return
    const topic = logical(batch.topic)
    const fetched = fetchedOf(batch.messages)?.records(topic, batch.partition, BigInt(fetchedOffsetOf(batch))) ?? []
    const records = fetched.map(toInRecord)
    // Whoever waits for the engine must not lose the group over it.
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
 * The parts of a sink. `memberNow`: who we are in the group; null until a heartbeat has told the
 * generation.
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
    // What was in hand is gone: nothing more of this topic until the group has assigned it anew.
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
    // Loaded at once: a topic on which nothing comes has its intents and its watermark, too.
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
