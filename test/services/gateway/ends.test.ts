/** How sockets are refused and how they end. */

import { connect as connectTcp } from 'node:net'
import t from 'tap'
import { WebSocket } from 'ws'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { openSockets, rates } from '../../../schemas/plans.ts'
import { createAdmission } from '../../../services/gateway/admission.ts'
import type { Holder } from '../../../services/gateway/identify.ts'
import { deleteMember, updateRole } from '../../../services/store/members.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { endSessions } from '../../harness/sessions.ts'
import { until } from '../../harness/until.ts'
import { type Client, client, DOMAIN, gatewayStack, handshake, PUBLIC_URL, record } from './stack.ts'

t.setTimeout(300_000)

// One gateway is shared by all tests that need no other: each test has workspaces of its own.
const shared = await gatewayStack(t)
/** A gateway whose clients connect through a trusted proxy. */
const behind = await gatewayStack(t, { trustedProxies: ['127.0.0.0/8'] })

t.test('a handshake without a valid credential is refused, and no credential is logged', async (t) => {
  const { refused, workspace, log, metric } = shared
  const acme = await workspace()
  const writer = await acme.member('editor', ['write', 'incidents:act'])
  const viewer = await acme.member('viewer')
  const gone = await acme.member('viewer')
  await acme.revoke(gone.token)
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
  const unknown = `service_${'a'.repeat(64)}`
  const cookie = `service_session=${viewer.session}`
  const before = await metric('service_gateway_upgrades_refused_total')
  //  a handshake                        query                     headers                                  status  code
  const cases: [string, string, Record<string, string>, number, string][] = [
    ['nothing', '', {}, 401, 'UNAUTHENTICATED'],
    ['an unknown token', `?token=${unknown}`, {}, 401, 'UNAUTHENTICATED'],
    ['a revoked token', `?token=${gone.token}`, {}, 401, 'UNAUTHENTICATED'],
    ['a JWT', `?token=${jwt}`, {}, 401, 'UNAUTHENTICATED'],
    ['an empty token', '?token=', {}, 401, 'UNAUTHENTICATED'],
    ['a token that may not read', `?token=${writer.token}`, {}, 403, 'FORBIDDEN'],
    ['a token in the header', '', { authorization: `Bearer ${acme.token}` }, 401, 'UNAUTHENTICATED'],
    ['the cookie from another page', '', { cookie, origin: 'https://evil.example' }, 403, 'ORIGIN_REJECTED'],
    ['the cookie from a page of ours under another scheme', '', { cookie, origin: 'http://monitor.example' }, 403, 'ORIGIN_REJECTED'],
    ['the cookie without an origin', '', { cookie }, 403, 'ORIGIN_REJECTED'],
    ['a cookie that is no session', '', { cookie: `service_session=${'b'.repeat(43)}`, origin: PUBLIC_URL }, 401, 'UNAUTHENTICATED'],
    ['a cookie of another form', '', { cookie: 'service_session=x', origin: PUBLIC_URL }, 401, 'UNAUTHENTICATED']
  ]
  for (const [name, query, headers, status, code] of cases) {
    const answer = await refused(query, { ...headers, 'x-request-id': 'my-request' })
    t.match(answer, { status, body: { code, error: String, request_id: 'my-request' }, headers: { 'x-request-id': 'my-request' } }, name)
    if (status === 401) t.equal(answer.headers['www-authenticate'], 'Bearer')
    t.notOk([jwt, unknown, gone.token].some((secret) => JSON.stringify(answer).includes(secret)))
  }
  t.equal((await metric('service_gateway_upgrades_refused_total')) - before, cases.length)
  t.notOk(log.some((line) => [jwt, unknown, gone.token, acme.token, writer.token, viewer.session].some((secret) => line.includes(secret))))
})

t.test('a token bound to networks opens a socket only from these networks', async (t) => {
  const { pool, refused, connect, workspace } = behind
  const { token } = await workspace()
  await pool.query(
    "UPDATE api_tokens SET allowed_cidrs = '{192.0.2.0/24,2001:db8::/32}' WHERE token_sha256 = sha256(convert_to($1, 'UTF8'))",
    [token]
  )
  t.match(await refused(`?token=${token}`), { status: 403, body: { code: 'IP_NOT_ALLOWED' } })
  t.match(
    await refused(`?token=${token}`, { 'x-forwarded-for': '192.0.2.9, 198.51.100.7' }),
    { status: 403 },
    'the last proxy’s word counts'
  )
  t.match(await refused(`?token=${token}`, { 'x-forwarded-for': 'nonsense' }), { status: 403 })
  await connect(`?token=${token}`, { 'x-forwarded-for': '198.51.100.7, 192.0.2.9' })
  await connect(`?token=${token}`, { 'x-forwarded-for': '2001:db8::7' })
})

