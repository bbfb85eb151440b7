/**
 * For every record, a view returns the same values as avsc's decoded record, and hands to avsc
 * whatever avsc would refuse.
 */
import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { typeOf } from '../../schemas/avro.ts'
import { BadBody, type Codec } from '../../schemas/codec.ts'
import type { AvroField, AvroObject, AvroSchema } from '../../schemas/load.ts'
import { loadRecords } from '../../schemas/load.ts'
import { compileView, createInterner } from '../../schemas/view.ts'
import { heartbeatProcessor, statusProcessor } from '../../streams/topology.ts'
import { localCodec } from '../harness/codec.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.uuid(),
  fc.constantFrom('', 'a', 'eu-central', 'Zürich', '\0', '東京', 'x'.repeat(64), 'x'.repeat(65))
)
/** Mostly usual values; otherwise no record with many fields would have a view. */
const int = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: -(2 ** 27), max: 2 ** 27 - 1 }) },
  { weight: 1, arbitrary: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) }
)
const long = fc.oneof(
  { weight: 30, arbitrary: fc.oneof(int, fc.integer({ min: 1.7e12, max: 1.9e12 }), fc.constantFrom(2 ** 48 - 1, -(2 ** 48), 0)) },
  { weight: 1, arbitrary: fc.oneof(fc.integer({ min: -(2 ** 53) + 2, max: 2 ** 53 - 2 }), fc.constantFrom(2 ** 48, -(2 ** 48) - 1)) }
)

/** Generates values of a schema. `named` collects the types that are defined along the way. */
function values(schema: AvroSchema, named = new Map<string, AvroSchema>()): fc.Arbitrary<unknown> {
  if (Array.isArray(schema)) return fc.oneof(...schema.map((branch) => values(branch, named)))
  if (typeof schema === 'object') {
    if (schema.name) named.set(schema.name, schema)
    if (schema.type === 'record')
      return fc.record(Object.fromEntries((schema.fields ?? []).map(({ name, type }: AvroField) => [name, values(type, named)])))
    if (schema.type === 'enum') return fc.constantFrom(...(schema.symbols ?? []))
    if (schema.type === 'array') return fc.array(values(schema.items ?? 'null', named), { maxLength: 4 })
    if (schema.type === 'map')
      return fc.dictionary(
        text.filter((name) => name !== '__proto__'),
        values(schema.values ?? 'null', named),
        { maxKeys: 4, noNullPrototype: true }
      )
    return values(schema.type, named)
  }
  switch (schema) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'int':
      return int
    case 'long':
      return long
    case 'float':
      return fc.float()
    case 'double':
      return fc.double()
    case 'string':
      return text
    case 'bytes':
      return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes))
    default:
      return values(named.get(schema.split('.').at(-1) ?? '') ?? 'null', named)
  }
}

const records = loadRecords()
const schemaOf = (name: string): AvroObject => {
  const found = [...records.values()].find((record) => record.name === name)
  if (!found) throw new Error(`no record ${name}`)
  return found.schema
}

/** Fields that a view of the record can keep: all except records, collections and bytes. */
function keepable(schema: AvroObject): string[] {
  return (schema.fields ?? []).flatMap(({ name }) => {
    try {
      compileView(schema, [name], () => ({}))
      return [name]
    } catch (error) {
      assert.ok(error instanceof TypeError)
      return []
    }
  })
}

/** The fields of a view, and of the records in it, as a plain object. */
const asPlain = (schema: AvroObject, view: object): Record<string, unknown> =>
  Object.fromEntries(
    (schema.fields ?? []).map(({ name, type }) => {
      const value = (view as Record<string, unknown>)[name]
      const inner = typeof type === 'object' && !Array.isArray(type) && type.type === 'record' ? type : null
      return [name, inner ? asPlain(inner, value as object) : value]
    })
  )

