/**
 * Tests overrides that come from a calendar: whom its events name, when they apply, and what is
 * refused.
 */
import t from 'tap'
import { type CalendarQuestion, readCalendar, UnreadableCalendar } from '../../../streams/on-call/calendar-events.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'

const members = [
  { user_id: 'anna', name: 'Anna Berg', email: 'anna@example.test' },
  { user_id: 'ben', name: 'Ben Ito', email: 'ben@example.test' },
  { user_id: 'twin-1', name: 'Kim Lee', email: 'kim.one@example.test' },
  { user_id: 'twin-2', name: 'Kim Lee', email: 'kim.two@example.test' }
]
const at = (text: string): number => Date.parse(text)
const question = (over: Partial<CalendarQuestion> = {}): CalendarQuestion => ({
  ...{ members, time_zone: 'Europe/Berlin', zones: tzZones, from: at('2026-03-20T00:00:00Z'), to: at('2026-05-01T00:00:00Z'), most: 100 },
  ...over
})
const event = (...lines: string[]): string => ['BEGIN:VEVENT', 'UID:one@example.test', ...lines, 'END:VEVENT'].join('\r\n')
const calendar = (...parts: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...parts, 'END:VCALENDAR', ''].join('\r\n')
const HOURS = ['DTSTART:20260401T080000Z', 'DTEND:20260401T160000Z']
const read = (text: string, over: Partial<CalendarQuestion> = {}) => {
  const { turns, unmatched } = readCalendar(text, question(over))
  return {
    turns: turns.map(({ user_id, starts_at, ends_at }) => [user_id, new Date(starts_at).toISOString(), new Date(ends_at).toISOString()]),
    unmatched
  }
}

t.test('the person that a calendar event names', (t) => {
  const people: [string, string[], string | null][] = [
    ['an address in the title', ['SUMMARY:On call: ANNA@example.test (phone)'], 'anna'],
    ['the name', ['SUMMARY:ben ito'], 'ben'],
    ['the name after a colon', ['SUMMARY:On call: Ben Ito'], 'ben'],
    [
      'the first guest who is a member',
      ['SUMMARY:Primary', 'ATTENDEE:mailto:x@other.test', 'ATTENDEE;CN=Ben:MAILTO:Ben@Example.test'],
      'ben'
    ],
    [
      'no guest who declined',
      ['SUMMARY:Primary', 'ATTENDEE;PARTSTAT=DECLINED:mailto:ben@example.test', 'ATTENDEE:mailto:anna@example.test'],
      'anna'
    ],
    ['the title before the guests', ['SUMMARY:Anna Berg', 'ATTENDEE:mailto:ben@example.test'], 'anna'],
    ['nobody by a name that two have', ['SUMMARY:Kim Lee'], null],
    ['one of two by the address', ['SUMMARY:Kim Lee kim.two@example.test'], 'twin-2'],
    ['nobody by a part of a name', ['SUMMARY:Anna'], null],
    ['nobody without a title', [], null]
  ]
  for (const [what, lines, expected] of people) {
    const { turns, unmatched } = read(calendar(event(...HOURS, ...lines)))
    t.same(
      turns.map(([user_id]) => user_id),
      expected === null ? [] : [expected],
      what
    )
    t.equal(unmatched.length, expected === null ? 1 : 0, what)
  }
  t.end()
})

