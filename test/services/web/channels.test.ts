/**
 * Tests of the form of a channel, which is made from JSON Schemas: every kind of field, and what is
 * sent.
 */
import t from 'tap'
import { Type } from 'typebox'
import { channels } from '../../../services/channels/kinds/index.ts'
import { configFields, instantOf, isShown, localOf, namedValues, sentConfig } from '../../../services/web/pages/channels/config-fields.ts'

const MASK = '********'

const schema = Type.Object({
  text: Type.String({ title: 'Text', description: 'A hint.' }),
  secret: Type.Optional(Type.String({ writeOnly: true })),
  count: Type.Optional(Type.Integer()),
  region: Type.Optional(Type.Union([Type.Literal('us'), Type.Literal('eu')])),
  on: Type.Optional(Type.Boolean()),
  until: Type.Optional(Type.String({ format: 'date-time' })),
  tags: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
  headers: Type.Optional(Type.Array(Type.Object({ name: Type.String(), value: Type.String({ writeOnly: true }) }), { maxItems: 10 })),
  labels: Type.Optional(Type.Record(Type.String(), Type.String()))
})
const fields = configFields(JSON.parse(JSON.stringify(schema)))

t.test('each schema type has its kind of field', async (t) => {
  t.same(
    fields.map(({ name, type }) => [name, type]),
    [
      ['text', 'text'],
      ['secret', 'secret'],
      ['count', 'number'],
      ['region', 'choice'],
      ['on', 'yes_no'],
      ['until', 'time'],
      ['tags', 'list'],
      ['headers', 'pairs'],
      ['labels', 'map']
    ]
  )
  t.match(fields[0], { label: 'Text', hint: 'A hint.', required: true })
  t.match(fields[3], { choices: ['us', 'eu'], required: false })
  t.match(fields[7], { secretValues: true, most: 10 })
})

t.test('every channel kind has a field for each of its settings', async (t) => {
  for (const channel of Object.values(channels)) {
    const json = JSON.parse(JSON.stringify(channel.config))
    t.same(
      configFields(json).map(({ name }) => name),
      Object.keys(json.properties),
      channel.kind
    )
  }
})

t.test('values that the channel form sends', async (t) => {
  t.same(sentConfig(fields, null, { text: 'a', secret: '', count: undefined, headers: [], tags: [] }), { text: 'a' })
  const before = { text: 'a', secret: MASK, count: 3, tags: ['x'], headers: [{ name: 'A', value: MASK }], labels: { k: 'v' } }
  t.same(sentConfig(fields, before, before), before, 'nothing changes by itself')
  t.same(sentConfig(fields, before, { ...before, count: undefined, tags: [], headers: [{ name: ' ', value: 'x' }] }), {
    ...before,
    count: null,
    tags: [],
    headers: []
  })
  t.same(namedValues({ k: 'v' }), [{ name: 'k', value: 'v' }])
})

t.test('the form asks when the old secret ends only while a secret is replaced', async (t) => {
  const until = fields[5]
  if (!until) throw new Error('no field')
  t.notOk(isShown(until, fields, null, { secret: 'new' }))
  t.notOk(isShown(until, fields, { secret: MASK }, { secret: MASK }))
  t.notOk(isShown(until, fields, {}, { secret: 'first' }))
  t.ok(isShown(until, fields, { secret: MASK }, { secret: 'new' }))
  t.ok(isShown(until, fields, { secret: MASK, until: '2026-01-01T00:00:00Z' }, { secret: MASK }))
})

t.test('instants and local times', async (t) => {
  t.equal(instantOf(''), null)
  t.equal(localOf('nonsense'), '')
  t.equal(localOf(instantOf('2026-03-04T05:06')), '2026-03-04T05:06')
})
