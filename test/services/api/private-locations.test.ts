/**
 * Tests of private locations: create, rename, drain, replace or revoke the token, and delete; whose
 * monitors their probers get; who may choose them; and what they may reach.
 */
import t from 'tap'
import type { LocationDetail, LocationWithToken } from '../../../schemas/http/private-locations.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { version } from '../../../services/process/version.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { assignRegions, type Region } from '../../../services/store/regions.ts'
import { until } from '../../harness/until.ts'
import { held, makeProber, makeRegions, type TestProber } from './probing.ts'
import { ORIGIN, type Stand, stand, type Workspace } from './stand.ts'

const LOCATIONS = '/api/v1/private-locations'
const MONITORS = '/api/v1/monitors'

t.setTimeout(120_000)

async function made(s: Stand, who: Workspace, label: string): Promise<LocationWithToken> {
  const answer = await s.call(who, 'POST', LOCATIONS, { label })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

const probes = (s: Stand, { code, token }: LocationWithToken, instance = 'inside-1'): Promise<TestProber> =>
  makeProber(s, code, instance, { value: token, token_id: 'of the location' })

const list = async (s: Stand, who: Workspace): Promise<LocationDetail[]> => (await s.call(who, 'GET', LOCATIONS)).json().items

async function watch(s: Stand, who: Workspace, over: object): Promise<string> {
  const body = { name: `m ${uuidv4()}`, type: 'http', target: 'https://shop.example/', ...over }
  const answer = await s.call(who, 'POST', MONITORS, body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

t.test('a private location can be renamed, drained and deleted, and its token rotated and revoked', async (t) => {
  const s = await stand(t)
  t.match((await s.call(s.acme, 'GET', LOCATIONS)).json(), { items: [], total: 0 })
  const location = await made(s, s.acme, '  Office Berlin ')
  t.match(location, {
    tenant_id: s.acme.tenant_id,
    label: 'Office Berlin',
    code: /^loc-[a-z0-9]{12}$/,
    token: /^prober_[0-9a-f]{64}$/,
    online: false,
    draining: false,
    last_seen_at: null,
    prober_version: null,
    capacity: null,
    probers: [],
    monitors: 0,
    version: 1
  })
  t.match(location.start, `-e SERVICE_PROBER_TOKEN=${location.token} `)
  t.match(location.start, `-e SERVICE_PROBER_URL=${ORIGIN} `)
  t.match(location.start, `monitoring-incident-service:${version} prober`)
  t.notMatch(location.start, '\n')

  const prober = await probes(s, location)
  t.match(await prober.hello({ capacity: { concurrent: 20, per_second: 10 }, kinds: ['http', 'tcp'], version }), {
    region: location.code,
    label: 'Office Berlin',
    country: null,
    drain: false,
    live: [{ instance_id: 'inside-1' }]
  })
  await (await probes(s, location, 'inside-2')).hello({ capacity: { concurrent: 5, per_second: 5 }, version: '99.0.0' })
  await (await probes(s, location, 'inside-3')).hello({ leaving: true, version: '0.0.1' })
  const [shown] = await list(s, s.acme)
  t.match(shown, {
    online: true,
    probers_online: 2,
    types: ['http', 'tcp'],
    capacity: { concurrent: 25, per_second: 15 },
    token_prefix: location.token.slice(0, 13),
    last_seen_at: /Z$/,
    prober_version: '0.0.1'
  })
  t.same(
    shown?.probers.map(({ instance_id, version_skew, online, leaving }) => [instance_id, version_skew, online, leaving]).sort(),
    [
      ['inside-1', 'none', true, false],
      ['inside-2', 'too_new', true, false],
      ['inside-3', 'none', false, true]
    ],
    'a prober that does not go with this service says so'
  )
  t.notMatch(JSON.stringify(shown), location.token, 'the token is shown once')
  t.match(shown?.start, '-e SERVICE_PROBER_TOKEN=<token> ')

  const path = `${LOCATIONS}/${location.id}`
  const renamed = await s.call(s.acme, 'PATCH', path, { label: 'Berlin' })
  t.match([renamed.statusCode, renamed.json()], [200, { label: 'Berlin', version: 2 }])
  t.match((await s.call(s.acme, 'PATCH', path, { label: 'Berlin' })).json(), { version: 2 }, 'the same again changes nothing')
  const stale = await s.call(s.acme, 'PATCH', path, { label: 'x' }, { headers: { 'if-match': '"1"' } })
  t.match([stale.statusCode, stale.json()], [412, { code: 'VERSION_MISMATCH', version: 2 }])
  await until('the prober hears its new label', async () => (await prober.hello()).label === 'Berlin')

  t.match((await s.call(s.acme, 'PATCH', path, { draining: true })).json(), { draining: true, online: false, probers_online: 0, types: [] })
  await until('it is told to begin nothing', async () => (await prober.hello()).drain === true)
  t.match((await s.call(s.acme, 'PATCH', path, { draining: false })).json(), { draining: false, online: true })
  await until('it goes on', async () => (await prober.hello()).drain === false)

  const rotated = await s.call(s.acme, 'POST', `${path}/rotate-token`)
  t.equal(rotated.statusCode, 200)
  const again: LocationWithToken = rotated.json()
  t.not(again.token, location.token)
  await until('the old token is refused', async () => (await prober.config('&wait_seconds=0')).statusCode === 401)
  await (await probes(s, again)).hello({ version })
  const revoked = await s.call(s.acme, 'POST', `${path}/revoke-token`)
  t.match([revoked.statusCode, revoked.json()], [200, { token_prefix: null, token_created_at: null }])
  const after = await probes(s, again)
  await until('the revoked token is refused', async () => (await after.config('&wait_seconds=0')).statusCode === 401)
  t.equal((await s.call(s.acme, 'POST', `${path}/revoke-token`)).statusCode, 200, 'once more changes nothing that anybody feels')

  const { token } = (await s.call(s.acme, 'POST', `${path}/rotate-token`)).json()
  const last = await probes(s, { ...again, token })
  await last.hello({ version })
  t.equal((await s.call(s.acme, 'DELETE', path)).statusCode, 204)
  t.equal((await s.call(s.acme, 'DELETE', path)).statusCode, 404)
  t.same(await list(s, s.acme), [])
  await until('its probers are refused', async () => (await last.config('&wait_seconds=0')).statusCode === 401)
  t.equal((await s.systemPool.query('SELECT FROM probers WHERE region = $1', [location.code])).rowCount, 0, 'nothing of it stays')
  t.equal((await s.systemPool.query('SELECT FROM prober_tokens WHERE region = $1', [location.code])).rowCount, 0)

  for (const secret of [location.token, again.token, token]) t.notMatch(s.logged(), secret)
  const { rows } = await s.systemPool.query(
    "SELECT action, diff FROM audit WHERE object_type = 'private_location' AND object_id = $1 ORDER BY audit_id",
    [location.id]
  )
  t.same(
    rows.map(({ action }) => action.replace('private_location.', '')),
    ['created', 'updated', 'updated', 'updated', 'token_rotated', 'token_revoked', 'token_revoked', 'token_rotated', 'deleted']
  )
  t.match(rows[1], { diff: { label: ['Office Berlin', 'Berlin'] } })
  t.notMatch(JSON.stringify(rows), /prober_/)
})

t.test('a location has at most 100 probers, and a silent one makes room', async (t) => {
  const s = await stand(t)
  const location = await made(s, s.acme, 'Office')
  const { code } = location
  await s.systemPool.query(
    `INSERT INTO probers (region, instance_id, version, kinds, public_key, last_hello_at)
     SELECT $1, 'p' || n, '1.0.0', '{http}', '\\x00', now() + interval '1 day' FROM generate_series(1, 100) AS n`,
    [code]
  )
  const one = await probes(s, location, 'one-more')
  await t.rejects(one.hello(), /CONFLICT/)
  await (await probes(s, location, 'p7')).hello()
  await s.systemPool.query("UPDATE probers SET last_hello_at = now() - interval '2 minutes' WHERE region = $1 AND instance_id = 'p9'", [
    code
  ])
  await one.hello()
  const { rows } = await s.systemPool.query(
    "SELECT count(*) AS all, count(*) FILTER (WHERE instance_id = 'p9') AS gone FROM probers WHERE region = $1",
    [code]
  )
  t.match(rows, [{ all: 100, gone: 0 }])
})

t.test('labels of locations are unique and valid, and the plan limits their number', async (t) => {
  const s = await stand(t)
  const free = await s.workspace('small', 'free')
  const refused = await s.call(free, 'POST', LOCATIONS, { label: 'Office' })
  t.match(
    [refused.statusCode, refused.json()],
    [403, { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'private_locations', limit: 0, upgrade_to: 'pro' }] }]
  )
  const pro = await s.workspace('middle', 'pro')
  await made(s, pro, 'Office')
  t.match((await s.call(pro, 'POST', LOCATIONS, { label: 'Cellar' })).json(), { details: [{ limit: 1, actual: 1 }] })

  const one = await made(s, s.acme, 'Office')
  await made(s, s.acme, 'Cellar')
  await made(s, s.globex, 'Office')
  for (const [method, path] of [
    ['POST', LOCATIONS],
    ['PATCH', `${LOCATIONS}/${(await list(s, s.acme))[0]?.id}`]
  ] as const) {
    const answer = await s.call(s.acme, method, path, { label: 'oFFICE' })
    t.match([answer.statusCode, answer.json()], [409, { code: 'NAME_TAKEN', details: [{ path: 'label' }] }], method)
  }
  for (const body of [
    {},
    { label: '' },
    { label: ' ' },
    { label: 'x'.repeat(81) },
    { label: 'a\nb' },
    { label: 'x', code: 'loc-000000000000' }
  ])
    t.equal((await s.call(s.acme, 'POST', LOCATIONS, body)).statusCode, 422, JSON.stringify(body))
  const usage = (await s.call(s.acme, 'GET', '/api/v1/workspace/usage')).json()
  t.match(
    usage.limits.find(({ key }: { key: string }) => key === 'private_locations'),
    { used: 2 }
  )
  t.same(
    (await list(s, s.acme)).map(({ label }) => label),
    ['Cellar', 'Office'],
    'by label'
  )
  t.equal((await s.call(s.globex, 'PATCH', `${LOCATIONS}/${one.id}`, { label: 'mine' })).statusCode, 404)
})

t.test('probers of a location get only the monitors of their own workspace', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const location = await made(s, s.acme, 'Office')
  const theirs = await made(s, s.globex, 'Office')
  const prober = await probes(s, location)
  await prober.hello()
  const mine = await watch(s, s.acme, { regions: [location.code, 'eu-west'], config: { auth: { type: 'bearer', token: 'the-secret' } } })
  const elsewhere = await watch(s, s.acme, { regions: ['eu-west'] })
  const foreign = await watch(s, s.globex, { regions: [theirs.code] })
  const public_one = await watch(s, s.globex, { regions: ['eu-west'] })

  const answer = await held(prober)
  t.same(
    answer.monitors.map(({ monitor_id, tenant_ref }) => [monitor_id, tenant_ref]),
    [[mine, s.acme.tenant_id]]
  )
  t.notOk('down_interval_seconds' in (answer.monitors[0] ?? {}), 'no other rhythm')
  await watch(s, s.globex, { regions: ['eu-west'] })
  await s.call(s.globex, 'PATCH', `${MONITORS}/${foreign}`, { name: 'changed' })
  t.equal((await prober.config(`&since=${answer.version}&wait_seconds=0`)).statusCode, 204, 'what others change is no news here')
  await s.call(s.acme, 'PATCH', `${MONITORS}/${elsewhere}`, { name: 'changed' })
  const news = await held(prober, `&since=${answer.version}&wait_seconds=0`)
  t.notOk(JSON.stringify(news).includes(foreign) || JSON.stringify(news).includes(public_one), 'not even an id of others')
  t.same(news.removed, [elsewhere])
  const quicker = { down_interval_seconds: 30, confirmation: { recovery_rounds: 3 } }
  t.equal((await s.call(s.acme, 'PATCH', `${MONITORS}/${mine}`, quicker)).statusCode, 200)
  t.match((await held(prober, `&since=${news.version}&wait_seconds=0`)).monitors, [
    { monitor_id: mine, down_interval_seconds: 30, recovery_rounds: 3 }
  ])

  // A row that names the code of another workspace's location, for whatever reason.
  await s.systemPool.query('UPDATE monitors SET assigned_regions = $2 WHERE monitor_id = $1', [foreign, [location.code]])
  t.same(
    (await held(prober)).monitors.map(({ monitor_id }) => monitor_id),
    [mine]
  )
  const hosted = await makeProber(s, 'eu-west')
  await hosted.hello()
  t.same(
    (await held(hosted)).monitors.map(({ monitor_id }) => monitor_id).sort(),
    (await s.systemPool.query("SELECT monitor_id FROM monitors WHERE 'eu-west' = ANY (assigned_regions) ORDER BY 1")).rows.map(
      ({ monitor_id }) => monitor_id
    ),
    'a region of everybody has those of all'
  )
  t.match(await list(s, s.acme), [{ monitors: 1 }])
})

