/**
 * Positions of processors in Postgres: the truth about what was processed, committed with its effects, and the fence against a second owner.
 * `next_offset` is the first offset not yet processed; `cluster_id` names the Kafka cluster whose log it is in.
 */
import type { ClientBase } from 'pg'
import type { TopicName } from '../../schemas/topics.ts'

export type Tx = Pick<ClientBase, 'query'>

/** The log is not the one the positions are in. The sentence says what happened and what to do; no reset of a client decides that. */
export class LogChanged extends Error {
  override readonly name = 'LogChanged'
}

const REMEDY =
  'Positions and log belong together: bring the old log back, or run "npm run migrate -- --new-log" to begin at the start of the new one (incidents stay; records of the old log that were not processed are lost).'

export const otherCluster = (stored: string, found: string): LogChanged =>
  new LogChanged(`Kafka was replaced or wiped: the stored positions are in cluster ${stored}, the broker says ${found}. ${REMEDY}`)

/** The log of a partition ends before the stored position. */
const logEndsBefore = (topic: string, partition: number, end: bigint, next: bigint): LogChanged =>
  new LogChanged(`The log of ${topic} partition ${partition} ends at ${end}, before the stored position ${next}. ${REMEDY}`)

/** A stored position of a processor. */
export interface Position {
  topic: string
  partition: number
  next: bigint
  clusterId: string
}

export async function readPositions(tx: Tx, processor: string): Promise<Position[]> {
  const { rows } = await tx.query('SELECT topic, partition, next_offset::text, cluster_id FROM stream_offsets WHERE processor = $1', [
    processor
  ])
  return rows.map(({ topic, partition, next_offset, cluster_id }) => ({
    topic,
    partition,
    next: BigInt(next_offset),
    clusterId: cluster_id
  }))
}

/**
 * Throws LogChanged when a position is in another cluster's log, or behind the end of its partition's. `ends` by `topic:partition`, asked for after
 * the positions were read: both move on all the time, and the end is never behind.
 */
export function verifyPositions(positions: readonly Position[], log: { clusterId: string; ends: ReadonlyMap<string, bigint> }): void {
  for (const { topic, partition, next, clusterId } of positions) {
    if (clusterId !== log.clusterId) throw otherCluster(clusterId, log.clusterId)
    const end = log.ends.get(`${topic}:${partition}`)
    if (end !== undefined && end < next) throw logEndsBefore(topic, partition, end, next)
  }
}

/** The position of a partition, made at 0 where there was none. */
export async function loadOffset(tx: Tx, processor: string, topic: TopicName, partition: number, clusterId: string): Promise<bigint> {
  await tx.query(
    'INSERT INTO stream_offsets (processor, topic, partition, next_offset, cluster_id) VALUES ($1, $2, $3, 0, $4) ON CONFLICT DO NOTHING',
    [processor, topic, partition, clusterId]
  )
  const { rows } = await tx.query(
    'SELECT next_offset::text, cluster_id FROM stream_offsets WHERE processor = $1 AND topic = $2 AND partition = $3',
    [processor, topic, partition]
  )
  if (rows[0].cluster_id !== clusterId) throw otherCluster(rows[0].cluster_id, clusterId)
  return BigInt(rows[0].next_offset)
}

/** Moves the position if it still is where this task left it. False: somebody else owns the partition now; nothing may be written. */
export async function moveOffset(
  tx: Tx,
  processor: string,
  topic: TopicName,
  partition: number,
  from: bigint,
  to: bigint
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'UPDATE stream_offsets SET next_offset = $5, updated_at = now() WHERE processor = $1 AND topic = $2 AND partition = $3 AND next_offset = $4',
    [processor, topic, partition, from.toString(), to.toString()]
  )
  return rowCount === 1
}

/** Forgets every position: the deliberate step after the log was replaced. Returns how many there were. */
export async function forgetOffsets(tx: Tx): Promise<number> {
  return (await tx.query('DELETE FROM stream_offsets')).rowCount ?? 0
}

/** State rows of a partition-owned processor. */
export async function loadState<S>(tx: Tx, processor: string, partition: number): Promise<Map<string, S>> {
  const { rows } = await tx.query('SELECT key, state FROM partition_state WHERE processor = $1 AND partition = $2', [processor, partition])
  return new Map(rows.map((row) => [row.key, row.state]))
}

/** Writes changed keys in one statement, and deletes those that became null. */
export async function saveState(tx: Tx, processor: string, partition: number, changed: ReadonlyMap<string, unknown>): Promise<void> {
  const kept = [...changed].filter(([, state]) => state !== null)
  const gone = [...changed].filter(([, state]) => state === null).map(([key]) => key)
  if (kept.length > 0) {
    await tx.query(
      `INSERT INTO partition_state (processor, partition, key, state) SELECT $1, $2, key, state::jsonb FROM unnest($3::text[], $4::text[]) AS changed (key, state)
       ON CONFLICT (processor, partition, key) DO UPDATE SET state = excluded.state`,
      [processor, partition, kept.map(([key]) => key), kept.map(([, state]) => JSON.stringify(state))]
    )
  }
  if (gone.length > 0)
    await tx.query('DELETE FROM partition_state WHERE processor = $1 AND partition = $2 AND key = ANY($3)', [processor, partition, gone])
}
