/**
 * Tests that a dead letter fits its row whatever the record holds, and is the same when it is made
 * again.
 */
import t from 'tap'
import { MAX_PAYLOAD_BYTES } from '../../../services/store/outbox.ts'
import { createPool } from '../../../services/store/pool.ts'
import { deadLetters, type Poison, writeDeadLetters } from '../../../streams/runtime/dead-letter.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { database } from '../../harness/engines.ts'

const codec = localCodec()
const record = (more: Partial<InRecord> = {}): InRecord => ({
  topic: 'alerts.inbound.v1',
  partition: 3,
  offset: 42n,
  timestamp: 1_700_000_000_000,
  key: 'k',
  value: Buffer.from('v'),
  headers: { event_type: 'x' },
  ...more
})
const poison = (more: Partial<InRecord> = {}, error = 'why'): Poison => ({ record: record(more), reason: 'decode', error, tenant_id: null })

function letterOf(one: Poison) {
  const [row] = deadLetters('incident', 'a-log', [one])
  if (row?.body !== 'record' || row.record !== 'DeadLetter') throw new Error('no letter')
  const bytes = codec.encode('DeadLetter', row.value)
  return { row, bytes, letter: codec.decode('DeadLetter', bytes) }
}

t.test('a dead letter holds the record as it was read', async (t) => {
  const { letter, row } = letterOf(poison())
  t.match(letter, {
    tenant_id: null,
    processor: 'incident',
    log: 'a-log',
    topic: 'alerts.inbound.v1',
    partition: 3,
    offset: 42,
    record_at: 1_700_000_000_000,
    key: Buffer.from('k'),
    value: Buffer.from('v'),
    value_bytes: 1,
    headers: { event_type: 'x' },
    reason: 'decode',
    error: 'why',
    at: 1_700_000_000_000
  })
  t.match(row, { topic: 'dlq.v1', key: 'alerts.inbound.v1', src: 'alerts.inbound.v1:3:42', event_id: letter.event_id })
  t.equal(letterOf(poison({ value: null })).letter.value, null)
})

t.test('a dead letter made again is identical, and another place, processor or log gives another id', async (t) => {
  t.same(letterOf(poison()).bytes, letterOf(poison()).bytes)
  const ids = [{}, { offset: 43n }, { partition: 4 }, { topic: 'dlq.v1' as const }].map((more) => letterOf(poison(more)).letter.event_id)
  const [other] = deadLetters('status', 'a-log', [poison()])
  const [later] = deadLetters('incident', 'a-new-log', [poison()])
  t.equal(new Set([...ids, other?.event_id, later?.event_id]).size, 6)
})

t.test('the index has a row for each log that had a fault at the same place', async (t) => {
  const { systemUrl } = await database(t)
  const pool = createPool(systemUrl, { application_name: 'test', max: 1 })
  t.teardown(() => pool.end())
  for (const log of ['a-log', 'a-new-log', 'a-log']) await writeDeadLetters(pool, 'incident', log, [poison({}, `why in ${log}`)])
  const { rows } = await pool.query('SELECT id, error FROM dead_letters ORDER BY error')
  const idIn = (log: string) => deadLetters('incident', log, [poison()])[0]?.event_id
  t.same(rows, [
    { id: idIn('a-log'), error: 'why in a-log' },
    { id: idIn('a-new-log'), error: 'why in a-new-log' }
  ])
})

t.test('a dead letter of a very large record fits its row', async (t) => {
  const headers = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`h${index}`, 'x'.repeat(2000)]))
  const { bytes, letter } = letterOf(
    poison({ value: Buffer.alloc(1_000_000, 'v'), key: 'k'.repeat(900_000), headers: { ...headers, small: 'kept' } }, 'e'.repeat(50_000))
  )
  t.ok(bytes.length < MAX_PAYLOAD_BYTES, `${bytes.length} bytes`)
  t.equal(letter.value_bytes, 1_000_000, 'the size before the cut')
  t.ok((letter.value?.length ?? 0) > 100_000)
  t.equal(letter.headers.h0, headers.h0)
  t.equal(letter.error.length, 2000)
})

t.test('a NUL in the error of a dead letter is replaced', async (t) => {
  t.equal(letterOf(poison({}, 'found a\0b in it')).letter.error, 'found a\ufffdb in it')
})
