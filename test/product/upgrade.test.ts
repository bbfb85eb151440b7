/**
 * Tests the comparisons of `npm run chaos -- upgrade`: each planted loss, repeat and change is
 * found.
 */
import t from 'tap'
import { changedFields, differences, fallenBack, movedOn, type Positions } from '../chaos/upgrade-facts.ts'

const before: Positions = new Map([
  ['status checks.results.v1 0', 100n],
  ['incident alerts.inbound.v1 3', 7n]
])

t.test('a position that goes back or vanishes is found, and an unchanged one is not', async (t) => {
  const now = (status: bigint): Positions => new Map([...before, ['status checks.results.v1 0', status]])
  t.same(fallenBack(before, now(100n)), [])
  t.same(fallenBack(before, now(101n)), [])
  t.same(fallenBack(before, now(99n)), ['status checks.results.v1 0 was 100 and is 99'])
  t.same(fallenBack(before, new Map([...now(101n)].slice(0, 1))), ['incident alerts.inbound.v1 3 was 7 and is missing'])
  t.notOk(movedOn(before, now(100n)), 'partitions with ticks move by themselves')
  t.ok(movedOn(before, now(101n)), 'those without need not')
})

t.test('a missing, new or repeated decision is found', async (t) => {
  t.same(differences(['a', 'b'], ['b', 'a']), [])
  t.same(differences(['a', 'b'], ['a']), ['gone: b'])
  t.same(differences(['a'], ['a', 'a', 'c']), ['new: a', 'new: c'])
})

t.test('a changed or missing field is found, and a new field is allowed', async (t) => {
  t.same(changedFields({ id: 1, at: null }, { id: 1, at: null, more: true }), [])
  t.same(changedFields({ id: 1, labels: { a: 'b' } }, { id: 1, labels: { a: 'c' } }), ['labels.a was "b" and is "c"'])
  t.same(changedFields({ 0: { actor: 'a' } }, { 0: { actor: 'a', actor_name: 'A' } }), [], 'nor is one inside another')
  t.same(changedFields({ of: [1] }, { of: [1, 2] }), ['of was [1] and is [1,2]'], 'but what a list has more is')
  t.same(changedFields({ of: { a: 1 } }, { of: null }), ['of was {"a":1} and is null'])
  t.same(changedFields({ id: 1 }, {}), ['id was 1 and is undefined'])
})
