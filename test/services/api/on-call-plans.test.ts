/**
 * Tests of on-call schedules whose definition changes later: what they show until then, and what
 * happens to overrides of their layers.
 */
import t from 'tap'
import type { OverrideDetail } from '../../../schemas/http/on-call.ts'
import type { Layer } from '../../../schemas/http/on-call-words.ts'
import { layerAfter } from '../../../services/api/on-call/override-layers.ts'
import { definitionOf, layerOf } from '../../streams/on-call/build.ts'
import { ask, DAY, daily, done, later, nowItem, ROOT, schedule } from './on-calling.ts'
import { person } from './people.ts'
import { stand } from './stand.ts'

t.test('schedules whose definition changes later', async (t) => {
  const s = await stand(t)

  await t.test('a schedule names a person as long as a definition of now or later does', async (t) => {
    const home = await s.workspace('plan-names', 'pro')
    const [ann, ben] = [await person(s, home, 'plan-ann', 'responder'), await person(s, home, 'plan-ben', 'responder')]
    const { id } = await schedule(s, home, [daily([home.user_id, ann.user_id])])
    const planned = (participants: string[], days: number) =>
      done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { layers: [daily(participants)], effective_at: later(days * DAY) }), 200)
    const namesOf = async ({ user_id }: { user_id: string }): Promise<number> =>
      (await done(ask(s, home, 'GET', `${ROOT}/schedules?user_id=${user_id}`), 200)).total
    await planned([home.user_id, ben.user_id], 10)
    t.equal(await namesOf(ann), 1, 'who is in force now')
    t.equal(await namesOf(ben), 1, 'who is planned')
    await planned([home.user_id], 5)
    t.equal(await namesOf(ann), 1)
    t.equal(await namesOf(ben), 0, 'a plan that was replaced before it counted names nobody')
    t.equal((await ask(s, home, 'DELETE', `/api/v1/workspace/members/${ben.user_id}`)).statusCode, 204, 'and keeps nobody from leaving')
    t.equal((await ask(s, home, 'DELETE', `/api/v1/workspace/members/${ann.user_id}`)).statusCode, 409)
  })

  await t.test('the layers beside the shifts of a span are those that count in it', async (t) => {
    const home = await s.workspace('plan-layers', 'pro')
    const { id } = await schedule(s, home, [daily([home.user_id], { name: 'Old' })])
    const layers = [daily([home.user_id], { name: 'New' })]
    await done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, { layers, effective_at: later(45 * DAY) }), 200)
    const layersIn = async (from: number, to: number): Promise<string[]> => {
      const query = `layer=all&from=${later(from * DAY)}&to=${later(to * DAY)}`
      const { layers } = await done(ask(s, home, 'GET', `${ROOT}/schedules/${id}/shifts?${query}`), 200)
      return layers.map(({ name }: { name: string }) => name)
    }
    t.same(await layersIn(0, 7), ['Old'])
    t.same(await layersIn(-7, 0), ['Old'])
    t.same(await layersIn(44, 51), ['New'], 'the last saved that counts in it')
  })

  await t.test('overrides of a layer follow it to a new name, from when that name counts', async (t) => {
    const home = await s.workspace('plan-renames', 'pro')
    const robin = await person(s, home, 'plan-robin', 'responder')
    const [base, day] = [daily([home.user_id], { name: 'Base' }), daily([home.user_id], { name: 'Day' })]
    const { id } = await schedule(s, home, [base, day])
    const put = (from: number, to: number) =>
      done(
        ask(s, home, 'POST', `${ROOT}/overrides`, {
          ...{ schedule_id: id, user_id: robin.user_id, layer: 'Day', reason: 'holiday' },
          ...{ starts_at: later(from * DAY), ends_at: later(to * DAY) }
        })
      )
    const change = (body: object) => done(ask(s, home, 'PATCH', `${ROOT}/schedules/${id}`, body), 200)
    const whoIn = async (days: number): Promise<string[]> =>
      (await nowItem(s, home, id, Date.now() + days * DAY)).users.map((one) => one.id)
    const listed = async (): Promise<OverrideDetail[]> =>
      (await done(ask(s, home, 'GET', `${ROOT}/overrides?schedule_id=${id}&from=${later(1000)}`), 200)).items
    await put(-1, 3)
    await put(5, 15)
    const layers = [base, { ...day, name: 'Daytime', participants: [null] }]
    await change({ layers })
    for (const days of [0, 2, 6, 14]) t.same(await whoIn(days), [robin.user_id], `in ${days} days`)
    t.match(await listed(), [
      { layer: 'Daytime', reason: 'holiday', user_id: robin.user_id },
      { layer: 'Daytime', reason: 'holiday', user_id: robin.user_id }
    ])

    const renamed = [base, { ...day, name: 'Office', participants: [null] }]
    await change({ layers: renamed, effective_at: later(10 * DAY) })
    for (const days of [0, 6, 9, 11, 14]) t.same(await whoIn(days), [robin.user_id], `with a plan, in ${days} days`)
    t.same((await listed()).map(({ layer }) => layer).sort(), ['Daytime', 'Daytime', 'Office'])
    await change({ effective_at: later(12 * DAY) })
    for (const days of [6, 11, 13]) t.same(await whoIn(days), [robin.user_id], `with a moved plan, in ${days} days`)

    t.same((await change({})).warnings, [])
    const { warnings } = await change({ layers: [base], effective_at: later(0) })
    t.match(warnings, [
      { code: 'idle_override', message: /Daytime/ },
      { code: 'idle_override', message: /Office/ }
    ])
    t.same(await whoIn(6), [home.user_id], 'what is removed takes nothing along')
  })
})

t.test('the name that a layer has after a change', async (t) => {
  const layer = (name: string, participants: string[]): Layer => layerOf({ name, participants })
  const [a, b] = [layer('a', ['anna']), layer('b', ['ben'])]
  const cases: [string, Layer[], Layer[], string | null][] = [
    ['it has its name in another place', [a, b], [b, a], 'a'],
    ['it was renamed', [a, b], [layer('x', ['anna']), b], 'x'],
    ['it was renamed and moved', [a, b], [b, layer('x', ['anna'])], 'x'],
    ['it was renamed and changed', [a, b], [layer('x', ['chi']), b], 'x'],
    ['it was renamed beside a new one', [a, b], [layer('x', ['anna']), b, layer('y', ['chi'])], 'x'],
    ['two are like it', [a, b], [layer('x', ['anna']), b, layer('y', ['anna'])], null],
    ['both were renamed', [a, b], [layer('x', ['anna']), layer('y', ['ben'])], 'x'],
    ['both were replaced', [a, b], [layer('x', ['chi']), layer('y', ['dora'])], null],
    ['it was removed', [a, b], [b], null],
    ['it was not there', [b], [a, b], null]
  ]
  for (const [name, before, after, expected] of cases) t.equal(layerAfter(definitionOf(before), definitionOf(after), 'a'), expected, name)
})
