/** The sink makes no second row of a record that was redriven for a processor. */
import t from 'tap'
import { formBatch, learn } from '../../../services/analytics/forming.ts'
import { redriveHeaders } from '../../../streams/runtime/redriven.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'

const record = (headers: Record<string, string>): InRecord => ({
  topic: 'alerts.inbound.v1',
  partition: 0,
  offset: 7n,
  timestamp: 1_700_000_000_000,
  key: 'k',
  value: Buffer.from('nobody can read it'),
  headers
})
const letter = {
  processor: 'incident',
  letter_id: '6f0c2f0e-6f6a-5a57-9d5e-2f6c0d3f1c11',
  log: 'a log',
  topic: 'alerts.inbound.v1',
  partition: 0,
  offset: 3n,
  at: 1_700_000_000_000
}

t.test('a redriven dead letter makes no second row', async (t) => {
  const codec = localCodec()
  const rejected: string[] = []
  const batch = formBatch(codec, (topic) => rejected.push(topic))
  const back = record({ ...redriveHeaders(letter), event_type: 'x' })
  await learn(codec, [back])
  batch.take([back])
  t.equal(batch.rows, 0)
  t.same(rejected, [])
  batch.take([record({ event_type: 'x' })])
  t.equal(batch.rows, 1)
})
