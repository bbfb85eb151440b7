/**
 * Tests of every answer of the doors over real HTTP: the order of the checks, the content of the
 * answers, and that nothing is produced where nothing may be.
 */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { type IntegrationCredential, Unavailable } from '../../../services/credentials/tokens.ts'
import { countedId, requestIdOf } from '../../../services/http/request-id.ts'
import { bearer } from '../../../services/intake/doors/doors.ts'
import { OutcomeUnknown, type OutRecord, QueueFull, RecordRefused } from '../../../streams/runtime/stream.ts'
import { until } from '../../harness/until.ts'
import { integration } from './credential.ts'
import { PATH, ROUTER, stand, TOKEN } from './stand.ts'

const MEGABYTE = 1024 * 1024
const alert = '{"title":"Disk full","severity":"critical","dedup_key":"db-7"}'
const group = JSON.stringify({
  alerts: [
    { status: 'firing', labels: { alertname: 'A' }, startsAt: '2026-10-05T12:00:00Z', fingerprint: 'f1' },
    { status: 'resolved', labels: { alertname: 'B' }, startsAt: '2026-10-05T11:00:00Z', endsAt: '2026-10-05T12:00:00Z', fingerprint: 'f2' }
  ]
})
const authorized = { authorization: `Bearer ${TOKEN}` }

t.test('an accepted alert gets 200 and is stored', async (t) => {
  const { post, alerts, records } = await stand(t)
  const { status, headers, body } = await post(PATH, alert)
  t.equal(status, 200)
  t.same(body, { status: 'accepted', processed: 1, ignored: 0, alerts: [{ dedup_key: 'db-7', action: 'fire' }] })
  t.equal(headers.get('content-type'), 'application/json')
  t.equal(headers.get('x-ratelimit-limit'), '1000')
  t.equal(headers.get('x-ratelimit-remaining'), '999')
  t.equal(headers.get('x-ratelimit-reset'), '60')
  t.equal(headers.get('x-ratelimit-name'), 'ingest_tenant')
  t.match(headers.get('x-request-id'), /^[A-Za-z0-9._-]{1,64}$/)
  const [stored] = alerts()
  t.match(stored, { title: 'Disk full', severity: 'critical', source: 'generic', source_dedup_key: 'db-7', action: 'fire' })
  t.equal(records.length, 1)
  t.equal(records[0]?.key, `${stored?.tenant_id}|${stored?.dedup_key}`)
})

