/**
 * Tests, as tables, what layers, overrides and people who left make of a schedule;
 * reference.test.ts tests random schedules.
 */
import t from 'tap'
import { type Override, takeoversOf } from '../../../streams/on-call/timeline.ts'
import { definitionOf, layerOf, linesOf, overrideOf, planOf, shiftsOf } from './build.ts'

const week = definitionOf([layerOf()])
const pair = definitionOf([layerOf({ participants: [['anna', 'ben']] })])
const [from, to] = ['2026-03-02T08:00Z', '2026-03-03T08:00Z']
const [ten, eleven, noon] = ['2026-03-02T10:00Z', '2026-03-02T11:00Z', '2026-03-02T12:00Z']

t.test('a later layer wins, and time without a participant is a gap', async (t) => {
  const office = layerOf({ name: 'office', participants: ['emil'], restrictions: [{ days: [], from: '11:00', to: '12:00', to_day: null }] })
  t.same(linesOf(shiftsOf(planOf(definitionOf([layerOf(), office])), from, '2026-03-02T12:00Z')), [
    '2026-03-02T08:00 2026-03-02T10:00 anna',
    '2026-03-02T10:00 2026-03-02T11:00 emil',
    '2026-03-02T11:00 2026-03-02T12:00 anna'
  ])
  t.same(linesOf(shiftsOf(planOf(definitionOf([office], { fallback: { kind: 'none', id: null } })), from, eleven)), [
    '2026-03-02T08:00 2026-03-02T10:00 - gap',
    '2026-03-02T10:00 2026-03-02T11:00 emil'
  ])
})

t.test('the last created of overlapping overrides wins', async (t) => {
  const overrides = [overrideOf(0, ten, noon), overrideOf(1, eleven, noon, { user_id: 'emil' })]
  t.same(linesOf(shiftsOf(planOf(week, { overrides }), from, to)), [
    '2026-03-02T08:00 2026-03-02T10:00 anna',
    '2026-03-02T10:00 2026-03-02T11:00 dora override',
    '2026-03-02T11:00 2026-03-02T12:00 emil override',
    '2026-03-02T12:00 2026-03-03T08:00 anna'
  ])
})

t.test('an override by a person wins over one of the calendar that was created later', async (t) => {
  const emil = { user_id: 'emil', from_calendar: true }
  const cases: [string, Partial<Override>, Partial<Override>, string][] = [
    ['a person first', {}, emil, 'dora'],
    ['the calendar first', emil, {}, 'dora'],
    ['a person for a layer first', { layer: 'weekly' }, emil, 'dora'],
    ['two of the calendar', { from_calendar: true }, emil, 'emil']
  ]
  for (const [name, first, second, expected] of cases) {
    const overrides = [overrideOf(0, ten, eleven, first), overrideOf(1, ten, eleven, second)]
    t.same(
      shiftsOf(planOf(week, { overrides }), ten, eleven).map(({ user_ids }) => user_ids),
      [[expected]],
      name
    )
  }
})

t.test('an override replaces one of two people and only while that person is on call', async (t) => {
  const stands = overrideOf(0, ten, eleven, { replaces_user_id: 'ben' })
  const idle = overrideOf(1, ten, eleven, { replaces_user_id: 'chi', user_id: 'emil' })
  const [, middle] = linesOf(shiftsOf(planOf(pair, { overrides: [stands, idle] }), from, to))
  t.equal(middle, '2026-03-02T10:00 2026-03-02T11:00 anna+dora override')
})

t.test('an override does not replace the stand-in of another override, in either order', async (t) => {
  const nobody = { replaces_user_id: 'anna', user_id: null }
  const other = { replaces_user_id: 'ben', user_id: 'anna' }
  for (const [first, second] of [
    [nobody, other],
    [other, nobody]
  ]) {
    const overrides = [overrideOf(0, ten, eleven, first), overrideOf(1, ten, eleven, second)]
    const [, shift] = shiftsOf(planOf(pair, { overrides }), from, to)
    t.match(shift, { user_ids: ['anna'], origin: 'override', override_id: 'override 1' })
  }
})

t.test('somebody takes over the place that a person has', async (t) => {
  const at = Date.parse(ten)
  const taken = (definition: typeof pair, overrides: ReturnType<typeof overrideOf>[], user_id: string) =>
    takeoversOf(planOf(definition, { overrides }), user_id, at)
  const forAnna = overrideOf(0, ten, eleven, { replaces_user_id: 'anna', user_id: 'dora' })
  const forBoth = [forAnna, overrideOf(1, ten, eleven, { replaces_user_id: 'ben', user_id: 'dora' })]
  const whole = overrideOf(0, ten, eleven)
  const inLayer = { layer: 'weekly' }
  const own = (replaces_user_id: string | null, layer: string | null = null) => [{ replaces_user_id, layer }]
  t.same(taken(pair, [], 'ben'), own('ben'))
  t.same(taken(pair, [], 'dora'), [], 'not on call')
  t.same(taken(pair, [forAnna], 'ben'), own('ben'), 'beside a stand-in')
  t.same(taken(pair, [forAnna], 'dora'), own('anna'))
  t.same(taken(pair, [forAnna], 'anna'), [])
  t.same(taken(pair, forBoth, 'dora'), [...own('anna'), ...own('ben')], 'both places')
  t.same(taken(pair, [whole], 'dora'), own(null))
  t.same(taken(pair, [{ ...forAnna, ...inLayer }], 'dora'), own('anna', 'weekly'))
  t.same(taken(pair, [{ ...forAnna, ...inLayer }], 'ben'), own('ben', 'weekly'))
  t.same(taken(pair, [{ ...whole, ...inLayer }], 'dora'), own(null, 'weekly'))
})

t.test('a person who left is on call neither by a layer nor by an override', async (t) => {
  const overrides = [overrideOf(0, ten, eleven)]
  const present = (id: string): boolean => id !== 'dora' && id !== 'ben'
  t.same(linesOf(shiftsOf(planOf(pair, { overrides, present }), from, to)), ['2026-03-02T08:00 2026-03-03T08:00 anna'])
})
