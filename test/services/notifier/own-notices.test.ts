/**
 * Tests of who sees the notices that people get about no incident. They say what that person may
 * see, so other people see nothing of them.
 */
import t from 'tap'
import type { MailRequest } from '../../../services/channels/channel.ts'
import type { Senders } from '../../../services/delivery/perform.ts'
import { tellShifts } from '../../../services/notifier/shift-notices.ts'
import { createLog } from '../../../services/process/log.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { as, type Person, person } from '../api/people.ts'
import { stand } from '../api/stand.ts'
import { localSenders, notifier } from './channels.ts'
import { worker } from './escalating.ts'

const LEDGER = '/api/v1/notifications/deliveries'
const MINUTE = 60_000
const DAY = 86_400_000
const codec = localCodec()
const log = createLog('test', 'silent')

t.test('a digest, a reminder and a hand-off are seen by the person, owners and admins', async (t) => {
  const s = await stand(t, { jobs: true })
  const home = await s.workspace('own-notices')
  const ann = await person(s, home, 'ann-own', 'responder')
  const [editor, viewer] = [await person(s, home, 'ed-own', 'editor'), await person(s, home, 'vi-own', 'viewer')]
  const admin = await person(s, home, 'ad-own', 'admin')
  const { id: team_id } = (await s.call(home, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
  const joined = await s.call(home, 'PUT', `/api/v1/teams/${team_id}/members/${ann.user_id}`, {})
  t.ok(joined.statusCode < 300, joined.body)
  const hidden = await s.incident(home)
  await s.systemPool.query("UPDATE incidents SET team_id = $2, title = 'Zwiebelfisch' WHERE incident_id = $1", [
    hidden.incident_id,
    team_id
  ])

  const wishes = { digest: { every: 'daily', at: '09:00' }, shift_reminders_minutes: [10], handoff_summary: true }
  t.equal((await as(s, ann, 'PUT', '/api/v1/notifications/preferences', wishes)).statusCode, 200)
  await s.systemPool.query(
    "UPDATE jobs SET run_at = run_at - interval '1 day', payload = payload || jsonb_build_object('from', $1::bigint) WHERE kind = 'digest'",
    [Date.now() - DAY]
  )
  const layer = { name: 'all', participants: [ann.user_id], rotation: 'daily', handoff_time: '09:00', starts_on: '2026-01-01' }
  const bo = await person(s, home, 'bo-own', 'responder')
  const layers = [{ ...layer, participants: [ann.user_id, bo.user_id] }]
  const made = await s.call(home, 'POST', '/api/v1/on-call/schedules', { name: 'Zwiebelwache', time_zone: 'UTC', team_id, layers })
  t.equal(made.statusCode, 201, made.body)
  const shift = made
    .json()
    .next_shifts.find(
      (one: { starts_at: string; user_ids: string[] }) => Date.parse(one.starts_at) > Date.now() && one.user_ids[0] === ann.user_id
    )
  const start = Date.parse(shift.starts_at)
  for (const at of [start - 10 * MINUTE, start]) {
    await s.systemPool.query("UPDATE schedules SET reminders_at = '-infinity'")
    await tellShifts(s.systemPool, codec, log, at)
  }
  const jobs = worker(t, s)
  const rows = async () =>
    (
      await s.systemPool.query<{ delivery_id: string; event: string; state: string; team_id: string | null; visibility: string }>(
        'SELECT delivery_id, event, state, team_id, visibility FROM deliveries WHERE tenant_id = $1 AND user_id = $2 ORDER BY event',
        [home.tenant_id, ann.user_id]
      )
    ).rows
  await until('the digest', async () => (await rows()).length === 3)
  await jobs.close()
  await s.systemPool.query('UPDATE deliveries SET next_at = now() WHERE open')
  const mails: MailRequest[] = []
  const mail: Senders['mail'] = {
    async send(request) {
      mails.push(request)
      return { status: 250, headers: {}, body: 'ok' }
    }
  }
  notifier(t, s, { senders: { ...localSenders(), mail } })
  await until('the mails', async () => (await rows()).every(({ state }) => state === 'sent'))
  const sent = await rows()
  t.match(sent, [
    { event: 'digest', team_id: null },
    { event: 'handoff', team_id, visibility: 'private' },
    { event: 'shift_reminder', team_id, visibility: 'private' }
  ])
  t.match(JSON.stringify(mails), /Zwiebelfisch/)

  const listed = async (who: Person) => (await as(s, who, 'GET', `${LEDGER}?user_id=${ann.user_id}`)).json().items
  for (const who of [editor, viewer]) {
    t.same(await listed(who), [])
    for (const { delivery_id, event } of sent) t.equal((await as(s, who, 'GET', `${LEDGER}/${delivery_id}`)).statusCode, 404, event)
  }
  const again = await as(s, editor, 'POST', `${LEDGER}/${sent[0]?.delivery_id}/redeliver`, { force: true })
  t.equal(again.statusCode, 404, again.body)
  for (const who of [ann, admin]) {
    t.equal((await listed(who)).length, 3)
    const read = (await as(s, who, 'GET', `${LEDGER}/${sent[0]?.delivery_id}`)).json()
    t.match(read, { event: 'digest', why: { by: 'preference', every: 'daily' }, request: { body: /Zwiebelfisch/ } })
  }
})