t.test('ill-formed text is cleaned and accepted at every door', async (t) => {
  const { post, alerts } = await stand(t)
  const said = String.raw`"cut \ud83d and \u0000 \udc00"`
  const bodies: [string, string][] = [
    [PATH, `{"title":${said},"description":${said},"dedup_key":${said},"labels":{"host":${said}}}`],
    [PATH, `title=a%00b&dedup_key=c%00d`],
    [
      ROUTER,
      `{"alerts":[{"status":"firing","labels":{"alertname":${said}},"annotations":{"summary":${said}},"startsAt":"2026-10-05T12:00:00Z","fingerprint":${said}}]}`
    ]
  ]
  for (const [path, body] of bodies) {
    const form = body.startsWith('title=') ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
    const answer = await post(path, body, { ...(path === ROUTER ? authorized : {}), ...form })
    t.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  t.equal(alerts().length, bodies.length)
  for (const alert of alerts()) t.notMatch(JSON.stringify(alert), /\\u0000|\\ud83d|\\udc00/)
  t.match(alerts()[0], { title: 'cut \ufffd and  \ufffd', description: /^cut \ufffd and/, source_dedup_key: /^cut \ufffd/ })
})

t.test('the alert router accepts a token of another source and uses its own parser', async (t) => {
  const { post, alerts } = await stand(t)
  for (const [path, scheme] of [
    [ROUTER, 'Bearer'],
    ['/api/v1/webhook/prometheus', 'bearer'],
    [ROUTER, 'BEARER']
  ] as const) {
    const { status, body } = await post(path, group, { authorization: `${scheme} ${TOKEN}` })
    t.equal(status, 200)
    t.same(body, {
      status: 'accepted',
      processed: 2,
      ignored: 0,
      alerts: [
        { dedup_key: 'f1', action: 'fire' },
        { dedup_key: 'f2', action: 'resolve' }
      ]
    })
  }
  t.equal(alerts().length, 6)
  t.ok(alerts().every(({ source }) => source === 'alertmanager'))
})

t.test('an ignored alert is accepted without effect', async (t) => {
  const { post, records } = await stand(t)
  const { status, body } = await post(PATH, '{"title":"x","status":"acknowledged","dedup_key":"k"}')
  t.equal(status, 200)
  t.same(body, { status: 'accepted', processed: 0, ignored: 1, alerts: [{ dedup_key: 'k', action: 'ignore', reason: 'acknowledged' }] })
  t.same(records, [])
})

t.test('a valid request id of the caller is kept, an invalid one is replaced', async (t) => {
  const { post } = await stand(t)
  t.equal((await post(PATH, alert, { 'x-request-id': 'abc-1.2_Z' })).headers.get('x-request-id'), 'abc-1.2_Z')
  const refused = await post('/nowhere', alert, { 'x-request-id': 'mine' })
  t.match([refused.headers.get('x-request-id'), refused.body.request_id], ['mine', 'mine'])
  for (const bad of ['', 'a b', 'x'.repeat(65), 'a\r\nb', 'ü', '<']) t.match(requestIdOf(bad, countedId), /^r-[a-z0-9]+-[a-z0-9]+$/)
  t.not(requestIdOf('', countedId), requestIdOf('', countedId))
})

t.test('tokens in Authorization headers', async (t) => {
  // biome-ignore format: a table
  const cases: [string, string][] = [['Bearer x', 'x'], ['bearer  x ', 'x'], ['Bearer', ''], ['Bearer ', ''], ['Basic x', ''], ['BearerX y', ''], ['', ''], ['x', '']]
  for (const [header, token] of cases) t.equal(bearer(header), token, header)
})

t.test('requests that are refused before their body is read', async (t) => {
  //  a case                        method  path     headers                                         status code
  const cases: [string, string, string, Record<string, string>, number, string, Record<string, string | RegExp>?][] = [
    ['an unknown route', 'POST', '/api/v1/nowhere', {}, 404, 'NOT_FOUND'],
    ['the door without a token', 'POST', '/api/v1/webhooks/incoming/', {}, 404, 'NOT_FOUND'],
    ['more behind the token', 'POST', `${PATH}/more`, {}, 404, 'NOT_FOUND'],
    ['an unknown token in the path', 'POST', `/api/v1/webhooks/incoming/svc_${'b'.repeat(43)}`, {}, 404, 'NOT_FOUND'],
    ['another method', 'GET', PATH, {}, 405, 'METHOD_NOT_ALLOWED', { allow: 'POST' }],
    ['another method at the router', 'PUT', ROUTER, authorized, 405, 'METHOD_NOT_ALLOWED', { allow: 'POST' }],
    ['another method on health', 'POST', '/health', {}, 405, 'METHOD_NOT_ALLOWED', { allow: 'GET' }],
    ['no token at the router', 'POST', ROUTER, {}, 401, 'INVALID_INTEGRATION_TOKEN', { 'www-authenticate': 'Bearer' }],
    ['an unknown token at the router', 'POST', ROUTER, { authorization: 'Bearer svc_x' }, 401, 'INVALID_INTEGRATION_TOKEN'],
    ['another scheme at the router', 'POST', ROUTER, { authorization: `Basic ${TOKEN}` }, 401, 'INVALID_INTEGRATION_TOKEN'],
    ['a picture', 'POST', PATH, { 'content-type': 'image/png' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a form with files', 'POST', PATH, { 'content-type': 'multipart/form-data; boundary=x' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['XML by its type', 'POST', PATH, { 'content-type': 'Application/XML' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a compressed body', 'POST', PATH, { 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE']
  ]
  const { port, records } = await stand(t)
  for (const [name, method, path, headers, status, code, expected = {}] of cases) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'GET' ? {} : { body: alert })
    })
    t.equal(answer.status, status, name)
    const body = (await answer.json()) as Record<string, unknown>
    t.equal(body.code, code, name)
    t.equal(typeof body.error, 'string')
    t.equal(body.request_id, answer.headers.get('x-request-id'))
    t.notMatch(JSON.stringify(body), /svc_b/, 'no token in an answer')
    for (const [header, value] of Object.entries(expected)) t.match(answer.headers.get(header), value, `${name}: ${header}`)
  }
  t.same(records, [])
})

