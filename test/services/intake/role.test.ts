/**
 * Tests of the whole intake role on the real engines: what reaches the log, the effects of a
 * revocation and of a ceiling, and the answers while the log is down.
 */

import { createHash, randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { type Codec, createCodec } from '../../../schemas/codec.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { start } from '../../../services/intake/main.ts'
import type { Config } from '../../../services/process/config.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { Role } from '../../../services/process/role.ts'
import { createPool, type Pool, tenantTransaction } from '../../../services/store/pool.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import { connectRegistry } from '../../../streams/runtime/registry.ts'
import type { InRecord, StreamClient } from '../../../streams/runtime/stream.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { makeWorkspace, type TestWorkspace } from '../../harness/product.ts'
import { record } from '../../harness/records.ts'
import { startKafkaProxy, type TcpProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'

t.jobs = 3

const topics: readonly TopicName[] = ['alerts.inbound.v1', 'alerts.raw.v1', 'ingest.usage.v1', 'tenant.budgets.v1', 'heartbeat.pings.v1']

interface Stand {
  config: Config
  role: Role
  url: string
  workspace: TestWorkspace
  system: Pool
  codec: Codec
  stream: StreamClient
  kafka: TcpProxy
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>
  ): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }>
  /** All records of the topics so far, in order for each partition. */
  records: InRecord[]
}

const log = createLog('test', 'fatal')

async function stand(
  t: Test,
  prepare: (stand: Omit<Stand, 'role' | 'url' | 'post'>) => Promise<void> = async () => undefined
): Promise<Stand> {
  const own = await testConfig(t)
  await testTopics(t, own, topics)
  const [host = '', port = ''] = own.kafkaBrokers[0]?.split(':') ?? []
  const kafka = await startKafkaProxy({ host, port: Number(port) })
  t.teardown(() => kafka.close())
  const config = { ...own, kafkaBrokers: [`127.0.0.1:${kafka.port}`] }
  const system = createPool(config.postgresSystemUrl, { application_name: 'test', max: 2 })
  t.teardown(() => system.end())
  const workspace = await makeWorkspace(system, `w-${randomBytes(4).toString('hex')}`, 'generic')
  const registry = await connectRegistry(config.registryUrl)
  const codec = createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
  const metrics = createMetrics()
  const connect = async (brokers: string[]): Promise<StreamClient> => {
    const client = await connectStream({ brokers, clientId: 'test-intake', topicPrefix: config.topicPrefix, log, metrics: createMetrics() })
    t.teardown(() => client.close())
    return client
  }
  const reader = await connect(own.kafkaBrokers)
  const stream = await connect(config.kafkaBrokers)
  const records: InRecord[] = []
  const follower = await reader.follow({
    topics: ['alerts.inbound.v1', 'alerts.raw.v1', 'ingest.usage.v1'],
    from: 'beginning',
    onRecords: (given) => records.push(...given)
  })
  t.ok(await follower.caughtUp)
  const made = { config, workspace, system, codec, stream: reader, kafka, records }
  await prepare(made)
  const role = await start({
    config,
    log,
    metrics,
    stream: async () => stream,
    codec: async () => codec,
    fatal: (reason) => t.fail(reason)
  })
  t.teardown(() => role.close())
  const url = `http://127.0.0.1:${role.port}`
  return {
    ...made,
    role,
    url,
    async post(path, body, headers = {}) {
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body)
      })
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> }
    }
  }
}

const doorOf = ({ door }: TestWorkspace): string => `/api/v1/webhooks/incoming/${door}`

