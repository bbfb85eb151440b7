/**
 * One fetch of a follower from one broker: hands the records over and moves the positions past
 * them.
 */
import { by } from './deadline.ts'
import { type Fetched, fetchedOf, toInRecord } from './fetched.ts'
import { type Cluster, nextOnLog, type Position } from './follow-positions.ts'
import type { Connect } from './kafkajs.ts'
import { isRedriven } from './redriven.ts'
import { steadyNow } from './steady.ts'
import type { FollowOptions } from './stream.ts'

export type FollowLog = Connect['log'] & { warn(fields: object, message: string): void; error(fields: object, message: string): void }

/** A leader that takes this much longer than its longest wait is treated as not answering; ms. */
const ANSWER_MS = 3000
const FETCH_BYTES = 8 * 1024 * 1024
const PARTITION_BYTES = 1024 * 1024

/**
 * Returns the partition that kafkajs names when a fetch fails because its position is not on the
 * log; null for other errors.
 */
export function outOfRange(error: unknown): { topic: string; partition: number } | null {
  if (!(error instanceof Error) || error.name !== 'KafkaJSOffsetOutOfRange' || !('topic' in error) || !('partition' in error)) return null
  return { topic: String(error.topic), partition: Number(error.partition) }
}

export type FetchFrom = (cluster: Cluster, nodeId: number, own: readonly Position[]) => Promise<void>

export function createFetch({ log, maxWaitMs }: { log: FollowLog; maxWaitMs: number }, options: FollowOptions): FetchFrom {
  /** Hands records over. Returns false when the fetch did not move the position. */
  function deliver(position: Position, fetched: Fetched | null): boolean {
    if (!fetched) return false
    const { topic, partition, next } = position
    // A record that was put back for one processor is not new to anyone else.
    const records = fetched
      .records(topic, partition, next)
      .map(toInRecord)
      .filter(({ headers }) => !isRedriven(headers))
    if (fetched.behind > next) position.next = fetched.behind
    if (records.length > 0) {
      try {
        options.onRecords(records)
      } catch (error) {
        log.error({ err: error, topic, partition }, 'records could not be taken in; going on behind them')
      }
    }
    return position.next > next
  }

  /**
   * Fetches. Resolves to `null` when a position was not on the log; the position has then moved to
   * an offset that is.
   */
  async function ask(cluster: Cluster, nodeId: number, own: readonly Position[]) {
    const broker = await cluster.findBroker({ nodeId })
    const topics = new Map<string, Position[]>()
    for (const position of own) {
      const list = topics.get(position.name)
      if (list) list.push(position)
      else topics.set(position.name, [position])
    }
    const answer = broker.fetch({
      isolationLevel: 0,
      maxWaitTime: maxWaitMs,
      minBytes: 1,
      maxBytes: FETCH_BYTES,
      topics: [...topics].map(([topic, list]) => ({
        topic,
        partitions: list.map(({ partition, next }) => ({ partition, fetchOffset: next.toString(), maxBytes: PARTITION_BYTES }))
      }))
    })
    try {
      return await by(steadyNow() + maxWaitMs + ANSWER_MS, answer)
    } catch (error) {
      const lost = outOfRange(error)
      const position = lost && own.find((one) => one.partition === lost.partition && one.name === lost.topic)
      if (!position) throw error
      const next = await nextOnLog(cluster, position, options.from)
      log.warn(
        { topic: position.name, partition: position.partition, position: position.next.toString(), next: next.toString() },
        'position is not on the log: starting over'
      )
      position.next = next
      return null
    }
  }

  return async function fetchFrom(cluster, nodeId, own) {
    const fetched = await ask(cluster, nodeId, own)
    if (!fetched) return
    const empty: Position[] = []
    for (const { topicName, partitions } of fetched.responses) {
      for (const { partition, highWatermark, messages } of partitions) {
        const position = own.find((one) => one.partition === partition && one.name === topicName)
        if (position && !deliver(position, fetchedOf(messages)) && position.next < BigInt(highWatermark)) empty.push(position)
      }
    }
    for (const position of empty) {
      // No record arrived although the log continues: other partitions took all the room, or
      // compaction left an empty batch. When the partition is asked for alone, the broker sends at
      // least the batch that contains the position. If that batch has no record, there is no record
      // at the position.
      if (own.length === 1) position.next += 1n
      else await fetchFrom(cluster, nodeId, [position])
    }
  }
}
