/**
 * Dead letters that an operator has put back onto their topic (services/operator/redrive.ts).
 *
 * On the log   the unchanged record, at the end of its partition, with headers that give the
 *              processor that it is for, the id of the letter, and where and when the record first
 *              stood
 * Who reads    only that processor; to all others the record is nothing new
 * Order        the fold sees the offset and the time at which the record first stood, so records
 *              that came after it then also come after it now
 * Once         the letter's id is stored in the transaction that folds it; the same letter is
 *              skipped when it comes a second time
 *
 * The first header of such a record is `redrive_processor`, so the record can be recognized by its
 * bytes.
 */
import type { Asks } from './offsets.ts'

const FIRST_HEADER = 'redrive_processor'

export interface Redriven {
  /** The processor that reads it. */
  processor: string
  /** Id of the dead letter. */
  letter_id: string
  /**
   * Kafka cluster whose log first held the record. Offsets of another cluster mean nothing here.
   */
  log: string
  topic: string
  partition: number
  offset: bigint
  /** Time of the record there, epoch ms. */
  at: number
}

/** Returns the headers of a redriven record; they must come before all others. */
export const redriveHeaders = ({ processor, letter_id, log, topic, partition, offset, at }: Redriven): Record<string, string> => ({
  [FIRST_HEADER]: processor,
  redrive_letter: letter_id,
  redrive_log: log,
  redrive_topic: topic,
  redrive_partition: String(partition),
  redrive_offset: String(offset),
  redrive_at: String(at)
})

export const isRedriven = (headers: Readonly<Record<string, string>>): boolean => headers[FIRST_HEADER] !== undefined

/**
 * The start of the first header in a record batch: the length of its name as a zigzag varint, then
 * its name.
 */
const FIRST_BYTES = Buffer.concat([Buffer.from([FIRST_HEADER.length << 1]), Buffer.from(FIRST_HEADER)])

/**
 * Like isRedriven, but reads the bytes of the record. `at` is where its headers begin, with their
 * count. Most records have no headers, so this ends at the first byte.
 */
export function isRedrivenAt(bytes: Buffer, at: number): boolean {
  if (bytes[at] === 0) return false
  let name = at
  while ((bytes[name] as number) >= 128) name += 1 // The count may take several bytes.
  name += 1
  return bytes.compare(FIRST_BYTES, 0, FIRST_BYTES.length, name, Math.min(name + FIRST_BYTES.length, bytes.length)) === 0
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DIGITS = /^\d{1,18}$/

/** Returns what the headers say, or what is wrong with them. */
export function readRedriven(headers: Readonly<Record<string, string>>): Redriven | { fault: string } {
  const of = (name: string): string => headers[name] ?? ''
  for (const name of ['redrive_partition', 'redrive_offset', 'redrive_at'])
    if (!DIGITS.test(of(name))) return { fault: `header ${name}: expected digits` }
  if (!UUID.test(of('redrive_letter'))) return { fault: 'header redrive_letter: expected a UUID' }
  return {
    processor: of(FIRST_HEADER),
    letter_id: of('redrive_letter'),
    log: of('redrive_log'),
    topic: of('redrive_topic'),
    partition: Number(of('redrive_partition')),
    offset: BigInt(of('redrive_offset')),
    at: Number(of('redrive_at'))
  }
}

/** Whether the letter has been folded since it was put back. */
export async function isFolded(tx: Asks, letter_id: string): Promise<boolean> {
  const { rows } = await tx.query('SELECT 1 FROM redriven_letters WHERE letter_id = $1 AND folded_at IS NOT NULL', [letter_id])
  return rows.length > 0
}

/** A letter that is being processed, and the offset at which it came back. */
export interface Returned extends Redriven {
  position: bigint
}

/**
 * Records that the letters are folded, in the transaction that folds them. Returns false when one
 * of them had already been folded: then nothing of this may be committed.
 */
export async function markFolded(tx: Asks, letters: readonly Returned[]): Promise<boolean> {
  if (letters.length === 0) return true
  const { rowCount } = await tx.query(
    `INSERT INTO redriven_letters AS l (letter_id, processor, topic, partition, "offset", folded_at, folded_offset)
     SELECT letter_id, processor, topic, partition, "offset", now(), position
       FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::bigint[], $6::bigint[])
         AS back (letter_id, processor, topic, partition, "offset", position)
     ON CONFLICT (letter_id) DO UPDATE SET folded_at = excluded.folded_at, folded_offset = excluded.folded_offset WHERE l.folded_at IS NULL`,
    [
      letters.map(({ letter_id }) => letter_id),
      letters.map(({ processor }) => processor),
      letters.map(({ topic }) => topic),
      letters.map(({ partition }) => partition),
      letters.map(({ offset }) => offset.toString()),
      letters.map(({ position }) => position.toString())
    ]
  )
  return rowCount === letters.length
}

/** Returns the letters that were put back or folded; they are not put back again. */
export async function readRedrivenIds(tx: Asks, processor: string): Promise<Set<string>> {
  const { rows } = await tx.query<{ letter_id: string }>('SELECT letter_id FROM redriven_letters WHERE processor = $1', [processor])
  return new Set(rows.map(({ letter_id }) => letter_id))
}

/** Records that the letters are on the log again, who put them back (`by`), and why. */
export async function markSent(tx: Asks, letters: readonly Redriven[], by: string, why: string): Promise<void> {
  await tx.query(
    `INSERT INTO redriven_letters AS l (letter_id, processor, topic, partition, "offset", sent_at, sent_by, sent_why)
     SELECT letter_id, processor, topic, partition, "offset", now(), $6, $7
       FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::bigint[]) AS sent (letter_id, processor, topic, partition, "offset")
     ON CONFLICT (letter_id) DO UPDATE SET sent_at = excluded.sent_at, sent_by = excluded.sent_by, sent_why = excluded.sent_why`,
    [
      letters.map(({ letter_id }) => letter_id),
      letters.map(({ processor }) => processor),
      letters.map(({ topic }) => topic),
      letters.map(({ partition }) => partition),
      letters.map(({ offset }) => offset.toString()),
      by,
      why
    ]
  )
}
