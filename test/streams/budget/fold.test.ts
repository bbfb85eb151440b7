/**
 * Tests the budget fold: its rules row by row, and properties that hold for any sequence of
 * counters.
 */
import fc from 'fast-check'
import t from 'tap'
import type { UsageCounter } from '../../../schemas/generated/events.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { toBudget } from '../../../streams/budget/outgoing.ts'
import { HOUR_MS, MAX_COUNTERS, observed, STREAK_MS } from '../../../streams/budget/rules.ts'
import { BOOT, config, counter, MINUTE, type Partition, partition, T0, TENANT } from './build.ts'

const sums = (at: Partition, now: number) => observed(at.row()?.counters ?? [], now)

t.test('which usage counts are added up', async (t) => {
  const cases: [name: string, values: UsageCounter[], accepted: number, refused: number][] = [
    ['one', [counter()], 10, 0],
    ['a repeat changes nothing', [counter(), counter()], 10, 0],
    ['cumulative: the larger stands', [counter(), counter({ accepted: 25, refused: 3, at: T0 + 20_000 })], 25, 3],
    ['an older one that comes late', [counter({ accepted: 25, at: T0 + 20_000 }), counter()], 25, 0],
    ['two instances add up', [counter(), counter({ instance: 'door-2' })], 20, 0],
    ['an instance that starts anew counts anew', [counter(), counter({ boot: uuidv5(BOOT, '2'), accepted: 4 })], 14, 0],
    ['windows add up', [counter(), counter({ window: T0 + MINUTE })], 20, 0],
    ['a window far ahead is that of a wrong clock', [counter(), counter({ window: T0 + 2 * HOUR_MS, at: T0 })], 10, 0]
  ]
  for (const [name, values, accepted, refused] of cases) {
    const at = partition()
    for (const value of values) at.fold([value])
    t.match(sums(at, T0 + 2 * MINUTE), { accepted_1h: accepted, refused_1h: refused }, name)
    const whole = partition()
    whole.fold(values)
    t.same(whole.row(), at.row(), `${name}: in one batch`)
  }
})

t.test('usage in the last minute and the last hour', async (t) => {
  const at = partition()
  for (let minute = 0; minute < 90; minute++) at.fold([counter({ window: T0 + minute * MINUTE, accepted: 100, refused: 1 })])
  const now = T0 + 89 * MINUTE + 30_000
  t.same(sums(at, now), { accepted_1m: 100, accepted_1h: 6000, refused_1m: 1, refused_1h: 60 })
  t.equal(at.row()?.counters.length, 60, 'older ones are forgotten')
  at.fold([counter({ window: T0, accepted: 5000, at: now })])
  t.equal(at.row()?.counters.length, 60, 'and stay so')
})

t.test('counters of a workspace are bounded', async (t) => {
  const at = partition()
  at.fold(Array.from({ length: MAX_COUNTERS + 100 }, (_, n) => counter({ instance: `door-${n}` })))
  t.equal(at.row()?.counters.length, MAX_COUNTERS)
})

t.test('a workspace is notified once per streak of refusals', async (t) => {
  const at = partition()
  for (let minute = 0; minute < 30; minute++) at.fold([counter({ window: T0 + minute * MINUTE, accepted: 1000, refused: 5 + minute })])
  t.equal(at.feed.length, 1, 'half an hour of it')
  t.match(at.feed[0], { tenant_id: TENANT, type: 'limit', severity: 'warning', at: T0 + 10_000, audience: 'managers' })
  t.match(at.feed[0]?.body, /More than 1000 alerts a minute/)
  const last = T0 + 29 * MINUTE + 10_000
  t.match(at.row()?.limited, { since: T0 + 10_000, last_at: last })
  at.fold([counter({ window: T0 + 29 * MINUTE, accepted: 1001, refused: 34, at: last + STREAK_MS + MINUTE })])
  t.equal(at.feed.length, 1, 'a count without another refusal says nothing')
  at.fold([counter({ window: last + STREAK_MS, refused: 1, at: last + STREAK_MS })])
  t.equal(at.feed.length, 1, 'ten minutes later it is the same')
  at.fold([counter({ window: last + 2 * STREAK_MS + 1, refused: 1, at: last + 2 * STREAK_MS + 1 })])
  t.equal(at.feed.length, 2, 'after ten minutes of peace it is another')
  t.not(at.feed[1]?.key, at.feed[0]?.key)
  at.fold([counter({ instance: 'door-2', window: T0 + 25 * MINUTE, refused: 9 })])
  t.equal(at.feed.length, 2, 'one of before that comes late is no news')
})

