/** Tests of the routes for probers: presence, and the assignment of their region by long poll. */

import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { ConfigAnswer } from '../../../schemas/http/prober.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { openSealed } from '../../../services/credentials/sealing.ts'
import { readDocument } from '../../fuzz/api/document.ts'
import { until } from '../../harness/until.ts'
import { held, makeProber, makeRegions } from './probing.ts'
import { type Stand, stand } from './stand.ts'

const MONITORS = '/api/v1/monitors'

async function create(s: Stand, over: object = {}, who = s.acme): Promise<string> {
  const answer = await s.call(who, 'POST', MONITORS, {
    name: `m ${uuidv4()}`,
    type: 'http',
    target: 'https://shop.example/',
    regions: ['eu-west'],
    ...over
  })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

const ids = (answer: ConfigAnswer): string[] => answer.monitors.map(({ monitor_id }) => monitor_id).sort()

t.setTimeout(120_000)

t.test('prober routes accept only a valid prober token', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const prober = await makeProber(s, 'eu-west')
  for (const [name, token] of [
    ['none', null],
    ['a workspace token', s.acme.token],
    ['an unknown one', `prober_${'0'.repeat(64)}`],
    ['one that is too short', 'prober_00']
  ] as const) {
    for (const [method, path] of [
      ['POST', '/api/v1/prober/hello'],
      ['GET', '/api/v1/prober/config?instance_id=a']
    ] as const) {
      const answer = await s.call(token, method, path, method === 'POST' ? {} : undefined)
      t.equal(answer.statusCode, 401, `${name}: ${path}`)
      t.match(answer.json(), { code: 'INVALID_PROBER_TOKEN' })
      t.equal(answer.headers['www-authenticate'], 'Bearer')
    }
  }
  t.equal((await s.call(prober.token, 'GET', MONITORS)).statusCode, 401, 'a prober token opens nothing else')
  const ok = await s.call(prober.token, 'POST', '/api/v1/prober/hello', {})
  t.equal(ok.statusCode, 422, 'a good one gets to the body')
  t.match(ok.headers, { 'x-ratelimit-name': 'prober', 'x-ratelimit-limit': '1200', 'cache-control': 'no-store' })
  await s.systemPool.query('UPDATE prober_tokens SET revoked_at = now() WHERE token_id = $1', [prober.token_id])
  await until('the revoked token is refused', async () => (await prober.config()).statusCode === 401)
  t.notMatch(s.logged(), prober.token)
})

t.test('a hello returns the live probers of the region and the clock skew', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const one = await makeProber(s, 'eu-west', 'a')
  const two = await makeProber(s, 'eu-west', 'b')
  const far = await makeProber(s, 'us-east', 'c')
  const asked = Date.now()
  const first = await one.hello({ clock_at: new Date(asked + 5000).toISOString(), unknown: 1, region: 'us-east' })
  t.match(first, {
    region: 'eu-west',
    label: 'Europe West',
    country: 'IE',
    server_time: /Z$/,
    live: [{ instance_id: 'a', kinds: ['http'] }],
    assignment_version: 0,
    config: { result_batch: 500, result_flush_ms: 1000, block_cidrs: [] },
    drain: false
  })
  t.ok(Number(first.skew_ms) >= 5000 - (Date.now() - asked) && Number(first.skew_ms) <= 5000)
  await far.hello()
  t.match(await two.hello({ kinds: ['http', 'icmp'] }), {
    live: [{ instance_id: 'a' }, { instance_id: 'b', kinds: ['http', 'icmp'] }],
    skew_ms: 0
  })
  t.same(
    (await two.hello({ oldest_due_ms: 30_001 })).live,
    [{ instance_id: 'a', kinds: ['http'] }],
    'its sibling takes over from one that is behind'
  )
  t.match(await two.hello({ leaving: true }), { live: [{ instance_id: 'a' }] })
  await two.hello()
  await s.systemPool.query("UPDATE probers SET last_hello_at = now() - interval '31 seconds' WHERE instance_id = 'a'")
  t.match(await two.hello(), { live: [{ instance_id: 'b' }] }, 'who was silent for 30 s is not live')
  await create(s)
  t.ok(Number((await one.hello()).assignment_version) > 0)
  const wrong: [string, object][] = [
    ['no key', { public_key: undefined }],
    ['a short key', { public_key: 'AAAA' }],
    ['no kinds', { kinds: [] }],
    ['a name with blanks', { instance_id: 'a b' }]
  ]
  for (const [name, over] of wrong) await t.rejects(one.hello(over), /VALIDATION_FAILED/, name)
})

