/** Tests of the pure functions behind the on-call pages: what they say and count. */
import t from 'tap'
import { barsOf, COLOURS, coloursOf, originOf, sentenceOf, whoOf } from '../../../services/web/pages/on-call/bars.ts'
import { mineAnswer } from '../../../services/web/pages/on-call/mine-words.ts'
import { answerOf, gapsInWords } from '../../../services/web/pages/on-call/now-words.ts'
import { bodyOf, changeOf, newLayer, rowOf, shifted, valuesOf, weeklyBody } from '../../../services/web/pages/on-call/schedule-values.ts'
import { scheduleSearch, schedulesSearch } from '../../../services/web/pages/on-call/search.ts'
import { versionAuthor, versionChanges, versionSpan } from '../../../services/web/pages/on-call/version-words.ts'
import {
  askedFor,
  dateOf,
  dayAt,
  dayOfDate,
  fieldOf,
  HOUR_MS,
  instantOf,
  knownZone,
  moved,
  ofField,
  snapped,
  spanOf,
  startOfDay,
  weekdayOf
} from '../../../services/web/pages/on-call/zone-days.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'

const someone = (name: string) => ({ id: name, name })
const item = (name: string, ...people: string[]) => ({ name, users: people.map(someone) })

t.test('the on-call headline names gaps first, then each person once', async (t) => {
  t.equal(answerOf([]), 'Nobody is on call yet')
  t.equal(answerOf([], true), 'There was no schedule at that time')
  t.equal(answerOf([item('Primary', 'Ada'), item('Second', 'Ada')]), 'Ada is on call')
  t.equal(answerOf([item('Primary', 'Ada')], true), 'Ada is on call at that time')
  t.equal(answerOf([item('Primary', 'Ada'), item('Second', 'Ben', '')]), 'On call: Ada, Ben, Somebody who left')
  t.equal(answerOf([item('All', 'A', 'B', 'C', 'D', 'E')]), 'On call: A, B, C and 2 more')
  t.equal(answerOf([item('Primary', 'Ada'), item('Second')]), 'Nobody is on call in Second')
  t.equal(answerOf([item('Primary'), item('Second')]), 'Nobody is on call in 2 schedules')
})

t.test('versions of a schedule in words', async (t) => {
  const version = (over: object) =>
    ({
      ...{ version: 2, state: 'current', effective_at: '2026-03-02T09:00:00Z', counts_until: null, changed: [] },
      ...{ layers: { added: [], removed: [], changed: [] }, created_by: 'user:u', created_at: '2026-03-02T09:00:00Z', ...over }
    }) as Parameters<typeof versionChanges>[0]
  t.match(versionSpan(version({}), 'UTC'), /^from Mon.*09:00$/)
  t.match(versionSpan(version({ counts_until: '2026-03-03T10:00:00Z' }), 'UTC'), /^Mon.*09:00 to Tue.*10:00$/)
  t.match(versionSpan(version({ effective_at: null, counts_until: '2026-03-03T10:00:00Z' }), 'UTC'), /^until Tue.*10:00$/)
  t.equal(versionSpan(version({ effective_at: null }), 'UTC'), 'since the schedule was created')
  t.equal(versionSpan(version({ state: 'never' }), 'UTC'), 'replaced by a later version before it started')
  t.same(versionChanges(version({ version: 1 })), ['first version'])
  t.same(versionChanges(version({ changed: ['time_zone', 'layers'], layers: { added: ['a', 'b'], removed: ['c'], changed: ['d'] } })), [
    'changed time zone',
    'new layer a, b',
    'without layer c',
    'changed layer d'
  ])
  t.same(versionChanges(version({ changed: ['layers', 'min_participants'] })), ['changed order of layers', 'changed number of people'])
  const author = (created_by: string): string => versionAuthor(version({ created_by }), (id) => `<${id}>`)
  t.same(['user:u', 'token:t', 'system:x'].map(author), ['<u>', 'an API token', 'the service'])
})

t.test('future on-call gaps in words', async (t) => {
  const at = (starts_at: string) => ({ starts_at, ends_at: '2026-03-10T12:00:00Z' })
  t.equal(gapsInWords([], 'UTC'), null)
  t.match(gapsInWords([at('2026-03-02T09:00:00Z')], 'Europe/Berlin'), /^Nobody is on call from Mon.*10:00 to Tue.*13:00$/)
  t.match(
    gapsInWords([at('2026-03-02T09:00:00Z'), at('2026-03-09T09:00:00Z')], 'UTC'),
    /at 2 times .* first from Mon.*09:00 to Tue.*12:00$/
  )
})

