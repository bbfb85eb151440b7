/**
 * Starts relays on a real Postgres and a real broker, as many as a test wants, and collects the
 * records that they put on the log.
 */
import type { Test } from 'tap'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { type Relay, type RelayOptions, startRelay } from '../../../services/relay/relay.ts'
import { insertOutgoing } from '../../../services/store/outbox.ts'
import { createPool, type Pool, transaction } from '../../../services/store/pool.ts'
import type { Outgoing } from '../../../streams/define.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import type { Append, InRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { endSessions } from '../../harness/sessions.ts'

export const codec = localCodec()
export const logger = createLog('test', 'silent')
export const tenant_id = '0190aaaa-0000-7000-8000-000000000001'

export interface OneRelay {
  relay: Relay
  fatal: Promise<unknown>
  application: string
  metric(name: string): Promise<number>
}

export interface RelayStack {
  /** As service_system. */
  pool: Pool
  /** As the owner of the tables. */
  owner: Pool
  /** As service_tenant. */
  tenantPool: Pool
  log: Append
  brokers: string[]
  topicPrefix: string
  /** Everything on the log, in order per partition. */
  records: InRecord[]
  write(...rows: Outgoing[]): Promise<void>
  /** Rows that wait. */
  waiting(): Promise<number>
  start(options?: Partial<RelayOptions>): OneRelay
  /** Creates a topic, and collects its records, too. */
  createTopic(topic: TopicName): Promise<void>
  /** Ends the Postgres sessions of a relay from outside. */
  endSession(relay: OneRelay): Promise<void>
}

/** A frame row. Its JSON contains its aggregate and version. */
export const frame = (aggregate: string, ver: number, more: Partial<Outgoing> = {}): Outgoing =>
  ({
    body: 'frame',
    tenant_id,
    aggregate,
    ver,
    topic: 'realtime.frames.v1',
    key: tenant_id,
    event_id: uuidv4(),
    event_type: 'incident.created',
    src: 'alerts.inbound.v1:0:0',
    json: JSON.stringify({ aggregate, ver }),
    audience: 'tenant',
    ...more
  }) as Outgoing

export const mark = (aggregate: string, ver: number): Outgoing => ({
  body: 'current',
  tenant_id,
  aggregate,
  ver,
  topic: 'incident.state.v1',
  key: aggregate.slice(aggregate.indexOf(':') + 1),
  event_id: uuidv4(),
  event_type: 'incident.state',
  src: 'alerts.inbound.v1:0:0'
})

/** Returns aggregate → versions, in the order of the log. */
export function versions(records: readonly InRecord[]): Record<string, number[]> {
  const found: Record<string, number[]> = {}
  for (const { headers } of records) found[headers.aggregate ?? ''] = [...(found[headers.aggregate ?? ''] ?? []), Number(headers.ver)]
  return found
}

export async function relayStack(
  t: Test,
  brokersOf: (brokers: string[]) => Promise<string[]> = async (brokers) => brokers
): Promise<RelayStack> {
  const topics: TopicName[] = ['realtime.frames.v1', 'incident.events.v1', 'incident.state.v1']
  const config = await testConfig(t)
  await testTopics(t, config, topics)
  const pool = createPool(config.postgresSystemUrl, { application_name: 'test', max: 5 })
  t.teardown(() => pool.end())
  const tenantPool = createPool(config.postgresTenantUrl, { application_name: 'test', max: 1 })
  t.teardown(() => tenantPool.end())
  const owner = createPool(config.postgresUrl, { application_name: 'test', max: 1 })
  t.teardown(() => owner.end())
  const connect = (brokers: string[]) =>
    connectStream({ brokers, clientId: 'test-relay', topicPrefix: config.topicPrefix, log: logger, metrics: createMetrics() })
  const reading = await connect(config.kafkaBrokers)
  t.teardown(() => reading.close())
  const stream = await connect(await brokersOf(config.kafkaBrokers))
  t.teardown(() => stream.close())
  const records: InRecord[] = []
  await reading.follow({ topics, from: 'beginning', onRecords: (batch) => records.push(...batch) })
  let started = 0
  return {
    pool,
    owner,
    tenantPool,
    log: stream.log,
    brokers: config.kafkaBrokers,
    topicPrefix: config.topicPrefix,
    records,
    write: (...rows) => transaction(pool, (tx) => insertOutgoing(tx, rows, codec)),
    waiting: async () => (await pool.query<{ count: number }>('SELECT count(*) FROM outbox')).rows[0]?.count ?? 0,
    start(options = {}) {
      const application = `relay ${++started}`
      const metrics = createMetrics()
      const own = createPool(config.postgresSystemUrl, { application_name: application, max: 1 })
      let failed: (error: unknown) => void = () => undefined
      const fatal = new Promise<unknown>((resolve) => {
        failed = resolve
      })
      const relay = startRelay({
        pool: own,
        log: stream.log,
        loaders: () => ({}),
        instance: application,
        logger,
        metrics,
        onFatal: (_reason, error) => failed(error),
        handoverMs: 1000,
        pollMs: 200,
        balanceMs: 100,
        ...options
      })
      t.teardown(async () => {
        await relay.close()
        await own.end()
      })
      return {
        relay,
        fatal,
        application,
        metric: async (name) =>
          (await metrics.registry.getSingleMetric(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN
      }
    },
    async createTopic(topic) {
      await testTopics(t, config, [topic])
      await reading.follow({ topics: [topic], from: 'beginning', onRecords: (batch) => records.push(...batch) })
    },
    endSession: ({ application }) => endSessions(owner, application)
  }
}

/** Inserts an incident as of version 3. */
export async function insertIncident(pool: Pool, incident_id: string, number = 1): Promise<void> {
  const at = new Date(1_800_000_000_000).toISOString()
  await pool.query('INSERT INTO incidents SELECT * FROM jsonb_populate_record(NULL::incidents, $1)', [
    {
      tenant_id,
      incident_id,
      ver: 3,
      number,
      alert_count: 1,
      flapping: false,
      tags: [],
      dedup_key: `int:1:${number}`,
      status: 'ongoing',
      severity: 'critical',
      title: 'Disk full',
      source_kind: 'inbound',
      affected_regions: [],
      is_major: false,
      visibility: 'org',
      routing_version: 1,
      labels: { host: 'db1' },
      links: [],
      started_at: at,
      detected_at: at,
      opened_at: at,
      updated_at: at
    }
  ])
}