t.test('checks are made in a fixed order, and the first fault is reported', async (t) => {
  const proof = { source_type: 'uptimerobot', verify: { secret: 's3cret' } }
  const elsewhere = { allowed_cidrs: ['192.0.2.0/24'] }
  const large = Buffer.alloc(2 * MEGABYTE + 1, '{')
  const picture = { 'content-type': 'image/png', 'content-encoding': 'gzip' }
  const zipped = { 'content-encoding': 'gzip' }
  const wrong = '{"alerts":[{}]}'
  //  what fails first     the integration                                  budget spent   body   headers  code
  const cases: [string, Partial<IntegrationCredential> | null, boolean, string | Buffer, Record<string, string>, string, RegExp][] = [
    ['the token', null, true, large, picture, 'NOT_FOUND', /nothing at this address/],
    ['enabled', { enabled: false, ...elsewhere, ...proof, source_type: 'new' }, true, large, picture, 'INTEGRATION_DISABLED', /disabled/],
    ['the address', { ...elsewhere, ...proof, source_type: 'new' }, true, large, picture, 'IP_NOT_ALLOWED', /address/],
    ['the parser', { ...proof, source_type: 'new' }, true, large, picture, 'UNAVAILABLE', /no parser/],
    ['the budget', proof, true, large, picture, 'RATE_LIMITED', /budget/],
    ['the size', proof, false, large, picture, 'BODY_TOO_LARGE', /at most 2097152 bytes/],
    ['the type', proof, false, '{', picture, 'UNSUPPORTED_MEDIA_TYPE', /Expected JSON/],
    ['the encoding', proof, false, '{', zipped, 'UNSUPPORTED_MEDIA_TYPE', /Content-Encoding/],
    ['the bytes', proof, false, '{', {}, 'MALFORMED_JSON', /not valid JSON/],
    ['the proof', proof, false, wrong, {}, 'SIGNATURE_INVALID', /x-webhook-secret is missing/],
    ['the parser of the source', { source_type: 'uptimerobot' }, false, wrong, {}, 'UNPARSEABLE_PAYLOAD', /./]
  ]
  for (const isLookedUp of [false, true]) {
    for (const [name, fields, isSpent, body, headers, code, error] of cases) {
      let known: IntegrationCredential | null = integration()
      const { post, records } = await stand(t, { check: () => (isLookedUp ? Promise.resolve(known) : known) })
      if (isSpent) await post(PATH, JSON.stringify(Array(1000).fill({ title: 'x' })))
      const stored = records.length
      known = fields && integration(fields)
      const answer = await post(PATH, body, headers)
      t.equal(answer.body.code, code, name)
      t.match(answer.body.error, error, name)
      t.equal(records.filter(({ topic }) => topic === 'alerts.inbound.v1').length, Math.min(stored, 1000), `${name}: nothing is stored`)
    }
  }
})

