/**
 * The migrate step on real engines: it can be repeated, concurrent runs take turns, and it refuses
 * what it does not know.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { specOf, topicNames } from '../../../schemas/topics.ts'
import { uuidv5, uuidv7 } from '../../../schemas/uuid.ts'
import { beginNewLog, migrateDatabase, migrateTopics } from '../../../services/operator/migrate.ts'
import { runMigrations } from '../../../services/operator/migrations.ts'
import { createPool } from '../../../services/store/pool.ts'
import { canLogIn, ensureDatabase, ensureLogin } from '../../../services/store/server.ts'
import { connectStream, readLogState } from '../../../streams/runtime/connect.ts'
import { deleteTopics } from '../../../streams/runtime/create-topics.ts'
import { database, dropDatabase, engines, testConfig, testTopics, urlsOf } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { kafkaOf, testLog, testMetrics } from '../../streams/runtime/support.ts'

const TOPIC_RESOURCE = 2
/** Tests without topics never ask for them. */
const log = { kafkaBrokers: engines().kafkaBrokers, topicPrefix: 'test-none-' }

/** An empty database. */
async function empty(t: Test) {
  const { postgresUrl } = engines()
  const name = `service_test_${randomBytes(6).toString('hex')}`
  await ensureDatabase(postgresUrl, name)
  t.teardown(() => dropDatabase(postgresUrl, name))
  return urlsOf(postgresUrl, name)
}

async function query(url: string, text: string) {
  const pool = createPool(url, { application_name: 'test', max: 1 })
  try {
    return (await pool.query(text)).rows
  } finally {
    await pool.end()
  }
}

t.test('migration creates the newest schema, and a second run changes nothing', async (t) => {
  const urls = await empty(t)
  const ran = await migrateDatabase(urls)
  t.ok(ran.length >= 7)
  t.same(ran, [...ran].sort())
  t.same(await migrateDatabase(urls), [])
  for (const url of [urls.tenantUrl, urls.systemUrl]) t.ok(await canLogIn(url))
  t.same(await query(urls.tenantUrl, 'SELECT * FROM tenants'), [])
})

t.test('two concurrent migrations take turns', async (t) => {
  const urls = await empty(t)
  const [first, second] = await Promise.all([migrateDatabase(urls), migrateDatabase(urls)])
  t.equal(Math.min(first.length, second.length), 0)
  t.ok(Math.max(first.length, second.length) >= 7)
})

