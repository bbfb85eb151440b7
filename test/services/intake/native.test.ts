/**
 * Tests of the native receiver over real HTTP: addresses, the records that each operation puts on
 * the log, the vendor's answers, and its reads on the real tables.
 */
import { hash } from 'node:crypto'
import t, { type Test } from 'tap'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { operationOf } from '../../../services/intake/doors/native.ts'
import { mintRequestId, readRequestId } from '../../../services/intake/doors/native-requests.ts'
import { signalKey } from '../../../services/intake/normalise.ts'
import { OutcomeUnknown } from '../../../streams/runtime/stream.ts'
import { alertInput, integration_id, other_tenant_id, tenant_id, user_id } from '../../streams/incident/build.ts'
import { stack } from '../../streams/incident/stack.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { integration } from './credential.ts'
import { type Reply, type Stand, type StandOptions, stand, TOKEN } from './stand.ts'

const BASE = '/api/v1/alertmanager/v2/alerts'
const key = { authorization: `GenieKey ${TOKEN}` }
const UUID = '0198e000-0000-7000-8000-00000000000a'
const accepted = {
  result: 'Request will be processed',
  took: Number,
  requestId: /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/
}

const caller =
  ({ post }: Stand) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = key): Promise<Reply> =>
    post(path, body === undefined ? undefined : JSON.stringify(body), headers, method)
const made = async (t: Test, options: StandOptions = {}) => {
  const door = await stand(t, options)
  return { ...door, call: caller(door) }
}

t.test('addresses of the native receiver and their operations', async (t) => {
  const alias = (identifier: string, action: string) => ({ write: { action, alert: { by: 'alias', identifier } } })
  const refused = (status: number, allow?: string) => ({ refused: { status, ...(allow && { headers: [['Allow', allow]] }) } })
  // biome-ignore format: a table
  const cases: [string, string, string, object][] = [
    ['post', 'v2/alerts', '', { write: { action: 'create' } }], ['post', 'v2/alerts/', '', { write: { action: 'create' } }],
    ['post', 'api/v2/alerts', '', { write: { action: 'create' } }], ['post', 'api/v2/alerts/', '', { write: { action: 'create' } }],
    ['get', 'api/v2/alerts', '', refused(405, 'POST')], ['post', 'api/v2/alerts/a/close', 'alias', refused(404)], ['post', 'api/v1/alerts', '', refused(404)],
    ['get', 'v2/alerts', '', { read: { action: 'list' } }], ['put', 'v2/alerts', '', refused(405, 'GET, POST')],
    ['post', 'v2/alerts/a/close', 'alias', alias('a', 'close')], ['post', 'v2/alerts/a/close/', 'ALIAS', alias('a', 'close')],
    ['post', 'v2/alerts/a%2Fb%20%C3%BC/close', 'alias', alias('a/b ü', 'close')], ['post', 'v2/alerts/requests/close', 'alias', alias('requests', 'close')],
    ['post', 'v2/alerts/a/acknowledge', 'alias', alias('a', 'acknowledge')], ['post', 'v2/alerts/a/unacknowledge', 'alias', alias('a', 'unacknowledge')],
    ['post', 'v2/alerts/a/notes', 'alias', alias('a', 'notes')], ['post', 'v2/alerts/a/snooze', 'alias', alias('a', 'snooze')],
    ['put', 'v2/alerts/a/message', 'alias', alias('a', 'message')], ['put', 'v2/alerts/a/description', 'alias', alias('a', 'description')],
    ['post', 'v2/alerts/a/close', '', { write: { alert: { by: 'id' } } }], ['post', 'v2/alerts/7/close', 'tiny', { write: { alert: { by: 'tiny' } } }],
    ['get', 'v2/alerts/a', 'alias', { read: { action: 'get', alert: { by: 'alias', identifier: 'a' } } }],
    ['get', `v2/alerts/requests/${UUID}`, '', { read: { action: 'request', request_id: UUID } }],
    ['get', 'v2/heartbeats/nightly%20copy/ping', '', { read: { action: 'ping', name: 'nightly copy' } }], ['post', 'v2/heartbeats/n/ping', '', { read: { action: 'ping' } }],
    ['put', 'v2/heartbeats/n/ping', '', { read: { action: 'ping', name: 'n' } }], ['patch', 'v2/heartbeats/n/ping', '', { read: { action: 'ping', name: 'n' } }],
    ['delete', 'v2/heartbeats/n/ping', '', refused(405, 'GET, POST, PUT, PATCH')], ['get', 'v2/heartbeats/n', '', refused(404)], ['get', 'v2/heartbeats//ping', '', refused(404)],
    ['get', 'v2/alerts/a/close', 'alias', refused(405, 'POST')], ['post', 'v2/alerts/a/message', 'alias', refused(405, 'PUT')], ['delete', 'v2/alerts/a', '', refused(405, 'GET')],
    ['post', 'v2/alerts/a/tags', 'alias', refused(404)], ['post', 'v2/alerts/a/b/close', 'alias', refused(404)], ['post', 'v1/alerts', '', refused(404)], ['post', 'v2', '', refused(404)],
    ['post', 'v2/alerts/%ff/close', 'alias', refused(422)], ['post', 'v2/alerts/%20/close', 'alias', refused(422)], ['post', 'v2/alerts//close', 'alias', refused(422)],
    ['post', 'v2/alerts/a/close', 'name', refused(422)], ['post', `v2/alerts/${'x'.repeat(513)}/close`, 'alias', refused(422)]
  ]
  for (const [method, path, type, expected] of cases) t.match(operationOf(method, path, type), expected, `${method} ${path} ${type}`)
})

