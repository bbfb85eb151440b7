/**
 * Tests two doors whose clocks are 200 ms apart, with senders that send no time: every decision
 * must follow the order of the log. A small reference in this file reads the log and derives what
 * must have happened.
 *
 * `ORDER_ALERTS=10000` in the environment sends that many alerts instead of 2,000.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { createCodec } from '../../../schemas/codec.ts'
import { type TopicName, topics } from '../../../schemas/topics.ts'
import type { Config } from '../../../services/process/config.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { start as startProcessors } from '../../../services/processors/main.ts'
import { createPool } from '../../../services/store/pool.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import { connectRegistry } from '../../../streams/runtime/registry.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'
import { makeWorkspace } from '../../harness/product.ts'
import { until } from '../../harness/until.ts'

t.setTimeout(280_000)

const ALERTS = Number(process.env.ORDER_ALERTS ?? 2000)
const KEYS = 100
const APART_MS = 200
const LANES = 4
const ALERTS_TOPIC: TopicName = 'alerts.inbound.v1'

/**
 * Starts a door as a separate process whose clock is `behindMs` behind. Resolves to its address.
 */
async function door(t: Test, config: Config, instance: string, behindMs: number): Promise<string> {
  const run = fileURLToPath(moduleUrl('../../../services/process/run.ts', import.meta.url))
  const clock = `data:text/javascript,const now=Date.now;Date.now=()=>now()-${behindMs}`
  const child = spawn(process.execPath, [...loaderOf(import.meta.url), '--import', clock, run, 'intake'], {
    env: {
      PATH: process.env.PATH,
      SERVICE_DATA_DIR: config.dataDir,
      SERVICE_KAFKA_BROKERS: config.kafkaBrokers.join(','),
      SERVICE_TOPIC_PREFIX: config.topicPrefix,
      SERVICE_SCHEMA_REGISTRY_URL: config.registryUrl,
      SERVICE_POSTGRES_TENANT_URL: config.postgresTenantUrl,
      SERVICE_INTAKE_PORT: '0',
      SERVICE_METRICS_PORT: '0',
      SERVICE_INSTANCE: instance,
      SERVICE_INGEST_FLOOR_PER_MINUTE: '1000000'
    },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const lines = createInterface({ input: child.stdout })
  const [port] = await new Promise<number[]>((resolve, reject) => {
    void exited.then(() => reject(new Error(`${instance} ended`)))
    lines.on('line', (line) => {
      if (line.includes('"msg":"ready"')) resolve((JSON.parse(line) as { ports: number[] }).ports)
    })
  })
  return `http://127.0.0.1:${port}`
}

interface Logged {
  key: string
  action: string
  partition: number
  offset: bigint
  received_at: number
}

/**
 * Derives what must have happened from the log alone: a fire opens an incident where none is open,
 * and a resolve ends an open one. Each line has the key, the change, and the record that caused it.
 */
function decided(alerts: readonly Logged[]): string[] {
  const open = new Set<string>()
  const lines: string[] = []
  for (const { key, action, partition, offset } of alerts) {
    if ((action === 'fire') === open.has(key)) continue
    if (action === 'fire') open.add(key)
    else open.delete(key)
    lines.push(`${key} ${action === 'fire' ? 'created' : 'resolved'} ${ALERTS_TOPIC}:${partition}:${offset}`)
  }
  return lines.sort()
}

t.test(`log order decides ${ALERTS} alerts of ${KEYS} keys from two doors ${APART_MS} ms apart`, async (t) => {
  const config = await testConfig(t, { processors: ['incident'] })
  await testTopics(
    t,
    config,
    topics.map(({ name }) => name)
  )
  const log = createLog('test', 'fatal')
  const registry = await connectRegistry(config.registryUrl)
  const codec = createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
  const stream = await connectStream({
    brokers: config.kafkaBrokers,
    clientId: 'test-order',
    topicPrefix: config.topicPrefix,
    log,
    metrics: createMetrics()
  })
  t.teardown(() => stream.close())
  const pool = createPool(config.postgresSystemUrl, { application_name: 'test', max: 2 })
  t.teardown(() => pool.end())
  const processors = await startProcessors({
    config,
    log,
    metrics: createMetrics(),
    stream: async () => stream,
    codec: async () => codec,
    fatal: (reason, error) => t.fail(reason, { error })
  })
  t.teardown(() => processors.close())
  const workspace = await makeWorkspace(pool, 'apart', 'generic')
  const doors = await Promise.all([door(t, config, 'door-1', 0), door(t, config, 'door-2', APART_MS)])

  const logged: Logged[] = []
  await stream.follow({
    topics: [ALERTS_TOPIC],
    from: 'beginning',
    onRecords(records) {
      for (const { partition, offset, value } of records) {
        if (!value) continue
        const { dedup_key: key, action, received_at } = codec.decode('InboundAlert', value)
        logged.push({ key, action, partition, offset, received_at })
      }
    }
  })

  async function send(nth: number, key: number): Promise<void> {
    const body = JSON.stringify({ title: `alert ${key}`, dedup_key: `key ${key}`, status: nth % 2 === 0 ? 'firing' : 'resolved' })
    const answer = await fetch(`${doors[(nth + key) % 2]}/api/v1/webhooks/incoming/${workspace.door}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body
    })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`)
  }
  // Alternates between the doors; every third key sends pairs that race. Few keys are used at a
  // time, so that an answer takes less time than the clocks are apart.
  const each = ALERTS / KEYS
  let next = 0
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let key = next++; key < KEYS; key = next++) {
        const at_once = key % 3 === 0 ? 2 : 1
        for (let nth = 0; nth < each; nth += at_once)
          await Promise.all(Array.from({ length: Math.min(at_once, each - nth) }, (_, more) => send(nth + more, key)))
      }
    })
  )
  await until('every alert to be judged', async () => {
    const { rows } = await pool.query<{ judged: number }>('SELECT coalesce(sum(occurrences), 0)::int AS judged FROM signals')
    return rows[0]?.judged === ALERTS && logged.length >= ALERTS
  })
  t.equal(logged.length, ALERTS)

  const perKey = new Map<string, Logged[]>()
  for (const alert of logged.toSorted((a, b) => (a.offset < b.offset ? -1 : 1)))
    perKey.set(alert.key, [...(perKey.get(alert.key) ?? []), alert])
  const backwards = [...perKey.values()].reduce(
    (sum, alerts) => sum + alerts.filter(({ received_at }, nth) => received_at < (alerts[nth - 1]?.received_at ?? 0)).length,
    0
  )
  t.ok(backwards > 0, `the doors' clocks went back ${backwards} times in the order of the log`)

  const expected = decided([...perKey.values()].flat())
  const { rows } = await pool.query<{ line: string }>(
    `SELECT i.dedup_key || ' ' || e.change || ' ' || (e.cause ->> 'src') AS line
       FROM incident_events e JOIN incidents i ON i.tenant_id = e.tenant_id AND i.incident_id = e.incident_id WHERE e.tenant_id = $1`,
    [workspace.tenant_id]
  )
  const found = new Set(rows.map(({ line }) => line))
  const missing = expected.filter((line) => !found.has(line))
  t.equal(missing.length, 0, `of ${expected.length} decisions of the log's order ${missing.length} are missing, first ${missing[0]}`)
  t.equal(rows.length, expected.length, 'and there is no other decision')
  const { rows: counted } = await pool.query<{ incidents: number }>(
    'SELECT count(*)::int AS incidents FROM incidents WHERE tenant_id = $1',
    [workspace.tenant_id]
  )
  const opened = expected.filter((line) => line.includes(' created ')).length
  t.equal(counted[0]?.incidents, opened, 'as many incidents')
  t.comment(`${ALERTS} alerts, clocks back ${backwards} times, ${expected.length} decisions, ${counted[0]?.incidents} incidents`)
})