t.test('a prober gets the monitors of its region with sealed secrets', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const prober = await makeProber(s, 'eu-west')
  t.equal((await prober.config()).json().code, 'CONFLICT', 'without a hello there is no key to seal to')
  await prober.hello()
  const other = await makeProber(s, 'us-east')
  await other.hello()

  const a = await create(s, {
    config: { auth: { type: 'basic', username: 'u', password: 'hunter2' }, headers: [{ name: 'X-Key', value: 'hunter3', secret: true }] },
    assertions: [{ source: 'status', op: 'in', value: [200, 204] }],
    degraded_after_ms: 300
  })
  const b = await create(s, {}, s.globex)
  const c = await create(s, { regions: ['us-east'] })
  const full = await held(prober)
  t.equal(full.full, true)
  t.same(ids(full), [a, b].sort())
  t.same(full.removed, [])
  t.same(full.once.map(({ monitor_id }) => monitor_id).sort(), [a, b].sort(), 'with their first checks')
  const mine = full.monitors.find(({ monitor_id }) => monitor_id === a)
  t.match(mine, {
    tenant_ref: s.acme.tenant_id,
    config_version: 1,
    type: 'http',
    target: 'https://shop.example/',
    assertions: [{ source: 'status', op: 'in', value: [200, 204] }],
    retry: { count: 1, strategy: 'fixed' },
    interval_seconds: 60,
    timeout_seconds: 10,
    degraded_after_ms: 300
  })
  t.strictSame(mine?.assertions, [{ source: 'status', op: 'in', value: [200, 204] }])
  const { auth, headers } = mine?.config ?? {}
  t.equal(openSealed(prober.privateKey, auth?.password ?? ''), 'hunter2')
  t.equal(openSealed(prober.privateKey, headers?.[0]?.value ?? ''), 'hunter3')
  t.throws(() => openSealed(other.privateKey, auth?.password ?? ''), { name: 'Unsealable' })
  t.notMatch(JSON.stringify(full), /hunter/)

  await t.test('the assignment since a version contains only changes and removals', async (t) => {
    const none = await prober.config(`&since=${full.version}&wait_seconds=0`)
    t.equal(none.statusCode, 204)
    t.equal(none.body, '')
    await s.call(s.acme, 'PATCH', `${MONITORS}/${a}`, { interval_seconds: 30, down_interval_seconds: 15 })
    await s.call(s.globex, 'POST', `${MONITORS}/${b}/pause`)
    const next = await held(prober, `&since=${full.version}&wait_seconds=0`)
    const quicker = { down_interval_seconds: 15, recovery_rounds: 2 }
    t.match(next, { full: false, monitors: [{ monitor_id: a, config_version: 2, interval_seconds: 30, ...quicker }], removed: [b] })
    t.notOk(mine && 'down_interval_seconds' in mine, 'a monitor without another rhythm says none')
    t.ok(next.version > full.version)
    t.equal((await prober.config(`&since=${next.version}&wait_seconds=0`)).statusCode, 204)

    await s.call(s.globex, 'POST', `${MONITORS}/${b}/resume`)
    await s.call(s.acme, 'PATCH', `${MONITORS}/${a}`, { regions: ['us-east'] })
    const third = await held(prober, `&since=${next.version}&wait_seconds=0`)
    t.same([ids(third), third.removed], [[b], [a]], 'resumed is back, moved is gone')
    t.same(ids(await held(other)), [a, c].sort())
    await s.call(s.globex, 'DELETE', `${MONITORS}/${b}`)
    t.same((await held(prober, `&since=${third.version}&wait_seconds=0`)).removed, [b])
    t.same(ids(await held(prober)), [])

    const ahead = await held(prober, '&since=99999999&wait_seconds=0')
    t.equal(ahead.full, true, 'a version that was never given out: everything anew')
  })

  await t.test('the longest possible secret, sealed, still matches the OpenAPI document', async (t) => {
    const id = await create(s, { config: { auth: { type: 'basic', username: 'x', password: 'x'.repeat(8192) } } })
    const { body } = await prober.config()
    t.match(body, id)
    const document = (await s.call(null, 'GET', '/api/v1/public/openapi.json')).json()
    const operation = readDocument(document).find(({ id }) => id === 'proberConfig')
    t.equal(operation?.fault(200, 'application/json', body), null)
    await s.call(s.acme, 'DELETE', `${MONITORS}/${id}`)
  })

  await t.test('a secret that does not open keeps no other monitor from being checked', async (t) => {
    const broken = await create(s, { config: { auth: { type: 'bearer', token: 'hunter4' } } })
    const fine = await create(s)
    await s.systemPool.query(`UPDATE monitors SET config = jsonb_set(config, '{auth,token}', '"sealed:AAAA"') WHERE monitor_id = $1`, [
      broken
    ])
    t.same(ids(await held(prober)), [fine])
    t.match(s.logged(), new RegExp(broken))
  })

  await t.test('a prober that never sent a hello gets 409', async (t) => {
    const stranger = await s.call(prober.token, 'GET', '/api/v1/prober/config?instance_id=stranger')
    t.equal(stranger.statusCode, 409)
    t.equal((await s.call(prober.token, 'GET', '/api/v1/prober/config')).statusCode, 422, 'without a name')
    t.equal((await prober.config('&since=x')).statusCode, 422)
    t.equal((await prober.config('&wait_seconds=31')).statusCode, 422)
  })
})

