/**
 * Assembles the runtime for a process: one producer behind one batcher, the followers and the
 * cluster id. It refuses a broker whose oldest supported protocol versions are newer than those
 * kafkajs speaks; otherwise connections would be closed and retried for ever.
 */
import { specOf, type TopicName } from '../../schemas/topics.ts'
import { createBatcher } from './batcher.ts'
import { follow } from './follow.ts'
import { offsetsAt } from './follow-positions.ts'
import { type Cluster, type Connect, createCluster } from './kafkajs.ts'
import { Producer } from './producer.ts'
import { partitionOf } from './record-batch.ts'
import type { AppendTime, Follower, FollowOptions, OutRecord, StreamClient } from './stream.ts'

/** The part of services/process/log.ts that the runtime uses. */
export interface RuntimeLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The part of services/process/metrics.ts that the runtime uses. */
export interface RuntimeMetrics {
  counter(
    name: string,
    help: string,
    labelNames?: string[]
  ): { inc(labels: Record<string, string>, value?: number): void; inc(value?: number): void }
  gauge(
    name: string,
    help: string,
    labelNames?: string[]
  ): {
    set(labels: Record<string, string>, value: number): void
    set(value: number): void
    remove(labels: Record<string, string>): void
  }
  histogram(
    name: string,
    help: string,
    buckets: number[],
    labelNames?: string[]
  ): { observe(labels: Record<string, string>, value: number): void; observe(value: number): void }
}

export interface StreamOptions {
  brokers: string[]
  clientId: string
  topicPrefix: string
  log: RuntimeLog
  metrics: RuntimeMetrics
}

/**
 * Protocol versions that this runtime and kafkajs send, by api key. The broker must still accept
 * them.
 */
const SPOKEN: readonly [api: string, key: number, version: number][] = [
  ['Produce', 0, 7],
  ['Fetch', 1, 11],
  ['ListOffsets', 2, 3],
  ['Metadata', 3, 6],
  ['OffsetCommit', 8, 5],
  ['OffsetFetch', 9, 4],
  ['FindCoordinator', 10, 2],
  ['JoinGroup', 11, 5],
  ['Heartbeat', 12, 3],
  ['InitProducerId', 22, 1]
]

/** The broker is reachable but speaks other protocol versions, so waiting does not help. */
export class WrongBroker extends Error {
  override readonly name = 'WrongBroker'
}

/**
 * Throws WrongBroker with the name of the first request whose version the broker no longer accepts,
 * or does not accept yet.
 */
export function checkVersions(versions: Record<number, { minVersion: number; maxVersion: number }>): void {
  for (const [api, key, version] of SPOKEN) {
    const range = versions[key]
    if (!range || version < range.minVersion || version > range.maxVersion) {
      throw new WrongBroker(
        `the broker takes ${api} ${range ? `${range.minVersion} to ${range.maxVersion}` : 'not at all'}, this service speaks ${version}: run a broker of Kafka 2.4 to 4.x`
      )
    }
  }
}

async function withCluster<T>(options: Connect, work: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = createCluster(options)
  try {
    await cluster.connect()
    return await work(cluster)
  } finally {
    cluster.abandon()
  }
}

export interface LogState {
  clusterId: string
  /** Offset after the last record, by `topic:partition`. */
  ends: ReadonlyMap<string, bigint>
}

/**
 * Reads which log this is and where its partitions end. Throws when the broker cannot be asked, or
 * speaks other protocol versions.
 */
export const readLogState = (options: Connect & { topicPrefix: string }, topics: readonly TopicName[] = []): Promise<LogState> =>
  withCluster(options, async (cluster) => {
    const { topicPrefix } = options
    const names = topics.map((topic) => topicPrefix + topic)
    if (names.length > 0) await cluster.addMultipleTargetTopics(names)
    else await cluster.refreshMetadata()
    checkVersions((await cluster.findControllerBroker()).versions)
    const clusterId = cluster.brokerPool.metadata?.clusterId
    if (!clusterId) throw new Error('the broker did not say its cluster id')
    const ends = await offsetsAt(cluster, names, 'end')
    return { clusterId, ends: new Map([...ends].map(([key, end]) => [key.slice(topicPrefix.length), end])) }
  })

