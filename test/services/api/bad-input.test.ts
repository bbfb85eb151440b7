/**
 * Tests of invalid requests: each gets its documented error in the common error format, within the
 * time limit, and changes nothing.
 */

import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import t from 'tap'
import { type Endpoint, endpoints } from '../../../schemas/http/endpoints.ts'
import { buildApp } from '../../../services/api/app.ts'
import { UseLog } from '../../../services/api/workspace/usage.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { createPool } from '../../../services/store/pool.ts'
import { makeProber, makeRegions } from './probing.ts'
import { login, ORIGIN, type Stand, stand } from './stand.ts'

const CREATE = '/api/v1/integrations/inbound'
const good = { name: 'Disk alerts', source_type: 'generic' }

const nested = (depth: number): string => `{"name":"x","source_type":"generic","options":${'['.repeat(depth)}${']'.repeat(depth)}}`

/** Sends raw bytes and reads until the server closes. */
function raw(s: Stand, bytes: string, more: { after?: string; afterMs?: number } = {}): Promise<string> {
  const { port } = s.app.server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      received += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
    if (more.after !== undefined) setTimeout(() => socket.write(more.after ?? ''), more.afterMs ?? 0)
  })
}

t.test('bad input', async (t) => {
  const s = await stand(t)

  await t.test('malformed, deep, large and invalid bodies are refused', async (t) => {
    const before = (await s.call(s.acme, 'GET', CREATE)).json().total
    const cases: [string, string | Buffer, number, string][] = [
      ['not JSON', '{"name":', 400, 'MALFORMED_JSON'],
      ['two values', '{} {}', 400, 'MALFORMED_JSON'],
      ['a trailing comma', '{"name":"x",}', 400, 'MALFORMED_JSON'],
      ['NaN', '{"name":NaN}', 400, 'MALFORMED_JSON'],
      ['XML', '<alert/>', 400, 'MALFORMED_JSON'],
      ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400, 'MALFORMED_JSON'],
      ['overlong UTF-8', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]), 400, 'MALFORMED_JSON'],
      ['33 deep', nested(32), 400, 'MALFORMED_JSON'],
      ['100,000 deep', nested(100_000), 400, 'MALFORMED_JSON'],
      ['__proto__', '{"name":"x","source_type":"generic","__proto__":{"admin":true}}', 400, 'MALFORMED_JSON'],
      ['__proto__ escaped', '{"name":"x","source_type":"generic","\\u005f_proto__":{"admin":true}}', 400, 'MALFORMED_JSON'],
      ['__proto__ further down', '{"name":"x","source_type":"generic","labels_add":{"__proto__":"x"}}', 400, 'MALFORMED_JSON'],
      ['constructor.prototype', '{"name":"x","constructor":{"prototype":{"admin":true}}}', 400, 'MALFORMED_JSON'],
      ['over 1 MiB', JSON.stringify({ ...good, name: 'x'.repeat(1024 * 1024) }), 413, 'BODY_TOO_LARGE'],
      ['null', 'null', 422, 'VALIDATION_FAILED'],
      ['an array', '[]', 422, 'VALIDATION_FAILED'],
      ['a string', '"x"', 422, 'VALIDATION_FAILED'],
      ['a number', '1e999', 422, 'VALIDATION_FAILED'],
      ['32 deep, an unknown field', nested(31), 422, 'VALIDATION_FAILED']
    ]
    for (const [name, body, status, code] of cases) {
      const answer = await s.call(s.acme, 'POST', CREATE, body, { headers: { 'content-type': 'application/json' } })
      t.equal(answer.statusCode, status, `${name}: ${answer.body.slice(0, 200)}`)
      t.match(answer.json(), { code, error: String, request_id: answer.headers['x-request-id'] as string })
      t.ok(answer.body.length < 4000, 'the answer does not repeat the body')
    }
    t.equal((await s.call(s.acme, 'GET', CREATE)).json().total, before, 'nothing was created')
    t.equal(Reflect.get({}, 'admin'), undefined)
    t.equal((await s.call(s.acme, 'POST', CREATE, good)).statusCode, 201, 'the good one is taken')
  })

  await t.test('text with NUL or a lone surrogate is refused by every route and never logged', async (t) => {
    await makeRegions(s)
    const prober = await makeProber(s, 'eu-west')
    const { cookie } = await login(s, s.globex.email)
    const canary = 'canary-4711'
    const bodies: [string, string][] = [
      [`{"name":"${canary}\\u0000"}`, 'name'],
      [`{"name":"${canary}\\ud83d"}`, 'name'],
      [`{"name":"\\uDC00${canary}"}`, 'name'],
      [`{"labels":{"a":["x",{"b":"${canary}\\u0000"}]}}`, 'labels.a[1].b'],
      [`{"labels":{"a\\u0000${canary}":1}}`, `labels.a\ufffd${canary}`],
      [`{"email":"${canary}\\u0000@example.test","password":"x"}`, 'email'],
      [`{"email":"a@example.test","password":"${canary}\\ud800"}`, 'password'],
      [`["\\u0000${canary}"]`, '[0]'],
      [`"\\ud800${canary}"`, '']
    ]
    const rows: [string, Endpoint][] = Object.entries(endpoints)
    const taking = rows.filter(([, { method, any_text }]) => method !== 'GET' && method !== 'DELETE' && !any_text)
    t.ok(taking.length > 30)
    const wrong: string[] = []
    for (const [id, { method, path, auth }] of taking) {
      const url = path.replace('{token}', `inv_${'0'.repeat(64)}`).replaceAll(/\{\w+\}/g, s.acme.integration_id)
      const headers = {
        'content-type': 'application/json',
        ...(auth === 'session' && { cookie, origin: ORIGIN }),
        ...(auth === 'token_or_session' && { authorization: `Bearer ${s.acme.token}` }),
        ...(auth === 'prober' && { authorization: `Bearer ${prober.token}` })
      }
      for (const [body, at] of bodies) {
        const answer = await s.call(null, method, url, body, { headers })
        const { code, details } = answer.body === '' ? {} : answer.json()
        if (answer.statusCode !== 422 || code !== 'VALIDATION_FAILED' || details[0].path !== at || details[0].rule !== 'ill_formed')
          wrong.push(`${id} ${body}: ${answer.statusCode} ${answer.body.slice(0, 200)}`)
      }
    }
    t.same(wrong, [])

    const asking = rows.filter(([, { method, auth }]) => method === 'GET' && auth === 'token_or_session')
    const failed: string[] = []
    for (const [id, { path }] of asking) {
      const url = path.replaceAll(/\{\w+\}/g, s.acme.integration_id)
      for (const query of [`q=${canary}%00`, `cursor=%00${canary}`, `${canary}%00=1`]) {
        const answer = await s.call(s.acme, 'GET', `${url}?${query}`)
        const readsQuery = answer.statusCode === 422
        if (readsQuery ? answer.json().details[0].rule !== 'ill_formed' : ![200, 404, 503].includes(answer.statusCode))
          // 503 is accepted: no analytics server runs here.
          failed.push(`${id} ${query}: ${answer.statusCode} ${answer.body.slice(0, 200)}`)
      }
      if (path.includes('{id}')) {
        const answer = await s.call(s.acme, 'GET', path.replaceAll(/\{\w+\}/g, `${canary}%00`))
        if (answer.statusCode !== 404) failed.push(`${id}: ${answer.statusCode}`)
      }
    }
    t.same(failed, [])
    const found = await s.call(s.acme, 'GET', `/api/v1/incidents?q=${canary}%00`)
    t.match(found.json(), { code: 'VALIDATION_FAILED', details: [{ path: 'q', rule: 'ill_formed', message: /^must be text without NUL/ }] })
    t.notOk(s.logged().includes(canary), 'the log quotes nothing')

    const fine = { ...good, name: '\u{1f4a5} \\u0000', labels_add: { x: '\u{10ffff}' } }
    const made = await s.call(s.acme, 'POST', CREATE, JSON.stringify(fine).replace('\u{1f4a5}', '\\ud83d\\udca5'))
    t.match(made.json(), { name: '\u{1f4a5} \\u0000' }, 'whole pairs, and words about escapes, are text like any other')
  })

  await t.test('a statement that Postgres refuses is logged without its values', async (t) => {
    const canary = 'canary-0815'
    await s.ownerPool.query(
      `CREATE FUNCTION refuse_canary() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN IF NEW.name LIKE 'canary-%' THEN RAISE EXCEPTION 'no row with % here', NEW.name; END IF; RETURN NEW; END $$;
       CREATE TRIGGER refuse_canary BEFORE INSERT ON integrations FOR EACH ROW EXECUTE FUNCTION refuse_canary();
       ALTER TABLE integrations ADD CONSTRAINT no_canary CHECK (name NOT LIKE '%canary-%')`
    )
    for (const name of [canary, `x ${canary}`]) {
      const answer = await s.call(s.acme, 'POST', CREATE, { ...good, name })
      t.equal(answer.statusCode, 500)
      t.notOk(answer.body.includes(canary))
    }
    t.match(s.logged(), /"msg":"request failed"/, 'it was logged')
    t.match(s.logged(), /"code":"P0001"/, 'with the code')
    t.match(s.logged(), /"constraint":"no_canary"/)
    t.match(s.logged(), /insertIntegration/, 'and the place')
    t.notOk(s.logged().includes(canary), 'and without the value')
  })

  await t.test('content types that are accepted and refused', async (t) => {
    const post = (type: string | undefined, payload = JSON.stringify(good)) =>
      s.app.inject({
        method: 'POST',
        url: CREATE,
        payload,
        headers: { authorization: `Bearer ${s.acme.token}`, ...(type !== undefined && { 'content-type': type }) }
      })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonp',
      'nonsense',
      'application/json; charset=utf-16'
    ]) {
      const answer = await post(type)
      t.equal(answer.statusCode, 415, type)
      t.equal(answer.json().code, 'UNSUPPORTED_MEDIA_TYPE')
    }
    for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"']) {
      t.equal((await post(type)).statusCode, 201, type)
    }
    const { incident_id } = await s.incident(s.acme)
    const bare = await s.app.inject({
      method: 'POST',
      url: `/api/v1/incidents/${incident_id}/acknowledge`,
      headers: { authorization: `Bearer ${s.acme.token}` }
    })
    t.equal(bare.statusCode, 200, 'an action without a body needs no type')
    const empty = await s.app.inject({
      method: 'POST',
      url: `/api/v1/incidents/${incident_id}/acknowledge`,
      headers: { authorization: `Bearer ${s.acme.token}`, 'content-type': 'application/json' }
    })
    t.equal(empty.statusCode, 200, 'an empty body counts as {}')
  })

  await t.test('each wrong field is named by path and rule', async (t) => {
    const fieldsOf = async (method: string, path: string, body?: unknown) => {
      const answer = await s.call(s.acme, method, path, body)
      t.equal(answer.statusCode, 422, `${method} ${path} ${JSON.stringify(body)}: ${answer.body.slice(0, 300)}`)
      return answer.json().details.map(({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`)
    }
    t.same(await fieldsOf('POST', CREATE, {}), ['name required', 'source_type required'])
    t.same(await fieldsOf('POST', CREATE, { name: 5, source_type: 'nagios' }), ['name type', 'source_type enum'])
    t.same(await fieldsOf('POST', CREATE, { ...good, name: '' }), ['name length', 'name pattern'])
    t.same(await fieldsOf('POST', CREATE, { ...good, name: '   ' }), ['name pattern'])
    t.same(await fieldsOf('POST', CREATE, { ...good, name: 'a\u0007b' }), ['name pattern'])
    t.same(await fieldsOf('POST', CREATE, { ...good, name: 'x'.repeat(201) }), ['name length'])
    t.same(await fieldsOf('POST', CREATE, { ...good, enabeld: true }), ['enabeld unknown_field'])
    t.same(await fieldsOf('POST', CREATE, { ...good, enabled: 'true' }), ['enabled type'], 'nothing is converted')
    t.same(await fieldsOf('POST', CREATE, { ...good, labels_add: { '1x': 'y' } }), ['labels_add.1x pattern'])
    t.same(await fieldsOf('POST', CREATE, { ...good, labels_add: { x: 1 } }), ['labels_add.x type'])
    t.same(await fieldsOf('POST', CREATE, { ...good, severity_map: { disaster: 'worst' } }), ['severity_map.disaster enum'])
    t.same(await fieldsOf('PATCH', `${CREATE}/${s.acme.integration_id}`, { source_type: 'generic' }), ['source_type immutable'])
    t.same(await fieldsOf('POST', `${CREATE}/${s.acme.integration_id}/rotate-token`, { grace_minutes: 10_081 }), ['grace_minutes max'])
    t.same(await fieldsOf('POST', `${CREATE}/${s.acme.integration_id}/rotate-token`, { grace_minutes: 1.5 }), ['grace_minutes type'])
    const tokens = '/api/v1/workspace/tokens'
    t.same(await fieldsOf('POST', tokens, { name: 'x', scopes: ['read', 'root'] }), ['scopes[1] enum'])
    t.same(await fieldsOf('POST', tokens, { name: 'x', scopes: [] }), ['scopes length'])
    t.same(await fieldsOf('POST', tokens, { name: 'x', expires_at: '2020-01-01T00:00:00Z' }), ['expires_at min'])
    t.same(await fieldsOf('POST', tokens, { name: 'x', expires_at: 'tomorrow' }), ['expires_at pattern'])
    t.same(await fieldsOf('POST', tokens, { name: 'x', allowed_cidrs: ['10.0.0.0/8', '10.0.0.0/33'] }), ['allowed_cidrs[1] pattern'])
    const messageOf = async (path: string, body: object): Promise<string> =>
      (await s.call(s.acme, 'POST', path, body)).json().details[0].message
    const invites = '/api/v1/workspace/invites'
    t.equal(await messageOf(invites, { email: 'nobody', role: 'viewer' }), 'must be an e-mail address, such as ada@example.com')
    t.equal(await messageOf(tokens, { name: 'x', scopes: [] }), 'must have at least 1 entry')
    t.equal(await messageOf(tokens, { name: 'x'.repeat(201) }), 'must have at most 200 characters')
    const max = await s.call(s.acme, 'POST', `${CREATE}/${s.acme.integration_id}/rotate-token`, { grace_minutes: 10_081 })
    t.match(max.json().details[0], { limit: 10_080, actual: 10_081 })

    const list = '/api/v1/incidents'
    t.same(await fieldsOf('GET', `${list}?status=open`), ['status[0] enum'])
    t.same(await fieldsOf('GET', `${list}?page=0`), ['page min'])
    t.same(await fieldsOf('GET', `${list}?page=1.5`), ['page type'])
    t.same(await fieldsOf('GET', `${list}?per_page=201`), ['per_page max'])
    t.same(await fieldsOf('GET', `${list}?acknowledged=maybe`), ['acknowledged type'])
    t.same(await fieldsOf('GET', `${list}?integration_id=1`), ['integration_id[0] pattern'])
    t.same(await fieldsOf('GET', `${list}?severty=critical`), ['severty unknown_field'], 'a mistyped filter does not find everything')
    t.same(await fieldsOf('GET', `${list}?from=yesterday`), ['from pattern'])
    t.same(await fieldsOf('GET', `${list}?q=x`), ['q length'])
    const beats = '/api/v1/heartbeats'
    t.same(await fieldsOf('POST', beats, { name: 'x', schedule: 'daily' }), ['schedule type'])
    t.same(await fieldsOf('POST', beats, { name: 'x', schedule: { kind: 'cron', expression: 5, time_zone: 'UTC' } }), [
      'schedule.expression type'
    ])
    t.same(await fieldsOf('POST', beats, { name: 'x', schedule: { kind: 'sometimes' } }), ['schedule.kind enum'])
    t.same(await fieldsOf('POST', beats, { name: 'x', schedule: { kind: 'period', period_seconds: 60, every: 5 } }), [
      'schedule.every unknown_field'
    ])
    t.same(await fieldsOf('GET', `${beats}?sort=name,secret`), ['sort[1] enum'])
    const past = '/api/v1/analytics'
    t.same(await fieldsOf('GET', `${past}/uptime?from=`), ['from length'])
    t.same(await fieldsOf('GET', `${past}/uptime?monitor_ids=`), ['monitor_ids[0] pattern'])
    t.same(await fieldsOf('GET', `${past}/latency?time_zone=${'x'.repeat(65)}`), ['time_zone length'])
    t.same(await fieldsOf('GET', `${past}/incidents?from=2026-01-02&to=2026-01-01`), ['from empty_interval'])
    t.equal((await s.call(s.acme, 'GET', `${list}?page=201&per_page=50`)).json().code, 'PAGE_TOO_DEEP')
    t.equal((await s.call(s.acme, 'GET', `${list}?page=200&per_page=50`)).statusCode, 200)
  })

  await t.test('unknown paths and ids get 404, and wrong methods get 405', async (t) => {
    for (const path of [
      '/api/v1/nope',
      '/api/v2/incidents',
      '/api/v1/incidents/',
      '/api/v1/incidents//x',
      '/%',
      '/%ff',
      '/api/v1/%00',
      `/${'x'.repeat(5000)}`,
      '/api/v1/../../etc/passwd',
      '/scheme.js/x'
    ]) {
      const answer = await s.call(s.acme, 'GET', path)
      t.equal(answer.statusCode, 404, path.slice(0, 40))
      t.match(answer.json(), { code: 'NOT_FOUND', request_id: answer.headers['x-request-id'] as string })
    }
    for (const id of [
      '1',
      'INC-0',
      'INC-99999999999999999999',
      'x'.repeat(300),
      "'; DROP TABLE incidents",
      '00000000-0000-0000-0000-000000000000',
      '%00',
      'null'
    ]) {
      t.equal((await s.call(s.acme, 'GET', `/api/v1/incidents/${encodeURIComponent(id)}`)).statusCode, 404, id.slice(0, 40))
      for (const path of ['integrations/inbound', 'heartbeats', 'monitors'])
        t.equal((await s.call(s.acme, 'GET', `/api/v1/${path}/${encodeURIComponent(id)}`)).statusCode, 404, `${path} ${id.slice(0, 40)}`)
      t.equal((await s.call(s.acme, 'GET', `/api/v1/heartbeats/${encodeURIComponent(id)}/pings`)).statusCode, 404, id.slice(0, 40))
    }
    const wrong: [string, string, string][] = [
      ['DELETE', '/api/v1/incidents', 'GET, HEAD, POST'],
      ['PUT', '/api/v1/integrations/inbound', 'GET, HEAD, POST'],
      ['GET', '/api/v1/auth/login', 'POST'],
      ['POST', `/api/v1/incidents/${s.acme.tenant_id}`, 'GET, HEAD, PATCH'],
      ['GET', `/api/v1/incidents/${s.acme.tenant_id}/silence`, 'POST, DELETE'],
      ['PUT', `/api/v1/heartbeats/${s.acme.tenant_id}`, 'GET, HEAD, PATCH, DELETE'],
      ['POST', '/api/v1/analytics/uptime', 'GET, HEAD'],
      ['PATCH', '/health', 'GET, HEAD']
    ]
    for (const [method, path, allow] of wrong) {
      const answer = await s.call(s.acme, method, path)
      t.equal(answer.statusCode, 405, `${method} ${path}`)
      t.equal(answer.headers.allow, allow)
      t.equal(answer.json().code, 'METHOD_NOT_ALLOWED')
    }
  })

  await t.test('an unknown path or method gets the same status with any body', async (t) => {
    const cases: [string, string, number][] = [
      ['POST', '/api/v1/nope', 404],
      ['DELETE', '/api/v1/nope/x', 404],
      ['PUT', '/', 404],
      ['POST', '/api/v1/incidents/1', 405],
      ['DELETE', '/api/v1/incidents', 405],
      ['GET', '/api/v1/on-call/ical/a%0Ab.ics', 404]
    ]
    for (const [method, url, status] of cases) {
      for (const payload of ['', '{"name":', '{"__proto__":1}', '"x"', 'x'.repeat(2 * 1024 * 1024)]) {
        for (const type of ['application/json', 'text/plain', 'nonsense']) {
          const answer = await s.app.inject({ method: method as 'POST', url, payload, headers: { 'content-type': type } })
          t.equal(answer.statusCode, status, `${method} ${url} ${type} ${payload.slice(0, 20)}: ${answer.body}`)
        }
      }
    }
  })

  await t.test('a valid request id is kept, and any other is replaced', async (t) => {
    const idOf = async (given?: string) =>
      (await s.call(s.acme, 'GET', '/api/v1/nope', undefined, { headers: given === undefined ? {} : { 'x-request-id': given } })).headers[
        'x-request-id'
      ]
    t.equal(await idOf('deploy-42.a_B'), 'deploy-42.a_B')
    t.equal(await idOf('x'.repeat(64)), 'x'.repeat(64))
    for (const bad of [undefined, '', 'x'.repeat(65), 'a b', '<script>', 'é']) t.match(await idOf(bad), /^[0-9a-f-]{36}$/, String(bad))
  })

  await t.test('while the store is down, requests get 503 with Retry-After and no details', async (t) => {
    t.equal((await s.call(s.acme, 'GET', '/api/v1/workspace')).statusCode, 200, 'the credential is kept from here on')
    const pool = createPool('postgres://someone:secret@127.0.0.1:1/elsewhere', { application_name: 'test', max: 1 })
    const { app } = await buildApp({ ...s.services, metrics: createMetrics(), pool, uses: new UseLog(pool, s.services.log) })
    t.teardown(async () => {
      await app.close()
      await pool.end()
    })
    const get = (url: string) => app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${s.acme.token}` } })
    const answer = await get('/api/v1/workspace')
    t.equal(answer.statusCode, 503)
    t.equal(answer.json().code, 'UNAVAILABLE')
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    t.notMatch(answer.body, /secret|127\.0\.0\.1|elsewhere|ECONN/)
    const ready = await get('/health/ready')
    t.equal(ready.statusCode, 503)
    t.match(ready.json(), { status: 'unavailable', checks: { store: false } })
    t.equal((await get('/health')).statusCode, 200)
    t.equal((await get('/health/live')).statusCode, 200)
    const login = await app.inject({ method: 'POST', url: '/api/v1/auth/login', payload: { email: s.acme.email, password: 'x' } })
    t.equal(login.statusCode, 503)
    t.match(s.logged(), /unavailable/, 'it was logged')
    t.notMatch(s.logged(), /secret/)
    t.notOk(s.logged().includes(s.acme.token), 'without the token that asked')
  })

  await t.test('broken and endless HTTP requests are refused on the socket', async (t) => {
    // In production these limits are tens of seconds. They are short here and work the same way.
    s.app.server.requestTimeout = 1500
    s.app.server.headersTimeout = 800
    await s.app.listen({ host: '127.0.0.1', port: 0 })
    const login = 'POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
    const cases: [string, string, RegExp, string][] = [
      ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /, 'BAD_REQUEST'],
      ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', /^HTTP\/1\.1 400 /, 'BAD_REQUEST'],
      ['headers without end', `GET /health HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100)}`, /^HTTP\/1\.1 408 /, 'REQUEST_TIMEOUT'],
      ['100 KB of headers', `GET /health HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, /^HTTP\/1\.1 400 /, 'BAD_REQUEST'],
      ['a body that never ends', `${login}content-length: 100\r\n\r\n{"email":`, /^HTTP\/1\.1 408 /, 'REQUEST_TIMEOUT'],
      ['chunks that never end', `${login}transfer-encoding: chunked\r\n\r\n5\r\n{"ema\r\n`, /^HTTP\/1\.1 408 /, 'REQUEST_TIMEOUT'],
      ['two lengths', `${login}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, /^HTTP\/1\.1 400 /, 'BAD_REQUEST'],
      ['length and chunks', `${login}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 400 /, 'BAD_REQUEST'],
      ['a length over the limit', `${login}connection: close\r\ncontent-length: 99999999999\r\n\r\n`, /^HTTP\/1\.1 413 /, 'BODY_TOO_LARGE']
    ]
    await Promise.all(
      cases.map(async ([name, bytes, status, code]) => {
        const answer = await raw(s, bytes)
        t.match(answer, status, name)
        t.match(answer, /^x-request-id: /m, name)
        t.match(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)), { code, error: String, request_id: String }, name)
      })
    )
    const healthy = await raw(s, 'GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    t.match(healthy, /^HTTP\/1\.1 200 /, 'and it serves on')
  })
})