t.test('each new version of a raised ceiling makes one record', async (t) => {
  const at = partition()
  at.fold([config(), counter()])
  t.match(at.outgoing, [{ topic: 'tenant.budgets.v1', aggregate: `budget:${TENANT}`, ver: 1, body: 'current', src: 'ingest.usage.v1:0:0' }])
  const row = at.row()
  t.match(row && toBudget(row), { tenant_id: TENANT, ver: 1, ceiling: 5000, config_versions: { budget: 1 }, cause: 'ingest.usage.v1:0:0' })
  at.fold([config()])
  t.equal(at.outgoing.length, 1, 're-emitted daily: no news')
  at.fold([config({ version: 3, ceiling: 0 }), config({ version: 2, ceiling: 9000 })])
  t.equal(at.outgoing.length, 2, 'an older version is passed over')
  t.match(at.row()?.raised, { version: 3, ceiling: 0 })
  t.equal(at.row()?.counters.length, 1, 'usage is what it was')
  at.fold([config({ version: 4, deleted: true })])
  t.equal(at.row(), null, 'the workspace is gone, and its counters with it')
  t.match(at.outgoing[2], { ver: 4, body: 'current' })
  const plain = partition()
  plain.fold([counter()])
  t.same(plain.outgoing, [], 'who has no ceiling of its own has no record')
  const known = plain.row()
  t.equal(known && toBudget(known), null)
})

t.test('a counter without a valid workspace and a negative ceiling are refused', async (t) => {
  const at = partition()
  at.fold([counter({ tenant_id: 'nobody' }), config({ ceiling: -1 })])
  t.match(at.refused, [/not a UUID/, /below 0/])
})

t.test('a workspace that is quiet for an hour is forgotten, unless it has its own ceiling', async (t) => {
  const other = uuidv5(TENANT, 'other')
  const at = partition()
  at.fold([counter()])
  at.fold([counter({ tenant_id: other, window: T0 + 2 * HOUR_MS })])
  t.same(at.keys().sort(), [other, 'partition:0'].sort())
  at.fold([config({ at: T0 + 2 * HOUR_MS })])
  at.fold([counter({ tenant_id: other, window: T0 + 9 * HOUR_MS })])
  t.ok(at.keys().includes(TENANT), 'but none with a ceiling of its own')
})

/** Any counters of one hour: instances that restart, several windows, counts in any order. */
const traffic = fc.array(
  fc.record({
    instance: fc.constantFrom('a', 'b'),
    boot: fc.constantFrom(uuidv5(BOOT, '1'), uuidv5(BOOT, '2')),
    window: fc.integer({ min: 0, max: 50 }).map((minute) => T0 + minute * MINUTE),
    accepted: fc.integer({ min: 0, max: 3000 }),
    refused: fc.integer({ min: 0, max: 30 })
  }),
  { maxLength: 40 }
)

/** Folds the values in batches of `size`. All of them are received at the end of the hour. */
function folded(values: readonly UsageCounter[], size: number): Partition {
  const at = partition()
  for (let from = 0; from < values.length; from += size) at.fold(values.slice(from, from + size), T0 + HOUR_MS)
  return at
}

t.test('batches, repeats and order do not change the counts', async (t) => {
  fc.assert(
    fc.property(traffic, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 100 }), (steps, size, seed) => {
      const values = steps.map((step) => counter(step))
      const plain = folded(values, 1)
      if (folded(values, size).text() !== plain.text()) throw new Error('batches make another state')
      const repeated = folded([...values, ...values], 7)
      if (repeated.text() !== plain.text()) throw new Error('repeats count')
      if (repeated.feed.length !== plain.feed.length) throw new Error('repeats are told')
      const order = (value: UsageCounter): number => (value.window / MINUTE + value.accepted * 17 + seed) % 101
      const shuffled = [...values].sort((a, b) => order(a) - order(b))
      if (JSON.stringify(folded(shuffled, 3).row()?.counters) !== JSON.stringify(plain.row()?.counters)) throw new Error('the order counts')
      // The sums add up the largest count of each window of each process.
      const largest = new Map<string, number>()
      for (const { instance, boot, window, accepted } of values) {
        const key = `${instance}|${boot}|${window}`
        largest.set(key, Math.max(accepted, largest.get(key) ?? 0))
      }
      const expected = [...largest.values()].reduce((sum, accepted) => sum + accepted, 0)
      const found = sums(plain, T0 + 51 * MINUTE).accepted_1h
      if (found !== expected) throw new Error(`${found} alerts instead of ${expected}`)
    }),
    { numRuns: 300 }
  )
  t.pass('held')
})