t.test('without a named proxy, a client cannot choose its own address', async (t) => {
  const { pool, refused, workspace } = shared
  const { token } = await workspace()
  await pool.query("UPDATE api_tokens SET allowed_cidrs = '{192.0.2.0/24}' WHERE token_sha256 = sha256(convert_to($1, 'UTF8'))", [token])
  t.match(await refused(`?token=${token}`, { 'x-forwarded-for': '192.0.2.9' }), { status: 403, body: { code: 'IP_NOT_ALLOWED' } })
})

t.test('the session cookie is accepted only from pages of our own origins', async (t) => {
  const { connect, refused, workspace } = shared
  const { session } = await (await workspace()).member('viewer')
  const cookie = `service_session=${session}`
  const host = 'monitor.example' // As a proxy passes it on.
  const others = [
    'http://monitor.example',
    'https://monitor.example:8443',
    'http://monitor.example:443',
    'https://monitor.example.evil.example',
    'https://evil.monitor.example',
    'https://monitor.example@evil.example',
    'https://monitor.example/page',
    'http://status.example',
    'https://status.example:8443',
    'null',
    ''
  ]
  for (const origin of others)
    t.match(await refused('', { cookie, host, origin }), { status: 403, body: { code: 'ORIGIN_REJECTED' } }, origin || 'none')
  t.match(await refused('', { cookie, host: 'evil.example', origin: 'https://evil.example' }), { status: 403 })
  for (const origin of [PUBLIC_URL, `${PUBLIC_URL}:443`, 'https://MONITOR.example', `https://${DOMAIN}`])
    await connect('', { cookie, host, origin })
})

t.test('a local run accepts the cookie from pages of the server under any of its names', async (t) => {
  const { gateway, connect, refused, workspace } = await gatewayStack(t, { publicUrl: 'http://localhost:8080', domains: [] })
  const { session } = await (await workspace()).member('viewer')
  const cookie = `service_session=${session}`
  const asked = `127.0.0.1:${gateway.port}`
  const socket = await connect('', { cookie, origin: `http://${asked}` })
  t.equal(socket.frames[0]?.type, 'hello')
  await connect('', { cookie, origin: 'http://localhost:8080' })
  for (const origin of [`https://${asked}`, 'http://127.0.0.1', 'http://127.0.0.1:1', 'http://localhost'])
    t.match(await refused('', { cookie, origin }), { status: 403, body: { code: 'ORIGIN_REJECTED' } }, origin)
})

t.test('a path without a handshake gets 404, except GET /health', async (t) => {
  const { gateway } = shared
  const base = `http://127.0.0.1:${gateway.port}`
  const health = await fetch(`${base}/health`)
  t.match(await health.json(), { status: 'ok' })
  for (const [path, method] of [
    ['/', 'GET'],
    ['/api/v1/ws', 'GET'],
    ['/api/v1/ws', 'POST'],
    ['/health', 'POST'],
    ['/api/v1/incidents', 'GET']
  ] as const) {
    const answer = await fetch(`${base}${path}`, { method, ...(method === 'POST' && { body: 'x'.repeat(100_000) }) })
    t.equal(answer.status, 404)
    t.match(await answer.json(), { code: 'NOT_FOUND', error: String, request_id: String })
  }
})

t.test('a handshake with "Connection: close" gets 404', async (t) => {
  const { gateway, workspace } = shared
  const { token } = await workspace()
  const tcp = connectTcp(gateway.port, '127.0.0.1')
  t.teardown(() => tcp.destroy())
  let answer = ''
  tcp.on('data', (chunk) => {
    answer += chunk
  })
  tcp.write(handshake(token).replace('Connection: Upgrade', 'Connection: close'))
  await until('the answer', () => answer.includes('NOT_FOUND'))
  t.match(answer, /^HTTP\/1\.1 404 /)
  t.equal(gateway.ready().gateway, true)
})