t.test('start and end times of calendar events', (t) => {
  const vtimezone = [
    'BEGIN:VTIMEZONE',
    'TZID:Office',
    'BEGIN:STANDARD',
    'DTSTART:20200101T000000',
    'TZOFFSETFROM:+0300',
    'TZOFFSETTO:+0300',
    'END:STANDARD',
    'END:VTIMEZONE'
  ].join('\r\n')
  const times: [string, string[], [string, string] | null][] = [
    ['in UTC', ['DTSTART:20260401T080000Z', 'DTEND:20260401T160000Z'], ['2026-04-01T08:00', '2026-04-01T16:00']],
    [
      'in a zone of the tz database',
      ['DTSTART;TZID=America/New_York:20260401T080000', 'DTEND;TZID=America/New_York:20260401T160000'],
      ['2026-04-01T12:00', '2026-04-01T20:00']
    ],
    [
      'in a zone that the file describes',
      ['DTSTART;TZID=Office:20260401T080000', 'DURATION:PT2H'],
      ['2026-04-01T05:00', '2026-04-01T07:00']
    ],
    [
      'without a zone: on the clocks of the schedule',
      ['DTSTART:20260401T080000', 'DTEND:20260401T160000'],
      ['2026-04-01T06:00', '2026-04-01T14:00']
    ],
    [
      'a day, with 23 hours when clocks change',
      ['DTSTART;VALUE=DATE:20260329', 'DTEND;VALUE=DATE:20260330'],
      ['2026-03-28T23:00', '2026-03-29T22:00']
    ],
    [
      'a local time that there is not: the first after it',
      ['DTSTART;TZID=Europe/Berlin:20260329T023000', 'DTEND;TZID=Europe/Berlin:20260329T100000'],
      ['2026-03-29T01:00', '2026-03-29T08:00']
    ],
    ['over before the span', ['DTSTART:20260301T080000Z', 'DTEND:20260301T160000Z'], null],
    ['after the span', ['DTSTART:20260601T080000Z', 'DTEND:20260601T160000Z'], null],
    ['of no length', ['DTSTART:20260401T080000Z', 'DTEND:20260401T080000Z'], null],
    ['cancelled', ['DTSTART:20260401T080000Z', 'DTEND:20260401T160000Z', 'STATUS:CANCELLED'], null]
  ]
  for (const [what, lines, expected] of times) {
    const { turns } = read(calendar(vtimezone, event('SUMMARY:Anna Berg', ...lines)))
    t.same(turns, expected === null ? [] : [['anna', ...expected.map((text) => `${text}:00.000Z`)]], what)
  }
  t.end()
})

t.test('recurring events follow exceptions and clock changes, and too many are refused', (t) => {
  const weekly = [
    'SUMMARY:Anna Berg',
    'DTSTART;TZID=Europe/Berlin:20260316T090000',
    'DURATION:PT8H',
    'RRULE:FREQ=WEEKLY',
    'EXDATE;TZID=Europe/Berlin:20260406T090000'
  ]
  const moved = event(
    'RECURRENCE-ID;TZID=Europe/Berlin:20260413T090000',
    'SUMMARY:Ben Ito',
    'DTSTART;TZID=Europe/Berlin:20260414T090000',
    'DURATION:PT8H'
  )
  const { turns } = read(calendar(event(...weekly), moved), { to: at('2026-04-21T00:00:00Z') })
  t.same(
    turns.map(([user_id, from]) => [user_id, from]),
    [
      ['anna', '2026-03-23T08:00:00.000Z'],
      ['anna', '2026-03-30T07:00:00.000Z'],
      ['ben', '2026-04-14T07:00:00.000Z'],
      ['anna', '2026-04-20T07:00:00.000Z']
    ],
    'its hour stays when clocks change; one is left out, one is moved and another person'
  )
  const daily = event('SUMMARY:Anna Berg', 'DTSTART:20260301T080000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY')
  t.throws(() => read(calendar(daily), { most: 5 }), UnreadableCalendar, 'more than may be')
  const endless = event('SUMMARY:Anna Berg', 'DTSTART:19700101T080000Z', 'DURATION:PT1S', 'RRULE:FREQ=HOURLY')
  t.throws(() => read(calendar(endless)), { name: 'UnreadableCalendar', message: /repeats more often than is read/ })
  const old = event('SUMMARY:Anna Berg', 'DTSTART:20000101T080000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20260320T000000Z')
  t.same(read(calendar(...Array<string>(3).fill(old))).turns, [], 'some old series are read')
  const many = calendar(...Array<string>(200).fill(old))
  t.throws(() => read(many), { name: 'UnreadableCalendar', message: /^Its events repeat more often than is read/ }, 'not any number')
  t.end()
})

t.test('an occurrence of a series counts alone, and only for its own series', (t) => {
  const of = (uid: string, ...lines: string[]): string => event(...lines).replace('UID:one', `UID:${uid}`)
  const series = ['DTSTART:20260401T080000Z', 'DURATION:PT8H', 'RRULE:FREQ=WEEKLY;COUNT=2']
  const moved = ['SUMMARY:Ben Ito', 'RECURRENCE-ID:20260408T080000Z', 'DTSTART:20260409T080000Z', 'DURATION:PT1H']
  const ben = ['ben', '2026-04-09T08:00:00.000Z', '2026-04-09T09:00:00.000Z']
  const anna = [1, 8].map((day) => ['anna', `2026-04-0${day}T08:00:00.000Z`, `2026-04-0${day}T16:00:00.000Z`])
  t.same(read(calendar(event(...moved))).turns, [ben], 'without its series')
  t.same(read(calendar(event('STATUS:CANCELLED', ...moved))).turns, [], 'a cancelled one does not count')
  const two = [of('one', 'SUMMARY:Anna Berg', ...series), of('two', 'SUMMARY:kim.two@example.test', ...series), of('two', ...moved)]
  const kim = ['twin-2', '2026-04-01T08:00:00.000Z', '2026-04-01T16:00:00.000Z']
  t.same(read(calendar(...two)).turns, [anna[0], kim, anna[1], ben], 'beside another series with the same times')
  t.same(read(calendar(...two.slice(0, 1), ...two.slice(2))).turns, [...anna, ben], 'also if its own series is missing')
  t.end()
})

