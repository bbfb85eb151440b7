/** Tests that what begins now begins by the clock of Postgres, which judges it. */
import t from 'tap'
import { later } from './on-calling.ts'
import { stand } from './stand.ts'

const AHEAD_MS = 180_000
const HOUR = 3_600_000

t.test('a silence or window of now begins now where the clock of the api is wrong', async (t) => {
  const s = await stand(t)
  const clock = Date.now
  t.teardown(() => {
    Date.now = clock
  })
  const silence = { matchers: [{ field: 'title', op: 'contains', value: 'disk' }], comment: 'Known.', ends_at: later(HOUR) }
  const window = {
    name: 'Now',
    scope: { tags: ['eu'] },
    schedule: { kind: 'once', starts_at: later(-HOUR), ends_at: later(HOUR) }
  }
  const table: [path: string, body: object, ending: [method: string, path: string]][] = [
    ['/api/v1/silences', silence, ['DELETE', '']],
    ['/api/v1/maintenance-windows', window, ['POST', '/end-now']],
    ['/api/v1/deployments/maintenance', { name: 'Deploy', scope: { tags: ['eu'] } }, ['POST', '/cancel']]
  ]
  for (const off of [AHEAD_MS, -AHEAD_MS])
    for (const [path, body, [method, ending]] of table) {
      const what = `${path} with a clock that is ${off} ms off`
      Date.now = () => clock() + off
      const answer = await s.call(s.acme, 'POST', path, body)
      const shown = (await s.call(s.acme, 'GET', `${path}/${answer.json().id}`)).json()
      const listed = (await s.call(s.acme, 'GET', path)).json().items
      Date.now = clock
      t.match(answer.json(), { state: 'active' }, `${what}: ${answer.body}`)
      t.match(shown, { state: 'active' }, what)
      t.match(
        listed.find(({ id }: { id: string }) => id === shown.id),
        { state: 'active' },
        what
      )
      t.ok(Math.abs(Date.parse(shown.starts_at) - clock()) < AHEAD_MS / 2, `${what}: ${shown.starts_at}`)
      Date.now = () => clock() + off
      const ended = await s.call(s.acme, method, `${path}/${shown.id}${ending}`, method === 'POST' ? {} : undefined)
      Date.now = clock
      t.ok(ended.statusCode === 200 || ended.statusCode === 204, `${what}: ${ended.body}`)
      t.notMatch((await s.call(s.acme, 'GET', `${path}/${shown.id}`)).json(), { state: 'active' }, what)
    }
})