t.test('an unknown channel closes the socket with 4404, at the start and later', async (t) => {
  const { url, connect, workspace } = shared
  const { token } = await workspace()
  const wrong = client(new WebSocket(`${url}?token=${token}&channels=monitors.status,nonsense`))
  t.match(await wrong.closed, { code: 4404, reason: /nonsense/ })
  t.same(wrong.frames, [])
  const foreign = client(new WebSocket(`${url}?token=${token}&channels=${encodeURIComponent('チ'.repeat(80))}`))
  t.match(await foreign.closed, { code: 4404, reason: /^unknown channel \?{64}$/ })
  const socket = await connect(`?token=${token}`)
  socket.socket.send('{"action":"subscribe","channels":["nonsense"]}')
  t.match(await socket.closed, { code: 4404 })
})

t.test('invalid, too long or too many messages close the socket', async (t) => {
  const { connect, workspace } = shared
  const { token } = await workspace()
  const garbled = await connect(`?token=${token}`)
  garbled.socket.send('hello?')
  t.match(await garbled.closed, { code: 4400 })
  const long = await connect(`?token=${token}`)
  long.socket.send(JSON.stringify({ action: 'subscribe', channels: ['monitors.status'], pad: 'x'.repeat(5000) }))
  t.match(await long.closed, { code: 4400 })
  const huge = await connect(`?token=${token}`)
  huge.socket.send('x'.repeat(100_000))
  t.match(await huge.closed, { code: 1006 }, 'cut off')
  const eager = await connect(`?token=${token}`)
  const begun = performance.now()
  for (let n = 0; n < 100; n++) eager.socket.send('{"action":"subscribe","channels":["monitors.status"]}')
  t.match(await eager.closed, { code: 4429 })
  const seconds = Math.ceil(performance.now() - begun) / 1000
  const answered = eager.frames.length - 1
  t.ok(answered >= 10 && answered <= 10 + Math.ceil(seconds * 10), `ten were answered, and ten for each second since: ${answered}`)
})

t.test('the plan limits the open sockets of a workspace, without effect on another', async (t) => {
  const { url, connect, workspace } = shared
  const [a, b] = [await workspace('free'), await workspace('free')]
  const sockets: Client[] = []
  for (let n = 0; n < openSockets.free; n++) sockets.push(await connect(`?token=${a.token}`))
  const over = client(new WebSocket(`${url}?token=${a.token}`))
  t.match(await over.closed, { code: 4429, reason: 'too many connections' })
  await connect(`?token=${b.token}`)
  sockets[0]?.socket.close()
  await sockets[0]?.closed
  await connect(`?token=${a.token}`)
})

t.test('the plan limits the connects of a workspace', async (t) => {
  const { connect, refused, workspace } = shared
  const [a, b] = [await workspace('free'), await workspace('free')]
  const { burst, limit, window_seconds } = rates.realtime
  const from = performance.now()
  for (let n = 0; n < burst; n++) {
    const socket = await connect(`?token=${a.token}`)
    socket.socket.close()
    await socket.closed
  }
  // On a slow machine the connects take so long that the limit allows some more by then.
  let more = 0
  const refusal = await until('the refusal', () =>
    refused(`?token=${a.token}`).catch(() => {
      more += 1
      return null
    })
  )
  t.ok(more <= 1 + ((performance.now() - from) * limit.free) / (window_seconds * 1000), `${more} more than at once`)
  t.match(refusal, {
    status: 429,
    body: { code: 'RATE_LIMITED' },
    headers: {
      'retry-after': /^[1-9]$/,
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': /^[1-9]$/,
      'x-ratelimit-name': 'realtime'
    }
  })
  await connect(`?token=${b.token}`)
})

t.test('more upgrades than the instance admits get 503', async (t) => {
  const { connect, refused, workspace } = await gatewayStack(t, { upgradesPerSecond: 0.001 })
  const { token } = await workspace()
  await connect(`?token=${token}`)
  t.match(await refused(`?token=${token}`), { status: 503, headers: { 'retry-after': '1' }, body: { code: 'UNAVAILABLE' } })
})

t.test('a workspace over its own limit of connects uses up no upgrades of the instance', async (t) => {
  const { limit, burst } = rates.realtime
  const admission = createAdmission(burst + 1)
  const holder = (tenant_id: string) => ({ tenant_id, plan: 'free' }) as Holder
  const answers = Array.from({ length: 2000 }, () => admission.connect(holder('acme')))
  t.same(answers.slice(0, burst), Array(burst).fill(null))
  t.match(answers.at(-1), { status: 429, error: `At most ${limit.free} connects a minute for the workspace` })
  t.equal(admission.connect(holder('globex')), null)
})