t.test('the content type does not decide how a body is parsed', async (t) => {
  const { post, alerts } = await stand(t)
  // biome-ignore format: a list
  for (const type of ['text/plain', 'text/plain; charset=UTF-8', 'application/x-www-form-urlencoded', 'application/octet-stream', 'application/json; charset=utf-8', 'application/vnd.x+json', '']) {
    t.equal((await post(PATH, alert, { 'content-type': type })).status, 200, type)
  }
  t.equal((await post(PATH, alert, { 'content-encoding': 'identity' })).status, 200)
  t.equal(
    (await post(PATH, 'title=Disk+full&severity=info', { 'content-type': 'application/json' })).status,
    200,
    'a form under a JSON type'
  )
  t.equal(alerts().length, 9)
})

t.test('a body that cannot be read gets 400 or 422', async (t) => {
  const cases: [string, string | Buffer | undefined, number, string, { path: string; rule: string }[]?][] = [
    ['nothing', undefined, 400, 'MALFORMED_JSON'],
    ['cut off', '{"title":"x', 400, 'MALFORMED_JSON'],
    ['text', 'disk full', 400, 'MALFORMED_JSON'],
    ['XML under another type', '<alert/>', 400, 'MALFORMED_JSON'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), 400, 'MALFORMED_JSON'],
    ['nested too deep', `{"title":${'['.repeat(33)}${']'.repeat(33)}}`, 400, 'MALFORMED_JSON'],
    ['a million brackets', '['.repeat(MEGABYTE), 400, 'MALFORMED_JSON'],
    ['a gzip bomb without its header', gzipSync(Buffer.alloc(MEGABYTE)), 400, 'MALFORMED_JSON'],
    ['a string', '"title"', 400, 'MALFORMED_JSON'],
    ['wrong types', '{"title":["x"],"severity":"info"}', 422, 'UNPARSEABLE_PAYLOAD', [{ path: 'title', rule: 'type' }]],
    ['a severity that is a number', '{"title":"x","severity":3}', 422, 'UNPARSEABLE_PAYLOAD', [{ path: 'severity', rule: 'type' }]],
    ['no title', '{"severity":"critical"}', 422, 'UNPARSEABLE_PAYLOAD', [{ path: 'title', rule: 'required' }]],
    ['too many alerts', JSON.stringify(Array(5001).fill({ title: 'x' })), 422, 'UNPARSEABLE_PAYLOAD', [{ path: '', rule: 'max' }]],
    [
      'too many members',
      `{${Array.from({ length: 1001 }, (_, n) => `"k${n}":1`)}}`,
      422,
      'UNPARSEABLE_PAYLOAD',
      [{ path: '', rule: 'max' }]
    ]
  ]
  const { post, alerts, raw } = await stand(t)
  for (const [name, body, status, code, details] of cases) {
    const answer = await post(PATH, body)
    t.equal(answer.status, status, name)
    t.equal(answer.body.code, code, name)
    t.match(answer.body.details, details, name)
    t.equal(typeof answer.body.request_id, 'string')
    t.ok(answer.headers.has('x-ratelimit-remaining'), name)
  }
  t.same(alerts(), [], 'no alert was produced')
  t.equal(raw().length, cases.length, 'each was kept as it came')
  t.ok(raw().every(({ outcome, alerts }) => outcome === 'rejected' && alerts === 0))
  t.match(raw()[1], { reason: /^MALFORMED_JSON: /, payload: Buffer.from('{"title":"x'), content_type: 'application/json' })
})

t.test('a field named __proto__ changes nothing', async (t) => {
  const { post, alerts } = await stand(t)
  const hostile =
    '{"title":"x","severity":"info","__proto__":{"severity":"critical","status":"resolved"},"constructor":{"prototype":{"a":1}},"labels":{"__proto__":"p","constructor":"c"}}'
  t.equal((await post(PATH, hostile)).status, 200)
  t.match(alerts()[0], { severity: 'info', action: 'fire' })
  t.equal(Reflect.get({}, 'severity'), undefined)
  t.equal(Reflect.get({}, 'a'), undefined)
})

