/**
 * The api and the services it depends on, each a process of its own on real engines, in a database
 * and under a topic prefix that are removed after the run.
 */
import { createCodec } from '../../../schemas/codec.ts'
import { topicNames } from '../../../schemas/topics.ts'
import { sha256 } from '../../../services/credentials/credentials.ts'
import { makeSealingKeys } from '../../../services/credentials/sealing.ts'
import { createPool, type Pool } from '../../../services/store/pool.ts'
import { createProberToken } from '../../../services/store/probers.ts'
import { ensureRegions } from '../../../services/store/regions.ts'
import { connectRegistry } from '../../../streams/runtime/registry.ts'
import { type Teardown, testConfig, testTopics } from '../../harness/engines.ts'
import { analyticsDouble } from '../../services/api/analytics-double.ts'
import { type OpenApi, type Operation, readDocument } from './document.ts'
import { type Client, createClient } from './http.ts'
import { type RoleProcess, startRoles } from './processes.ts'
import { type Access, PUBLIC_URL } from './world.ts'

export interface FuzzStand extends Access {
  pool: Pool
  client: Client
  port: number
  api: RoleProcess
  /** Doors, gateway, folds, relay and timers; analytics on request. */
  rest: RoleProcess
  operations: readonly Operation[]
  /** Token of a prober in a region that no other prober checks from. */
  prober: string
  /**
   * Says hello for the probers of all other regions: without a prober, checks on demand are
   * refused.
   */
  hello(): Promise<void>
}

export interface FuzzStandOptions {
  /** `engine`: analytics in a process of its own. `double`: a stand-in without data. */
  analytics: 'engine' | 'double'
}

const regions = ['eu-west', 'us-east', 'ap-south', 'sa-east'].map((code) => ({ code, label: code, country: 'IE' }))

export async function fuzzStand(t: Teardown, { analytics }: FuzzStandOptions): Promise<FuzzStand> {
  const config = await testConfig(t)
  await testTopics(t, config, topicNames)
  const pool = createPool(config.postgresSystemUrl, { application_name: 'test fuzz', max: 3 })
  t.teardown(() => pool.end())
  const registry = await connectRegistry(config.registryUrl)
  const codec = createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
  await ensureRegions(pool, regions)
  const tokens = await Promise.all(
    regions.map(async ({ code }, index) => {
      const value = `prober_${String(index).repeat(64)}`
      await createProberToken(pool, { region: code, name: 'fuzz', sha256: sha256(value), prefix: value.slice(0, 13) })
      return value
    })
  )
  const analyticsUrl = analytics === 'engine' ? `unix:${config.dataDir}/analytics.sock` : (await analyticsDouble(t)).url
  const environment = {
    NODE_ENV: 'production',
    SERVICE_LOG_LEVEL: 'info',
    SERVICE_DATA_DIR: config.dataDir,
    SERVICE_KAFKA_BROKERS: config.kafkaBrokers.join(','),
    SERVICE_TOPIC_PREFIX: config.topicPrefix,
    SERVICE_SCHEMA_REGISTRY_URL: config.registryUrl,
    SERVICE_POSTGRES_TENANT_URL: config.postgresTenantUrl,
    SERVICE_SECRETS_KEY: '0123456789abcdef'.repeat(4),
    SERVICE_PUBLIC_URL: PUBLIC_URL,
    SERVICE_API_PORT: '0',
    SERVICE_INTAKE_PORT: '0',
    SERVICE_GATEWAY_PORT: '0',
    SERVICE_METRICS_PORT: '0',
    // Limits per address are on, so each request comes from an address of its own.
    SERVICE_TRUSTED_PROXIES: '127.0.0.0/8',
    SERVICE_ANALYTICS_URL: analyticsUrl,
    SERVICE_ANALYTICS_SECRET: 'sixteen characters, or more'
  }
  const behind = ['intake', 'gateway', 'processors', 'relay', 'notifier', ...(analytics === 'engine' ? ['analytics'] : [])]
  const rest = await startRoles(behind, { ...environment, SERVICE_POSTGRES_SYSTEM_URL: config.postgresSystemUrl })
  t.teardown(() => rest.stop())
  const [intake, gateway] = rest.ports
  const api = await startRoles(['api'], {
    ...environment,
    SERVICE_INTAKE_URL: `http://127.0.0.1:${intake}`,
    SERVICE_GATEWAY_URL: `http://127.0.0.1:${gateway}`
  })
  t.teardown(() => api.stop())
  const port = api.ports[0] ?? 0
  const client = createClient(port)
  t.teardown(() => client.close())
  const document = await client.send({ method: 'GET', path: '/api/v1/public/openapi.json', headers: {}, body: null })
  const { publicKey } = makeSealingKeys()
  const [prober = '', ...others] = tokens.reverse()
  return {
    pool,
    codec,
    client,
    port,
    api,
    rest,
    operations: readDocument(JSON.parse(document.body) as OpenApi),
    prober,
    async hello() {
      for (const token of others) {
        const body = { instance_id: `fuzz-${token.slice(-1)}`, version: '1.0.0', kinds: ['http'], public_key: publicKey.toString('base64') }
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const { status } = await client.send({
          method: 'POST',
          path: '/api/v1/prober/hello',
          headers,
          body: Buffer.from(JSON.stringify(body))
        })
        if (status !== 200) throw new Error(`hello was answered ${status}`)
      }
    }
  }
}
