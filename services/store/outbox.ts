/**
 * The outbox: records that a transaction wants on the log. They are stored with the data that it
 * changes, until the relay has sent them.
 *
 * Writers add rows in their own transaction with `insertOutgoing`; the insert wakes the relay at
 * commit (trigger notify_outbox). The relay reads a shard's rows in order, sends them, then deletes
 * them. Ids become visible out of commit order, so a reader always asks for all rows and never for
 * `id > last`. Within one aggregate the order holds, because its writers take turns at its row lock
 * and `ver` grows.
 *
 * Headers on the log are the row's `headers` and, from its columns, tenant_id, aggregate and ver.
 * Source: docs/design/architecture.md#s4 and #s5, docs/design/streaming.md#s2-3.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { Outgoing } from '../../streams/define.ts'
import { endToEnd } from './end-to-end.ts'
import type { Pool, Tx } from './pool.ts'

/**
 * The same limit as the CHECK of the table. With key and headers, a record stays under the broker's
 * 1 MiB.
 */
export const MAX_PAYLOAD_BYTES = 900_000

/**
 * Thrown for a row that no broker would take, so that its writer fails and not the relay. The
 * message names the aggregate and never the content.
 */
export class OutgoingTooLarge extends Error {
  override readonly name = 'OutgoingTooLarge'
}

type Encodes = Pick<Codec, 'encode'>

/**
 * Returns the bytes for the log; null for a mark. The relay makes the record of a mark from the
 * current row of its aggregate.
 */
function payloadOf(row: Outgoing, codec: Encodes): Buffer | null {
  if (row.body === 'current') return null
  const bytes = row.body === 'frame' ? Buffer.from(row.json) : codec.encode(row.record, row.value)
  if (bytes.length > MAX_PAYLOAD_BYTES) {
    throw new OutgoingTooLarge(
      `${row.topic} of ${row.aggregate} ver ${row.ver} takes ${bytes.length} bytes, at most ${MAX_PAYLOAD_BYTES} fit`
    )
  }
  return bytes
}

/** The headers that have no column of their own. */
function headersOf(row: Outgoing): string {
  const { event_id, event_type, src } = row
  if (row.body !== 'frame') return JSON.stringify({ event_id, event_type, src })
  const { audience, category } = row // A category that is undefined is left out of the text.
  return JSON.stringify({ event_id, event_type, src, audience, category })
}

// A mark has no payload.
const INSERT = `
  INSERT INTO outbox (tenant_id, aggregate, ver, topic, key, headers, payload)
  SELECT tenant_id, aggregate, ver, topic, convert_to(key, 'UTF8'), headers, substring($9::bytea FROM place FOR length)
    FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[], (SELECT array_agg(value ORDER BY nth) FROM jsonb_array_elements($6::jsonb) WITH ORDINALITY AS header (value, nth)), $7::int[], $8::int[])
      WITH ORDINALITY AS row (tenant_id, aggregate, ver, topic, key, headers, place, length, nth)
   ORDER BY nth`

/**
 * Adds `rows` in their order, by one statement. Before it sends anything, it throws
 * OutgoingTooLarge, or what `codec` throws for a value that does not fit its record.
 */
export async function insertOutgoing(tx: Tx, rows: readonly Outgoing[], codec: Encodes): Promise<void> {
  if (rows.length === 0) return
  const { places, lengths, bytes } = endToEnd(rows.map((row) => payloadOf(row, codec)))
  await tx.query({
    name: 'outbox-insert',
    text: INSERT,
    values: [
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.aggregate),
      rows.map((row) => row.ver),
      rows.map((row) => row.topic),
      rows.map((row) => row.key),
      `[${rows.map(headersOf).join(',')}]`,
      places,
      lengths,
      bytes
    ]
  })
}

const none: Encodes = {
  encode(record) {
    throw new Error(`Neither a frame nor a mark is a ${record}`)
  }
}

/** Adds frames. They are text, so no schema is needed. */
export const insertFrames = (tx: Tx, frames: readonly Extract<Outgoing, { body: 'frame' }>[]): Promise<void> =>
  insertOutgoing(tx, frames, none)

/** Adds marks. They have no payload, so no schema is needed. */
export const insertMarks = (tx: Tx, marks: readonly Extract<Outgoing, { body: 'current' }>[]): Promise<void> =>
  insertOutgoing(tx, marks, none)

/** A row as the relay reads it. */
export interface OutboxRow {
  id: number
  tenant_id: string
  aggregate: string
  ver: number
  topic: TopicName
  key: Buffer
  /**
   * event_id, event_type and src. Frames also have audience; frames of feed items also have
   * category.
   */
  headers: Record<string, string>
  /** Null for a mark: the topic needs the current row of the aggregate. */
  payload: Buffer | null
  /** Epoch ms. */
  created_at: number
}

