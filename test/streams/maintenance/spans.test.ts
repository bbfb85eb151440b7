/**
 * Tests which recurrence rules are refused, which dates the accepted ones give, and when a
 * maintenance window begins and ends.
 */
import t from 'tap'
import { datesOf, parseRule } from '../../../streams/maintenance/rrule.ts'
import {
  nextOccurrences,
  nextTurn,
  occurrences,
  type Recurring,
  type Span,
  spansNow,
  spansOf,
  turnsBetween,
  without
} from '../../../streams/maintenance/spans.ts'
import { dayOf } from '../../../streams/on-call/dates.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (text: string): number => Date.parse(text)
const day = (date: string): number => dayOf(date) ?? Number.NaN
const iso = ({ starts_at, ends_at }: Span): string => `${new Date(starts_at).toISOString()} ${(ends_at - starts_at) / 60_000}`

const weekly = (over: Partial<Recurring> = {}): Recurring => ({
  kind: 'recurring',
  rrule: 'FREQ=WEEKLY;BYDAY=SU',
  time_zone: 'Europe/Berlin',
  starts_on: '2026-03-01',
  at: '02:30',
  duration_minutes: 60,
  until: null,
  exdates: [],
  ...over
})

t.test('invalid and unsupported recurrence rules', async (t) => {
  const rows: [string, RegExp][] = [
    ['', /parts as in/],
    ['weekly', /parts as in/],
    ['FREQ=HOURLY', /FREQ with one of DAILY/],
    ['BYDAY=MO', /FREQ with one of/],
    ['FREQ=DAILY;FREQ=DAILY', /FREQ twice/],
    ['FREQ=DAILY;BYHOUR=3', /BYHOUR, which windows do not know/],
    ['FREQ=DAILY;FAULT=3', /FAULT, which windows do not know/],
    ['FREQ=DAILY;INTERVAL=0', /INTERVAL of 1/],
    ['FREQ=DAILY;INTERVAL=1001', /INTERVAL of 1/],
    ['FREQ=DAILY;COUNT=0', /COUNT of 1/],
    ['FREQ=DAILY;COUNT=2;UNTIL=20270101', /both COUNT and UNTIL/],
    ['FREQ=DAILY;UNTIL=20270132', /UNTIL as in/],
    ['FREQ=DAILY;UNTIL=20270131T250000Z', /UNTIL as in/],
    ['FREQ=DAILY;UNTIL=20270131T120000', /UNTIL as in/],
    ['FREQ=WEEKLY;BYDAY=XX', /BYDAY as in/],
    ['FREQ=WEEKLY;BYDAY=2MO', /for MONTHLY and YEARLY/],
    ['FREQ=MONTHLY;BYDAY=0MO', /BYDAY as in/],
    ['FREQ=WEEKLY;BYMONTHDAY=3', /not for WEEKLY/],
    ['FREQ=MONTHLY;BYMONTHDAY=32', /BYMONTHDAY of/],
    ['FREQ=YEARLY;BYMONTH=13', /BYMONTH of/],
    ['FREQ=YEARLY;BYMONTH=-1', /BYMONTH of/],
    ['FREQ=MONTHLY;BYSETPOS=1', /without another BY/],
    ['FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1', /for MONTHLY and YEARLY/],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', /BYSETPOS of/],
    ['FREQ=WEEKLY;WKST=1', /WKST with a weekday/],
    [`FREQ=WEEKLY;BYDAY=${'MO,'.repeat(300)}MO`, /at most 500/]
  ]
  for (const [text, fault] of rows) t.match(parseRule(text), { fault }, text)
  t.match(parseRule('rrule:freq=weekly;byday=mo'), { frequency: 'WEEKLY', days: [{ weekday: 0, nth: null }] }, 'in any case')
})

t.test('dates of recurrence rules', async (t) => {
  const dates = (rrule: string, first: string, to: string): string[] => {
    const rule = parseRule(rrule)
    if ('fault' in rule) throw new Error(rule.fault)
    return [...datesOf(rule, day(first), day(first), day(to))].map((one) => new Date(one * DAY).toISOString().slice(5, 10))
  }
  t.same(dates('FREQ=MONTHLY;BYDAY=-1FR', '2026-01-01', '2026-04-01'), ['01-30', '02-27', '03-27'])
  t.same(dates('FREQ=MONTHLY', '2026-01-31', '2026-06-01'), ['01-31', '03-31', '05-31'], 'a month without the day is passed over')
  t.same(dates('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', '2026-01-01', '2026-03-01'), ['01-30', '02-27'], 'the last working day')
  t.same(dates('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2026-01-01', '2033-01-01'), ['02-29', '02-29'])
  t.same(dates('FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU', '1997-08-05', '1997-08-30'), ['08-05', '08-17', '08-19'])
  t.same(dates('FREQ=DAILY;COUNT=3', '2026-01-01', '2027-01-01'), ['01-01', '01-02', '01-03'])
  t.same(dates('FREQ=DAILY;UNTIL=20260102', '2026-01-01', '2027-01-01'), ['01-01', '01-02'])
  const counted = parseRule('FREQ=DAILY;COUNT=3')
  if ('fault' in counted) throw new Error(counted.fault)
  t.same([...datesOf(counted, day('2026-01-01'), day('2026-01-03'), day('2027-01-01'))], [day('2026-01-03')], 'those before count, too')
})

