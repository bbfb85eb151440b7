/**
 * Tests that records are read from a fetch as kafkajs's own decoder reads them, wherever the answer
 * is cut, and that broken data is reported.
 */
import { strict as assert } from 'node:assert'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { decodeFetch, type Fetched, fetchedOf, toInRecord } from '../../../streams/runtime/fetched.ts'
import { encodeProduce } from '../../../streams/runtime/record-batch.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'

const require = createRequire(import.meta.url)
interface Message {
  offset: string
  timestamp: string
  key: Buffer | null
  value: Buffer | null
  headers: Record<string, Buffer | Buffer[]>
}
const Decoder = require('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => unknown
const decodeMessages = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js') as (decoder: unknown) => Promise<Message[]>

const TOPIC = 'checks.results.v1'
const HEADER_BYTES = 61

interface Written {
  records: OutRecord[]
  /** Base offset, set by the broker. */
  first: bigint
  /** Append time, when the broker sets it. */
  appended: number | null
  gzip: boolean
}

/**
 * Makes a batch as the broker stores it: the product's writer makes it, then the fields that a
 * broker sets are changed.
 */
function batchOf({ records, first, appended, gzip }: Written): Buffer {
  const body = encodeProduce([{ topic: TOPIC, partition: 0, records, firstSequence: 0 }], {
    producerId: 7n,
    producerEpoch: 0,
    timeoutMs: 0,
    now: 1_767_225_600_000
  })
  const at = 2 + 2 + 4 + 4 + 2 + TOPIC.length + 4 + 4 + 4
  const plain = Buffer.from(body.subarray(at))
  const batch = gzip ? Buffer.concat([plain.subarray(0, HEADER_BYTES), gzipSync(plain.subarray(HEADER_BYTES))]) : plain
  batch.writeBigInt64BE(first, 0)
  batch.writeInt32BE(batch.length - 12, 8)
  batch.writeInt16BE((appended === null ? 0 : 8) | (gzip ? 1 : 0), 21)
  if (appended !== null) batch.writeBigInt64BE(BigInt(appended), 35)
  return batch
}

/** The body of a Fetch v11 answer with one partition. */
function answer(set: Buffer, { errorCode = 0, highWatermark = 1000n, aborted = 0 } = {}): Buffer {
  const head = Buffer.alloc(18 + TOPIC.length + 4 + 4 + 2 + 8 * 3 + 4 + 16 * aborted + 4 + 4)
  let at = head.writeInt32BE(12, 0) // throttle time
  at = head.writeInt16BE(0, at)
  at = head.writeInt32BE(99, at) // session
  at = head.writeInt32BE(1, at)
  at = head.writeInt16BE(TOPIC.length, at)
  at += head.write(TOPIC, at)
  at = head.writeInt32BE(1, at)
  at = head.writeInt32BE(3, at) // partition
  at = head.writeInt16BE(errorCode, at)
  for (const offset of [highWatermark, 900n, 0n]) at = head.writeBigInt64BE(offset, at)
  at = head.writeInt32BE(aborted === 0 ? -1 : aborted, at)
  at = head.writeInt32BE(-1, at + 16 * aborted) // preferred replica
  at = head.writeInt32BE(set.length, at)
  return Buffer.concat([head.subarray(0, at), set])
}

function fetched(set: Buffer): Fetched | null {
  return fetchedOf(decodeFetch(answer(set)).responses[0]?.partitions[0]?.messages ?? [])
}

const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some))
const record: fc.Arbitrary<OutRecord> = fc.record({
  topic: fc.constant(TOPIC as OutRecord['topic']),
  key: fc.string({ maxLength: 50 }),
  value: fc.option(bytes),
  headers: fc.dictionary(
    // kafkajs confuses these names with properties that every object has.
    fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !(name in {})),
    fc.string({ maxLength: 30 }),
    { maxKeys: 3, noNullPrototype: true }
  ),
  timestamp: fc.integer({ min: 1.7e12, max: 1.9e12 })
})

/** Consecutive batches with holes between their offsets, as compaction leaves them. */
const log: fc.Arbitrary<Written[]> = fc
  .array(
    fc.tuple(
      fc.array(record, { minLength: 1, maxLength: 6 }),
      fc.nat(50),
      fc.option(fc.integer({ min: 1.7e12, max: 1.9e12 })),
      fc.boolean()
    ),
    { maxLength: 4 }
  )
  .map((parts) => {
    let first = 2n ** 33n
    return parts.map(([records, hole, appended, gzip]) => {
      const written = { records, first: first + BigInt(hole), appended, gzip }
      first = written.first + BigInt(records.length)
      return written
    })
  })

const theirs = async (set: Buffer): Promise<Message[]> => {
  // kafkajs reads the magic byte without checking that it is there.
  if (set.length < HEADER_BYTES) return []
  const size = Buffer.alloc(4)
  size.writeInt32BE(set.length)
  return decodeMessages(new Decoder(Buffer.concat([size, set])))
}