t.test('a recurring event ends at its hour when clocks change in its first occurrence', (t) => {
  const berlin = [
    'BEGIN:VTIMEZONE',
    'TZID:Europe/Berlin',
    'BEGIN:DAYLIGHT',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'DTSTART:19700329T020000',
    'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
    'END:DAYLIGHT',
    'BEGIN:STANDARD',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0100',
    'DTSTART:19701025T030000',
    'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
    'END:STANDARD',
    'END:VTIMEZONE'
  ].join('\r\n')
  const zoned = (name: string, time: string): string => `${name};TZID=Europe/Berlin:${time}`
  const weeks = (...more: string[]): string =>
    event('SUMMARY:Anna Berg', zoned('DTSTART', '20260323T090000'), ...more, 'RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3')
  const first = ['anna', '2026-03-23T08:00:00.000Z', '2026-03-30T07:00:00.000Z']
  const second = ['anna', '2026-04-06T07:00:00.000Z', '2026-04-13T07:00:00.000Z']
  const third = ['anna', '2026-04-20T07:00:00.000Z', '2026-04-27T07:00:00.000Z']
  const dtend = zoned('DTEND', '20260330T090000')
  t.same(read(calendar(berlin, weeks(dtend))).turns, [first, second, third], 'with an end')
  t.same(read(calendar(weeks(dtend))).turns, [first, second, third], 'in a zone that the file does not describe')
  t.same(read(calendar(berlin, weeks('DURATION:P7D'))).turns, [first, second, third], 'with a length')
  const moved = event(
    zoned('RECURRENCE-ID', '20260406T090000'),
    'SUMMARY:Anna Berg',
    zoned('DTSTART', '20260406T100000'),
    zoned('DTEND', '20260406T120000')
  )
  const short = ['anna', '2026-04-06T08:00:00.000Z', '2026-04-06T10:00:00.000Z']
  t.same(read(calendar(berlin, weeks(dtend), moved)).turns, [first, short, third], 'a moved occurrence has its own end')
  const abroad = read(calendar(berlin, weeks('DTEND:20260330T070000Z'))).turns
  t.same(abroad[0]?.[1], first[1], 'an end in another zone')
  t.end()
})

t.test('a text that is no iCalendar file is refused', (t) => {
  for (const text of ['', '<html></html>', 'BEGIN:VCALENDAR', 'BEGIN:VCARD\r\nEND:VCARD\r\n', '{"a": 1}'])
    t.throws(() => read(text), { name: 'UnreadableCalendar', message: 'It is no iCalendar file' }, JSON.stringify(text))
  t.same(read(calendar()), { turns: [], unmatched: [] }, 'an empty one asks for nothing')
  t.end()
})

t.test('extra dates of an event are added to its start, and may have their own ends', (t) => {
  const zoned = (text: string): string => `;TZID=Europe/Berlin:${text}`
  const first = ['SUMMARY:Ben Ito', 'DTSTART:20260325T090000Z', 'DTEND:20260325T170000Z']
  const cases: [string, string[], string[]][] = [
    ['a date', [...first, 'RDATE:20260327T090000Z'], ['25T09 25T17', '27T09 27T17']],
    ['dates in one line', [...first, 'RDATE:20260329T090000Z,20260327T090000Z'], ['25T09 25T17', '27T09 27T17', '29T09 29T17']],
    ['an earlier date', [...first, 'RDATE:20260323T090000Z'], ['23T09 23T17', '25T09 25T17']],
    ['the start again', [...first, 'RDATE:20260325T090000Z,20260327T090000Z'], ['25T09 25T17', '27T09 27T17']],
    ['a start that is left out', [...first, 'RDATE:20260327T090000Z', 'EXDATE:20260325T090000Z'], ['27T09 27T17']],
    ['a rule', [...first, 'RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20260329T090000Z'], ['25T09 25T17', '26T09 26T17', '29T09 29T17']],
    ['a period', [...first, 'RDATE;VALUE=PERIOD:20260327T090000Z/20260327T120000Z'], ['25T09 25T17', '27T09 27T12']],
    ['a period with a duration', [...first, 'RDATE;VALUE=PERIOD:20260327T090000Z/PT2H'], ['25T09 25T17', '27T09 27T11']],
    [
      'a period in a zone',
      [
        ...['SUMMARY:Ben Ito', `DTSTART${zoned('20260325T100000')}`, `DTEND${zoned('20260325T180000')}`],
        `RDATE;VALUE=PERIOD${zoned('20260327T100000/20260327T130000')}`
      ],
      ['25T09 25T17', '27T09 27T12']
    ],
    ['days', ['SUMMARY:Ben Ito', 'DTSTART;VALUE=DATE:20260325', 'RDATE;VALUE=DATE:20260327'], ['24T23 25T23', '26T23 27T23']]
  ]
  for (const [what, lines, expected] of cases) {
    const { turns } = read(calendar(event(...lines)))
    t.same(
      turns.map(([, from, to]) => [from, to].map((text) => text?.slice(8, 13)).join(' ')),
      expected,
      what
    )
  }
  t.end()
})

