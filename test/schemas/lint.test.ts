/** The schema lint: our files have no fault, and each rule finds the fault planted for it. */
import t from 'tap'
import { readReleases, subjectsOf } from '../../schemas/generate/releases.ts'
import { lintChange, lintSchema } from '../../schemas/lint.ts'
import { type AvroField, type AvroObject, loadRecords } from '../../schemas/load.ts'
import { subjectOf, topics } from '../../schemas/topics.ts'

const records = loadRecords()

const sound = (): AvroObject => ({
  type: 'record',
  name: 'Thing',
  namespace: 'service.events',
  rev: 1,
  doc: 'A thing.',
  fields: [
    { name: 'thing_id', type: { type: 'string', logicalType: 'uuid' }, doc: 'The thing.' },
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' }, doc: 'When.' },
    { name: 'size', type: 'long', doc: 'Bytes.' },
    { name: 'ratio', type: 'float', doc: 'Share.' },
    { name: 'colour', type: { type: 'enum', name: 'Colour', symbols: ['red', 'unknown'], default: 'unknown' }, doc: 'Colour.' },
    { name: 'note', type: ['null', 'string'], default: null, doc: 'Words.' },
    {
      name: 'parts',
      type: { type: 'array', items: { type: 'record', name: 'Part', fields: [{ name: 'index', type: 'int', doc: 'Place.' }] } },
      doc: 'Parts.'
    }
  ]
})

function field(schema: AvroObject, name: string): AvroField {
  const found = schema.fields?.find((candidate) => candidate.name === name)
  if (!found) throw new Error(`no field ${name}`)
  return found
}

function changed(change: (schema: AvroObject) => void): AvroObject {
  const schema = structuredClone(sound())
  change(schema)
  return schema
}

t.test('our schemas have no lint fault, alone and as successors of their releases', async (t) => {
  for (const { name, record, compatibility } of subjectsOf(records)) {
    t.same([...lintSchema(record.schema), ...lintChange(record.schema, readReleases(name), compatibility)], [], name)
  }
})

t.test('every record is on a topic', async (t) => {
  const placed = new Set(topics.flatMap((spec) => spec.records.map(({ record }) => record)))
  t.same(
    [...records.keys()].filter((name) => !placed.has(name)),
    []
  )
})

t.test('the lint finds no fault in the sound example', async (t) => {
  t.same(lintSchema(sound()), [])
})

const planted: [string, (schema: AvroObject) => void, RegExp][] = [
  ['a record without doc', (schema) => delete schema.doc, /^Thing: has no doc/],
  ['a record without rev', (schema) => delete schema.rev, /^Thing: has no rev/],
  ['a field without doc', (schema) => delete field(schema, 'note').doc, /^Thing\.note: has no doc/],
  ['a field of an inner record without doc', (schema) => delete inner(schema).doc, /^Thing\.parts\[\]\.index: has no doc/],
  [
    'an enum without default',
    (schema) => delete (field(schema, 'colour').type as AvroObject).default,
    /^Thing\.colour: the enum Colour has no default/
  ],
  [
    'an enum with a default that it lacks',
    (schema) => Object.assign(field(schema, 'colour').type, { default: 'blue' }),
    /^Thing\.colour: the enum/
  ],
  [
    'a logical type off the list',
    (schema) => Object.assign(field(schema, 'at').type, { logicalType: 'timestamp-micros' }),
    /^Thing\.at: logical type timestamp-micros/
  ],
  [
    'a logical type on the wrong type',
    (schema) => Object.assign(field(schema, 'at').type, { type: 'int' }),
    /^Thing\.at: logical type timestamp-millis on int/
  ],
  [
    'an id that is a mere string',
    (schema) => Object.assign(field(schema, 'thing_id'), { type: 'string' }),
    /^Thing\.thing_id: \*_id is a string with logical type uuid/
  ],
  [
    'a UUID with another name',
    (schema) => Object.assign(field(schema, 'thing_id'), { name: 'thing' }),
    /^Thing\.thing: a UUID is called \*_id/
  ],
  [
    'an instant that is a mere number',
    (schema) => Object.assign(field(schema, 'at'), { type: 'long' }),
    /^Thing\.at: \*_at is a long with logical type/
  ],
  [
    'an instant with another name',
    (schema) => Object.assign(field(schema, 'at'), { name: 'moment' }),
    /^Thing\.moment: an instant is called \*_at/
  ],
  [
    'a name that is not snake_case',
    (schema) => Object.assign(field(schema, 'size'), { name: 'sizeBytes' }),
    /^Thing\.sizeBytes: not snake_case/
  ],
  [
    'a nullable field without default',
    (schema) => delete field(schema, 'note').default,
    /^Thing\.note: a nullable field has the default null/
  ],
  [
    'a union of two types',
    (schema) => Object.assign(field(schema, 'note'), { type: ['null', 'string', 'long'] }),
    /^Thing\.note: a union may only be/
  ],
  ['an alias', (schema) => Object.assign(field(schema, 'note'), { aliases: ['remark'] }), /^Thing\.note: aliases/],
  [
    'a fixed',
    (schema) => Object.assign(field(schema, 'size'), { type: { type: 'fixed', name: 'Raw', size: 16 } }),
    /^Thing\.size: fixed is not used/
  ],
  [
    'what avsc cannot read',
    (schema) => Object.assign(field(schema, 'size'), { type: 'service.events.Nowhere' }),
    /^Thing: not Avro: .*Nowhere/
  ]
]

