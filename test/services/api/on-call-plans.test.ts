/**
 * Tests of on-call schedules whose definition changes later: what they show until then, and what
 * happens to overrides of their layers.
 */
import t from 'tap'
import { ask, DAY, daily, done, later, ROOT, schedule } from './on-calling.ts'
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
})
