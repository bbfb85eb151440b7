/**
 * Tests of captured answers of failed checks on their whole way: a failing server, the prober, the
 * record that intake writes, the real ClickHouse and the api. They check who sees the captures, for
 * how long, and that no secret is in them.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import type { RecordName, Records } from '../../../schemas/generated/events.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { columnsOf } from '../../../services/analytics/columns.ts'
import { formBatch } from '../../../services/analytics/forming.ts'
import { serveQueries } from '../../../services/analytics/server.ts'
import { toCheckCapture } from '../../../services/intake/results/capture.ts'
import { capturedOf, captureOf } from '../../../services/prober/captured.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { record } from '../../harness/records.ts'
import { ownEngine, ownFolder, read } from '../analytics/stand.ts'
import { assignment, attempt, http } from '../prober/stand.ts'
import { stand } from './stand.ts'
import { monitor } from './watched.ts'

const HOUR = 3_600_000
/** Each of these texts is unique, so it is found wherever it appears. */
const secrets = ['cookie-of-a-visitor', 'password-in-a-page', 'token-of-the-monitor', 'header-by-its-name']

t.test('captured answers of failed checks', async (t) => {
  const engine = await ownEngine(t)
  const log = pino({ level: 'silent' })
  const url = `unix:${join(ownFolder(t), 'analytics.sock')}`
  const server = await serveQueries({ url, secret: '', engine, completeUntil: () => 1, log, metrics: createMetrics() })
  t.teardown(() => server.close())
  const s = await stand(t, { analyticsUrl: server.url, patience: { patienceMs: 30_000 } })
  const monitor_id = await monitor(s, s.acme, 'shop')
  const other = await monitor(s, s.acme, 'blog')
  const { tenant_id } = s.acme
  const now = Date.now()

  const site = await http(t, (request, response) => {
    response.writeHead(503, 'Closed', {
      'set-cookie': 'sid=cookie-of-a-visitor',
      'x-api-key': 'header-by-its-name',
      'x-served-by': 'web-3'
    })
    response.end(`{"state":"closed","password":"password-in-a-page","seen":"${request.headers.authorization}"}`)
  })
  const config = { capture_on_failure: true, auth: { type: 'bearer', token: 'token-of-the-monitor' } } as const
  const watched = assignment(`${site}/`, { monitor_id, tenant_ref: tenant_id, config })
  const { answer, reason } = await attempt(watched)
  const captured = answer && capturedOf(answer)
  if (!captured) throw new Error('the check has failed, and its answer is there')
  const check_id = randomUUID()
  const sent = captureOf(captured, watched, { checkId: check_id, reason, at: now })
  const fact = toCheckCapture(sent, { tenant_id, monitor_id }, { region: 'eu-west', instance_id: 'eu-1', received_at: now })

  const codec = localCodec()
  let offset = 0n
  const facts: InRecord[] = []
  function put<N extends RecordName>(topic: TopicName, name: N, fields: Records[N]): void {
    facts.push({ topic, partition: 0, offset: offset++, timestamp: now, key: 'k', value: codec.encode(name, fields), headers: {} })
  }
  put('checks.captures.v1', 'CheckCapture', fact)
  put('checks.captures.v1', 'CheckCapture', fact) // The prober did not hear that it was taken.
  const old = randomUUID()
  put('checks.captures.v1', 'CheckCapture', { ...fact, event_id: old, received_at: now - 72 * HOUR - 1000 })
  const bytes = randomUUID()
  put('checks.captures.v1', 'CheckCapture', { ...fact, event_id: bytes, body_kind: 'binary', body: null, reason: null, status_text: null })
  const failed = { tenant_id, monitor_id, outcome: 'failure', ok: false, reason: 'http_status', retention_days: 30 } as const
  for (const [nth, event_id] of [check_id, old, randomUUID()].entries()) {
    const at = now - nth * HOUR
    const when = { seq: at, scheduled_at: at, checked_at: at, finished_at: at, received_at: at }
    put('checks.results.v1', 'CheckResult', record('CheckResult', { ...failed, ...when, event_id }))
  }
  const batch = formBatch(codec, (topic, reason) => t.fail(`${topic}: ${reason}`))
  batch.take(facts)
  for (const { table, body } of batch.inserts()) await engine.insert(table, columnsOf(table), body, table)
  const path = (id: string, check: string): string => `/api/v1/monitors/${id}/checks/${check}/capture`

  await t.test('only admins read a captured answer', async (t) => {
    const given = await s.call(s.acme, 'GET', path(monitor_id, check_id.toUpperCase()))
    t.equal(given.statusCode, 200, given.body)
    t.equal(given.headers['cache-control'], 'no-store')
    t.equal(given.headers['x-ratelimit-name'], 'analytics')
    const body = given.json()
    t.match(body, {
      check_id,
      monitor_id,
      region: 'eu-west',
      prober_instance: 'eu-1',
      config_version: 1,
      captured_at: new Date(now).toISOString(),
      kept_until: new Date(now + 72 * HOUR).toISOString(),
      reason: 'http_status',
      http_version: '1.1',
      status: 503,
      status_text: 'Closed',
      headers_left_out: 0,
      body_kind: 'text',
      body_cut: false
    })
    t.match(body.body, /"state":"closed"/)
    t.ok(body.headers.some(({ name, value }: { name: string; value: string }) => name === 'x-served-by' && value === 'web-3'))
    t.match((await s.call(s.acme, 'GET', path(monitor_id, bytes))).json(), {
      body_kind: 'binary',
      body: null,
      reason: null,
      status_text: null
    })
    const reader = (await s.call(s.acme, 'POST', '/api/v1/workspace/tokens', { name: 'reader', scopes: ['read', 'write'] })).json().token
    t.equal((await s.call(reader, 'GET', path(monitor_id, check_id))).statusCode, 403)
  })

  await t.test('the list of checks marks those with a captured answer', async (t) => {
    const { items } = (await s.call(s.acme, 'GET', `/api/v1/monitors/${monitor_id}/checks`)).json()
    t.same(
      items.map(({ check_id, captured }: { check_id: string; captured: boolean }) => [check_id === fact.event_id, captured]),
      [
        [true, true],
        [false, false],
        [false, false]
      ],
      'and not of one that is gone, or never was'
    )
  })

  await t.test('a capture older than three days or of another monitor or workspace gets 404', async (t) => {
    for (const gone of [path(monitor_id, old), path(monitor_id, randomUUID()), path(other, check_id), path(randomUUID(), check_id)]) {
      const { statusCode, body } = await s.call(s.acme, 'GET', gone)
      t.equal(statusCode, 404, body)
    }
    t.equal((await s.call(s.globex, 'GET', path(monitor_id, check_id))).statusCode, 404)
    const theirs = await monitor(s, s.globex, 'theirs')
    t.equal((await s.call(s.globex, 'GET', path(theirs, check_id))).statusCode, 404)
  })

  await t.test('no secret is in the topic, the table or the answer', async (t) => {
    const topic = facts.map(({ value }) => value?.toString('latin1') ?? '').join('\n')
    const table = JSON.stringify(await read(engine, 'SELECT * FROM check_captures'))
    const answer = (await s.call(s.acme, 'GET', path(monitor_id, check_id))).body
    for (const [where, text] of [
      ['the topic', topic],
      ['the table', table],
      ['the answer', answer]
    ] as const) {
      t.match(text, 'web-3', `${where} was read`)
      t.same(
        secrets.filter((secret) => text.includes(secret)),
        [],
        where
      )
    }
  })
})
