/** Tests quiet hours in civil time, over midnight and over clock changes. */
import t from 'tap'
import type { QuietHours } from '../../../schemas/http/notification-preferences.ts'
import { tellingOf } from '../../../streams/reach/quiet-hours.ts'

const nights: QuietHours = {
  time_zone: 'Europe/Berlin',
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  from: '22:00',
  to: '07:00'
}
const weekend: QuietHours = { ...nights, days: ['sat', 'sun'], from: '00:00', to: '00:00' }
const at = (text: string): number => Date.parse(text)
const telling = (quiet: QuietHours | null, when: string, more: { severity?: 'critical' | 'warning' | 'info'; on_call?: boolean } = {}) => {
  const told = tellingOf(quiet, { at: at(when), severity: 'warning', on_call: false, ...more })
  return told.tell === 'later' ? new Date(told.until).toISOString() : told.tell
}

t.test('when quiet hours delay or drop a notification', async (t) => {
  const table: [quiet: QuietHours | null, when: string, told: string][] = [
    [null, '2026-01-05T23:00:00Z', 'now'],
    [nights, '2026-01-05T20:59:59Z', 'now'],
    [nights, '2026-01-05T21:00:00Z', '2026-01-06T06:00:00.000Z'],
    [nights, '2026-01-06T05:59:59Z', '2026-01-06T06:00:00.000Z'],
    [nights, '2026-01-06T06:00:00Z', 'now'],
    // The night on which clocks go forward, and the one on which they go back.
    [nights, '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
    [nights, '2026-10-24T22:00:00Z', '2026-10-25T06:00:00.000Z'],
    // The day on which they begin counts.
    [{ ...nights, days: ['mon'] }, '2026-01-06T05:00:00Z', '2026-01-06T06:00:00.000Z'],
    [{ ...nights, days: ['tue'] }, '2026-01-06T05:00:00Z', 'now'],
    [{ ...nights, from: '12:00', to: '13:00' }, '2026-01-06T11:30:00Z', '2026-01-06T12:00:00.000Z'],
    [{ ...nights, from: '12:00', to: '13:00' }, '2026-01-06T12:00:00Z', 'now'],
    // Round the clock on each day: they have no end, so they hold for one day.
    [{ ...nights, from: '00:00', to: '00:00' }, '2026-01-06T12:00:00Z', '2026-01-06T23:00:00.000Z'],
    // Whole days one after another.
    [weekend, '2026-01-10T11:00:00Z', '2026-01-11T23:00:00.000Z'],
    [weekend, '2026-01-10T23:00:00Z', '2026-01-11T23:00:00.000Z'],
    [weekend, '2026-01-11T23:00:00Z', 'now'],
    [weekend, '2026-03-28T11:00:00Z', '2026-03-29T22:00:00.000Z'],
    [{ ...weekend, days: ['sat'] }, '2026-01-10T11:00:00Z', '2026-01-10T23:00:00.000Z'],
    [{ ...weekend, from: '09:00', to: '09:00' }, '2026-01-10T11:00:00Z', '2026-01-12T08:00:00.000Z'],
    [{ ...weekend, days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'] }, '2026-01-05T00:00:00Z', '2026-01-10T23:00:00.000Z'],
    [{ ...nights, hold: 'drop' }, '2026-01-05T22:00:00Z', 'never'],
    // Stored before names were checked: one that only Intl reads, and one that nothing reads.
    [{ ...nights, time_zone: 'IST' }, '2026-01-05T17:00:00Z', '2026-01-06T01:30:00.000Z'],
    [{ ...nights, time_zone: 'Mars/Olympus' }, '2026-01-05T22:00:00Z', 'now']
  ]
  for (const [quiet, when, told] of table) t.equal(telling(quiet, when), told, `${JSON.stringify(quiet)} ${when}`)
})

t.test('the notifications that quiet hours let through', async (t) => {
  const night = '2026-01-05T22:00:00Z'
  t.equal(telling(nights, night, { severity: 'critical' }), 'now')
  t.not(telling({ ...nights, except_severity: [] }, night, { severity: 'critical' }), 'now')
  t.equal(telling(nights, night, { on_call: true }), 'now')
  t.not(telling({ ...nights, apply_while_on_call: true }, night, { on_call: true }), 'now')
})