t.test('a disabled integration gets 403 and stores nothing', async (t) => {
  const { post, records } = await stand(t, { integration: { enabled: false, capture: true } })
  for (const answer of [await post(PATH, alert), await post(ROUTER, group, authorized)]) {
    t.equal(answer.status, 403)
    t.equal(answer.body.code, 'INTEGRATION_DISABLED')
  }
  t.same(records, [])
})

t.test('an integration with an unknown source gets 503 and stores nothing', async (t) => {
  for (const source_type of ['unheard_of', 'constructor', '__proto__']) {
    const { post, records } = await stand(t, { integration: { source_type } })
    const { status, headers } = await post(PATH, alert)
    t.equal(status, 503)
    t.match(headers.get('retry-after'), /^\d+$/)
    t.same(records, [])
  }
})

t.test('a request over the budget gets 429 and stores no alert', async (t) => {
  const { post, records, alerts } = await stand(t, { floor: 3, integration: { plan: 'free', capture: true } })
  const limited = await stand(t, { floor: 1000 })
  await limited.post(PATH, JSON.stringify(Array(999).fill({ title: 'x' })))
  const whole = await limited.post(PATH, JSON.stringify(Array(40).fill({ title: 'x' })))
  t.equal(whole.status, 200, 'at one below the limit a payload is admitted whole')
  t.equal(whole.headers.get('x-ratelimit-remaining'), '0')
  const stored = limited.records.length
  const refused = await limited.post(PATH, '{"title":', { 'content-encoding': 'gzip', 'content-type': 'image/png' })
  t.equal(refused.status, 429, 'before size, type and bytes are looked at')
  const reset = Number(refused.headers.get('x-ratelimit-reset'))
  t.ok(Number.isInteger(reset) && reset >= 1 && reset <= 60)
  t.equal(refused.headers.get('retry-after'), String(reset))
  t.equal(refused.headers.get('x-ratelimit-limit'), '1000')
  t.equal(refused.headers.get('x-ratelimit-remaining'), '0')
  t.equal(refused.headers.get('x-ratelimit-name'), 'ingest_tenant')
  const { error, request_id, ...rest } = refused.body
  t.same(rest, { code: 'RATE_LIMITED', name: 'ingest_tenant', limit: 1000, remaining: 0, retry_after: reset, window_seconds: 60 })
  t.equal(typeof error, 'string')
  t.equal(request_id, refused.headers.get('x-request-id'))
  t.equal((await limited.post(ROUTER, group, authorized)).status, 429, 'all doors share it')
  t.equal(limited.records.length, stored, 'nothing of what was refused is stored, nor its raw payload')
  // The plan's limit is above this floor: a free workspace has 1,000.
  await post(PATH, JSON.stringify(Array(999).fill({ title: 'x' })))
  t.equal((await post(PATH, alert)).status, 200)
  t.equal((await post(PATH, alert)).status, 429)
  t.equal(alerts().length, 1000)
  t.ok(records.length > 1000, 'the accepted ones were captured')
})

t.test('unreadable payloads use up the budget, too', async (t) => {
  const { post, raw } = await stand(t)
  await post(PATH, JSON.stringify(Array(998).fill({ title: 'x' })))
  t.equal((await post(PATH, '{')).status, 400)
  t.equal((await post(PATH, '{}')).status, 422)
  t.equal((await post(PATH, '{')).status, 429)
  t.equal(raw().length, 2)
})

t.test('an alert that the log does not accept gets 503', async (t) => {
  const cases: [string, Error, RegExp][] = [
    ['its queue is full', new QueueFull('full'), /nothing was stored/],
    ['it does not acknowledge', new OutcomeUnknown('late'), /may or may not be stored/],
    ['it refuses', new RecordRefused('too large'), /may or may not be stored/]
  ]
  for (const [name, error, message] of cases) {
    const { post } = await stand(t, { append: () => Promise.reject(error) })
    const answer = await post(PATH, alert)
    t.equal(answer.status, 503, name)
    t.equal(answer.body.code, 'UNAVAILABLE')
    t.match(answer.body.error, message)
    t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/)
    t.ok(answer.headers.has('x-ratelimit-remaining'))
  }
})

