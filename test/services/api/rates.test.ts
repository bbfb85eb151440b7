/** Tests of rate groups: first the buckets alone, then the headers and refusals of routes. */
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { planIds, type RateGroup, rates } from '../../../schemas/plans.ts'
import { Buckets } from '../../../services/api/plugins/buckets.ts'
import { addPerson, ask, NOTHING } from './private-team.ts'
import { stand } from './stand.ts'

t.test('a rate group passes its limit per window and only its burst at once', async (t) => {
  for (const name of Object.keys(rates) as RateGroup[]) {
    for (const plan of planIds) {
      let now = 0
      const buckets = new Buckets(() => now)
      const { burst, window_seconds, limit } = rates[name]
      let atOnce = 0
      while (buckets.take(name, 'x', plan).admitted) atOnce++
      t.equal(atOnce, burst, `${name} ${plan}: at once`)
      let passed = 0
      const steps = 20_000
      for (let step = 0; step < steps; step++) {
        now += (window_seconds * 1000) / steps
        if (buckets.take(name, 'x', plan).admitted) passed++
      }
      t.ok(passed >= limit[plan] - 1 && passed <= limit[plan] + 1, `${name} ${plan}: ${passed} in a window of ${limit[plan]}`)
      t.equal(buckets.take(name, 'y', plan).admitted, true, 'another key has its own')
    }
  }
})

t.test('a request after the stated reset time is admitted', async (t) => {
  for (const name of Object.keys(rates) as RateGroup[]) {
    let now = 0
    const buckets = new Buckets(() => now)
    for (let round = 0; round < 5; round++) {
      let verdict = buckets.take(name, 'x', 'free')
      while (verdict.admitted) verdict = buckets.take(name, 'x', 'free')
      t.equal(verdict.remaining, 0)
      t.ok(Number.isInteger(verdict.reset_seconds) && verdict.reset_seconds >= 1)
      now += verdict.reset_seconds * 1000
      t.ok(buckets.take(name, 'x', 'free').admitted, name)
    }
  }
})

t.test('rate limits on routes', async (t) => {
  let now = 0
  const s = await stand(t, { now: () => now })
  const free = await s.workspace('free', 'free')
  const ack = async () => s.call(free, 'POST', '/api/v1/incidents/INC-1/acknowledge')
  await s.incident(free)

  const first = await s.call(free, 'GET', '/api/v1/workspace')
  t.match(first.headers, {
    'x-ratelimit-limit': '120',
    'x-ratelimit-remaining': '59',
    'x-ratelimit-reset': '1',
    'x-ratelimit-name': 'api_read'
  })
  t.equal(first.headers['retry-after'], undefined)
  for (let i = 0; i < 59; i++) t.equal((await s.call(free, 'GET', '/api/v1/workspace')).statusCode, 200)
  const refused = await s.call(free, 'GET', '/api/v1/workspace')
  t.equal(refused.statusCode, 429)
  t.match(refused.headers, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1', 'retry-after': '1', 'x-ratelimit-name': 'api_read' })
  t.match(refused.json(), {
    code: 'RATE_LIMITED',
    error: String,
    name: 'api_read',
    limit: 120,
    remaining: 0,
    retry_after: 1,
    window_seconds: 60
  })

  t.equal((await ack()).statusCode, 200, 'an acknowledgement has a bucket of its own')
  t.equal((await s.call(s.acme, 'GET', '/api/v1/workspace')).statusCode, 200, 'another workspace has its own')
  const other = (await s.call(free, 'POST', '/api/v1/workspace/tokens', { name: 'other' })).json()
  t.equal((await s.call(other.token, 'GET', '/api/v1/workspace')).statusCode, 200, 'reads count per credential')
  now += 1000
  t.equal((await s.call(free, 'GET', '/api/v1/workspace')).statusCode, 200)

  const write = () => s.call(free, 'POST', '/api/v1/workspace/tokens', {})
  const statuses: number[] = []
  for (let i = 0; i < 32; i++) statuses.push((await write()).statusCode)
  t.same([...new Set(statuses)], [422, 429])
  t.equal((await s.call(other.token, 'POST', '/api/v1/integrations/inbound', {})).statusCode, 429, 'writes count per workspace')
  t.equal((await ack()).statusCode, 200)

  for (let i = 0; i < 100; i++) await s.call(null, 'GET', '/api/v1/public/capability-plans', undefined, { remoteAddress: '10.6.0.1' })
  t.equal((await s.call(null, 'GET', '/api/v1/public/capability-plans', undefined, { remoteAddress: '10.6.0.1' })).statusCode, 429)
  t.equal((await s.call(null, 'GET', '/api/v1/public/capability-plans', undefined, { remoteAddress: '10.6.0.2' })).statusCode, 200)
  for (let i = 0; i < 5; i++)
    t.equal((await s.call(null, 'GET', '/health', undefined, { remoteAddress: '10.6.0.1' })).headers['x-ratelimit-limit'], undefined)
})

t.test('pushed states and marks in the feed use up no acknowledgement and no write', async (t) => {
  const s = await stand(t, { now: () => 0 })
  const free = await s.workspace('pushed', 'free')
  await s.incident(free)
  const monitor = (await s.call(free, 'POST', '/api/v1/monitors', { name: 'Backup', type: 'external' })).json()
  const other = (await s.call(free, 'POST', '/api/v1/monitors', { name: 'Other', type: 'external' })).json()
  const [viewer] = await addPerson(s, free, 'kim', 'viewer')
  const push = (id: string) => s.call(free, 'POST', `/api/v1/monitors/${id}/results`, { state: 'up' })
  const groupsOf = async (times: number, send: () => Promise<LightMyRequestResponse>): Promise<string[]> => {
    const found = new Set<string>()
    for (let i = 0; i < times; i++) {
      const { statusCode, headers } = await send()
      found.add(`${statusCode} ${headers['x-ratelimit-name']}`)
    }
    return [...found]
  }

  t.same(await groupsOf(200, () => push(monitor.id)), ['202 push', '429 push_monitor'])
  t.equal((await push(other.id)).statusCode, 202, 'a monitor that is pushed too often holds up no other')
  t.same(await groupsOf(100, () => ask(s, viewer, 'POST', `/api/v1/notifications/feed/${NOTHING}/read`)), ['404 own', '429 own'])
  const view = { page: 'incidents', name: 'Mine', search: {} }
  t.same(await groupsOf(1, () => ask(s, viewer, 'POST', '/api/v1/account/views', view)), ['429 own'])

  t.equal((await s.call(free, 'POST', '/api/v1/incidents/INC-1/acknowledge')).statusCode, 200)
  t.equal((await s.call(free, 'PATCH', `/api/v1/monitors/${other.id}`, { name: 'Others' })).statusCode, 200)
})