t.test('a location is a region of its own workspace only', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const location = await made(s, s.acme, 'Office')
  await (await probes(s, location)).hello()
  const regions = async (who: Workspace) => (await s.call(who, 'GET', '/api/v1/regions')).json().items as Region[]
  t.match((await regions(s.acme)).at(-1), {
    code: location.code,
    label: 'Office',
    country: null,
    kind: 'private',
    online: true,
    plan_min: 'free',
    types: ['http']
  })
  t.notOk((await regions(s.globex)).some(({ code }) => code === location.code))
  const { plans } = (await s.call(null, 'GET', '/api/v1/public/capability-plans')).json()
  t.notMatch(JSON.stringify(plans), location.code)

  const id = await watch(s, s.acme, { regions: [location.code] })
  t.match((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json(), {
    regions: [location.code],
    effective_regions: [location.code],
    prober_region_labels: { [location.code]: 'Office' }
  })
  t.equal((await s.call(s.acme, 'POST', `${MONITORS}/${id}/check`, {})).statusCode, 202)
  const others = await s.call(s.globex, 'POST', MONITORS, {
    name: 'x',
    type: 'http',
    target: 'https://shop.example/',
    regions: [location.code]
  })
  t.match([others.statusCode, others.json()], [422, { details: [{ path: 'regions[0]', rule: 'unknown_region' }] }])
  const icmp = await s.call(s.acme, 'POST', MONITORS, { name: 'p', type: 'icmp', target: 'shop.example', regions: [location.code] })
  t.match(icmp.json(), { details: [{ path: 'regions[0]', rule: 'unsupported_type' }] }, 'what its probers cannot do says so')
  const picked = await watch(s, s.acme, {})
  t.notOk(
    (await held(await probes(s, location))).monitors.some(({ monitor_id }) => monitor_id === picked),
    'nobody picks it but people'
  )

  for (const [name, sql] of [
    ['the region', 'SELECT FROM regions WHERE code = $1'],
    ['its probers', 'SELECT region FROM probers WHERE region = $1'],
    ['its token', 'SELECT region FROM prober_tokens WHERE region = $1']
  ] as const) {
    const count = async (who: Workspace | null) =>
      who
        ? tenantTransaction(s.tenantPool, wholeWorkspace(who.tenant_id), async (tx) => (await tx.query(sql, [location.code])).rowCount)
        : (await s.tenantPool.query(sql, [location.code])).rowCount
    t.equal(await count(s.acme), 1, `${name}: its workspace`)
    t.equal(await count(s.globex), 0, `${name}: another`)
    t.equal(await count(null), 0, `${name}: nobody`)
  }
  for (const statement of [
    "UPDATE regions SET label = 'stolen' WHERE code = $1",
    'DELETE FROM regions WHERE code = $1',
    'DELETE FROM prober_tokens WHERE region = $1'
  ]) {
    const change = tenantTransaction(s.tenantPool, wholeWorkspace(s.globex.tenant_id), (tx) => tx.query(statement, [location.code]))
    t.equal((await change).rowCount, 0, statement)
  }
  for (const [statement, values] of [
    ["INSERT INTO regions (code, label, country) VALUES ('eu-own', 'x', 'DE')", []],
    [
      'INSERT INTO prober_tokens (token_id, region, name, token_sha256, token_prefix) VALUES (gen_random_uuid(), $1, $1, $2, $1)',
      ['eu-west', Buffer.from('a')]
    ],
    [
      'INSERT INTO prober_tokens (token_id, region, name, token_sha256, token_prefix) VALUES (gen_random_uuid(), $1, $1, $2, $1)',
      [location.code, Buffer.from('b')]
    ]
  ] as const)
    await t.rejects(
      tenantTransaction(s.tenantPool, wholeWorkspace(s.globex.tenant_id), (tx) => tx.query(statement, [...values])),
      { code: '42501' },
      statement
    )
  const shared = tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), (tx) =>
    tx.query("UPDATE regions SET label = 'mine' WHERE code = 'eu-west'")
  )
  t.equal((await shared).rowCount, 0, 'a region of everybody is nobody’s to rename')
})