t.test('alerts use up the budget unless they are certainly not on the log', async (t) => {
  const cases: [string, Error, number][] = [
    ['its queue is full: nothing was stored', new QueueFull('full'), 200],
    ['it does not acknowledge: they may be stored', new OutcomeUnknown('late'), 429]
  ]
  for (const [name, error, status] of cases) {
    let isAway = true
    const { post } = await stand(t, { append: () => (isAway ? Promise.reject(error) : Promise.resolve()) })
    const payload = JSON.stringify(Array(400).fill({ title: 'x' }))
    for (let nth = 0; nth < 3; nth++) t.equal((await post(PATH, payload)).status, 503, name)
    isAway = false
    t.equal((await post(PATH, payload)).status, status, name)
  }
})

t.test('a request is answered only after the log acknowledges it', async (t) => {
  let acknowledge = (): void => undefined
  let appended = 0
  const { post, reception } = await stand(t, {
    append: () => {
      appended += 1
      return new Promise((resolve) => {
        acknowledge = resolve
      })
    }
  })
  let answered = false
  const answer = post(PATH, alert).then((reply) => {
    answered = true
    return reply
  })
  await until('the append', () => appended === 1)
  await post('/nowhere', alert) // A whole round trip later the request still waits.
  t.equal(answered, false)
  t.equal(reception.inFlight(), 1)
  acknowledge()
  t.equal((await answer).status, 200)
  t.equal(reception.inFlight(), 0)
})

t.test('an internal error gets 500 without detail, and the door goes on', async (t) => {
  const { post, logged } = await stand(t, {
    check: () => {
      throw new Error('planted: secret value')
    }
  })
  const answer = await post(PATH, alert)
  t.equal(answer.status, 500)
  t.equal(answer.body.code, 'INTERNAL')
  t.notMatch(JSON.stringify(answer.body), /planted/)
  t.match(logged.join(''), /planted/)
  t.equal((await post(PATH, alert)).status, 500)
})

t.test('a token that intake must look up', async (t) => {
  const known = integration()
  t.test('a body waits until its token is looked up', async (t) => {
    const { post, alerts } = await stand(t, { check: async (token) => (token === TOKEN ? known : null) })
    t.equal((await post(PATH, alert)).status, 200)
    t.equal((await post(PATH, `{"title":"x","description":"${'y'.repeat(MEGABYTE)}"}`)).status, 200)
    t.equal((await post(`${PATH}x`, alert)).status, 404)
    t.equal((await post(ROUTER, group, authorized)).status, 200)
    t.equal(alerts().length, 4)
  })
  t.test('a body that is too large gets 413 with a valid token and 404 without', async (t) => {
    const { post } = await stand(t, { check: async (token) => (token === TOKEN ? known : null) })
    t.equal((await post(PATH, 'x'.repeat(3 * MEGABYTE))).status, 413)
    t.equal((await post(`${PATH}x`, 'x'.repeat(3 * MEGABYTE))).status, 404)
  })
  t.test('a token that cannot be checked gets 503', async (t) => {
    const { post } = await stand(t, { check: () => Promise.reject(new Unavailable('down')) })
    const answer = await post(PATH, alert)
    t.equal(answer.status, 503)
    t.match(answer.headers.get('retry-after'), /^\d+$/)
  })
  t.end()
})