/**
 * Most rows of one read, and payload bytes after which a read ends. A read always has one row,
 * whatever its size.
 */
const READ_ROWS = 500
const READ_BYTES = 8_000_000

/** The rows that the next read of the shards $1 begins with, as a table. */
export const UNSENT = `(SELECT * FROM outbox WHERE shard = ANY ($1::smallint[]) ORDER BY id LIMIT ${READ_ROWS})`

// As UNSENT, without the topics $2.
const READ = `
  SELECT id, tenant_id, aggregate, ver, topic, key, headers, payload, created_at
    FROM (SELECT *, sum(coalesce(length(payload), 0)) OVER (ORDER BY id) - coalesce(length(payload), 0) AS before
            FROM (SELECT * FROM outbox WHERE shard = ANY ($1::smallint[]) AND topic <> ALL ($2::text[]) ORDER BY id LIMIT ${READ_ROWS}) AS unsent) AS sized
   WHERE before < ${READ_BYTES}
   ORDER BY id`

/**
 * Returns the oldest unsent rows of `shards`, in order, but none for the topics `without`. When
 * there are many, it returns only a part of them (`full`).
 */
export async function readOutbox(
  tx: Tx,
  shards: readonly number[],
  without: readonly TopicName[] = []
): Promise<{ rows: OutboxRow[]; full: boolean }> {
  const { rows } = await tx.query<OutboxRow>({ name: 'outbox-read', text: READ, values: [shards, without] })
  const bytes = rows.reduce((sum, row) => sum + (row.payload?.length ?? 0), 0)
  return { rows, full: rows.length >= READ_ROWS || bytes >= READ_BYTES }
}

// The commit does not wait for the disk. If Postgres dies before the next commit that does (a part
// of a second later), the rows are there again and are sent a second time, in the same order. The
// same happens when the relay dies before it deletes.
const DELETE = `
  WITH hurry AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  DELETE FROM outbox USING hurry WHERE id = ANY ($1::bigint[])`

/** Deletes rows that are on the log. */
export async function deleteOutgoing(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query({ name: 'outbox-delete', text: DELETE, values: [ids] })
}

/** Moves a row that the log will never accept to `outbox_refused`, so that others can go on. */
export async function refuseOutgoing(tx: Tx, id: number, reason: string): Promise<void> {
  await tx.query(
    `WITH refused AS (DELETE FROM outbox WHERE id = $1 RETURNING id, tenant_id, aggregate, ver, topic, key, headers, payload, created_at)
     INSERT INTO outbox_refused (id, tenant_id, aggregate, ver, topic, key, headers, payload, created_at, reason)
     SELECT id, tenant_id, aggregate, ver, topic, key, headers, payload, created_at, $2 FROM refused`,
    [id, reason]
  )
}

/** A row that the log refused, as its list shows it. */
export interface RefusedRow {
  id: number
  tenant_id: string
  topic: string
  aggregate: string
  ver: number
  /** Epoch ms. */
  refused_at: number
  reason: string
}

/** Returns the refused rows, the newest first, but at most `most`. */
export async function listRefused(pool: Pool, most: number): Promise<RefusedRow[]> {
  const { rows } = await pool.query<RefusedRow>(
    'SELECT id, tenant_id, topic, aggregate, ver, refused_at, reason FROM outbox_refused ORDER BY id DESC LIMIT $1',
    [most]
  )
  return rows
}

/**
 * Puts refused rows back into the outbox, in their order, behind the rows that wait there; null:
 * all. Returns how many.
 */
export async function returnRefused(pool: Pool, id: number | null): Promise<number> {
  const { rowCount } = await pool.query(
    `WITH back AS (DELETE FROM outbox_refused WHERE $1::bigint IS NULL OR id = $1
                   RETURNING id, tenant_id, aggregate, ver, topic, key, headers, payload)
     INSERT INTO outbox (tenant_id, aggregate, ver, topic, key, headers, payload)
     SELECT tenant_id, aggregate, ver, topic, key, headers, payload FROM back ORDER BY id`,
    [id]
  )
  return rowCount ?? 0
}

/** Deletes a refused row for good. Returns whether there was one. */
export async function dropRefused(pool: Pool, id: number): Promise<boolean> {
  const { rowCount } = await pool.query('DELETE FROM outbox_refused WHERE id = $1', [id])
  return rowCount === 1
}

/** Counts the waiting rows of `shards`, up to `limit`. */
export async function countOutgoing(tx: Tx, shards: readonly number[], limit: number): Promise<number> {
  const { rows } = await tx.query<{ rows: number }>(
    'SELECT count(*) AS rows FROM (SELECT 1 FROM outbox WHERE shard = ANY ($1::smallint[]) LIMIT $2) AS waiting',
    [shards, limit]
  )
  return rows[0]?.rows ?? 0
}
