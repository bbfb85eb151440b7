/**
 * The group consumer of processors: kafkajs's consumer, used in one fixed way. It does not decide
 * where to begin (offsets.ts does), commits offsets to Kafka only as a hint of lag, and never
 * restarts by itself: a crash is reported, and the process ends.
 *
 * A rebalance does not stop a batch that is being processed (kafkajs 1527, 1720). The fence is the
 * compare-and-set of the offset row, not the group.
 */
import { specOf, type TopicName } from '../../schemas/topics.ts'
import type { RuntimeLog } from './connect.ts'
import { by } from './deadline.ts'
import { type FetchedRecord, fetchedOf } from './fetched.ts'
import { createKafka, createSockets, fetchedOffsetOf } from './kafkajs.ts'
import { steadyNow } from './steady.ts'

export interface Batch {
  topic: TopicName
  partition: number
  /** Offsets of the first and last record; null when there is none. */
  first: bigint | null
  last: bigint
  /**
   * Returns at most `most` records from an offset on, and none after the last record. Each call
   * creates them anew, so a caller that keeps few leaves little to collect.
   */
  read(from: bigint, most: number): FetchedRecord[]
  /** Offset after the last record of the partition when the batch was fetched. */
  end: bigint
  /**
   * Rejects with GroupLeft once the group continues without this member. The caller must then
   * abandon the batch and pass GroupLeft on.
   */
  heartbeat(): Promise<void>
}

/**
 * The group rebalances, or has forgotten this member. The member joins again, and later batches
 * begin at the positions of that time.
 */
export class GroupLeft extends Error {
  override readonly name = 'GroupLeft'
}

export interface Place {
  topic: TopicName
  partition: number
  next: bigint
}

/**
 * Where to read on: after the batch (`next`); at another offset, with nothing of the batch taken
 * (`seek`); or nowhere (`stop`): the partition is paused until `resume`, or until partitions are
 * assigned again.
 */
export type Taken = { next: bigint } | { seek: bigint } | { stop: true }

export interface ConsumeOptions {
  brokers: string[]
  clientId: string
  topicPrefix: string
  group: string
  topics: readonly TopicName[]
  sessionTimeoutMs: number
  log: RuntimeLog
  onBatch(batch: Batch): Promise<Taken>
  /**
   * Called when the group has assigned partitions: what a task holds in memory may now belong to
   * another member. `seek` sets where to read on, in place of Kafka's hint.
   */
  onAssigned(partitions: { topic: TopicName; partition: number }[], seek: (place: Place) => void): void
  /**
   * Called when the group rebalances: partitions may move to another member. State that is only in
   * memory should be stored now. The group does not wait for that.
   */
  onRebalancing(): void
  /** Called when a connection is being made: it may lead to another log. */
  onConnection(): void
  /** Called once, when the consumer has ended for good. */
  onCrash(error: Error): void
}

/** How long `close` waits for the current batch and for leaving the group; ms. */
const CLOSE_MS = 8000

export interface GroupConsumer {
  /** True when the member has joined and the last fetch was less than 30 s ago. */
  live(): boolean
  /** Continues a partition that was answered with `stop`. */
  resume(of: Pick<Place, 'topic' | 'partition'>): void
  /** Commits the offsets that the group's lag is measured by. Failures are harmless. */
  hint(offsets: { topic: TopicName; partition: number; next: bigint }[]): Promise<void>
  close(): Promise<void>
}

/**
 * Partitions of one fetch run side by side, so that they can share a transaction. A higher number
 * is not faster.
 */
const CONCURRENT_PARTITIONS = 24

