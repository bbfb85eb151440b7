/**
 * Tests of the service's clock in the dashboard: a wrong clock of the person's machine changes
 * nothing.
 */
import t from 'tap'
import { sawServerTime, serverNow } from '../../../services/web/live/server-clock.ts'

t.test('the time of a hello moves the clock either way, but an invalid time does not', async (t) => {
  const hour = 3_600_000
  const apart = (): number => Math.round((serverNow() - Date.now()) / hour)
  t.equal(apart(), 0, 'until it is told')
  const heardAt = Date.parse('2026-03-02T09:00:00Z')
  sawServerTime('2026-03-02T07:00:00.000Z', heardAt)
  t.equal(apart(), -2)
  for (const odd of [undefined, 17, 'soon']) sawServerTime(odd, heardAt)
  t.equal(apart(), -2, 'what was told before holds')
  sawServerTime('2026-03-02T12:00:00.000Z', heardAt)
  t.equal(apart(), 3)
})
