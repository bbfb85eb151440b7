/**
 * What the sink records before an insert, as the metadata of a committed offset:
 * `i:<first>-<last>:<rev>` for each partition of the batch. A commit is one record of the group, so
 * either all partitions of a batch have an intent or none has. The commit after the insert has no
 * metadata.
 *
 * Commits name the generation of the group, so the broker refuses commits of a member that has been
 * removed in the meantime. kafkajs's own commit is not suitable: it repeats a refused commit under
 * the next generation, and resolves without a commit once its consumer stops.
 */
import { createHash } from 'node:crypto'
import { by } from './deadline.ts'
import { type Connect, createCluster } from './kafkajs.ts'
import { steadyNow } from './steady.ts'

/** Offsets of a partition, both ends included. */
export interface Range {
  first: bigint
  last: bigint
}

export interface Intent extends Range {
  /** Version of the code that made the rows; the insert's token contains it. */
  rev: number
}

export const intentText = ({ first, last, rev }: Intent): string => `i:${first}-${last}:${rev}`

/** Parses an intent. Null when the metadata is not an intent. */
export function readIntent(metadata: string | null): Intent | null {
  const found = /^i:(\d+)-(\d+):(\d+)$/.exec(metadata ?? '')
  return found ? { first: BigInt(found[1] ?? 0), last: BigInt(found[2] ?? 0), rev: Number(found[3]) } : null
}

/**
 * Returns the token for a set of ranges. The same batch always has the same token, whenever and by
 * whomever it is formed. `log` tells a wiped and refilled log from the one before.
 */
export function tokenOf(log: string, topic: string, ranges: ReadonlyMap<number, Range>, table: string, rev: number): string {
  const text = [...ranges]
    .sort(([a], [b]) => a - b)
    .map(([partition, { first, last }]) => `${partition}:${first}-${last}`)
    .join(',')
  return `${topic}/${createHash('sha256').update(`${log}\n${text}`).digest('hex').slice(0, 32)}/${table}/${rev}`
}

export interface Committed {
  partition: number
  /** Null when nothing has been committed yet. */
  offset: bigint | null
  intent: Intent | null
}

export interface Member {
  memberId: string
  generation: number
}

export interface GroupOffsets {
  fetch(topic: string): Promise<Committed[]>
  /** Rejects with a kafkajs error. `isFenced` tells whether a retry is useless. */
  commit(member: Member, topic: string, offsets: readonly { partition: number; offset: bigint; metadata: string }[]): Promise<void>
  close(): void
}

/**
 * Whether the group has gone on without this member: its partitions may belong to another member.
 */
export const isFenced = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && /^(ILLEGAL_GENERATION|UNKNOWN_MEMBER_ID|FENCED_INSTANCE_ID)$/.test(String(error.type))

/** A coordinator that takes this long is treated as not answering; ms. */
const ANSWER_MS = 5000

export function groupOffsets(connect: Connect, groupId: string): GroupOffsets {
  let cluster = createCluster(connect)
  async function ask<T>(work: (current: typeof cluster) => Promise<T>): Promise<T> {
    const current = cluster
    try {
      return await by(
        steadyNow() + ANSWER_MS,
        (async () => {
          if (!current.isConnected()) await current.connect()
          return await work(current)
        })()
      )
    } catch (error) {
      // Whatever the error was, the next request uses new connections, so nobody waits for an
      // answer that arrives late.
      if (!isFenced(error) && current === cluster) {
        current.abandon()
        cluster = createCluster(connect)
      }
      throw error
    }
  }
  return {
    fetch: (topic) =>
      ask(async (current) => {
        await current.addMultipleTargetTopics([topic])
        const coordinator = await current.findGroupCoordinator({ groupId })
        const partitions = current.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId }))
        const { responses } = await coordinator.offsetFetch({ groupId, topics: [{ topic, partitions }] })
        return responses
          .flatMap((response) => response.partitions)
          .map(({ partition, offset, metadata }) => ({
            partition,
            offset: BigInt(offset) < 0n ? null : BigInt(offset),
            intent: readIntent(metadata)
          }))
      }),
    commit: ({ memberId, generation }, topic, offsets) =>
      ask(async (current) => {
        const coordinator = await current.findGroupCoordinator({ groupId })
        const partitions = offsets.map(({ partition, offset, metadata }) => ({ partition, offset: offset.toString(), metadata }))
        await coordinator.offsetCommit({ groupId, groupGenerationId: generation, memberId, topics: [{ topic, partitions }] })
      }),
    close: () => cluster.abandon()
  }
}
