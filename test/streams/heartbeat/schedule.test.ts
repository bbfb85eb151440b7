/**
 * Tests when a heartbeat is expected: by tables of schedules that people write, and against an
 * oracle that looks at every minute, around every clock change.
 */
import t from 'tap'
import { nextExpected, nextSlot, type Schedule, type ScheduleFault, validateSchedule } from '../../../streams/heartbeat/schedule.ts'
import { changes, meanings, slotsBetween } from './oracle.ts'

t.setTimeout(300_000)

const cron = (expression: string, time_zone: string): Schedule => ({ kind: 'cron', expression, time_zone })
const iso = (slots: readonly number[]): string[] => slots.map((slot) => new Date(slot).toISOString())

/** Slots from `from` until `to`, one by one as the fold computes them. */
function walked(schedule: Schedule, from: number, to: number): number[] {
  const slots: number[] = []
  for (let slot = nextSlot(schedule, from - 1); slot < to; slot = nextSlot(schedule, slot)) slots.push(slot)
  return slots
}

t.test('around clock changes each cron expression fires when the oracle says', async (t) => {
  let compared = 0
  for (const { zone, day, from, to } of changes) {
    for (const meaning of meanings) {
      const expected = slotsBetween(meaning, zone, from, to)
      compared += expected.length
      const found = walked(cron(meaning.expression, zone), from, to)
      if (found.join() !== expected.join()) t.same(iso(found), iso(expected), `${meaning.expression} in ${zone} around ${day}`)
    }
  }
  t.ok(compared > 35_000, `${compared} slots agree`)
})

t.test('over four months, days of the month and of the week fire as the oracle says', async (t) => {
  const from = Date.UTC(2026, 0, 1)
  const to = Date.UTC(2026, 4, 1)
  // All of these schedules fire at multiples of ten minutes.
  const days = meanings.filter(({ expression }) => /^(0|10|30|40|50) .*(L|#|SUN|mon)|@weekly/.test(expression))
  t.ok(days.length >= 9)
  for (const meaning of days) {
    t.same(
      iso(walked(cron(meaning.expression, 'Europe/Berlin'), from, to)),
      iso(slotsBetween(meaning, 'Europe/Berlin', from, to, 10)),
      meaning.expression
    )
  }
})

//  a case                                                  expression        zone                   after                   the next slots
const cases: [string, string, string, string, string[]][] = [
  [
    'a skipped time is expected at the end of the gap',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z']
  ],
  [
    'several skipped times once',
    '15,45 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:00:00.000Z', '2026-03-30T00:15:00.000Z']
  ],
  [
    'a skipped time and the end of the gap once',
    '30 2,3 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:00:00.000Z', '2026-03-29T01:30:00.000Z', '2026-03-30T00:30:00.000Z']
  ],
  [
    'a repeated time once, on its first pass',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']
  ],
  [
    'every hour through a repeat is elapsed time',
    '30 * * * *',
    'Europe/Berlin',
    '2026-10-24T23:45:00Z',
    ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z', '2026-10-25T02:30:00.000Z']
  ],
  [
    'a gap of half an hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-03T00:00:00Z',
    ['2026-10-03T15:30:00.000Z', '2026-10-04T15:15:00.000Z']
  ],
  [
    'a repeat of half an hour',
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-04T00:00:00Z',
    ['2026-04-04T14:45:00.000Z', '2026-04-05T15:15:00.000Z']
  ],
  ['strictly after, at a slot', '*/5 * * * *', 'UTC', '2026-01-01T00:05:00Z', ['2026-01-01T00:10:00.000Z']],
  ['strictly after, within a second', '*/5 * * * *', 'UTC', '2026-01-01T00:05:00.999Z', ['2026-01-01T00:10:00.000Z']],
  ['a millisecond before a slot', '*/5 * * * *', 'UTC', '2026-01-01T00:04:59.999Z', ['2026-01-01T00:05:00.000Z']],
  ['a leap day', '0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', ['2028-02-29T00:00:00.000Z', '2032-02-29T00:00:00.000Z']]
]
for (const [name, expression, zone, after, slots] of cases) {
  t.test(name, async (t) => {
    t.equal(validateSchedule(expression, zone), null)
    t.same(iso(nextExpected(cron(expression, zone), Date.parse(after), slots.length)), slots)
  })
}

t.test('a period is counted from the given instant', async (t) => {
  t.same(nextExpected({ kind: 'period', period_seconds: 90 }, 1000, 3), [91_000, 181_000, 271_000])
})

t.test('the next slot does not depend on earlier questions', async (t) => {
  const schedule = cron('*/10 * * * *', 'UTC')
  const at = Date.UTC(2026, 5, 1)
  const minutes = [25, 5, 29, 30, 0, 9, 10, 61, 3]
  t.same(
    minutes.map((minute) => (nextSlot(schedule, at + minute * 60_000) - at) / 60_000),
    [30, 10, 30, 40, 10, 10, 20, 70, 10]
  )
  for (let nth = 0; nth < 600; nth++) nextSlot(cron(`${nth % 60} ${Math.floor(nth / 60)} * * *`, 'UTC'), at)
  t.equal(nextSlot(schedule, at), at + 600_000, 'more expressions than the cache holds')
})

//  expression            zone               what is wrong
const wrong: [string, string, RegExp, ScheduleFault['part']?][] = [
  ['', 'UTC', /Five fields/],
  ['* * * *', 'UTC', /Five fields .* not 4/],
  ['0 * * * * *', 'UTC', /Five fields .* not 6/],
  ['2026-01-01T00:00:00', 'UTC', /Five fields/],
  ['@reboot', 'UTC', /Unknown name @reboot/],
  ['@every', 'UTC', /Unknown name/],
  ['60 * * * *', 'UTC', /minute/],
  ['* 24 * * *', 'UTC', /hour/],
  ['* * 0 * *', 'UTC', /day/],
  ['* * * 13 *', 'UTC', /month/],
  ['* * * * 8', 'UTC', /day/i],
  ['x * * * *', 'UTC', /the minute \(x\)/],
  ['0 0 * * FRI#6', 'UTC', /nth weekday/],
  ['0 0 * * +1', 'UTC', /\+/],
  ['*/0 * * * *', 'UTC', /step/],
  ['5-1 * * * *', 'UTC', /From value/],
  ['0 0 30 2 *', 'UTC', /never fires/],
  ['0 0 31 4,6,9,11 *', 'Europe/Berlin', /never fires/],
  ['0 0 * * *', 'Mars/Olympus', /Unknown time zone/, 'time_zone'],
  ['0 0 * * *', '', /Unknown time zone/, 'time_zone'],
  ['0 0 * * *', '+02:00', /Unknown time zone/, 'time_zone'],
  [`${'0,'.repeat(120)}0 * * * *`, 'UTC', /200 characters/]
]
t.test('an invalid schedule is refused with its reason', async (t) => {
  for (const [expression, zone, message, part = 'expression'] of wrong) {
    t.match(validateSchedule(expression, zone), { part, message }, `${expression.slice(0, 30)} in ${zone}`)
  }
})

t.test('valid schedules are accepted', async (t) => {
  for (const { expression } of meanings) t.equal(validateSchedule(expression, 'Australia/Lord_Howe'), null, expression)
  for (const expression of ['@DAILY', ' 5 4 * * * ', '0 22 * * 1-5', '0 0 1 jan *', '0 0 LW * *', '0 0 15W * *'])
    t.equal(validateSchedule(expression, 'America/Argentina/Buenos_Aires'), null, expression)
})