t.test('a location that monitors use cannot be deleted', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const location = await made(s, s.acme, 'Office')
  const id = await watch(s, s.acme, { name: 'Intranet', regions: [location.code] })
  const path = `${LOCATIONS}/${location.id}`
  const refused = await s.call(s.acme, 'DELETE', path)
  t.match([refused.statusCode, refused.json()], [409, { code: 'IN_USE', details: [{ path: 'monitors', actual: 1, names: ['Intranet'] }] }])
  t.equal((await list(s, s.acme)).length, 1)
  await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { regions: ['eu-west'] })
  t.equal((await s.call(s.acme, 'DELETE', path)).statusCode, 204)
})

t.test('a trial that is under way does not keep its location', async (t) => {
  const s = await stand(t)
  const location = await made(s, s.acme, 'Office')
  await s.ownerPool.query(
    `INSERT INTO check_trials (tenant_id, check_id, region, definition, expires_at)
     VALUES ($1, gen_random_uuid(), $2, '{}', now() + interval '1 minute')`,
    [s.acme.tenant_id, location.code]
  )
  t.equal((await s.call(s.acme, 'DELETE', `${LOCATIONS}/${location.id}`)).statusCode, 204)
  t.equal((await s.ownerPool.query('SELECT FROM check_trials')).rowCount, 0)
})

