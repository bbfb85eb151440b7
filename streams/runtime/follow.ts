/**
 * A reader of every partition of some topics, without a consumer group: for tables (ceilings at the doors) and fan-out (gateway).
 *
 * It fetches from the partitions' leaders itself. A group would give it nothing (it wants all partitions, and commits nothing) and cost a
 * coordinator, rebalances and a group to delete. It retries for ever, on new connections: while the log cannot be read it says stale, once it can, live.
 * Records of a partition come in order; after an error the fetch goes on behind the last record handed over, so none is skipped and none comes twice.
 * Retention that passed the position: it goes on with the first record there is. A log that was replaced is read from its beginning.
 */

import type { TopicName } from '../../schemas/topics.ts'
import { by } from './deadline.ts'
import { type Fetched, fetchedOf, toInRecord } from './fetched.ts'
import { type Connect, createCluster } from './kafkajs.ts'
import { createRest } from './rest.ts'
import type { Follower, FollowOptions } from './stream.ts'

/** A leader that takes so much longer than its longest wait does not answer; ms. */
const ANSWER_MS = 3000

interface Position {
  topic: TopicName
  name: string
  partition: number
  next: bigint
}

export interface FollowDeps extends Connect {
  prefix: string
  log: Connect['log'] & { warn(fields: object, message: string): void; error(fields: object, message: string): void }
  /** Longest wait of a fetch when nothing is new; ms. */
  maxWaitMs?: number
  /** Whoever waits to be caught up is told no after so long; ms. */
  catchUpMs?: number
}

/** The partition that kafkajs names when a fetch fails because its position is not on the log. */
export function outOfRange(error: unknown): { topic: string; partition: number } | null {
  if (!(error instanceof Error) || error.name !== 'KafkaJSOffsetOutOfRange' || !('topic' in error) || !('partition' in error)) return null
  return { topic: String(error.topic), partition: Number(error.partition) }
}

