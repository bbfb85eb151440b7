/**
 * The log as the rest of the service sees it: append, follow, consume, create. All code that knows
 * kafkajs is behind the types of this file. Topic names here are logical (schemas/topics.ts); the
 * configured prefix is added and removed inside.
 */
import type { TopicName } from '../../schemas/topics.ts'

/**
 * A record to append. Every record has a key (docs/design/architecture.md#s5). `partition`
 * overrides the partition of the key, for control records that go to all partitions.
 */
export interface OutRecord {
  topic: TopicName
  partition?: number
  key: string | Buffer
  value: Buffer | null
  headers?: Record<string, string>
  /** Epoch ms; the broker ignores it on topics with append time. Default: now. */
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
 * The batcher's queue is full: nothing was enqueued, so the refusal is clean. Answer 503 +
 * Retry-After.
 */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

/**
 * No acknowledgement came within the deadline: the records may or may not be on the log. Answer 503
 * + Retry-After; a repeat must be harmless.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
  /** How many of the first records of the call are on the log for certain. */
  readonly acknowledged: number

  constructor(message: string, { acknowledged = 0, cause }: { acknowledged?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.acknowledged = acknowledged
  }
}

/**
 * The broker refused the record for good (too large, unknown topic, invalid). Sending it again
 * cannot help, unless `ofTopic`: then the broker would refuse every record, because the topic is
 * missing or may not be written. This can end without a change of the record.
 */
export class RecordRefused extends Error {
  override readonly name = 'RecordRefused'
  readonly ofTopic: boolean

  constructor(message: string, { ofTopic = false } = {}) {
    super(message)
    this.ofTopic = ofTopic
  }
}

export interface Append {
  /**
   * Resolves when every record is acknowledged by all in-sync replicas (acks=all), in order per
   * key. Rejects with QueueFull, OutcomeUnknown or RecordRefused.
   */
  append(records: readonly OutRecord[]): Promise<void>
  /**
   * Appends several calls that leave together, as far as they fit in a batch. Each settles as with
   * `append`.
   */
  appendEach(calls: readonly (readonly OutRecord[])[]): Promise<void>[]
  /** False from a failed batch until the next good one. Doors use it only for readiness. */
  healthy(): boolean
  /** Records waiting or in flight. */
  depth(): number
  /** Sends what is queued (at most 5 s), then ends the producer. */
  close(): Promise<void>
}

export interface Follower {
  /**
   * Resolves to true once everything that was on the log at the start has been handed over, or to
   * false 5 s after the start.
   */
  caughtUp: Promise<boolean>
  /** True while fetches succeed. */
  live(): boolean
  close(): Promise<void>
}

export interface FollowOptions {
  topics: readonly TopicName[]
  /**
   * Where to begin: the beginning of the log, its end, or the first record at or after an instant
   * (epoch ms).
   */
  from: 'beginning' | 'end' | { at: number }
  /**
   * Receives records of one partition in order; never two calls for one partition at once. A throw
   * is logged, and the follower continues after the batch.
   */
  onRecords(records: readonly InRecord[]): void
  /**
   * Called when the log becomes unreachable (since epoch ms), or is live again. The process keeps
   * serving meanwhile.
   */
  onStale?(since: number): void
  onLive?(): void
}

export interface TopicState {
  name: TopicName
  partitions: number
  config: Record<string, string>
}

/** When the broker appended a batch of this process; only on topics with append time. */
export interface AppendTime {
  /** Epoch ms by the broker's clock. */
  appended_at: number
  /** Values of performance.now() just before the request was sent and after its answer came. */
  asked: number
  answered: number
}

export interface StreamClient {
  /** The one producer of the process, with the one batcher in front of it. */
  readonly log: Append
  /**
   * Reads every partition of the topics without a consumer group: for tables and fan-out (gateway,
   * ceilings at the doors). Retries for ever with back-off.
   */
  follow(options: FollowOptions): Promise<Follower>
  /** Returns the partition of a key, by the same murmur2 as Java's default partitioner. */
  partitionOf(topic: TopicName, key: string | Buffer): number
  clusterId(): Promise<string>
  /** Sets the one listener for appends from now on. It must not throw. */
  onAppendTime(listener: (seen: AppendTime) => void): void
  close(): Promise<void>
}