t.test('if a monitor is added while its location is deleted, one of the two is refused', async (t) => {
  const s = await stand(t)
  for (let round = 0; round < 10; round++) {
    const location = await made(s, s.acme, `Office ${round}`)
    const body = { name: `at once ${round}`, type: 'http', target: 'https://shop.example/', regions: [location.code] }
    const [monitor, end] = await Promise.all([
      s.call(s.acme, 'POST', MONITORS, body),
      s.call(s.acme, 'DELETE', `${LOCATIONS}/${location.id}`)
    ])
    t.ok(
      (monitor.statusCode === 201 && end.statusCode === 409) || (monitor.statusCode === 422 && end.statusCode === 204),
      `${monitor.statusCode} and ${end.statusCode}`
    )
    if (monitor.statusCode !== 201) continue
    await s.call(s.acme, 'DELETE', `${MONITORS}/${monitor.json().id}`)
    t.equal((await s.call(s.acme, 'DELETE', `${LOCATIONS}/${location.id}`)).statusCode, 204, 'a deleted monitor holds it no more')
  }
})

t.test('a private target is accepted only if private locations alone check it', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const { code } = await made(s, s.acme, 'Office')
  const blocked = { code: 'VALIDATION_FAILED', details: [{ path: 'target', rule: 'blocked_target' }] }
  const create = (target: string, regions: string[]) =>
    s.call(s.acme, 'POST', MONITORS, { name: `m ${uuidv4()}`, type: 'http', target, regions })
  for (const target of ['http://10.0.0.7/', 'http://127.0.0.1:8080/', 'http://[fd00::1]/']) {
    for (const regions of [[], ['eu-west'], [code, 'eu-west'], ['loc-nobodysown']])
      t.match((await create(target, regions)).json(), blocked, `${target} from ${regions}`)
    t.equal((await create(target, [code])).statusCode, 201, target)
  }
  t.match((await create('http://10.0.0.7/', ['loc-000000000000'])).json(), { details: [{ rule: 'unknown_region' }] })
  const id = await watch(s, s.acme, { target: 'http://10.0.0.7/', regions: [code] })
  const moved = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { regions: [code, 'eu-west'] })
  t.match([moved.statusCode, moved.json()], [422, blocked], 'a region of everybody joins: judged again')
  t.equal((await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { target: 'http://10.0.0.8/' })).statusCode, 200)
  t.match((await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { regions: [] })).json(), blocked)
  const both = { target: 'https://shop.example/', regions: ['eu-west'] }
  t.equal((await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, both)).statusCode, 200)
  t.match((await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { target: 'http://10.0.0.7/' })).json(), blocked)
})

