/**
 * Tests windows of civil time: past midnight, on days of clock changes, and in zones with half-hour
 * offsets.
 */

import t from 'tap'
import { Temporal } from 'temporal-polyfill'
import type { TimeWindow } from '../../../schemas/http/routing-words.ts'
import { compileWindow, hourAt, isZone } from '../../../streams/routing/civil-time.ts'

const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds
const inside = (window: TimeWindow, text: string): boolean | undefined => compileWindow(window)?.(at(text))

t.test('civil-time windows', async (t) => {
  const office: TimeWindow = { time_zone: 'Europe/Berlin', days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }
  t.equal(inside(office, '2026-01-05T08:00:00Z'), true, 'Monday 09:00')
  t.equal(inside(office, '2026-01-05T07:59:59.999Z'), false)
  t.equal(inside(office, '2026-01-05T16:00:00Z'), false, 'until, not with')
  t.equal(inside(office, '2026-07-06T07:00:00Z'), true, 'in summer time')
  t.equal(inside(office, '2026-01-04T10:00:00Z'), false, 'Sunday')
  const night: TimeWindow = { time_zone: 'Europe/Berlin', days: ['fri'], from: '22:00', to: '06:00' }
  t.equal(inside(night, '2026-01-09T21:00:00Z'), true, 'Friday 22:00')
  t.equal(inside(night, '2026-01-10T04:59:00Z'), true, 'Saturday 05:59 is still its Friday')
  t.equal(inside(night, '2026-01-10T05:00:00Z'), false)
  t.equal(inside(night, '2026-01-09T03:00:00Z'), false, 'Friday 04:00 is of Thursday')
  t.equal(inside(night, '2026-01-10T21:00:00Z'), false, 'Saturday 22:00')
  const day: TimeWindow = { time_zone: 'UTC', days: ['sun'], from: '08:00', to: '08:00' }
  t.equal(inside(day, '2026-01-04T08:00:00Z'), true)
  t.equal(inside(day, '2026-01-05T07:59:00Z'), true, 'a whole day')
  t.equal(inside(day, '2026-01-05T08:00:00Z'), false)
  t.equal(compileWindow({ ...day, time_zone: 'Mars/Base' }), null)
  t.equal(compileWindow({ ...day, from: '24:00' }), null)
  t.equal(isZone('Asia/Kolkata'), true)
})

t.test('a window in a skipped hour never matches, and one in a repeated hour matches twice', async (t) => {
  const small: TimeWindow = { time_zone: 'Europe/Berlin', days: [], from: '02:00', to: '03:00' }
  for (let minute = 0; minute < 180; minute += 10) {
    const moment = new Date(at('2026-03-29T00:00:00Z') + minute * 60_000).toISOString()
    t.equal(inside(small, moment), false, `the hour that is left out: ${moment}`)
  }
  const repeated = ['2026-10-25T00:00:00Z', '2026-10-25T00:59:00Z', '2026-10-25T01:00:00Z', '2026-10-25T01:59:00Z']
  for (const moment of repeated) t.equal(inside(small, moment), true, `the hour that comes twice: ${moment}`)
  t.equal(inside(small, '2026-10-25T02:00:00Z'), false)
})

t.test('hours and windows agree with Temporal at random times in seven zones', async (t) => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca', 'UTC']
  let seed = 42
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  for (let round = 0; round < 2000; round++) {
    const zone = zones[random(zones.length)] ?? 'UTC'
    // Every other time is near a clock change.
    const base = round % 2 ? at('2026-03-29T00:00:00Z') : at('2026-10-25T00:00:00Z')
    const moment = base + (random(2) ? random(86_400_000) : random(400) * 86_400_000 + random(86_400_000))
    const civil = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone)
    if (hourAt(zone, moment) !== civil.hour) t.equal(hourAt(zone, moment), civil.hour, `${zone} ${civil}`)
    const from = random(1440)
    const hhmm = (minutes: number): string =>
      `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
    const to = Math.min(1439, from + 1 + random(300))
    if (to <= from) continue
    const minute = civil.hour * 60 + civil.minute
    const expected = minute >= from && minute < to
    const actual = compileWindow({ time_zone: zone, days: [], from: hhmm(from), to: hhmm(to) })?.(moment)
    if (actual !== expected) t.equal(actual, expected, `${zone} ${civil} in ${hhmm(from)}-${hhmm(to)}`)
  }
})
