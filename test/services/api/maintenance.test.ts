/**
 * Tests of maintenance windows over the API: their fields, who sees and changes them, and what they
 * hold.
 */
import t from 'tap'
import type { WindowDetail } from '../../../schemas/http/maintenance.ts'
import { spanRows } from '../../../services/analytics/window-spans.ts'
import { currentWindows, forgetWindows, lockWindow } from '../../../services/store/maintenance.ts'
import { turnWindow } from '../../../services/store/maintenance-turns.ts'
import { transaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { create as monitor, setState } from './monitoring.ts'
import { audited, type Person, person } from './people.ts'
import { ORIGIN, type Stand, stand, type Workspace } from './stand.ts'
import { heartbeat } from './watched.ts'
import { age } from './windows.ts'

const WINDOWS = '/api/v1/maintenance-windows'
const NOBODY = '01890000-0000-7000-8000-000000000000'
const HOUR = 3_600_000
const DAY = 24 * HOUR

const ask = (s: Stand, who: Workspace | Person, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  'cookie' in who
    ? s.call(null, method, path, body ?? (method === 'GET' ? undefined : {}), {
        headers: { cookie: who.cookie, origin: ORIGIN, ...headers }
      })
    : s.call(who, method, path, body ?? (method === 'POST' ? {} : undefined), { headers })

const later = (ms: number): string => new Date(Date.now() + ms).toISOString()
const once = (from = 0, to = HOUR) => ({ kind: 'once', starts_at: later(from), ends_at: later(to) })
const sundays = {
  kind: 'recurring',
  rrule: 'FREQ=WEEKLY;BYDAY=SU',
  time_zone: 'europe/berlin',
  starts_on: '2026-01-01',
  at: '02:30',
  duration_minutes: 60
}
const plain = () => ({ name: 'Databases move', scope: { all: true }, schedule: once() })

async function window(s: Stand, who: Workspace | Person, body: object = {}): Promise<WindowDetail> {
  const answer = await ask(s, who, 'POST', WINDOWS, { ...plain(), ...body })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

async function team(s: Stand, who: Workspace | Person, body: object): Promise<string> {
  const answer = await ask(s, who, 'POST', '/api/v1/teams', body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

const heldBy = async (s: Stand, who: Workspace | Person, incident_id: string) =>
  (await ask(s, who, 'GET', `/api/v1/incidents/${incident_id}`)).json().held_by

t.test('maintenance windows', async (t) => {
  const s = await stand(t)

  await t.test('a maintenance window can be created, read, changed, ended and deleted', async (t) => {
    const home = await s.workspace('plain')
    const answer = await ask(s, home, 'POST', WINDOWS, { ...plain(), reason: 'New disks' })
    t.equal(answer.statusCode, 201, answer.body)
    t.equal(answer.headers.etag, '"1"')
    const made: WindowDetail = answer.json()
    t.match(made, {
      tenant_id: home.tenant_id,
      origin: 'planned',
      name: 'Databases move',
      reason: 'New disks',
      scope: { all: true, monitor_ids: [], tags: [], matchers: [] },
      effect: 'suppress_notifications',
      schedule: { kind: 'once', rrule: null },
      settle_seconds: 120,
      count_in_uptime: false,
      state: 'active',
      ends_at: made.schedule.ends_at,
      next_occurrences: [{ ends_at: made.ends_at }],
      created_by: `token:${home.token_id}`,
      version: 1
    })
    const path = `${WINDOWS}/${made.id}`
    t.same((await ask(s, home, 'GET', path)).json(), made)
    t.same((await ask(s, home, 'GET', `${WINDOWS}/${made.id.toUpperCase()}`)).json(), made)

    const changed = await ask(s, home, 'PATCH', path, { name: 'Still', settle_seconds: 0 }, { 'if-match': '"1"' })
    t.match(changed.json(), { name: 'Still', settle_seconds: 0, reason: 'New disks', starts_at: made.starts_at, version: 2 })
    t.equal((await ask(s, home, 'PATCH', path, { name: 'Still' })).json().version, 2, 'what changes nothing is no version')
    t.match((await ask(s, home, 'PATCH', path, { name: 'x' }, { 'if-match': '"1"' })).json(), { code: 'VERSION_MISMATCH', version: 2 })
    t.match((await ask(s, home, 'PUT', path, plain())).json(), { name: 'Databases move', reason: null, settle_seconds: 120, version: 3 })
    const { rows: versions } = await s.systemPool.query(
      "SELECT version FROM config_versions WHERE kind = 'maintenance_window' AND id = $1 ORDER BY 1",
      [made.id]
    )
    t.same(versions, [{ version: 1 }, { version: 2 }, { version: 3 }], 'every version stays')

    t.match((await ask(s, home, 'POST', `${path}/end-now`)).json(), { state: 'ended', next_occurrences: [], version: 4 })
    t.match((await ask(s, home, 'POST', `${path}/end-now`)).json(), { code: 'CONFLICT' })
    t.match((await ask(s, home, 'PATCH', path, { name: 'x' })).json(), { code: 'CONFLICT' })
    t.equal((await ask(s, home, 'DELETE', path, undefined, { 'if-match': '"3"' })).statusCode, 412)
    t.equal((await ask(s, home, 'DELETE', path)).statusCode, 204)
    t.equal((await ask(s, home, 'GET', path)).statusCode, 404)
    t.equal((await ask(s, home, 'DELETE', path)).statusCode, 404)
    t.same(await audited(s, home.tenant_id, made.id), [
      'maintenance_window.created',
      'maintenance_window.updated',
      'maintenance_window.updated',
      'maintenance_window.ended',
      'maintenance_window.deleted'
    ])
    const records = await currentWindows(s.systemPool, [made.id])
    t.match(
      records.get(made.id),
      { ver: 5, state: 'ended', spans: [{}], effect: 'suppress_notifications' },
      'what it was stays, for uptime'
    )
    const { rows } = await s.systemPool.query('SELECT payload, topic FROM outbox WHERE aggregate = $1', [`maintenance:${made.id}`])
    t.equal(rows.length, 5)
    t.match(rows[0], { payload: null, topic: 'maintenance.windows.v1' })
    t.equal((await ask(s, home, 'GET', `${WINDOWS}/${NOBODY}`)).statusCode, 404)
  })

  await t.test('a recurring window follows its rule, and ending it early keeps later occurrences', async (t) => {
    const home = await s.workspace('recurring')
    // The window is days away, so that it does not run now.
    const day = new Date(Date.now() + 3 * 24 * HOUR).getUTCDay()
    const rrule = `FREQ=WEEKLY;BYDAY=${['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][day]}`
    const made = await window(s, home, { schedule: { ...sundays, rrule, exdates: ['2026-01-04'] } })
    t.match(made.schedule, { kind: 'recurring', time_zone: 'Europe/Berlin', starts_on: '2026-01-01', at: '02:30', exdates: ['2026-01-04'] })
    t.equal(made.next_occurrences.length, 5)
    for (const { starts_at, ends_at } of made.next_occurrences) {
      t.equal(Date.parse(ends_at) - Date.parse(starts_at), HOUR)
      t.equal(new Date(starts_at).getUTCDay(), day)
    }
    t.equal(made.starts_at, made.next_occurrences[0]?.starts_at)
    t.match(await window(s, home, { schedule: { ...sundays, rrule: 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29' } }), {
      state: 'scheduled',
      schedule: { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29' },
      starts_at: '2028-02-29T01:30:00.000Z'
    })
    const always = await window(s, home, { schedule: { ...sundays, rrule: 'FREQ=DAILY', at: '00:00', duration_minutes: 1440 } })
    t.equal(always.state, 'active')
    const ended = (await ask(s, home, 'POST', `${WINDOWS}/${always.id}/end-now`)).json()
    t.equal(ended.state, 'scheduled', 'it comes again')
    t.equal(ended.next_occurrences[0].starts_at, always.next_occurrences[1]?.starts_at, 'with the day that follows at once')
  })

  await t.test('a change begins a version for uptime, and the window’s own job does not', async (t) => {
    const home = await s.workspace('versions')
    const [a, b] = [await monitor(s, home), await monitor(s, home)]
    const { tenant_id } = home
    const daily = { ...sundays, rrule: 'FREQ=DAILY' }
    const { id } = await window(s, home, { scope: { monitor_ids: [a.id] }, schedule: daily })
    const record = async () => {
      const found = (await currentWindows(s.systemPool, [id])).get(id)
      if (!found) throw new Error('no record')
      return found
    }
    const made = await record()
    const now = Date.now() + 3 * DAY
    await transaction(s.systemPool, async (tx) => {
      const stored = await lockWindow(tx, tenant_id, id)
      if (stored) await turnWindow(tx, localCodec(), stored, { now, src: 'job:x' })
    })
    const turned = await record()
    t.ok(turned.ver > made.ver && turned.spans.length >= made.spans.length)
    t.equal(turned.updated_at, made.updated_at, 'the same version, with more occurrences')
    t.equal((await ask(s, home, 'PATCH', `${WINDOWS}/${id}`, { scope: { monitor_ids: [b.id] } })).statusCode, 200)
    const changed = await record()
    t.ok(changed.updated_at > turned.updated_at)
    t.equal(spanRows(changed)[0]?.valid_from, changed.updated_at)
  })

  await t.test('windows are listed by state and removed 90 days after their end', async (t) => {
    const home = await s.workspace('states')
    const shop = await monitor(s, home, { tags: ['shop'] })
    await window(s, home, { name: 'planned', scope: { monitor_ids: [shop.id] }, schedule: once(HOUR, 2 * HOUR) })
    await window(s, home, { name: 'runs', scope: { tags: ['shop', 'till'] } })
    const over = await window(s, home, { name: 'over', scope: { tags: ['till'] } })
    await age(s, over.id, 2 * HOUR)
    const listed = async (query = ''): Promise<string[]> =>
      (await ask(s, home, 'GET', `${WINDOWS}${query}`)).json().items.map((one: WindowDetail) => `${one.name} ${one.state}`)
    t.same(await listed(), ['planned scheduled', 'runs active', 'over ended'])
    t.same(await listed('?state=active'), ['runs active'])
    t.same(await listed('?state=scheduled&state=ended'), ['planned scheduled', 'over ended'])
    t.same(await listed(`?monitor_id=${shop.id}`), ['planned scheduled', 'runs active'])
    t.same(await listed(`?monitor_id=${NOBODY}`), [])
    t.match((await ask(s, home, 'GET', `${WINDOWS}?per_page=1&page=2`)).json(), { total: 3, items: [{ name: 'runs' }] })
    t.equal((await ask(s, home, 'GET', `${WINDOWS}?state=asleep`)).statusCode, 422)
    await age(s, over.id, 89 * DAY)
    t.equal(await forgetWindows(s.systemPool), 0)
    await age(s, over.id, DAY)
    t.equal(await forgetWindows(s.systemPool), 1)
    t.same(await listed(), ['planned scheduled', 'runs active'])
  })

  await t.test('an invalid maintenance window is refused with its path and rule', async (t) => {
    const home = await s.workspace('refusals')
    const theirs = await monitor(s, s.globex)
    const schedule = (over: object) => ({ schedule: { ...sundays, ...over } })
    const bad: [string, object, string][] = [
      ['no name', { name: undefined }, 'name required'],
      ['no scope', { scope: undefined }, 'scope required'],
      ['a scope that names nothing', { scope: {} }, 'scope empty_scope'],
      ['all and a list', { scope: { all: true, tags: ['x'] } }, 'scope.tags mutually_exclusive'],
      ['a monitor of another workspace', { scope: { monitor_ids: [theirs.id] } }, 'scope.monitor_ids[0] unknown_monitor'],
      ['a heartbeat that is not there', { scope: { heartbeat_ids: [NOBODY] } }, 'scope.heartbeat_ids[0] unknown_heartbeat'],
      ['an integration that is not there', { scope: { integration_ids: [NOBODY] } }, 'scope.integration_ids[0] unknown_integration'],
      ['an unknown field', { scope: { matchers: [{ field: 'colour', op: 'eq', value: 'x' }] } }, 'scope.matchers[0].field enum'],
      [
        'a team that is not there',
        { scope: { matchers: [{ field: 'team_id', op: 'eq', value: NOBODY }] } },
        'scope.matchers[0].value unknown_team'
      ],
      [
        'what is not checked',
        { effect: 'pause_checks', scope: { integration_ids: [home.integration_id] } },
        'scope.integration_ids mutually_exclusive'
      ],
      ['an unknown effect', { effect: 'mute' }, 'effect enum'],
      ['an end that has passed', { schedule: once(-2 * HOUR, -HOUR) }, 'schedule.ends_at empty_interval'],
      ['an end before the beginning', { schedule: once(2 * HOUR, HOUR) }, 'schedule.ends_at empty_interval'],
      ['too long', { schedule: once(0, 31 * DAY + HOUR) }, 'schedule.ends_at max'],
      ['too far ahead', { schedule: once(800 * DAY, 801 * DAY) }, 'schedule.starts_at max'],
      ['no begin', { schedule: { kind: 'once', ends_at: later(HOUR) } }, 'schedule.starts_at required'],
      ['a field of the other kind', { schedule: { ...once(), rrule: 'FREQ=DAILY' } }, 'schedule.rrule unknown_field'],
      ['the same the other way', schedule({ ends_at: later(HOUR) }), 'schedule.ends_at unknown_field'],
      ['no rule', schedule({ rrule: undefined }), 'schedule.rrule required'],
      ['what is no rule', schedule({ rrule: 'FREQ=HOURLY' }), 'schedule.rrule pattern'],
      ['no zone', schedule({ time_zone: 'Europe/Atlantis' }), 'schedule.time_zone unknown_zone'],
      ['no date', schedule({ starts_on: '2026-02-30' }), 'schedule.starts_on pattern'],
      ['no time', schedule({ at: '25:00' }), 'schedule.at pattern'],
      ['a day that is none', schedule({ exdates: ['2026-02-30'] }), 'schedule.exdates[0] pattern'],
      ['never', schedule({ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }), 'schedule empty_interval'],
      ['what is over', schedule({ rrule: 'FREQ=DAILY;UNTIL=20260102' }), 'schedule empty_interval'],
      ['no settle time', { settle_seconds: 1801 }, 'settle_seconds max'],
      ['another field', { colour: 'red' }, 'colour unknown_field']
    ]
    for (const [name, body, fault] of bad)
      for (const query of ['', '?preview=true']) {
        const answer = await ask(s, home, 'POST', `${WINDOWS}${query}`, { ...plain(), ...body })
        const [detail] = answer.json().details ?? []
        t.equal(`${answer.statusCode} ${detail?.path} ${detail?.rule}`, `422 ${fault}`, `${name}${query}: ${answer.body}`)
      }
    t.match((await ask(s, home, 'GET', WINDOWS)).json(), { total: 0 })
    const { id } = await window(s, home)
    for (const [name, body, fault] of bad.filter(([, given]) => !Object.values(given).includes(undefined))) {
      const [detail] = (await ask(s, home, 'PATCH', `${WINDOWS}/${id}`, body)).json().details ?? []
      t.equal(`${detail?.path} ${detail?.rule}`, fault, `changed to ${name}`)
    }
    t.match((await ask(s, home, 'GET', `${WINDOWS}/${id}`)).json(), { version: 1 })
  })

  await t.test('the plan limits the number of windows, and a preview saves nothing', async (t) => {
    const home = await s.workspace('limits', 'free')
    const { id: monitor_id } = await monitor(s, home, { interval_seconds: 600, tags: ['shop'] })
    await heartbeat(s, home, 'nightly')
    const preview = await ask(s, home, 'POST', `${WINDOWS}?preview=true`, { ...plain(), schedule: sundays })
    t.equal(preview.statusCode, 200, preview.body)
    t.match(preview.json(), { matched: { monitors: 1, heartbeats: 1 }, next_occurrences: [{}, {}, {}, {}, {}] })
    const tagged = await ask(s, home, 'POST', `${WINDOWS}?preview=true`, { ...plain(), scope: { tags: ['shop'] } })
    t.match(tagged.json(), { matched: { monitors: 1, heartbeats: 0 } })
    const named = await ask(s, home, 'POST', `${WINDOWS}?preview=true`, { ...plain(), scope: { monitor_ids: [monitor_id] } })
    t.match(named.json(), { matched: { monitors: 1, heartbeats: 0 } })
    t.match((await ask(s, home, 'GET', WINDOWS)).json(), { total: 0 })
    for (let made = 0; made < 3; made++) await window(s, home)
    t.match((await ask(s, home, 'POST', WINDOWS, plain())).json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      details: [{ limit_key: 'maintenance_windows', limit: 3, actual: 3 }]
    })
    const { items } = (await ask(s, home, 'GET', WINDOWS)).json()
    await ask(s, home, 'POST', `${WINDOWS}/${items[0].id}/end-now`)
    t.equal((await ask(s, home, 'POST', WINDOWS, plain())).statusCode, 201, 'one that is over does not count')
  })

  await t.test('viewers and responders read windows, editors also write them, and billing does neither', async (t) => {
    const home = await s.workspace('rights')
    const { id } = await window(s, home)
    for (const [role, reads, writes] of [
      ['viewer', 200, 403],
      ['responder', 200, 403],
      ['editor', 200, 201],
      ['billing', 403, 403]
    ] as const) {
      const who = await person(s, home, `mw-${role}`, role)
      for (const path of [WINDOWS, `${WINDOWS}/${id}`]) t.equal((await ask(s, who, 'GET', path)).statusCode, reads, `${role} reads`)
      t.equal((await ask(s, who, 'POST', WINDOWS, plain())).statusCode, writes, `${role} makes`)
      t.equal((await ask(s, who, 'PATCH', `${WINDOWS}/${id}`, { name: role })).statusCode, writes === 201 ? 200 : 403, `${role} changes`)
      if (writes === 403) t.equal((await ask(s, who, 'POST', `${WINDOWS}/${id}/end-now`)).statusCode, 403, `${role} ends`)
    }
  })

  await t.test('an incident shows the window that holds it, until the settle time ends', async (t) => {
    const home = await s.workspace('held')
    const { incident_id } = await s.incident(home)
    const made = await window(s, home, { settle_seconds: 60 })
    const hold = { kind: 'maintenance', id: made.id, until: new Date(Date.parse(made.ends_at ?? '') + 60_000).toISOString() }
    t.same(await heldBy(s, home, incident_id), [hold])
    t.match((await ask(s, home, 'GET', `/api/v1/alerts/${incident_id}`)).json().suppressed_by, { kind: 'maintenance', id: made.id })
    t.match((await ask(s, home, 'GET', `/api/v1/incidents/${incident_id}/explain`)).json().suppressions, [hold])
    await window(s, home, { scope: { integration_ids: [home.integration_id] }, schedule: once(HOUR, 2 * HOUR) })
    t.equal((await heldBy(s, home, incident_id)).length, 1, 'not one that is to come')
    await ask(s, home, 'POST', `${WINDOWS}/${made.id}/end-now`)
    t.match(await heldBy(s, home, incident_id), [{ id: made.id }], 'it settles')
    await age(s, made.id, 61_000)
    t.same(await heldBy(s, home, incident_id), [])
  })

  await t.test('a failing monitor is in maintenance while a window covers it', async (t) => {
    const home = await s.workspace('phases')
    const [named, tagged, other, well] = [
      await monitor(s, home, { name: 'Named' }),
      await monitor(s, home, { name: 'Tagged', tags: ['db'] }),
      await monitor(s, home, { name: 'Other' }),
      await monitor(s, home, { name: 'Well', tags: ['db'] })
    ]
    for (const { id } of [named, tagged, other]) await setState(s, home, id, { status: 'down', phase: 'down' })
    await setState(s, home, well.id, { status: 'up', phase: 'ok' })
    const phases = async (): Promise<Record<string, string>> => {
      const { items } = (await ask(s, home, 'GET', '/api/v1/monitors')).json() as { items: { name: string; phase: string }[] }
      return Object.fromEntries(items.map(({ name, phase }) => [name, phase]))
    }
    const failing = { Named: 'down', Other: 'down', Tagged: 'down', Well: 'ok' }
    t.same(await phases(), failing)
    await window(s, home, { scope: { all: true }, schedule: once(HOUR, 2 * HOUR) })
    t.same(await phases(), failing, 'not before it begins')
    const { id } = await window(s, home, { scope: { monitor_ids: [named.id], tags: ['db'] } })
    t.same(await phases(), { ...failing, Named: 'maintenance', Tagged: 'maintenance' })
    t.equal((await ask(s, home, 'GET', '/api/v1/monitors?phase=maintenance')).json().total, 2)
    await s.systemPool.query("UPDATE monitors SET paused_at = now(), pause_reason = 'user' WHERE monitor_id = $1", [named.id])
    t.equal((await phases()).Named, 'paused')
    await ask(s, home, 'POST', `${WINDOWS}/${id}/end-now`)
    t.equal((await phases()).Tagged, 'down')
  })

  await t.test('a window follows what it names to a private team and back', async (t) => {
    const home = await s.workspace('followed')
    const lead = await person(s, home, 'mf-lead', 'editor')
    const outsider = await person(s, home, 'mf-outsider', 'editor')
    const closed = await team(s, lead, { name: 'Closed', visibility: 'private' })
    const made = async (path: string, body: object): Promise<string> => (await ask(s, home, 'POST', `/api/v1/${path}`, body)).json().id
    const heartbeat_id = await made('heartbeats', { name: 'Nightly', schedule: { kind: 'period', period_seconds: 3600 } })
    const monitors = [(await monitor(s, home)).id, (await monitor(s, home)).id]
    const integration = `integrations/inbound/${home.integration_id}`
    const named: [scope: object, path: string][] = [
      [{ monitor_ids: monitors }, `monitors/${monitors[1]}`],
      [{ heartbeat_ids: [heartbeat_id] }, `heartbeats/${heartbeat_id}`],
      [{ integration_ids: [home.integration_id] }, integration]
    ]
    for (const [scope, path] of named) {
      const own = await window(s, outsider, { scope })
      const move = async (team_id: string | null): Promise<void> => {
        const moved = await ask(s, home, 'PATCH', `/api/v1/${path}`, { team_id })
        t.equal(moved.statusCode, 200, moved.body)
      }
      const listed = async () => (await ask(s, outsider, 'GET', WINDOWS)).json().items.some(({ id }: { id: string }) => id === own.id)
      t.equal(await listed(), true)
      await move(closed)
      t.equal(await listed(), false, path)
      for (const method of ['GET', 'PATCH', 'DELETE'] as const)
        t.equal(
          (await ask(s, outsider, method, `${WINDOWS}/${own.id}`, method === 'PATCH' ? { name: 'x' } : undefined)).statusCode,
          404,
          method
        )
      t.equal((await ask(s, outsider, 'POST', `${WINDOWS}/${own.id}/end-now`)).statusCode, 404)
      t.equal((await ask(s, lead, 'GET', `${WINDOWS}/${own.id}`)).statusCode, 200, 'the team sees it')
      await move(null)
      t.equal(await listed(), true, `${path}: back again`)
    }
  })

  await t.test('a window holds nothing of a private team that its author cannot see', async (t) => {
    const home = await s.workspace('teams')
    const lead = await person(s, home, 'mw-lead', 'editor')
    const outsider = await person(s, home, 'mw-outsider', 'editor')
    const closed = await team(s, lead, { name: 'Closed', visibility: 'private' })
    const { id: monitor_id } = await monitor(s, home, { team_id: closed, tags: ['shop'] })
    await setState(s, home, monitor_id, { status: 'down', phase: 'down' })
    const phase = async () => (await ask(s, lead, 'GET', `/api/v1/monitors/${monitor_id}`)).json().phase
    const windows = async () =>
      (await ask(s, lead, 'GET', `${WINDOWS}?monitor_id=${monitor_id}`)).json().items.map(({ id }: { id: string }) => id)
    const { incident_id } = await s.incident(home, { team_id: closed, dedup_key: `mon:${monitor_id}` })
    await s.systemPool.query("UPDATE incidents SET monitor_id = $2, source_kind = 'monitor' WHERE incident_id = $1", [
      incident_id,
      monitor_id
    ])

    for (const scope of [{ all: true }, { tags: ['shop'] }]) await window(s, outsider, { scope })
    t.same(await heldBy(s, lead, incident_id), [], 'nobody mutes what they do not see')
    t.equal(await phase(), 'down')
    t.same(await windows(), [])
    const unseen = await ask(s, outsider, 'POST', WINDOWS, { ...plain(), scope: { monitor_ids: [monitor_id] } })
    t.match(unseen.json().details, [{ path: 'scope.monitor_ids[0]', rule: 'unknown_monitor' }])
    t.match((await ask(s, outsider, 'POST', `${WINDOWS}?preview=true`, plain())).json(), { matched: { monitors: 0 } })

    const own = await window(s, lead, { scope: { monitor_ids: [monitor_id] } })
    t.match(await heldBy(s, lead, incident_id), [{ kind: 'maintenance', id: own.id }])
    t.equal(await phase(), 'maintenance')
    t.same(await windows(), [own.id])
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/end-now']
    ] as const)
      t.equal(
        (await ask(s, outsider, method, `${WINDOWS}/${own.id}${path}`, method === 'PUT' ? plain() : undefined)).statusCode,
        404,
        method
      )
    t.equal((await ask(s, outsider, 'GET', WINDOWS)).json().total, 2)
    t.equal((await ask(s, lead, 'GET', WINDOWS)).json().total, 3)
  })
})
