/**
 * Tests of one change to many monitors. Each monitor is judged alone, by the rules of a single
 * change.
 */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { tagsAfter } from '../../../services/api/monitors/bulk.ts'
import { type Body, configsOf, create, MONITORS, openIncident } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { stand } from './stand.ts'

t.setTimeout(120_000)

t.test('tags after adding and removing some', async (t) => {
  const many = Array.from({ length: 20 }, (_, nth) => `t${nth}`)
  const cases: [before: string[], added: string[] | undefined, removed: string[] | undefined, after: string[]][] = [
    [['a', 'b'], ['c'], undefined, ['a', 'b', 'c']],
    [['a', 'b'], ['a'], undefined, ['a', 'b']],
    [['a', 'b'], undefined, ['a', 'x'], ['b']],
    [['a'], ['b'], ['b'], ['a', 'b']],
    [many, ['new'], ['t0'], [...many.slice(1), 'new']]
  ]
  for (const [before, added, removed, after] of cases) t.same(tagsAfter(before, added, removed), after)
  t.throws(() => tagsAfter(many, ['new']), { code: 'VALIDATION_FAILED' })
})

t.test('bulk changes of monitors', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const bulk = (body: Body, who = s.acme) => s.call(who, 'POST', `${MONITORS}/bulk`, body)
  const read = async (id: string) => (await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json()
  const made = await Promise.all([1, 2, 3].map(() => create(s, s.acme, { tags: ['old'] })))
  const ids = made.map(({ id }) => id)
  const [first = '', second = '', third = ''] = ids

  await t.test('each monitor is changed alone, and the answer lists changed and failed ones', async (t) => {
    const theirs = await create(s, s.globex)
    const nothing = uuidv4()
    const answer = await bulk({
      ids: [first, second, second.toUpperCase(), theirs.id, nothing],
      action: 'patch',
      patch: { interval_seconds: 300 }
    })
    t.equal(answer.statusCode, 200, answer.body)
    t.same(answer.json().matched, 4)
    t.same(answer.json().changed, [first, second])
    t.match(answer.json().failed, [
      { id: theirs.id, code: 'NOT_FOUND' },
      { id: nothing, code: 'NOT_FOUND' }
    ])
    t.match(await read(first), { interval_seconds: 300, version: 2 })
    t.match(await read(third), { interval_seconds: 60, version: 1 })
    t.match((await configsOf(s, first)).at(-1), { version: 2 })
    t.match((await s.call(s.globex, 'GET', `${MONITORS}/${theirs.id}`)).json(), { version: 1 })
  })

  await t.test('a change that changes nothing makes no version', async (t) => {
    const before = await read(first)
    const patch = { add_tags: ['old'], interval_seconds: before.interval_seconds }
    t.match((await bulk({ ids: [first], action: 'patch', patch })).json(), { changed: [first], failed: [] })
    t.match(await read(first), { version: before.version, updated_at: before.updated_at })
    t.match((await configsOf(s, first)).at(-1), { version: before.version })
  })

  await t.test('a refused monitor does not hold up the others', async (t) => {
    const slow = await create(s, s.acme, { timeout_seconds: 40 })
    const answer = (await bulk({ ids: [first, slow.id, third], action: 'patch', patch: { interval_seconds: 30 } })).json()
    t.same(answer.changed, [first, third])
    t.match(answer.failed, [{ id: slow.id, code: 'VALIDATION_FAILED', error: /timeout_seconds/ }])
  })

  await t.test('a bulk change adds and removes tags and keeps the others', async (t) => {
    t.same((await bulk({ ids, action: 'patch', patch: { add_tags: ['web', 'old'], remove_tags: ['gone'] } })).json().failed, [])
    t.same((await read(second)).tags, ['old', 'web'])
    await bulk({ ids, action: 'patch', patch: { remove_tags: ['old'] } })
    t.same((await read(second)).tags, ['web'])
  })

  await t.test('a bulk change moves monitors to a team', async (t) => {
    const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Web' })).json()
    t.same((await bulk({ ids, action: 'patch', patch: { team_id: team.id } })).json().changed, ids)
    t.equal((await read(third)).team_id, team.id)
    t.match((await bulk({ ids: [first], action: 'patch', patch: { team_id: uuidv4() } })).json().failed, [
      { id: first, code: 'VALIDATION_FAILED', error: /team_id/ }
    ])
  })

  await t.test('monitors are paused, resumed and deleted in bulk, and a repeat changes nothing', async (t) => {
    const { incident_id } = await openIncident(s, s.acme, first)
    t.same((await bulk({ ids, action: 'pause', minutes: 30, reason: 'works' })).json().changed, ids)
    const paused = await read(first)
    t.match(paused, { status: 'paused', pause_comment: 'works' })
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), { status: 'resolved' })
    t.same((await bulk({ ids, action: 'pause' })).json().changed, ids)
    t.equal((await read(first)).version, paused.version)
    t.same((await bulk({ ids, action: 'resume' })).json().changed, ids)
    t.match(await read(first), { status: 'up', paused_at: null })
    t.same((await bulk({ ids, action: 'delete' })).json(), { matched: 3, changed: ids, failed: [] })
    t.equal((await s.call(s.acme, 'GET', `${MONITORS}/${first}`)).statusCode, 404)
  })

  await t.test('an invalid bulk body is refused with its path', async (t) => {
    const cases: [body: Body, path: string][] = [
      [{ ids: [], action: 'resume' }, 'ids'],
      [{ ids: Array.from({ length: 501 }, () => uuidv4()), action: 'resume' }, 'ids'],
      [{ ids: [uuidv4()], action: 'explode' }, 'action'],
      [{ ids: [uuidv4()], action: 'patch' }, 'patch'],
      [{ ids: [uuidv4()], action: 'patch', patch: {} }, 'patch'],
      [{ ids: [uuidv4()], action: 'patch', patch: { name: 'x' } }, 'patch.name'],
      [{ ids: [uuidv4()], action: 'patch', patch: { interval_seconds: 1 } }, 'patch.interval_seconds'],
      [{ ids: [uuidv4()], action: 'delete', patch: { interval_seconds: 60 } }, 'patch'],
      [{ ids: [uuidv4()], action: 'pause', minutes: 0 }, 'minutes']
    ]
    for (const [body, path] of cases) {
      const answer = await bulk(body)
      t.equal(answer.statusCode, 422, `${path}: ${answer.body}`)
      t.match(answer.json().details[0], { path })
    }
  })
})
