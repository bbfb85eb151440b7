/**
 * What a sink is made of and gives: the contract between the loop (sink.ts) and whoever makes rows
 * and stores them.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { RuntimeLog, RuntimeMetrics } from './connect.ts'
import type { InRecord } from './stream.ts'

export interface Insert {
  table: string
  rows: number
  body: Buffer
}

/** The rows of one batch as they come together. */
export interface Forming {
  /**
   * Never throws: a record that cannot become a row becomes one of the table of such records. Same
   * records, same rows.
   */
  take(records: readonly InRecord[]): void
  readonly rows: number
  readonly bytes: number
  /** One body a table, tables in fixed order, without those that have no rows. */
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
  /** Version of the rows' making: part of the token. */
  rev: number
  log: RuntimeLog
  metrics: RuntimeMetrics
  begin(topic: TopicName): Forming
  /**
   * What `take` will need to read these records. Rejects when that cannot be had now: asked again.
   */
  prepare(records: readonly InRecord[]): Promise<void>
  /**
   * Resolves when the rows are stored, or were stored under this token before. A rejection is tried
   * again.
   */
  insert(insert: Insert, token: string): Promise<void>
  /** From the first row of a batch of few rows to its insert; ms. */
  trickleMs?: number
  /** The process must end. Called at most once. */
  onFatal(reason: string, error: unknown): void
}

export interface Sink {
  /** Joined, fetching, and no insert is failing. */
  ready(): boolean
  /** Epoch ms; null while this member does not own the topic or has not caught its beginning. */
  completeUntil(topic: TopicName): number | null
  /** Finishes what is in hand (at most 8 s), then leaves the group. */
  close(): Promise<void>
}
