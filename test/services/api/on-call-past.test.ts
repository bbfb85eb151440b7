/**
 * Tests that the on-call history never changes. With `as_of`, answers about shifts that have ended
 * are identical before and after edits, overrides, new zone data, members who leave, and a
 * deletion. The tests also cover the versions that produced them.
 */
import t from 'tap'
import type { NowItem, ScheduleDetail } from '../../../schemas/http/on-call.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { layerChanges, stateOf } from '../../../services/api/on-call/versions.ts'
import { sweepSchedules } from '../../../services/store/schedule-history.ts'
import { zoneData } from '../../../services/store/schedule-plans.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'
import { definitionOf, layerOf } from '../../streams/on-call/build.ts'
import { agedBy, ask, DAY, daily, done, HOUR, iso, later, nowItem, ROOT, schedule } from './on-calling.ts'
import { person } from './people.ts'
import { stand, type Workspace } from './stand.ts'

const AGED_HOURS = 9

interface Answers {
  now: NowItem[]
  schedule: ScheduleDetail[]
}

t.test('the on-call history', async (t) => {
  const s = await stand(t)

  await t.test('answers about ended shifts stay identical', async (t) => {
    const home = await s.workspace('proof', 'pro')
    const [ann, ben] = [await person(s, home, 'proof-ann', 'responder'), await person(s, home, 'proof-ben', 'responder')]
    const turns = daily([home.user_id, ann.user_id, ben.user_id], { rotation: 'hours', shift_hours: 1 })
    const { id } = await schedule(s, home, [turns], { labels: { tier: '1' }, time_zone: 'Europe/Berlin' })
    await agedBy(s, id, AGED_HOURS)
    // An override of two hours, long ago.
    const began = Date.now() - 5 * HOUR
    await s.systemPool.query(
      `INSERT INTO on_call_overrides (tenant_id, override_id, schedule_id, user_id, starts_at, ends_at, created_by)
       VALUES ($1, $2, $3, $4, $5, $6, 'user:test')`,
      [home.tenant_id, uuidv7(), id, ben.user_id, new Date(began), new Date(began + 2 * HOUR)]
    )
    await sweepSchedules(s.systemPool)
    const { rows } = await s.systemPool.query<{ starts_at: number; origin: string; user_ids: string[] }>(
      'SELECT starts_at, origin, user_ids FROM schedule_history WHERE schedule_id = $1 ORDER BY starts_at',
      [id]
    )
    t.ok(rows.length >= AGED_HOURS - 2)
    t.ok(rows.some(({ origin }) => origin === 'override'))
    // One instant of each shift, alternating between its first and its last. The last row has not
    // ended.
    const wanted = rows
      .slice(0, -1)
      .map(({ starts_at }, at) => (at % 2 ? Math.floor((rows[at + 1]?.starts_at ?? 0) - 1) : Math.ceil(starts_at)))
    const asked = iso(rows.at(-1)?.starts_at ?? 0)

    /**
     * Leaves out everything that depends on the present, and shifts that have not ended at the
     * first query.
     */
    const answers = async (): Promise<Answers> => {
      const found: Answers = { now: [], schedule: [] }
      for (const at of wanted) {
        const { users, policies: _, ...item } = await nowItem(s, home, id, at)
        const people = users.map(({ id }) => ({ id, name: '', reachable: true, methods: [] }))
        const next = item.next && { ...item.next, users: item.next.users.map(({ id }) => ({ id, name: '' })) }
        found.now.push({ ...item, users: people, policies: [], next })
        const detail: ScheduleDetail = await done(ask(s, home, 'GET', `${ROOT}/schedules/${id}?as_of=${iso(at)}`), 200)
        found.schedule.push({ ...detail, next_shifts: detail.next_shifts.filter(({ ends_at }) => ends_at <= asked) })
      }
      return found
    }
    // `now` shows the present name and team.
    const unnamed = ({ now, schedule }: Answers) => ({ now: now.map(({ name: _, team_id: _team, ...rest }) => rest), schedule })
    const first = unnamed(await answers())
    t.match(first.schedule[0], { name: 'Primary', labels: { tier: '1' }, version: 1, tzdb_version: process.versions.tz })
    t.ok(first.schedule.every(({ current }) => current !== null && current.ends_at <= asked))
    t.ok((first.schedule[0]?.next_shifts.length ?? 0) > 1, 'what followed is in it')
    const same = async (what: string): Promise<void> => {
      const found = unnamed(await answers())
      t.same(found.now, first.now, `who was on call, ${what}`)
      t.same(found.schedule, first.schedule, `the schedule, ${what}`)
    }

    const team = await done(ask(s, home, 'POST', '/api/v1/teams', { name: 'Proof', visibility: 'private' }))
    const change = { name: 'Second', labels: {}, team_id: team.id, time_zone: 'Pacific/Apia', layers: [daily([null])] }
    await done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, change), 200)
    await same('after an edit')
    await done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { layers: [turns], effective_at: later(DAY) }), 200)
    await same('after a plan for later')
    const override = { schedule_id: id, user_id: ann.user_id, starts_at: later(-8 * HOUR), ends_at: later(HOUR) }
    const made = await done(ask(s, home, 'POST', `${ROOT}/overrides`, override))
    await done(ask(s, home, 'DELETE', `${ROOT}/overrides/${made.id}`), 204)
    await same('after an override that would reach into it')

    const [tomorrow, usual] = [Date.now() + 2 * DAY, { ...zoneData }]
    const planned = await nowItem(s, home, id, tomorrow)
    try {
      // As if the service had started with different zone data.
      const zones: typeof tzZones = (name) => ({ ...tzZones(name), instantOf: (local) => tzZones(name).instantOf(local) + 5 * HOUR })
      Object.assign(zoneData, { tzdb: 'other', zones })
      await same('with other zone data, before they are looked at')
      t.ok((await sweepSchedules(s.systemPool)) >= 1)
      await same('with other zone data')
      const otherwise = await nowItem(s, home, id, tomorrow)
      t.not(otherwise.users[0]?.id, planned.users[0]?.id, 'the future is another by them')
    } finally {
      Object.assign(zoneData, usual)
    }
    await sweepSchedules(s.systemPool)
    await done(ask(s, home, 'PUT', `/api/v1/teams/${team.id}/members/${ben.user_id}`, {}), 200)
    await done(ask(s, home, 'DELETE', `/api/v1/workspace/members/${ann.user_id}?replace_with=${ben.user_id}`), 204)
    await same('after somebody left')
    await done(ask(s, home, 'DELETE', `${ROOT}/schedules/${id}`), 204)
    await same('after the deletion')
    t.equal((await ask(s, home, 'GET', `${ROOT}/schedules/${id}?as_of=${later(0)}`)).statusCode, 404)
  })

  await t.test('a former team that is private now is hidden from outsiders', async (t) => {
    const home = await s.workspace('proof-team', 'pro')
    const ann = await person(s, home, 'proof-t-ann', 'viewer')
    const team = await done(ask(s, home, 'POST', '/api/v1/teams', { name: 'Once open', visibility: 'org' }))
    const { id } = await schedule(s, home, [daily([home.user_id])], { team_id: team.id })
    await agedBy(s, id, 2)
    await done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { team_id: null }), 200)
    const then = async (who: Workspace | typeof ann): Promise<string | null> =>
      (await done(ask(s, who, 'GET', `${ROOT}/schedules/${id}?as_of=${later(-HOUR)}`), 200)).team_id
    t.equal(await then(ann), team.id)
    await done(ask(s, home, 'PATCH', `/api/v1/teams/${team.id}`, { visibility: 'private' }), 200)
    t.equal(await then(ann), null)
    t.equal(await then(home), team.id)
  })

  await t.test('the versions of a schedule show when each counts and what it changed', async (t) => {
    const home = await s.workspace('versions', 'pro')
    const ann = await person(s, home, 'versions-ann', 'viewer')
    const { id } = await schedule(s, home, [daily([home.user_id])])
    const path = `${ROOT}/schedules/${id}`
    await agedBy(s, id, 2)
    const days = daily([ann.user_id], { name: 'days' })
    await done(ask(s, home, 'PATCH', path, { layers: [daily([ann.user_id]), days], time_zone: 'Europe/Berlin' }), 200)
    await done(ask(s, home, 'PATCH', path, { name: 'Only a name' }), 200)
    await done(ask(s, home, 'PATCH', path, { layers: [days], effective_at: later(9 * DAY) }), 200)
    await done(ask(s, home, 'PATCH', path, { min_participants: 2, effective_at: later(5 * DAY) }), 200)
    const read = async (query = ''): Promise<Awaited<ReturnType<typeof done>>> => done(ask(s, ann, 'GET', `${path}/versions${query}`), 200)
    const { items, total } = await read()
    t.equal(total, 4)
    const none = { added: [], removed: [], changed: [] }
    t.match(items, [
      { version: 4, state: 'planned', counts_until: null, changed: ['min_participants'], layers: none },
      { version: 3, state: 'never', counts_until: items[0].effective_at, changed: ['layers'], layers: { ...none, removed: ['daily'] } },
      {
        version: 2,
        state: 'current',
        counts_until: items[0].effective_at,
        changed: ['time_zone', 'layers'],
        layers: { added: ['days'], removed: [], changed: ['daily'] }
      },
      { version: 1, state: 'past', effective_at: null, counts_until: items[2].effective_at, changed: [], created_by: /^token:/ }
    ])
    t.same((await read('?per_page=1&page=3')).items, [items[2]])
    t.equal((await ask(s, s.globex, 'GET', `${path}/versions`)).statusCode, 404)
    const team = await done(ask(s, home, 'POST', '/api/v1/teams', { name: 'Closed', visibility: 'private' }))
    await done(ask(s, home, 'PATCH', path, { team_id: team.id }), 200)
    t.equal((await ask(s, ann, 'GET', `${path}/versions`)).statusCode, 404)
  })
})