t.test('the dashboard and the service agree on local times, even around clock changes', async (t) => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Cairo',
    'Asia/Beirut',
    'Asia/Kolkata',
    'Pacific/Apia'
  ]
  const days = [
    '2026-03-08',
    '2026-03-28',
    '2026-03-29',
    '2026-04-05',
    '2026-04-24',
    '2026-10-04',
    '2026-10-25',
    '2026-11-01',
    '2026-07-01'
  ]
  for (const zone of zones)
    for (const date of days) {
      const day = dayOfDate(date) ?? Number.NaN
      for (let half = 0; half < 48; half++) {
        const local = day * 24 * HOUR_MS + half * (HOUR_MS / 2)
        t.equal(instantOf(zone, local), tzZones(zone).instantOf(local), `${zone} ${date} ${half / 2} h`)
      }
      const start = startOfDay(zone, day)
      t.equal(dayAt(zone, start), day)
      t.equal(dayAt(zone, start - 1), day - 1)
    }
  t.equal(knownZone('Mars/Olympus'), 'UTC')
  t.equal(knownZone('Asia/Tokyo'), 'Asia/Tokyo')
})

t.test('dates and date fields of a browser', async (t) => {
  t.equal(dateOf(0), '1970-01-01')
  t.equal(weekdayOf(dayOfDate('2026-03-02') ?? 0), 0, 'a Monday')
  for (const odd of ['2026-02-30', '2026-13-01', 'today', '', '2026-3-2']) t.equal(dayOfDate(odd), null, odd)
  const at = Date.parse('2026-03-02T08:00:00Z')
  t.equal(fieldOf('Europe/Berlin', at), '2026-03-02T09:00')
  t.equal(ofField('Europe/Berlin', '2026-03-02T09:00'), at)
  t.equal(ofField('Europe/Berlin', ''), null)
  t.equal(ofField('Europe/Berlin', 'soon'), null)
  for (const field of ['0002-03-03T09:00', '0020-03-03T09:00', '0202-03-03T09:00', '2027-03-03T09:00'])
    for (const zone of ['UTC', 'Europe/Berlin']) {
      const typed = ofField(zone, field)
      t.equal(typed === null ? null : fieldOf(zone, typed), field, `${field} in ${zone} comes back`)
      t.equal(askedFor(zone, field), field.startsWith('0') ? null : typed, `${field}: a year that is being typed asks for nothing`)
    }
  t.equal(askedFor('UTC', ''), null)
  t.equal(snapped('Asia/Kolkata', Date.parse('2026-03-02T08:20:00Z'), HOUR_MS), Date.parse('2026-03-02T08:30:00Z'), '14:00 there')
})

t.test('a week and a month are shown as whole weeks from Monday', async (t) => {
  const day = dayOfDate('2026-03-29') ?? 0
  const week = spanOf('Europe/Berlin', 'week', day)
  t.same([dateOf(week.first), week.days], ['2026-03-23', 7])
  t.equal((week.to - week.from) / HOUR_MS, 167, 'clocks leap')
  const month = spanOf('Europe/Berlin', 'month', day)
  t.same([dateOf(month.first), month.days], ['2026-02-23', 42])
  t.equal(dateOf(moved('week', day, -1)), '2026-03-22')
  t.equal(dateOf(moved('month', day, -1)), '2026-02-01')
  t.equal(dateOf(moved('month', dayOfDate('2026-12-31') ?? 0, 1)), '2027-01-01')
})

const shift = (starts_at: string, ends_at: string, more = {}) => ({
  ...{ id: starts_at, user_ids: ['ada'], starts_at, ends_at, local_start: '', local_end: '' },
  ...{ origin: 'layer' as const, layer: 'days', override_id: null, gap: false, ...more }
})
const nameOf = (id: string): string => id.toUpperCase()

