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
})
