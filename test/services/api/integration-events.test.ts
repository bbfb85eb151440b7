/**
 * Tests of an integration's deliveries, from the log's records through the real ClickHouse to the
 * api's answers; and of the dry run over the routes.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import type { RecordName, Records } from '../../../schemas/generated/events.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { columnsOf } from '../../../services/analytics/columns.ts'
import { formBatch } from '../../../services/analytics/forming.ts'
import { serveQueries } from '../../../services/analytics/server.ts'
import { mintApiToken } from '../../../services/credentials/credentials.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { noteIntake } from '../../../services/store/intake-facts.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { record } from '../../harness/records.ts'
import { ownEngine, ownFolder } from '../analytics/stand.ts'
import { stand } from './stand.ts'

const HOUR = 3_600_000

t.test('deliveries of an integration', async (t) => {
  const engine = await ownEngine(t)
  const log = pino({ level: 'silent' })
  const url = `unix:${join(ownFolder(t), 'analytics.sock')}`
  const server = await serveQueries({ url, secret: '', engine, completeUntil: () => 1, log, metrics: createMetrics() })
  t.teardown(() => server.close())
  const s = await stand(t, { analyticsUrl: server.url, patience: { patienceMs: 30_000 } })
  const { tenant_id, integration_id } = s.acme
  const path = `/api/v1/integrations/inbound/${integration_id}`

  const codec = localCodec()
  let offset = 0n
  const facts: InRecord[] = []
  function fact<N extends RecordName>(topic: TopicName, name: N, fields: Partial<Records[N]>): void {
    const value = codec.encode(name, record(name, fields))
    facts.push({ topic, partition: 0, offset: offset++, timestamp: Date.now(), key: 'k', value, headers: {} })
  }
  const now = Date.now()
  const ids: string[] = []
  for (let n = 0; n < 5; n++) {
    const received_at = now - (5 - n) * HOUR
    const event_id = uuidv7(received_at)
    ids.unshift(event_id)
    fact('alerts.raw.v1', 'RawAlert', {
      event_id,
      tenant_id,
      integration_id,
      received_at,
      outcome: n % 2 ? 'accepted' : 'rejected',
      reason: n % 2 ? null : 'UNPARSEABLE_PAYLOAD: title: required',
      alerts: n,
      bytes: 20,
      payload: n === 4 ? Buffer.from([0xff, 0x00]) : Buffer.from(`{"title":"ä\\t${n}"}`)
    })
  }
  const ofAlert = { tenant_id, integration_id, source: 'alertmanager', dedup_key: 'k', action: 'fire', retention_days: 30 } as const
  for (const ago of [30 * HOUR, 2 * HOUR, HOUR])
    fact('alerts.inbound.v1', 'InboundAlert', { ...ofAlert, event_id: uuidv7(), received_at: now - ago, occurred_at: now - ago })
  const batch = formBatch(codec, (topic, reason) => t.fail(`${topic}: ${reason}`))
  batch.take(facts)
  for (const { table, body } of batch.inserts()) await engine.insert(table, columnsOf(table), body, table)

  await t.test('deliveries are listed newest first, in pages', async (t) => {
    const first = (await s.call(s.acme, 'GET', `${path}/events?per_page=2`)).json()
    t.match(first, {
      total: null,
      next_cursor: String,
      items: [{ id: ids[0], outcome: 'rejected', reason: 'UNPARSEABLE_PAYLOAD: title: required' }, { id: ids[1] }]
    })
    t.same(
      Object.keys(first.items[0]).filter((key) => /payload$/.test(key)),
      [],
      'no payload in a list'
    )
    const second = (await s.call(s.acme, 'GET', `${path}/events?per_page=2&cursor=${first.next_cursor}`)).json()
    const third = (await s.call(s.acme, 'GET', `${path}/events?per_page=2&cursor=${second.next_cursor}`)).json()
    t.same(
      [first, second, third].flatMap(({ items }) => items.map(({ id }: { id: string }) => id)),
      ids
    )
    t.equal(third.next_cursor, null)
    t.equal((await s.call(s.acme, 'GET', `${path}/events?cursor=${first.next_cursor}&outcome=rejected`)).statusCode, 400, 'another list')
    const accepted = (await s.call(s.acme, 'GET', `${path}/events?outcome=accepted`)).json()
    t.same(
      accepted.items.map(({ id }: { id: string }) => id),
      [ids[1], ids[3]]
    )
    t.equal((await s.call(s.acme, 'GET', `${path}/events?outcome=lost`)).statusCode, 422)
  })

  await t.test('only admins can read a delivery with its payload', async (t) => {
    const { raw_ref } = (await s.call(s.acme, 'GET', `${path}/events?outcome=accepted`)).json().items[0]
    const answer = await s.call(s.acme, 'GET', raw_ref)
    t.equal(answer.headers['cache-control'], 'no-store')
    t.match(answer.json(), { id: ids[1], encoding: 'utf8', payload: '{"title":"ä\\t3"}', at: new Date(now - 2 * HOUR).toISOString() })
    t.match((await s.call(s.acme, 'GET', `${path}/events/${ids[0]}`)).json(), { encoding: 'base64', payload: '/wA=' })
    t.equal((await s.call(s.acme, 'GET', `${path}/events/${uuidv7()}`)).statusCode, 404)
    const reader = (await s.call(s.acme, 'POST', '/api/v1/workspace/tokens', { name: 'reader', scopes: ['read', 'write'] })).json().token
    t.equal((await s.call(reader, 'GET', raw_ref)).statusCode, 403)
    t.equal((await s.call(reader, 'GET', `${path}/events`)).statusCode, 200)
  })

  await t.test('another workspace cannot read deliveries or use the dry run', async (t) => {
    for (const one of [`${path}/events`, `${path}/events/${ids[0]}`]) t.equal((await s.call(s.globex, 'GET', one)).statusCode, 404)
    t.equal((await s.call(s.globex, 'POST', `${path}/parse`, { body: '{}' })).statusCode, 404)
    t.equal((await s.call(mintApiToken().value, 'GET', `${path}/events`)).statusCode, 401)
  })

  await t.test('an integration shows its event and error counts of the last 24 hours', async (t) => {
    t.match((await s.call(s.acme, 'GET', path)).json(), {
      event_count_24h: 2,
      error_count_24h: 3,
      last_event_at: new Date(now - HOUR).toISOString()
    })
    t.match((await s.call(s.globex, 'GET', '/api/v1/integrations/inbound')).json(), {
      items: [{ event_count_24h: 0, error_count_24h: 0, last_event_at: null }]
    })
  })

  await t.test('a dry run writes nothing to the outbox', async (t) => {
    const body = {
      version: '4',
      status: 'firing',
      alerts: [{ status: 'firing', labels: { alertname: 'A', severity: 'page' }, annotations: {} }]
    }
    for (const given of [body, JSON.stringify(body)]) {
      const answer = await s.call(s.acme, 'POST', `${path}/parse`, { body: given, headers: { 'X-Any': 'x' } })
      t.equal(answer.statusCode, 200)
      t.match(answer.json(), { total: 1, alerts: [{ action: 'fire', title: /A/, severity: 'critical' }], proof: { asked: false } })
    }
    const refused = await s.call(s.acme, 'POST', `${path}/parse`, { body: { alerts: [{ status: 'gone' }] } })
    t.equal(refused.statusCode, 422)
    t.match(refused.json(), { code: 'UNPARSEABLE_PAYLOAD', details: [{ path: /^alerts\[0\]/ }] })
    t.equal((await s.call(s.acme, 'POST', `${path}/parse`, { body: 5 })).statusCode, 422)
    t.equal((await s.call(s.acme, 'POST', `${path}/parse`, { body: 'x', headers: { a: 1 } })).statusCode, 422)
    const { rows } = await s.systemPool.query('SELECT count(*) FROM outbox')
    t.equal(rows[0]?.count, 0)
  })
})

t.test('ignored deliveries are counted by reason until the integration is deleted', async (t) => {
  const s = await stand(t)
  const { tenant_id, integration_id } = s.acme
  const path = `/api/v1/integrations/inbound/${integration_id}`
  const told = async () => {
    const { ignored, ignoring_since } = (await s.call(s.acme, 'GET', path)).json()
    return { ignored, ignoring_since }
  }
  t.strictSame(await told(), { ignored: [], ignoring_since: null })
  const at = Date.now() - HOUR
  const iso = new Date(at).toISOString()
  await noteIntake(s.systemPool, [
    {
      tenant_id,
      integration_id,
      processed_at: null,
      ignoring_since: at,
      last_ignored_at: at,
      reasons: [{ reason: 'test', deliveries: 3, last_at: at }]
    }
  ])
  t.strictSame(await told(), { ignored: [{ reason: 'test', deliveries: 3, last_at: iso }], ignoring_since: iso })
  const { items } = (await s.call(s.acme, 'GET', '/api/v1/integrations/inbound')).json()
  t.match(items, [{ ignored: [{ reason: 'test', deliveries: 3 }] }])
  await s.call(s.acme, 'DELETE', path)
  const { rows } = await s.systemPool.query('SELECT 1 FROM integration_ignored')
  t.equal(rows.length, 0, 'gone with the integration')
})
