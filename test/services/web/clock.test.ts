/**
 * Tests of how pages write dates, times and numbers: in one source file, in the person's time zone
 * and language.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import {
  browserZone,
  clockChanges,
  clockTime,
  dayInWords,
  dayOnly,
  daySecond,
  dayTime,
  dayTimeIn,
  decimal,
  exact,
  figure,
  hourTime,
  isSameDay,
  longDay,
  ownZone,
  secondTime,
  setClock
} from '../../../services/web/parts/clock.ts'
import { regionalOf } from '../../../services/web/parts/locale.ts'
import { fieldOf, ofField, wallDate } from '../../../services/web/parts/zone-times.ts'

const AT = '2026-07-01T22:30:05.000Z'

t.afterEach(() => setClock({ zone: null, locale: null }))

t.test('no page formats dates or numbers by itself', async (t) => {
  const web = join(projectRoot, 'services/web')
  const formats =
    /\.toLocale\w*String\(|\.to(?:Date|Time)String\(|Intl\.(?:DateTimeFormat|NumberFormat|RelativeTimeFormat)\(|\.getTimezoneOffset\(|\.get(?:Hours|Date|Day|Month|FullYear)\(/
  const own = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && name !== 'parts/clock.ts' && name !== 'parts/zone-times.ts')
    .filter((name) => formats.test(readFileSync(join(web, name), 'utf8')))
  t.same(own, [], 'parts/clock.ts and zone-times.ts beside it do')
  t.match(readFileSync(join(web, 'parts/clock.ts'), 'utf8'), formats, 'the pattern finds what it looks for')
})

t.test('times are in the zone of the account, else in that of the browser', async (t) => {
  const rows: readonly [zone: string | null, locale: string, said: string[]][] = [
    ['UTC', 'en-GB', ['22:30:05', '22:30', '1 Jul', '1 Jul, 22:30', '1 Jul, 22:30:05', 'Wednesday 1 July', '2026-07-01T22:30']],
    ['Asia/Tokyo', 'en-GB', ['07:30:05', '07:30', '2 Jul', '2 Jul, 07:30', '2 Jul, 07:30:05', 'Thursday 2 July', '2026-07-02T07:30']],
    [
      'Europe/Berlin',
      'de',
      ['00:30:05', '00:30', '2. Juli', '2. Juli, 00:30', '2. Juli, 00:30:05', 'Donnerstag, 2. Juli', '2026-07-02T00:30']
    ]
  ]
  for (const [zone, locale, said] of rows) {
    setClock({ zone, locale })
    t.equal(ownZone(), zone)
    const at = Date.parse(AT)
    t.same([clockTime(at), hourTime(AT), dayOnly(at), dayTime(at), daySecond(at), longDay(at), fieldOf(ownZone(), at)], said)
    t.equal(ofField(ownZone(), fieldOf(ownZone(), at)), Date.parse('2026-07-01T22:30:00Z'), 'a field comes back')
    t.equal(wallDate(at).toString().slice(16, 24), clockTime(at), 'a plot has the same clock')
  }
  setClock({ zone: null, locale: null })
  t.equal(ownZone(), browserZone())
  setClock({ zone: 'Mars/Olympus', locale: null })
  t.equal(ownZone(), browserZone(), 'a zone that the browser does not know is its own')
})

t.test('a time can be shown in another zone, and a calendar day is the same in all zones', async (t) => {
  setClock({ zone: 'America/New_York', locale: 'en-GB' })
  t.equal(dayTimeIn('Asia/Tokyo', AT), 'Thu 2 Jul, 07:30')
  t.equal(dayInWords(0), 'Thu 1 Jan')
  t.match(exact(AT), /18:30:05.*GMT-4|18:30:05 EDT/)
  t.equal(isSameDay(AT, '2026-07-02T03:00:00Z'), true)
  t.equal(isSameDay(AT, '2026-07-02T05:00:00Z'), false)
})

t.test('a time to the second has its day where that is not today in the zone of the account', async (t) => {
  const friday = '2026-11-27T14:03:20Z'
  const rows: readonly [zone: string, locale: string, today: string, said: string][] = [
    ['UTC', 'en-GB', '2026-11-27T14:10:00Z', '14:03:20'],
    ['UTC', 'en-GB', '2026-11-28T00:00:00Z', '27 Nov, 14:03:20'],
    ['UTC', 'en-GB', '2026-11-30T14:10:00Z', '27 Nov, 14:03:20'],
    ['UTC', 'en-GB', '2026-12-27T14:10:00Z', '27 Nov, 14:03:20'],
    ['Asia/Tokyo', 'de', '2026-11-28T00:00:00Z', '27. Nov., 23:03:20'],
    ['America/New_York', 'en-GB', '2026-11-28T04:59:00Z', '09:03:20']
  ]
  for (const [zone, locale, today, said] of rows) {
    setClock({ zone, locale })
    t.equal(secondTime(friday, Date.parse(today)), said, `${zone} ${today}`)
  }
})

t.test('numbers are written in the language of the account', async (t) => {
  t.same([figure(12_408), decimal(1.24, 2)], ['12,408', '1.24'], 'without an account as the texts are')
  setClock({ zone: null, locale: 'de' })
  t.same([figure(12_408), decimal(1.24, 2)], ['12.408', '1,24'])
})

t.test('a subscriber is notified when the clock gets another setting', async (t) => {
  let told = 0
  const stop = clockChanges.subscribe(() => told++)
  const before = clockChanges.count()
  setClock({ zone: 'Asia/Tokyo', locale: null })
  setClock({ zone: 'Asia/Tokyo', locale: null })
  t.same([told, clockChanges.count() - before], [1, 1])
  stop()
  setClock({ zone: 'UTC', locale: null })
  t.equal(told, 1)
})

t.test('a language without a region gets the region of the browser', async (t) => {
  t.equal(regionalOf('en', ['de-DE', 'en-GB', 'en']), 'en-GB')
  t.equal(regionalOf('de', ['en-GB']), 'de')
  t.equal(regionalOf('de-AT', ['de-DE']), 'de-AT')
})