t.test('a create request opens an alert', async (t) => {
  const { call, alerts, records } = await made(t)
  const body = {
    alias: 'am-17',
    message: '[FIRING:2] DiskFull (eu-1 critical)',
    description: 'Two disks',
    details: { alertname: 'DiskFull', severity: 'critical', runbook_url: 'https://run.example.test/', url: 'javascript:alert(1)', n: 3 },
    source: 'https://am.example.test/#/alerts?receiver=service',
    tags: ['db', 'eu'],
    responders: [{ type: 'team', name: 'ops' }, { type: 'user', username: 'ann@example.test' }, {}],
    entity: 'db-7',
    priority: 'P2'
  }
  const { status, headers, body: answer } = await call('POST', BASE, body)
  t.equal(status, 202)
  t.match(answer, accepted)
  t.equal(headers.get('x-ratelimit-remaining'), '999')
  t.equal(records.length, 1)
  t.match(alerts(), [
    {
      source: 'opsgenie',
      source_dedup_key: 'am-17',
      dedup_key: signalKey(integration(), 'opsgenie', 'am-17'),
      action: 'fire',
      title: 'DiskFull (eu-1 critical)',
      description: 'Two disks',
      severity: 'critical',
      source_severity: 'P2',
      labels: { alias: 'am-17', alertname: 'DiskFull', entity: 'db-7', tags: 'db,eu', responders: 'ops,ann@example.test', n: '3' },
      links: [
        { title: 'Source', url: 'https://am.example.test/#/alerts?receiver=service' },
        { title: 'runbook', url: 'https://run.example.test/' }
      ],
      sequence: null
    }
  ])
})

t.test('alerts are accepted at every address and with every spelling of the scheme', async (t) => {
  const { call, alerts } = await made(t)
  for (const segment of ['alertmanager', 'prometheus', 'opsgenie']) {
    for (const end of ['', '/']) t.equal((await call('POST', `/api/v1/${segment}/v2/alerts${end}`, { message: 'x' })).status, 202)
  }
  for (const scheme of ['geniekey', 'GENIEKEY'])
    t.equal((await call('POST', BASE, { message: 'x' }, { authorization: `${scheme} ${TOKEN}` })).status, 202)
  t.equal(alerts().length, 8)
})

