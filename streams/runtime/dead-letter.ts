/**
 * Handles records that cannot be processed. Each becomes a DeadLetter on dlq.v1 (through an outbox
 * row) and an index row, in the transaction that moves the position past it. The id of the letter
 * is derived from the log and the record's position in it, so a repeat creates no second letter,
 * and a new log does not use the ids of the one before. breaker.ts tells bad data from a schema
 * break.
 */
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Outgoing } from '../define.ts'
import type { Tx } from './offsets.ts'
import type { InRecord } from './stream.ts'

export interface Poison {
  record: InRecord
  /** The kind of fault. `skipped`: an operator had the record passed over. */
  reason: 'decode' | 'refused' | 'unfit' | 'redrive' | 'skipped'
  error: string
  /** The workspace, when the record could be read that far. */
  tenant_id: string | null
}

const NAMESPACE = '6f0c2f0e-6f6a-5a57-9d5e-2f6c0d3f1c11'
/** Dead letters belong to no workspace, because their bytes may not even name one. */
const NOBODY = '00000000-0000-0000-0000-000000000000'
/** How much of a record is kept: together less than an outbox row can hold. */
const KEPT_VALUE_BYTES = 512 * 1024
export const KEPT_KEY_BYTES = 16 * 1024
const KEPT_HEADERS_CHARACTERS = 64 * 1024
const KEPT_ERROR_CHARACTERS = 2000

/**
 * Returns text that Postgres accepts and that fits in a log line. An error may quote the record,
 * and a record may contain anything.
 */
const clean = (text: string): string => text.slice(0, KEPT_ERROR_CHARACTERS).replaceAll('\0', '\ufffd')

/** Returns the first headers, as many as can be kept whole. */
function kept(headers: Record<string, string>): Record<string, string> {
  let left = KEPT_HEADERS_CHARACTERS
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => {
      left -= name.length + value.length
      return left >= 0
    })
  )
}

const idOf = (processor: string, clusterId: string, { topic, partition, offset }: InRecord): string =>
  uuidv5(NAMESPACE, `${processor}:${clusterId}:${topic}:${partition}:${offset}`)

/** Returns the rows for the outbox. `clusterId` names the log that holds the records. */
export function deadLetters(processor: string, clusterId: string, poison: readonly Poison[]): Outgoing[] {
  return poison.map(({ record, reason, error, tenant_id }) => {
    const { topic, partition, offset } = record
    const event_id = idOf(processor, clusterId, record)
    const src = `${topic}:${partition}:${offset}`
    return {
      tenant_id: NOBODY,
      aggregate: `dead-letter:${processor}:${topic}:${partition}`,
      ver: Number(offset),
      topic: 'dlq.v1',
      key: topic,
      event_id,
      event_type: 'dead_letter',
      src,
      body: 'record',
      record: 'DeadLetter',
      value: {
        event_id,
        tenant_id,
        processor,
        log: clusterId,
        topic,
        partition,
        offset: Number(offset),
        record_at: record.timestamp,
        key: Buffer.from(record.key).subarray(0, KEPT_KEY_BYTES),
        value: record.value === null ? null : record.value.subarray(0, KEPT_VALUE_BYTES),
        value_bytes: record.value?.length ?? 0,
        headers: kept(record.headers),
        reason,
        error: clean(error),
        at: record.timestamp // Not the clock's: a repeat makes the same letter.
      }
    }
  })
}

/** Writes the index that operators read. `clusterId` names the log that holds the records. */
export async function writeDeadLetters(tx: Tx, processor: string, clusterId: string, poison: readonly Poison[]): Promise<void> {
  if (poison.length === 0) return
  await tx.query(
    `INSERT INTO dead_letters (id, processor, topic, partition, "offset", reason, error)
     SELECT id, $1, topic, partition, "offset", reason, error
       FROM unnest($2::uuid[], $3::text[], $4::int[], $5::bigint[], $6::text[], $7::text[]) AS bad (id, topic, partition, "offset", reason, error)
     ON CONFLICT (id) DO NOTHING`,
    [
      processor,
      poison.map(({ record }) => idOf(processor, clusterId, record)),
      poison.map(({ record }) => record.topic),
      poison.map(({ record }) => record.partition),
      poison.map(({ record }) => record.offset.toString()),
      poison.map(({ reason }) => reason),
      poison.map(({ error }) => clean(error))
    ]
  )
}
