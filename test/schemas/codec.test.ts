/**
 * The codec: round trips, schema evolution, its refusals and their messages, and how it requests
 * schemas.
 */
import t from 'tap'
import { typeOf } from '../../schemas/avro.ts'
import { BadBody, createCodec, InvalidRecord, NotFramed, UnknownSchema, WrongSchema } from '../../schemas/codec.ts'
import type { CheckResult, RecordName, Records, Tick } from '../../schemas/generated/events.ts'
import { type AvroObject, loadRecords } from '../../schemas/load.ts'
import { localCodec, localIds } from '../harness/codec.ts'
import { record } from '../harness/records.ts'

const records = loadRecords()
const ids = localIds(records)
const tick: Tick = { t: 1_700_000_000_000, boot: '0191d5a0-0000-7000-8000-000000000001' }

/** A random value of a schema; avsc's declaration says Type. */
function randomOf(schema: AvroObject): unknown {
  return typeOf(schema).random()
}

/** The same frame with another schema id. */
function under(id: number, bytes: Buffer): Buffer {
  const other = Buffer.from(bytes)
  other.writeInt32BE(id, 1)
  return other
}

t.test('every record survives encoding and decoding with random values', async (t) => {
  const codec = localCodec()
  for (const [name, { schema }] of records) {
    for (let round = 0; round < 100; round++) {
      const value = randomOf(schema) as Records[typeof name]
      const bytes = codec.encode(name, value)
      const decoded = codec.decodeAny(bytes)
      if (decoded.record !== name || !codec.encode(decoded.record, decoded.value).equals(bytes)) t.fail(`${name}: ${JSON.stringify(value)}`)
    }
    t.pass(name)
  }
})

t.test('a frame is a zero byte, the schema id and the body', async (t) => {
  const bytes = localCodec().encode('Tick', tick)
  t.equal(bytes[0], 0)
  t.equal(bytes.readInt32BE(1), ids.Tick)
  t.same(typeOf(records.get('Tick')?.schema ?? 'null').fromBuffer(bytes.subarray(5)), tick)
})

t.test('a value larger than the buffer and a small one after it are both encoded correctly', async (t) => {
  const codec = localCodec()
  const big = codec.encode('Tick', { ...tick, boot: 'x'.repeat(3_000_000) })
  const small = codec.encode('Tick', tick)
  t.equal(codec.decode('Tick', big).boot.length, 3_000_000)
  t.same({ ...codec.decode('Tick', small) }, tick)
  t.equal(big.readInt32BE(1), small.readInt32BE(1))
})

t.test('an invalid value is refused by record and field, without the value', async (t) => {
  const codec = localCodec()
  const refused: [Partial<Record<keyof Tick, unknown>> | null, string][] = [
    [{ ...tick, boot: 5 }, 'Tick.boot: expected string, got a whole number'],
    [{ ...tick, t: 1.5 }, 'Tick.t: expected long, got a number that is not whole or too large'],
    [{ ...tick, t: 2 ** 60 }, 'Tick.t: expected long, got a number that is not whole or too large'],
    [{ boot: tick.boot }, 'Tick.t: expected long, got undefined'],
    [null, 'Tick: expected service.events.Tick, got null']
  ]
  for (const [value, message] of refused) t.throws(() => codec.encode('Tick', value as Tick), { name: 'InvalidRecord', message })
  const secret: unknown = { event_id: '', outcome: 's3cret' }
  try {
    codec.encode('CheckResult', secret as CheckResult)
    t.fail('accepted')
  } catch (error) {
    t.type(error, InvalidRecord)
    t.match(String(error), /CheckResult\.tenant_id: expected string, got undefined/)
    t.notMatch(String(error), /s3cret/)
  }
  t.same({ ...codec.decode('Tick', codec.encode('Tick', tick)) }, tick, 'and the next value is fine')
})

t.test('each kind of undecodable bytes has its own error', async (t) => {
  const codec = localCodec()
  const good = codec.encode('Tick', tick)
  t.throws(() => codec.decodeAny(Buffer.alloc(0)), NotFramed)
  t.throws(() => codec.decodeAny(Buffer.from([0, 0, 0])), NotFramed)
  t.throws(() => codec.decodeAny(Buffer.from('{"json":true}')), NotFramed)
  t.throws(() => codec.decodeAny(under(9999, good)), UnknownSchema)
  t.throws(() => codec.decodeAny(good.subarray(0, good.length - 1)), BadBody)
  t.throws(() => codec.decodeAny(Buffer.concat([good, Buffer.from([0])])), { name: 'BadBody', message: /1 bytes too many/ })
  t.throws(() => codec.decode('Budget', good), { name: 'WrongSchema', message: 'Expected Budget, the bytes hold Tick' })
  t.ok(codec.knows(Buffer.alloc(0)), 'nothing to learn of a broken frame')
  await t.rejects(codec.learn(Buffer.alloc(0)), NotFramed)
})

