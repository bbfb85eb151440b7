/**
 * Decodes the records of a Fetch v11 answer in place. kafkajs's own decoder creates a dozen objects
 * and three strings for every record before anyone has looked at it, and that costs more than
 * everything a fold does with the record. Here a partition's answer stays one buffer, and a record
 * is a place in that buffer. Key, value, offset and headers are created when they are asked for.
 *
 * In       the body of the answer; record batches of magic 2, uncompressed or gzip (topics of ours
 *          are written uncompressed)
 * Throws   RangeError when a batch does not match its header, or is of a kind that nobody writes
 *          here: older than Kafka 0.11, or with another compression. Never
 *          KafkaJSPartialMessageError: an answer may end in the middle of a batch, and the
 *          incomplete batch is left for the next fetch
 *
 * CRCs are not checked (kafkajs does not check them either): the broker checks them, and TCP has
 * its own checksum. Control batches (transactions) hold no records of ours and are skipped.
 *
 * Source: Kafka protocol guide, "Fetch API" and "Record Batch".
 */
import { gunzipSync } from 'node:zlib'
import type { TopicName } from '../../schemas/topics.ts'
import { isRedrivenAt } from './redriven.ts'
import type { InRecord } from './stream.ts'

const HEADER_BYTES = 61
/** Bytes of a batch that its length does not count: its base offset and the length itself. */
const BEFORE_LENGTH = 12
const MAGIC = 16
const COMPRESSION = 7
const GZIP = 1
const APPEND_TIME = 8
const CONTROL = 32
/** Limit of a batch after decompression: more than any broker accepts. */
const MAX_BATCH_BYTES = 64 * 1024 * 1024

/**
 * One RecordBatch: its uncompressed bytes from the first record on, and the base of its records'
 * offsets and times.
 */
interface RecordBatch {
  bytes: Buffer
  /** First record. */
  at: number
  end: number
  count: number
  first: bigint
  /** Offset of the last record at the time of writing; compaction may have removed that record. */
  last: bigint
  timestamp: number
  /** The time of all its records, when the broker sets it; otherwise null. */
  appended: number | null
}

/**
 * Reads the variable-length numbers of a record. Reading past the end of the batch, or a number of
 * more than 32 bits, is an error.
 */
class Cursor {
  readonly bytes: Buffer
  at: number

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes
    this.at = at
  }

  varint(): number {
    const { bytes } = this
    let byte = bytes[this.at++] as number
    if (byte < 128) return (byte >>> 1) ^ -(byte & 1)
    let value = byte & 127
    for (let shift = 7; shift < 35; shift += 7) {
      byte = bytes[this.at++] as number
      value |= (byte & 127) << shift
      if (byte < 128) return (value >>> 1) ^ -(value & 1)
    }
    throw new RangeError('a record batch has a number of more than 32 bits')
  }

  /** Used for differences of times; exact within 2^53. */
  varlong(): number {
    let value = 0
    let factor = 1
    for (let digits = 0; digits < 10; digits++) {
      const byte = this.bytes[this.at++] as number
      value += (byte & 127) * factor
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
      factor *= 128
    }
    throw new RangeError('a record batch has a number of more than 64 bits')
  }
}

/**
 * A record, stored as its place in the answer. It has few fields, because a fetch holds tens of
 * thousands of records at once.
 */
export class FetchedRecord implements InRecord {
  readonly topic: TopicName
  readonly partition: number
  readonly #batch: RecordBatch
  readonly #offset: number
  readonly #later: number
  readonly #keyAt: number
  readonly #keyLength: number
  /** Where the value begins in `bytes`. */
  readonly from: number
  /** Length of the value; -1 for a tombstone. */
  readonly length: number

