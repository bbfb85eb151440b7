/**
 * Tests of what answers say about themselves: figures of lists, limits in force, and settings that
 * have no effect.
 */
import t from 'tap'
import { planIds } from '../../../schemas/plans.ts'
import { setCeiling } from '../../../services/operator/budget.ts'
import { saveFeed } from '../../../services/store/feed.ts'
import { transaction } from '../../../services/store/pool.ts'
import { assignRegions, effectiveRegions, type Region } from '../../../services/store/regions.ts'
import { create, good, MONITORS } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { stand } from './stand.ts'

const planOrder: readonly string[] = planIds

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
}

t.test('every list has totals or goes by cursor only', async (t) => {
  const s = await stand(t)
  const { paths } = s.app.swagger() as unknown as {
    paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, { schema?: Schema }> }> }>>
  }
  let [counted, byCursor] = [0, 0]
  for (const [path, methods] of Object.entries(paths)) {
    const properties = methods.get?.responses['200']?.content?.['application/json']?.schema?.properties
    if (!properties?.items || properties.per_page === undefined) continue
    const figures = ['total', 'page', 'total_pages'].map((name) => properties[name]?.type)
    if (properties.total === undefined) {
      byCursor += 1
      t.same(figures, [undefined, undefined, undefined], `${path} has none of them`)
      t.ok(properties.next_cursor, `${path} has a cursor`)
    } else {
      counted += 1
      t.same(figures, ['integer', 'integer', 'integer'], `${path} never sends null`)
    }
  }
  t.ok(counted >= 8 && byCursor >= 4, `${counted} lists are counted, ${byCursor} go by cursor only`)
})

t.test('a feed page that is reached by cursor has its own number', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const notices = Array.from({ length: 5 }, (_, nth) => ({
    tenant_id,
    key: `limit:${nth}`,
    type: 'limit' as const,
    severity: 'warning' as const,
    title: `Notice ${nth}`,
    body: 'Alerts are refused.',
    at: Date.now() - nth * 1000,
    audience: 'managers' as const
  }))
  await transaction(s.systemPool, (tx) => saveFeed(tx, notices, s.services.codec))
  const path = '/api/v1/notifications/feed?per_page=2'
  let answer = (await s.call(s.acme, 'GET', path)).json()
  const pages = [answer.page]
  while (answer.next_cursor !== null) {
    answer = (await s.call(s.acme, 'GET', `${path}&cursor=${answer.next_cursor}`)).json()
    pages.push(answer.page)
    t.match(answer, { total: 5, total_pages: 3 })
  }
  t.same(pages, [1, 2, 3])
})

t.test('the account and the plan catalogue show the limits in force', async (t) => {
  const s = await stand(t)
  const small = await s.workspace('small', 'free')
  const account = async () => (await s.call(small, 'GET', '/api/v1/account')).json()
  t.match(await account(), { entitlements: { ingest_alerts_per_minute: 1000, monitors: 10, regions: 3 }, limits_source: 'plan' })
  await setCeiling(s.systemPool, s.services.codec, { workspace: 'small', ceiling: 4000 })
  t.match(await account(), { entitlements: { ingest_alerts_per_minute: 4000, monitors: 10 }, limits_source: 'override' })
  const { limits } = (await s.call(small, 'GET', '/api/v1/workspace/limits')).json()
  const inForce = Object.fromEntries(limits.map(({ key, limit }: { key: string; limit: number | null }) => [key, limit]))
  t.same((await account()).entitlements, inForce, 'one figure in both places')

  await makeRegions(s)
  const { plans } = (await s.call(null, 'GET', '/api/v1/public/capability-plans')).json()
  const known: { code: string; plan_min: string }[] = (await s.call(small, 'GET', '/api/v1/regions')).json().items
  for (const { id, regions } of plans) {
    const allowed = known.filter(({ plan_min }) => planOrder.indexOf(plan_min) <= planOrder.indexOf(id))
    t.same(
      regions,
      allowed.map(({ code }) => code),
      id
    )
  }
  t.equal(plans[0].regions.length, 3)
})

t.test('the plan limits shown and checked regions alike', async (t) => {
  const region = (code: string, plan_min: Region['plan_min']): Region => ({
    code,
    label: code,
    country: 'IE',
    private: false,
    probers_online: 1,
    kinds: ['http'],
    egress_ips: [],
    plan_min
  })
  const regions = [region('a', 'free'), region('b', 'free'), region('c', 'free'), region('d', 'pro')]
  for (const [configured, plan, expected] of [
    [['a', 'b', 'c'], 'free', ['a', 'b']],
    [['d', 'a', 'b'], 'free', ['a', 'b']],
    [['d', 'd', 'a'], 'pro', ['d', 'a']],
    [['d', 'c'], 'enterprise', ['d', 'c']]
  ] as const) {
    t.same(effectiveRegions(configured, 'http', regions, plan), expected, `shown: ${configured} of ${plan}`)
    t.same(assignRegions('0190eeee-0000-7000-8000-000000000001', configured, regions, plan), expected, `checked: ${configured} of ${plan}`)
  }
})

t.test('monitor settings are stored as they are set', async (t) => {
  const s = await stand(t)
  const answer = await s.call(s.acme, 'POST', MONITORS, good({ type: 'tcp', target: 'a.example:80', config: { capture_on_failure: true } }))
  t.equal(answer.statusCode, 422, answer.body)
  const refused = { path: 'config.capture_on_failure', rule: 'unknown_field' }
  t.match(answer.json(), { code: 'VALIDATION_FAILED', details: [refused] }, 'of http alone')
  const kept = await create(s, s.acme, { config: { capture_on_failure: true } })
  t.match((await s.call(s.acme, 'GET', `${MONITORS}/${kept.id}`)).json(), { config: { capture_on_failure: true } })
  const two = await create(s, s.acme, { config: { http_version: '2' } })
  t.match((await s.call(s.acme, 'GET', `${MONITORS}/${two.id}`)).json(), { config: { http_version: '2' } })
  const { id } = await create(s, s.acme, { open_on_degraded: true, severity_degraded: 'info', config: { http_version: '1.1' } })
  t.match((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json(), { open_on_degraded: true, severity_degraded: 'info' })
  await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { open_on_degraded: false })
  t.match((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json(), { open_on_degraded: false })
})