t.test('waiting for a change of the assignment', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const prober = await makeProber(s, 'eu-west')
  const monitor = await create(s) // No prober is online yet that could check it at once.
  await prober.hello()
  let { version } = await held(prober)

  await t.test('a change wakes a waiting prober', async (t) => {
    const waiting = prober.config(`&since=${version}`)
    const busy = () => s.tenantPool.totalCount - s.tenantPool.idleCount
    await until('only the listeners hold a connection', () => busy() <= 2)
    await s.call(s.acme, 'PATCH', `${MONITORS}/${monitor}`, { interval_seconds: 30 })
    const answer = await waiting
    t.equal(answer.statusCode, 200)
    t.match(answer.json(), { full: false, monitors: [{ monitor_id: monitor, interval_seconds: 30 }] })
    version = answer.json().version
  })

  await t.test('more requests can wait than there are database connections', async (t) => {
    const waiting = Array.from({ length: 40 }, () => prober.config(`&since=${version}`))
    t.equal((await s.call(s.acme, 'GET', '/api/v1/workspace')).statusCode, 200, 'others are served meanwhile')
    await s.call(s.acme, 'PATCH', `${MONITORS}/${monitor}`, { interval_seconds: 40 })
    for (const answer of await Promise.all(waiting)) t.equal(answer.json().monitors[0].interval_seconds, 40)
    version = (await held(prober)).version
  })

  await t.test('a check on demand wakes a waiting prober, and each prober gets it once', async (t) => {
    const waiting = prober.config(`&since=${version}`)
    const started = await s.call(s.acme, 'POST', `${MONITORS}/${monitor}/check`, { count: true })
    const [check_id] = started.json().check_ids
    const answer = await waiting
    t.match(answer.json(), { version, full: false, monitors: [], removed: [], once: [{ check_id, monitor_id: monitor, count: true }] })
    const { scheduled_at, expires_at } = answer.json().once[0]
    t.equal(Date.parse(expires_at) - Date.parse(scheduled_at), 60_000)
    t.equal((await prober.config(`&since=${version}&wait_seconds=0`)).statusCode, 204, 'it does not come back by itself')
    const sibling = await makeProber(s, 'eu-west', 'second', { value: prober.token, token_id: prober.token_id })
    await sibling.hello()
    t.match((await held(sibling, `&since=${version}&wait_seconds=0`)).once, [{ check_id }], 'each sibling is told')
  })

  await t.test('a lost listening connection is replaced, and no change is missed', async (t) => {
    const waiting = prober.config(`&since=${version}`)
    // Ends the listening connections. The same role may end its own connections.
    const { rowCount } = await s.tenantPool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'test api' AND datname = current_database() AND query IN ('SELECT 1', 'LISTEN assignment') AND pid <> pg_backend_pid()`
    )
    t.ok(rowCount)
    await s.call(s.acme, 'PATCH', `${MONITORS}/${monitor}`, { interval_seconds: 50 })
    t.equal((await waiting).json().monitors[0].interval_seconds, 50)
    version = (await held(prober)).version
  })

  await t.test('a wait without changes ends with 204 after its time, and at once at shutdown', async (t) => {
    t.equal((await prober.config(`&since=${version}&wait_seconds=1`)).statusCode, 204)
    await s.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = s.app.server.address() as AddressInfo
    const get = (): ReturnType<typeof request> =>
      request({
        host: '127.0.0.1',
        port,
        path: `/api/v1/prober/config?instance_id=${prober.instance_id}&since=${version}`,
        headers: { authorization: `Bearer ${prober.token}` }
      }).end()
    let arrived = once(s.app.server, 'request')
    const gone = get()
    gone.on('error', () => undefined)
    await arrived
    gone.destroy() // Nothing waits for a client that is gone.
    arrived = once(s.app.server, 'request')
    const answered = once(get(), 'response')
    await arrived
    const closing = s.app.close()
    const [response] = await answered
    t.equal(response.statusCode, 204)
    response.resume()
    await closing
  })
})