  constructor(topic: TopicName, partition: number, batch: RecordBatch, cursor: Cursor, end: number) {
    this.topic = topic
    this.partition = partition
    this.#batch = batch
    cursor.at += 1 // Attributes: none defined for a record.
    this.#later = cursor.varlong()
    this.#offset = cursor.varint()
    this.#keyLength = cursor.varint()
    this.#keyAt = cursor.at
    if (this.#keyLength > 0) cursor.at += this.#keyLength
    this.length = cursor.varint()
    this.from = cursor.at
    if (this.length > 0) cursor.at += this.length
    if (!(cursor.at < end)) throw new RangeError('a record of a record batch is longer than it says')
    cursor.at = end
  }

  /** The bytes that contain the value, among other data. */
  get bytes(): Buffer {
    return this.#batch.bytes
  }

  get offset(): bigint {
    return this.#batch.first + BigInt(this.#offset)
  }

  get timestamp(): number {
    return this.#batch.appended ?? this.#batch.timestamp + this.#later
  }

  get key(): string {
    return this.#keyLength > 0 ? this.#batch.bytes.toString('utf8', this.#keyAt, this.#keyAt + this.#keyLength) : ''
  }

  get value(): Buffer | null {
    return this.length < 0 ? null : this.#batch.bytes.subarray(this.from, this.from + this.length)
  }

  get #headersAt(): number {
    return this.length > 0 ? this.from + this.length : this.from
  }

