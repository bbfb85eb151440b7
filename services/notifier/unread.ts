/**
 * Compares where the logs end with the stored positions of processors: what do these not know yet?
 */
import type { TopicName } from '../../schemas/topics.ts'
import { by } from '../../streams/runtime/deadline.ts'
import { readPositions } from '../../streams/runtime/offsets.ts'
import { nameOf } from '../../streams/runtime/partition-task.ts'
import { steadyNow } from '../../streams/runtime/steady.ts'
import type { Pool } from '../store/pool.ts'

/** Where partitions end, by `topic:partition`. */
export type Ends = ReadonlyMap<string, bigint>

/** Asks the broker where the partitions of these topics end now. */
export type EndsOf = (topics: readonly TopicName[]) => Promise<Ends>

/** For one answer of the broker. */
const ENDS_MS = 5000

/** Rejects if the broker does not answer within 5 s. */
export const endsSoon = (endsOf: EndsOf, topics: readonly TopicName[]): Promise<Ends> => by(steadyNow() + ENDS_MS, endsOf(topics))

/**
 * Returns how many records before `ends` these processors have not read, by `topic:partition`,
 * without the partitions that they have read so far.
 */
export async function unreadBefore(pool: Pool, processors: readonly string[], ends: Ends): Promise<Map<string, bigint>> {
  const found = (await Promise.all(processors.map((name) => readPositions(pool, name)))).flat()
  const positions = new Map(found.map((position) => [nameOf(position), position.next]))
  const left = [...ends].map(([place, end]) => [place, end - (positions.get(place) ?? 0n)] as const)
  return new Map(left.filter(([, records]) => records > 0n))
}
