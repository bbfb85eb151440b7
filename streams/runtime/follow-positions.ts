/**
 * Where a follower begins on each partition, and where it goes on when a position is not on the
 * log.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { createCluster } from './kafkajs.ts'
import type { FollowOptions } from './stream.ts'

export type Cluster = ReturnType<typeof createCluster>

export interface Position {
  topic: TopicName
  /** The name of the topic, with the prefix. */
  name: string
  partition: number
  next: bigint
}

export const keyOf = ({ name, partition }: Pick<Position, 'name' | 'partition'>): string => `${name}:${partition}`

/**
 * Returns the offset of every partition at the beginning, at the end or at an instant, by `keyOf`.
 * -1 means that there is no record at or after the instant.
 */
export async function offsetsAt(cluster: Cluster, names: readonly string[], from: FollowOptions['from']): Promise<Map<string, bigint>> {
  const found = await cluster.fetchTopicsOffset(
    names.map((topic) => ({
      topic,
      partitions: cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId })),
      ...(typeof from === 'object' ? { fromTimestamp: from.at } : { fromBeginning: from === 'beginning' })
    }))
  )
  return new Map(
    found.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [keyOf({ name: topic, partition }), BigInt(offset)] as const)
    )
  )
}

export interface Located {
  positions: Position[]
  /** The ends of the partitions, by `keyOf`. A follower that has reached them has caught up. */
  ends: Map<string, bigint>
}

/** Returns the first positions of a follower. Throws when a topic is missing. */
export async function locate(
  cluster: Cluster,
  prefix: string,
  topics: readonly TopicName[],
  from: FollowOptions['from']
): Promise<Located> {
  const names = topics.map((topic) => prefix + topic)
  const ends = await offsetsAt(cluster, names, 'end')
  const start = from === 'end' ? ends : await offsetsAt(cluster, names, from)
  const positions = topics.flatMap((topic) => {
    const name = prefix + topic
    const partitions = cluster.findTopicPartitionMetadata(name)
    if (partitions.length === 0) throw new Error(`no topic ${name}: create the topics with npm run migrate`)
    return partitions.map(({ partitionId }) => {
      const key = keyOf({ name, partition: partitionId })
      const first = start.get(key) ?? -1n
      return { topic, name, partition: partitionId, next: first >= 0n ? first : (ends.get(key) ?? 0n) }
    })
  })
  return { positions, ends }
}

/**
 * Returns where to go on when a position is not on the log: retention removed it, or the topic was
 * created again.
 */
export async function nextOnLog(cluster: Cluster, position: Position, from: FollowOptions['from']): Promise<bigint> {
  const key = keyOf(position)
  const first = (await offsetsAt(cluster, [position.name], 'beginning')).get(key) ?? 0n
  const end = (await offsetsAt(cluster, [position.name], 'end')).get(key) ?? 0n
  return position.next > end && from === 'end' ? end : first
}

/**
 * Groups positions by the node that leads their partition. Throws when a partition has no leader.
 */
export function byLeader(cluster: Cluster, positions: readonly Position[]): Map<number, Position[]> {
  const found = new Map<number, Position[]>()
  for (const position of positions) {
    const metadata = cluster.findTopicPartitionMetadata(position.name)
    const leader = metadata.find(({ partitionId }) => partitionId === position.partition)?.leader ?? -1
    if (leader < 0) throw new Error(`partition ${position.partition} of ${position.name} has no leader`)
    const own = found.get(leader)
    if (own) own.push(position)
    else found.set(leader, [position])
  }
  return found
}