t.test('the token is taken as the password of Basic', async (t) => {
  const basic = (pair: string): Record<string, string> => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` })
  const { call, alerts } = await made(t)
  for (const pair of [`:${TOKEN}`, `anybody:${TOKEN}`, TOKEN]) {
    t.equal((await call('POST', BASE, { message: 'x' }, basic(pair))).status, 202, 'an alert')
    t.equal((await call('POST', '/api/v1/prometheus/api/v2/alerts', [{ labels: { a: 'b' } }], basic(pair))).status, 200, 'an array')
    t.equal((await call('GET', `${BASE}/requests/${UUID}`, undefined, basic(pair))).status, 404, 'a read')
  }
  t.equal(alerts().length, 6)
  for (const pair of ['', ':', 'svc_x', `${TOKEN}:`, `${TOKEN}:x`, `:${TOKEN}x`])
    t.equal((await call('POST', BASE, { message: 'x' }, basic(pair))).status, 401, pair.replace(TOKEN, 'TOKEN'))
})

t.test('severities of alerts', async (t) => {
  // biome-ignore format: a table
  const cases: [object, string, string | null][] = [
    [{ priority: 'P1' }, 'critical', 'P1'], [{ priority: 'P2' }, 'critical', 'P2'], [{ priority: 'P3' }, 'warning', 'P3'], [{ priority: 'p4' }, 'info', 'P4'],
    [{ priority: 'P5', details: { severity: 'critical' } }, 'info', 'P5'], [{ details: { severity: 'critical' } }, 'critical', 'critical'],
    [{ priority: 'P9', details: { severity: 'info' } }, 'info', 'info'], [{ details: { severity: 'odd' } }, 'warning', 'odd'], [{}, 'warning', null]
  ]
  const { call, alerts } = await made(t)
  for (const [body] of cases) await call('POST', BASE, { message: 'x', ...body })
  t.same(
    alerts().map(({ severity, source_severity }) => [severity, source_severity]),
    cases.map(([, ...expected]) => expected)
  )
})

t.test('titles and keys of alerts', async (t) => {
  const digest = (text: string): string => hash('sha256', text, 'hex')
  // biome-ignore format: a table
  const cases: [object, string, string][] = [
    [{ message: '[FIRING:12] x y', alias: 'a' }, 'x y', 'a'], [{ message: '[FIRING:1]', alias: 'a' }, 'a', 'a'], [{ message: '', alias: 'a' }, 'a', 'a'],
    [{ alias: 'a', details: { alertname: 'Down' } }, 'Down', 'a'], [{ message: 'm', alias: 17 }, 'm', '17'], [{}, 'Alert without a message', digest('||')],
    [{ message: 'm', entity: 'e', source: 's' }, 'm', digest('e|s|m')], [{ message: 'm', source: 's' }, 'm', digest('|s|m')]
  ]
  const { call, alerts } = await made(t)
  for (const [body] of cases) t.equal((await call('POST', BASE, body)).status, 202)
  t.same(
    alerts().map(({ title, source_dedup_key }) => [title, source_dedup_key]),
    cases.map(([, ...expected]) => expected)
  )
})

t.test('further operations on an alert become resolves, notes or updates', async (t) => {
  const { call, alerts } = await made(t)
  const end = '2026-11-22T12:00:00Z'
  // biome-ignore format: a table
  const cases: [string, string, unknown, Partial<InboundAlert>[]][] = [
    ['POST', 'close', { source: 'https://am.example.test' }, [{ action: 'resolve' }]], ['POST', 'close', undefined, [{ action: 'resolve' }]],
    ['POST', 'close', { user: 'Ann', note: 'restarted' }, [{ action: 'note', description: 'Ann: restarted' }, { action: 'resolve' }]],
    ['POST', 'acknowledge', { user: 'Ann', source: 'Zabbix', note: 'on it' }, [{ action: 'note', description: 'Ann acknowledged the alert in Zabbix: on it' }]],
    ['POST', 'acknowledge', {}, [{ action: 'note', description: 'The sender acknowledged the alert' }]],
    ['POST', 'unacknowledge', { user: 'Ann' }, [{ action: 'note', description: 'Ann took the acknowledgement of the alert back' }]],
    ['POST', 'notes', { user: 'Ann', note: 'seen' }, [{ action: 'note', description: 'Ann: seen' }]], ['POST', 'notes', { note: 'seen' }, [{ action: 'note', description: 'seen' }]],
    ['POST', 'snooze', { user: 'Ann', endTime: end }, [{ action: 'note', description: 'Ann snoozed the alert until 2026-11-22T12:00:00.000Z' }]],
    ['PUT', 'message', { message: '[FIRING:3] Disk 99 %' }, [{ action: 'update', title: 'Disk 99 %', description: null }]],
    ['PUT', 'description', { description: 'Three' }, [{ action: 'update', title: '', description: 'Three' }]],
    ['PUT', 'message', {}, []], ['PUT', 'description', { description: '' }, []]
  ]
  for (const [method, action, body, expected] of cases) {
    const before = alerts().length
    const answer = await call(method, `${BASE}/db%2F7%20%C3%BC/${action}?identifierType=alias`, body)
    t.equal(answer.status, 202, action)
    t.match(answer.body, accepted)
    const told = alerts().slice(before)
    t.equal(told.length, expected.length)
    for (const [at, alert] of told.entries())
      t.match(alert, { ...expected[at], source_dedup_key: 'db/7 ü' }, `${action} ${JSON.stringify(body)}`)
    t.ok(told.every(({ dedup_key }) => dedup_key === signalKey(integration(), 'opsgenie', 'db/7 ü')))
  }
  const empty = await call('POST', `${BASE}/a/notes?identifierType=alias`, {})
  t.equal(empty.status, 422)
  t.match(empty.body, { code: 'UNPARSEABLE_PAYLOAD', message: /note/, took: Number, requestId: String })
})

t.test('an array of alerts is parsed as sent by Prometheus', async (t) => {
  const { call, alerts, post } = await made(t)
  const ahead = new Date(Date.now() + 240_000).toISOString()
  const array = [
    {
      labels: { alertname: 'A', severity: 'page' },
      annotations: { summary: 'A is down' },
      startsAt: '2026-11-20T12:00:00Z',
      endsAt: ahead,
      generatorURL: 'https://prom.example.test/g'
    },
    { labels: { alertname: 'B' }, annotations: {}, startsAt: '2026-11-20T11:00:00Z', endsAt: new Date(Date.now() - 1000).toISOString() },
    { labels: { alertname: 'C' }, startsAt: '2026-11-20T11:00:00Z', endsAt: '0001-01-01T00:00:00Z' }
  ]
  for (const authorization of [`Bearer ${TOKEN}`, `GenieKey ${TOKEN}`]) {
    const { status, body, headers } = await call('POST', '/api/v1/prometheus/v2/alerts', array, { authorization })
    t.equal(status, 200)
    t.same(body, {}, 'without a body')
    t.match(headers.get('x-ratelimit-remaining'), /^99[74]$/, 'each counts')
  }
  t.match(alerts().slice(0, 3), [
    { source: 'alertmanager', action: 'fire', title: 'A is down', severity: 'critical', links: [{ title: 'Source' }] },
    { action: 'resolve', title: 'B' },
    { action: 'fire', title: 'C' }
  ])
  t.equal(new Set(alerts().map(({ dedup_key }) => dedup_key)).size, 3)
  const refused = await post(BASE, '{"message":"x"}', { authorization: `Bearer ${TOKEN}` })
  t.equal(refused.status, 401, 'an alert of the vendor’s wants the vendor’s scheme')
  t.equal((await call('POST', `${BASE}/a/close?identifierType=alias`, array)).status, 422)
  t.equal((await call('POST', BASE, [{ startsAt: 'x' }])).status, 422)
})

t.test('a refusal has the fields of the vendor beside ours', async (t) => {
  // biome-ignore format: a table
  const cases: [string, string, string, unknown, Record<string, string>, number, string][] = [
    ['no key', 'POST', BASE, { message: 'x' }, {}, 401, 'INVALID_INTEGRATION_TOKEN'],
    ['another key', 'POST', BASE, { message: 'x' }, { authorization: 'GenieKey svc_x' }, 401, 'INVALID_INTEGRATION_TOKEN'],
    ['another scheme', 'POST', BASE, { message: 'x' }, { authorization: `Basic ${TOKEN}` }, 401, 'INVALID_INTEGRATION_TOKEN'],
    ['no key at a read', 'GET', BASE, undefined, {}, 401, 'INVALID_INTEGRATION_TOKEN'],
    ['Bearer at a read', 'GET', `${BASE}/a`, undefined, { authorization: `Bearer ${TOKEN}` }, 401, 'INVALID_INTEGRATION_TOKEN'],
    ['a wrong type', 'POST', BASE, { message: {} }, key, 422, 'UNPARSEABLE_PAYLOAD'],
    ['too long an alias', 'POST', BASE, { message: 'x', alias: 'x'.repeat(513) }, key, 422, 'UNPARSEABLE_PAYLOAD'],
    ['no such action', 'POST', `${BASE}/a/tags`, {}, key, 404, 'NOT_FOUND'],
    ['another method', 'DELETE', `${BASE}/a`, undefined, key, 405, 'METHOD_NOT_ALLOWED'],
    ['no such type', 'POST', `${BASE}/a/close?identifierType=x`, {}, key, 422, 'VALIDATION_FAILED'],
    ['too many at once', 'GET', `${BASE}?limit=101`, undefined, key, 422, 'VALIDATION_FAILED'],
    ['a query that is not known', 'GET', `${BASE}?query=tag%3Adb`, undefined, key, 422, 'VALIDATION_FAILED'],
    ['a request that was never made', 'GET', `${BASE}/requests/${UUID}`, undefined, key, 404, 'NOT_FOUND']
  ]
  const { call, alerts, logged } = await made(t)
  for (const [name, method, path, body, headers, status, code] of cases) {
    const answer = await call(method, path, body, headers)
    t.equal(answer.status, status, name)
    t.match(answer.body, { code, error: String, took: Number }, name)
    t.equal(answer.body.message, answer.body.error)
    t.equal(answer.body.requestId, answer.headers.get('x-request-id'))
  }
  t.same(alerts(), [])
  t.notMatch(logged.join(''), TOKEN)

  const limited = await made(t, { floor: 1000 })
  await limited.call('POST', '/api/v1/prometheus/v2/alerts', Array(1000).fill({ labels: { a: 'b' } }))
  const over = await limited.call('POST', BASE, { message: 'x' })
  t.equal(over.status, 429)
  t.match(over.body, { message: /budget/, code: 'RATE_LIMITED', name: 'ingest_tenant', window_seconds: 60, limit: 1000, requestId: String })
  t.match(over.headers.get('retry-after'), /^\d+$/)
  t.equal((await limited.call('POST', `${BASE}/a/close?identifierType=alias`)).status, 429, 'a close counts, too')
  t.equal((await limited.call('GET', `${BASE}/requests/${UUID}`)).status, 404, 'polling does not')

  const silent = await made(t, { append: () => Promise.reject(new OutcomeUnknown('late')) })
  const lost = await silent.call('POST', BASE, { message: 'x' })
  t.equal(lost.status, 503)
  t.match(lost.headers.get('retry-after'), /^\d+$/)
  const off = await made(t, { integration: { enabled: false } })
  for (const answer of [await off.call('POST', BASE, { message: 'x' }), await off.call('GET', BASE)])
    t.match(answer.body, { code: 'INTEGRATION_DISABLED' })
  const away = await made(t, { integration: { allowed_cidrs: ['10.0.0.0/8'] } })
  for (const answer of [await away.call('POST', BASE, { message: 'x' }), await away.call('GET', BASE)])
    t.match(answer.body, { code: 'IP_NOT_ALLOWED' })
})

t.test('hostile text in a body or an address is cleaned or refused', async (t) => {
  const { call, post, alerts } = await made(t)
  const body = `{"message":"a\\u0000b\\ud800","alias":"x\\u0001y","details":{"__proto__":"p","constructor":"c","alias":"other","host":"h\\u0000"}}`
  t.equal((await post(BASE, body, key)).status, 202)
  const close = await call('POST', `${BASE}/x%01y/close?identifierType=alias`, { note: 'a\u0000b' })
  t.equal(close.status, 202)
  const [opened, note, closed] = alerts()
  t.match(opened, { title: 'ab\ufffd', source_dedup_key: 'xy', labels: { alias: 'xy', constructor: 'c', host: 'h' } })
  t.match(note, { action: 'note', description: 'ab' })
  t.match(closed, { action: 'resolve', source_dedup_key: 'xy', title: 'xy' })
  t.equal(closed?.dedup_key, opened?.dedup_key, 'the same alert all the same')
  t.equal(Reflect.get({}, 'p'), undefined)
  t.equal((await post(BASE, `{"details":${'['.repeat(33)}${']'.repeat(33)}}`, key)).status, 400)
  t.equal((await post(BASE, 'x'.repeat(2 * 1024 * 1024 + 1), key)).status, 413)
  t.equal((await post(BASE, `{"details":{${Array.from({ length: 1001 }, (_, n) => `"k${n}":1`)}}}`, key)).status, 422)
  t.equal(alerts().length, 3)
})

t.test('a note and a resolve in one request count as one alert', async (t) => {
  const { call } = await made(t)
  await call('POST', BASE, { message: 'x', note: 'with a note' })
  const { headers } = await call('POST', `${BASE}/a/close?identifierType=alias`, { note: 'with a note' })
  t.equal(headers.get('x-ratelimit-remaining'), '998')
})

t.test('a request id is valid for ten minutes and only for its integration', async (t) => {
  const own = integration()
  const now = Date.parse('2026-11-22T12:00:00.123Z')
  const id = mintRequestId(own, { action: 'close', received_at: now, signal_key: null, dedup_key: 'a' })
  const known = { action: 'close', received_at: now, key_prefix: signalKey(own, 'opsgenie', 'a').slice(0, 4 + 36 + 1 + 12) }
  t.same(readRequestId(own, id, now), known)
  t.same(readRequestId(own, id.toUpperCase(), now + 600_000), known, 'for ten minutes')
  t.equal(readRequestId(own, id, now + 600_001), null)
  t.equal(readRequestId(own, id, now - 60_000), null, 'one from the future')
  t.equal(readRequestId(integration({ integration_id: UUID }), id, now), null, 'of another integration')
  for (const bad of ['', 'x', UUID, `${id}0`, id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))])
    t.equal(readRequestId(own, bad, now), null, bad)
})

t.test('requests and alerts are read from the real tables', async (t) => {
  const s = await stack(t)
  const mine = { tenant_id, integration_id }
  const { call, alerts } = await made(t, { integration: mine, pool: s.tenantPool })
  let folded = 0
  /** Does with the records on the log what the processor does. */
  const fold = async (): Promise<void> => {
    const fresh = alerts().slice(folded)
    folded += fresh.length
    await s.take(...fresh.map((alert, at) => alertInput(alert, { offset: folded + at, timestamp: Date.now() })))
  }
  const requested = (id: unknown): Promise<Reply> => call('GET', `${BASE}/requests/${id}`)

  const create = await call('POST', BASE, {
    message: 'Disk full',
    alias: 'db/7',
    priority: 'P1',
    tags: ['db'],
    source: 'https://am.example.test/',
    details: { host: 'db-7' }
  })
  const waiting = requested(create.body.requestId)
  await fold()
  const answered = await waiting
  t.equal(answered.status, 200, 'it waits for the fold')
  const data = answered.body.data as Record<string, string>
  t.match(data, { success: true, isSuccess: true, action: 'Create', processedAt: /Z$/, integrationId: integration_id, alias: 'db/7' })
  const id = data.alertId ?? ''
  t.match(id, /^[0-9a-f-]{36}$/)
  t.match(answered.body, { took: Number, requestId: String })

  const alert = {
    id,
    tinyId: '1',
    alias: 'db/7',
    message: 'Disk full',
    status: 'open',
    acknowledged: false,
    tags: ['db'],
    count: 1,
    priority: 'P1',
    details: { host: 'db-7' },
    source: 'https://am.example.test/'
  }
  for (const path of [
    `${BASE}/db%2F7?identifierType=alias`,
    `${BASE}/${id}`,
    `${BASE}/${id}?identifierType=id`,
    `${BASE}/1?identifierType=tiny`,
    `${BASE}/db%2F7`
  ]) {
    const { status, body } = await call('GET', path)
    t.equal(status, 200, path)
    t.match(body.data, alert, path)
  }
  t.match((await call('GET', `${BASE}/nothing?identifierType=alias`)).body, { code: 'NOT_FOUND', message: /identifier/ })

  // The vendor's clients keep either the id or its short number.
  for (const [path, action] of [
    [`${BASE}/${id}/notes`, 'AddNote'],
    [`${BASE}/1/message?identifierType=tiny`, 'UpdateMessage'],
    [`${BASE}/${id}/close?identifierType=id`, 'Close']
  ] as const) {
    const { status, body } = await call(path.includes('message') ? 'PUT' : 'POST', path, { note: 'seen', message: 'Disk 99 % full' })
    t.equal(status, 202)
    await fold()
    t.match((await requested(body.requestId)).body.data, { action, alertId: id, isSuccess: true })
  }
  t.match((await call('GET', `${BASE}/${id}`)).body.data, { status: 'closed', message: 'Disk 99 % full' })
  t.same(
    (await s.rows<{ change: string; comment: string | null }>('SELECT change, comment FROM incident_events ORDER BY ver')).map(
      ({ change, comment }) => [change, comment]
    ),
    [
      ['created', null],
      ['comment', 'seen'],
      ['updated', null],
      ['comment', 'seen'],
      ['resolved', null]
    ]
  )

  const unknown = await call('POST', `${BASE}/never/close?identifierType=alias`)
  t.equal(unknown.status, 202, 'an end of what was never there is accepted')
  await fold()
  t.match((await requested(unknown.body.requestId)).body.data, { success: true, action: 'Close', alertId: '' })

  const late = await call('POST', BASE, { message: 'not folded yet', alias: 'late' })
  const notYet = await requested(late.body.requestId)
  t.equal(notYet.status, 404)
  t.match(notYet.body.message, /might not be processed, yet/)
  await fold()

  const list = async (query: string): Promise<string[]> =>
    ((await call('GET', `${BASE}?${query}`)).body.data as { message: string }[]).map(({ message }) => message)
  t.same(await list(''), ['not folded yet', 'Disk 99 % full'])
  t.same(await list('limit=1'), ['not folded yet'])
  t.same(await list('limit=1&offset=1'), ['Disk 99 % full'])
  t.same(await list('query=status%3Aopen'), ['not folded yet'])
  t.same(await list('query=status%3A%20closed'), ['Disk 99 % full'])

  t.test('another integration or workspace sees nothing of an alert', async (t) => {
    for (const other of [
      { tenant_id, integration_id: uuidv4() },
      { tenant_id: other_tenant_id, integration_id }
    ]) {
      const strange = await made(t, { integration: other, pool: s.tenantPool })
      for (const path of [id, `${id}?identifierType=id`, '1?identifierType=tiny', 'db%2F7?identifierType=alias'])
        t.equal((await strange.call('GET', `${BASE}/${path}`)).status, 404, path)
      t.same((await strange.call('GET', BASE)).body.data, [])
      t.equal((await strange.call('POST', `${BASE}/${id}/close`)).status, 202)
      t.match(strange.alerts(), [{ source_dedup_key: id, ...other }], 'an alias of its own, at most')
    }
  })
  t.end()
})

t.test('the key of an alert is its alias, whatever the template of the integration says', async (t) => {
  const s = await stack(t)
  const dedup_template = '{label.cluster}/{label.alertname}'
  const { call, alerts } = await made(t, { integration: { tenant_id, integration_id, dedup_template }, pool: s.tenantPool })
  let folded = 0
  const outcome = async ({ body }: Reply): Promise<Reply> => {
    const fresh = alerts().slice(folded)
    folded += fresh.length
    await s.take(...fresh.map((alert, at) => alertInput(alert, { offset: folded + at, timestamp: Date.now() })))
    return call('GET', `${BASE}/requests/${body.requestId}`)
  }
  const details = { cluster: 'eu', alertname: 'DiskFull' }
  t.match(await outcome(await call('POST', BASE, { message: 'Disk full', alias: 'am-17', details })), {
    status: 200,
    body: { data: { alias: 'am-17' } }
  })
  const alias = `${BASE}/am-17`
  t.match(await call('GET', `${alias}?identifierType=alias`), { status: 200, body: { data: { status: 'open' } } })
  for (const [method, action] of [
    ['POST', 'acknowledge'],
    ['PUT', 'message'],
    ['POST', 'close']
  ] as const)
    t.match(
      await outcome(await call(method, `${alias}/${action}?identifierType=alias`, { message: 'Disk 99 % full' })),
      { status: 200 },
      action
    )
  t.match((await call('GET', `${alias}?identifierType=alias`)).body.data, { status: 'closed', message: 'Disk 99 % full' })

  const sent = await made(t, { integration: { tenant_id, integration_id, dedup_template } })
  await sent.call('POST', BASE, [{ labels: details, startsAt: '2026-11-22T10:00:00Z' }])
  t.match(
    sent.alerts(),
    [{ dedup_key: signalKey({ integration_id }, 'alertmanager', 'eu/DiskFull') }],
    'the array of Prometheus has labels'
  )
})

t.test('a close also tries the key that the template gave before the upgrade', async (t) => {
  const { call, alerts } = await made(t, {
    integration: { integration_id, dedup_template: '{label.site}/{dedup_key}', labels_add: new Map([['site', 'berlin']]) },
    formerKeys: ['native_receiver']
  })
  await call('POST', BASE, { message: 'Disk full', alias: 'am-17' })
  await call('POST', `${BASE}/am-17/close?identifierType=alias`)
  t.same(
    alerts().map(({ action, dedup_key, by_former_key }) => [action, dedup_key, by_former_key]),
    [
      ['fire', signalKey({ integration_id }, 'opsgenie', 'am-17'), false],
      ['resolve', signalKey({ integration_id }, 'opsgenie', 'am-17'), false],
      ['resolve', signalKey({ integration_id }, 'opsgenie', 'berlin/am-17'), true]
    ]
  )
})

t.test('an alert that a rule groups or keeps is read and closed by its id', async (t) => {
  const s = await stack(t)
  const { call, alerts } = await made(t, { integration: { tenant_id, integration_id }, pool: s.tenantPool })
  const group = { by: ['label.team'], window_seconds: 300, max_alerts: 10 }
  await s.putRules([
    ruleOf(uuidv4(), { match: { all: [{ field: 'label.team', op: 'eq', value: 'log' }] }, actions: { promote: 'never' } }),
    ruleOf(uuidv4(), { actions: { group } })
  ])
  let folded = 0
  /** Asks what became of a request after the fold has processed it. */
  const outcome = async ({ body }: Reply): Promise<Record<string, string>> => {
    const fresh = alerts().slice(folded)
    folded += fresh.length
    await s.take(...fresh.map((alert, at) => alertInput(alert, { offset: folded + at, timestamp: Date.now() })))
    return (await call('GET', `${BASE}/requests/${body.requestId}`)).body.data as Record<string, string>
  }
  const opened = async (alias: string, team: string): Promise<string> => {
    const data = await outcome(await call('POST', BASE, { message: `${alias} fails`, alias, details: { team } }))
    t.match(data, { action: 'Create', alias, alertId: /^[0-9a-f-]{36}$/ })
    return data.alertId ?? ''
  }
  const ids = [await opened('one', 'shop'), await opened('two', 'shop'), await opened('kept', 'log')]
  t.equal(new Set(ids).size, 3)
  const [one = '', two = '', kept = ''] = ids
  t.same(
    await s.rows('SELECT status, ongoing_alerts FROM incidents'),
    [{ status: 'ongoing', ongoing_alerts: 2 }],
    'two share an incident, one has none'
  )
  for (const [id, alias] of [
    [one, 'one'],
    [two, 'two'],
    [kept, 'kept']
  ] as const)
    for (const path of [`${BASE}/${id}`, `${BASE}/${id}?identifierType=id`, `${BASE}/${alias}?identifierType=alias`])
      t.match((await call('GET', path)).body.data, { id, alias, tinyId: '', message: `${alias} fails`, status: 'open', count: 1 }, path)
  t.same(((await call('GET', BASE)).body.data as { id: string }[]).map(({ id }) => id).sort(), [...ids].sort())

  const [incident] = await s.rows<{ incident_id: string; number: number }>('SELECT incident_id, number FROM incidents')
  for (const path of [`${BASE}/${incident?.incident_id}`, `${BASE}/${incident?.number}?identifierType=tiny`])
    t.equal((await call('GET', path)).status, 404, 'the incident of a group is no alert')
  await s.obey(`INC-${incident?.number}`, { command: 'acknowledge', by: `user:${user_id}`, comment: null })
  t.match((await call('GET', `${BASE}/${two}`)).body.data, { acknowledged: true })

  for (const id of [one, kept]) t.match(await outcome(await call('POST', `${BASE}/${id}/close`)), { action: 'Close', alertId: id })
  const status = async (id: string): Promise<unknown> => ((await call('GET', `${BASE}/${id}`)).body.data as { status: string }).status
  t.same([await status(one), await status(two), await status(kept)], ['closed', 'open', 'closed'])
  t.same(await s.rows('SELECT status, ongoing_alerts FROM incidents'), [{ status: 'ongoing', ongoing_alerts: 1 }])
  t.same(
    ((await call('GET', `${BASE}?query=status%3Aopen`)).body.data as { id: string }[]).map(({ id }) => id),
    [two]
  )
})

t.test('requests that need the tables get 503 while these cannot be read', async (t) => {
  const { call, alerts } = await made(t)
  for (const [method, path] of [
    ['GET', BASE],
    ['GET', `${BASE}/a?identifierType=alias`],
    ['POST', `${BASE}/${UUID}/close`]
  ] as const) {
    const answer = await call(method, path)
    t.equal(answer.status, 503, path)
    t.match(answer.headers.get('retry-after'), /^\d+$/)
  }
  t.equal((await call('POST', `${BASE}/a/close?identifierType=alias`)).status, 202, 'an alias needs no table')
  t.equal((await call('POST', `${BASE}/a/close`)).status, 202, 'nor does what can be no id')
  t.equal(alerts().length, 2)
})

t.test('reads have their own rate limit', async (t) => {
  const { call } = await made(t)
  const answers = await Promise.all(Array.from({ length: 150 }, () => call('GET', `${BASE}/requests/${UUID}`)))
  t.equal(answers.at(0)?.status, 404)
  t.equal(answers.at(0)?.headers.get('x-ratelimit-name'), 'api_read')
  const last = answers.find(({ status }) => status === 429)
  t.match(last?.body, { code: 'RATE_LIMITED', message: /api_read/, requestId: String })
  t.match(last?.headers.get('retry-after'), /^\d+$/)
})
