/**
 * Tests that the occurrences of random recurrence rules equal those of python-dateutil, in six
 * zones, around both clock changes of each.
 */
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { occurrences, type Recurring } from '../../../streams/maintenance/spans.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'
import { pythonWith } from '../../harness/python.ts'

const RUNS = 400
const ROUNDS = 6
const DAY = 86_400_000

/** Zones with a change forward and one back within the range, at different hours of the day. */
const zones = ['America/New_York', 'America/St_Johns', 'Asia/Beirut', 'Australia/Lord_Howe', 'Europe/Berlin', 'Pacific/Chatham']

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const some = <T>(values: readonly T[], max: number) => fc.subarray([...values], { minLength: 1, maxLength: max })
const days = some(WEEKDAYS, 4)
const nths = fc.array(fc.tuple(fc.constantFrom(1, 2, 3, 4, 5, -1, -2), fc.constantFrom(...WEEKDAYS)), { minLength: 1, maxLength: 3 })
const monthDays = fc.uniqueArray(fc.constantFrom(1, 2, 13, 15, 28, 29, 30, 31, -1, -2, -31), { minLength: 1, maxLength: 4 })
const months = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 })
const positions = fc.uniqueArray(fc.constantFrom(1, 2, 3, -1, -2), { minLength: 1, maxLength: 2 })
const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 })

/** Writes the given parts as a rule does; parts that are null are left out. */
const parts = (given: Record<string, unknown>): string =>
  Object.entries(given)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}=${[value].flat().join(',')}`]))
    .join(';')

const end = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 1, max: 40 }).map((COUNT) => ({ COUNT })),
  fc
    .integer({ min: 20_260_101, max: 20_271_231 })
    .filter((date) => date % 100 >= 1 && date % 100 <= 28 && Math.floor(date / 100) % 100 >= 1 && Math.floor(date / 100) % 100 <= 12)
    .map((UNTIL) => ({ UNTIL: `${UNTIL}T235959` }))
)

const rule = fc
  .record({
    FREQ: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    INTERVAL: fc.option(fc.integer({ min: 1, max: 5 })),
    days: option(days),
    nths: option(nths),
    monthDays: option(monthDays),
    months: option(months),
    positions: option(positions),
    WKST: fc.option(fc.constantFrom(...WEEKDAYS)),
    end
  })
  .map(({ FREQ, INTERVAL, end, WKST, ...by }) => {
    const long = FREQ === 'MONTHLY' || FREQ === 'YEARLY'
    const counted = long && by.days === null ? by.nths : null
    const BYDAY = by.days ?? counted?.map(([nth, day]) => `${nth}${day}`) ?? null
    // If a rule admits no date at all, the oracle searches until the year 9999. So there is always
    // a first and a last of a set, and a first day of a month that is named.
    const dated = FREQ === 'WEEKLY' || counted ? null : by.monthDays
    const BYMONTHDAY = dated && by.months ? [1, ...dated.filter((day) => day !== 1)] : dated
    const few = counted !== null || BYMONTHDAY !== null
    const wanted = few ? (by.positions?.map((one) => Math.sign(one)).slice(0, 1) ?? null) : by.positions
    const BYSETPOS = !long || (BYDAY === null && BYMONTHDAY === null && by.months === null) ? null : wanted
    return parts({ FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH: by.months, BYSETPOS, WKST, ...end })
  })

/** Often within the hours in which clocks change. */
const clock = fc
  .oneof(fc.integer({ min: 0, max: 240 }), fc.integer({ min: 0, max: 1439 }))
  .map((of) => `${String(Math.floor(of / 60)).padStart(2, '0')}:${String(of % 60).padStart(2, '0')}`)

const FIRST = Date.UTC(2026, 0, 1)
/** Asked of both; the oracle is asked for more. */
const LAST = Date.UTC(2028, 0, 5)
const given = fc.record({
  rrule: rule,
  zone: fc.constantFrom(...zones),
  first: fc.integer({ min: 0, max: 420 }).map((day) => new Date(FIRST + day * DAY).toISOString().slice(0, 10)),
  at: clock
})

/** The same schedule in the product's words, where UNTIL names the last day. */
const scheduleOf = ({ rrule, zone, first, at }: { rrule: string; zone: string; first: string; at: string }): Recurring => ({
  kind: 'recurring',
  rrule: rrule.replace(/UNTIL=(\d{8})T235959/, 'UNTIL=$1'),
  time_zone: zone,
  starts_on: first,
  at,
  duration_minutes: 60,
  until: null,
  exdates: []
})

t.test('random recurrence rules give the same times as python-dateutil', async (t) => {
  const python = await pythonWith(['python-dateutil==2.9.0.post0', 'six==1.17.0'])
  for (let round = 0; round < ROUNDS; round++) {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000) + round
    const cases = fc.sample(given, { numRuns: RUNS, seed }).map((one) => ({ ...one, to: '2028-01-31' }))
    const expected: number[][] = JSON.parse(
      await python.script(join(projectRoot, 'test/streams/maintenance/dateutil-oracle.py'), { CASES: JSON.stringify(cases) })
    )
    const wrong = cases.flatMap((one, at) => {
      const found = [...occurrences(scheduleOf(one), tzZones, Date.UTC(2025, 11, 1), LAST)].map(({ starts_at }) => starts_at)
      const wanted = (expected[at] ?? []).filter((instant) => instant < LAST)
      return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [{ one, wanted: wanted.slice(0, 5), found: found.slice(0, 5) }]
    })
    t.same(wrong.slice(0, 3), [], `seed ${seed}`)
    t.ok(expected.some((instants) => instants.length > 100) && expected.some((instants) => instants.length === 0), 'rules of many kinds')
  }
})
