/**
 * Records that cannot be processed: each becomes a DeadLetter on dlq.v1 (by an outbox row) and an
 * index row, in the transaction that moves the position past it. Its id follows from where it
 * stood, so a repeat makes no second one. breaker.ts tells bad data from a schema break.
 */
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Outgoing } from '../define.ts'
import type { Tx } from './offsets.ts'
import type { InRecord } from './stream.ts'

export interface Poison {
  record: InRecord
  /** The kind of fault; `skipped`: by an operator's word. */
  reason: 'decode' | 'refused' | 'unfit' | 'redrive' | 'skipped'
  error: string
  /** Workspace, where the record could be read that far. */
  tenant_id: string | null
}

const NAMESPACE = '6f0c2f0e-6f6a-5a57-9d5e-2f6c0d3f1c11'
/** Dead letters belong to no workspace: their bytes may not even say which. */
const NOBODY = '00000000-0000-0000-0000-000000000000'
/** What is kept of a record: together less than a row of the outbox takes. */
const KEPT_VALUE_BYTES = 512 * 1024
export const KEPT_KEY_BYTES = 16 * 1024
const KEPT_HEADERS_CHARACTERS = 64 * 1024
const KEPT_ERROR_CHARACTERS = 2000

/**
 * Text that Postgres takes and a log line holds: an error may quote the record, and a record may
 * hold anything.
 */
const clean = (text: string): string => text.slice(0, KEPT_ERROR_CHARACTERS).replaceAll('\0', '\ufffd')

/** The first headers, as many as are kept whole. */
function kept(headers: Record<string, string>): Record<string, string> {
  let left = KEPT_HEADERS_CHARACTERS
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => {
      left -= name.length + value.length
      return left >= 0
    })
  )
}

const idOf = (processor: string, { topic, partition, offset }: InRecord): string =>
  uuidv5(NAMESPACE, `${processor}:${topic}:${partition}:${offset}`)

/** Rows for the outbox. `clusterId` names the log that the records stand in. */
export function deadLetters(processor: string, clusterId: string, poison: readonly Poison[]): Outgoing[] {
  return poison.map(({ record, reason, error, tenant_id }) => {
    const { topic, partition, offset } = record
    const event_id = idOf(processor, record)
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
        at: record.timestamp // No clock: a repeat makes the same letter.
      }
    }
  })
}

/** The index that operators read. */
export async function writeDeadLetters(tx: Tx, processor: string, poison: readonly Poison[]): Promise<void> {
  if (poison.length === 0) return
  await tx.query(
    `INSERT INTO dead_letters (id, processor, topic, partition, "offset", reason, error)
     SELECT id, $1, topic, partition, "offset", reason, error
       FROM unnest($2::uuid[], $3::text[], $4::int[], $5::bigint[], $6::text[], $7::text[]) AS bad (id, topic, partition, "offset", reason, error)
     ON CONFLICT (id) DO NOTHING`,
    [
      processor,
      poison.map(({ record }) => idOf(processor, record)),
      poison.map(({ record }) => record.topic),
      poison.map(({ record }) => record.partition),
      poison.map(({ record }) => record.offset.toString()),
      poison.map(({ reason }) => reason),
      poison.map(({ error }) => clean(error))
    ]
  )
}