t.test('an upgrade that the instance refuses uses up no connect of the workspace', async (t) => {
  const admission = createAdmission(0.001)
  const holder = { tenant_id: 'acme', plan: 'free' } as Holder
  t.equal(admission.connect(holder), null)
  const answers = Array.from({ length: 3 * rates.realtime.burst }, () => admission.connect(holder)?.status)
  t.same([...new Set(answers)], [503])
})

t.test('bad handshakes are limited by address and do not block good ones', async (t) => {
  const { connect, refused, workspace } = await gatewayStack(t, { upgradesPerSecond: 50 })
  const [acme, globex] = [await workspace(), await workspace()]
  const writer = await acme.member('editor', ['write', 'incidents:act'])
  await connect(`?token=${acme.token}`)
  const guess = (n: number) => refused(`?token=service_${String(n).padStart(64, '0')}`)
  const codes: string[] = []
  // On a slow machine a bucket refills a little meanwhile.
  while (codes.length < 1000 && codes.at(-1) !== 'RATE_LIMITED') codes.push(String((await guess(codes.length)).body.code))
  t.same([...new Set(codes)], ['UNAUTHENTICATED', 'RATE_LIMITED'], 'guessing is bounded')
  t.ok(codes.length > rates.public.burst)
  await connect(`?token=${acme.token}`)
  await connect(`?token=${globex.token}`)
  let answer = await refused(`?token=${writer.token}`)
  for (let n = 0; n < 1000 && answer.status !== 429; n++) answer = await refused(`?token=${writer.token}`)
  t.match(answer, { status: 429, headers: { 'retry-after': /^\d+$/, 'x-ratelimit-name': 'public' } })
  await connect(`?token=${acme.token}`)
})

t.test('every socket gets pings, and one that answers none is closed with 4408', async (t) => {
  const { connect, workspace, metric } = await gatewayStack(t, { ping: { slots: 4, slotMs: 50 } })
  const { token } = await workspace()
  const clients: Client[] = []
  for (let n = 0; n < 6; n++) clients.push(await connect(`?token=${token}`))
  const mute = await connect(`?token=${token}`)
  // The client answers pings by itself; this one is made not to.
  mute.socket.pong = () => undefined
  ;(mute.socket as unknown as { _autoPong: boolean })._autoPong = false
  const answered = mute.pings // A ping may already have come and been answered.
  t.match(await mute.closed, { code: 4408 })
  t.equal(mute.pings - answered, 2, 'after two PINGs without an answer')
  await until('pings go on', () => clients.every(({ pings }) => pings >= 5))
  t.ok(clients.every(({ socket }) => socket.readyState === WebSocket.OPEN))
  t.equal(await metric('service_gateway_sockets'), 6)
})

t.test('a client that does not read is cut off, and one that reads misses nothing', async (t) => {
  const { gateway, connect, workspace, sendAll, metric } = await gatewayStack(t)
  const { tenant_id, token } = await workspace()
  const reader = await connect(`?token=${token}`)
  const tcp = connectTcp(gateway.port, '127.0.0.1')
  t.teardown(() => tcp.destroy())
  tcp.write(handshake(token))
  tcp.pause()
  await until('two sockets', () => gateway.sockets() === 2)
  let sent = 0
  while (gateway.sockets() === 2 && sent < 2000) {
    await sendAll(Array.from({ length: 10 }, () => record(tenant_id, { type: 'incident.created', ver: ++sent, padding: 20_000 })))
    await until('the reader keeps up', () => reader.frames.length === sent + 1)
  }
  t.equal(gateway.sockets(), 1)
  t.equal(await metric('service_gateway_slow_total'), 1)
  t.same(
    reader.frames.slice(1).map(({ ver }) => ver),
    Array.from({ length: sent }, (_, index) => index + 1)
  )
})

t.test('a revoked token, an ended session or a lost scope closes its own sockets only', async (t) => {
  const { pool, connect, workspace } = shared
  const acme = await workspace()
  const [b, c, d] = [await acme.member('viewer'), await acme.member('viewer'), await acme.member('viewer')]
  const stays = await connect(`?token=${acme.token}`)
  const revoked = [await connect(`?token=${b.token}`), await connect(`?token=${b.token}`)]
  const loggedOut = await connect('', { cookie: `service_session=${c.session}`, origin: PUBLIC_URL })
  const narrowed = await connect(`?token=${d.token}`)
  const renamed = await connect(`?token=${c.token}`)
  await acme.revoke(b.token)
  for (const socket of revoked) t.match(await socket.closed, { code: 4410 })
  await acme.logOut(c.session)
  t.match(await loggedOut.closed, { code: 4410 })
  await pool.query("UPDATE api_tokens SET scopes = '{write}' WHERE token_sha256 = sha256(convert_to($1, 'UTF8'))", [d.token])
  t.match(await narrowed.closed, { code: 4403 })
  await pool.query("UPDATE api_tokens SET scopes = '{read,write}' WHERE token_sha256 = sha256(convert_to($1, 'UTF8'))", [c.token])
  await connect(`?token=${c.token}`)
  for (const { socket } of [stays, renamed]) t.equal(socket.readyState, WebSocket.OPEN)
})

