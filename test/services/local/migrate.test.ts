/**
 * The migrate step on real engines: it can be repeated, concurrent runs take turns, and it refuses
 * what it does not know.
 */
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { specOf, topicNames } from '../../../schemas/topics.ts'
import { beginNewLog, migrateDatabase, migrateTopics } from '../../../services/operator/migrate.ts'
import { createPool } from '../../../services/store/pool.ts'
import { canLogIn, ensureDatabase, ensureLogin } from '../../../services/store/server.ts'
import { deleteTopics } from '../../../streams/runtime/create-topics.ts'
import { database, dropDatabase, engines, testConfig, urlsOf } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { kafkaOf, testLog } from '../../streams/runtime/support.ts'

const TOPIC_RESOURCE = 2

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
  t.equal(await beginNewLog(urls.ownerUrl), 1)
  t.same(await query(urls.systemUrl, 'SELECT dedup_key, last_action, last_sequence, last_offset FROM signals ORDER BY dedup_key'), [
    { dedup_key: 'int:a', last_action: 'fire', last_sequence: 5, last_offset: null },
    { dedup_key: 'int:b', last_action: null, last_sequence: null, last_offset: null }
  ])
  t.same(await query(urls.tenantUrl, 'SELECT * FROM signals'), [], 'and the policies hold')
  t.same(await query(urls.ownerUrl, "SELECT relforcerowsecurity AS forced FROM pg_class WHERE relname = 'signals'"), [{ forced: true }])
  t.equal(await beginNewLog(urls.ownerUrl), 0)
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
