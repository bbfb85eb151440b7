/**
 * The log as the rest of the service sees it: append, follow, consume, create. Everything that
 * knows kafkajs hides behind this file's types. Topic names here are logical (schemas/topics.ts);
 * the prefix of the configuration is put on and taken off inside.
 */
import type { TopicName } from '../../schemas/topics.ts'

/**
 * A record to append. Every record is keyed (docs/design/architecture.md#s5); `partition` overrides
 * the key's partition, for control records to all of them.
 */
export interface OutRecord {
  topic: TopicName
  partition?: number
  key: string | Buffer
  value: Buffer | null
  headers?: Record<string, string>
  /** Epoch ms; ignored by the broker on topics with append time. Default: now. */
  timestamp?: number
}

/** A record as read. `headers` are strings; `value` is null for a tombstone. */
export interface InRecord {
  topic: TopicName
  partition: number
  offset: bigint
  timestamp: number
  key: string
  value: Buffer | null
  headers: Record<string, string>
}

/**
 * The queue of the batcher is full: nothing was enqueued, a clean refusal. Answer 503 +
 * Retry-After.
 */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

/**
 * No acknowledgement within the deadline: the records may or may not be on the log. Answer 503 +
 * Retry-After; a repeat must be harmless.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}

/**
 * The broker refused the record for good (too large, unknown topic, invalid): sending it again
 * cannot help.
 */
export class RecordRefused extends Error {
  override readonly name = 'RecordRefused'
}

export interface Append {
  /**
   * Resolves when every record is acknowledged by all in-sync replicas (acks=all), in order per
   * key. Rejects with QueueFull, OutcomeUnknown or RecordRefused.
   */
  append(records: readonly OutRecord[]): Promise<void>
  /** Calls that leave together, as far as a batch holds them. Each settles as by `append`. */
  appendEach(calls: readonly (readonly OutRecord[])[]): Promise<void>[]
  /** False from a failed batch until the next good one; doors use it for readiness only. */
  healthy(): boolean
  /** Records waiting or in flight. */
  depth(): number
  /** Sends what is queued (at most 5 s), then ends the producer. */
  close(): Promise<void>
}

export interface Follower {
  /**
   * Resolves once everything that stood on the log at the start has been handed over (or 5 s after
   * the start, with false).
   */
  caughtUp: Promise<boolean>
  /** True while fetches succeed. */
  live(): boolean
  close(): Promise<void>
}

export interface FollowOptions {
  topics: readonly TopicName[]
  /** The beginning of the log, its end, or the first record at or after an instant (epoch ms). */
  from: 'beginning' | 'end' | { at: number }
  /**
   * Records of one partition in order; never two calls for one partition at once. A throw is logged
   * and the follower starts over behind the batch.
   */
  onRecords(records: readonly InRecord[]): void
  /**
   * The log became unreachable (since epoch ms), or is live again. The process keeps serving
   * meanwhile.
   */
  onStale?(since: number): void
  onLive?(): void
}

export interface TopicState {
  name: TopicName
  partitions: number
  config: Record<string, string>
}

/** When the broker appended a batch of this process; on topics with append time only. */
export interface AppendTime {
  /** Epoch ms by the broker's clock. */
  appended_at: number
  /** Instants of performance.now() before the request went out and after its answer came. */
  asked: number
  answered: number
}

export interface StreamClient {
  /** The one producer of the process, behind the one batcher. */
  readonly log: Append
  /**
   * Reads every partition of the topics without a consumer group: for tables and fan-out (gateway,
   * ceilings at the doors). Retries for ever with back-off.
   */
  follow(options: FollowOptions): Promise<Follower>
  /** Partition of a key, by the same murmur2 as Java's default partitioner. */
  partitionOf(topic: TopicName, key: string | Buffer): number
  clusterId(): Promise<string>
  /** `listener` hears of appends from now on; there is one. It must not throw. */
  onAppendTime(listener: (seen: AppendTime) => void): void
  close(): Promise<void>
}