for (const { name, schema } of records.values()) {
  t.test(`${name}: a view reads every field as avsc decodes it`, async (t) => {
    const type = typeOf(schema)
    const whole = (body: Buffer): object => type.decode(body, 0).value as object
    const fields = keepable(schema)
    let seen = 0
    const subsets = [[], fields, ...fc.sample(fc.subarray(fields), 4)]
    const reads = subsets.map((kept) => compileView(schema, kept, whole))
    fc.assert(
      fc.property(values(schema), fc.nat(20), fc.nat(20), (value, before, after) => {
        const body = type.toBuffer(value)
        const bytes = Buffer.concat([Buffer.alloc(before, 0x81), body, Buffer.alloc(after, 0x81)])
        const expected = type.decode(body, 0).value as object
        for (const read of reads) {
          const view = read(bytes, before, before + body.length)
          if (!view) return // A long of more than 49 bits: avsc reads it.
          seen += 1
          for (const { name: field } of schema.fields ?? [])
            assert.deepEqual((view as Record<string, unknown>)[field], (expected as Record<string, unknown>)[field], field)
        }
      }),
      { numRuns: 30 }
    )
    t.ok(seen > 0, `${seen} views`)
  })

  t.test(`${name}: for damaged bytes, a view agrees with avsc or leaves them to avsc`, async (t) => {
    const type = typeOf(schema)
    const read = compileView(schema, keepable(schema), (body) => type.decode(body, 0).value as object)
    let refused = 0
    fc.assert(
      fc.property(values(schema), fc.nat(400), fc.nat(255), fc.integer({ min: -3, max: 3 }), (value, at, byte, longer) => {
        const body = type.toBuffer(value)
        if (body.length > 0) body[at % body.length] = byte
        const bytes = Buffer.concat([body, Buffer.alloc(8, 0x02)])
        const to = Math.max(body.length + longer, 0)
        const view = read(bytes, 0, to)
        let expected: { value: unknown; offset: number } | null = null
        try {
          expected = type.decode(bytes.subarray(0, to), 0)
        } catch {
          expected = null
        }
        if (!expected || expected.offset !== to) {
          refused += 1
          assert.equal(view, null)
        } else if (view) assert.deepEqual(asPlain(schema, view), asPlain(schema, expected.value as object))
      }),
      { numRuns: 80 }
    )
    t.ok(refused > 0, `${refused} refused`)
  })
}

t.test('views of the processors read records as avsc does', async (t) => {
  t.same(Object.keys(statusProcessor.views ?? {}), ['CheckResult'])
  for (const processor of [statusProcessor, heartbeatProcessor]) {
    for (const [name, fields] of Object.entries(processor.views ?? {})) {
      const schema = schemaOf(name)
      const type = typeOf(schema)
      const read = compileView(schema, fields, (body) => type.decode(body, 0).value as object)
      let seen = 0
      fc.assert(
        fc.property(values(schema), (value) => {
          const body = type.toBuffer(value)
          const view = read(body, 0, body.length)
          if (!view) return // A number of too many bits: avsc reads it.
          seen += 1
          assert.deepEqual(asPlain(schema, view), asPlain(schema, type.decode(body, 0).value as object))
        })
      )
      t.ok(seen >= 20, `${name}: ${seen} views of 100 values`)
    }
  }
})

t.test('a codec with views reads a record among other bytes, and refuses a byte too few or too many', async (t) => {
  const codec: Codec = localCodec()
  const within = codec.within({ Tick: ['t'] })
  const bytes = codec.encode('Tick', { t: 1_767_225_600_000, boot: '0190aaaa-0000-7000-8000-000000000001' })
  const among = Buffer.concat([Buffer.alloc(3), bytes, Buffer.alloc(3)])
  t.ok(within.knows(among, 3, 3 + bytes.length))
  const { record, value } = within.decode(among, 3, 3 + bytes.length)
  t.equal(record, 'Tick')
  t.same(Object.keys(value).includes('boot'), false, 'a view: boot is read when it is asked for')
  t.same(record === 'Tick' ? [value.t, value.boot] : null, [1_767_225_600_000, '0190aaaa-0000-7000-8000-000000000001'])
  t.throws(() => within.decode(among, 3, 2 + bytes.length), BadBody)
  t.throws(() => within.decode(among, 3, 4 + bytes.length), BadBody)
})

t.test('a view refuses fields that it cannot keep', async (t) => {
  const schema = schemaOf('CheckResult')
  for (const field of ['timings_ms', 'assertions', 'none', 'timings_ms.none', 'region.none'])
    t.throws(() => compileView(schema, [field], () => ({})), TypeError, field)
  t.throws(() => compileView({ type: 'record', name: 'Odd', fields: [{ name: 'a;b', type: 'int' }] }, [], () => ({})), /no name/)
})

t.test('an interned text always equals its bytes', async () => {
  const intern = createInterner()
  fc.assert(
    fc.property(fc.array(text, { maxLength: 50 }), (texts) => {
      for (const one of [...texts, ...texts]) {
        const bytes = Buffer.from(`<${one}>`)
        assert.equal(intern(bytes, 1, bytes.length - 1), Buffer.from(one).toString())
      }
    })
  )
  // Invalid UTF-8 becomes replacement characters each time.
  const broken = Buffer.from([0xff, 0x61])
  assert.equal(intern(broken, 0, 2), '\ufffda')
  assert.equal(intern(broken, 0, 2), '\ufffda')
})
