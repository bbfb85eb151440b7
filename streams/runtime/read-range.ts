/**
 * Reads given ranges of partitions again, without a group: what a crashed sink had announced to
 * insert, or dead letters. Records that retention or compaction removed in the meantime are
 * missing; nothing outside the ranges is handed over.
 */
import type { TopicName } from '../../schemas/topics.ts'
import { by } from './deadline.ts'
import { fetchedOf, toInRecord } from './fetched.ts'
import { outOfRange } from './follow-fetch.ts'
import type { Range } from './intents.ts'
import { type Cluster, type Connect, createCluster } from './kafkajs.ts'
import { steadyNow } from './steady.ts'
import type { InRecord } from './stream.ts'

const ANSWER_MS = 5000
const MAX_BYTES = 4 * 1024 * 1024

interface Place {
  topic: TopicName
  name: string
  partition: number
}

async function beginning(cluster: Cluster, { name, partition }: Place): Promise<bigint> {
  const found = await cluster.fetchTopicsOffset([{ topic: name, partitions: [{ partition }], fromBeginning: true }])
  return BigInt(found[0]?.partitions[0]?.offset ?? 0)
}

async function readPartition(
  cluster: Cluster,
  place: Place,
  { first, last }: Range,
  onRecords: (records: InRecord[]) => void | Promise<void>
): Promise<void> {
  const leader = cluster.findTopicPartitionMetadata(place.name).find(({ partitionId }) => partitionId === place.partition)?.leader
  if (leader === undefined) throw new Error(`partition ${place.partition} of ${place.name} has no leader`)
  const broker = await cluster.findBroker({ nodeId: leader })
  let next = first
  while (next <= last) {
    let fetched: Awaited<ReturnType<typeof broker.fetch>>
    try {
      fetched = await by(
        steadyNow() + ANSWER_MS,
        broker.fetch({
          isolationLevel: 0,
          maxWaitTime: 100,
          minBytes: 1,
          maxBytes: MAX_BYTES,
          topics: [{ topic: place.name, partitions: [{ partition: place.partition, fetchOffset: next.toString(), maxBytes: MAX_BYTES }] }]
        })
      )
    } catch (error) {
      if (!outOfRange(error)) throw error
      const start = await beginning(cluster, place)
      // Not retention: the log ends before the range. It is another log, and the sink must not
      // judge that.
      if (start <= next) throw error
      next = start
      continue
    }
    const answer = fetched.responses[0]?.partitions[0]
    const records = fetchedOf(answer?.messages ?? [])
    if (!records && BigInt(answer?.highWatermark ?? 0) <= next) throw new Error('the log does not reach as far as it did')
    await onRecords((records?.records(place.topic, place.partition, next) ?? []).filter(({ offset }) => offset <= last).map(toInRecord))
    // No record at this position although it is on the log: an empty batch, left by compaction.
    next = records && records.behind > next ? records.behind : next + 1n
  }
}

/**
 * Calls `onRecords` with the records of each range in order, one partition after another, and waits
 * for it. Rejects with the error of `onRecords`, or when the log cannot be read; that can be
 * retried later.
 */
export async function readRanges(
  connect: Connect & { topicPrefix: string },
  topic: TopicName,
  ranges: ReadonlyMap<number, Range>,
  onRecords: (records: InRecord[]) => void | Promise<void>
): Promise<void> {
  const name = connect.topicPrefix + topic
  const cluster = createCluster(connect)
  try {
    await cluster.connect()
    await cluster.addMultipleTargetTopics([name])
    for (const [partition, range] of ranges) await readPartition(cluster, { topic, name, partition }, range, onRecords)
  } finally {
    cluster.abandon()
  }
}
