/**
 * Tests what is told of shifts that last for weeks: reminders and hand-offs to their people, and
 * who is on call to channels.
 */
import t from 'tap'
import { tellShifts } from '../../../services/notifier/shift-notices.ts'
import { createLog } from '../../../services/process/log.ts'
import { localCodec } from '../../harness/codec.ts'
import { as, person } from '../api/people.ts'
import { stand } from '../api/stand.ts'
import { channel } from './channels.ts'

const MINUTE = 60_000
const codec = localCodec()
const log = createLog('test', 'silent')

t.test('what is told of a shift of a month has its true end, and who is next', async (t) => {
  const s = await stand(t, { jobs: true })
  const home = await s.workspace('long')
  const [ann, bob] = [await person(s, home, 'ann-long', 'responder'), await person(s, home, 'bob-long', 'responder')]
  for (const who of [ann, bob])
    await as(s, who, 'PUT', '/api/v1/notifications/preferences', { shift_reminders_minutes: [15], handoff_summary: true })
  const channel_id = await channel(s, home, { config: { url: 'https://127.0.0.1/' }, is_default: false, events: ['down'] })
  const monthly = { name: 'all', rotation: 'monthly', handoff_day: 1, handoff_time: '09:00', starts_on: '2026-01-01' }
  const made = await s.call(home, 'POST', '/api/v1/on-call/schedules', {
    name: 'Primary',
    time_zone: 'UTC',
    layers: [{ ...monthly, participants: [ann.user_id, bob.user_id] }],
    notices: [{ channel_id, when: 'on_change' }]
  })
  t.equal(made.statusCode, 201, made.body)
  const { id, next_shifts } = made.json() as { id: string; next_shifts: { starts_at: string; ends_at: string; user_ids: string[] }[] }
  const [shift] = next_shifts
  if (!shift) return t.fail('no shift comes')
  const [starts, ends] = [shift.starts_at, shift.ends_at].map((at) => at.slice(0, 16).replace('T', ' '))
  const names = shift.user_ids[0] === ann.user_id ? ['ann-long', 'bob-long'] : ['bob-long', 'ann-long']
  const bodies = async (at: number): Promise<[string, string | undefined][]> => {
    await s.systemPool.query('DELETE FROM deliveries WHERE tenant_id = $1', [home.tenant_id])
    await s.systemPool.query("UPDATE schedules SET reminders_at = '-infinity'")
    await tellShifts(s.systemPool, codec, log, at)
    const { rows } = await s.systemPool.query<{ event: string; said: { body: string } | null }>(
      'SELECT event, said FROM deliveries WHERE tenant_id = $1 ORDER BY event',
      [home.tenant_id]
    )
    return rows.map(({ event, said }) => [event, said?.body.split('\n')[0]])
  }
  const start = Date.parse(shift.starts_at)
  const span = `From ${starts} to ${ends} (UTC).`
  t.same(await bodies(start - 10 * MINUTE), [['shift_reminder', span]])
  t.same(await bodies(start), [
    ['handoff', span],
    ['on_call', `Now: ${names[0]}.`]
  ])
  const { rows } = await s.systemPool.query<{ said: { body: string } }>(
    "SELECT said FROM deliveries WHERE tenant_id = $1 AND event = 'on_call'",
    [home.tenant_id]
  )
  t.equal(rows[0]?.said.body, `Now: ${names[0]}.\nUntil ${ends} (UTC).\nNext: ${names[1]}.`)

  const alone = { layers: [{ ...monthly, participants: [ann.user_id], starts_on: shift.starts_at.slice(0, 10) }] }
  t.equal((await s.call(home, 'PATCH', `/api/v1/on-call/schedules/${id}`, alone)).statusCode, 200)
  t.same((await bodies(start + MINUTE))[0], ['handoff', `From ${starts} (UTC).`], 'an end that is not known is left out')
})