t.test('a body that claims more items than it has bytes is refused at once', async (t) => {
  // Every field but the map is one byte.
  const budget = record('Budget', { event_id: '', tenant_id: '', ver: 0, ceiling: 0, cause: '', config_versions: { a: 1 } })
  const codec = localCodec()
  const bytes = codec.encode('Budget', budget)
  const head = bytes.subarray(0, 5 + 8) // Eight fields of one byte each stand before the map.
  t.same(bytes.subarray(5 + 8), Buffer.from([2, 2, 97, 2, 0, 0]), 'one item, "a", 1, no more items, at')
  const negative = Buffer.concat([head, Buffer.from([1, 6, 2, 97, 2, 0, 0])])
  t.same(codec.decode('Budget', negative).config_versions, { a: 1 }, 'a count may be negative, with a size behind it')
  for (const count of [
    [0xfe, 0xff, 0xff, 0xff, 0x0f],
    [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
    [0xfd, 0xff, 0xff, 0xff, 0x0f, 2]
  ]) {
    const hostile = Buffer.concat([head, Buffer.from([...count, 2, 97, 2, 0, 0])])
    t.throws(() => codec.decode('Budget', hostile), { name: BadBody.name, message: /collection of \d+ items in \d bytes/ })
  }
})

t.test('random damage never hangs the decoder and causes only BadBody errors', async (t) => {
  const codec = localCodec()
  let refused = 0
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (const [name, { schema }] of records) {
    const bytes = codec.encode(name, randomOf(schema) as Records[typeof name])
    for (let round = 0; round < 300; round++) {
      const damaged = Buffer.from(bytes.subarray(0, 5 + random(bytes.length - 4)))
      for (let hit = 0; hit < 4 && damaged.length > 5; hit++) damaged[5 + random(damaged.length - 5)] = random(256)
      try {
        codec.decodeAny(damaged)
      } catch (error) {
        if (!(error instanceof BadBody)) throw error
        refused++
      }
    }
  }
  t.ok(refused > 1000, `${refused} refused`)
})

/** Today's schema with a change, as a later or earlier version of the service would write it. */
function changed(name: RecordName, change: (schema: AvroObject) => void): AvroObject {
  const schema = structuredClone(records.get(name)?.schema)
  if (!schema) throw new Error(`no ${name}`)
  change(schema)
  return schema
}

t.test("a record of another version is read as today's once its schema is learned", async (t) => {
  const later = changed('Tick', (schema) => {
    schema.rev = 2
    schema.fields?.unshift({ name: 'zone', type: 'string', default: '', doc: 'New.' })
    schema.fields?.push({ name: 'parts', type: { type: 'array', items: 'string' }, default: [], doc: 'New.' })
  })
  const codec = localCodec(new Map([[500, JSON.stringify(later)]]))
  const body = typeOf(later).toBuffer({ zone: 'UTC', ...tick, parts: ['a', 'b'] })
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, 1, 0xf4]), body])
  t.notOk(codec.knows(bytes))
  t.throws(() => codec.decodeAny(bytes), UnknownSchema)
  await codec.learn(bytes)
  t.ok(codec.knows(bytes))
  t.same({ ...codec.decode('Tick', bytes) }, tick)
})

t.test('a new enum symbol is read as the default of the enum, even in a nullable field', async (t) => {
  const schema = changed('CheckResult', () => undefined)
  const field = schema.fields?.find(({ name }) => name === 'reason')
  const [, reasons] = (field?.type ?? []) as AvroObject[]
  reasons?.symbols?.unshift('solar_flare')
  const codec = localCodec(new Map([[500, JSON.stringify(schema)]]))
  const value = { ...(randomOf(schema) as CheckResult), reason: 'solar_flare' }
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, 1, 0xf4]), typeOf(schema).toBuffer(value)])
  await codec.learn(bytes)
  t.equal(codec.decode('CheckResult', bytes).reason, 'unknown')
})

t.test('foreign and incompatible schemas are refused with a reason', async (t) => {
  const foreign = '{"type":"record","name":"Elsewhere","fields":[]}'
  const broken = changed('Tick', (schema) => schema.fields?.splice(0, 1))
  const codec = localCodec(
    new Map([
      [500, foreign],
      [501, JSON.stringify(broken)],
      [502, '"string"'],
      [503, 'not JSON']
    ])
  )
  const good = codec.encode('Tick', tick)
  const expected: [number, RegExp][] = [
    [500, /Elsewhere/],
    [501, /cannot be read/],
    [502, /no record/],
    [503, /cannot be read/]
  ]
  for (const [id, message] of expected) {
    await codec.learn(under(id, good))
    t.throws(() => codec.decodeAny(under(id, good)), { name: WrongSchema.name, message })
    t.ok(codec.knows(under(id, good)), 'and is not asked for again')
  }
})

t.test('a schema that the registry lacks is requested once a minute', async (t) => {
  let now = 0
  const asked: number[] = []
  const codec = createCodec({ ids, now: () => now, schemaById })
  async function schemaById(id: number): Promise<null> {
    asked.push(id)
    return null
  }
  const bytes = under(700, codec.encode('Tick', tick))
  await Promise.all([codec.learn(bytes), codec.learn(bytes)])
  await codec.learn(bytes)
  t.same(asked, [700], 'together and afterwards')
  t.throws(() => codec.decodeAny(bytes), UnknownSchema)
  now += 60_001
  await codec.learn(bytes)
  t.same(asked, [700, 700])
  for (let id = 1000; id < 4000; id++) await codec.learn(under(id, bytes))
  asked.length = 0
  await codec.learn(under(3999, bytes))
  t.same(asked, [], 'the newest are remembered')
  await codec.learn(under(1000, bytes))
  t.same(asked, [1000], 'the oldest are forgotten: the list does not grow')
})

t.test('an unreachable registry is an error, and the next try asks again', async (t) => {
  let up = false
  const codec = createCodec({
    ids,
    async schemaById() {
      if (!up) throw new Error('connection refused')
      return records.get('Tick')?.text ?? null
    }
  })
  const bytes = under(700, codec.encode('Tick', tick))
  await t.rejects(codec.learn(bytes), /connection refused/)
  up = true
  await codec.learn(bytes)
  t.same({ ...codec.decode('Tick', bytes) }, tick)
})