t.test('the service never picks a private location by itself', async (t) => {
  const region = (code: string, isPrivate: boolean): Region => ({
    code,
    label: code,
    country: isPrivate ? null : 'IE',
    private: isPrivate,
    probers_online: 1,
    kinds: ['http'],
    egress_ips: [],
    plan_min: 'free'
  })
  const known = [region('eu-west', false), region('loc-000000000001', true)]
  t.same(assignRegions(uuidv4(), [], known, 'free'), ['eu-west'])
  t.same(assignRegions(uuidv4(), ['loc-000000000001'], known, 'free'), ['loc-000000000001'])
  t.same(assignRegions(uuidv4(), [], known.slice(1), 'free'), [])
})

t.test('a private location that is added to a monitor, or tries it, needs the secrets of the monitor again', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const [known, other] = [await made(s, s.acme, 'Office'), await made(s, s.acme, 'Site of a customer')]
  const token = { type: 'bearer', token: 'hunter2' }
  const id = await watch(s, s.acme, { regions: ['eu-west', known.code], config: { auth: token } })
  const patch = (body: object) => s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, body)
  const validate = (body: object) => s.call(s.acme, 'POST', `${MONITORS}/validate`, { monitor_id: id, ...body })
  const both = { regions: ['eu-west', known.code, other.code] }
  const refused = {
    code: 'VALIDATION_FAILED',
    details: [{ path: 'config.auth.token', rule: 'required', message: new RegExp(`private location ${other.code} would read it, too`) }]
  }
  for (const answer of [await patch(both), await validate(both), await validate({ region: other.code })]) {
    t.equal(answer.statusCode, 422, answer.body)
    t.match(answer.json(), refused)
  }
  for (const body of [{ name: 'Intranet' }, { regions: [known.code, 'us-east'] }, { regions: ['eu-west', known.code] }])
    t.equal((await patch(body)).statusCode, 200, 'nobody else reads it')
  const trial = await validate({ region: known.code })
  t.notMatch(trial.body, /would read it/, 'it checks the monitor already')
  t.equal((await patch({ ...both, config: { auth: token } })).statusCode, 200, 'with the secret')
  t.equal((await patch(both)).statusCode, 200)
  const plain = await watch(s, s.acme, { regions: ['eu-west'] })
  t.equal((await s.call(s.acme, 'PATCH', `${MONITORS}/${plain}`, both)).statusCode, 200, 'a monitor without secrets')
})
