/**
 * The options and the interface of a sink: the contract between the loop (sink.ts) and the code
 * that makes and stores rows.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { RuntimeLog, RuntimeMetrics } from './connect.ts'
import type { InRecord } from './stream.ts'

export interface Insert {
  table: string
  rows: number
  body: Buffer
}

/** The rows of a batch while it forms. */
export interface Forming {
  /**
   * Adds records. Never throws: a record that cannot become a row becomes a row in the table of
   * such records. The same records always make the same rows.
   */
  take(records: readonly InRecord[]): void
  readonly rows: number
  readonly bytes: number
  /** One insert per table that has rows, with the tables in a fixed order. */
  inserts(): Insert[]
}

export interface SinkOptions {
  brokers: string[]
  clientId: string
  topicPrefix: string
  group: string
  /** Heaviest first. */
  topics: readonly TopicName[]
  sessionTimeoutMs: number
  clusterId: string
  /** Version of the code that makes the rows; part of the token. */
  rev: number
  log: RuntimeLog
  metrics: RuntimeMetrics
  begin(topic: TopicName): Forming
  /**
   * Loads what `take` needs to read these records. Rejects when that is not available now; the call
   * is then repeated.
   */
  prepare(records: readonly InRecord[]): Promise<void>
  /**
   * Resolves when the rows are stored, or were already stored under this token. It is repeated
   * after a rejection.
   */
  insert(insert: Insert, token: string): Promise<void>
  /** Longest time from the first row of a small batch to its insert; ms. */
  trickleMs?: number
  /** Called at most once, when the process must end. */
  onFatal(reason: string, error: unknown): void
}

export interface Sink {
  /** True when the member has joined and fetches, and no insert is failing. */
  ready(): boolean
  /** Epoch ms; null while this member does not own the topic, or does not know the instant yet. */
  completeUntil(topic: TopicName): number | null
  /** Finishes the batches in hand (at most 8 s), then leaves the group. */
  close(): Promise<void>
}
