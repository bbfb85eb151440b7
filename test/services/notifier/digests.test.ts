/**
 * Tests of digests, shift reminders and hand-offs: they are planned, sent to people who may see
 * them, and never sent twice.
 */
import t from 'tap'
import type { MailRequest } from '../../../services/channels/channel.ts'
import type { Senders } from '../../../services/delivery/perform.ts'
import { tellShifts } from '../../../services/notifier/shift-notices.ts'
import { createLog } from '../../../services/process/log.ts'
import { localCodec } from '../../harness/codec.ts'
import type { Teardown } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { as, type Person, person } from '../api/people.ts'
import { type Stand, stand, type Workspace } from '../api/stand.ts'
import { channel, localSenders, notifier } from './channels.ts'
import { worker } from './escalating.ts'
import { receiver } from './receiver.ts'

const PREFERENCES = '/api/v1/notifications/preferences'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const codec = localCodec()
const log = createLog('test', 'silent')

/** Makes a mail relay that accepts every mail. */
function post(): { mails: MailRequest[]; senders: Senders } {
  const mails: MailRequest[] = []
  const mail: Senders['mail'] = {
    async send(request) {
      mails.push(request)
      return { status: 250, headers: {}, body: 'ok' }
    }
  }
  return { mails, senders: { ...localSenders(), mail } }
}

interface Planned {
  run_at: number
  payload: { user_id: string; from: number }
}

const planned = async (s: Stand, { user_id }: Pick<Person, 'user_id'>): Promise<Planned | undefined> =>
  (await s.systemPool.query<Planned>("SELECT run_at, payload FROM jobs WHERE kind = 'digest' AND payload ->> 'user_id' = $1", [user_id]))
    .rows[0]

/** Makes the digest due since `run_at`. It covers what has happened since `from`. */
const due = (s: Stand, { user_id }: Pick<Person, 'user_id'>, run_at: number, from: number) =>
  s.systemPool.query(
    "UPDATE jobs SET run_at = $2, payload = payload || jsonb_build_object('from', $3::bigint) WHERE kind = 'digest' AND payload ->> 'user_id' = $1",
    [user_id, new Date(run_at), from]
  )

interface Row {
  event: string
  user_id: string
  state: string
  suppressed_by: string | null
  lane: number
  said: { title: string; body: string } | null
}

const noticesOf = async (s: Stand, { tenant_id }: Workspace): Promise<Row[]> =>
  (
    await s.systemPool.query<Row>(
      'SELECT event, user_id, state, suppressed_by, lane, said FROM deliveries WHERE tenant_id = $1 AND incident_id IS NULL ORDER BY seq',
      [tenant_id]
    )
  ).rows

const wishes = async (s: Stand, who: Person, body: object): Promise<void> => {
  const answer = await as(s, who, 'PUT', PREFERENCES, body)
  if (answer.statusCode !== 200) throw new Error(answer.body)
}

