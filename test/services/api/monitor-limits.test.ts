/** Tests of the plan limits of monitors: a request over a limit is refused as a whole. */
import t from 'tap'
import { planOf, plans } from '../../../schemas/plans.ts'
import { type Body, configsOf, create, good, MONITORS } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { stand } from './stand.ts'

t.setTimeout(120_000)

t.test('a monitor over a plan limit is refused as a whole', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const free = await s.workspace('free', 'free')
  const refused = async (over: Body, key: string, more: Body) => {
    const answer = await s.call(free, 'POST', MONITORS, good(over))
    t.equal(answer.statusCode, 403, answer.body)
    t.match(answer.json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ rule: 'limit', limit_key: key, plan: 'free', ...more }] })
  }
  await refused({ interval_seconds: 60 }, 'min_interval_seconds', { limit: 180, actual: 60, upgrade_to: 'pro' })
  await refused({ interval_seconds: 10 }, 'min_interval_seconds', { limit: 180, actual: 10, upgrade_to: 'enterprise' })
  const quick = { interval_seconds: 300, down_interval_seconds: 60 }
  await refused(quick, 'min_interval_seconds', { limit: 180, actual: 60, upgrade_to: 'pro' })
  await refused({ regions: ['eu-west', 'us-east', 'ap-south'] }, 'regions_per_monitor', { limit: 2, actual: 3, upgrade_to: 'pro' })
  await refused({ regions: ['sa-east'] }, 'regions', { limit: 3, actual: 4, upgrade_to: 'pro' })
  t.equal((await s.call(free, 'GET', MONITORS)).json().total, 0)
  const first = await create(s, free)
  t.equal(first.interval_seconds, 180, 'the default is what the plan allows')
  const [config] = await configsOf(s, first.id)
  t.equal(config?.regions.length, 2)
  t.notOk(config?.regions.includes('sa-east'))
  t.equal(config?.retention_days, 7)
  const change = await s.call(free, 'PATCH', `${MONITORS}/${first.id}`, { interval_seconds: 60, name: 'x' })
  t.equal(change.json().code, 'TIER_LIMIT_EXCEEDED')
  t.not((await s.call(free, 'GET', `${MONITORS}/${first.id}`)).json().name, 'x')

  await t.test('concurrent requests cannot exceed the monitor limit', async (t) => {
    for (let n = 2; n < (plans.free.limits.monitors ?? 0); n++) await create(s, free)
    const answers = await Promise.all(Array.from({ length: 5 }, () => s.call(free, 'POST', MONITORS, good())))
    t.same(answers.map(({ statusCode }) => statusCode).sort(), [201, 403, 403, 403, 403])
    const over = answers.find(({ statusCode }) => statusCode === 403)?.json()
    t.match(over.details[0], { limit_key: 'monitors', limit: 10, actual: 10, upgrade_to: 'pro' })
    t.equal((await s.call(free, 'GET', MONITORS)).json().total, planOf('free').limits.monitors)
  })

  await t.test('after a downgrade a paused monitor can be renamed but resumes only within the plan', async (t) => {
    const shrunk = await s.workspace('shrunk', 'pro')
    const fast = await create(s, shrunk, { interval_seconds: 60, regions: ['eu-west', 'us-east', 'sa-east'] })
    const slow = []
    for (let n = 0; n < 10; n++) slow.push(await create(s, shrunk, { interval_seconds: 300 }))
    await s.systemPool.query("UPDATE tenants SET plan = 'free' WHERE tenant_id = $1", [shrunk.tenant_id])
    await s.systemPool.query("UPDATE monitors SET paused_at = now(), pause_reason = 'entitlement' WHERE monitor_id = $1", [fast.id])
    const resume = () => s.call(shrunk, 'POST', `${MONITORS}/${fast.id}/resume`)
    t.match((await resume()).json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'monitors' }] })
    await s.call(shrunk, 'DELETE', `${MONITORS}/${slow[0]?.id}`)
    t.match((await resume()).json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'min_interval_seconds' }] })
    t.equal((await s.call(shrunk, 'PATCH', `${MONITORS}/${fast.id}`, { name: 'renamed' })).statusCode, 200)
    t.equal((await s.call(shrunk, 'PATCH', `${MONITORS}/${fast.id}`, { interval_seconds: 300 })).statusCode, 200)
    t.match((await resume()).json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'regions_per_monitor' }] })
    t.equal((await s.call(shrunk, 'PATCH', `${MONITORS}/${fast.id}`, { regions: ['eu-west'] })).statusCode, 200)
    t.equal((await resume()).statusCode, 200)
    t.match((await configsOf(s, fast.id)).at(-1), { regions: ['eu-west'], paused: false })
  })
})
