/** Tests of regions: the catalogue, which regions a monitor gets, and which count as online. */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { assignRegions, effectiveRegions, ensureRegions, type Region, readRegions } from '../../../services/store/regions.ts'
import { makeProber, makeRegions, regions } from './probing.ts'
import { stand } from './stand.ts'

t.test('the region catalogue shows online probers and their egress addresses', async (t) => {
  const s = await stand(t)
  t.same((await s.call(s.acme, 'GET', '/api/v1/regions')).json(), { items: [], total: 0, page: 1, per_page: 1, total_pages: 0 })
  await makeRegions(s)
  const [one, two] = [await makeProber(s, 'eu-west', 'a'), await makeProber(s, 'eu-west', 'b')]
  await one.hello({ egress_ips: ['192.0.2.2', '2001:db8::1', 'nonsense'] })
  await two.hello({ egress_ips: ['192.0.2.1', '192.0.2.2'] })
  await (await makeProber(s, 'us-east')).hello({ leaving: true })
  const gone = await makeProber(s, 'ap-south')
  await gone.hello()
  await s.systemPool.query("UPDATE probers SET last_hello_at = now() - interval '91 seconds' WHERE region = 'ap-south'")
  const answer = await s.call(s.acme, 'GET', '/api/v1/regions')
  t.equal(answer.statusCode, 200)
  t.match(answer.json(), {
    total: 4,
    total_pages: 1,
    items: [
      {
        code: 'eu-west',
        label: 'Europe West',
        country: 'IE',
        online: true,
        probers_online: 2,
        egress_ips: ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
        plan_min: 'free',
        kind: 'public'
      },
      { code: 'us-east', online: false, probers_online: 0, egress_ips: [], plan_min: 'free' },
      { code: 'ap-south', online: false, plan_min: 'free' },
      { code: 'sa-east', online: false, plan_min: 'pro' }
    ]
  })
  t.equal((await s.call(null, 'GET', '/api/v1/regions')).statusCode, 401)
  t.equal((await s.call(s.acme, 'GET', '/api/v1/regions?page=2')).statusCode, 422, 'it is not paged')

  await ensureRegions(s.systemPool, [{ code: 'eu-west', label: 'Ireland', country: 'IE' }, ...regions.slice(1)])
  const items = (await s.call(s.acme, 'GET', '/api/v1/regions')).json().items
  t.same(
    items.map(({ code, label }: { code: string; label: string }) => [code, label]).slice(0, 2),
    [
      ['eu-west', 'Ireland'],
      ['us-east', 'US East']
    ],
    'a region keeps its place, and gets its new label'
  )
  t.equal((await readRegions(s.tenantPool)).length, 4, 'everybody may read them')
})

