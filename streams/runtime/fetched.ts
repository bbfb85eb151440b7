/**
 * The records of a Fetch v11 answer, read where they lie: kafkajs's own decoder makes a dozen
 * objects and three texts of every record before anybody has looked at it, which costs more than
 * all that a fold does with it. Here a partition's answer stays one buffer, and a record is its
 * place in it: key, value, offset and headers are made when they are asked for.
 *
 * In       the body of the answer; record batches of magic 2, uncompressed or gzip (topics of ours
 *          are written uncompressed)
 * Throws   KafkaJSPartialMessageError never: an answer may end in the middle of a batch, and what
 *          is not whole is left for the next fetch. RangeError where a batch is not what its header
 *          says, or is of a kind that nobody writes here: older than Kafka 0.11, or compressed
 *          otherwise
 * CRCs are not looked at, as kafkajs does not either: the broker has, and TCP does. Control batches
 * (transactions) hold no records of ours and are skipped.
 * Source: Kafka protocol guide, "Fetch API" and "Record Batch".
 */
import { gunzipSync } from 'node:zlib'
import type { TopicName } from '../../schemas/topics.ts'
import { isRedrivenAt } from './redriven.ts'
import type { InRecord } from './stream.ts'

const HEADER_BYTES = 61
/** Of a batch, behind its base offset and its length. */
const BEFORE_LENGTH = 12
const MAGIC = 16
const COMPRESSION = 7
const GZIP = 1
const APPEND_TIME = 8
const CONTROL = 32
/** What a compressed batch may become: more than any broker takes. */
const MAX_BATCH_BYTES = 64 * 1024 * 1024

/**
 * One RecordBatch: its bytes, uncompressed, from the first record on, and what its records' offsets
 * and times count from.
 */
interface RecordBatch {
  bytes: Buffer
  /** First record. */
  at: number
  end: number
  count: number
  first: bigint
  /** Offset of its last record when it was written; compaction may have taken that. */
  last: bigint
  timestamp: number
  /** The time of all its records, where the broker sets it. */
  appended: number | null
}

/**
 * Reads a variable-length number of a record: the batch's end, or more digits than 32 bits have, is
 * an error.
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

  /** Differences of times: exact within 2^53. */
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
 * A record by its place. Field by field in few words: a fetch holds tens of thousands of them at
 * once.
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
    cursor.at += 1 // Attributes: none are defined for a record.
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

  /** The bytes that hold the value, among others. */
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
   * It is a dead letter that was put back (redriven.ts). Costs one byte where it has no headers.
   */
  get isRedriven(): boolean {
    return isRedrivenAt(this.#batch.bytes, this.#headersAt)
  }

  /** Of a name that comes twice, the first. */
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

/** A record with all that it has, for those who ask for all of it. */
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
 * What a fetch answered for one partition. To kafkajs it is one message that stands at the last
 * offset of all: it then goes on behind it.
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
   * Offset behind the last batch: compaction keeps a batch's offsets, and it would be fetched again
   * and again.
   */
  get behind(): bigint {
    return BigInt(this.offset) + 1n
  }

  /**
   * At most `most` records, from an offset on: an answer has whole batches, whose first records may
   * lie before what was asked for.
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
 * The body of a Fetch v11 answer as kafkajs hands it on, but for `messages`: one Fetched, or none
 * where no batch came whole.
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
      at += 16 * aborted // Told only to those who read committed records.
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
  /** Of all partitions, as the log has them. */
  recordBytes: number
}

/**
 * What a consumer of kafkajs was handed for a partition. Throws TypeError where that is not of
 * `decodeFetch`: a broker before Kafka 2.3.
 */
export function fetchedOf(messages: readonly unknown[]): Fetched | null {
  const [fetched] = messages
  if (fetched === undefined) return null
  if (!(fetched instanceof Fetched)) throw new TypeError('the broker does not speak Fetch v11 (Kafka 2.3)')
  return fetched
}