t.test('a removed member loses all sockets, and a demoted one gets only frames of the new role', async (t) => {
  const { pool, connect, workspace, send } = shared
  const acme = await workspace()
  const [b, c] = [await acme.member('admin'), await acme.member('admin')]
  const removed = [await connect(`?token=${b.token}`), await connect('', { cookie: `service_session=${b.session}`, origin: PUBLIC_URL })]
  const [stays, demoted] = [await connect(`?token=${acme.token}`), await connect(`?token=${c.token}`)]
  await tenantTransaction(pool, wholeWorkspace(acme.tenant_id), (tx) => deleteMember(tx, acme.tenant_id, b.user_id))
  for (const socket of removed) t.match(await socket.closed, { code: 4410 })
  await send(acme.tenant_id, { type: 'incident.created', audience: 'team:red' })
  for (const socket of [stays, demoted]) await socket.next('incident.created')
  const asked = demoted.frames.length
  await tenantTransaction(pool, wholeWorkspace(acme.tenant_id), (tx) => updateRole(tx, acme.tenant_id, c.user_id, 'viewer'))
  // Frames for everybody show when the new role takes effect: private ones stop while the others
  // continue.
  let ver = 2
  await until('the new role counts', async () => {
    const before = demoted.frames.length
    await send(acme.tenant_id, { type: 'incident.updated', ver: ver++, audience: 'team:red' })
    await send(acme.tenant_id, { type: 'incident.resolved', ver: ver++ })
    await until('the later one', () => demoted.frames.slice(before).some(({ type }) => type === 'incident.resolved'))
    return !demoted.frames.slice(before).some(({ type }) => type === 'incident.updated')
  })
  t.ok(demoted.frames.length > asked)
  t.ok(stays.frames.some(({ type }) => type === 'incident.updated'))
  for (const { socket } of [stays, demoted]) t.equal(socket.readyState, WebSocket.OPEN)
})

t.test('a disabled account loses all sockets and opens none', async (t) => {
  const { pool, connect, refused, workspace } = shared
  const acme = await workspace()
  const b = await acme.member('admin')
  const cookie = { cookie: `service_session=${b.session}`, origin: PUBLIC_URL }
  const lost = [await connect(`?token=${b.token}`), await connect('', cookie)]
  const stays = await connect(`?token=${acme.token}`)
  await pool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [b.user_id])
  for (const socket of lost) t.match(await socket.closed, { code: 4410 })
  for (const [query, headers] of [
    [`?token=${b.token}`, {}],
    ['', cookie]
  ] as const)
    t.match(await refused(query, headers), { status: 401 })
  t.equal(stays.socket.readyState, WebSocket.OPEN)
})

t.test('a missed revocation takes effect once Postgres is listened to again', async (t) => {
  const { owner, connect, workspace } = await gatewayStack(t)
  const acme = await workspace()
  const { token } = await acme.member('viewer')
  const stays = await connect(`?token=${acme.token}`)
  const socket = await connect(`?token=${token}`)
  // With the trigger disabled, nobody is notified of the change. Only the broken connection shows
  // that a notification may have been missed.
  await owner.query('ALTER TABLE api_tokens DISABLE TRIGGER api_tokens_changed')
  await acme.revoke(token)
  await endSessions(owner, 'gateway')
  t.match(await socket.closed, { code: 4410 })
  t.equal(stays.socket.readyState, WebSocket.OPEN)
})

