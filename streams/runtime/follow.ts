/**
 * A reader of every partition of some topics, without a consumer group: for tables (ceilings at the doors) and fan-out (gateway).
 *
 * It fetches from the partitions' leaders itself. A group would give it nothing (it wants all partitions, and commits nothing) and cost a
 * coordinator, rebalances and a group to delete. It retries for ever: while the log cannot be read it says stale, once it can, live.
 * Records of a partition come in order; after an error the fetch goes on behind the last record handed over, so none is skipped and none comes twice.
 */

import type { TopicName } from '../../schemas/topics.ts'
import { type Cluster, type Connect, createCluster, type FetchedMessage } from './kafkajs.ts'
import type { Follower, FollowOptions, InRecord } from './stream.ts'

const OFFSET_OUT_OF_RANGE = 1

interface Position {
  topic: TopicName
  name: string
  partition: number
  next: bigint
}

const textOf = (value: Buffer | string | (Buffer | string)[] | undefined): string =>
  Array.isArray(value) ? textOf(value[0]) : (value?.toString() ?? '')

/** A fetched message as the rest of the service sees it. */
export function toInRecord(topic: TopicName, partition: number, message: FetchedMessage): InRecord {
  const headers: Record<string, string> = {}
  if (message.headers) for (const name in message.headers) headers[name] = textOf(message.headers[name])
  return {
    topic,
    partition,
    offset: BigInt(message.offset),
    timestamp: Number(message.timestamp),
    key: message.key?.toString() ?? '',
    value: message.value,
    headers
  }
}

export interface FollowDeps extends Connect {
  prefix: string
  log: Connect['log'] & { warn(fields: object, message: string): void; error(fields: object, message: string): void }
  /** Longest wait of a fetch when nothing is new; ms. */
  maxWaitMs?: number
}

export async function follow(deps: FollowDeps, options: FollowOptions): Promise<Follower> {
  const { prefix, log, maxWaitMs = 1000 } = deps
  const cluster = createCluster(deps)
  let positions: Position[] | null = null
  let goals: Map<string, bigint> | null = null
  let isLive = false
  let staleSince: number | null = null
  let closed = false
  let wake: (() => void) | null = null
  let settleCaughtUp: (reached: boolean) => void = () => undefined
  const caughtUp = new Promise<boolean>((resolve) => {
    settleCaughtUp = resolve
  })
  const limit = setTimeout(() => settleCaughtUp(false), 5000)

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  function checkCaughtUp(): void {
    if (!goals || !positions) return
    for (const { name, partition, next } of positions) if (next < (goals.get(`${name}:${partition}`) ?? 0n)) return
    goals = null
    clearTimeout(limit)
    settleCaughtUp(true)
  }

  /** Offsets of every partition at the beginning, the end or an instant. */
  async function offsets(from: FollowOptions['from']): Promise<Map<string, bigint>> {
    const names = options.topics.map((topic) => prefix + topic)
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

  async function locate(): Promise<Position[]> {
    const end = await offsets('end')
    const start = options.from === 'end' ? end : await offsets(options.from)
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

  async function fetchFrom(nodeId: number, own: Position[]): Promise<void> {
    const broker = await cluster.findBroker({ nodeId })
    const topics = new Map<string, Position[]>()
    for (const position of own) topics.set(position.name, [...(topics.get(position.name) ?? []), position])
    const { responses } = await broker.fetch({
      isolationLevel: 0,
      maxWaitTime: maxWaitMs,
      minBytes: 1,
      maxBytes: 8 * 1024 * 1024,
      topics: [...topics].map(([topic, list]) => ({
        topic,
        partitions: list.map(({ partition, next }) => ({ partition, fetchOffset: next.toString(), maxBytes: 1024 * 1024 }))
      }))
    })
    let lost: Error | null = null
    for (const { topicName, partitions } of responses) {
      for (const { partition, errorCode, messages } of partitions) {
        const position = own.find((one) => one.partition === partition && one.name === topicName)
        if (!position) continue
        if (errorCode === OFFSET_OUT_OF_RANGE) {
          // Another log under the same name, or retention passed us: begin again as at the start.
          log.warn({ topic: topicName, partition, next: position.next.toString() }, 'position is not on the log: starting over')
          const start = await offsets(options.from === 'end' ? 'end' : 'beginning')
          position.next = start.get(`${topicName}:${partition}`) ?? 0n
        } else if (errorCode !== 0) {
          lost = new Error(`fetch of ${topicName} ${partition}: error code ${errorCode}`)
        } else {
          deliver(position, messages)
        }
      }
    }
    if (lost) throw lost
  }

  function deliver(position: Position, messages: FetchedMessage[]): void {
    const records: InRecord[] = []
    for (const message of messages) {
      const offset = BigInt(message.offset)
      // A fetch answers with whole batches: their first records may lie before the position.
      if (offset < position.next || message.isControlRecord) continue
      records.push(toInRecord(position.topic, position.partition, message))
      position.next = offset + 1n
    }
    if (records.length === 0) return
    try {
      options.onRecords(records)
    } catch (error) {
      log.error({ err: error, topic: position.topic, partition: position.partition }, 'records could not be taken in; going on behind them')
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; !closed; ) {
      try {
        if (!cluster.isConnected()) await cluster.connect()
        await cluster.addMultipleTargetTopics(options.topics.map((topic) => prefix + topic))
        if (failures > 0) await cluster.refreshMetadata()
        positions ??= await locate()
        checkCaughtUp()
        const byLeader = new Map<number, Position[]>()
        for (const position of positions) {
          const leader =
            cluster.findTopicPartitionMetadata(position.name).find(({ partitionId }) => partitionId === position.partition)?.leader ?? -1
          byLeader.set(leader, [...(byLeader.get(leader) ?? []), position])
        }
        if (byLeader.has(-1)) throw new Error('a partition has no leader')
        // A loop to a leader: an idle leader's long poll must not hold up the others.
        let over = false
        const loops = [...byLeader].map(async ([nodeId, own]) => {
          try {
            while (!closed && !over) {
              await fetchFrom(nodeId, own)
              failures = 0
              if (!isLive && !closed) {
                isLive = true
                staleSince = null
                options.onLive?.()
              }
              if (goals) checkCaughtUp()
            }
          } finally {
            over = true
          }
        })
        const failed = (await Promise.allSettled(loops)).find((loop) => loop.status === 'rejected')
        if (failed) throw failed.reason
      } catch (error) {
        if (closed) return
        failures += 1
        if (isLive || staleSince === null) {
          isLive = false
          staleSince = Date.now()
          log.warn({ err: error, topics: options.topics }, 'the log cannot be read; trying again')
          options.onStale?.(staleSince)
        }
        await pause(Math.min(100 * 2 ** Math.min(failures, 5), 2000))
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
      wake?.()
      await cluster.disconnect()
      await running
    }
  }
}

export type { Cluster }
