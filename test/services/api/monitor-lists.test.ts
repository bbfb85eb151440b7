/** Tests of lists of monitors: filters, order and pages. */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { create, MONITORS, setState } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { stand } from './stand.ts'

t.setTimeout(120_000)

t.test('filters, order and pages of monitor lists', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const a = await create(s, s.acme, { name: 'alpha 100%', tags: ['x', 'y'], labels: { team: 'a' }, regions: ['eu-west'] })
  const b = await create(s, s.acme, { name: 'Beta', tags: ['y'], labels: { team: 'b' }, regions: ['us-east'] })
  const c = await create(s, s.acme, { name: 'gamma', regions: ['eu-west', 'us-east'] })
  await create(s, s.globex, { name: 'theirs' })
  await setState(s, s.acme, a.id, { status: 'down', phase: 'down', since: 2000 })
  await setState(s, s.acme, b.id, { status: 'up', phase: 'validating', since: 1000 })
  await s.call(s.acme, 'POST', `${MONITORS}/${c.id}/pause`)
  const names = async (query: string) => {
    const answer = await s.call(s.acme, 'GET', `${MONITORS}?${query}`)
    t.equal(answer.statusCode, 200, answer.body)
    return answer.json().items.map(({ name }: { name: string }) => name.split(' ')[0])
  }
  const cases: [string, string[]][] = [
    ['', ['alpha', 'Beta', 'gamma']],
    ['sort=-name', ['gamma', 'Beta', 'alpha']],
    ['sort=created_at', ['alpha', 'Beta', 'gamma']],
    ['sort=-created_at', ['gamma', 'Beta', 'alpha']],
    ['sort=status,-name', ['alpha', 'gamma', 'Beta']],
    ['sort=last_status_change_at', ['Beta', 'alpha', 'gamma']],
    ['sort=-last_status_change_at', ['alpha', 'Beta', 'gamma']],
    ['status=down', ['alpha']],
    ['status=down,paused', ['alpha', 'gamma']],
    ['status=up', ['Beta']],
    ['phase=validating', ['Beta']],
    ['phase=paused&status=paused', ['gamma']],
    ['type=http', ['alpha', 'Beta', 'gamma']],
    ['type=tcp', []],
    ['tag=x', ['alpha']],
    ['tag=x&tag=y', ['alpha', 'Beta']],
    ['label.team=a', ['alpha']],
    ['label.team=a,b', ['alpha', 'Beta']],
    ['region=eu-west', ['alpha', 'gamma']],
    ['paused=true', ['gamma']],
    ['paused=false', ['alpha', 'Beta']],
    ['q=ALP', ['alpha']],
    ['q=0%25', ['alpha']],
    ['q=%25%25', []],
    [`ids=${a.id},${c.id}`, ['alpha', 'gamma']],
    [`team_id=${uuidv4()}`, []],
    ['per_page=2', ['alpha', 'Beta']],
    ['per_page=2&page=2', ['gamma']],
    ['per_page=2&page=3', []]
  ]
  for (const [query, wanted] of cases) t.same(await names(query), wanted, query)
  t.match((await s.call(s.acme, 'GET', `${MONITORS}?per_page=2`)).json(), { total: 3, page: 1, per_page: 2, total_pages: 2 })
  for (const query of ['stauts=down', 'status=broken', 'sort=target', 'ids=1', 'q=x', 'region=EU', 'page=0']) {
    t.equal((await s.call(s.acme, 'GET', `${MONITORS}?${query}`)).statusCode, 422, query)
  }
  t.equal((await s.call(s.acme, 'GET', `${MONITORS}?page=201`)).json().code, 'PAGE_TOO_DEEP')
})