export async function consume(options: ConsumeOptions): Promise<GroupConsumer> {
  const { topicPrefix, log, sessionTimeoutMs } = options
  const sockets = createSockets(options.onConnection)
  const heartbeatInterval = Math.min(2000, Math.floor(sessionTimeoutMs / 4))
  const consumer = createKafka(options, sockets).consumer({
    groupId: topicPrefix + options.group,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval,
    rebalanceTimeout: Math.max(10_000, sessionTimeoutMs),
    minBytes: 1,
    maxWaitTimeInMs: heartbeatInterval, // New records end the wait at once.
    maxBytesPerPartition: 1024 * 1024,
    maxBytes: 8 * 1024 * 1024,
    allowAutoTopicCreation: false,
    readUncommitted: true,
    retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 1000, restartOnFailure: async () => false }
  })
  const logical = (name: string): TopicName => specOf(name.slice(topicPrefix.length) as TopicName).name
  let joined = false
  let lastFetch = steadyNow()
  let ended = false
  const crash = (error: Error): void => {
    if (ended) return
    ended = true
    options.onCrash(error)
  }
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    joined = true
    consumer.resume(consumer.paused())
    options.onAssigned(
      Object.entries(payload.memberAssignment).flatMap(([name, partitions]) =>
        partitions.map((partition) => ({ topic: logical(name), partition }))
      ),
      ({ topic, partition, next }) => consumer.seek({ topic: topicPrefix + topic, partition, offset: next.toString() })
    )
  })
  consumer.on(consumer.events.REBALANCING, options.onRebalancing)
  consumer.on(consumer.events.FETCH, () => {
    lastFetch = steadyNow()
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => crash(payload.error))
  // A consumer that stops without a crash would leave a live process that reads nothing (kafkajs
  // 1445, 1630).
  consumer.on(consumer.events.STOP, () => crash(new Error('the consumer stopped')))
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: options.topics.map((topic) => topicPrefix + topic), fromBeginning: true })
  } catch (error) {
    sockets.end()
    throw error
  }
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
    eachBatch: async ({ batch, resolveOffset, heartbeat, isRunning, isStale, pause }) => {
      if (!isRunning() || isStale()) return
      const topic = logical(batch.topic)
      const fetched = fetchedOf(batch.messages)
      const read = (from: bigint, most: number): FetchedRecord[] => fetched?.records(topic, batch.partition, from, most) ?? []
      // kafkajs sends heartbeats only between batches. Without this timer, a batch that waits for
      // Postgres would cost the member its partitions.
      const beat = setInterval(() => {
        heartbeat().catch((error: unknown) => log.debug({ err: error, topic, partition: batch.partition }, 'heartbeat failed'))
      }, heartbeatInterval / 2)
      let taken: Taken
      try {
        taken = await options.onBatch({
          topic,
          partition: batch.partition,
          first: read(BigInt(fetchedOffsetOf(batch)), 1)[0]?.offset ?? null,
          last: (fetched?.behind ?? 0n) - 1n,
          read,
          end: BigInt(batch.highWatermark),
          heartbeat: () =>
            heartbeat().catch((error: unknown) => {
              throw new GroupLeft('the group goes on without this member', { cause: error })
            })
        })
      } catch (error) {
        // kafkajs joins again when it gets its own error back.
        throw error instanceof GroupLeft ? error.cause : error
      } finally {
        clearInterval(beat)
      }
      if ('seek' in taken) {
        log.info({ topic, partition: batch.partition, offset: taken.seek.toString() }, 'reading on from the stored position')
        consumer.seek({ topic: batch.topic, partition: batch.partition, offset: taken.seek.toString() })
      } else if ('stop' in taken) {
        pause()
      } else {
        resolveOffset(batch.lastOffset())
      }
    }
  })
  return {
    live: () => joined && !ended && steadyNow() - lastFetch < 30_000,
    resume({ topic, partition }) {
      if (!ended) consumer.resume([{ topic: topicPrefix + topic, partitions: [partition] }])
    },
    async hint(offsets) {
      if (offsets.length === 0 || ended) return
      await consumer
        .commitOffsets(offsets.map(({ topic, partition, next }) => ({ topic: topicPrefix + topic, partition, offset: next.toString() })))
        .catch((error: unknown) => log.debug({ err: error }, 'lag hint not committed'))
    },
    async close() {
      ended = true
      // A frozen broker does not answer when the member leaves the group.
      await by(steadyNow() + CLOSE_MS, consumer.disconnect()).catch((error: unknown) =>
        log.warn({ err: error }, 'the consumer did not close cleanly')
      )
      sockets.end()
    }
  }
}
