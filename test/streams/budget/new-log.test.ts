/** Tests on the real engines that doors apply raised ceilings again after a new log has begun. */
import t from 'tap'
import { createCodec } from '../../../schemas/codec.ts'
import { topics } from '../../../schemas/topics.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { start as startIntake } from '../../../services/intake/main.ts'
import { beginNewLog } from '../../../services/operator/migrate.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { StartRole } from '../../../services/process/role.ts'
import { start as startRelay } from '../../../services/relay/main.ts'
import { createPool } from '../../../services/store/pool.ts'
import type { BudgetRow } from '../../../streams/budget/state.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import { connectRegistry } from '../../../streams/runtime/registry.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { makeWorkspace } from '../../harness/product.ts'
import { until } from '../../harness/until.ts'

t.setTimeout(120_000)

t.test('after a new log, a door applies the ceiling that was raised before', async (t) => {
  const config = await testConfig(t, { instance: 'door-1' })
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
    clientId: 'test-new-log',
    topicPrefix: config.topicPrefix,
    log,
    metrics: createMetrics()
  })
  t.teardown(() => stream.close())
  const pool = createPool(config.postgresSystemUrl, { application_name: 'test', max: 2 })
  t.teardown(() => pool.end())
  const { tenant_id, door } = await makeWorkspace(pool, 'acme', 'generic')
  await pool.query("UPDATE tenants SET plan = 'free' WHERE tenant_id = $1", [tenant_id])
  // As the fold has stored it, from a record of the log that is gone.
  const raised = { version: 2, ceiling: 5000, at: Date.now(), event_id: uuidv7(), cause: 'ingest.usage.v1:0:7' }
  const row: BudgetRow = { kind: 'budget', tenant_id, raised, counters: [], limited: null }
  await pool.query("INSERT INTO partition_state (processor, partition, key, state) VALUES ('budget', 0, $1, $2)", [tenant_id, row])

  const run = async (role: StartRole): Promise<{ port?: number }> => {
    const started = await role({
      config,
      log,
      metrics: createMetrics(),
      stream: async () => stream,
      codec: async () => codec,
      fatal: (reason, error) => t.fail(reason, { error })
    })
    t.teardown(() => started.close())
    return started
  }
  const { port } = await run(startIntake)
  /** The door refuses this content type, so the request opens no window. */
  const limit = async (): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks/incoming/${door}`, {
      method: 'POST',
      headers: { 'content-type': 'image/png', connection: 'close' },
      body: 'x'
    })
    return Number(answer.headers.get('x-ratelimit-limit'))
  }
  t.equal(await limit(), 1000, 'the new log has no ceilings')
  t.match(await beginNewLog(config.postgresUrl, config), { states: 1 })
  await run(startRelay)
  await until('the door to know', async () => (await limit()) === 5000, 60_000)
})