  /**
   * Whether this is a dead letter that was put back (redriven.ts). Reads one byte when it has no
   * headers.
   */
  get isRedriven(): boolean {
    return isRedrivenAt(this.#batch.bytes, this.#headersAt)
  }

  /** When a name occurs twice, the first header counts. */
  get headers(): Record<string, string> {
    const cursor = new Cursor(this.#batch.bytes, this.#headersAt)
    const headers: Record<string, string> = {}
    for (let left = cursor.varint(); left > 0; left--) {
      const name = text(cursor) ?? ''
      const value = text(cursor) ?? ''
      if (!Object.hasOwn(headers, name)) headers[name] = value // A header may be called toString.
    }
    return headers
  }
}

/** Returns the record with all its fields, for callers that need all of them. */
export const toInRecord = ({ topic, partition, offset, timestamp, key, value, headers }: FetchedRecord): InRecord => ({
  topic,
  partition,
  offset,
  timestamp,
  key,
  value,
  headers
})

function text(cursor: Cursor): string | null {
  const length = cursor.varint()
  if (length < 0) return null
  const from = cursor.at
  cursor.at += length
  return cursor.bytes.toString('utf8', from, cursor.at)
}

/**
 * The answer of a fetch for one partition. To kafkajs it looks like one message at the last offset,
 * so kafkajs continues after it.
 */
export class Fetched {
  readonly offset: string
  readonly isControlRecord = false
  readonly #batches: readonly RecordBatch[]

  constructor(batches: readonly RecordBatch[]) {
    this.#batches = batches
    this.offset = String(batches.at(-1)?.last ?? -1n)
  }

  /**
   * Offset after the last batch. It is taken from the batch and not from the records: compaction
   * keeps the offsets of a batch, and otherwise the batch would be fetched again and again.
   */
  get behind(): bigint {
    return BigInt(this.offset) + 1n
  }

  /**
   * Returns at most `most` records from an offset on. An answer holds whole batches, so its first
   * records may lie before the offset that was asked for.
   */
  records(topic: TopicName, partition: number, from: bigint, most = Number.POSITIVE_INFINITY): FetchedRecord[] {
    const records: FetchedRecord[] = []
    for (const batch of this.#batches) {
      if (batch.last < from) continue
      const cursor = new Cursor(batch.bytes, batch.at)
      let sought = batch.first < from
      for (let left = batch.count; left > 0; left--) {
        const length = cursor.varint()
        const end = cursor.at + length
        if (!(length > 0 && end <= batch.end)) throw new RangeError('a record batch ends before its last record')
        const record = new FetchedRecord(topic, partition, batch, cursor, end)
        if (sought && record.offset < from) continue
        sought = false
        records.push(record)
        if (records.length >= most) return records
      }
    }
    return records
  }
}

function readBatches(bytes: Buffer, from: number, to: number): RecordBatch[] {
  const batches: RecordBatch[] = []
  for (let start = from; start + HEADER_BYTES <= to; ) {
    const end = start + BEFORE_LENGTH + bytes.readInt32BE(start + 8)
    if (bytes[start + MAGIC] !== 2)
      throw new RangeError(`a record batch of magic ${bytes[start + MAGIC]}: only those since Kafka 0.11 (2) are read`)
    if (end < start + HEADER_BYTES) throw new RangeError('a record batch is shorter than its header')
    if (end > to) break
    const attributes = bytes.readInt16BE(start + 21)
    const first = bytes.readBigInt64BE(start)
    const last = first + BigInt(bytes.readInt32BE(start + 23))
    const timestamp = Number(bytes.readBigInt64BE(start + 27))
    const appended = attributes & APPEND_TIME ? Number(bytes.readBigInt64BE(start + 35)) : null
    const count = attributes & CONTROL ? 0 : bytes.readInt32BE(start + 57)
    const place = { first, last, timestamp, appended, count }
    const compression = attributes & COMPRESSION
    if (compression === 0 || count === 0) batches.push({ bytes, at: start + HEADER_BYTES, end, ...place })
    else if (compression === GZIP) {
      const plain = gunzipSync(bytes.subarray(start + HEADER_BYTES, end), { maxOutputLength: MAX_BATCH_BYTES })
      batches.push({ bytes: plain, at: 0, end: plain.length, ...place })
    } else throw new RangeError(`a record batch is compressed by kind ${compression}: only gzip (1) is read`)
    start = end
  }
  return batches
}

/**
 * Returns the body of a Fetch v11 answer in kafkajs's form, except that `messages` holds one
 * Fetched, or nothing when no batch arrived whole.
 */
export function decodeFetch(raw: Buffer): FetchAnswer {
  let at = 10
  const int32 = (): number => {
    at += 4
    return raw.readInt32BE(at - 4)
  }
  const int64 = (): string => {
    at += 8
    return raw.readBigInt64BE(at - 8).toString()
  }
  const responses: FetchAnswer['responses'] = []
  let recordBytes = 0
  for (let topics = int32(); topics > 0; topics--) {
    const length = raw.readInt16BE(at)
    const topicName = raw.toString('utf8', at + 2, at + 2 + length)
    at += 2 + length
    const partitions: FetchAnswer['responses'][number]['partitions'] = []
    for (let left = int32(); left > 0; left--) {
      const partition = int32()
      const errorCode = raw.readInt16BE(at)
      at += 2
      const [highWatermark, lastStableOffset, lastStartOffset] = [int64(), int64(), int64()]
      const aborted = Math.max(int32(), 0)
      at += 16 * aborted // Sent only to readers of committed records.
      const preferredReadReplica = int32()
      const size = Math.max(int32(), 0)
      recordBytes += size
      const batches = readBatches(raw, at, Math.min(at + size, raw.length))
      at += size
      partitions.push({
        partition,
        errorCode,
        highWatermark,
        lastStableOffset,
        lastStartOffset,
        abortedTransactions: [],
        preferredReadReplica,
        messages: batches.length > 0 ? [new Fetched(batches)] : []
      })
    }
    responses.push({ topicName, partitions })
  }
  return {
    throttleTime: 0,
    clientSideThrottleTime: raw.readInt32BE(0),
    errorCode: raw.readInt16BE(4),
    sessionId: raw.readInt32BE(6),
    responses,
    recordBytes
  }
}

export interface FetchAnswer {
  throttleTime: number
  clientSideThrottleTime: number
  errorCode: number
  sessionId: number
  responses: {
    topicName: string
    partitions: {
      partition: number
      errorCode: number
      highWatermark: string
      lastStableOffset: string
      lastStartOffset: string
      abortedTransactions: never[]
      preferredReadReplica: number
      messages: Fetched[]
    }[]
  }[]
  /** Bytes of the records of all partitions, as stored on the log. */
  recordBytes: number
}

/**
 * Returns what a kafkajs consumer was given for a partition. Throws TypeError when that does not
 * come from `decodeFetch`: the broker is older than Kafka 2.3.
 */
export function fetchedOf(messages: readonly unknown[]): Fetched | null {
  const [fetched] = messages
  if (fetched === undefined) return null
  if (!(fetched instanceof Fetched)) throw new TypeError('the broker does not speak Fetch v11 (Kafka 2.3)')
  return fetched
}
