/**
 * Sets up the intake role on the real engines, behind proxies of Kafka and Postgres, with
 * heartbeats, monitors and probers, and reads the records that reach the log.
 */

import { randomBytes, randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { createCodec } from '../../../schemas/codec.ts'
import type { CheckCapture, CheckResult, DoorGap, HeartbeatPing } from '../../../schemas/generated/events.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import type { PlanId } from '../../../schemas/plans.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { sha256 } from '../../../services/credentials/credentials.ts'
import { start } from '../../../services/intake/main.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { Role } from '../../../services/process/role.ts'
import { createPool, type Pool, tenantTransaction } from '../../../services/store/pool.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import { connectRegistry } from '../../../streams/runtime/registry.ts'
import type { InRecord, StreamClient } from '../../../streams/runtime/stream.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { makeWorkspace, type TestWorkspace } from '../../harness/product.ts'
import { type KafkaHooks, startKafkaProxy, startProxy, type TcpProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'

export interface Heartbeat {
  heartbeat_id: string
  token: string
  slug: string
}

export interface Placed<T> {
  value: T
  partition: number
  offset: bigint
  key: string
  headers: Record<string, string>
}

export interface WatchStand {
  url: string
  port: number
  role: Role
  kafka: TcpProxy
  postgres: TcpProxy
  /** A pool as service_system, straight to Postgres. */
  system: Pool
  workspace: TestWorkspace
  pingKey: string
  /** Straight to Kafka. */
  stream: StreamClient
  metrics(): Promise<string>
  makeWorkspace(plan?: PlanId): Promise<TestWorkspace>
  heartbeat(workspace?: TestWorkspace): Promise<Heartbeat>
  monitor(workspace?: TestWorkspace): Promise<string>
  /** Its token. */
  prober(region: string): Promise<string>
  /** Creates a private location of the workspace; returns the token of its probers. */
  location(workspace?: TestWorkspace): Promise<string>
  change(sql: string, values: unknown[], workspace?: TestWorkspace): Promise<void>
  /** In the order of the log, for each partition. */
  pings(): Placed<HeartbeatPing>[]
  gaps(): Placed<DoorGap>[]
  results(): Placed<CheckResult>[]
  captures(): Placed<CheckCapture>[]
}

export async function watchStand(t: Test, hooks: KafkaHooks = {}): Promise<WatchStand> {
  const own = await testConfig(t)
  const topics = ['heartbeat.pings.v1', 'checks.results.v1', 'checks.captures.v1', 'alerts.inbound.v1', 'ingest.usage.v1'] as const
  await testTopics(t, own, [...topics, 'tenant.budgets.v1'])
  const [host = '', kafkaPort = ''] = own.kafkaBrokers[0]?.split(':') ?? []
  const kafka = await startKafkaProxy({ host, port: Number(kafkaPort) }, hooks)
  t.teardown(() => kafka.close())
  const postgresUrl = new URL(own.postgresTenantUrl)
  const postgres = await startProxy({ host: postgresUrl.hostname, port: Number(postgresUrl.port) }, {})
  t.teardown(() => postgres.close())
  postgresUrl.port = String(postgres.port)
  const config = { ...own, kafkaBrokers: [`127.0.0.1:${kafka.port}`], postgresTenantUrl: postgresUrl.href, instance: 'door-1' }
  const log = createLog('test', 'fatal')
  const system = createPool(config.postgresSystemUrl, { application_name: 'test', max: 2 })
  t.teardown(() => system.end())
  const makeOne = (plan: PlanId = 'enterprise'): Promise<TestWorkspace> =>
    makeWorkspace(system, `w-${randomBytes(4).toString('hex')}`, 'generic', plan)
  const workspace = await makeOne()
  const { rows } = await system.query<{ ping_key: string }>('SELECT ping_key FROM tenants WHERE tenant_id = $1', [workspace.tenant_id])
  const registry = await connectRegistry(config.registryUrl)
  const codec = createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
  const metrics = createMetrics()
  const connect = async (brokers: string[]): Promise<StreamClient> => {
    const client = await connectStream({ brokers, clientId: 'test-intake', topicPrefix: config.topicPrefix, log, metrics: createMetrics() })
    t.teardown(() => client.close())
    return client
  }
  const stream = await connect(own.kafkaBrokers)
  const behind = await connect(config.kafkaBrokers)
  const records: InRecord[] = []
  const follower = await stream.follow({
    topics: ['heartbeat.pings.v1', 'checks.results.v1', 'checks.captures.v1'],
    from: 'beginning',
    onRecords: (given) => void records.push(...given)
  })
  t.ok(await follower.caughtUp)
  const role = await start({
    config,
    log,
    metrics,
    stream: async () => behind,
    codec: async () => codec,
    fatal: (reason) => t.fail(reason)
  })
  t.teardown(() => role.close())
  await until('the listeners', () => role.ready().store)

  async function tokenOf(region: string): Promise<string> {
    const token = `prober_${randomBytes(32).toString('hex')}`
    await system.query(
      "INSERT INTO prober_tokens (token_id, region, name, token_sha256, token_prefix) VALUES ($1, $2, 'test', $3, 'prober_')",
      [uuidv4(), region, sha256(token)]
    )
    return token
  }

  const placed = <T>(topic: string, event_type: string | undefined, decode: (value: Buffer) => T): Placed<T>[] =>
    records
      .filter((record) => record.topic === topic && record.headers.event_type === event_type)
      .map(({ value, partition, offset, key, headers }) => ({
        value: decode(value ?? Buffer.alloc(0)),
        partition,
        offset,
        key,
        headers
      }))

  return {
    url: `http://127.0.0.1:${role.port}`,
    port: role.port ?? 0,
    role,
    kafka,
    postgres,
    system,
    workspace,
    pingKey: rows[0]?.ping_key ?? '',
    stream,
    metrics: () => metrics.registry.metrics(),
    makeWorkspace: makeOne,
    async heartbeat({ tenant_id } = workspace) {
      const made = { heartbeat_id: randomUUID(), token: randomUUID(), slug: `job-${randomBytes(4).toString('hex')}` }
      await tenantTransaction(system, wholeWorkspace(tenant_id), (tx) =>
        tx.query(
          `INSERT INTO heartbeats (tenant_id, heartbeat_id, name, slug, schedule_kind, period_seconds, grace_seconds, severity, ping_token)
           VALUES ($1, $2, $3, $3, 'period', 60, 30, 'critical', $4)`,
          [tenant_id, made.heartbeat_id, made.slug, made.token]
        )
      )
      return made
    },
    async monitor({ tenant_id } = workspace) {
      const monitor_id = randomUUID()
      await tenantTransaction(system, wholeWorkspace(tenant_id), (tx) =>
        tx.query(
          `INSERT INTO monitors (tenant_id, monitor_id, name, type, target, interval_seconds, timeout_seconds, assigned_regions, confirmation, retry, severity_down,
             severity_degraded, tls_expiry_days)
           VALUES ($1, $2, $3, 'http', 'http://example.test/', 60, 10, '{}', '{}', '{}', 'critical', 'warning', '{}')`,
          [tenant_id, monitor_id, `m-${monitor_id}`]
        )
      )
      return monitor_id
    },
    async prober(region) {
      await system.query("INSERT INTO regions (code, label, country) VALUES ($1, $1, 'DE') ON CONFLICT DO NOTHING", [region])
      return tokenOf(region)
    },
    async location({ tenant_id } = workspace) {
      const code = `loc-${randomBytes(6).toString('hex')}`
      await system.query('INSERT INTO regions (code, label, private) VALUES ($1, $1, true)', [code])
      await system.query('INSERT INTO private_locations (tenant_id, location_id, code) VALUES ($1, $2, $3)', [tenant_id, uuidv4(), code])
      return tokenOf(code)
    },
    async change(sql, values, { tenant_id } = workspace) {
      await tenantTransaction(system, wholeWorkspace(tenant_id), (tx) => tx.query(sql, values))
    },
    pings: () => placed('heartbeat.pings.v1', undefined, (value) => codec.decode('HeartbeatPing', value)),
    gaps: () => placed('heartbeat.pings.v1', 'door_gap', (value) => codec.decode('DoorGap', value)),
    results: () => placed('checks.results.v1', undefined, (value) => codec.decode('CheckResult', value)),
    captures: () => placed('checks.captures.v1', undefined, (value) => codec.decode('CheckCapture', value))
  }
}
