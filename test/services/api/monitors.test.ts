/**
 * Tests of monitors over the API: fields and their errors, secrets, and the effects of a change.
 */
import t from 'tap'
import type { HttpConfig } from '../../../schemas/http/check-types/http.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { openForTenant } from '../../../services/credentials/sealing.ts'
import { certificate } from '../prober/stand.ts'
import { type Body, configsOf, create, good, MONITORS, rowsOf } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { SECRETS_KEY, stand } from './stand.ts'

t.setTimeout(120_000)

t.test('monitors', async (t) => {
  const s = await stand(t)
  await makeRegions(s)

  await t.test('a monitor is created with its defaults', async (t) => {
    const asked = Date.now()
    const answer = await s.call(s.acme, 'POST', MONITORS, { name: 'Shop', type: 'https', url: 'https://shop.example/' })
    t.equal(answer.statusCode, 201, answer.body)
    t.equal(answer.headers.etag, '"1"')
    const body = answer.json()
    t.match(body, {
      tenant_id: s.acme.tenant_id,
      version: 1,
      status: 'up',
      phase: 'pending',
      type: 'http',
      target: 'https://shop.example/',
      interval_seconds: 60,
      timeout_seconds: 10,
      regions: [],
      effective_regions: [],
      assertions: [],
      confirmation: {
        regions: 'majority',
        rounds: 2,
        min_seconds: 0,
        recovery_rounds: 2,
        recovery_seconds: 0,
        failure_rate: null,
        advisory_after_seconds: 900
      },
      down_interval_seconds: null,
      flap: { enabled: true, window_rounds: 20, high_percent: 30, low_percent: 15 },
      retry: { count: 1, strategy: 'fixed', base_seconds: 5, max_total_seconds: 60 },
      severity_down: 'critical',
      severity_degraded: 'warning',
      open_on_degraded: false,
      tls_expiry_days: [30, 14, 7, 3, 1],
      repeat_interval_seconds: null,
      uptime: { h24: null, d7: null, d30: null },
      open_incident_id: null,
      next_check_at: /Z$/
    })
    // The slot may already have passed when it is read.
    t.ok(Date.parse(body.next_check_at) > asked && Date.parse(body.next_check_at) <= Date.now() + 60_000)
    const read = await s.call(s.acme, 'GET', `${MONITORS}/${body.id}`)
    const { next_check_at: _next, ...rest } = body
    t.same(read.json(), rest, 'read as created')

    const [config] = await configsOf(s, body.id)
    t.match(config, {
      version: 1,
      event_id: uuidv5(body.id, '1'),
      name: 'Shop',
      type: 'http',
      paused: false,
      deleted: false,
      retention_days: 395
    })
    t.equal(config?.regions.length, 3, 'the service picks three regions')
    t.same(await rowsOf(s.systemPool, "SELECT version, actor FROM config_versions WHERE kind = 'monitor' AND id = $1", [body.id]), [
      { version: 1, actor: `token:${s.acme.token_id}` }
    ])
    t.same(await rowsOf(s.systemPool, 'SELECT action, object_type FROM audit WHERE object_id = $1', [body.id]), [
      { action: 'monitor.created', object_type: 'monitor' }
    ])
    t.match(await rowsOf(s.systemPool, 'SELECT headers FROM outbox WHERE aggregate = $1', [`monitor-config:${body.id}`]), [
      { headers: { event_type: 'monitor_config', src: `token:${s.acme.token_id}` } }
    ])
  })

  await t.test('every field that is written can be read back', async (t) => {
    const fields = {
      name: 'Everything',
      description: '**Runbook**',
      target: 'http://api.example:8443/a?b=c#d',
      config: {
        method: 'POST',
        headers: [{ name: 'Accept', value: 'application/json' }],
        body: '{"ping":true}',
        body_type: 'json',
        follow_redirects: false,
        max_redirects: 2,
        verify_tls: false,
        ip_family: '4',
        http_version: '1.1',
        user_agent: 'test/1',
        cache_bust: true,
        max_body_bytes: 1000,
        capture_on_failure: false
      },
      assertions: [
        { source: 'status', op: 'in', value: [200, 204] },
        { source: 'header', property: 'Content-Type', op: 'contains', value: 'json' },
        { source: 'json', property: '$.a[?@.b > 1].c', op: 'eq', value: true, on_fail: 'degraded' },
        { source: 'body', op: 'matches', value: '^ok$' },
        { source: 'latency_ms', op: 'lt', value: 800 },
        { source: 'tls_days', op: 'gte', value: 14 },
        { source: 'redirect_url', op: 'not_exists' },
        { source: 'ip', op: 'eq', value: '192.0.2.1' }
      ],
      interval_seconds: 30,
      down_interval_seconds: 25,
      timeout_seconds: 20,
      degraded_after_ms: 500,
      regions: ['us-east', 'eu-west'],
      confirmation: {
        regions: 2,
        rounds: 3,
        min_seconds: 30,
        recovery_rounds: 1,
        recovery_seconds: 60,
        failure_rate: { failures: 4, window_seconds: 600 },
        advisory_after_seconds: 0
      },
      retry: { count: 0, strategy: 'none', base_seconds: 1, max_total_seconds: 5 },
      flap: { enabled: false, window_rounds: 5, high_percent: 60, low_percent: 0 },
      tags: ['shop', 'b'],
      labels: { team: 'payments' },
      severity_down: 'warning',
      severity_degraded: 'info',
      tls_expiry_days: [7],
      repeat_interval_seconds: 900
    }
    const body = await create(s, s.acme, fields)
    for (const [name, value] of Object.entries(fields)) t.strictSame(body[name], value, name)
    t.same(body.prober_region_labels, { 'eu-west': 'Europe West', 'us-east': 'US East' })
    const [config] = await configsOf(s, body.id)
    t.match(config, {
      regions: ['us-east', 'eu-west'],
      confirmation: {
        regions: 'count',
        count: 2,
        rounds: 3,
        failure_rate: { failures: 4, window_seconds: 600 },
        advisory_after_seconds: 0
      },
      down_interval_seconds: 25,
      labels: { team: 'payments' },
      interval_seconds: 30
    })
    t.notMatch(JSON.stringify(config), /api\.example|ping/, 'never the target or the settings')
  })

  await t.test('an invalid field of a monitor is refused with its path and rule', async (t) => {
    const [pair, other] = [certificate(t), certificate(t)]
    const oauth = { type: 'oauth2_client', token_url: 'https://sso.example/token', client_id: 'c', client_secret: 's' }
    const cases: [string, Body, string][] = [
      ['no target', { target: undefined }, 'target required'],
      ['two targets', { url: 'https://other.example/' }, 'url mutually_exclusive'],
      ['an unknown type', { type: 'gopher' }, 'type enum'],
      ['a quicker rhythm that is none', { interval_seconds: 60, down_interval_seconds: 61 }, 'down_interval_seconds max'],
      ['one within the timeout', { timeout_seconds: 20, down_interval_seconds: 20 }, 'down_interval_seconds min'],
      [
        'a rate that no check can meet',
        { interval_seconds: 60, confirmation: { failure_rate: { failures: 5, window_seconds: 240 } } },
        'confirmation.failure_rate.window_seconds min'
      ],
      ['flapping that ends before it begins', { flap: { high_percent: 20, low_percent: 20 } }, 'flap.low_percent max'],
      ['more rounds than are kept', { flap: { window_rounds: 21 } }, 'flap.window_rounds max'],
      ['half a rate', { confirmation: { failure_rate: { failures: 5 } } }, 'confirmation.failure_rate.window_seconds required'],
      ...['toString', 'constructor', 'valueOf', '__proto__'].map((type): [string, Body, string] => [
        `a word that every object knows: ${type}`,
        { type },
        'type enum'
      ]),
      ['a type that comes later', { type: 'group' }, 'type enum'],
      ['an unknown field', { region_mode: 'all' }, 'region_mode unknown_field'],
      ['an unknown field of config', { config: { metod: 'GET' } }, 'config.metod unknown_field'],
      ['a name of blanks', { name: '  ' }, 'name pattern'],
      ['an interval under 10', { interval_seconds: 9 }, 'interval_seconds min'],
      ['a timeout as long as the interval', { interval_seconds: 10, timeout_seconds: 10 }, 'timeout_seconds max'],
      ['an unknown region', { regions: ['eu-west', 'moon'] }, 'regions[1] unknown_region'],
      ['a region of a wrong form', { regions: ['EU'] }, 'regions[0] pattern'],
      ['a quorum of 31', { confirmation: { regions: 31 } }, 'confirmation.regions enum'],
      ['a quorum in words', { confirmation: { regions: 'most' } }, 'confirmation.regions enum'],
      ['no scheme', { target: 'shop.example' }, 'target pattern'],
      ['another scheme', { target: 'ftp://shop.example/' }, 'target pattern'],
      ['a blank in it', { target: 'https://shop.example/a b' }, 'target pattern'],
      ['a line feed in it', { target: 'https://shop.example/\n' }, 'target pattern'],
      ['no host', { target: 'https://' }, 'target pattern'],
      ['credentials in it', { target: 'https://a:b@shop.example/' }, 'target pattern'],
      ['a user in it', { target: 'https://a@shop.example/' }, 'target pattern'],
      ['loopback', { target: 'http://127.0.0.1:8080/' }, 'target blocked_target'],
      ['loopback in decimal', { target: 'http://2130706433/' }, 'target blocked_target'],
      ['loopback in octal', { target: 'http://0177.1/' }, 'target blocked_target'],
      ['loopback, mapped', { target: 'http://[::ffff:7f00:1]/' }, 'target blocked_target'],
      ['localhost', { target: 'http://localhost/' }, 'target blocked_target'],
      ['metadata', { target: 'http://169.254.169.254/latest' }, 'target blocked_target'],
      ['a private network', { target: 'http://10.1.2.3/' }, 'target blocked_target'],
      ['a method that is none', { config: { method: 'TRACE' } }, 'config.method enum'],
      ['a header name with a colon', { config: { headers: [{ name: 'a:', value: 'b' }] } }, 'config.headers[0].name pattern'],
      ['a header value with a line feed', { config: { headers: [{ name: 'a', value: 'b\r\nc: d' }] } }, 'config.headers[0].value pattern'],
      ['a header of the prober', { config: { headers: [{ name: 'Content-Length', value: '1' }] } }, 'config.headers[0].name pattern'],
      [
        'a secret header without value',
        { config: { headers: [{ name: 'a', value: null, secret: true }] } },
        'config.headers[0].value required'
      ],
      [
        'a masked secret that is not there',
        { config: { headers: [{ name: 'a', value: '********', secret: true }] } },
        'config.headers[0].value required'
      ],
      ['a plain header with the mask', { config: { headers: [{ name: 'a', value: '********' }] } }, 'config.headers[0].value required'],
      ['basic without user', { config: { auth: { type: 'basic', password: 'p' } } }, 'config.auth.username required'],
      ['basic without password', { config: { auth: { type: 'basic', username: 'u' } } }, 'config.auth.password required'],
      ['basic with an empty password', { config: { auth: { type: 'basic', username: 'u', password: '' } } }, 'config.auth.password length'],
      ['bearer with a password', { config: { auth: { type: 'bearer', token: 't', password: 'p' } } }, 'config.auth.password unknown_field'],
      ['an auth that nobody knows', { config: { auth: { type: 'ntlm' } } }, 'config.auth.type enum'],
      ['digest without user', { config: { auth: { type: 'digest', password: 'p' } } }, 'config.auth.username required'],
      [
        'digest with a token',
        { config: { auth: { type: 'digest', username: 'u', password: 'p', token: 't' } } },
        'config.auth.token unknown_field'
      ],
      ['OAuth without a token server', { config: { auth: { ...oauth, token_url: undefined } } }, 'config.auth.token_url required'],
      ['OAuth without a secret', { config: { auth: { ...oauth, client_secret: undefined } } }, 'config.auth.client_secret required'],
      ['a token server that is no address', { config: { auth: { ...oauth, token_url: 'sso.example' } } }, 'config.auth.token_url pattern'],
      [
        'a token server with a password',
        { config: { auth: { ...oauth, token_url: 'https://a:b@sso.example/' } } },
        'config.auth.token_url pattern'
      ],
      [
        'a token server inside',
        { config: { auth: { ...oauth, token_url: 'http://[::ffff:10.0.0.1]/token' } } },
        'config.auth.token_url blocked_target'
      ],
      ['a scope with a blank', { config: { auth: { ...oauth, scopes: ['a b'] } } }, 'config.auth.scopes[0] pattern'],
      [
        'a client certificate that is none',
        { config: { auth: { type: 'mtls', cert_pem: 'x', key_pem: 'y' } } },
        'config.auth.cert_pem pattern'
      ],
      ['a key that is none', { config: { auth: { type: 'mtls', cert_pem: pair.cert, key_pem: 'y' } } }, 'config.auth.key_pem pattern'],
      [
        'the key of another',
        { config: { auth: { type: 'mtls', cert_pem: pair.cert, key_pem: other.key } } },
        'config.auth.key_pem pattern'
      ],
      ['a certificate without a key', { config: { auth: { type: 'mtls', cert_pem: pair.cert } } }, 'config.auth.key_pem required'],
      [
        'a client certificate in the clear',
        { target: 'http://shop.example/', config: { auth: { type: 'mtls', cert_pem: pair.cert, key_pem: pair.key } } },
        'config.auth.type pattern'
      ],
      ['a CA that is none', { config: { ca_pem: 'x' } }, 'config.ca_pem pattern'],
      [
        '21 assertions',
        { assertions: Array.from({ length: 21 }, () => ({ source: 'status', op: 'eq', value: 200 })) },
        'assertions length'
      ],
      ['an unknown operator', { assertions: [{ source: 'status', op: 'like', value: 1 }] }, 'assertions[0].op enum'],
      ['an operator that does not fit', { assertions: [{ source: 'status', op: 'contains', value: '2' }] }, 'assertions[0].op enum'],
      ['a source of another type', { assertions: [{ source: 'dns_records', op: 'exists' }] }, 'assertions[0].source enum'],
      ['no property', { assertions: [{ source: 'json', op: 'exists' }] }, 'assertions[0].property required'],
      [
        'a property too many',
        { assertions: [{ source: 'status', property: 'x', op: 'eq', value: 1 }] },
        'assertions[0].property unknown_field'
      ],
      ['no value', { assertions: [{ source: 'status', op: 'eq' }] }, 'assertions[0].value required'],
      [
        'a value too many',
        { assertions: [{ source: 'header', property: 'x', op: 'exists', value: 1 }] },
        'assertions[0].value unknown_field'
      ],
      ['text for a number', { assertions: [{ source: 'status', op: 'eq', value: '200' }] }, 'assertions[0].value type'],
      ['a list of texts for numbers', { assertions: [{ source: 'status', op: 'in', value: [200, '204'] }] }, 'assertions[0].value[1] type'],
      ['a list where none fits', { assertions: [{ source: 'status', op: 'eq', value: [200] }] }, 'assertions[0].value type'],
      ['no list where one fits', { assertions: [{ source: 'status', op: 'in', value: 200 }] }, 'assertions[0].value type'],
      ['half a length', { assertions: [{ source: 'body', op: 'len_gt', value: 1.5 }] }, 'assertions[0].value type'],
      ['a broken pattern', { assertions: [{ source: 'body', op: 'matches', value: '(' }] }, 'assertions[0].value unsafe_regex'],
      ['look-ahead', { assertions: [{ source: 'body', op: 'matches', value: '(?=a)b' }] }, 'assertions[0].value unsafe_regex'],
      ['a back-reference', { assertions: [{ source: 'body', op: 'matches', value: '(a)\\1' }] }, 'assertions[0].value unsafe_regex'],
      ['a pattern too long', { assertions: [{ source: 'body', op: 'matches', value: 'a'.repeat(513) }] }, 'assertions[0].value length'],
      [
        'a pattern that grows',
        { assertions: [{ source: 'body', op: 'matches', value: '(a|b|c|d){500}' }] },
        'assertions[0].value unsafe_regex'
      ],
      [
        'one among good ones',
        {
          assertions: [
            { source: 'body', op: 'matches', value: 'fine' },
            { source: 'header', property: 'x', op: 'not_matches', value: '((a{1,9}){1,9}){1,9}' }
          ]
        },
        'assertions[1].value unsafe_regex'
      ],
      [
        'four that are too much together',
        { assertions: [0, 1, 2, 3].map((n) => ({ source: 'body', op: 'matches', value: `(?:ab|cd){180}${n}` })) },
        'assertions[3].value unsafe_regex'
      ],
      ['a path that is none', { assertions: [{ source: 'json', property: 'a.b', op: 'exists' }] }, 'assertions[0].property pattern'],
      [
        'a path that backtracks',
        { assertions: [{ source: 'json', property: "$[?search(@.a, '(a+)+$')]", op: 'exists' }] },
        'assertions[0].property pattern'
      ],
      ['retry of nonsense', { retry: { count: 6 } }, 'retry.count max'],
      ['91 days', { tls_expiry_days: [91] }, 'tls_expiry_days[0] max']
    ]
    const before = (await s.call(s.acme, 'GET', MONITORS)).json().total
    for (const [name, over, wanted] of cases) {
      const answer = await s.call(s.acme, 'POST', MONITORS, good(over))
      t.equal(answer.statusCode, 422, `${name}: ${answer.body.slice(0, 200)}`)
      const { details } = answer.json()
      t.ok(
        details?.some(({ path, rule }: { path: string; rule: string }) => `${path} ${rule}` === wanted),
        `${name}: ${JSON.stringify(details)}`
      )
    }
    t.match((await s.call(s.acme, 'POST', MONITORS, good({ type: 'group' }))).json().error, /later version/)
    t.equal((await s.call(s.acme, 'GET', MONITORS)).json().total, before, 'nothing was created')
    for (const target of ['http://8.8.8.8/', 'https://[2606:4700:4700::1111]/', 'https://ümlaut.example/', 'HTTP://Shop.Example']) {
      t.equal((await create(s, s.acme, { target })).target, target, target)
    }
  })

  await t.test('a change makes the next version and keeps fields that are not named', async (t) => {
    const { id } = await create(s, s.acme, { confirmation: { rounds: 4 }, labels: { a: 'b' }, config: { method: 'POST', body: 'x' } })
    const patch = {
      name: 'Renamed',
      confirmation: { recovery_rounds: 5 },
      labels: { c: 'd' },
      config: { body: null },
      degraded_after_ms: 300
    }
    const answer = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, patch)
    t.equal(answer.statusCode, 200, answer.body)
    t.equal(answer.headers.etag, '"2"')
    t.match(answer.json(), {
      version: 2,
      name: 'Renamed',
      confirmation: { rounds: 4, recovery_rounds: 5 },
      labels: { c: 'd' },
      config: { method: 'POST', body: null },
      degraded_after_ms: 300,
      target: 'https://shop.example/health'
    })
    t.same(answer.json().labels, { c: 'd' })
    t.equal((await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { degraded_after_ms: null })).json().degraded_after_ms, null)
    t.same(
      (await configsOf(s, id)).map(({ version, name }) => [version, name]),
      [
        [1, (await configsOf(s, id))[0]?.name],
        [2, 'Renamed'],
        [3, 'Renamed']
      ]
    )
    const audits = await rowsOf(s.systemPool, 'SELECT action, diff FROM audit WHERE object_id = $1 ORDER BY at', [id])
    t.match(audits[1], { action: 'monitor.updated', diff: { degraded_after_ms: [null, 300], labels: [{ a: 'b' }, { c: 'd' }] } })

    for (const type of ['http', 'keyword']) t.equal((await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { type })).statusCode, 200)
    const immutable = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { type: 'tcp' })
    t.equal(immutable.statusCode, 422)
    const blocked = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { target: 'http://10.0.0.1/' })
    t.match(blocked.json().details[0], { path: 'target', rule: 'blocked_target' })
    const timeout = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { interval_seconds: 10 })
    t.match(timeout.json().details[0], { path: 'timeout_seconds', rule: 'max', limit: 9, actual: 10 })
    t.equal((await s.call(s.acme, 'PUT', `${MONITORS}/${id}`, good())).statusCode, 405)
  })

  await t.test('names are unique in a workspace regardless of case, and free after a deletion', async (t) => {
    const { id } = await create(s, s.acme, { name: 'Ünique' })
    const answer = await s.call(s.acme, 'POST', MONITORS, good({ name: 'üNIQUE' }))
    t.equal(answer.statusCode, 409)
    t.match(answer.json(), { code: 'NAME_TAKEN', details: [{ path: 'name' }] })
    const other = await create(s, s.acme)
    t.equal((await s.call(s.acme, 'PATCH', `${MONITORS}/${other.id}`, { name: 'ünique' })).json().code, 'NAME_TAKEN')
    await create(s, s.globex, { name: 'Ünique' })
    t.equal((await s.call(s.acme, 'DELETE', `${MONITORS}/${id}`)).statusCode, 204)
    await create(s, s.acme, { name: 'Ünique' })
  })

  await t.test('secrets of a monitor are sealed, masked and kept by the mask', async (t) => {
    const config = {
      headers: [
        { name: 'X-Key', value: 'hunter2-a', secret: true },
        { name: 'x-key', value: 'hunter2-b', secret: true },
        { name: 'Accept', value: '*/*' }
      ],
      auth: { type: 'basic', username: 'robot', password: 'hunter2-c' }
    }
    const created = await create(s, s.acme, { config })
    const { id } = created
    const masked = {
      headers: [
        { name: 'X-Key', value: '********', secret: true },
        { name: 'x-key', value: '********', secret: true },
        { name: 'Accept', value: '*/*' }
      ],
      auth: { type: 'basic', username: 'robot', password: '********' }
    }
    t.same(created.config, masked)
    const stored = async () => {
      const { rows } = await s.systemPool.query<{ config: HttpConfig }>('SELECT config FROM monitors WHERE monitor_id = $1', [id])
      const [row] = rows
      const { headers = [], auth } = row?.config ?? {}
      const open = (value: string, field: string) =>
        openForTenant(SECRETS_KEY, { tenant_id: s.acme.tenant_id, resource: `monitor:${id}`, field }, value)
      return {
        headers: headers.map(({ name, value, secret }) => (secret && value ? open(value, `header:${name.toLowerCase()}`) : value)),
        auth: auth?.password ? open(auth.password, 'auth.password') : auth?.token ? open(auth.token, 'auth.token') : null
      }
    }
    t.same(await stored(), { headers: ['hunter2-a', 'hunter2-b', '*/*'], auth: 'hunter2-c' })

    await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { config: masked })
    t.same(await stored(), { headers: ['hunter2-a', 'hunter2-b', '*/*'], auth: 'hunter2-c' }, 'the mask keeps them')
    await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { config: { auth: { type: 'basic', username: 'robot2' } } })
    t.same(await stored(), { headers: ['hunter2-a', 'hunter2-b', '*/*'], auth: 'hunter2-c' }, 'so does leaving them out')
    const headers = [
      { name: 'X-KEY', value: null, secret: true },
      { name: 'X-New', value: 'hunter2-d', secret: true }
    ]
    await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { config: { headers } })
    t.same(await stored(), { headers: ['hunter2-a', 'hunter2-d'], auth: 'hunter2-c' }, 'headers are replaced as a whole, by name')
    const wrong = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, {
      config: { headers: [{ name: 'X-Gone', value: '********', secret: true }] }
    })
    t.match(wrong.json().details[0], { path: 'config.headers[0].value', rule: 'required' })
    const bearer = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { config: { auth: { type: 'bearer' } } })
    t.match(bearer.json().details[0], { path: 'config.auth.token', rule: 'required' }, 'a password is no token')
    await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { config: { auth: { type: 'bearer', token: 'hunter2-e' } } })
    t.equal((await stored()).auth, 'hunter2-e')
    await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { config: { auth: { type: 'none' } } })
    t.same((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json().config.auth, { type: 'none' })

    for (const table of ['monitors', 'config_versions', 'audit', 'outbox']) {
      const text = JSON.stringify(await rowsOf(s.systemPool, `SELECT to_jsonb(x) AS row FROM ${table} x`, []))
      t.notMatch(text, /hunter2/, `${table} has no secret in the clear`)
      t.notMatch(text, Buffer.from('hunter2').toString('hex'), table)
      if (table !== 'monitors') t.notMatch(text, /sealed:/, `${table} has no sealed one either`)
    }
    t.notMatch(s.logged(), /hunter2/)
  })
})

t.test('targets in networks that the operator opened are accepted, and others are refused', async (t) => {
  const s = await stand(t, { config: { proberAllowCidrs: ['127.0.0.0/8', '10.0.0.0/8'] } })
  const told = new Set<string>()
  await create(s, s.acme, { target: 'http://127.0.0.1:3000/' })
  await create(s, s.acme, { target: 'http://10.1.1.1/' })
  for (const target of ['http://192.168.1.1/', 'http://169.254.169.254/', 'http://[::1]/', 'http://168.63.129.16/', 'http://224.0.0.1/']) {
    const [detail] = (await s.call(s.acme, 'POST', MONITORS, good({ target }))).json().details
    t.match(detail, { path: 'target', rule: 'blocked_target' }, target)
    told.add(detail.message)
  }
  t.equal(told.size, 1, `whatever the address, in the same words: ${[...told].join('; ')}`)
})
