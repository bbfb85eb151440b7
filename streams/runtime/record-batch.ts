/**
 * Encodes Kafka's RecordBatch (magic 2) and Produce v7 request straight into one buffer. kafkajs's
 * own encoder creates several objects and a copy for each record, and costs more than the rest of
 * the path together. Also computes the partition of a key, as Java's default partitioner does.
 *
 * Source: Kafka protocol guide, "Record Batch" and "Produce API"; KIP-98 for producer id, epoch and
 * sequence.
 */
import type { OutRecord } from './stream.ts'

/**
 * At most this many records of a partition go into one request (docs/design/architecture.md#s5).
 */
export const PARTITION_RECORDS = 1000

/**
 * The records of one partition in one request. `firstSequence` continues the producer's sequence
 * for the partition.
 */
export interface PartitionBatch {
  topic: string
  partition: number
  records: readonly OutRecord[]
  firstSequence: number
}

const table = new Int32Array(256)
for (let index = 0; index < 256; index++) {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
  table[index] = value
}

/** CRC-32C (Castagnoli) of bytes [from, to). */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1
  for (let index = from; index < to; index++) crc = (table[(crc ^ (bytes[index] as number)) & 0xff] as number) ^ (crc >>> 8)
  return (crc ^ -1) >>> 0
}

/** murmur2 with Java's seed, as a signed 32-bit integer. */
export function murmur2(key: Uint8Array): number {
  const length = key.length
  let hash = 0x9747b28c ^ length
  const whole = length & ~3
  for (let index = 0; index < whole; index += 4) {
    let k =
      (key[index] as number) | ((key[index + 1] as number) << 8) | ((key[index + 2] as number) << 16) | ((key[index + 3] as number) << 24)
    k = Math.imul(k, 0x5bd1e995)
    k ^= k >>> 24
    hash = Math.imul(hash, 0x5bd1e995) ^ Math.imul(k, 0x5bd1e995)
  }
  const rest = length & 3
  if (rest === 3) hash ^= (key[whole + 2] as number) << 16
  if (rest >= 2) hash ^= (key[whole + 1] as number) << 8
  if (rest >= 1) hash = Math.imul(hash ^ (key[whole] as number), 0x5bd1e995)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0x5bd1e995)
  return hash ^ (hash >>> 15)
}

/** Returns the partition of a key, out of `partitions`, as the Java client does. */
export const partitionOf = (key: string | Buffer, partitions: number): number =>
  (murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff) % partitions

/**
 * Returns the largest size in bytes that a record can take in a batch: its content plus the
 * variable-length numbers around it.
 */
export function boundOf(record: OutRecord): number {
  let size = 40 + (typeof record.key === 'string' ? record.key.length * 3 : record.key.length) + (record.value?.length ?? 0)
  if (record.headers) for (const name in record.headers) size += 10 + name.length * 3 + (record.headers[name] as string).length * 3
  return size
}

/** Grows by doubling and is reused between requests: one producer sends one request at a time. */
let scratch = Buffer.allocUnsafe(256 * 1024)
/**
 * Each record body is written here first, because its length, a variable-length number, precedes
 * it.
 */
let body = Buffer.allocUnsafe(64 * 1024)

function varint(into: Buffer, at: number, value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0
  while (rest > 127) {
    into[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  into[at++] = rest
  return at
}

/**
 * Writes a zigzag number that may exceed 32 bits. Differences of timestamps within a batch stay
 * below 2^52.
 */
function varlong(into: Buffer, at: number, value: number): number {
  if (value >= -0x40000000 && value < 0x40000000) return varint(into, at, value)
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n))
  while (rest > 127n) {
    into[at++] = Number(rest & 0x7fn) | 0x80
    rest >>= 7n
  }
  into[at++] = Number(rest)
  return at
}

function text(into: Buffer, at: number, value: string | Buffer): number {
  if (typeof value !== 'string') {
    at = varint(into, at, value.length)
    value.copy(into, at)
    return at + value.length
  }
  // Keys and header names are ASCII in nearly all cases, and then their length in bytes equals the
  // number of characters.
  const length = Buffer.byteLength(value)
  at = varint(into, at, length)
  into.write(value, at, length, 'utf8')
  return at + length
}

function writeRecord(into: Buffer, at: number, record: OutRecord, offsetDelta: number, timestampDelta: number): number {
  const bound = boundOf(record)
  if (body.length < bound) body = Buffer.allocUnsafe(bound * 2)
  let end = 0
  body[end++] = 0 // attributes: none are defined for a record
  end = varlong(body, end, timestampDelta)
  end = varint(body, end, offsetDelta)
  end = text(body, end, record.key)
  if (record.value === null) {
    end = varint(body, end, -1)
  } else {
    end = varint(body, end, record.value.length)
    record.value.copy(body, end)
    end += record.value.length
  }
  if (record.headers) {
    const names = Object.keys(record.headers)
    end = varint(body, end, names.length)
    for (const name of names) {
      end = text(body, end, name)
      end = text(body, end, record.headers[name] as string)
    }
  } else {
    body[end++] = 0
  }
  at = varint(into, at, end)
  body.copy(into, at, 0, end)
  return at + end
}