const until = (effective_at: number, ends: number | null) => ({ effective_at, until: ends })

t.test('a change of a schedule leaves what is planned for later', async (t) => {
  const s = await stand(t)
  const { acme } = s
  const ann = await person(s, acme, 'plan-ann', 'responder')
  const made = async () => {
    const { id } = await schedule(s, acme, [daily([acme.user_id])])
    const effective_at = later(9 * DAY)
    await done(ask(s, acme, 'PATCH', `${ROOT}/schedules/${id}`, { layers: [daily([ann.user_id])], effective_at }), 200)
    return { id, path: `${ROOT}/schedules/${id}`, effective_at }
  }
  const at = async (id: string, days: number) => (await nowItem(s, acme, id, Date.now() + days * DAY)).users.map((one) => one.id)

  await t.test('a change that counts now', async (t) => {
    const { id, path, effective_at } = await made()
    const changed = await done(ask(s, acme, 'PATCH', path, { min_participants: 2 }), 200)
    t.match(changed, { min_participants: 2, effective_at, layers: [{ participants: [ann.user_id] }] }, 'the plan has it, too')
    t.same([await at(id, 0), await at(id, 8), await at(id, 10)], [[acme.user_id], [acme.user_id], [ann.user_id]])
    const turns = [daily([acme.user_id, acme.user_id])]
    await done(ask(s, acme, 'PATCH', path, { layers: turns, name: 'Other' }), 200)
    t.same([await at(id, 0), await at(id, 8), await at(id, 10)], [[acme.user_id], [acme.user_id], [ann.user_id]])
    const { items } = await done(ask(s, acme, 'GET', `${path}/versions`), 200)
    t.same(
      items.map(({ state }: { state: string }) => state),
      ['planned', 'current', 'never', 'past', 'never', 'past']
    )
    const all = { layers: [daily([ann.user_id])] }
    t.match(await done(ask(s, acme, 'PATCH', path, all), 200), { layers: [{ participants: [ann.user_id] }], definition_version: 7 })
    t.same([await at(id, 0), await at(id, 10)], [[ann.user_id], [ann.user_id]], 'a plan that changes nothing more is over')
  })

  await t.test('a plan is moved', async (t) => {
    const { id, path, effective_at } = await made()
    t.match(await done(ask(s, acme, 'PATCH', path, { effective_at }), 200), { version: 2 }, 'the same time changes nothing')
    const [far, near] = [later(20 * DAY), later(3 * DAY)]
    t.match(await done(ask(s, acme, 'PATCH', path, { effective_at: far }), 200), { effective_at: far })
    t.same([await at(id, 0), await at(id, 10), await at(id, 21)], [[acme.user_id], [acme.user_id], [ann.user_id]])
    t.match(await done(ask(s, acme, 'PATCH', path, { effective_at: near }), 200), { effective_at: near })
    t.same([await at(id, 2), await at(id, 4)], [[acme.user_id], [ann.user_id]])
    await done(ask(s, acme, 'PATCH', path, { effective_at: later(0) }), 200)
    t.same(await at(id, 0), [ann.user_id])
    const { items } = await done(ask(s, acme, 'GET', '/api/v1/workspace/audit-log?per_page=5'), 200)
    t.ok(JSON.stringify(items).includes(far))
  })
})

