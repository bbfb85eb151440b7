/** Tests of groups of monitors: create, fill, count and delete, within one workspace. */
import t from 'tap'
import { MAX_GROUPS } from '../../../schemas/http/monitor-groups.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { groupState } from '../../../services/api/monitors/groups.ts'
import { type Body, create, MONITORS, setState } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { stand } from './stand.ts'

t.setTimeout(120_000)

const GROUPS = '/api/v1/monitor-groups'

t.test('the state of a group', async (t) => {
  const cases: [total: number, down: number, degraded: number, paused: number, state: string][] = [
    [0, 0, 0, 0, 'empty'],
    [3, 0, 0, 0, 'up'],
    [3, 1, 1, 1, 'down'],
    [3, 0, 1, 2, 'degraded'],
    [3, 0, 0, 2, 'up'],
    [3, 0, 0, 3, 'paused']
  ]
  for (const [total, down, degraded, paused, state] of cases) t.equal(groupState({ total, down, degraded, paused }), state)
})

t.test('monitor groups', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const make = (body: Body, who = s.acme) => s.call(who, 'POST', GROUPS, body)
  const first = await make({ name: 'Shop', description: 'All of it', order: 2 })
  t.equal(first.statusCode, 201, first.body)
  const { id } = first.json()
  t.match(first.json(), { name: 'Shop', description: 'All of it', order: 2, state: 'empty', monitors: { total: 0 }, version: 1 })
  t.equal((await make({ name: 'SHOP' })).json().code, 'NAME_TAKEN')
  t.equal((await make({ name: 'Blog' })).statusCode, 201)
  t.equal((await make({ name: 'Shop' }, s.globex)).statusCode, 201, 'names are of a workspace')

  await t.test('a group holds monitors and shows the worst of their states', async (t) => {
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => create(s, s.acme, { group_id: id })))
    if (!one || !two || !three) throw new Error('not made')
    t.equal((await s.call(s.acme, 'GET', `${MONITORS}/${one.id}`)).json().group_id, id)
    await setState(s, s.acme, one.id, { status: 'down', phase: 'down' })
    await setState(s, s.acme, two.id, { status: 'up', phase: 'degraded' })
    await s.call(s.acme, 'POST', `${MONITORS}/${three.id}/pause`)
    t.match((await s.call(s.acme, 'GET', `${GROUPS}/${id}`)).json(), {
      state: 'down',
      monitors: { total: 3, up: 0, degraded: 1, down: 1, paused: 1 }
    })
    t.equal((await s.call(s.acme, 'GET', `${MONITORS}?group_id=${id}`)).json().total, 3)
    const moved = await s.call(s.acme, 'POST', `${MONITORS}/bulk`, { ids: [one.id, two.id], action: 'patch', patch: { group_id: null } })
    t.equal(moved.json().changed.length, 2, moved.body)
    t.match((await s.call(s.acme, 'GET', `${GROUPS}/${id}`)).json(), { state: 'paused', monitors: { total: 1 } })
    const [theirs] = (await s.call(s.globex, 'GET', GROUPS)).json().items
    for (const group_id of [uuidv4(), theirs.id]) {
      const details = [{ path: 'group_id', rule: 'unknown_group' }]
      t.match((await s.call(s.acme, 'PATCH', `${MONITORS}/${one.id}`, { group_id })).json(), { details })
      t.match((await s.call(s.acme, 'POST', MONITORS, { name: 'x', type: 'tcp', target: 'x.example:1', group_id })).json(), { details })
      const bulk = await s.call(s.acme, 'POST', `${MONITORS}/bulk`, { ids: [one.id], action: 'patch', patch: { group_id } })
      t.match(bulk.json(), { changed: [], failed: [{ id: one.id, code: 'VALIDATION_FAILED' }] })
    }
  })

  await t.test('an invalid group is refused with its path and rule', async (t) => {
    const cases: [body: Body, path: string, rule: string][] = [
      [{}, 'name', 'required'],
      [{ name: '' }, 'name', 'length'],
      [{ name: 'x'.repeat(201) }, 'name', 'length'],
      [{ name: 'x', order: -1 }, 'order', 'min'],
      [{ name: 'x', order: 1.5 }, 'order', 'type'],
      [{ name: 'x', order: 10_001 }, 'order', 'max'],
      [{ name: 'x', description: 'x'.repeat(4001) }, 'description', 'length'],
      [{ name: 'x', colour: 'red' }, 'colour', 'unknown_field']
    ]
    for (const [body, path, rule] of cases) t.match((await make(body)).json().details, [{ path, rule }])
  })

  await t.test('groups are listed in their order and can be changed', async (t) => {
    const names = async () => (await s.call(s.acme, 'GET', GROUPS)).json().items.map(({ name }: { name: string }) => name)
    t.same(await names(), ['Blog', 'Shop'])
    t.match((await s.call(s.acme, 'PATCH', `${GROUPS}/${id}`, { name: 'Store', order: 0 })).json(), { name: 'Store', order: 0, version: 2 })
    t.same(await names(), ['Blog', 'Store'])
    t.match((await s.call(s.acme, 'PATCH', `${GROUPS}/${id}`, { name: 'Store' })).json(), { version: 2 }, 'a repeat changes nothing')
    t.equal((await s.call(s.acme, 'PATCH', `${GROUPS}/${id}`, { name: 'Blog' })).json().code, 'NAME_TAKEN')
    t.equal((await s.call(s.globex, 'PATCH', `${GROUPS}/${id}`, { name: 'x' })).statusCode, 404)
  })

  await t.test('a group can be deleted while monitors join it', async (t) => {
    const spare = (await make({ name: 'Spare' })).json().id
    const those = await Promise.all([1, 2, 3].map(() => create(s, s.globex)))
    const theirs = (await make({ name: 'Spare' }, s.globex)).json().id
    const answers = await Promise.all([
      ...those.map(({ id }) => s.call(s.globex, 'PATCH', `${MONITORS}/${id}`, { group_id: theirs })),
      s.call(s.globex, 'DELETE', `${GROUPS}/${theirs}`)
    ])
    for (const { statusCode, body } of answers) t.ok([200, 204, 422].includes(statusCode), body)
    for (const { id } of those) t.equal((await s.call(s.globex, 'GET', `${MONITORS}/${id}`)).json().group_id, null)
    t.equal((await s.call(s.acme, 'DELETE', `${GROUPS}/${spare}`)).statusCode, 204)
  })

  await t.test('a workspace cannot have more groups than the limit', async (t) => {
    await s.systemPool.query(
      `INSERT INTO monitor_groups (tenant_id, group_id, name) SELECT $1, gen_random_uuid(), 'many ' || n FROM generate_series(1, $2) n`,
      [s.globex.tenant_id, MAX_GROUPS - 1]
    )
    t.match((await make({ name: 'One more' }, s.globex)).json(), { code: 'CONFLICT', details: [{ limit: MAX_GROUPS }] })
    const item = { name: 'x', type: 'tcp', target: 'x.example:1', group: 'One more' }
    t.match((await s.call(s.globex, 'POST', `${MONITORS}/import`, { items: [item] })).json(), { errors: [{ row: 1, code: 'CONFLICT' }] })
  })

  await t.test('a deleted group leaves its monitors without a group', async (t) => {
    t.equal((await s.call(s.acme, 'DELETE', `${GROUPS}/${id}`)).statusCode, 204)
    t.equal((await s.call(s.acme, 'DELETE', `${GROUPS}/${id}`)).statusCode, 404)
    t.same(
      (await s.call(s.acme, 'GET', MONITORS)).json().items.map(({ group_id }: { group_id: string | null }) => group_id),
      [null, null, null]
    )
  })
})