t.test('copies of raw payloads', async (t) => {
  t.test('an accepted payload is kept during capture, without its secrets', async (t) => {
    const { post, raw } = await stand(t, { integration: { capture: true } })
    await post(PATH, '{"title":"x","api_token":"hunter2"}')
    await post(PATH, '{"title":"x","status":"acknowledged"}')
    t.match(raw(), [
      { outcome: 'accepted', alerts: 1, source: 'generic', reason: null },
      { outcome: 'ignored', alerts: 1 }
    ])
    t.equal(raw()[0]?.payload.toString(), '{"title":"x"}')
  })
  t.test('a raw copy contains neither our credentials nor visitor data of an error tracker', async (t) => {
    const { post, raw, records } = await stand(t, { integration: { capture: true, source_type: 'sentry' } })
    const request = {
      url: 'https://shop.test/?canary',
      headers: [['X-Visitor', 'canary']],
      cookies: 'canary',
      env: { REMOTE_ADDR: 'canary' }
    }
    const event = {
      issue_id: '1',
      title: 'x',
      request,
      user: { ip_address: 'canary' },
      extra: { [`/ping/${integration().tenant_id}`]: `https://a.test${PATH}` }
    }
    const sent = JSON.stringify({ action: 'triggered', data: { event } })
    t.equal((await post(PATH, sent)).status, 200)
    t.equal((await post(PATH, `${sent.slice(0, -1)},`)).status, 400)
    t.equal((await post(PATH, sent.replace('issue_id', 'issue'))).status, 422)
    t.same(
      raw().map(({ outcome }) => outcome),
      ['accepted', 'rejected', 'rejected']
    )
    for (const { payload } of raw()) t.notMatch(payload.toString(), /canary/i)
    for (const { topic, value } of records.filter(({ topic }) => topic === 'alerts.raw.v1'))
      t.notMatch(value?.toString('latin1'), new RegExp(`${TOKEN}|ping/${integration().tenant_id}`), topic)
  })
  t.test('an accepted payload is not kept without capture', async (t) => {
    const { post, raw } = await stand(t)
    await post(PATH, alert)
    t.same(raw(), [])
  })
  t.test('losing a raw copy does not change the answer', async (t) => {
    const failing = async (records: readonly OutRecord[]): Promise<void> => {
      if (records.some(({ topic }) => topic === 'alerts.raw.v1')) throw new QueueFull('full')
    }
    const { post, metrics } = await stand(t, { integration: { capture: true }, append: failing })
    t.equal((await post(PATH, alert)).status, 200)
    t.equal((await post(PATH, '{')).status, 400)
    t.match(await metrics(), /service_intake_raw_lost_total 2/)
  })
  t.end()
})

t.test('health answers GET with status, version and time, and refuses HEAD', async (t) => {
  const { port } = await stand(t)
  const answer = await fetch(`http://127.0.0.1:${port}/health`, { headers: { 'x-request-id': 'mine' } })
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('x-request-id'), 'mine')
  t.match(await answer.json(), { status: 'ok', version: /^\d+\.\d+\.\d+/, time: /^\d{4}-.*Z$/ })
  const head = await fetch(`http://127.0.0.1:${port}/health`, { method: 'HEAD' })
  t.equal(head.status, 405)
  t.equal(await head.text(), '')
})

t.test('requests, alerts, refusals and warnings are counted in metrics', async (t) => {
  const { post, metrics, logged } = await stand(t)
  await post(PATH, alert)
  await post(PATH, '{')
  await post(ROUTER, JSON.stringify({ truncatedAlerts: 2, alerts: [] }), authorized)
  await post('/nowhere', alert)
  const text = await metrics()
  for (const line of [
    'service_intake_requests_total{door="incoming",code="200"} 1',
    'service_intake_requests_total{door="incoming",code="400"} 1',
    'service_intake_requests_total{door="alert_router",code="200"} 1',
    'service_intake_requests_total{door="none",code="404"} 1',
    'service_intake_alerts_total{door="incoming"} 1',
    'service_intake_refused_total{reason="MALFORMED_JSON"} 1',
    'service_intake_warnings_total{what="truncated_alerts"} 1',
    'service_intake_append_seconds_count 1',
    'service_intake_in_flight 0',
    'service_intake_budget_windows 1'
  ]) {
    t.ok(text.includes(line), line)
  }
  t.match(logged.join(''), /truncated_alerts/)
  t.notMatch(logged.join(''), TOKEN, 'no token in the log')
})
