/**
 * Tests of what the end of a deployment says that fails: whoever has the end token reads it, so a
 * window over everything names nothing of private teams.
 */
import t from 'tap'
import { create, setState } from './monitoring.ts'
import { as, type Person, person } from './people.ts'
import { stand } from './stand.ts'

const DEPLOYMENTS = '/api/v1/deployments/maintenance'

t.test('the end of a deployment over everything names no failing monitor of a private team', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('failing')
  const [member, outsider] = [await person(s, home, 'me-failing', 'editor'), await person(s, home, 'ou-failing', 'editor')]
  const { id: team_id } = (await s.call(home, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
  const joined = await s.call(home, 'PUT', `/api/v1/teams/${team_id}/members/${member.user_id}`, {})
  t.ok(joined.statusCode < 300, joined.body)
  const [open, hidden] = [
    await create(s, home, { name: 'Open', tags: ['shop'] }),
    await create(s, home, { name: 'Zwiebelfisch', team_id, tags: ['shop'] })
  ]
  for (const { id } of [open, hidden]) await setState(s, home, id, { status: 'down', phase: 'down' })

  const start = async (who: Person, scope: object): Promise<string> => {
    const made = await as(s, who, 'POST', DEPLOYMENTS, { name: 'Shop', scope, confirm_all: true })
    if (made.statusCode !== 201) throw new Error(made.body)
    return made.json().end_token
  }
  const end = async (end_token: string): Promise<string[]> => {
    const ended = await s.call(null, 'POST', `${DEPLOYMENTS}/end`, { end_token })
    if (ended.statusCode !== 200) throw new Error(ended.body)
    return ended.json().failing_now.map(({ name }: { name: string }) => name)
  }
  t.same(await end(await start(outsider, { all: true })), ['Open'])
  t.same(await end(await start(member, { all: true })), ['Open'], 'nor for its members')
  t.same(await end(await start(outsider, { tags: ['shop'] })), ['Open'])
  const body = { name: 'Shop', scope: { monitor_ids: [hidden.id] } }
  t.equal((await as(s, outsider, 'POST', DEPLOYMENTS, body)).statusCode, 422, 'nobody else can name it')
  t.same(await end(await start(member, { monitor_ids: [hidden.id] })), ['Zwiebelfisch'], 'its members can')
})