export async function follow(deps: FollowDeps, options: FollowOptions): Promise<Follower> {
  const { prefix, log, maxWaitMs = 2500, catchUpMs = 5000 } = deps
  const names = options.topics.map((topic) => prefix + topic)
  let cluster = createCluster(deps)
  let clusterId: string | null = null
  let positions: Position[] | null = null
  let goals: Map<string, bigint> | null = null
  let isLive = false
  let staleSince: number | null = null
  let closed = false
  const { rest, wake } = createRest()
  let settleCaughtUp: (reached: boolean) => void = () => undefined
  const caughtUp = new Promise<boolean>((resolve) => {
    settleCaughtUp = resolve
  })
  const limit = setTimeout(() => settleCaughtUp(false), catchUpMs)

  function checkCaughtUp(): void {
    if (!goals || !positions) return
    for (const { name, partition, next } of positions) if (next < (goals.get(`${name}:${partition}`) ?? 0n)) return
    goals = null
    clearTimeout(limit)
    settleCaughtUp(true)
  }

  /** Offsets of every partition at the beginning, the end or an instant. */
  async function offsets(from: FollowOptions['from']): Promise<Map<string, bigint>> {
    const found = await cluster.fetchTopicsOffset(
      names.map((topic) => ({
        topic,
        partitions: cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId })),
        ...(typeof from === 'object' ? { fromTimestamp: from.at } : { fromBeginning: from === 'beginning' })
      }))
    )
    return new Map(
      found.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => [`${topic}:${partition}`, BigInt(offset)] as const)
      )
    )
  }

  async function locate(from: FollowOptions['from']): Promise<Position[]> {
    const end = await offsets('end')
    const start = from === 'end' ? end : await offsets(from)
    goals = end
    return options.topics.flatMap((topic) => {
      const name = prefix + topic
      const partitions = cluster.findTopicPartitionMetadata(name)
      if (partitions.length === 0) throw new Error(`no topic ${name}: create the topics with npm run migrate`)
      return partitions.map(({ partitionId }) => {
        const key = `${name}:${partitionId}`
        const first = start.get(key) ?? -1n
        // -1: no record at or after the instant, so the end.
        return { topic, name, partition: partitionId, next: first >= 0n ? first : (end.get(key) ?? 0n) }
      })
    })
  }

  /** Where to go on when a position is not on the log: retention passed it, or the topic was made anew. */
  async function relocate(position: Position): Promise<void> {
    const key = `${position.name}:${position.partition}`
    const first = (await offsets('beginning')).get(key) ?? 0n
    const end = (await offsets('end')).get(key) ?? 0n
    const next = position.next > end && options.from === 'end' ? end : first
    log.warn(
      { topic: position.name, partition: position.partition, position: position.next.toString(), next: next.toString() },
      'position is not on the log: starting over'
    )
    position.next = next
  }

  async function fetchFrom(nodeId: number, own: Position[]): Promise<void> {
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
      maxBytes: 8 * 1024 * 1024,
      topics: [...topics].map(([topic, list]) => ({
        topic,
        partitions: list.map(({ partition, next }) => ({ partition, fetchOffset: next.toString(), maxBytes: 1024 * 1024 }))
      }))
    })
    let fetched: Awaited<typeof answer>
    try {
      fetched = await by(Date.now() + maxWaitMs + ANSWER_MS, answer)
    } catch (error) {
      const lost = outOfRange(error)
      const position = lost && own.find((one) => one.partition === lost.partition && one.name === lost.topic)
      if (!position) throw error
      return relocate(position)
    }
    const empty: Position[] = []
    for (const { topicName, partitions } of fetched.responses) {
      for (const { partition, highWatermark, messages } of partitions) {
        const position = own.find((one) => one.partition === partition && one.name === topicName)
        if (position && !deliver(position, fetchedOf(messages)) && position.next < BigInt(highWatermark)) empty.push(position)
      }
    }
    for (const position of empty) {
      // No record, but the log goes on: other partitions took all the room, or compaction left nothing but the shell of a batch. Asked for alone, the
      // broker sends at least the batch that holds the position; if that has no record, there is none at the position.
      if (own.length === 1) position.next += 1n
      else await fetchFrom(nodeId, [position])
    }
  }

  /** Hands records over; false when the fetch did not move the position. */
  function deliver(position: Position, fetched: Fetched | null): boolean {
    if (!fetched) return false
    const { next } = position
    const records = fetched.records(position.topic, position.partition, next).map(toInRecord)
    if (fetched.behind > next) position.next = fetched.behind
    if (records.length > 0) {
      try {
        options.onRecords(records)
      } catch (error) {
        log.error(
          { err: error, topic: position.topic, partition: position.partition },
          'records could not be taken in; going on behind them'
        )
      }
    }
    return position.next > next
  }

  /** Reads until something fails or the follower is closed. */
  async function read(onFetched: () => void): Promise<void> {
    if (!cluster.isConnected()) await cluster.connect()
    await cluster.addMultipleTargetTopics(names)
    const found = cluster.brokerPool.metadata?.clusterId ?? null
    if (clusterId !== null && found !== clusterId) {
      log.warn({ topics: options.topics, before: clusterId, now: found }, 'the log was replaced: reading the new one from its beginning')
      positions = await locate('beginning')
    }
    clusterId = found
    positions ??= await locate(options.from)
    checkCaughtUp()
    const byLeader = new Map<number, Position[]>()
    for (const position of positions) {
      const leader =
        cluster.findTopicPartitionMetadata(position.name).find(({ partitionId }) => partitionId === position.partition)?.leader ?? -1
      const own = byLeader.get(leader)
      if (leader < 0) throw new Error(`partition ${position.partition} of ${position.name} has no leader`)
      if (own) own.push(position)
      else byLeader.set(leader, [position])
    }
    // A loop to a leader: an idle leader's long poll must not hold up the others.
    let over = false
    const loops = [...byLeader].map(async ([nodeId, own]) => {
      try {
        while (!closed && !over) {
          await fetchFrom(nodeId, own)
          onFetched()
          checkCaughtUp()
        }
      } finally {
        over = true
      }
    })
    const failed = (await Promise.allSettled(loops)).find((loop) => loop.status === 'rejected')
    if (failed) throw failed.reason
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!closed) {
      try {
        await read(() => {
          failures = 0
          if (isLive || closed) return
          isLive = true
          staleSince = null
          options.onLive?.()
        })
      } catch (error) {
        if (closed) return
        failures += 1
        if (isLive || staleSince === null) {
          isLive = false
          staleSince = Date.now()
          log.warn({ err: error, topics: options.topics }, 'the log cannot be read; trying again')
          options.onStale?.(staleSince)
        }
        cluster.abandon()
        await rest(Math.min(100 * 2 ** Math.min(failures, 5), 2000))
        if (!closed) cluster = createCluster(deps)
      }
    }
  }

  const running = run()
  return {
    caughtUp,
    live: () => isLive,
    async close() {
      closed = true
      clearTimeout(limit)
      settleCaughtUp(false)
      cluster.abandon()
      wake()
      await running
    }
  }
}