function inner(schema: AvroObject): AvroField {
  const { items } = field(schema, 'parts').type as AvroObject
  return field(items as AvroObject, 'index')
}

for (const [name, plant, expected] of planted) {
  t.test(`the lint finds ${name}`, async (t) => {
    const faults = lintSchema(changed(plant))
    t.ok(
      faults.some((fault) => expected.test(fault)),
      `${faults}`
    )
  })
}

const release = [{ version: 1, schema: sound() }]
const rev2 = (change: (schema: AvroObject) => void) => (schema: AvroObject) => {
  schema.rev = 2
  change(schema)
}

const fine: [string, (schema: AvroObject) => void][] = [
  ['nothing', () => undefined],
  [
    'a new field with a default',
    rev2((schema) => schema.fields?.push({ name: 'extra', type: ['null', 'string'], default: null, doc: 'More.' }))
  ],
  ['a new symbol of an enum with a default', rev2((schema) => (field(schema, 'colour').type as AvroObject).symbols?.push('blue'))],
  ['a better doc', rev2((schema) => Object.assign(field(schema, 'note'), { doc: 'Better words.' }))]
]
for (const [name, change] of fine) {
  t.test(`a release may be followed by ${name}`, async (t) => {
    t.same(lintChange(changed(change), release, 'FULL_TRANSITIVE'), [])
  })
}

const broken: [string, (schema: AvroObject) => void, RegExp][] = [
  [
    'a change without a new rev',
    (schema) => Object.assign(field(schema, 'note'), { doc: 'Better words.' }),
    /^Thing: differs from its released version 1.*raise rev/
  ],
  [
    'a new field without default',
    rev2((schema) => schema.fields?.push({ name: 'extra', type: 'string', doc: 'More.' })),
    /^Thing\.extra: a new field needs a default/
  ],
  [
    'a changed default',
    rev2((schema) => Object.assign(field(schema, 'note'), { type: ['string', 'null'], default: 'none' })),
    /^Thing\.note: the default changed from null to "none"/
  ],
  [
    'a changed default of an enum',
    rev2((schema) => Object.assign(field(schema, 'colour').type, { default: 'red' })),
    /^Thing\.colour: the default of the enum Colour changed from unknown to red/
  ],
  [
    'a lost symbol',
    rev2((schema) => Object.assign(field(schema, 'colour').type, { symbols: ['unknown'] })),
    /^Thing\.colour: the enum Colour lost red/
  ],
  ['a renamed field', rev2((schema) => Object.assign(field(schema, 'note'), { name: 'remark' })), /^Thing\.note: looks renamed to remark/],
  [
    'a renamed type',
    rev2((schema) => Object.assign(field(schema, 'colour').type, { name: 'Color' })),
    /^Thing\.colour: the type Colour was renamed Color/
  ],
  ['a narrowed number', rev2((schema) => Object.assign(field(schema, 'size'), { type: 'int' })), /^Thing\.size: long became int: narrowed/],
  [
    'a field that is no longer nullable',
    rev2((schema) => Object.assign(field(schema, 'note'), { type: 'string', default: '' })),
    /^Thing\.note: was nullable: narrowed/
  ],
  [
    'a changed logical type',
    rev2((schema) => Object.assign(field(schema, 'at'), { type: 'long' })),
    /^Thing\.at: logical type timestamp-millis became none/
  ],
  [
    'a fault inside a list',
    rev2((schema) => Object.assign(inner(schema), { type: 'string' })),
    /^Thing\.parts\[\]\.index: int became string/
  ],
  ['a lost field without default', rev2((schema) => schema.fields?.splice(2, 1)), /^Thing: the old version cannot read today: .*size/],
  [
    'a widened number, which old readers cannot read',
    rev2((schema) => Object.assign(field(schema, 'ratio'), { type: 'double' })),
    /^Thing: the old version cannot read today/
  ]
]
for (const [name, change, expected] of broken) {
  t.test(`the lint finds ${name}`, async (t) => {
    const faults = lintChange(changed(change), release, 'FULL_TRANSITIVE')
    t.ok(
      faults.some((fault) => expected.test(fault)),
      `${faults}`
    )
  })
}

t.test('on an internal topic, only new readers must read a changed schema', async (t) => {
  const wider = changed(rev2((schema) => Object.assign(field(schema, 'ratio'), { type: 'double' })))
  t.same(lintChange(wider, release, 'BACKWARD_TRANSITIVE'), [])
})

t.test('a change is checked against every older version, not only the last', async (t) => {
  const second = changed(rev2((schema) => schema.fields?.push({ name: 'extra', type: ['null', 'string'], default: null, doc: 'More.' })))
  const third = structuredClone(second)
  third.rev = 3
  field(third, 'size').type = 'int'
  const faults = lintChange(third, [...release, { version: 2, schema: second }], 'FULL_TRANSITIVE')
  t.ok(
    faults.some((fault) => fault.endsWith('(against version 1)')) && faults.some((fault) => fault.endsWith('(against version 2)')),
    `${faults}`
  )
})

t.test('subject names are unique and follow from topic and record', async (t) => {
  const names = topics.flatMap((spec) => spec.records.map(({ record }) => subjectOf(spec, record)))
  t.equal(new Set(names).size, names.length, 'no subject twice')
  t.ok(names.includes('alerts.inbound.v1-value'))
  t.ok(names.includes('checks.results.v1-service.events.Tick') && names.includes('heartbeat.pings.v1-service.events.Tick'))
})