t.test('records are decoded as by kafkajs from any offset, in any number and from cut answers', async () => {
  await fc.assert(
    fc.asyncProperty(log, fc.nat(30), fc.integer({ min: 1, max: 7 }), fc.nat(300), async (written, skip, most, cut) => {
      const set = Buffer.concat(written.map(batchOf))
      const shown = set.subarray(0, Math.max(set.length - cut, 0))
      const expected = (await theirs(shown)).map(({ offset, timestamp, key, value, headers }) => ({
        topic: TOPIC,
        partition: 3,
        offset: BigInt(offset),
        timestamp: Number(timestamp),
        key: key?.toString() ?? '',
        value,
        headers: Object.fromEntries(Object.entries(headers).map(([name, one]) => [name, String(one)]))
      }))
      const found = fetched(shown)
      const all = found?.records(TOPIC, 3, 0n) ?? []
      assert.deepEqual(all.map(toInRecord), expected)
      const from = (written[0]?.first ?? 0n) + BigInt(skip)
      const later = expected.filter(({ offset }) => offset >= from)
      assert.deepEqual((found?.records(TOPIC, 3, from) ?? []).map(toInRecord), later)
      assert.deepEqual((found?.records(TOPIC, 3, from, most) ?? []).map(toInRecord), later.slice(0, most))
      if (found) assert.equal(found.behind, (expected.at(-1)?.offset ?? 0n) + 1n)
      for (const one of all) assert.deepEqual(one.length < 0 ? null : one.bytes.subarray(one.from, one.from + one.length), one.value)
    })
  )
})

t.test('fetch answers without records, with an error or with aborted transactions are decoded', async (t) => {
  const { responses, clientSideThrottleTime, sessionId } = decodeFetch(
    answer(Buffer.alloc(0), { errorCode: 1, highWatermark: 2n ** 40n, aborted: 2 })
  )
  t.same([clientSideThrottleTime, sessionId], [12, 99])
  t.match(responses, [{ topicName: TOPIC, partitions: [{ partition: 3, errorCode: 1, highWatermark: String(2n ** 40n), messages: [] }] }])
  t.equal(fetchedOf([]), null)
  t.throws(() => fetchedOf([{ offset: '1' }]), TypeError)
})

t.test('control batches have no records, and a compacted batch ends at its last offset', async (t) => {
  const one: OutRecord = { topic: TOPIC, key: 'k', value: Buffer.from('v') }
  const control = batchOf({ records: [one], first: 5n, appended: null, gzip: false })
  control.writeInt16BE(32, 21)
  t.same(fetched(control)?.records(TOPIC, 3, 0n), [])
  t.equal(fetched(control)?.behind, 6n)
  const compacted = batchOf({ records: [one], first: 10n, appended: null, gzip: false })
  compacted.writeInt32BE(9, 23)
  t.equal(fetched(compacted)?.behind, 20n)
  t.equal(fetched(compacted)?.records(TOPIC, 3, 11n).length, 0)
})

t.test('a header may be named like a method of Object', async (t) => {
  const one: OutRecord = { topic: TOPIC, key: 'k', value: Buffer.from('v'), headers: { toString: 'a', valueOf: 'b' } }
  const [found] = fetched(batchOf({ records: [one], first: 0n, appended: null, gzip: false }))?.records(TOPIC, 3, 0n) ?? []
  t.same(Object.entries(found?.headers ?? {}), [
    ['toString', 'a'],
    ['valueOf', 'b']
  ])
})

t.test('a damaged or unsupported batch throws an error', async (t) => {
  const one: OutRecord = { topic: TOPIC, key: 'k', value: Buffer.from('v') }
  const good = batchOf({ records: [one, one], first: 0n, appended: null, gzip: false })
  const damaged = (change: (batch: Buffer) => void): Buffer => {
    const batch = Buffer.from(good)
    change(batch)
    return batch
  }
  t.throws(() => fetched(damaged((batch) => batch.writeInt8(1, 16))), /magic 1/)
  t.throws(() => fetched(damaged((batch) => batch.writeInt16BE(4, 21))), /compressed by kind 4/)
  t.throws(() => fetched(damaged((batch) => batch.writeInt32BE(10, 8))), /shorter than its header/)
  t.throws(() => fetched(damaged((batch) => batch.writeInt32BE(3, 57)))?.records(TOPIC, 3, 0n), RangeError)
  fc.assert(
    fc.property(fc.nat(good.length - HEADER_BYTES - 1), fc.nat(255), (at, byte) => {
      const batch = damaged((some) => some.writeUInt8(byte, HEADER_BYTES + at))
      try {
        for (const found of fetched(batch)?.records(TOPIC, 3, 0n) ?? []) toInRecord(found)
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error))
      }
    })
  )
})
