/**
 * Tests the reference by which `npm run chaos -- escalate` judges: it must detect each way in which
 * an escalation can be wrong.
 */
import t from 'tap'
import { allowedBy } from '../chaos/escalate.ts'
import { expectedOf, type Happening, placeName, type ReferencePolicy } from '../chaos/scheduler.ts'

const S = 1000
const step = (delay_seconds: number, reachable: string[], more: { one_by_one?: boolean; severities?: string[] } = {}) => ({
  delay_seconds,
  reachable,
  one_by_one: more.one_by_one ?? false,
  severities: more.severities ?? []
})
const policy: ReferencePolicy = { repeat: 1, steps: [step(1, ['ann']), step(10, ['bob'])] }

/**
 * The expected places, by name, when each place was reached as soon as it was due, or at the time
 * in `at`.
 */
function walk(
  of: ReferencePolicy,
  happenings: Happening[],
  until: number,
  at: Record<string, number | undefined> = {},
  vers: Record<string, number> = {}
) {
  const reached = new Map<string, number>()
  // A place that is reached makes the next one known.
  for (let known = -1; known !== reached.size; ) {
    known = reached.size
    for (const { place, due } of expectedOf(of, 'critical', happenings, options(reached, until, vers))) {
      const name = placeName(place)
      const when = name in at ? at[name] : due
      if (when !== undefined) reached.set(name, when)
    }
  }
  return expectedOf(of, 'critical', happenings, options(reached, until, vers)).map(
    ({ place, due, must }) => [placeName(place), due / S, must] as const
  )
}
type Named = Parameters<typeof placeName>[0]
const options = (reached: ReadonlyMap<string, number>, until: number, vers: Record<string, number>) => ({
  reached: (place: Named) => reached.get(placeName(place)),
  verOf: (place: Named) => vers[placeName(place)] ?? null,
  until: until * S,
  allowed: (due: number) => due + 2 * S
})
const begins = (at: number, ver = 1): Happening => ({ what: 'begins', ver, at: at * S })
const ends = (at: number, ver: number): Happening => ({ what: 'ends', ver, at: at * S })

t.test('an undisturbed run goes through its whole policy', async (t) => {
  t.same(walk(policy, [begins(0)], 100), [
    ['run 1 cycle 0 step 0 part 0 fired', 1, true],
    ['run 1 cycle 0 step 1 part 0 fired', 11, true],
    ['run 1 cycle 1 step 0 part 0 fired', 12, true],
    ['run 1 cycle 1 step 1 part 0 fired', 22, true],
    ['run 1 cycle 2 step 0 part 0 exhausted', 23, true]
  ])
})

t.test('a late step delays the steps after it', async (t) => {
  const late = walk(policy, [begins(0)], 100, { 'run 1 cycle 0 step 0 part 0 fired': 5 * S })
  t.same(late[1], ['run 1 cycle 0 step 1 part 0 fired', 15, true])
})

t.test('the reference expects nothing after a missing step', async (t) => {
  const missing = walk(policy, [begins(0)], 100, { 'run 1 cycle 0 step 1 part 0 fired': undefined })
  t.same(missing.at(-1), ['run 1 cycle 0 step 1 part 0 fired', 11, true])
})

t.test('the end stops the run, and a step due shortly before it is optional', async (t) => {
  t.same(walk(policy, [begins(0), ends(10, 2)], 100).length, 1)
  t.same(walk(policy, [begins(0), ends(12, 2)], 100).at(-1), ['run 1 cycle 0 step 1 part 0 fired', 11, false])
})

t.test('an end dated before its commit cancels only steps committed after it', async (t) => {
  const [first, second] = ['run 1 cycle 0 step 0 part 0 fired', 'run 1 cycle 0 step 1 part 0 fired']
  t.same(walk(policy, [begins(0), ends(10, 4)], 100, {}, { [first]: 2, [second]: 3 }), [
    [first, 1, true],
    [second, 11, false]
  ])
  t.same(walk(policy, [begins(0), ends(10, 3)], 100, {}, { [first]: 2, [second]: 4 }), [[first, 1, true]])
})

t.test('a second run starts over under its own number', async (t) => {
  const two = walk(policy, [begins(0), ends(5, 2), begins(50, 3)], 60)
  t.same(two, [
    ['run 1 cycle 0 step 0 part 0 fired', 1, true],
    ['run 3 cycle 0 step 0 part 0 fired', 51, true]
  ])
})

t.test('a silence delays steps that are due in it, but not steps done before it', async (t) => {
  const silenced: Happening[] = [
    begins(0),
    { what: 'silenced', ver: 2, at: 5 * S, until: 3600 * S },
    { what: 'unsilenced', ver: 3, at: 40 * S }
  ]
  t.same(walk(policy, silenced, 60).slice(0, 2), [
    ['run 1 cycle 0 step 0 part 0 fired', 1, true],
    ['run 1 cycle 0 step 1 part 0 fired', 40, true]
  ])
  const over = walk(policy, [begins(0), { what: 'silenced', ver: 2, at: 5 * S, until: 20 * S }], 60)
  t.same(over[1], ['run 1 cycle 0 step 1 part 0 fired', 20, true], 'a silence ends by itself')
})

t.test('steps with several parts, without people and with conditions', async (t) => {
  const mixed: ReferencePolicy = {
    repeat: 0,
    steps: [step(1, ['ann', 'bob'], { one_by_one: true }), step(5, []), step(30, ['cleo'], { severities: ['info'] }), step(7, ['cleo'])]
  }
  t.same(walk(mixed, [begins(0)], 100), [
    ['run 1 cycle 0 step 0 part 0 fired', 1, true],
    ['run 1 cycle 0 step 0 part 1 fired', 2, true],
    ['run 1 cycle 0 step 1 part 0 empty', 7, true],
    ['run 1 cycle 0 step 2 part 0 skipped', 7, true],
    ['run 1 cycle 0 step 3 part 0 fired', 9, true],
    ['run 1 cycle 1 step 0 part 0 exhausted', 10, true]
  ])
})

t.test('consecutive faults extend the allowed time', async (t) => {
  const allowed = allowedBy(
    [
      { from: 10, to: 20 },
      { from: 21, to: 30 }
    ],
    3
  )
  t.same([1, 8, 25, 40].map(allowed), [4, 33, 33, 43])
})
