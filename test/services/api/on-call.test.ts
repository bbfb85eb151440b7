/**
 * Tests of on-call schedules over the API: who is on call, who was, and who may change a schedule.
 */
import ICAL from 'ical.js'
import t from 'tap'
import type { NowItem, ScheduleDetail } from '../../../schemas/http/on-call.ts'
import { MAX_OVERRIDES } from '../../../schemas/http/on-call-words.ts'
import type { MemberRole } from '../../../schemas/http/roles.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { onCallAt } from '../../../services/store/on-call.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { sweepSchedules } from '../../../services/store/schedule-history.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'
import { agedBy, ask, DAY, daily, daysAgo, done, HOUR, iso, later, nowItem, ROOT, schedule, shiftsOf } from './on-calling.ts'
import { audited, type Person, person } from './people.ts'
import { stand } from './stand.ts'

const NOBODY = '01890000-0000-7000-8000-000000000000'

t.test('on-call schedules', async (t) => {
  const s = await stand(t)

  await t.test('a schedule can be created, read, changed and deleted', async (t) => {
    const home = await s.workspace('plain', 'pro')
    const ann = await person(s, home, 'plain-ann', 'responder')
    const answer = await ask(s, home, 'POST', `${ROOT}/schedules`, {
      name: 'Primary',
      time_zone: 'europe/berlin',
      labels: { tier: '1' },
      layers: [daily([home.user_id, [ann.user_id.toUpperCase(), home.user_id], null], { restrictions: [{ from: '08:00', to: '20:00' }] })]
    })
    t.equal(answer.statusCode, 201, answer.body)
    t.equal(answer.headers.etag, '"1"')
    const made: ScheduleDetail = answer.json()
    t.match(made, {
      name: 'Primary',
      time_zone: 'Europe/Berlin',
      team_id: null,
      labels: { tier: '1' },
      fallback: { kind: 'policy_default', id: null },
      notices: [],
      min_participants: 1,
      effective_at: null,
      definition_version: 1,
      version: 1,
      tzdb_version: process.versions.tz ?? '',
      warnings: [{ code: 'gaps' }],
      layers: [{ every: 1, handoff_day: null, ends_on: null, start_index: 0, shift_hours: null, time_zone: null }]
    })
    t.same(made.layers[0]?.participants, [home.user_id, [ann.user_id, home.user_id], null])
    t.same(made.layers[0]?.restrictions, [{ days: [], from: '08:00', to: '20:00', to_day: null }])
    t.equal(made.next_shifts.length, 5)
    const path = `${ROOT}/schedules/${made.id}`
    t.match((await ask(s, home, 'GET', path)).json(), { id: made.id, version: 1 })
    t.match((await ask(s, home, 'PATCH', path, { name: 'First' }, { 'if-match': '"1"' })).json(), {
      name: 'First',
      version: 2,
      definition_version: 1
    })
    t.equal((await ask(s, home, 'PATCH', path, { name: 'First' })).json().version, 2, 'what changes nothing is no version')
    t.match((await ask(s, home, 'PATCH', path, { name: 'x' }, { 'if-match': '"1"' })).json(), { code: 'VERSION_MISMATCH', version: 2 })
    const nowhere = [{ channel_id: uuidv4(), when: 'daily', at: '09:00' }]
    t.match((await ask(s, home, 'PATCH', path, { notices: nowhere })).json(), {
      details: [{ path: 'notices[0].channel_id', rule: 'unknown_channel' }]
    })
    const replaced = await ask(s, home, 'PUT', path, { name: 'Second', time_zone: 'UTC', layers: [daily([ann.user_id])] })
    t.match(replaced.json(), { name: 'Second', labels: {}, time_zone: 'UTC', version: 3, definition_version: 2, warnings: [] })
    t.equal(typeof replaced.json().effective_at, 'string')
    const listed = await done(ask(s, home, 'GET', `${ROOT}/schedules?user_id=${ann.user_id}&q=sec`), 200)
    t.match(listed, { total: 1, items: [{ id: made.id, current: { user_ids: [ann.user_id], layer: 'daily', gap: false } }] })
    t.equal((await done(ask(s, home, 'GET', `${ROOT}/schedules?user_id=${home.user_id}`), 200)).total, 0)

    const other = await schedule(s, home, [daily([null])], { name: 'Backup', fallback: { kind: 'schedule', id: made.id } })
    t.same(
      other.warnings.map(({ code }) => code),
      ['only_gaps']
    )
    t.match(await nowItem(s, home, other.id), { users: [{ id: ann.user_id, name: 'plain-ann' }], origin: 'fallback', layer: null })
    t.match((await ask(s, home, 'DELETE', path)).json(), { code: 'IN_USE', details: [{ path: 'schedules', id: other.id }] })
    await done(ask(s, home, 'DELETE', `${ROOT}/schedules/${other.id}`), 204)
    t.equal((await ask(s, home, 'DELETE', path, undefined, { 'if-match': '"1"' })).statusCode, 412)
    await done(ask(s, home, 'DELETE', path), 204)
    t.equal((await ask(s, home, 'GET', path)).statusCode, 404)
    t.same(await audited(s, home.tenant_id, made.id), ['schedule.created', 'schedule.updated', 'schedule.updated', 'schedule.deleted'])
  })

  await t.test('a preview of a schedule saves nothing', async (t) => {
    const home = await s.workspace('preview', 'pro')
    const body = { name: 'Draft', time_zone: 'UTC', layers: [daily([home.user_id])] }
    const answer = await done(ask(s, home, 'POST', `${ROOT}/schedules?preview=true`, body), 200)
    t.equal(answer.shifts.length, 36)
    t.same(answer.warnings, [])
    t.equal((await done(ask(s, home, 'GET', `${ROOT}/schedules`), 200)).total, 0)
  })

  await t.test('an invalid schedule is refused with its path and rule', async (t) => {
    const home = await s.workspace('bad', 'pro')
    const good = daily([home.user_id])
    const refused = async (layer: object, path: string, rule: string, over: object = {}) => {
      const answer = await ask(s, home, 'POST', `${ROOT}/schedules`, {
        name: 'x',
        time_zone: 'UTC',
        layers: [{ ...good, ...layer }],
        ...over
      })
      t.equal(answer.statusCode, 422, answer.body)
      t.match(answer.json().details, [{ path, rule }])
    }
    await refused({}, 'time_zone', 'unknown_zone', { time_zone: 'Mars/Olympus' })
    await refused({ time_zone: '+05:30' }, 'layers[0].time_zone', 'unknown_zone')
    await refused({ participants: [home.user_id, [home.user_id, NOBODY]] }, 'layers[0].participants[1][1]', 'not_a_member')
    await refused({ participants: Array.from({ length: 101 }, () => home.user_id) }, 'layers[0].participants', 'length')
    await refused({ participants: [] }, 'layers[0].participants', 'length')
    await refused({ start_index: 1 }, 'layers[0].start_index', 'max')
    await refused({ rotation: 'weekly' }, 'layers[0].handoff_day', 'required')
    await refused({ rotation: 'weekly', handoff_day: 3 }, 'layers[0].handoff_day', 'type')
    await refused({ rotation: 'monthly', handoff_day: 'mon' }, 'layers[0].handoff_day', 'type')
    await refused({ handoff_day: 'mon' }, 'layers[0].handoff_day', 'not_allowed')
    await refused({ rotation: 'hours' }, 'layers[0].shift_hours', 'required')
    await refused({ rotation: 'hours', shift_hours: 8, every: 2 }, 'layers[0].every', 'not_allowed')
    await refused({ starts_on: '2026-02-30' }, 'layers[0].starts_on', 'pattern')
    await refused({ starts_on: '1969-12-31' }, 'layers[0].starts_on', 'max')
    await refused({ ends_on: daysAgo(5) }, 'layers[0].ends_on', 'empty_interval')
    await refused({ handoff_time: '24:00' }, 'layers[0].handoff_time', 'pattern')
    await refused({}, 'layers[1].name', 'duplicate', { layers: [good, good] })
    await refused({}, 'fallback.id', 'required', { fallback: { kind: 'user' } })
    await refused({}, 'fallback.id', 'not_a_member', { fallback: { kind: 'user', id: NOBODY } })
    await refused({}, 'fallback.id', 'unknown_schedule', { fallback: { kind: 'schedule', id: NOBODY } })
    await refused({}, 'team_id', 'unknown_team', { team_id: NOBODY })
    const hundred = await schedule(s, home, [daily(Array.from({ length: 100 }, () => home.user_id))])
    t.equal(
      (await ask(s, home, 'PATCH', `${ROOT}/schedules/${hundred.id}`, { fallback: { kind: 'schedule', id: hundred.id } })).json().details[0]
        .rule,
      'loop'
    )
    t.match((await ask(s, home, 'PATCH', `${ROOT}/schedules/${hundred.id}`, { name: 'y', effective_at: later(-HOUR) })).json(), {
      code: 'VALIDATION_FAILED',
      details: [{ path: 'effective_at', rule: 'past' }]
    })
    const span = async (query: string) => (await ask(s, home, 'GET', `${ROOT}/schedules/${hundred.id}/shifts?${query}`)).json().details?.[0]
    t.match(await span(`from=${later(0)}&to=${later(-1)}`), { path: 'to', rule: 'empty_interval' })
    t.match(await span(`from=${later(0)}&to=${later(371 * DAY)}`), { path: 'to', rule: 'max', limit: 370 })
  })

  await t.test('overrides are limited and can be ended, and a responder sets only their own', async (t) => {
    const home = await s.workspace('overrides', 'pro')
    const ann = await person(s, home, 'over-ann', 'responder')
    const ben = await person(s, home, 'over-ben', 'viewer')
    const { id } = await schedule(s, home, [daily([home.user_id])])
    const OVERRIDES = `${ROOT}/overrides`
    const body = { schedule_id: id, user_id: ann.user_id, starts_at: later(-HOUR), ends_at: later(2 * HOUR), reason: 'Dentist' }
    const made = await done(ask(s, ann, 'POST', OVERRIDES, body))
    t.ok(Date.parse(made.starts_at) > Date.now() - HOUR / 2, 'what has passed counts as now')
    t.match(await nowItem(s, home, id), {
      users: [{ id: ann.user_id }],
      origin: 'override',
      next: { users: [{ id: home.user_id }], from: body.ends_at }
    })
    t.equal((await ask(s, ann, 'POST', OVERRIDES, { ...body, user_id: home.user_id })).statusCode, 403)
    t.equal((await ask(s, ann, 'POST', OVERRIDES, { ...body, user_id: null })).statusCode, 403)
    t.equal((await ask(s, ben, 'POST', OVERRIDES, { ...body, user_id: ben.user_id })).statusCode, 403)
    await done(ask(s, home, 'POST', OVERRIDES, { ...body, user_id: null }))
    t.match(await nowItem(s, home, id), { users: [], origin: 'gap', fallback: { kind: 'policy_default' } }, 'a gap on purpose')

    const local = { ...body, starts_at: '2027-03-28T02:30', ends_at: '2027-03-28T03:30', time_zone: 'Europe/Berlin' }
    t.match(await done(ask(s, home, 'POST', OVERRIDES, local)), {
      starts_at: '2027-03-28T01:00:00.000Z',
      ends_at: '2027-03-28T01:30:00.000Z'
    })
    const refused = async (over: object) => (await ask(s, home, 'POST', OVERRIDES, { ...body, ...over })).json().details?.[0]
    t.match(await refused({ ends_at: body.starts_at }), { path: 'ends_at', rule: 'empty_interval' })
    t.match(await refused({ ends_at: later(-60_000) }), { path: 'ends_at', rule: 'empty_interval' })
    t.match(await refused({ ends_at: later(400 * DAY) }), { path: 'ends_at', rule: 'max' })
    t.match(await refused({ starts_at: '2027-02-30T09:00' }), { path: 'starts_at', rule: 'pattern' })
    t.match(await refused({ starts_at: '9000-01-01T09:00' }), { path: 'starts_at', rule: 'max', message: /3660 days/ })
    t.match(await refused({ user_id: NOBODY }), { path: 'user_id', rule: 'not_a_member' })
    t.match(await refused({ schedule_id: NOBODY }), { path: 'schedule_id', rule: 'unknown_schedule' })
    t.match(await refused({ layer: 'other' }), { path: 'layer', rule: 'unknown_layer' })
    t.match(await refused({ time_zone: 'nowhere' }), { path: 'time_zone', rule: 'unknown_zone' })

    t.match(await done(ask(s, home, 'GET', `${OVERRIDES}?schedule_id=${id}&from=${later(0)}&to=${later(DAY)}`), 200), { total: 2 })
    t.equal((await ask(s, ben, 'DELETE', `${OVERRIDES}/${made.id}`)).statusCode, 403)
    await done(ask(s, ann, 'DELETE', `${OVERRIDES}/${made.id}`), 204)
    await done(ask(s, ann, 'DELETE', `${OVERRIDES}/${made.id}`), 204)
    const kept = (await done(ask(s, home, 'GET', `${OVERRIDES}?user_id=${ann.user_id}&to=${later(DAY)}`), 200)).items[0]
    t.ok(Date.parse(kept.ends_at) <= Date.now() + 1000, 'one that had begun ends')

    await s.systemPool.query(
      `INSERT INTO on_call_overrides (tenant_id, override_id, schedule_id, user_id, starts_at, ends_at, created_by)
       SELECT $1, gen_random_uuid(), $2, $3, now() + make_interval(hours => n), now() + make_interval(hours => n + 2), 'system:test'
         FROM generate_series(1, $4) n`,
      [home.tenant_id, id, ann.user_id, MAX_OVERRIDES]
    )
    t.match((await ask(s, home, 'POST', OVERRIDES, body)).json(), { code: 'CONFLICT', details: [{ rule: 'max', limit: MAX_OVERRIDES }] })
  })

  await t.test('past on-call answers survive edits, new zone data, leaving members and a deletion', async (t) => {
    const home = await s.workspace('past', 'pro')
    const ann = await person(s, home, 'past-ann', 'responder')
    const { id, created_at } = await schedule(s, home, [daily([home.user_id, ann.user_id])])
    const before = Date.parse(created_at)
    const wanted = [before - 3 * DAY, before - 2 * DAY, before - DAY, before, before + 1]
    const asked = async () => Promise.all(wanted.map(async (at) => ({ ...(await nowItem(s, home, id, at)), until: null, next: null })))
    await ask(s, home, 'POST', `${ROOT}/overrides`, { schedule_id: id, user_id: ann.user_id, starts_at: later(0), ends_at: later(HOUR) })
    const first = await asked()
    t.same(
      first.slice(0, 3).map(({ users }) => users[0]?.id),
      [ann.user_id, home.user_id, ann.user_id]
    )

    const then = Date.now()
    wanted.push(then)
    first.push({ ...(await nowItem(s, home, id, then)), until: null, next: null })
    t.match(first.at(-1), { users: [{ id: ann.user_id }], origin: 'override' })
    await done(
      ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { time_zone: 'Pacific/Apia', layers: [daily([null], { starts_on: '2020-01-01' })] }),
      200
    )
    t.same(await asked(), first, 'after an edit')
    // As if the zone data had always been different.
    const other = {
      tzdb: 'other',
      zones: (name: string) => ({ ...tzZones(name), instantOf: (local: number) => tzZones(name).instantOf(local) + 5 * HOUR })
    }
    t.ok((await sweepSchedules(s.systemPool, other)) >= 1, 'new zone data are looked at')
    t.same(await asked(), first, 'after new zone data')
    t.equal((await ask(s, home, 'DELETE', `/api/v1/workspace/members/${ann.user_id}?replace_with=${home.user_id}`)).statusCode, 204)
    const names = (items: NowItem[]) => items.map(({ users, ...rest }) => ({ ...rest, users: users.map((one) => one.id) }))
    t.same(names(await asked()), names(first), 'after somebody left')
    await done(ask(s, home, 'DELETE', `${ROOT}/schedules/${id}`), 204)
    t.same(names(await asked()), names(first), 'after its end')
    t.equal((await ask(s, home, 'GET', `${ROOT}/now?schedule_id=${id}`)).statusCode, 404)
    t.match((await ask(s, home, 'GET', `${ROOT}/schedules/${id}?as_of=${iso(before)}`)).json(), { time_zone: 'UTC', definition_version: 1 })
    const row = 'UPDATE schedule_history SET user_ids = $2 WHERE tenant_id = $1'
    const tampered = tenantTransaction(s.tenantPool, wholeWorkspace(home.tenant_id), (tx) => tx.query(row, [home.tenant_id, []]))
    await t.rejects(tampered, { code: '42501' }, 'the api may not write it anew')
  })

  await t.test('who is on call is not computed for another century', async (t) => {
    const home = await s.workspace('century', 'pro')
    const { id } = await schedule(s, home, [daily([home.user_id])], { time_zone: 'Europe/Berlin' })
    const far = '2400-01-01T00:00:00Z'
    for (const path of [`now?at=${far}`, `now?as_of=${far}`, 'now?at=1800-01-01T00:00:00Z', `schedules/${id}?as_of=${far}`]) {
      const answer = await ask(s, home, 'GET', `${ROOT}/${path}`)
      t.match([answer.statusCode, answer.json().details?.[0]], [422, { path: /^(?:at|as_of)$/, rule: 'max' }], path)
    }
    t.equal((await nowItem(s, home, id, Date.now() + 3600 * DAY)).users.length, 1)
  })

  await t.test('a shift is recorded in the history when it begins', async (t) => {
    const home = await s.workspace('history', 'pro')
    const ann = await person(s, home, 'history-ann', 'responder')
    const { id } = await schedule(s, home, [daily([home.user_id, ann.user_id], { rotation: 'hours', shift_hours: 1 })])
    const rows = async () =>
      (await s.systemPool.query('SELECT starts_at, user_ids, tzdb FROM schedule_history WHERE schedule_id = $1 ORDER BY starts_at', [id]))
        .rows
    t.equal((await rows()).length, 1)
    await sweepSchedules(s.systemPool)
    t.equal((await rows()).length, 1, 'nothing has begun')
    await agedBy(s, id, 3)
    await sweepSchedules(s.systemPool)
    const written = await rows()
    t.equal(written.length, 4)
    for (const [index, row] of written.entries()) {
      if (index > 0) t.not(row.user_ids[0], written[index - 1].user_ids[0])
      t.equal(row.tzdb, process.versions.tz)
      const there = await tenantTransaction(s.tenantPool, wholeWorkspace(home.tenant_id), (tx) =>
        onCallAt(tx, home.tenant_id, [id], row.starts_at)
      )
      t.same(there.get(id)?.user_ids, row.user_ids)
    }
    await sweepSchedules(s.systemPool)
    t.equal((await rows()).length, 4)
  })

  await t.test('a swap can be requested, taken and withdrawn', async (t) => {
    const home = await s.workspace('swaps', 'pro')
    const [ann, ben] = [await person(s, home, 'swap-ann', 'responder'), await person(s, home, 'swap-ben', 'responder')]
    const { id } = await schedule(s, home, [daily([[ann.user_id, home.user_id], ben.user_id])])
    const SWAPS = `${ROOT}/swaps`
    const midnight = Math.ceil(Date.now() / DAY) * DAY
    const body = { schedule_id: id, starts_at: iso(midnight), ends_at: iso(midnight + 4 * DAY) }
    const swap = await done(ask(s, ann, 'POST', SWAPS, { ...body, note: 'Holiday' }))
    t.match(swap, { user_id: ann.user_id, state: 'open', note: 'Holiday', taken_by: null })
    t.match((await ask(s, ann, 'POST', `${SWAPS}/${swap.id}/take`)).json(), { code: 'CONFLICT' })
    t.match(await done(ask(s, ben, 'POST', `${SWAPS}/${swap.id}/take`), 200), { state: 'taken', taken_by: ben.user_id })
    t.match((await ask(s, ben, 'POST', `${SWAPS}/${swap.id}/take`)).json(), { code: 'CONFLICT' })
    const shifts = await shiftsOf(s, home, id, `from=${body.starts_at}&to=${body.ends_at}`)
    const anns = shifts.filter(({ user_ids }) => user_ids.includes(ann.user_id))
    t.same(anns, [], 'none of the shifts is left')
    const swapped = shifts.filter(({ origin }) => origin === 'swap')
    t.equal(swapped.length, 2)
    for (const one of swapped) t.same([...one.user_ids].sort(), [ben.user_id, home.user_id].sort(), 'the other half of the pair stays')

    const nothing = await ask(s, ann, 'POST', SWAPS, body)
    t.match(nothing.json().details, [{ path: 'starts_at', rule: 'no_shift' }])
    const next = await done(ask(s, ben, 'POST', SWAPS, body))
    t.equal((await ask(s, ann, 'DELETE', `${SWAPS}/${next.id}`)).statusCode, 403)
    await done(ask(s, ben, 'DELETE', `${SWAPS}/${next.id}`), 204)
    t.match(await done(ask(s, home, 'GET', `${SWAPS}?state=withdrawn`), 200), { total: 1, items: [{ id: next.id }] })
    t.match(await done(ask(s, home, 'GET', `${SWAPS}?schedule_id=${id}`), 200), { total: 2 })
  })

  await t.test('both people of a pair can give a shift away', async (t) => {
    const home = await s.workspace('pairs', 'pro')
    const people = await Promise.all(['ann', 'otto', 'ben', 'chi', 'dan'].map((name) => person(s, home, `pair-${name}`, 'responder')))
    const [ann, otto, ben, chi, dan] = people as [Person, Person, Person, Person, Person]
    const { id } = await schedule(s, home, [daily([[ann.user_id, otto.user_id]])])
    const midnight = Math.ceil(Date.now() / DAY) * DAY
    const span = { schedule_id: id, starts_at: iso(midnight), ends_at: iso(midnight + DAY) }
    const given = async (by: Person, to: Person): Promise<void> => {
      const swap = await done(ask(s, by, 'POST', `${ROOT}/swaps`, span))
      await done(ask(s, to, 'POST', `${ROOT}/swaps/${swap.id}/take`), 200)
    }
    const there = async (): Promise<string[]> =>
      (await shiftsOf(s, home, id, `from=${span.starts_at}&to=${span.ends_at}`)).flatMap(({ user_ids }) => user_ids)
    await given(ann, ben)
    await given(otto, chi)
    t.same(await there(), [ben.user_id, chi.user_id])
    await given(ben, dan)
    t.same(await there(), [dan.user_id, chi.user_id], 'a stand-in, too')
    await done(ask(s, home, 'POST', `${ROOT}/overrides`, { ...span, user_id: ann.user_id }))
    await given(ann, otto)
    t.same(await there(), [otto.user_id], 'who has the whole shift gives all of it')
  })

  await t.test('swaps are for people who may act or write, and calendar links for people who may read', async (t) => {
    const home = await s.workspace('duty-roles', 'pro')
    const on = async (role: MemberRole) => [role, await person(s, home, `duty-${role}`, role)] as const
    const [[, responder], ...others] = [await on('responder'), await on('editor'), await on('viewer'), await on('billing')]
    const [SWAPS, LINKS] = [`${ROOT}/swaps`, `${ROOT}/ical-links`]
    const participants = [responder, ...others.map(([, one]) => one)].map(({ user_id }) => user_id)
    const layer = { name: 'all', participants, rotation: 'daily', handoff_time: '00:00', starts_on: '2026-01-01' }
    const { id } = await done(ask(s, home, 'POST', `${ROOT}/schedules`, { name: 'Rota', time_zone: 'UTC', layers: [layer] }))
    const spanFrom = (day: number) => ({ schedule_id: id, starts_at: later(day * DAY), ends_at: later((day + 5) * DAY) })
    for (const [at, [role, one]] of others.entries()) {
      const span = spanFrom(1 + 5 * at)
      const may = role === 'editor'
      t.equal((await ask(s, one, 'POST', SWAPS, span)).statusCode, may ? 201 : 403, `${role} asks for a swap`)
      const { id: swap_id } = await done(ask(s, responder, 'POST', SWAPS, span))
      const taken = await ask(s, one, 'POST', `${SWAPS}/${swap_id}/take`)
      t.equal(taken.statusCode, may ? 200 : 403, `${role} takes a swap: ${taken.body}`)
      if (!may) await done(ask(s, responder, 'DELETE', `${SWAPS}/${swap_id}`), 204)
      const link = await ask(s, one, 'POST', LINKS, { schedule_id: id })
      t.equal(link.statusCode, role === 'billing' ? 403 : 201, `${role} makes a calendar link`)
    }

    const [, viewer] = others[1] ?? []
    if (!viewer) return t.fail('a viewer')
    const { user_id } = viewer
    t.equal((await ask(s, home, 'PATCH', `/api/v1/workspace/members/${user_id}`, { role: 'responder' })).statusCode, 200)
    const path = new URL((await done(ask(s, viewer, 'POST', LINKS, {}))).url).pathname
    const swap = await done(ask(s, viewer, 'POST', SWAPS, spanFrom(20)))
    t.equal((await s.call(null, 'GET', path)).statusCode, 200)
    const change = (role: MemberRole) => s.systemPool.query('UPDATE members SET role = $2 WHERE user_id = $1', [user_id, role])
    await change('viewer')
    t.equal((await s.call(null, 'GET', path)).statusCode, 200, 'a viewer reads shifts')
    await change('billing')
    t.equal((await s.call(null, 'GET', path)).statusCode, 404, 'billing does not')
    t.equal((await ask(s, viewer, 'DELETE', `${SWAPS}/${swap.id}`)).statusCode, 204, 'everybody withdraws their own')
  })

  await t.test('shifts are exported as iCalendar and CSV, and as private calendar links', async (t) => {
    const home = await s.workspace('calendars', 'pro')
    const ann = await person(s, home, 'cal-ann', 'responder')
    const { id } = await schedule(
      s,
      home,
      [daily([home.user_id, ann.user_id], { time_zone: 'Australia/Lord_Howe', starts_on: '2026-01-01' })],
      {
        name: 'Ops; "night", über\\alles 🌙 with a name that is long enough to be folded'
      }
    )
    const query = `from=2026-03-20T00:00:00Z&to=2026-10-20T00:00:00Z`
    const items = await shiftsOf(s, home, id, query)
    t.ok(items.length > 200)
    const file = await ask(s, home, 'GET', `${ROOT}/schedules/${id}/shifts?${query}&format=ics`)
    t.equal(file.headers['content-type'], 'text/calendar; charset=utf-8')
    const eventsOf = (text: string) => new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((one) => new ICAL.Event(one))
    const read = eventsOf(file.body).map((event) => ({
      id: event.uid,
      starts_at: event.startDate.toJSDate().toISOString(),
      ends_at: event.endDate.toJSDate().toISOString()
    }))
    t.same(
      read,
      items.map(({ id, starts_at, ends_at }) => ({ id, starts_at, ends_at }))
    )
    t.equal(eventsOf(file.body)[0]?.summary.startsWith('Ops; "night", über\\alles 🌙'), true)
    t.ok(
      file.body.split('\r\n').every((line) => Buffer.byteLength(line) <= 75),
      'lines are folded'
    )
    t.same(
      (await shiftsOf(s, home, id, 'from=2026-05-01T12:00:00Z&to=2026-05-02T00:00:00Z'))[0],
      items.find(({ starts_at, ends_at }) => starts_at <= '2026-05-01T12' && ends_at > '2026-05-01T12'),
      'the same shift however it is asked for'
    )
    const table = await ask(s, home, 'GET', `${ROOT}/schedules/${id}/shifts?${query}&format=csv`)
    t.equal(table.body.trimEnd().split('\r\n').length, items.length + 1)
    const all = await done(ask(s, home, 'GET', `${ROOT}/schedules/${id}/shifts?layer=all`), 200)
    t.match(all.layers, [{ name: 'daily', items: [{ origin: 'layer' }] }])

    const LINKS = `${ROOT}/ical-links`
    const link = await done(ask(s, ann, 'POST', LINKS, {}))
    const path = new URL(link.url).pathname
    const feed = await s.call(null, 'GET', path)
    t.equal(feed.statusCode, 200)
    const mine = eventsOf(feed.body)
    t.ok(mine.length > 50)
    t.ok(mine.every(({ summary }) => summary.endsWith(': cal-ann')))
    t.notOk(s.logged().includes(path.slice(-40)), 'the secret is in no log')
    const { rows } = await s.systemPool.query('SELECT to_jsonb(l)::text AS row FROM calendar_links l')
    t.notOk(
      rows.some(({ row }) => row.includes(path.split('/').at(-1)?.slice(0, -4))),
      'nor in the store'
    )
    const whole = await done(ask(s, ann, 'POST', LINKS, { schedule_id: id }))
    const kept = await done(ask(s, ann, 'GET', LINKS), 200)
    t.match(kept, {
      total: 2,
      items: [
        { id: whole.id, schedule_id: id },
        { id: link.id, schedule_id: null }
      ]
    })
    t.notOk(JSON.stringify(kept).includes('ics'), 'without the addresses')
    t.match(await done(ask(s, home, 'GET', LINKS), 200), { total: 0, items: [] }, 'those of others are not there')
    t.ok(eventsOf((await s.call(null, 'GET', new URL(whole.url).pathname)).body).length > mine.length)
    t.equal((await ask(s, home, 'DELETE', `${LINKS}/${link.id}`)).statusCode, 404, 'it is somebody else’s')
    await done(ask(s, ann, 'DELETE', `${LINKS}/${link.id}`), 204)
    t.equal((await s.call(null, 'GET', path)).statusCode, 404)
    t.match((await ask(s, ann, 'POST', LINKS, { schedule_id: NOBODY })).json().details, [{ path: 'schedule_id', rule: 'unknown_schedule' }])
    t.equal((await ask(s, home, 'DELETE', `/api/v1/workspace/members/${ann.user_id}?replace_with=${home.user_id}`)).statusCode, 204)
    t.equal((await s.call(null, 'GET', new URL(whole.url).pathname)).statusCode, 404, 'it ends with the member')
  })

  await t.test('a member on a schedule can leave only with a replacement', async (t) => {
    const home = await s.workspace('leaving', 'pro')
    const [ann, ben] = [await person(s, home, 'leave-ann', 'responder'), await person(s, home, 'leave-ben', 'responder')]
    const { id } = await schedule(s, home, [daily([ann.user_id, [ann.user_id, ben.user_id], home.user_id])], {
      fallback: { kind: 'user', id: ann.user_id }
    })
    const planned = { layers: [daily([ann.user_id])], effective_at: later(5 * DAY) }
    await done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, planned), 200)
    const override = { schedule_id: id, user_id: ann.user_id, starts_at: later(0), ends_at: later(HOUR) }
    await done(ask(s, home, 'POST', `${ROOT}/overrides`, override))
    const member = `/api/v1/workspace/members/${ann.user_id}`
    const refused = await ask(s, home, 'DELETE', member)
    t.match(refused.json(), {
      code: 'IN_USE',
      details: [
        { path: 'schedule', id, message: 'Primary' },
        { path: 'override', message: 'Primary' }
      ]
    })
    t.equal((await ask(s, home, 'PATCH', member, { role: 'viewer' })).statusCode, 409)
    t.equal((await ask(s, home, 'PATCH', member, { role: 'admin' })).statusCode, 200, 'who may still act stays')
    t.match((await ask(s, home, 'DELETE', `${member}?replace_with=${NOBODY}`)).json().details, [
      { path: 'replace_with', rule: 'not_a_member' }
    ])
    const then = Date.now()
    t.equal((await ask(s, home, 'DELETE', `${member}?replace_with=${ben.user_id}`)).statusCode, 204)
    t.match(await nowItem(s, home, id), { users: [{ id: ben.user_id }], origin: 'override' })
    t.match(await nowItem(s, home, id, then), { users: [{ id: ann.user_id }], origin: 'override' }, 'what was stays')
    const now = (await ask(s, home, 'GET', `${ROOT}/schedules/${id}`)).json()
    t.same(now.layers[0].participants, [ben.user_id])
    t.same(now.effective_at, planned.effective_at, 'what is for later stays for later')
    const { rows } = await s.systemPool.query(
      "SELECT definition->'layers'->0->'participants' AS p FROM schedule_versions WHERE schedule_id = $1 ORDER BY version",
      [id]
    )
    t.same(rows[2]?.p, [ben.user_id, [ben.user_id], home.user_id])
  })

  await t.test('who takes the overrides of a leaving member takes no time that others had taken', async (t) => {
    const home = await s.workspace('order', 'pro')
    const people = await Promise.all(['robin', 'chi', 'ben'].map((name) => person(s, home, `order-${name}`, 'responder')))
    const [robin, chi, ben] = people as [Person, Person, Person]
    const { id } = await schedule(s, home, [daily([home.user_id])])
    const put = (user_id: string, from: number, to: number) =>
      done(ask(s, home, 'POST', `${ROOT}/overrides`, { schedule_id: id, user_id, starts_at: later(from), ends_at: later(to) }))
    await put(robin.user_id, 0, 5 * DAY)
    await put(robin.user_id, 10 * DAY, 15 * DAY)
    await put(chi.user_id, 2 * DAY, 3 * DAY)
    await put(chi.user_id, 12 * DAY, 13 * DAY)
    t.equal((await ask(s, home, 'DELETE', `/api/v1/workspace/members/${robin.user_id}?replace_with=${ben.user_id}`)).statusCode, 204)
    const at = async (days: number) => (await nowItem(s, home, id, Date.now() + days * DAY)).users.map((one) => one.id)
    for (const days of [1, 4, 11, 14]) t.same(await at(days), [ben.user_id], `in ${days} days`)
    for (const days of [2.5, 12.5]) t.same(await at(days), [chi.user_id], `in ${days} days`)
    const { rows } = await s.systemPool.query('SELECT count(*) FROM on_call_overrides WHERE schedule_id = $1', [id])
    t.equal(rows[0]?.count, 5, 'one that had begun ends, and one that had not is gone')
  })

  await t.test('a schedule of a private team is hidden, and coverage shows unreachable people', async (t) => {
    const home = await s.workspace('private', 'pro')
    const [ann, ben] = [await person(s, home, 'private-ann', 'editor'), await person(s, home, 'private-ben', 'editor')]
    const team = await done(ask(s, ann, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' }))
    const hidden = await schedule(s, ann, [daily([ann.user_id, ben.user_id])], { team_id: team.id, name: 'Hidden', min_participants: 2 })
    t.same(
      hidden.warnings.map(({ code }) => code),
      ['cannot_act', 'not_in_team']
    )
    for (const path of ['', '/shifts']) t.equal((await ask(s, ben, 'GET', `${ROOT}/schedules/${hidden.id}${path}`)).statusCode, 404)
    t.equal((await ask(s, ben, 'PATCH', `${ROOT}/schedules/${hidden.id}`, { name: 'x' })).statusCode, 404)
    t.equal((await ask(s, ben, 'GET', `${ROOT}/now?schedule_id=${hidden.id}`)).statusCode, 404)
    t.same((await done(ask(s, ben, 'GET', `${ROOT}/now`), 200)).items, [])
    t.equal(
      (
        await ask(s, ben, 'POST', `${ROOT}/overrides`, {
          schedule_id: hidden.id,
          user_id: ben.user_id,
          starts_at: later(0),
          ends_at: later(HOUR)
        })
      ).json().details[0].rule,
      'unknown_schedule'
    )
    const made = await done(
      ask(s, ann, 'POST', `${ROOT}/overrides`, { schedule_id: hidden.id, user_id: ann.user_id, starts_at: later(0), ends_at: later(HOUR) })
    )
    t.equal((await ask(s, ben, 'DELETE', `${ROOT}/overrides/${made.id}`)).statusCode, 404)
    t.equal((await done(ask(s, ben, 'GET', `${ROOT}/overrides`), 200)).total, 0)
    t.match((await ask(s, home, 'DELETE', `/api/v1/teams/${team.id}`)).json(), {
      code: 'IN_USE',
      details: [{ path: 'schedules', actual: 1 }]
    })
    t.equal((await ask(s, s.globex, 'GET', `${ROOT}/schedules/${hidden.id}`)).statusCode, 404)

    const report = await done(ask(s, ann, 'GET', `${ROOT}/coverage?schedule_id=${hidden.id}`), 200)
    t.same(report.gaps, [])
    t.match(report.warnings[0], { schedule_id: hidden.id, code: 'too_few', people: 1 })
    const unreached = async (): Promise<object[]> =>
      (await done(ask(s, ann, 'GET', `${ROOT}/coverage?schedule_id=${hidden.id}`), 200)).unreachable
    const hiddenFrom = { schedule_id: hidden.id, user_id: ben.user_id, reason: 'not_visible' }
    await s.systemPool.query('DELETE FROM contact_methods WHERE user_id = $1', [ann.user_id])
    t.strictSame(await unreached(), [{ schedule_id: hidden.id, user_id: ann.user_id, reason: 'no_method' }, hiddenFrom])
    t.match(await nowItem(s, ann, hidden.id), { users: [{ id: ann.user_id, reachable: false, methods: [] }], policies: [] })
    const method =
      "INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address) VALUES ($1, gen_random_uuid(), $2, 'email', 'a@example.test')"
    await s.systemPool.query(method, [home.tenant_id, ann.user_id])
    t.match(await unreached(), [{ user_id: ann.user_id, reason: 'unverified' }, hiddenFrom])
    await s.systemPool.query('UPDATE contact_methods SET verified_at = now() WHERE user_id = $1', [ann.user_id])
    t.strictSame(await unreached(), [hiddenFrom])
    const steps = [
      { targets: [{ type: 'user', id: ann.user_id }] },
      { targets: [{ type: 'schedule', id: hidden.id }] },
      { targets: [{ type: 'schedule', id: hidden.id }] }
    ]
    const policy = await done(ask(s, ann, 'POST', `${ROOT}/escalation-policies`, { name: 'Second', team_id: team.id, steps }))
    t.match(await nowItem(s, ann, hidden.id), {
      users: [{ id: ann.user_id, reachable: true, methods: ['email'] }],
      policies: [{ policy_id: policy.id, name: 'Second', level: 2 }]
    })
    const alone = await schedule(s, home, [daily([home.user_id], { restrictions: [{ days: ['mon'], from: '00:00', to: '00:00' }] })])
    const other = await done(ask(s, home, 'GET', `${ROOT}/coverage?schedule_id=${alone.id}`), 200)
    t.same(other.single_points, [{ schedule_id: alone.id, user_id: home.user_id }])
    t.ok(other.gaps.length >= 4)
    t.equal((await ask(s, ben, 'GET', `${ROOT}/coverage?from=${later(0)}&to=${later(61 * DAY)}`)).statusCode, 422)

    const free = await s.workspace('free', 'free')
    await schedule(s, free, [daily([free.user_id])])
    const over = await ask(s, free, 'POST', `${ROOT}/schedules`, { name: 'x', time_zone: 'UTC', layers: [daily([free.user_id])] })
    t.match(over.json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'schedules', limit: 1, actual: 1 }] })
  })
})