t.test('windows at a local time that a clock change skips or repeats', async (t) => {
  const found = (schedule: Recurring, from: string, to: string) => [...occurrences(schedule, tzZones, at(from), at(to))].map(iso)
  t.same(found(weekly(), '2026-03-20T00:00Z', '2026-04-06T00:00Z'), [
    '2026-03-22T01:30:00.000Z 60',
    '2026-03-29T01:00:00.000Z 60',
    '2026-04-05T00:30:00.000Z 60'
  ])
  t.same(found(weekly(), '2026-10-24T00:00Z', '2026-10-26T00:00Z'), ['2026-10-25T00:30:00.000Z 60'], 'the first of the two')
  t.same(found(weekly({ exdates: ['2026-03-22'] }), '2026-03-20T00:00Z', '2026-03-30T00:00Z'), ['2026-03-29T01:00:00.000Z 60'])
  t.same(found(weekly({ until: at('2026-03-22T01:29Z') }), '2026-03-10T00:00Z', '2026-05-01T00:00Z'), ['2026-03-15T01:30:00.000Z 60'])
  t.same(found(weekly({ rrule: 'FREQ=WEEKLY;UNTIL=20260322T013000Z' }), '2026-03-10T00:00Z', '2026-05-01T00:00Z'), [
    '2026-03-15T01:30:00.000Z 60',
    '2026-03-22T01:30:00.000Z 60'
  ])
  t.same(found(weekly(), '2026-03-22T02:00Z', '2026-03-22T02:01Z'), ['2026-03-22T01:30:00.000Z 60'], 'the one that runs')
})

t.test('overlapping spans are merged and holes are removed', async (t) => {
  const daily = weekly({ rrule: 'FREQ=DAILY', duration_minutes: 36 * 60 })
  t.same(spansOf(daily, tzZones, at('2026-05-01T12:00Z'), at('2026-05-04T00:00Z')).map(iso), ['2026-04-30T00:30:00.000Z 6480'])
  const span = { starts_at: 0, ends_at: 10 }
  t.same(without([span], [{ starts_at: 4, ends_at: 6 }]), [
    { starts_at: 0, ends_at: 4 },
    { starts_at: 6, ends_at: 10 }
  ])
  t.same(without([span], [{ starts_at: 4, ends_at: 20 }]), [{ starts_at: 0, ends_at: 4 }])
  t.same(without([span], [{ starts_at: -5, ends_at: 20 }]), [])
})

t.test('past spans stay as they were, and later spans follow the current schedule', async (t) => {
  const now = at('2026-05-10T01:00Z')
  const first = spansNow([], { schedule: weekly(), holes: [] }, tzZones, now)
  t.equal(first.goes_on, true)
  t.same(first.spans.map(iso).slice(0, 2), ['2026-05-10T01:00:00.000Z 30', '2026-05-17T00:30:00.000Z 60'], 'what passed before was none')
  t.ok(first.spans.every(({ starts_at }) => starts_at < now + 31 * DAY))

  const later = at('2026-05-17T01:00Z')
  const moved = spansNow(first.spans, { schedule: weekly({ at: '05:00' }), holes: [] }, tzZones, later)
  t.same(moved.spans.map(iso).slice(0, 3), ['2026-05-10T01:00:00.000Z 30', '2026-05-17T00:30:00.000Z 30', '2026-05-17T03:00:00.000Z 60'])
  t.same(spansNow(first.spans, { schedule: weekly(), holes: [] }, tzZones, later).spans.map(iso).slice(0, 2), [
    '2026-05-10T01:00:00.000Z 30',
    '2026-05-17T00:30:00.000Z 60'
  ])
  const over = spansNow(first.spans, { schedule: null, holes: [] }, tzZones, later)
  t.same([over.spans.map(iso), over.goes_on], [['2026-05-10T01:00:00.000Z 30', '2026-05-17T00:30:00.000Z 30'], false])
  const once = { kind: 'once', starts_at: now + 90 * DAY, ends_at: now + 91 * DAY } as const
  t.same(spansNow([], { schedule: once, holes: [] }, tzZones, now), {
    spans: [{ starts_at: once.starts_at, ends_at: once.ends_at }],
    goes_on: false
  })
  t.equal(spansNow([], { schedule: weekly({ rrule: 'FREQ=WEEKLY;COUNT=13' }), holes: [] }, tzZones, now).goes_on, false)
  const old = spansNow(first.spans, { schedule: weekly(), holes: [] }, tzZones, now + 500 * DAY).spans
  t.ok(
    old.every(({ ends_at }) => ends_at > now + 100 * DAY),
    'what is long over is forgotten'
  )
})

t.test('when a maintenance window begins, ends and settles', async (t) => {
  const spans = [{ starts_at: 1000, ends_at: 2000 }]
  const turns = { spans, goes_on: false }
  t.same(
    [0, 1000, 2000, 2500, 3000].map((now) => nextTurn(turns, 500, now)),
    [1000, 2000, 2500, null, null]
  )
  t.equal(nextTurn({ spans: [], goes_on: true }, 500, 0), DAY)
  t.same(turnsBetween(spans, 500, 0, 1000), { begins: true, ends: false, settles: false })
  t.same(turnsBetween(spans, 500, 1000, 2000), { begins: false, ends: true, settles: false })
  t.same(turnsBetween(spans, 500, 1000, 3000), { begins: false, ends: true, settles: true })
  t.same(turnsBetween(spans, 0, 2000, 3000), { begins: false, ends: false, settles: false })
})

t.test('the next occurrences of a schedule include the running one', async (t) => {
  const found = nextOccurrences(weekly(), tzZones, at('2026-05-10T01:00Z'), 3)
  t.same(found.map(iso), ['2026-05-10T00:30:00.000Z 60', '2026-05-17T00:30:00.000Z 60', '2026-05-24T00:30:00.000Z 60'])
  t.same(nextOccurrences(weekly({ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }), tzZones, at('2026-05-10T01:00Z'), 1), [])
})
