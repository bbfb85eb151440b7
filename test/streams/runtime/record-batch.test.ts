/**
 * Tests that a broker and kafkajs's own decoder can read the product's RecordBatch, and that keys
 * go to the partitions that the Java client chooses.
 */
import { createRequire } from 'node:module'
import fc from 'fast-check'
import t from 'tap'
import { boundOf, crc32c, decodeProduceReply, encodeProduce, murmur2, partitionOf } from '../../../streams/runtime/record-batch.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'

const require = createRequire(import.meta.url)
interface Decoded {
  offset: string
  timestamp: string
  key: Buffer
  value: Buffer | null
  headers: Record<string, Buffer>
}
const Decoder = require('kafkajs/src/protocol/decoder.js') as new (
  bytes: Buffer
) => { readInt32(): number; readInt16(): number; readString(): string; slice(n: number): unknown }
const MessageSetDecoder = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js') as (decoder: unknown) => Promise<Decoded[]>
const javaMurmur = require('kafkajs/src/producer/partitioners/default/murmur2.js') as (key: Buffer) => number

/**
 * Reads a body back with kafkajs's decoder, which shares no code with the product: topic, then the
 * records of each partition.
 */
async function decode(body: Buffer): Promise<Map<string, Decoded[]>> {
  const found = new Map<string, Decoded[]>()
  const decoder = new Decoder(body)
  decoder.readInt16() // transactional id: null
  decoder.readInt16() // acks
  decoder.readInt32() // timeout
  for (let topics = decoder.readInt32(); topics > 0; topics--) {
    const topic = decoder.readString()
    for (let partitions = decoder.readInt32(); partitions > 0; partitions--) {
      const partition = decoder.readInt32()
      // It reads the size of the record set itself.
      found.set(`${topic}:${partition}`, await MessageSetDecoder(decoder))
    }
  }
  return found
}

t.test('CRC-32C of the check string', async (t) => {
  const text = Buffer.from('xx123456789yy')
  t.equal(crc32c(text, 2, 11), 0xe3069283)
})

t.test('murmur2 matches the values of Apache Kafka', async (t) => {
  // Values of Apache Kafka's UtilsTest.testMurmur2.
  const known: [string, number][] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107]
  ]
  for (const [key, hash] of known) t.equal(murmur2(Buffer.from(key)), hash, key)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => (murmur2(bytes) | 0) === (javaMurmur(Buffer.from(bytes)) | 0)))
})

t.test('a key always goes to the same partition, within range', async (t) => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.integer({ min: 1, max: 64 }), (key, count) => {
      const partition = partitionOf(key, count)
      return partition >= 0 && partition < count && partition === partitionOf(Buffer.from(key), count)
    })
  )
  t.pass()
})

const record = fc.record(
  {
    key: fc.oneof(
      fc.string({ minLength: 1, maxLength: 300 }),
      fc.uint8Array({ minLength: 1, maxLength: 50 }).map((bytes) => Buffer.from(bytes))
    ),
    value: fc.option(fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes))),
    headers: fc.dictionary(
      fc.string({ minLength: 1, maxLength: 20 }).filter((name) => !(name in Object.prototype)),
      fc.string({ maxLength: 200 }),
      { maxKeys: 8 }
    ),
    timestamp: fc.integer({ min: 1, max: 4_000_000_000_000 })
  },
  { requiredKeys: ['key', 'value'] }
)

t.test('kafkajs decodes random encoded records correctly', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 30 }), fc.integer({ min: 0, max: 3 }), async (some, partition) => {
      const records = some.map((one) => ({ ...one, topic: 'alerts.inbound.v1' })) as OutRecord[]
      const body = encodeProduce([{ topic: 'alerts.inbound.v1', partition, records, firstSequence: 7 }], {
        producerId: 42n,
        producerEpoch: 3,
        timeoutMs: 1000,
        now: 1234
      })
      const decoded = (await decode(body)).get(`alerts.inbound.v1:${partition}`) ?? []
      if (decoded.length !== records.length) throw new Error(`${decoded.length} of ${records.length} records`)
      for (const [index, one] of records.entries()) {
        const found = decoded[index] as Decoded
        if (!Buffer.from(one.key).equals(found.key)) throw new Error('key')
        if (one.value === null ? found.value !== null : !one.value.equals(found.value ?? Buffer.alloc(0))) throw new Error('value')
        if (Number(found.timestamp) !== (one.timestamp ?? 1234)) throw new Error(`timestamp ${found.timestamp}`)
        for (const [name, value] of Object.entries(one.headers ?? {}))
          if (found.headers[name]?.toString() !== Buffer.from(value).toString()) throw new Error(`header ${name}`)
        if (boundOf(one) < Buffer.from(one.key).length + (one.value?.length ?? 0)) throw new Error('bound')
      }
    }),
    { numRuns: 200 }
  )
  t.pass()
})

t.test('the encoded batch has producer id, epoch, sequence and checksum in the right places', async (t) => {
  const records: OutRecord[] = [{ topic: 'dlq.v1', key: 'k', value: Buffer.from('v') }]
  const body = encodeProduce([{ topic: 'dlq.v1', partition: 1, records, firstSequence: 77 }], {
    producerId: 4242n,
    producerEpoch: 5,
    timeoutMs: 1000,
    now: 1
  })
  // One record of 1+1+1+1+1+1+1+1 bytes and its length.
  const batch = body.subarray(body.length - (61 + 9))
  t.equal(batch[16], 2, 'magic')
  t.equal(batch.readBigInt64BE(43), 4242n)
  t.equal(batch.readInt16BE(51), 5)
  t.equal(batch.readInt32BE(53), 77)
  t.equal(batch.readUInt32BE(17), crc32c(batch, 21, batch.length))
})

t.test('a produce reply is read by topic and partition', async (t) => {
  const reply = Buffer.alloc(4 + 2 + 3 + 4 + 30 + 4)
  let at = reply.writeInt32BE(1, 0)
  at = reply.writeInt16BE(3, at)
  at += reply.write('abc', at)
  at = reply.writeInt32BE(1, at)
  at = reply.writeInt32BE(9, at)
  at = reply.writeInt16BE(46, at)
  at = reply.writeBigInt64BE(123n, at)
  reply.writeBigInt64BE(1_800_000_000_123n, at)
  t.same(decodeProduceReply(reply), [{ topic: 'abc', partition: 9, errorCode: 46, baseOffset: 123n, appendTime: 1_800_000_000_123 }])
  reply.writeBigInt64BE(-1n, at)
  t.equal(decodeProduceReply(reply)[0]?.appendTime, -1, 'of a topic without append time')
})
