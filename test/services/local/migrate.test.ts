/**
 * The migrate step on real engines: it can be repeated, concurrent runs take turns, and it refuses
 * what it does not know.
 */
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { beginNewLog, migrateDatabase, migrateTopics } from '../../../services/operator/migrate.ts'
import { createPool } from '../../../services/store/pool.ts'
import { canLogIn, ensureDatabase } from '../../../services/store/server.ts'
import { database, dropDatabase, engines, testConfig, urlsOf } from '../../harness/engines.ts'

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

t.test('topics are created once', async (t) => {
  const config = await testConfig(t)
  const { deleteTopics } = await import('../../../streams/runtime/create-topics.ts')
  const { topicNames } = await import('../../../schemas/topics.ts')
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  t.teardown(() =>
    deleteTopics({ brokers: config.kafkaBrokers, clientId: 'test', topicPrefix: config.topicPrefix, log: quiet }, topicNames)
  )
  t.same(await migrateTopics(config), topicNames)
  t.same(await migrateTopics(config), [])
})