t.test('a missed revocation takes effect although Postgres does not answer at once when it is back', async (t) => {
  const { owner, pool, connect, refused, workspace } = await gatewayStack(t)
  const acme = await workspace()
  const { token } = await acme.member('viewer')
  const stays = await connect(`?token=${acme.token}`)
  const socket = await connect(`?token=${token}`)
  await owner.query('ALTER TABLE api_tokens DISABLE TRIGGER api_tokens_changed')
  await acme.revoke(token)
  // No look-up gets an answer while the table is locked.
  const lock = await pool.connect()
  t.teardown(() => lock.release(true))
  await lock.query('BEGIN')
  await lock.query('LOCK TABLE api_tokens IN ACCESS EXCLUSIVE MODE')
  const unknown = (letter: string): string => `?token=service_${letter.repeat(64)}`
  t.match(await refused(unknown('a')), { status: 503 }, 'a look-up failed before')
  await endSessions(owner, 'gateway')
  await until('the gateway to listen again', async () => {
    const { rows } = await owner.query(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'gateway' AND datname = current_database() AND query LIKE 'LISTEN%'"
    )
    return rows.length > 0
  })
  t.match(await refused(unknown('b')), { status: 503 }, 'and one after')
  const late = await connect(`?token=${token}`)
  t.equal(socket.socket.readyState, WebSocket.OPEN, 'nobody can say yet')
  await lock.query('ROLLBACK')
  for (const { closed } of [socket, late]) t.match(await closed, { code: 4410 })
  t.equal(stays.socket.readyState, WebSocket.OPEN)
})

t.test('a revocation between the verdict of a handshake and its upgrade closes the socket', async (t) => {
  let meanwhile: () => Promise<void> = async () => undefined
  const { connect, workspace } = await gatewayStack(t, {
    credentialsOf: (credentials) => ({
      ...credentials,
      async apiToken(token) {
        const found = await credentials.apiToken(token)
        const heard = new Promise<void>((resolve) => {
          const off = credentials.onRevoked(() => {
            off()
            resolve()
          })
        })
        await meanwhile()
        await heard
        return found
      }
    })
  })
  const acme = await workspace()
  const { token } = await acme.member('viewer')
  meanwhile = () => acme.revoke(token)
  const socket = await connect(`?token=${token}`)
  t.match(await socket.closed, { code: 4410 })
})

t.test('an expired token or session closes its own sockets only', async (t) => {
  let passed = 0
  const { pool, connect, workspace } = await gatewayStack(t, { now: () => Date.now() + passed, expiryMs: 20 })
  const acme = await workspace()
  const { token, session } = await acme.member('viewer')
  const ends = (table: string, column: string, credential: string, hours: number) =>
    pool.query(`UPDATE ${table} SET expires_at = now() + make_interval(hours => $2) WHERE ${column} = sha256(convert_to($1, 'UTF8'))`, [
      credential,
      hours
    ])
  await ends('api_tokens', 'token_sha256', token, 2)
  await ends('sessions', 'session_sha256', session, 4)
  await ends('api_tokens', 'token_sha256', acme.token, 400)
  await pool.query('UPDATE sessions SET idle_seconds = 1000000')
  const byToken = [await connect(`?token=${token}`), await connect(`?token=${token}`)]
  const bySession = await connect('', { cookie: `service_session=${session}`, origin: PUBLIC_URL })
  const stays = await connect(`?token=${acme.token}`)
  passed = 2 * 3_600_000 + 2000
  for (const socket of byToken) t.match(await socket.closed, { code: 4401, reason: 'credential expired' })
  t.equal(bySession.socket.readyState, WebSocket.OPEN)
  passed = 4 * 3_600_000 + 2000
  t.match(await bySession.closed, { code: 4401 })
  t.equal(stays.socket.readyState, WebSocket.OPEN)
  // An expiry that is moved earlier counts as well: the change of the row is notified, and nothing
  // checks again before that expiry.
  await ends('api_tokens', 'token_sha256', acme.token, 5)
  await until('the new end is known', async () => {
    passed += 60_000
    return stays.socket.readyState !== WebSocket.OPEN
  })
  t.match(await stays.closed, { code: 4401 })
  t.ok(passed >= 5 * 3_600_000 - 10_000, 'not before its time')
})

t.test('when the instance stops, every socket is closed with 1001', async (t) => {
  const { gateway, url, connect, workspace } = await gatewayStack(t)
  const { token } = await workspace()
  const clients: Client[] = []
  for (let n = 0; n < 8; n++) clients.push(await connect(`?token=${token}`))
  const closing = gateway.close()
  for (const { closed } of clients) t.match(await closed, { code: 1001 })
  await closing
  t.equal(gateway.sockets(), 0)
  const refused = client(new WebSocket(`${url}?token=${token}`))
  t.match(await refused.closed, { code: 1006 })
})
