/**
 * The relay role as a process runs it: it verifies topics, and sends marks of incidents from their
 * rows.
 */
import t from 'tap'
import { topicNames } from '../../../schemas/topics.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { RoleContext } from '../../../services/process/role.ts'
import { start } from '../../../services/relay/main.ts'
import { insertOutgoing } from '../../../services/store/outbox.ts'
import { createPool } from '../../../services/store/pool.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { codec, insertIncident, logger, mark, tenant_id } from './stack.ts'

t.setTimeout(300_000)

t.test('the relay does not start without its topics, and names the missing ones', async (t) => {
  const config = await testConfig(t)
  const stream = await connectStream({
    brokers: config.kafkaBrokers,
    clientId: 'test-role',
    topicPrefix: config.topicPrefix,
    log: logger,
    metrics: createMetrics()
  })
  t.teardown(() => stream.close())
  const context: RoleContext = {
    config,
    log: logger,
    metrics: createMetrics(),
    stream: async () => stream,
    codec: async () => codec,
    fatal: () => undefined
  }
  await t.rejects(start(context), /incident\.events\.v1 is missing/)
})

t.test('a mark sends the incident in Avro or a tombstone, and is refused for a bad id', async (t) => {
  const config = await testConfig(t)
  await testTopics(t, config, topicNames)
  const stream = await connectStream({
    brokers: config.kafkaBrokers,
    clientId: 'test-role',
    topicPrefix: config.topicPrefix,
    log: logger,
    metrics: createMetrics()
  })
  t.teardown(() => stream.close())
  const pool = createPool(config.postgresSystemUrl, { application_name: 'test', max: 2 })
  t.teardown(() => pool.end())
  const [incident_id, gone] = [uuidv7(), uuidv7()]
  await insertIncident(pool, incident_id)
  await insertOutgoing(
    pool,
    [mark(`incident:${incident_id}`, 2), mark(`incident:${gone}`, 9), mark('incident:nonsense', 1), mark(`incident:${incident_id}`, 3)],
    codec
  )
  const records: InRecord[] = []
  await stream.follow({ topics: ['incident.state.v1'], from: 'beginning', onRecords: (batch) => records.push(...batch) })
  let fatal = ''
  const role = await start({
    config,
    log: logger,
    metrics: createMetrics(),
    stream: async () => stream,
    codec: async () => codec,
    fatal: (reason) => {
      fatal = reason
    }
  })
  let open = true
  t.teardown(() => (open ? role.close() : undefined))
  await until('an empty outbox', async () => (await pool.query('SELECT 1 FROM outbox')).rowCount === 0)
  await until('both records', () => records.length === 2)
  const [row, tombstone] = [incident_id, gone].map((id) => records.find(({ key }) => key === id))
  t.match(codec.decode('Incident', row?.value ?? Buffer.alloc(0)), {
    incident_id,
    ver: 3,
    title: 'Disk full',
    labels: { host: 'db1' },
    opened_at: 1_800_000_000_000
  })
  t.match(row?.headers, { aggregate: `incident:${incident_id}`, ver: '3', tenant_id })
  t.equal(tombstone?.value, null)
  t.match((await pool.query('SELECT aggregate FROM outbox_refused')).rows, [{ aggregate: 'incident:nonsense' }])
  t.same(role.ready(), { relay: true })
  open = false
  await role.close()
  t.equal(fatal, '')
  t.equal((await pool.query('SELECT 1 FROM relay_shards WHERE NOT clean')).rowCount, 0, 'let go of cleanly')
})