t.test('shift bars are cut to the time line and placed on it', async (t) => {
  const line = { from: Date.parse('2026-03-02T00:00:00Z'), to: Date.parse('2026-03-12T00:00:00Z') }
  const bars = barsOf(
    [
      shift('2026-02-20T00:00:00Z', '2026-03-02T00:00:00Z'),
      shift('2026-03-01T00:00:00Z', '2026-03-03T00:00:00Z'),
      shift('2026-03-03T00:00:00Z', '2026-03-08T00:00:00Z'),
      shift('2026-03-08T00:00:00Z', '2026-03-20T00:00:00Z'),
      shift('2026-03-12T00:00:00Z', '2026-03-13T00:00:00Z')
    ],
    line
  )
  t.same(
    bars.map(({ left, width, before, after }) => ({ left, width, before, after })),
    [
      { left: 0, width: 10, before: true, after: false },
      { left: 10, width: 50, before: false, after: false },
      { left: 60, width: 40, before: false, after: true }
    ]
  )
})

t.test('names and origins on shift bars', async (t) => {
  t.equal(whoOf({ user_ids: ['ada', 'ben'], gap: false }, nameOf), 'ADA, BEN')
  t.equal(whoOf({ user_ids: [], gap: true }, nameOf), 'Gap: nobody')
  t.equal(whoOf({ user_ids: ['ada'], gap: true }, nameOf), 'Gap: ADA as the fallback')
  t.equal(originOf({ origin: 'layer', layer: 'days' }), 'Layer days')
  t.equal(originOf({ origin: 'swap', layer: null }), 'Swap')
  t.match(
    sentenceOf(shift('2026-03-02T09:00:00Z', '2026-03-03T09:00:00Z'), 'UTC', nameOf),
    /^ADA, Mon.*09:00 to Tue.*09:00 \(Layer days\)$/
  )
})

t.test('people get colours in order of appearance, which repeat only when all are used', async (t) => {
  t.same(
    [...coloursOf(['ada', 'ben', 'ada', 'chi'])],
    [
      ['ada', 1],
      ['ben', 2],
      ['chi', 3]
    ]
  )
  const many = coloursOf(Array.from({ length: COLOURS + 1 }, (_, at) => String(at)))
  t.equal(many.get(String(COLOURS)), 1, 'then from the beginning again')
})

t.test('the first dialog sends a weekly rotation', async (t) => {
  const values = { name: ' Primary ', team_id: '', time_zone: 'UTC', people: ['ada'], handoff_day: 'mon' as const, handoff_time: '09:00' }
  t.match(weeklyBody(values, Date.UTC(2026, 2, 3, 12)), {
    name: 'Primary',
    team_id: null,
    layers: [{ participants: ['ada'], rotation: 'weekly', handoff_day: 'mon', starts_on: '2026-03-02' }]
  })
  // The turn that runs now is the first one. 2 March is a Monday.
  const starts = (time_zone: string, ...at: [day: number, hour: number, minute: number]) =>
    weeklyBody({ ...values, time_zone }, Date.UTC(2026, 2, ...at)).layers[0]?.starts_on
  t.equal(starts('UTC', 2, 8, 59), '2026-03-01', 'before the hand-off')
  t.equal(starts('UTC', 2, 9, 0), '2026-03-02', 'at the hand-off')
  t.equal(starts('UTC', 2, 23, 59), '2026-03-02', 'after it')
  t.equal(starts('Europe/Berlin', 2, 8, 30), '2026-03-02', 'by the clocks of its zone')
  t.equal(starts('America/New_York', 2, 13, 30), '2026-03-01')
})

