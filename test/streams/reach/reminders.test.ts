/** Tests when reminders of an incident are sent, as a table, and their words. */
import t from 'tap'
import type { HoldKind } from '../../../schemas/http/incidents.ts'
import { reminderSaid, reminding } from '../../../streams/reach/reminders.ts'

const NOW = 1_000_000_000_000
const MINUTE = 60_000

const rows: [
  name: string,
  status: 'ongoing' | 'resolved',
  acknowledged: boolean,
  holds: HoldKind[],
  minutes: number,
  told: boolean,
  again: number | null
][] = [
  ['what is over ends', 'resolved', false, [], 5, false, null],
  ['also where it was held', 'resolved', true, ['silence'], 5, false, null],
  ['what nobody has acknowledged is told', 'ongoing', false, [], 5, true, 5],
  ['what is acknowledged is looked at again', 'ongoing', true, [], 5, false, 5],
  ['what is held, too', 'ongoing', false, ['silence'], 5, false, 5],
  ['while it flaps it is told, at most hourly', 'ongoing', false, ['flap'], 5, true, 60],
  ['and no more often than it asks', 'ongoing', false, ['flap'], 120, true, 120],
  ['another hold beside it counts', 'ongoing', false, ['maintenance', 'flap'], 5, false, 5],
  ['an acknowledgement, too', 'ongoing', true, ['flap'], 5, false, 5]
]
for (const [name, status, acknowledged, holds, minutes, told, again] of rows) {
  t.test(name, async (t) => {
    const incident = { status, acknowledged_at: acknowledged ? NOW - MINUTE : null }
    const found = reminding({ incident, holds: holds.map((kind) => ({ kind })), every_ms: minutes * MINUTE, now: NOW })
    t.same(found, { told, again: again === null ? null : NOW + again * MINUTE })
  })
}

t.test('the text of a reminder', async (t) => {
  const said = (lasted: number, next: number) =>
    reminderSaid({ title: 'Shop is down', started_at: NOW - lasted * MINUTE }, { now: NOW, again: NOW + next * MINUTE })
  t.same(said(31, 30), {
    title: 'Still so: Shop is down',
    body: 'It has lasted for 31 minutes, and nobody has acknowledged it. The next reminder comes in 30 minutes.'
  })
  t.match(said(300, 60).body, /for 5 hours.* in 60 minutes/)
  t.match(said(0, 5).body, /for 1 minute,/)
})
