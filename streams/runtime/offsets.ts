/**
 * Positions of processors in Postgres. They say what was processed, are committed with its effects,
 * and fence off a second owner. `next_offset` is the first offset not yet processed; `cluster_id`
 * names the Kafka cluster that holds the log.
 */
import type { ClientBase, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import type { TopicName } from '../../schemas/topics.ts'
import { forgetStops } from './stops.ts'

export type Tx = Pick<ClientBase, 'query'>

/** Anything that runs statements without values, on any connection. */
export interface Statements {
  query(text: string): Promise<{ rowCount: number | null }>
}

/**
 * Anything that runs single statements: the loop's transactions, a pool, or the transactions of
 * services/store.
 */
export interface Asks {
  query<R extends QueryResultRow = QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>>
}

/**
 * The log is not the one that the positions belong to. The message says what happened and what to
 * do. The client must not decide this by a reset.
 */
export class LogChanged extends Error {
  override readonly name = 'LogChanged'
}

const REMEDY = {
  otherLog:
    'Positions and log belong together: bring the old log back, or run "npm run migrate -- --new-log" to begin at the start of the new one (incidents stay; records of the old log that were not processed are lost).',
  // There is no other log to bring back or to begin. What this one holds was judged already.
  lostEnd:
    'The end of the log is lost, as after a power loss of the only broker. Nothing goes on with this log: begin another one, with empty volumes and a new cluster id, and then tell the service so (docs/operations.md, "The only broker lost the end of its log").'
}

export const otherCluster = (stored: string, found: string): LogChanged =>
  new LogChanged(`Kafka was replaced or wiped: the stored positions are in cluster ${stored}, the broker says ${found}. ${REMEDY.otherLog}`)

/** Returns the error for a partition whose log ends before the stored position. */
const logEndsBefore = (topic: string, partition: number, end: bigint, next: bigint): LogChanged =>
  new LogChanged(`The log of ${topic} partition ${partition} ends at ${end}, before the stored position ${next}. ${REMEDY.lostEnd}`)

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
 * Throws LogChanged when a position belongs to another cluster's log, or lies after the end of its
 * partition's log. `ends` (by `topic:partition`) must be read after the positions: both move on all
 * the time, and an end that is read later is never before the position.
 */
export function verifyPositions(positions: readonly Position[], log: { clusterId: string; ends: ReadonlyMap<string, bigint> }): void {
  for (const { topic, partition, next, clusterId } of positions) {
    if (clusterId !== log.clusterId) throw otherCluster(clusterId, log.clusterId)
    const end = log.ends.get(`${topic}:${partition}`)
    if (end !== undefined && end < next) throw logEndsBefore(topic, partition, end, next)
  }
}

/** Returns the topics in which there are stored positions, with the id of their cluster. */
export async function readStoredTopics(tx: Tx): Promise<{ topic: string; clusterId: string }[]> {
  const { rows } = await tx.query('SELECT DISTINCT topic, cluster_id FROM stream_offsets')
  return rows.map(({ topic, cluster_id }) => ({ topic, clusterId: cluster_id }))
}

/** Returns the position of a partition; creates it at 0 when there is none. */
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

/**
 * Returns the statement that moves the positions that are still where their tasks left them. When
 * it changes fewer rows than there are moves, another owner has a partition, and nothing may be
 * written.
 */
export function moveStatement(
  processor: string,
  moves: readonly { topic: TopicName; partition: number; from: bigint; to: bigint }[]
): QueryConfig {
  return {
    name: 'positions-move',
    text: `UPDATE stream_offsets s SET next_offset = m.next_offset, updated_at = now()
             FROM unnest($2::text[], $3::int[], $4::bigint[], $5::bigint[]) AS m (topic, partition, seen, next_offset)
            WHERE s.processor = $1 AND s.topic = m.topic AND s.partition = m.partition AND s.next_offset = m.seen`,
    values: [
      processor,
      moves.map(({ topic }) => topic),
      moves.map(({ partition }) => partition),
      moves.map(({ from }) => from.toString()),
      moves.map(({ to }) => to.toString())
    ]
  }
}

/**
 * Deletes every position, except those in the log of the cluster `kept`: the deliberate step after
 * the log was replaced. Returns how many it deleted.
 */
export async function forgetOffsets(tx: Asks & Statements, kept: string | null = null): Promise<number> {
  await forgetStops(tx)
  await tx.query('DELETE FROM redriven_letters') // Their letters were on the old log, too.
  return (await tx.query('DELETE FROM stream_offsets WHERE cluster_id IS DISTINCT FROM $1', [kept])).rowCount ?? 0
}

/** Loads the state rows of a processor whose partitions own their state. */
export async function loadState<S>(tx: Tx, processor: string, partition: number): Promise<Map<string, S>> {
  const { rows } = await tx.query('SELECT key, state FROM partition_state WHERE processor = $1 AND partition = $2', [processor, partition])
  return new Map(rows.map((row) => [row.key, row.state]))
}

export interface KeyedState {
  key: string
  /** null deletes the key. */
  state: unknown
}

/**
 * Writes keys of one or more partitions in one statement, and deletes those whose state is null.
 */
export async function saveStates(tx: Tx, processor: string, states: readonly (KeyedState & { partition: number })[]): Promise<void> {
  const kept = states.filter(({ state }) => state !== null)
  const gone = states.filter(({ state }) => state === null)
  if (kept.length > 0) {
    await tx.query({
      name: 'state-save',
      // One JSON text for all rows: an array of texts would be escaped character by character.
      text: `INSERT INTO partition_state (processor, partition, key, state)
             SELECT $1, (row ->> 0)::int, row ->> 1, row -> 2 FROM jsonb_array_elements($2::jsonb) AS row
             ON CONFLICT (processor, partition, key) DO UPDATE SET state = excluded.state`,
      values: [processor, JSON.stringify(kept.map(({ partition, key, state }) => [partition, key, state]))]
    })
  }
  if (gone.length > 0) {
    await tx.query({
      name: 'state-delete',
      text: `DELETE FROM partition_state s USING unnest($2::int[], $3::text[]) AS gone (partition, key)
              WHERE s.processor = $1 AND s.partition = gone.partition AND s.key = gone.key`,
      values: [processor, gone.map(({ partition }) => partition), gone.map(({ key }) => key)]
    })
  }
}
