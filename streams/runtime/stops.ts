/**
 * Stops of partitions in Postgres, and the offsets that operators have a processor pass over. A
 * stop is open until somebody ends it, whoever owns the partition in the meantime. Its row says who
 * ended it, when and why.
 */
import { uuidv4 } from '../../schemas/uuid.ts'
import type { Asks, Statements } from './offsets.ts'

/** A partition as one processor reads it. */
export interface Place {
  processor: string
  topic: string
  partition: number
}

export interface Stop extends Place {
  stop_id: string
  /** The stored position: it does not move while the stop holds. */
  next: bigint
  /**
   * poison: too many poison records in a minute; unknown_schema: the registry does not know a
   * schema id.
   */
  reason: 'poison' | 'unknown_schema'
  /** A sentence for operators. */
  detail: string
  /** Offsets of the records that caused the stop; only the first ones when there are many. */
  offsets: readonly bigint[]
  /** Epoch ms. */
  stopped_at: number
}

/** A range of offsets, both ends included. */
export interface Skip {
  first: bigint
  last: bigint
}

/** How an operator ended a stop. `new_log`: the log of the partition was replaced. */
export interface StopEnd {
  by: string
  how: 'resume' | 'skip' | 'new_log'
  why: string
}

const MAX_OFFSETS = 1000
const MAX_DETAIL = 1000

const COLUMNS = 'stop_id, processor, topic, partition, next_offset::text AS next, reason, detail, offsets::text[] AS offsets, stopped_at'

interface Row extends Omit<Stop, 'next' | 'offsets'> {
  next: string
  offsets: string[]
}

const stopOf = (row: Row): Stop => ({
  ...row,
  next: BigInt(row.next),
  offsets: row.offsets.map(BigInt)
})

/** Returns the open stops of a processor, or of all processors. */
export async function readOpenStops(tx: Asks, processor?: string): Promise<Stop[]> {
  const { rows } = await tx.query<Row>(
    `SELECT ${COLUMNS} FROM processor_stops WHERE ended_at IS NULL AND ($1::text IS NULL OR processor = $1) ORDER BY processor, topic, partition`,
    [processor ?? null]
  )
  return rows.map(stopOf)
}

/**
 * Returns what holds for a partition: its open stop, and the offsets to pass over from `next` on.
 */
export async function loadStop(
  tx: Asks,
  { processor, topic, partition }: Place,
  next: bigint
): Promise<{ stop: Stop | null; skips: Skip[] }> {
  const place = [processor, topic, partition]
  const open = await tx.query<Row>(
    `SELECT ${COLUMNS} FROM processor_stops WHERE processor = $1 AND topic = $2 AND partition = $3 AND ended_at IS NULL`,
    place
  )
  const { rows } = await tx.query<{ first: string; last: string }>(
    `SELECT first_offset::text AS first, last_offset::text AS last FROM processor_skips
      WHERE processor = $1 AND topic = $2 AND partition = $3 AND last_offset >= $4`,
    [...place, next.toString()]
  )
  return {
    stop: open.rows[0] ? stopOf(open.rows[0]) : null,
    skips: rows.map(({ first, last }) => ({ first: BigInt(first), last: BigInt(last) }))
  }
}

/**
 * Stores a stop if the position is still where the partition stopped. Returns false when the
 * position has moved, because another owner went on.
 */
export async function writeStop(
  tx: Asks,
  { processor, topic, partition, next, reason, detail, offsets }: Omit<Stop, 'stop_id' | 'stopped_at'>
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH here AS (SELECT 1 FROM stream_offsets WHERE processor = $2 AND topic = $3 AND partition = $4 AND next_offset = $5 FOR UPDATE)
     INSERT INTO processor_stops (stop_id, processor, topic, partition, next_offset, reason, detail, offsets)
     SELECT $1::uuid, $2::text, $3::text, $4::int, $5::bigint, $6::text, $7::text, $8::bigint[] FROM here
     ON CONFLICT (processor, topic, partition) WHERE ended_at IS NULL DO UPDATE SET detail = excluded.detail`,
    [
      uuidv4(),
      processor,
      topic,
      partition,
      next.toString(),
      reason,
      detail.slice(0, MAX_DETAIL).replaceAll('\0', '\ufffd'),
      offsets.slice(0, MAX_OFFSETS).map(String)
    ]
  )
  return rowCount === 1
}

/**
 * Ends an open stop; `skips` become offsets to pass over. Returns false when the stop is no longer
 * open.
 */
export async function endStop(tx: Asks, stop: Stop, { by, how, why }: StopEnd, skips: readonly Skip[] = []): Promise<boolean> {
  const { rowCount } = await tx.query(
    'UPDATE processor_stops SET ended_at = now(), ended_by = $2, ended_how = $3, ended_why = $4 WHERE stop_id = $1 AND ended_at IS NULL',
    [stop.stop_id, by, how, why]
  )
  if (rowCount !== 1) return false
  for (const { first, last } of skips)
    await tx.query(
      `INSERT INTO processor_skips (processor, topic, partition, first_offset, last_offset, stop_id) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING`,
      [stop.processor, stop.topic, stop.partition, first.toString(), last.toString(), stop.stop_id]
    )
  return true
}

/** Returns how a stop ended; null while it is open. */
export async function readStopEnd(tx: Asks, stop_id: string): Promise<StopEnd | null> {
  const { rows } = await tx.query<StopEnd>(
    'SELECT ended_by AS by, ended_how AS how, ended_why AS why FROM processor_stops WHERE stop_id = $1 AND ended_at IS NOT NULL',
    [stop_id]
  )
  return rows[0] ?? null
}

/**
 * Ends all open stops and forgets all skips after the log was replaced: offsets of the old log mean
 * nothing on the new one.
 */
export async function forgetStops(tx: Statements): Promise<void> {
  await tx.query(
    `UPDATE processor_stops SET ended_at = now(), ended_by = 'migrate', ended_how = 'new_log', ended_why = 'the log was replaced'
      WHERE ended_at IS NULL`
  )
  await tx.query('DELETE FROM processor_skips')
}