t.test('a migration that waits for a lock lets everybody else pass, and names who holds it', async (t) => {
  const urls = await database(t)
  const dir = mkdtempSync(join(tmpdir(), 'migrations-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, '0001_new_column.sql'), 'ALTER TABLE deliveries ADD COLUMN of_a_test integer;')
  const options = { ownerUrl: urls.ownerUrl, dir, pattern: /^\d{4}_[a-z_]+\.sql$/, lockWaitMs: 300, pauseMs: 10 }
  await query(urls.ownerUrl, 'DELETE FROM schema_migrations')
  const pool = createPool(urls.ownerUrl, { application_name: 'the dump', max: 1 })
  const dump = await pool.connect()
  try {
    await dump.query('BEGIN')
    await dump.query('SELECT 1 FROM deliveries LIMIT 1')
    const said: string[] = []
    await t.rejects(
      runMigrations({ ...options, tries: 2 }, (line) => said.push(line)),
      { message: /^Nothing was migrated: .+ 2 times .+ the longest transaction now is that of the dump \(process \d+\)/ }
    )
    t.match(said, [/^Try 1 of 2: a table is in use; .+ the dump/])
    let tries = 0
    const migrated = runMigrations({ ...options, tries: 1000 }, () => {
      tries += 1
    })
    await until('a first try', () => tries >= 1)
    t.same(await query(urls.systemUrl, 'SELECT * FROM deliveries'), [], 'the notifier still reads the table')
    await dump.query('COMMIT')
    t.same(await migrated, ['0001_new_column'])
  } finally {
    dump.release(true)
    await pool.end()
  }
})

t.test('a database that a newer version migrated is refused', async (t) => {
  const urls = await database(t)
  await query(urls.ownerUrl, "INSERT INTO schema_migrations (name, run_on) VALUES ('9999_future', now())")
  await t.rejects(migrateDatabase(urls), { message: /does not have \(9999_future\)/ })
})

t.test('the right password can log in, a wrong one cannot', async (t) => {
  const urls = await database(t)
  const wrong = new URL(urls.tenantUrl)
  wrong.password = 'wrong'
  t.notOk(await canLogIn(wrong.href))
  t.ok(await canLogIn(urls.tenantUrl))
})

t.test('a changed password replaces the old one', async (t) => {
  // A role of its own, because the roles of the service are shared by all databases of the server.
  const { ownerUrl } = await database(t)
  const role = `service_test_${randomBytes(6).toString('hex')}`
  await query(ownerUrl, `CREATE ROLE ${role}`)
  t.teardown(() => query(ownerUrl, `DROP ROLE ${role}`))
  const [first, second] = ["it's the first", 'the second: 100 %'].map((password) => {
    const url = new URL(ownerUrl)
    url.username = role
    url.password = encodeURIComponent(password)
    return url.href
  }) as [string, string]
  t.notOk(await canLogIn(first))
  await ensureLogin(ownerUrl, first)
  t.same([await canLogIn(first), await canLogIn(second)], [true, false])
  await ensureLogin(ownerUrl, second)
  t.same([await canLogIn(first), await canLogIn(second)], [false, true])
})

t.test('a new log clears stream positions and signal offsets, and nothing else', async (t) => {
  const urls = await database(t)
  await query(
    urls.ownerUrl,
    "INSERT INTO stream_offsets (processor, topic, partition, next_offset, cluster_id) VALUES ('incident', 'x', 0, 7, 'old')"
  )
  const tenant = '0190aaaa-0000-7000-8000-000000000001'
  await query(
    urls.systemUrl,
    `INSERT INTO signals (tenant_id, dedup_key, last_action, last_sequence, last_offset) VALUES ('${tenant}', 'int:a', 'fire', 5, 1000), ('${tenant}', 'int:b', null, null, null)`
  )
  t.same(await beginNewLog(urls.ownerUrl, log), { positions: 1, states: 0 })
  t.same(await query(urls.systemUrl, 'SELECT dedup_key, last_action, last_sequence, last_offset FROM signals ORDER BY dedup_key'), [
    { dedup_key: 'int:a', last_action: 'fire', last_sequence: 5, last_offset: null },
    { dedup_key: 'int:b', last_action: null, last_sequence: null, last_offset: null }
  ])
  t.same(await query(urls.tenantUrl, 'SELECT * FROM signals'), [], 'and the policies hold')
  t.same(await query(urls.ownerUrl, "SELECT relforcerowsecurity AS forced FROM pg_class WHERE relname = 'signals'"), [{ forced: true }])
  t.same(await beginNewLog(urls.ownerUrl, log), { positions: 0, states: 0 })
})

t.test('a log that the positions are in is no new one, unless it is empty', async (t) => {
  const config = await testConfig(t)
  await testTopics(t, config, ['alerts.inbound.v1'])
  const options = { brokers: config.kafkaBrokers, clientId: 'test', topicPrefix: config.topicPrefix, log: testLog() }
  const { clusterId } = await readLogState(options)
  const positions = () => query(config.postgresUrl, 'SELECT topic, partition, next_offset, cluster_id FROM stream_offsets')
  const store = () =>
    query(
      config.postgresUrl,
      `INSERT INTO stream_offsets (processor, topic, partition, next_offset, cluster_id) VALUES ('incident', 'alerts.inbound.v1', 0, 48229, '${clusterId}')`
    )
  await store()
  t.same(await beginNewLog(config.postgresUrl, config), { positions: 1, states: 0 }, 'its topics are empty')
  await store()
  const stored = await positions()
  const stream = await connectStream({ ...options, metrics: testMetrics() })
  t.teardown(() => stream.close())
  await stream.log.append([{ topic: 'alerts.inbound.v1', key: 'k', partition: 0, value: Buffer.from('v') }])
  await t.rejects(beginNewLog(config.postgresUrl, config), {
    name: 'UsageError',
    message: new RegExp(`^This is no new log: the stored positions are in its cluster ${clusterId}, and it holds 1 record`)
  })
  t.same(await positions(), stored)
  await query(
    config.postgresUrl,
    "INSERT INTO stream_offsets (processor, topic, partition, next_offset, cluster_id) VALUES ('status', 'checks.results.v1', 0, 7, 'old')"
  )
  t.same(await beginNewLog(config.postgresUrl, config), { positions: 1, states: 0 }, 'another position is in the log before it')
  t.same(await positions(), stored, 'what has begun in the new log goes on')
})

t.test('a new log gets every raised ceiling, monitor, incident and window, and no policy stays lifted', async (t) => {
  const urls = await database(t)
  const [tenant, id, event, gone] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()]
  const statements = [
    `INSERT INTO tenants (tenant_id, name, slug) VALUES ('${tenant}', 'Acme', 'acme')`,
    ...[
      ['budget', tenant, { kind: 'budget', tenant_id: tenant, raised: { version: 4, event_id: event, cause: 'ingest.usage.v1:1:2' } }],
      ['budget', gone, { kind: 'budget', tenant_id: gone, raised: null }],
      ['budget', 'partition:0', { kind: 'partition', swept_at: 1 }],
      ['status', id, { tenant_id: tenant, monitor_id: id, ver: 5, event_id: event, cause: { src: 'checks.results.v1:3:4' } }],
      ['status', 'partition:0', { partition: 0, tick_at: 1 }]
    ].map(
      ([processor, key, state]) =>
        `INSERT INTO partition_state (processor, partition, key, state) VALUES ('${processor}', 0, '${key}', '${JSON.stringify(state)}')`
    ),
    `INSERT INTO incidents (tenant_id, incident_id, ver, number, dedup_key, status, severity, title, source_kind, visibility, routing_version, detected_at, opened_at, started_at, updated_at)
     VALUES ('${tenant}', '${id}', 6, 1, 'k', 'ongoing', 'critical', 'Disk full', 'inbound', 'org', 0, now(), now(), now(), now())`,
    `INSERT INTO incident_events (tenant_id, incident_id, ver, event_id, change, at, cause)
     VALUES ('${tenant}', '${id}', 6, '${event}', 'created', now(), '{"src": "alerts.inbound.v1:5:6"}')`,
    ...[
      [id, 'NULL'],
      [gone, 'now()']
    ].map(
      ([window, deleted]) =>
        `INSERT INTO maintenance_windows (tenant_id, window_id, ver, origin, name, scope, effect, schedule, settle_seconds, count_in_uptime, goes_on, created_by, deleted_at)
         VALUES ('${tenant}', '${window}', 7, 'planned', 'Sunday', '{}', 'suppress_notifications', '{}', 0, false, false, 'user:x', ${deleted})`
    )
  ]
  for (const statement of statements) await query(urls.systemUrl, statement)
  const forced = () => query(urls.ownerUrl, 'SELECT relname FROM pg_class WHERE relforcerowsecurity ORDER BY 1')
  const before = await forced()
  t.same(await beginNewLog(urls.ownerUrl, log), { positions: 0, states: 4 })
  const marks = await query(
    urls.systemUrl,
    "SELECT tenant_id, topic, aggregate, ver, convert_from(key, 'UTF8') AS key, headers, payload FROM outbox ORDER BY ver"
  )
  const mark = (topic: string, aggregate: string, ver: number, key: string, headers: object) => ({
    ...{ tenant_id: tenant, topic, aggregate: `${aggregate}:${key}`, ver, key, headers, payload: null }
  })
  t.same(marks, [
    mark('tenant.budgets.v1', 'budget', 4, tenant, { event_id: event, event_type: 'budget', src: 'ingest.usage.v1:1:2' }),
    mark('monitor.state.v1', 'monitor', 5, id, { event_id: event, event_type: 'monitor.configured', src: 'checks.results.v1:3:4' }),
    mark('incident.state.v1', 'incident', 6, id, { event_id: event, event_type: 'incident.created', src: 'alerts.inbound.v1:5:6' }),
    mark('maintenance.windows.v1', 'maintenance', 7, id, {
      ...{ event_id: uuidv5(id, '7'), event_type: 'maintenance_window', src: 'system:new-log' }
    })
  ])
  t.same(await forced(), before)
})

t.test('the test cleanup refuses a database that is not of a test', async (t) => {
  const { postgresUrl } = engines()
  for (const name of ['service', 'postgres', 'x; DROP TABLE tenants; --test'])
    await t.rejects(dropDatabase(postgresUrl, name), { message: /only databases of a test/ })
})

t.test('topics are created once, and migration corrects their settings but refuses other partition counts', async (t) => {
  const config = await testConfig(t)
  const options = { brokers: config.kafkaBrokers, clientId: 'test', topicPrefix: config.topicPrefix, log: testLog() }
  t.teardown(() => deleteTopics(options, topicNames))
  t.same(await migrateTopics(config), topicNames)
  t.same(await migrateTopics(config), [])

  const admin = kafkaOf(config.kafkaBrokers).admin()
  await admin.connect()
  t.teardown(() => admin.disconnect())
  const topic = `${config.topicPrefix}incident.state.v1`
  const policy = async () => {
    const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: TOPIC_RESOURCE, name: topic }] })
    return resources[0]?.configEntries.find(({ configName }) => configName === 'cleanup.policy')?.configValue
  }
  const configEntries = [{ name: 'cleanup.policy', value: 'delete' }]
  await admin.alterConfigs({ validateOnly: false, resources: [{ type: TOPIC_RESOURCE, name: topic, configEntries }] })
  await until('the wrong setting', async () => (await policy()) === 'delete')
  t.same(await migrateTopics(config), [])
  t.equal(await policy(), 'compact')

  const { partitions } = specOf('dlq.v1')
  await admin.createPartitions({ topicPartitions: [{ topic: `${config.topicPrefix}dlq.v1`, count: partitions + 1 }] })
  const fault = await until('the wrong count', () =>
    migrateTopics(config).then(
      () => '',
      (error: Error) => error.message
    )
  )
  t.match(fault, `dlq.v1 has ${partitions + 1} partitions, expected ${partitions}`)
})