t.test('payloads from the door to the log', async (t) => {
  const { post, workspace, records, codec, system, stream, role } = await stand(t)
  const { tenant_id, integration_id } = workspace
  const startsAt = new Date(Date.now() - 60_000).toISOString()
  await until('the listener', () => role.ready().store)

  t.test('a generic alert becomes a record of the topic', async (t) => {
    const sent = Date.now()
    const { status } = await post(doorOf(workspace), {
      title: 'Disk full',
      severity: 'critical',
      dedup_key: 'db-7',
      labels: { env: 'prod' }
    })
    t.equal(status, 200)
    const record = await until('the record', () => records.find(({ topic }) => topic === 'alerts.inbound.v1'))
    const dedup_key = `int:${integration_id}:${createHash('sha256').update('generic\ndb-7').digest('hex')}`
    t.equal(record.key, `${tenant_id}|${dedup_key}`)
    t.equal(record.partition, stream.partitionOf('alerts.inbound.v1', record.key))
    t.same(record.headers, {}, 'a fact has no headers')
    if (!record.value) throw new Error('a record without a value')
    const { event_id, received_at, occurred_at, ...rest } = { ...codec.decode('InboundAlert', record.value) }
    t.match(event_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    t.ok(received_at >= sent && received_at <= Date.now())
    t.equal(occurred_at, received_at)
    t.same(JSON.parse(JSON.stringify(rest)), {
      tenant_id,
      integration_id,
      source: 'generic',
      dedup_key,
      source_dedup_key: 'db-7',
      action: 'fire',
      title: 'Disk full',
      description: null,
      severity: 'critical',
      source_severity: 'critical',
      time_source: 'door',
      sequence: null,
      sequence_kind: 'position',
      delivery_id: null,
      labels: { env: 'prod' },
      links: [],
      team_id: null,
      visibility: 'org',
      retention_days: 395,
      by_former_key: false
    })
  })

  t.test('each alert of an Alertmanager group becomes its own record', async (t) => {
    const alerts = Array.from({ length: 64 }, (_, nth) => ({
      status: nth % 2 ? 'resolved' : 'firing',
      labels: { alertname: 'Down', instance: `web-${nth}`, severity: 'page' },
      annotations: {},
      startsAt,
      endsAt: nth % 2 ? new Date().toISOString() : '0001-01-01T00:00:00Z',
      fingerprint: nth.toString(16).padStart(16, '0')
    }))
    const { status, body } = await post(
      '/api/v1/webhook/alertmanager',
      { version: '4', alerts },
      { authorization: `Bearer ${workspace.door}` }
    )
    t.equal(status, 200)
    t.match(body, { processed: 64, ignored: 0 })
    const found = await until('all of them', () => {
      const all = records.flatMap(({ topic, value }) =>
        topic === 'alerts.inbound.v1' && value ? [codec.decode('InboundAlert', value)] : []
      )
      const own = all.filter(({ source }) => source === 'alertmanager')
      return own.length === 64 ? own : null
    })
    t.equal(new Set(found.map(({ event_id }) => event_id)).size, 64)
    t.ok(found.every(({ sequence, severity }) => sequence === Date.parse(startsAt) && severity === 'critical'))
    t.equal(found.filter(({ action }) => action === 'resolve').length, 32)
  })

  t.test('a refused payload is kept without its secrets', async (t) => {
    const { status } = await post(doorOf(workspace), { severity: 'critical', password: 'hunter2' })
    t.equal(status, 422)
    const record = await until('the raw payload', () => records.find(({ topic }) => topic === 'alerts.raw.v1'))
    t.equal(record.key, `${tenant_id}|${integration_id}`)
    if (!record.value) throw new Error('a record without a value')
    const raw = codec.decode('RawAlert', record.value)
    t.match(raw, { tenant_id, integration_id, source: 'generic', outcome: 'rejected', retention_days: 3 })
    t.equal(raw.payload.toString(), '{"severity":"critical"}')
  })

  t.test('a disabled or deleted integration is refused within 5 s', async (t) => {
    const change = (sql: string): Promise<unknown> =>
      tenantTransaction(system, wholeWorkspace(tenant_id), (tx) => tx.query(sql, [tenant_id]))
    const alert = { title: 'x' }
    await change('UPDATE integrations SET enabled = false WHERE tenant_id = $1')
    await until('the 403', async () => (await post(doorOf(workspace), alert)).status === 403, 5000)
    await change('UPDATE integrations SET enabled = true WHERE tenant_id = $1')
    await until('the 200', async () => (await post(doorOf(workspace), alert)).status === 200, 5000)
    await change('DELETE FROM integrations WHERE tenant_id = $1')
    await until('the 404', async () => (await post(doorOf(workspace), alert)).status === 404, 5000)
    t.equal((await post('/api/v1/webhook/alertmanager', { alerts: [] }, { authorization: `Bearer ${workspace.door}` })).status, 401)
  })

  t.test('usage is published by the time the role has closed', async (t) => {
    await role.close()
    const usage = await until('the counter', () => {
      const counters = records.flatMap(({ topic, value }) =>
        topic === 'ingest.usage.v1' && value ? [codec.decode('UsageCounter', value)] : []
      )
      return counters.find(({ accepted }) => accepted >= 67)
    })
    t.match(usage, { tenant_id, refused: 0, limit: 60_000 })
    t.ok(usage.at >= usage.window)
  })
  t.end()
})

t.test('ceilings on the log set the limit from the start and when they change', async (t) => {
  const ceilingOf = async (
    made: { stream: StreamClient; codec: Codec },
    tenant_id: string,
    ver: number,
    ceiling: number
  ): Promise<void> => {
    const value = record('Budget', { event_id: uuidv4(), tenant_id, ver, ceiling, at: Date.now() })
    await made.stream.log.append([{ topic: 'tenant.budgets.v1', key: tenant_id, value: made.codec.encode('Budget', value) }])
  }
  let other: TestWorkspace | undefined
  const made = await stand(t, async (own) => {
    other = await makeWorkspace(own.system, `w-${randomBytes(4).toString('hex')}`, 'generic', 'free')
    await ceilingOf(own, own.workspace.tenant_id, 1, 70_000)
  })
  if (!other) throw new Error('no other workspace')
  const limitOf = async (workspace: TestWorkspace): Promise<number> =>
    Number((await made.post(doorOf(workspace), '{')).headers.get('x-ratelimit-limit'))
  t.equal(await limitOf(made.workspace), 70_000, 'read before the doors opened')
  await ceilingOf(made, other.tenant_id, 1, 5000)
  // Reads the limit from an answer that opens no window, because a ceiling counts from the next
  // window.
  await until('the ceiling', async () => {
    const answer = await made.post(doorOf(other ?? made.workspace), '', { 'content-type': 'image/png' })
    return answer.headers.get('x-ratelimit-limit') === '5000'
  })
})

t.test('without the log an alert gets 503, and 200 again once the log is back', async (t) => {
  const { post, workspace, kafka, role, records } = await stand(t, async ({ kafka }) => {
    kafka.refuse(true)
    kafka.cutAll()
  })
  t.ok(role.port, 'it listens though Kafka cannot be reached')
  t.equal((await fetch(`http://127.0.0.1:${role.port}/health`)).status, 200)
  const answer = await post(doorOf(workspace), { title: 'x', severity: 'info' })
  t.equal(answer.status, 503)
  t.equal(answer.body.code, 'UNAVAILABLE')
  t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/)
  t.equal((await post('/api/v1/webhooks/incoming/svc_unknown', { title: 'x' })).status, 404, 'other answers need no log')
  t.equal(role.ready().log, false)
  kafka.refuse(false)
  await until('the log', async () => (await post(doorOf(workspace), { title: 'y', severity: 'info' })).status === 200, 30_000)
  t.ok(await until('the record', () => records.some(({ topic }) => topic === 'alerts.inbound.v1')))
})
