/**
 * Tests of a calendar that overrides a schedule: it is set, shown without its path, read from a
 * server, and updated as it changes.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { OverrideDetail, ScheduleDetail } from '../../../schemas/http/on-call.ts'
import { SendFailure } from '../../../services/delivery/failure.ts'
import { createHttpSender, type HttpSender } from '../../../services/delivery/http.ts'
import { createAddressGuard } from '../../../services/http/address-guard.ts'
import { createResolver } from '../../../services/http/resolve.ts'
import { createCalendarProcess } from '../../../services/notifier/calendar-reader.ts'
import { readCalendars } from '../../../services/notifier/calendars.ts'
import { until } from '../../harness/until.ts'
import { ask, daily, done, HOUR, nowItem, ROOT, schedule } from './on-calling.ts'
import { person } from './people.ts'
import { SECRETS_KEY, stand } from './stand.ts'

const stamp = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
const event = (title: string, from: number, to: number): string =>
  ['BEGIN:VEVENT', `UID:${title}`, `SUMMARY:${title}`, `DTSTART:${stamp(from)}`, `DTEND:${stamp(to)}`, 'END:VEVENT'].join('\r\n')
const calendar = (...events: string[]): string => ['BEGIN:VCALENDAR', 'VERSION:2.0', ...events, 'END:VCALENDAR', ''].join('\r\n')

t.test('a calendar overrides a schedule', async (t) => {
  const s = await stand(t, { config: { channelAllowCidrs: ['127.0.0.0/8'] } })
  const home = await s.workspace('calendar', 'pro')
  const [ann, ben] = [await person(s, home, 'calendar-ann', 'responder'), await person(s, home, 'calendar-ben', 'responder')]
  const mailOf = async (user_id: string): Promise<string> =>
    (await s.systemPool.query<{ email: string }>('SELECT email FROM users WHERE user_id = $1', [user_id])).rows[0]?.email ?? ''
  let answer: { status: number; body: string; location?: string; bodies?: Record<string, string> } = { status: 200, body: calendar() }
  const asked: string[] = []
  const server = createServer((request, reply) => {
    asked.push(request.url ?? '')
    reply
      .writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location })
      .end(answer.bodies?.[request.url ?? ''] ?? answer.body)
    if (answer.location !== undefined) answer = { status: 200, body: answer.body }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const guard = createAddressGuard({ open: ['127.0.0.0/8'], closed: [], own: [] })
  const http = createHttpSender({ guard, resolve: createResolver(), allowHttp: true })
  t.teardown(() => http.close())
  const warned: unknown[] = []
  const log = { warn: (fields: unknown) => warned.push(fields) } as never
  // This machine may be busy, so processor time alone decides.
  const process = createCalendarProcess(log, { processorMs: 1000, clockMs: 120_000 })
  t.teardown(() => process.end())
  const read = async (): Promise<number> => {
    await s.systemPool.query('UPDATE schedule_calendars SET next_at = now()')
    return readCalendars({ pool: s.systemPool, http, secretsKey: SECRETS_KEY, process, log })
  }
  const url = `${origin}/secret-path/basic.ics?key=hidden`
  const { id } = await schedule(s, home, [daily([home.user_id])], { ical_overrides_url: url })
  const shown = async (): Promise<ScheduleDetail> => done(ask(s, home, 'GET', `${ROOT}/schedules/${id}`), 200)
  const overrides = async (): Promise<OverrideDetail[]> =>
    (await done(ask(s, home, 'GET', `${ROOT}/overrides?schedule_id=${id}&from=${new Date().toISOString()}`), 200)).items
  const hour = Math.floor(Date.now() / HOUR) * HOUR

  await t.test('the secret part of the calendar URL is neither shown nor stored in plain text', async (t) => {
    const { ical_overrides_url, ical_overrides } = await shown()
    t.match(ical_overrides_url, /^https:\/\/127\.0\.0\.1:[0-9]+\/…$/)
    t.same(ical_overrides, { read_at: null, error: null, events: 0, unmatched: [] })
    const { rows } = await s.systemPool.query(
      'SELECT * FROM schedule_calendars c, LATERAL (SELECT jsonb_agg(body) AS body FROM config_versions) v, LATERAL (SELECT jsonb_agg(diff) AS diff FROM audit) a'
    )
    t.notMatch(JSON.stringify(rows), /secret-path|hidden/, 'nothing that is stored tells it')
    const same = await done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { ical_overrides_url, description: 'x' }), 200)
    t.equal(same.ical_overrides_url, ical_overrides_url, 'sent as it is shown it stays')
    const refused: [unknown, string][] = [
      ['ftp://a.test/x', 'pattern'],
      ['https://', 'format'],
      ['https://me:pw@calendar.example.com/x', 'format'],
      ['https://10.0.0.1/x', 'blocked_target'],
      [`https://a.test/${'x'.repeat(2000)}`, 'length'],
      [7, 'type']
    ]
    for (const [given, rule] of refused) {
      const got = await ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { ical_overrides_url: given })
      t.equal(got.statusCode, 422, String(given).slice(0, 40))
      t.equal(got.json().details[0].path, 'ical_overrides_url')
      t.equal(got.json().details[0].rule, rule, String(given).slice(0, 40))
    }
  })

  await t.test('calendar events become overrides and follow the changes of the calendar', async (t) => {
    const now = event(await mailOf(ann.user_id), hour, hour + 3 * HOUR)
    const soon = event(`On call: ${await mailOf(ben.user_id)}`, hour + 5 * HOUR, hour + 6 * HOUR)
    answer = { status: 302, body: calendar(now, soon, event('Lunch', hour + 5 * HOUR, hour + 6 * HOUR)), location: '/moved.ics' }
    t.equal(await read(), 1)
    t.same(asked.slice(-2), ['/secret-path/basic.ics?key=hidden', '/moved.ics'], 'a redirect is followed')
    t.same(
      (await nowItem(s, home, id)).users.map(({ id }) => id),
      [ann.user_id],
      'who is in the calendar now is on call'
    )
    const { ical_overrides } = await shown()
    t.match(ical_overrides, { error: null, events: 2, unmatched: ['Lunch'] })
    const first = await overrides()
    t.same(
      first.map(({ user_id, created_by }) => [user_id, created_by]).sort(),
      [
        [ann.user_id, 'system:calendar'],
        [ben.user_id, 'system:calendar']
      ].sort()
    )
    await read()
    t.same((await overrides()).map(({ id }) => id).sort(), first.map(({ id }) => id).sort(), 'read again it changes nothing')
    const [moved] = [event(`On call: ${await mailOf(ben.user_id)}`, hour + 7 * HOUR, hour + 8 * HOUR)]
    answer = { status: 200, body: calendar(moved) }
    await read()
    t.same(
      (await overrides()).map(({ user_id, starts_at }) => [user_id, Date.parse(starts_at)]),
      [[ben.user_id, hour + 7 * HOUR]]
    )
    t.same(
      (await nowItem(s, home, id)).users.map(({ id }) => id),
      [home.user_id],
      'what ended gives the shift back'
    )
  })

  await t.test('a calendar that cannot be read changes nothing, and its error is shown', async (t) => {
    const cases: [typeof answer, RegExp][] = [
      [{ status: 404, body: '' }, /answers 404/],
      [{ status: 200, body: '<html>' }, /no iCalendar file/],
      [{ status: 200, body: 'x'.repeat(1_100_000) }, /larger than 1 MiB/]
    ]
    for (const [next, reason] of cases) {
      answer = next
      t.equal(await read(), 0)
      t.match((await shown()).ical_overrides, { error: reason, events: 1 })
      t.equal((await overrides()).length, 1)
    }
    t.same(warned, [])
  })

  await t.test('a calendar that is never read to its end stops no calendar of another workspace', async (t) => {
    const other = await s.workspace('calendar-other', 'pro')
    const theirs = await schedule(s, other, [daily([other.user_id])], { ical_overrides_url: `${origin}/theirs.ics` })
    const endless = ['BEGIN:VEVENT', 'DTSTART:20260101T000000Z', 'DURATION:PT8H', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'END:VEVENT']
    answer = {
      status: 200,
      body: calendar(event('Lunch', hour, hour + HOUR)),
      bodies: { '/secret-path/basic.ics?key=hidden': calendar(...endless) }
    }
    t.equal(await read(), 1)
    t.match((await shown()).ical_overrides, { error: /^It takes too long to read/, events: 1 })
    t.equal((await overrides()).length, 1, 'what was read before holds')
    t.match((await done(ask(s, other, 'GET', `${ROOT}/schedules/${theirs.id}`), 200)).ical_overrides, { error: null, unmatched: ['Lunch'] })
    t.same(warned, [])
    await done(ask(s, other, 'DELETE', `${ROOT}/schedules/${theirs.id}`), 204)
  })

  await t.test('a title with a NUL, or that is cut in the middle of a character, is kept once', async (t) => {
    const [from, to] = [hour + 2 * HOUR, hour + 3 * HOUR]
    const mail = await mailOf(ann.user_id)
    answer = {
      status: 200,
      body: calendar(event(`\0 ${mail}`, from, to), event(`${`${mail} `.padEnd(199, 'x')}😀`, from, to), event('\0', from, to))
    }
    t.equal(await read(), 1)
    t.match((await shown()).ical_overrides, { error: null, events: 2, unmatched: ['\uFFFD'] })
    const first = await overrides()
    t.same(
      first.map(({ reason }) => reason.at(0) === '\uFFFD' || reason.endsWith('\uFFFD')),
      [true, true]
    )
    t.equal(await read(), 1)
    t.same((await overrides()).map(({ id }) => id).sort(), first.map(({ id }) => id).sort(), 'the same, read again')
  })

  await t.test('removing the calendar removes its overrides', async (t) => {
    const { ical_overrides_url, ical_overrides } = await done(
      ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { ical_overrides_url: null }),
      200
    )
    t.equal(ical_overrides_url, null)
    t.equal(ical_overrides, null)
    t.same(await overrides(), [])
    t.equal(await read(), 0)
    await done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { ical_overrides_url: url }), 200)
    await done(ask(s, home, 'DELETE', `${ROOT}/schedules/${id}`), 204)
    t.same((await s.systemPool.query('SELECT FROM schedule_calendars')).rowCount, 0, 'it ends with its schedule')
  })
})

t.test('slow calendars of one workspace do not hold up those of others', async (t) => {
  const s = await stand(t, { config: { channelAllowCidrs: ['127.0.0.0/8'] } })
  const [slow, quick] = [await s.workspace('calendar-slow', 'business'), await s.workspace('calendar-quick', 'pro')]
  const waiting: { url: string; fail: () => void }[] = []
  const limits: (number | undefined)[] = []
  let most = 0
  let isOver = false
  const http: HttpSender = {
    async send({ url }, given) {
      if (url.includes('/quick')) return { status: 200, headers: {}, body: calendar() } as never
      if (url.includes('/moves')) {
        limits.push(given?.totalMs)
        await new Promise((resolve) => setTimeout(resolve, 20))
        return { status: 302, headers: { location: '/moves' }, body: '' } as never
      }
      const late = new SendFailure('timeout', 'No answer within 20 s')
      if (isOver) throw late
      return new Promise((_, reject) => {
        waiting.push({ url, fail: () => reject(late) })
        most = Math.max(most, waiting.length)
      })
    },
    close: () => undefined
  }
  const warned: unknown[] = []
  const log = { warn: (fields: unknown) => warned.push(fields) } as never
  const process = createCalendarProcess(log, { processorMs: 1000, clockMs: 120_000 })
  t.teardown(() => process.end())
  const read = (): Promise<number> => readCalendars({ pool: s.systemPool, http, secretsKey: SECRETS_KEY, process, log })
  for (let index = 0; index < 10; index++)
    await schedule(s, slow, [daily([slow.user_id])], { name: `slow ${index}`, ical_overrides_url: `https://127.0.0.1/slow-${index}` })
  const { id } = await schedule(s, quick, [daily([quick.user_id])], { ical_overrides_url: 'https://127.0.0.1/quick' })
  const minutes = async (): Promise<number[]> => {
    const { rows } = await s.systemPool.query<{ minutes: number }>(
      'SELECT DISTINCT round(extract(epoch FROM next_at - now()) / 600)::integer * 10 AS minutes FROM schedule_calendars WHERE tenant_id = $1 ORDER BY 1',
      [slow.tenant_id]
    )
    return rows.map((row) => row.minutes)
  }

  const first = read()
  const readAt = async (): Promise<string | null | undefined> =>
    (await done(ask(s, quick, 'GET', `${ROOT}/schedules/${id}`), 200)).ical_overrides?.read_at
  t.ok(await until('the calendar of the other workspace', readAt), 'it is read while ten slow ones are due before it')
  t.equal(most, 2, 'two of the slow workspace are read at once')
  isOver = true
  for (const { fail } of waiting) fail()
  t.equal(await first, 1)
  t.same(await minutes(), [10])
  for (const expected of [20, 40, 40]) {
    await s.systemPool.query('UPDATE schedule_calendars SET next_at = now() WHERE tenant_id = $1', [slow.tenant_id])
    t.equal(await read(), 0)
    t.same(await minutes(), [expected], 'later and later after each time-out')
  }
  await done(ask(s, quick, 'PATCH', `${ROOT}/schedules/${id}`, { ical_overrides_url: 'https://127.0.0.1/moves' }), 200)
  t.equal(await read(), 0)
  t.equal(limits.length, 4)
  t.ok(
    limits.slice(1).every((limit, at) => Number(limit) < Number(limits[at])),
    'a calendar has one limit with its redirects'
  )
  t.same(warned, [])
})

t.test('what people decide holds against a calendar', async (t) => {
  const s = await stand(t, { config: { channelAllowCidrs: ['127.0.0.0/8'] } })
  const home = await s.workspace('calendar-people', 'pro')
  const [robin, sam] = [await person(s, home, 'calendar-robin', 'responder'), await person(s, home, 'calendar-sam', 'responder')]
  let body = calendar()
  const http = { send: async () => ({ status: 200, headers: {}, body }), close: () => undefined } as never as HttpSender
  const warned: unknown[] = []
  const log = { warn: (fields: unknown) => warned.push(fields) } as never
  const process = createCalendarProcess(log, { processorMs: 1000, clockMs: 120_000 })
  t.teardown(() => process.end())
  const read = async (events: string): Promise<void> => {
    body = calendar(events)
    await s.systemPool.query('UPDATE schedule_calendars SET next_at = now()')
    t.equal(await readCalendars({ pool: s.systemPool, http, secretsKey: SECRETS_KEY, process, log }), 1)
    t.same(warned, [])
  }
  const { id } = await schedule(s, home, [daily([home.user_id])], { ical_overrides_url: 'https://127.0.0.1/people' })
  const whoAt = async (at: number): Promise<string[]> => (await nowItem(s, home, id, at)).users.map((one) => one.id)
  const [from, to] = [Date.now() + 24 * HOUR, Date.now() + 30 * HOUR]
  const noon = from + HOUR

  await t.test('an override by a person holds, whatever the calendar says later', async (t) => {
    const span = { starts_at: new Date(from).toISOString(), ends_at: new Date(from + 3 * HOUR).toISOString() }
    await done(ask(s, home, 'POST', `${ROOT}/overrides`, { schedule_id: id, user_id: sam.user_id, ...span }))
    await read(event(robin.email, from, to))
    t.same(await whoAt(noon), [sam.user_id])
    t.same(await whoAt(to - HOUR), [robin.user_id], 'the calendar has the rest')
    await read(event(`Changed: ${robin.email}`, from, to))
    t.same(await whoAt(noon), [sam.user_id], 'also after a change of the event')
    await s.systemPool.query('UPDATE on_call_overrides SET from_calendar = false WHERE schedule_id = $1', [id])
    t.same(await whoAt(noon), [sam.user_id], 'also when an older version has read the calendar')
  })

  await t.test('who takes the overrides of a member who may no longer act keeps them', async (t) => {
    const [later, end] = [from + 48 * HOUR, from + 50 * HOUR]
    const both = [event(`First: ${robin.email}`, later, end), event(`Second: ${robin.email}`, end, end + HOUR)].join('\r\n')
    await read(both)
    t.same(await whoAt(later), [robin.user_id])
    const change = { role: 'viewer', replace_with: sam.user_id }
    await done(ask(s, home, 'PATCH', `/api/v1/workspace/members/${robin.user_id}`, change), 200)
    await read(both)
    t.same(await whoAt(later), [sam.user_id])
    t.same(
      (await done(ask(s, home, 'GET', `${ROOT}/schedules/${id}`), 200)).ical_overrides.unmatched,
      [`First: ${robin.email}`, `Second: ${robin.email}`],
      'the schedule shows what nobody has'
    )
    const owner = (await s.systemPool.query<{ email: string }>('SELECT email FROM users WHERE user_id = $1', [home.user_id])).rows[0]
    await read([event(String(owner?.email), later, end), event('Lunch', end, end + HOUR)].join('\r\n'))
    t.same(await whoAt(later), [home.user_id], 'the calendar may name somebody else then')
    t.same(await whoAt(end), [sam.user_id])
    await done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { ical_overrides_url: null }), 200)
    t.same(await whoAt(end), [home.user_id], 'what came from the calendar ends with it')
    t.same(await whoAt(noon), [sam.user_id], 'what a person decided stays')
  })
})