t.test('a calendar may begin with a byte order mark', (t) => {
  t.equal(read(`\uFEFF${calendar(event(...HOURS, 'SUMMARY:Ben Ito'))}`).turns.length, 1)
  t.end()
})

t.test('dates in UTC match those of a zone that the file does not define', (t) => {
  const series = [
    'SUMMARY:Ben Ito',
    'DTSTART;TZID=Europe/Berlin:20260325T003000',
    'DTEND;TZID=Europe/Berlin:20260325T080000',
    'RRULE:FREQ=DAILY;COUNT=3'
  ]
  const exception = (...lines: string[]): string =>
    event(
      'RECURRENCE-ID:20260325T233000Z',
      'DTSTART;TZID=Europe/Berlin:20260326T103000',
      'DTEND;TZID=Europe/Berlin:20260326T120000',
      ...lines
    )
  const cases: [string, string, string[]][] = [
    ['all', event(...series), ['ben 24T23', 'ben 25T23', 'ben 26T23']],
    ['one is left out', event(...series, 'EXDATE:20260325T233000Z'), ['ben 24T23', 'ben 26T23']],
    ['one is moved', `${event(...series)}\r\n${exception('SUMMARY:Anna Berg')}`, ['ben 24T23', 'anna 26T09', 'ben 26T23']],
    ['one is cancelled', `${event(...series)}\r\n${exception('SUMMARY:Ben Ito', 'STATUS:CANCELLED')}`, ['ben 24T23', 'ben 26T23']],
    [
      'the last one',
      event(...series.map((line) => line.replace('COUNT=3', 'UNTIL=20260326T233000Z'))),
      ['ben 24T23', 'ben 25T23', 'ben 26T23']
    ]
  ]
  for (const [what, events, expected] of cases)
    t.same(
      read(calendar(events)).turns.map(([who, from]) => `${who} ${from?.slice(8, 13)}`),
      expected,
      what
    )
  t.end()
})

t.test('dates without a zone are in the zone of the start, also where the file does not define it', (t) => {
  const series = (zone: string, time: string, ...lines: string[]): string =>
    event('SUMMARY:Ben Ito', `DTSTART;TZID=${zone}:20260325T${time}00`, 'DURATION:PT4H', ...lines)
  const [west, east] = ['America/Los_Angeles', 'Asia/Tokyo']
  const cases: [string, string, string[]][] = [
    ['an end that is the last start', series(west, '0900', 'RRULE:FREQ=DAILY;UNTIL=20260327T090000'), ['25T16', '26T16', '27T16']],
    ['a day that is the last, in the west', series(west, '2000', 'RRULE:FREQ=DAILY;UNTIL=20260327'), ['26T03', '27T03', '28T03']],
    ['an end just before a start', series(east, '0900', 'RRULE:FREQ=DAILY;UNTIL=20260327T085900'), ['25T00', '26T00']],
    ['a day that is the last, in the east', series(east, '0030', 'RRULE:FREQ=DAILY;UNTIL=20260327'), ['24T15', '25T15', '26T15']],
    ['a date that is left out', series(east, '2000', 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260326T200000'), ['25T11', '27T11']]
  ]
  for (const [what, events, expected] of cases)
    t.same(
      read(calendar(events)).turns.map(([, from]) => from?.slice(8, 13)),
      expected,
      what
    )
  t.end()
})