t.test('a prober that is more than 30 s behind does not count as online', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const prober = await makeProber(s, 'eu-west', 'a')
  const online = async (): Promise<unknown> => (await s.call(s.acme, 'GET', '/api/v1/regions')).json().items[0]
  const made = await s.call(s.acme, 'POST', '/api/v1/monitors', {
    name: 'shop',
    type: 'http',
    target: 'https://shop.example/',
    regions: ['eu-west']
  })
  const path = `/api/v1/monitors/${made.json().id}`
  const effective = async (): Promise<unknown> => (await s.call(s.acme, 'GET', path)).json().effective_regions
  const cases: [name: string, over: object, isLive: boolean][] = [
    ['of an older version', {}, true],
    ['idle', { oldest_due_ms: 0, event_loop_delay_ms: 0 }, true],
    ['with a check due for 30 s', { oldest_due_ms: 30_000, event_loop_delay_ms: 0 }, true],
    ['with a check due for longer', { oldest_due_ms: 30_001, event_loop_delay_ms: 0 }, false],
    ['held up for longer', { oldest_due_ms: 0, event_loop_delay_ms: 30_001 }, false],
    ['back at work', { oldest_due_ms: 12, event_loop_delay_ms: 3 }, true]
  ]
  for (const [name, over, isLive] of cases) {
    t.equal(((await prober.hello(over)) as { live: unknown[] }).live.length, isLive ? 1 : 0, `${name}: live`)
    t.match(await online(), { online: isLive, probers_online: isLive ? 1 : 0 }, `${name}: online`)
    t.same(await effective(), isLive ? ['eu-west'] : [], `${name}: its region checks`)
    const asked = await s.call(s.acme, 'POST', `${path}/check`, {})
    t.equal(asked.statusCode, isLive ? 202 : 503, `${name}: a check that is asked for`)
    if (!isLive) t.match(asked.json(), { code: 'NO_PROBER_ONLINE' })
  }
  await t.rejects(prober.hello({ oldest_due_ms: -1 }), /VALIDATION_FAILED/)
  await t.rejects(prober.hello({ event_loop_delay_ms: 86_400_001 }), /VALIDATION_FAILED/)
  // A hello as the previous version stores it.
  await prober.hello({ oldest_due_ms: 40_000 })
  await s.tenantPool.query("SELECT note_hello('eu-west', 'a', '1', '{http}', '\\x00', '{}', '{}', false)")
  t.match(await online(), { online: true })
})

const region = (code: string, over: Partial<Region> = {}): Region => ({
  code,
  label: code,
  country: 'IE',
  private: false,
  probers_online: 1,
  kinds: ['http'],
  egress_ips: [],
  plan_min: 'free',
  ...over
})
const six = ['a1', 'b1', 'c1', 'd1', 'e1', 'f1'].map((code, at) => region(code, { plan_min: at < 3 ? 'free' : 'pro' }))

t.test('picked regions fit the plan, are stable and are spread over the monitors', async (t) => {
  const ids = Array.from({ length: 600 }, () => uuidv7())
  const used = new Map<string, number>()
  for (const id of ids) {
    const assigned = assignRegions(id, [], six, 'pro')
    t.equal(new Set(assigned).size, 3)
    t.same(assigned, assignRegions(id, [], [...six].reverse(), 'pro'), 'whatever their order')
    for (const code of assigned) used.set(code, (used.get(code) ?? 0) + 1)
    const free = assignRegions(id, [], six, 'free')
    t.equal(free.length, 2)
    t.ok(free.every((code) => ['a1', 'b1', 'c1'].includes(code)))
    const added = assignRegions(id, [], [...six, region('g1')], 'pro')
    t.ok(added.filter((code) => !assigned.includes(code)).length <= 1, 'a new region takes over at most one place')
  }
  for (const [code, count] of used) t.ok(count > 200 && count < 400, `${code}: ${count} of 300`)
  t.same(assignRegions(uuidv7(), [], [], 'pro'), [])
  t.same(assignRegions(uuidv7(), ['f1', 'a1', 'f1'], six, 'pro'), ['f1', 'a1'], 'what was chosen is not picked over')
})

t.test('effective regions of a monitor', async (t) => {
  const cases: [string, string[], string, Region[], 'free' | 'pro', string[]][] = [
    ['none configured', [], 'http', six, 'pro', []],
    ['all online', ['b1', 'a1'], 'http', six, 'pro', ['b1', 'a1']],
    ['one offline', ['b1', 'a1'], 'http', [region('a1'), region('b1', { kinds: [] })], 'pro', ['a1']],
    ['probers that do not know the type', ['a1'], 'icmp', six, 'pro', []],
    ['more than the plan allows', ['c1', 'b1', 'a1'], 'http', six, 'free', ['c1', 'b1']],
    ['a region that is gone', ['z1', 'a1'], 'http', six, 'pro', ['a1']],
    ['one named twice', ['a1', 'a1'], 'http', six, 'pro', ['a1']]
  ]
  for (const [name, configured, type, known, plan, wanted] of cases) t.same(effectiveRegions(configured, type, known, plan), wanted, name)
})
