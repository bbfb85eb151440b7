/**
 * Tests that a redriven record is recognized by its first header, in the form that it has in a
 * record batch.
 */
import t from 'tap'
import { isRedriven, isRedrivenAt, readRedriven, redriveHeaders } from '../../../streams/runtime/redriven.ts'

const letter = {
  processor: 'incident',
  letter_id: '6f0c2f0e-6f6a-5a57-9d5e-2f6c0d3f1c11',
  log: 'a log',
  topic: 'alerts.inbound.v1',
  partition: 3,
  offset: 2n ** 53n,
  at: 1_700_000_000_000
}

/** Zigzag varint of a number that is not negative. */
const varint = (value: number): number[] => {
  const bytes: number[] = []
  let left = value * 2
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  return [...bytes, left]
}
const written = (headers: readonly (readonly [string, string])[]): Buffer =>
  Buffer.from([
    0xff, // What stands before them.
    ...varint(headers.length),
    ...headers.flatMap((header) => header.flatMap((text) => [...varint(text.length), ...Buffer.from(text)]))
  ])

t.test('a redriven record is recognized by the bytes of its first header', async (t) => {
  const own = Object.entries(redriveHeaders(letter))
  const many = Array.from({ length: 100 }, (_, index) => [`h${index}`, 'x'] as const)
  const cases: [string, readonly (readonly [string, string])[], boolean][] = [
    ['no headers', [], false],
    ['others', [['event_type', 'tick']], false],
    ['its own', own, true],
    ['its own before many', [...own, ...many], true],
    ['many others', many, false],
    ['a longer name', [['redrive_processors', 'x']], false],
    ['a shorter name', [['redrive_processo', 'x']], false]
  ]
  for (const [name, headers, expected] of cases) t.equal(isRedrivenAt(written(headers), 1), expected, name)
})

t.test('redrive headers are read back as written, and wrong values are named', async (t) => {
  const headers = redriveHeaders(letter)
  t.ok(isRedriven(headers))
  t.notOk(isRedriven({ event_type: 'tick' }))
  t.same(readRedriven(headers), letter)
  for (const name of ['redrive_partition', 'redrive_offset', 'redrive_at', 'redrive_letter'])
    t.match(readRedriven({ ...headers, [name]: 'x' }), { fault: new RegExp(`^header ${name}: expected`) })
})
