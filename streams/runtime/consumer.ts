/**
 * The group consumer of processors: kafkajs's, in the one way we use it. It tells nobody where to
 * begin (offsets.ts does), commits offsets to Kafka only as a hint of lag, and never restarts by
 * itself: a crash is reported, and the process ends.
 *
 * A rebalance does not stop a batch that is being worked on (kafkajs 1527, 1720): the
 * compare-and-set of the offset row is the fence, not the group.
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
  /** Offsets of the first and last record; null where there is none. */
  first: bigint | null
  last: bigint
  /**
   * At most `most` records, from an offset on; none behind the last. They are made anew for each
   * call: whoever keeps few leaves little to collect.
   */
  read(from: bigint, most: number): FetchedRecord[]
  /** Offset behind the last record of the partition when the batch was fetched. */
  end: bigint
  /**
   * Rejects with GroupLeft once the group goes on without this member: then the batch is to be
   * left, and GroupLeft passed on.
   */
  heartbeat(): Promise<void>
}

/**
 * The group rebalances, or has forgotten this member: it joins again, and batches come from the
 * positions of then.
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
 * Where to read on: behind the batch, at another offset (then nothing of the batch was taken), or
 * nowhere: the partition is paused until `resume`, or until partitions are assigned anew.
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
   * The group assigned partitions anew: what a task holds in memory may be another member's now.
   * `seek`: where to read on, instead of where Kafka's hint says.
   */
  onAssigned(partitions: { topic: TopicName; partition: number }[], seek: (place: Place) => void): void
  /**
   * The group rebalances: partitions may move to another member. State that is only in memory
   * should be stored now. The group does not wait for that.
   */
  onRebalancing(): void
  /** A connection is being made: what comes over it may be another log. */
  onConnection(): void
  /** The consumer ended for good. Called once. */
  onCrash(error: Error): void
}

/** How long `close` waits for the batch in hand and the group's goodbye; ms. */
const CLOSE_MS = 8000

export interface GroupConsumer {
  /** Joined, and the last fetch was less than 30 s ago. */
  live(): boolean
  /** Reads on where a batch was answered with `stop`. */
  resume(of: Pick<Place, 'topic' | 'partition'>): void
  /** Offsets that the group's lag is measured by; failures are harmless. */
  hint(offsets: { topic: TopicName; partition: number; next: bigint }[]): Promise<void>
  close(): Promise<void>
}

/**
 * Partitions of one fetch go side by side, so that their transactions can be one. More than this is
 * no faster.
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
    maxWaitTimeInMs: heartbeatInterval, // Records end the wait at once.
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
  // A consumer that stops without a crash would be a live process that reads nothing (kafkajs 1445,
  // 1630).
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
      // kafkajs sends heartbeats between batches only: a batch that waits for Postgres would cost
      // the member its partitions.
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
        // kafkajs joins again by its own error.
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
      // A frozen broker answers no goodbye.
      await by(steadyNow() + CLOSE_MS, consumer.disconnect()).catch((error: unknown) =>
        log.warn({ err: error }, 'the consumer did not close cleanly')
      )
      sockets.end()
    }
  }
}
