/**
 * The records of the builder are valid: the codec encodes each record and decodes it to the same
 * one.
 */
import t from 'tap'
import { recordNames } from '../../schemas/generated/events.ts'
import { localCodec } from './codec.ts'
import { record } from './records.ts'

const codec = localCodec()

for (const name of recordNames) {
  t.test(name, async (t) => {
    const plain = record(name)
    t.same(codec.decode(name, codec.encode(name, plain)), plain)
  })
}

t.test('given fields override the defaults of a record', async (t) => {
  const incident = record('Incident', { title: 'Disk full', number: 42 })
  t.match(incident, { title: 'Disk full', number: 42, status: 'ongoing', reopened_from: null })
  t.same(record('IncidentEvent').incident, record('Incident'), 'an inner record is that of its own kind')
})