async function secretTeam(s: Stand, home: Workspace): Promise<string> {
  const answer = await s.call(home, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/** Runs what is due, and waits until the person's next digest is planned. */
async function ran(t: Teardown, s: Stand, who: Person, before: number): Promise<Planned> {
  const one = worker(t, s)
  const next = await until('the digest to be planned anew', async () => {
    const found = await planned(s, who)
    return found !== undefined && found.run_at > before && found
  })
  await one.close()
  return next
}

t.test('digests', async (t) => {
  const s = await stand(t, { jobs: true })
  const home = await s.workspace('digest')
  const jo = await person(s, home, 'jo-digest', 'responder')

  await t.test('a digest is planned in the time zone of the person, and only if wanted', async (t) => {
    t.equal((await as(s, jo, 'PATCH', '/api/v1/account', { time_zone: 'Asia/Tokyo' })).statusCode, 200)
    t.equal(await planned(s, jo), undefined)
    await wishes(s, jo, { digest: { every: 'daily', at: '09:00' } })
    const first = await planned(s, jo)
    t.equal(new Date(first?.run_at ?? 0).toISOString().slice(11, 16), '00:00')
    t.ok((first?.run_at ?? 0) > Date.now() && (first?.run_at ?? 0) <= Date.now() + DAY)
    await wishes(s, jo, { digest: { every: 'weekly', at: '10:30' } })
    const weekly = await planned(s, jo)
    t.equal(new Date(weekly?.run_at ?? 0).toISOString().slice(11, 16), '01:30')
    t.equal(new Date(weekly?.run_at ?? 0).getUTCDay(), 1)
    const since = Date.now() - 6 * DAY
    await due(s, jo, weekly?.run_at ?? 0, since)
    t.equal((await as(s, jo, 'PATCH', '/api/v1/account', { time_zone: 'UTC' })).statusCode, 200)
    const moved = await planned(s, jo)
    t.equal(new Date(moved?.run_at ?? 0).toISOString().slice(11, 16), '10:30')
    t.equal(moved?.payload.from, since, 'what has happened since the last one is told')
    await wishes(s, jo, { digest: { every: 'daily', at: '08:00' } })
    t.equal((await planned(s, jo))?.payload.from, since)
    await wishes(s, jo, { digest: { every: 'none', at: '09:00' } })
    t.equal(await planned(s, jo), undefined)
  })

  await t.test('a digest holds what the person may see and is mailed once', async (t) => {
    await wishes(s, jo, { digest: { every: 'daily', at: '09:00' } })
    const next = (await planned(s, jo))?.run_at ?? 0
    const open = await s.incident(home)
    const over = await s.incident(home, { dedup_key: 'int:x:over' })
    await s.call(home, 'POST', `/api/v1/incidents/${over.incident_id}/resolve`, { note: 'Done.' })
    const hidden = await s.incident(home, { dedup_key: 'int:x:hidden' })
    await s.systemPool.query('UPDATE incidents SET team_id = $2, title = $3 WHERE incident_id = $1', [
      hidden.incident_id,
      await secretTeam(s, home),
      'Nobody else knows'
    ])
    await due(s, jo, next - DAY, Date.now() - DAY)
    const again = await ran(t, s, jo, Date.now())
    t.equal(again.run_at, next)
    t.ok(again.payload.from > Date.now() - HOUR, 'the next one goes on from there')
    const [one, ...others] = await noticesOf(s, home)
    t.same(others, [])
    t.match(one, { event: 'digest', user_id: jo.user_id, state: 'queued', lane: 1 })
    t.match(one?.said?.title, /: 2 opened, 1 over, 1 open now$/)
    t.match(one?.said?.body, new RegExp(open.key))
    t.notMatch(JSON.stringify(one), /Nobody else knows/)

    // As if its worker died after the commit, and the job ran again.
    await due(s, jo, next - DAY, Date.now() - DAY)
    await ran(t, s, jo, Date.now())
    t.equal((await noticesOf(s, home)).length, 1, 'the same one again is none')

    const { mails, senders } = post()
    notifier(t, s, { senders })
    await until('the mail', async () => (await noticesOf(s, home))[0]?.state === 'sent')
    t.match(mails, [{ to: jo.email, subject: /^\[DIGEST\] Daily digest of / }])
    t.match(mails[0]?.text, /\/incidents\n/)
    t.equal(mails.length, 1)
    const listed = await s.call(home, 'GET', '/api/v1/notifications/deliveries?event=digest')
    t.match(listed.json().items, [{ event: 'digest', incident_id: null, user_id: jo.user_id, why: { by: 'preference', every: 'daily' } }])
  })

  await t.test('an empty digest is not sent, and a changed time zone moves the next one', async (t) => {
    const quiet = await s.workspace('quiet')
    const al = await person(s, quiet, 'al-digest', 'viewer')
    await wishes(s, al, { digest: { every: 'daily', at: '09:00' } })
    const next = (await planned(s, al))?.run_at ?? 0
    await due(s, al, next - DAY, Date.now() - DAY)
    await ran(t, s, al, Date.now())
    t.same(await noticesOf(s, quiet), [])
    await s.incident(quiet)
    await s.systemPool.query("UPDATE users SET time_zone = 'Asia/Kolkata' WHERE user_id = $1", [al.user_id])
    await due(s, al, next - DAY, Date.now() - DAY)
    const moved = await ran(t, s, al, Date.now())
    t.equal(new Date(moved.run_at).toISOString().slice(11, 16), '03:30')
    t.ok(moved.payload.from < Date.now() - 12 * HOUR, 'what has happened waits for it')
    t.same(await noticesOf(s, quiet), [])
  })

  await t.test('a digest without a mail method is suppressed, and its job ends with the membership', async (t) => {
    const ex = await person(s, home, 'ex-digest', 'viewer')
    await wishes(s, ex, { digest: { every: 'daily', at: '09:00' }, contact_methods: [] })
    const next = (await planned(s, ex))?.run_at ?? 0
    await due(s, ex, next - DAY, Date.now() - DAY)
    await ran(t, s, ex, Date.now())
    t.match((await noticesOf(s, home)).at(-1), { user_id: ex.user_id, state: 'suppressed', suppressed_by: 'no_method', said: null })
    await s.systemPool.query('DELETE FROM members WHERE tenant_id = $1 AND user_id = $2', [home.tenant_id, ex.user_id])
    await due(s, ex, next - DAY, Date.now() - DAY)
    const one = worker(t, s)
    await until('the job to end', async () => (await planned(s, ex)) === undefined)
    await one.close()
  })
})

t.test('notices about shifts', async (t) => {
  const s = await stand(t, { jobs: true })
  const home = await s.workspace('shifts')
  const ann = await person(s, home, 'ann-shift', 'responder')
  const bob = await person(s, home, 'bob-shift', 'responder')
  const layer = { name: 'all', participants: [ann.user_id, bob.user_id], rotation: 'daily', handoff_time: '09:00', starts_on: '2026-01-01' }
  const made = await s.call(home, 'POST', '/api/v1/on-call/schedules', { name: 'Primary', time_zone: 'UTC', layers: [layer] })
  t.equal(made.statusCode, 201, made.body)
  const schedule = made.json()
  const [shift] = schedule.next_shifts.filter(({ starts_at }: { starts_at: string }) => Date.parse(starts_at) > Date.now())
  const start = Date.parse(shift.starts_at)
  const [begins, follows] = shift.user_ids[0] === ann.user_id ? [ann, bob] : [bob, ann]
  const look = async (at: number): Promise<void> => {
    await s.systemPool.query("UPDATE schedules SET reminders_at = '-infinity'")
    await tellShifts(s.systemPool, codec, log, at)
  }
  const told = async () =>
    (await noticesOf(s, home)).map(({ event, user_id }) => [event, user_id === begins.user_id ? 'begins' : 'follows'])

  await t.test('shift reminders and hand-offs are sent once each, however often they are checked', async (t) => {
    await s.incident(home)
    await Promise.all([look(start - 10 * MINUTE), look(start - 10 * MINUTE)])
    await look(start - 5 * MINUTE)
    t.same(await told(), [['shift_reminder', 'begins']])
    const [one] = await noticesOf(s, home)
    t.match(one, { state: 'queued', lane: 1, said: { title: 'You are on call for Primary in 10 min' } })
    await look(start)
    await look(start + MINUTE)
    t.same(await told(), [
      ['shift_reminder', 'begins'],
      ['handoff', 'begins'],
      ['shift_reminder', 'follows']
    ])
    t.match(
      (await noticesOf(s, home))[1]?.said?.body,
      /Before you: (ann|bob)-shift\.\nOpen now: 1\n- INC-\d+ \[critical\] Disk full on db-7/
    )
  })

  await t.test('shift reminders respect preferences and quiet hours, and changes trigger a new check', async (t) => {
    const lookedAt = async () =>
      (
        await s.systemPool.query<{ due: boolean }>('SELECT reminders_at <= now() AS due FROM schedules WHERE tenant_id = $1', [
          home.tenant_id
        ])
      ).rows[0]?.due
    t.equal(await lookedAt(), false)
    await wishes(s, begins, { shift_reminders_minutes: [], handoff_summary: false })
    t.equal(await lookedAt(), true)
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
    const quiet_hours = { time_zone: 'UTC', days, from: '08:30', to: '08:55', except_severity: [], hold: 'drop' }
    await wishes(s, follows, { shift_reminders_minutes: [20], handoff_summary: false, quiet_hours })
    const before = (await noticesOf(s, home)).length
    await look(start + DAY - 20 * MINUTE)
    await look(start + 2 * DAY - 10 * MINUTE)
    const fresh = (await noticesOf(s, home)).slice(before)
    t.match(fresh, [{ event: 'shift_reminder', user_id: follows.user_id, state: 'suppressed', suppressed_by: 'quiet_hours' }])
    t.equal(fresh.length, 1)
    await look(start)
    await s.call(home, 'PATCH', `/api/v1/on-call/schedules/${schedule.id}`, { layers: [{ ...layer, handoff_time: '10:00' }] })
    t.equal(await lookedAt(), true, 'a change of the schedule')
  })
})

t.test('a shift reminder that quiet hours hold is decided when they end', async (t) => {
  const s = await stand(t, { jobs: true })
  const home = await s.workspace('held-shifts')
  const ann = await person(s, home, 'ann-held', 'responder')
  const bob = await person(s, home, 'bob-held', 'responder')
  const layer = { name: 'all', participants: [ann.user_id, bob.user_id], rotation: 'daily', handoff_time: '09:00', starts_on: '2026-01-01' }
  const made = await s.call(home, 'POST', '/api/v1/on-call/schedules', { name: 'Primary', time_zone: 'UTC', layers: [layer] })
  const schedule = made.json()
  const [shift] = schedule.next_shifts.filter(({ starts_at }: { starts_at: string }) => Date.parse(starts_at) > Date.now() + DAY)
  const [start, end] = [Date.parse(shift.starts_at), Date.parse(shift.ends_at)]
  const begins = shift.user_ids[0] === ann.user_id ? ann : bob
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  const quiet_hours = { time_zone: 'UTC', days, from: '22:00', to: '08:00', except_severity: [], hold: 'digest' }
  for (const who of [ann, bob]) await wishes(s, who, { shift_reminders_minutes: [90], handoff_summary: false, quiet_hours })
  const look = async (at: number): Promise<number> => {
    await s.systemPool.query("UPDATE schedules SET reminders_at = '-infinity'")
    await tellShifts(s.systemPool, codec, log, at)
    const { rows } = await s.systemPool.query<{ reminders_at: number }>('SELECT reminders_at FROM schedules')
    return rows[0]?.reminders_at ?? 0
  }
  t.equal(await look(start - 90 * MINUTE), start - HOUR, 'the next look is at their end')
  t.same(await noticesOf(s, home), [])
  await look(start - HOUR)
  const reminded = {
    event: 'shift_reminder',
    user_id: begins.user_id,
    state: 'queued',
    said: { title: 'You are on call for Primary in 60 min' }
  }
  t.match(await noticesOf(s, home), [reminded])

  await look(end - 90 * MINUTE)
  const taken = { schedule_id: schedule.id, user_id: begins.user_id, starts_at: shift.ends_at, ends_at: new Date(end + DAY).toISOString() }
  const override = await s.call(home, 'POST', '/api/v1/on-call/overrides', taken)
  t.equal(override.statusCode, 201, override.body)
  await look(end - HOUR)
  t.same(
    (await noticesOf(s, home)).map(({ user_id }) => user_id),
    [begins.user_id],
    'nobody is reminded of a shift that somebody else has taken'
  )
})

t.test('channels are notified who is on call', async (t) => {
  const s = await stand(t, { jobs: true })
  const home = await s.workspace('notices')
  const target = await receiver(t)
  const ann = await person(s, home, 'ann-notice', 'responder')
  const bob = await person(s, home, 'bob-notice', 'responder')
  const SCHEDULES = '/api/v1/on-call/schedules'
  const layers = [
    { name: 'all', participants: [ann.user_id, bob.user_id], rotation: 'daily', handoff_time: '09:00', starts_on: '2026-01-01' }
  ]
  const hook = (name: string) => channel(s, home, { config: { url: `${target.url}/${name}` }, is_default: false, events: ['down'] })
  const [one, other] = [await hook('one'), await hook('other')]
  const notices = [
    { channel_id: one, when: 'on_change' },
    { channel_id: other, when: 'daily', at: '12:00' }
  ]
  const made = await s.call(home, 'POST', SCHEDULES, { name: 'Primary', time_zone: 'UTC', layers, notices })
  t.equal(made.statusCode, 201, made.body)
  const { id, next_shifts } = made.json() as { id: string; next_shifts: { starts_at: string; user_ids: string[] }[] }
  const shift = next_shifts.find(({ starts_at }) => Date.parse(starts_at) > Date.now())
  const start = Date.parse(shift?.starts_at ?? '')
  const name = shift?.user_ids[0] === ann.user_id ? 'ann-notice' : 'bob-notice'
  // Reminders to the person of the shift are tested elsewhere.
  for (const who of [ann, bob]) await wishes(s, who, { shift_reminders_minutes: [], handoff_summary: false })
  const look = async (at: number): Promise<void> => {
    await s.systemPool.query("UPDATE schedules SET reminders_at = '-infinity'")
    await tellShifts(s.systemPool, codec, log, at)
  }
  const rows = async () =>
    (
      await s.systemPool.query<{ event: string; channel_id: string; state: string; suppressed_by: string | null; why: object }>(
        `SELECT d.event, d.channel_id, d.state, d.suppressed_by, i.why FROM deliveries d JOIN intents i USING (tenant_id, intent_id)
          WHERE d.tenant_id = $1 ORDER BY d.seq`,
        [home.tenant_id]
      )
    ).rows

  await t.test('a channel is notified at a shift change or at its daily hour, once each', async (t) => {
    notifier(t, s)
    await look(start - MINUTE)
    t.same(await rows(), [])
    await Promise.all([look(start), look(start)])
    await look(start + MINUTE)
    await look(start + 3 * HOUR)
    await look(start + 3 * HOUR + MINUTE)
    // They were scheduled for an hour that has not come yet.
    await s.systemPool.query('UPDATE deliveries SET next_at = now() WHERE tenant_id = $1 AND open', [home.tenant_id])
    await until('both to be sent', async () => (await rows()).filter(({ state }) => state === 'delivered').length === 2)
    t.match(await rows(), [
      { event: 'on_call', channel_id: one, why: { by: 'preference', schedule_id: id, when: 'on_change' } },
      { event: 'on_call', channel_id: other, why: { when: 'daily' } }
    ])
    t.equal((await rows()).length, 2)
    const heard = JSON.parse(target.received.find(({ path }) => path === '/one')?.body ?? '{}')
    t.match(heard, { event: 'oncall.current', incident: null, severity: 'info', test: false })
    t.match(heard.message, new RegExp(`^Now: ${name}\\.\nUntil [\\d-]+ 09:00 \\(UTC\\)\\.\nNext: (ann|bob)-notice\\.$`))
  })

  await t.test('a channel without access to a private team gets no on-call notice', async (t) => {
    const team = await secretTeam(s, home)
    await s.systemPool.query('UPDATE schedules SET team_id = $2 WHERE schedule_id = $1', [id, team])
    const before = (await rows()).length
    await look(start + DAY)
    t.match((await rows()).slice(before), [{ event: 'on_call', state: 'suppressed', suppressed_by: 'not_visible' }])
    await s.systemPool.query('UPDATE notification_channels SET allowed_team_ids = $2 WHERE channel_id = $1', [other, [team]])
    await look(start + DAY + 3 * HOUR)
    t.match((await rows()).slice(before + 1), [{ channel_id: other, suppressed_by: null }])
  })

  await t.test('an on-call notice with an unfit channel or schedule is refused', async (t) => {
    const pager = await channel(s, home, { kind: 'pagerduty', config: { integration_key: 'x' } })
    const desk = await channel(s, home, { kind: 'jira', config: {} })
    for (const [notice, detail] of [
      [
        { channel_id: pager, when: 'on_change' },
        { path: 'notices[0].channel_id', rule: 'unfit_channel' }
      ],
      [
        { channel_id: desk, when: 'on_change' },
        { path: 'notices[0].channel_id', rule: 'unfit_channel' }
      ],
      [
        { channel_id: one, when: 'on_change', at: '09:00' },
        { path: 'notices[0].at', rule: 'not_allowed' }
      ],
      [
        { channel_id: one, when: 'on_change', days: ['mon'] },
        { path: 'notices[0].days', rule: 'not_allowed' }
      ]
    ] as const) {
      const answer = await s.call(home, 'PATCH', `${SCHEDULES}/${id}`, { notices: [notice] })
      t.match([answer.statusCode, answer.json().details], [422, [detail]], answer.body)
    }
  })
})
