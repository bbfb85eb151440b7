/** Bundling of schema files: named types of other files are inserted where they are first used. */
import t from 'tap'
import { type AvroObject, bundle, loadRecords } from '../../schemas/load.ts'

const file = (name: string, fields: AvroObject['fields']): { file: string; written: AvroObject } => ({
  file: `${name}.avsc`,
  written: { type: 'record', name, namespace: 'service.events', rev: 1, doc: `A ${name}.`, fields: fields ?? [] }
})
const colour = (symbols = ['red', 'unknown']): AvroObject => ({ type: 'enum', name: 'Colour', symbols, default: 'unknown' })

t.test('a named type is defined where it is first used and is only a name after that', async (t) => {
  const records = bundle([
    file('Tick', [
      { name: 'a', type: 'service.events.Colour' },
      { name: 'b', type: ['null', 'service.events.Colour'] }
    ]),
    file('Budget', [{ name: 'c', type: colour() }])
  ])
  t.match(records.get('Tick')?.schema.fields, [{ type: colour() }, { type: ['null', 'service.events.Colour'] }])
})

t.test('a repeated identical definition counts as one', async (t) => {
  const records = bundle([
    file('Tick', [
      { name: 'a', type: colour() },
      { name: 'b', type: { type: 'array', items: colour() } }
    ])
  ])
  t.match(records.get('Tick')?.schema.fields, [{ type: colour() }, { type: { items: 'service.events.Colour' } }])
})

t.test('one name with two definitions is an error that names both files', async (t) => {
  t.throws(
    () => bundle([file('Tick', [{ name: 'a', type: colour() }]), file('Budget', [{ name: 'c', type: colour(['blue', 'unknown']) }])]),
    {
      message: 'Budget.avsc: service.events.Colour is defined differently in Tick.avsc'
    }
  )
})

t.test('an undefined type name is an error', async (t) => {
  t.throws(() => bundle([file('Tick', [{ name: 'a', type: 'service.events.Nowhere' }])]), {
    message: 'Tick.avsc: no file defines service.events.Nowhere'
  })
})

t.test('a file must hold the record that it is named after, in our namespace', async (t) => {
  t.throws(() => bundle([{ ...file('Tick', []), file: 'Tock.avsc' }]), /expected a record named Tock/)
  t.throws(
    () => bundle([{ file: 'Tick.avsc', written: { type: 'record', name: 'Tick', namespace: 'elsewhere', fields: [] } }]),
    /expected namespace service\.events/
  )
})

t.test('every record of the service loads', async (t) => {
  t.equal(loadRecords().size, 21)
})