/** Returns how many offsets of `topics` are on the log. */
export const countRecords = (options: Connect & { topicPrefix: string }, topics: readonly TopicName[]): Promise<number> =>
  withCluster(options, async (cluster) => {
    const names = topics.map((topic) => options.topicPrefix + topic)
    await cluster.addMultipleTargetTopics(names)
    const total = (offsets: ReadonlyMap<string, bigint>): number => [...offsets.values()].reduce((sum, offset) => sum + Number(offset), 0)
    const first = total(await offsetsAt(cluster, names, 'beginning'))
    return total(await offsetsAt(cluster, names, 'end')) - first
  })

/**
 * Calls readLogState until the broker answers, however long it takes. For processes that cannot
 * begin without the log. Rejects only with WrongBroker.
 */
export async function waitForLog(options: Connect & { topicPrefix: string; log: RuntimeLog }): Promise<LogState> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await readLogState(options)
    } catch (error) {
      if (error instanceof WrongBroker) throw error
      if (attempt % 20 === 0) options.log.warn({ err: error }, 'the broker cannot be reached; waiting for it')
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(100 * 2 ** Math.min(attempt, 4), 1000)))
  }
}

/**
 * Connects without waiting for the broker: a door must be able to start, and answer 503, while
 * Kafka is away.
 */
export async function connectStream(options: StreamOptions): Promise<StreamClient> {
  const { topicPrefix, log, metrics } = options
  const batches = metrics.histogram('service_producer_batch_records', 'Records a batch', [1, 2, 5, 10, 20, 50, 100, 200, 500])
  const milliseconds = metrics.histogram(
    'service_producer_batch_ms',
    'From sending a batch to its acknowledgement',
    [1, 2, 5, 10, 25, 50, 100, 500, 1000, 5000]
  )
  const failures = metrics.counter('service_producer_failures_total', 'Batches that were given up or refused')
  const replaced = metrics.counter('service_producer_replaced_total', 'Producer ids that were given up')
  let onAppendTime: ((seen: AppendTime) => void) | null = null
  const producer = new Producer({
    ...options,
    onAppendTime: (seen) => onAppendTime?.(seen),
    onReplaced: (reason) => {
      replaced.inc()
      log.warn({ reason }, 'the producer takes a new id')
    }
  })
  const batcher = createBatcher(producer, {
    onBatch: (records, ms) => {
      batches.observe(records)
      milliseconds.observe(ms)
    },
    onFailure: (error) => {
      failures.inc()
      log.warn({ err: error }, 'a batch was not acknowledged')
    }
  })
  const followers = new Set<Follower>()
  const prefixed =
    topicPrefix === ''
      ? (records: readonly OutRecord[]) => records
      : (records: readonly OutRecord[]) => records.map((record) => ({ ...record, topic: (topicPrefix + record.topic) as TopicName }))
  return {
    log: {
      ...batcher,
      append: (records) => batcher.append(prefixed(records)),
      appendEach: (calls) => batcher.appendEach(calls.map(prefixed))
    },
    async follow(what: FollowOptions) {
      const follower = await follow({ ...options, prefix: topicPrefix }, what)
      followers.add(follower)
      return {
        ...follower,
        async close() {
          followers.delete(follower)
          await follower.close()
        }
      }
    },
    partitionOf: (topic, key) => partitionOf(key, specOf(topic).partitions),
    clusterId: async () => (await readLogState(options)).clusterId,
    onAppendTime(listener) {
      onAppendTime = listener
    },
    async close() {
      await Promise.all([...followers].map((follower) => follower.close()))
      await batcher.close()
    }
  }
}
