/**
 * A dead letter fits its row whatever the record holds, is the same when made again, and the
 * breaker tells bad data from a schema break.
 */
import t from 'tap'
import { MAX_PAYLOAD_BYTES } from '../../../services/store/outbox.ts'
import { createBreaker, deadLetters, type Poison } from '../../../streams/runtime/dead-letter.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'

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
  const [row] = deadLetters('incident', [one])
  if (row?.body !== 'record' || row.record !== 'DeadLetter') throw new Error('no letter')
  const bytes = codec.encode('DeadLetter', row.value)
  return { row, bytes, letter: codec.decode('DeadLetter', bytes) }
}

t.test('it holds the record as it was read', async (t) => {
  const { letter, row } = letterOf(poison())
  t.match(letter, {
    tenant_id: null,
    processor: 'incident',
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

t.test('made again, it is the same; of another place or processor, it has another id', async (t) => {
  t.same(letterOf(poison()).bytes, letterOf(poison()).bytes)
  const ids = [{}, { offset: 43n }, { partition: 4 }, { topic: 'dlq.v1' as const }].map((more) => letterOf(poison(more)).letter.event_id)
  const [other] = deadLetters('status', [poison()])
  t.equal(new Set([...ids, other?.event_id]).size, 5)
})

t.test('whatever the record holds, the letter fits its row', async (t) => {
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

t.test('an error that quotes the record is text that Postgres takes', async (t) => {
  t.equal(letterOf(poison({}, 'found a\0b in it')).letter.error, 'found a\ufffdb in it')
})

t.test('the breaker', async (t) => {
  //  a case                                           steps of [records, bad, ms later], and
  //                                                   whether the last one breaks
  const cases: [string, [number, number, number][], boolean][] = [
    ['no bad records', [[100_000, 0, 0]], false],
    ['fewer than 20 say nothing', [[19, 19, 0]], false],
    ['20 of 2,000 are exactly one per cent', [[2000, 20, 0]], false],
    ['20 of 1,999 are more', [[1999, 20, 0]], true],
    [
      'counts add up within a minute',
      [
        [500, 10, 0],
        [500, 10, 59_000]
      ],
      true
    ],
    [
      'and begin anew after it',
      [
        [500, 19, 0],
        [500, 19, 60_000]
      ],
      false
    ],
    [
      'good records count as much as bad ones',
      [
        [10, 10, 0],
        [5000, 0, 1000],
        [10, 10, 1000]
      ],
      false
    ]
  ]
  for (const [name, steps, broken] of cases) {
    const breaker = createBreaker()
    let now = 1_000_000
    const last = steps.map(([records, bad, later]) => {
      now += later
      return breaker(records, bad, now)
    })
    t.equal(last.at(-1), broken, name)
  }
})
