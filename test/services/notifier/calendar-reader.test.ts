/**
 * Tests of the process that reads external calendars: what it answers, and what becomes of a
 * calendar that takes too much.
 */
import t from 'tap'
import type { CalendarTask } from '../../../services/notifier/calendar-frames.ts'
import { CostlyCalendar, createCalendarProcess } from '../../../services/notifier/calendar-reader.ts'
import { type CalendarTurn, UnreadableCalendar } from '../../../streams/on-call/calendar-events.ts'

t.setTimeout(300_000)

const at = (text: string): number => Date.parse(text)
const event = (...lines: string[]): string[] => ['BEGIN:VEVENT', 'UID:one', 'SUMMARY:Anna Berg', ...lines, 'END:VEVENT']
const task = (...lines: string[]): CalendarTask => ({
  text: ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n'),
  members: [{ user_id: 'anna', name: 'Anna Berg', email: 'anna@example.test' }],
  time_zone: 'Europe/Berlin',
  from: at('2026-03-20T00:00:00Z'),
  to: at('2026-05-01T00:00:00Z'),
  most: 100
})
const good = task(...event('DTSTART:20260401T080000', 'DURATION:PT8H'))
const turn: CalendarTurn = {
  user_id: 'anna',
  starts_at: at('2026-04-01T06:00:00Z'),
  ends_at: at('2026-04-01T14:00:00Z'),
  title: 'Anna Berg'
}

const zone = ['BEGIN:VTIMEZONE', 'TZID:Nowhere', 'BEGIN:STANDARD', 'DTSTART:20200101T000000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0100']
const never = 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'
const hanging: [string, CalendarTask][] = [
  ['a rule that no day fulfils', task(...event('DTSTART:20260101T000000Z', 'DURATION:PT8H', `RRULE:${never}`))],
  ['such a rule with an end', task(...event('DTSTART:20260101T000000Z', 'DURATION:PT8H', `RRULE:${never};UNTIL=20270101T000000Z`))],
  ['such a rule by the hour', task(...event('DTSTART:20260101T000000Z', 'DURATION:PT1H', `RRULE:${never.replace('DAILY', 'HOURLY')}`))],
  [
    'such a rule in a zone of the file',
    task(...[...zone, `RRULE:${never}`, 'END:STANDARD', 'END:VTIMEZONE'], ...event('DTSTART;TZID=Nowhere:20260401T080000', 'DURATION:PT8H'))
  ]
]

t.test('a calendar that takes too long is given up, and the next one is read', async (t) => {
  const warned: unknown[] = []
  const process = createCalendarProcess({ warn: (fields: unknown) => warned.push(fields) } as never, { processorMs: 500, clockMs: 120_000 })
  t.teardown(() => process.end())
  for (const [name, hostile] of hanging) {
    const [first, second] = await Promise.allSettled([process.read(hostile), process.read(good)])
    t.ok(first.status === 'rejected' && first.reason instanceof CostlyCalendar, name)
    t.ok(first.status === 'rejected' && first.reason instanceof UnreadableCalendar, 'people are told')
    t.match(first, { reason: { message: /^It takes too long to read/ } }, name)
    t.same(second, { status: 'fulfilled', value: { turns: [turn], unmatched: [] } }, `${name}: the next one`)
  }
  t.same(warned, [])
})

t.test('a calendar that is none is refused by the same process', async (t) => {
  const process = createCalendarProcess({ warn: () => undefined } as never, { processorMs: 3000, clockMs: 120_000 })
  t.teardown(() => process.end())
  await t.rejects(process.read({ ...good, text: '<html>' }), { name: 'UnreadableCalendar', message: 'It is no iCalendar file' })
  t.same((await process.read(good)).turns, [turn])
  process.end()
  t.same((await process.read(good)).turns, [turn], 'after its end it starts again')
})

t.test('a large calendar of honest events is read', async (t) => {
  const process = createCalendarProcess({ warn: () => undefined } as never, { processorMs: 20_000, clockMs: 120_000 })
  t.teardown(() => process.end())
  const past = event('DTSTART:20200401T080000Z', 'DURATION:PT8H', 'RRULE:FREQ=WEEKLY;COUNT=4', 'ATTENDEE;CN=Anna:mailto:anna@example.test')
  const most = Math.floor(1_000_000 / past.join('\r\n').length)
  const { turns } = await process.read(
    task(...Array<string[]>(most).fill(past).flat(), ...event('DTSTART:20260401T080000', 'DURATION:PT8H'))
  )
  t.same(turns, [turn])
})