/** Bytes of a RecordBatch before its records. */
const BATCH_OVERHEAD = 61

function writeBatch(
  into: Buffer,
  start: number,
  { records, firstSequence }: PartitionBatch,
  producerId: bigint,
  producerEpoch: number,
  now: number
): number {
  let first = Number.POSITIVE_INFINITY
  let last = 0
  for (const record of records) {
    const at = record.timestamp ?? now
    if (at < first) first = at
    if (at > last) last = at
  }
  let at = start + BATCH_OVERHEAD
  for (let index = 0; index < records.length; index++) {
    const record = records[index] as OutRecord
    at = writeRecord(into, at, record, index, (record.timestamp ?? now) - first)
  }
  into.writeBigInt64BE(0n, start) // base offset: set by the broker
  into.writeInt32BE(at - start - 12, start + 8)
  into.writeInt32BE(-1, start + 12) // partition leader epoch: set by the broker
  into[start + 16] = 2
  into.writeInt16BE(0, start + 21) // attributes: no compression, create time, no transaction
  into.writeInt32BE(records.length - 1, start + 23)
  into.writeBigInt64BE(BigInt(first), start + 27)
  into.writeBigInt64BE(BigInt(last), start + 35)
  into.writeBigInt64BE(producerId, start + 43)
  into.writeInt16BE(producerEpoch, start + 51)
  into.writeInt32BE(firstSequence, start + 53)
  into.writeInt32BE(records.length, start + 57)
  into.writeUInt32BE(crc32c(into, start + 21, at), start + 17)
  return at
}

/**
 * Encodes the body of a Produce v7 request (acks=all, no transaction) for batches that go to one
 * broker. The result is a separate copy and may be sent again unchanged: sequence numbers make the
 * broker drop the repeat.
 */
export function encodeProduce(
  batches: readonly PartitionBatch[],
  options: { producerId: bigint; producerEpoch: number; timeoutMs: number; now: number }
): Buffer {
  let bound = 64
  for (const batch of batches) {
    bound += BATCH_OVERHEAD + 16 + batch.topic.length * 3
    for (const record of batch.records) bound += boundOf(record)
  }
  if (scratch.length < bound) scratch = Buffer.allocUnsafe(bound * 2)
  const topics = new Map<string, PartitionBatch[]>()
  for (const batch of batches) {
    const known = topics.get(batch.topic)
    if (known) known.push(batch)
    else topics.set(batch.topic, [batch])
  }
  let at = scratch.writeInt16BE(-1, 0) // transactional id: null
  at = scratch.writeInt16BE(-1, at) // acks: all in-sync replicas
  at = scratch.writeInt32BE(options.timeoutMs, at)
  at = scratch.writeInt32BE(topics.size, at)
  for (const [topic, partitions] of topics) {
    const length = Buffer.byteLength(topic)
    at = scratch.writeInt16BE(length, at)
    at += scratch.write(topic, at, length, 'utf8')
    at = scratch.writeInt32BE(partitions.length, at)
    for (const batch of partitions) {
      at = scratch.writeInt32BE(batch.partition, at)
      const size = at
      at = writeBatch(scratch, at + 4, batch, options.producerId, options.producerEpoch, options.now)
      scratch.writeInt32BE(at - size - 4, size)
    }
  }
  return Buffer.from(scratch.subarray(0, at))
}

export interface PartitionReply {
  topic: string
  partition: number
  errorCode: number
  baseOffset: bigint
  /** Epoch ms by the broker's clock; -1 on topics whose records keep the producer's time. */
  appendTime: number
}

/** Reads the replies of a Produce v7 response, one per partition. */
export function decodeProduceReply(raw: Buffer): PartitionReply[] {
  const replies: PartitionReply[] = []
  let at = 4
  for (let topics = raw.readInt32BE(0); topics > 0; topics--) {
    const length = raw.readInt16BE(at)
    const topic = raw.toString('utf8', at + 2, at + 2 + length)
    at += 2 + length
    const partitions = raw.readInt32BE(at)
    at += 4
    for (let index = 0; index < partitions; index++) {
      replies.push({
        topic,
        partition: raw.readInt32BE(at),
        errorCode: raw.readInt16BE(at + 4),
        baseOffset: raw.readBigInt64BE(at + 6),
        // Read as two halves, which avoids creating a temporary bigint.
        appendTime: raw.readInt32BE(at + 14) * 2 ** 32 + raw.readUInt32BE(at + 18)
      })
      at += 30 // partition, error, base offset, append time, log start offset
    }
  }
  return replies
}