t.test('the form sends a schedule back unchanged', async (t) => {
  const window = { days: ['sat' as const], from: '00:00', to: '12:00', to_day: 'sun' as const }
  const layer = {
    ...{ name: 'days', time_zone: null, participants: ['ada', ['ben', 'chi'], null], rotation: 'monthly' as const, every: 2 },
    ...{ handoff_time: '09:00', handoff_day: 7, starts_on: '2026-03-01', ends_on: null, start_index: 1, shift_hours: null },
    restrictions: [window]
  }
  const fallback = { kind: 'user' as const, id: 'ada' }
  const schedule = {
    name: 'Primary',
    description: '',
    team_id: null,
    time_zone: 'Europe/Berlin',
    layers: [layer],
    fallback,
    min_participants: 2,
    notices: [
      { channel_id: 'room', when: 'on_change' },
      { channel_id: 'list', when: 'weekly', at: '08:00', days: ['fri'] }
    ],
    ical_overrides_url: null
  }
  const now = Date.parse('2026-03-02T08:30:00Z')
  const shown = (effective_at: string | null) => valuesOf({ ...schedule, effective_at } as unknown as Parameters<typeof valuesOf>[0], now)
  const values = shown(null)
  t.same(bodyOf(values), schedule)
  t.same(changeOf(values), schedule, 'no instant: from now on')
  t.equal(changeOf({ ...values, effective: '2026-03-02T09:00' }).effective_at, '2026-03-02T08:00:00.000Z')
  t.equal(shown('2026-03-02T08:00:00.000Z').effective, '', 'it counts already')
  t.equal(changeOf(shown('2026-03-03T08:00:00.000Z')).effective_at, '2026-03-03T08:00:00.000Z', 'what is planned stays planned')
  t.same(bodyOf({ ...values, fallback: 'schedule' }).fallback, { kind: 'schedule', id: null }, 'of another kind nothing stays')
})

t.test('fields that each kind of rotation sends', async (t) => {
  const row = newLayer('one', ['ada', 'ben'], '2026-03-01')
  const sent = (rotation: typeof row.rotation) =>
    bodyOf({ ...valuesOfOne, layers: [{ ...row, rotation, start_index: 5, every: 3 }] }).layers[0]
  const valuesOfOne = {
    ...{ name: '', description: '', team_id: '', time_zone: 'UTC', fallback: 'none' as const },
    ...{ fallback_user: '', fallback_schedule: '', min_participants: 1, effective: '', layers: [], notices: [], calendar: '' }
  }
  t.match(sent('daily'), { every: 3, handoff_day: null, shift_hours: null, start_index: 1 })
  t.match(sent('weekly'), { handoff_day: 'mon', shift_hours: null })
  t.match(sent('monthly'), { handoff_day: 1, shift_hours: null })
  t.match(sent('hours'), { every: 1, handoff_day: null, shift_hours: 12 })
  t.equal(rowOf({ ...(sent('hours') as Parameters<typeof rowOf>[0]) }).weekday, 'mon')
})

t.test('a row moves by one place and stops at the ends', async (t) => {
  t.same(shifted(['a', 'b', 'c'], 0, 1), ['b', 'a', 'c'])
  t.same(shifted(['a', 'b', 'c'], 0, -1), ['a', 'b', 'c'])
  t.same(shifted(['a', 'b', 'c'], 2, 1), ['a', 'b', 'c'])
})

t.test('own shifts in words: current, several, next, none', async (t) => {
  const schedule = { id: 's', name: 'Primary', time_zone: 'UTC' }
  const mine = (starts_at: string, ends_at: string, name = 'Primary') => ({
    shift: shift(starts_at, ends_at),
    schedule: { ...schedule, name }
  })
  const now = Date.parse('2026-03-02T12:00:00Z')
  const current = mine('2026-03-02T09:00:00Z', '2026-03-03T09:00:00Z')
  t.match(mineAnswer([current], now, 'UTC'), /^You are on call in Primary until Tue.*09:00$/)
  t.equal(
    mineAnswer([current, mine('2026-03-02T09:00:00Z', '2026-03-04T09:00:00Z', 'Second')], now, 'UTC'),
    'You are on call in Primary, Second'
  )
  t.match(mineAnswer([mine('2026-03-04T09:00:00Z', '2026-03-05T09:00:00Z')], now, 'UTC'), /^You are next on call in Primary, Wed.*09:00$/)
  t.equal(mineAnswer([], now, 'UTC'), 'You are not on call in the next 8 weeks')
})

t.test('the addresses of the schedule pages drop invalid values', async (t) => {
  t.same(scheduleSearch({ view: 'month', day: '2026-03-02', zone: 'mine' }), { view: 'month', day: '2026-03-02', zone: 'mine' })
  t.same(scheduleSearch({ view: 'year', day: '2026-02-30', zone: 'UTC' }), {})
  t.same(schedulesSearch({ at: '2026-03-02T09:00:00+01:00', create: 'yes' }), { at: '2026-03-02T08:00:00.000Z', create: 'yes' })
  t.same(schedulesSearch({ at: 'soon', create: 'no' }), {})
})