t.test('state of a version over time', async (t) => {
  const NOW = 1000
  t.equal(stateOf(until(-Infinity, null), NOW), 'current')
  t.equal(stateOf(until(-Infinity, 900), NOW), 'past')
  t.equal(stateOf(until(-Infinity, NOW), NOW), 'past')
  t.equal(stateOf(until(NOW, null), NOW), 'current')
  t.equal(stateOf(until(NOW, 2000), NOW), 'current')
  t.equal(stateOf(until(1001, null), NOW), 'planned')
  t.equal(stateOf(until(2000, 1500), NOW), 'never')
  t.equal(stateOf(until(2000, 2000), NOW), 'never')
  t.equal(stateOf(until(800, 700), NOW), 'never')
})

t.test('layers that a version changed', async (t) => {
  const [days, nights] = [layerOf({ name: 'days' }), layerOf({ name: 'nights' })]
  const before = definitionOf([days, nights])
  t.same(layerChanges(null, before), { added: ['days', 'nights'], removed: [], changed: [] })
  t.same(layerChanges(before, definitionOf([nights, days])), { added: [], removed: [], changed: [] }, 'their order is not one of them')
  t.same(layerChanges(before, definitionOf([{ ...days, handoff_time: '10:00' }, layerOf({ name: 'weekend' })])), {
    added: ['weekend'],
    removed: ['nights'],
    changed: ['days']
  })
})
