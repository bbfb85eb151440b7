/**
 * Every statement of clickhouse/ in its form for replicas. The engine reads compose/clickhouse.xml
 * as the servers do and parses the generated statements. It has no other server to fetch parts from
 * and therefore keeps no replicated table itself: this does not test what replicas do with the
 * statements.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Session } from 'chdb'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { type Engine, openEngine, QueryTooLarge } from '../../../services/analytics/engine.ts'
import { migrateEngine, migrationFiles, statementsOf } from '../../../services/analytics/migrations.ts'
import { acrossReplicas } from '../../../services/analytics/replicas.ts'
import { replicated } from '../../../services/analytics/replicated.ts'
import { readConfig } from '../../../services/process/config.ts'
import type { Teardown } from '../../harness/engines.ts'
import { freePort } from '../../harness/free-ports.ts'
import { ownFolder } from './stand.ts'

const statements = migrationFiles().flatMap((name) => statementsOf(readFileSync(join(projectRoot, 'clickhouse', name), 'utf8')))

t.test('every statement has a replicated form that is otherwise the same', async (t) => {
  t.ok(statements.length > 30)
  const paths = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'"
  for (const statement of statements) {
    const made = replicated(statement, 'service')
    const [beginning = ''] = statement.split('\n')
    t.equal(made.split(" ON CLUSTER 'service'").length, 2, beginning)
    t.notMatch(made, /ENGINE = (?!Replicated)|non_replicated_/, beginning)
    t.equal(statement.includes(' ENGINE = '), made.includes(`(${paths}`), beginning)
    t.equal(
      made
        .replace(" ON CLUSTER 'service'", '')
        .replace(`(${paths}, `, '(')
        .replace(`(${paths})`, '')
        .replace('ENGINE = Replicated', 'ENGINE = ')
        .replace('SETTINGS replicated_', 'SETTINGS non_replicated_')
        .replace(', replicated_deduplication_window_seconds = 2678400', ''),
      statement,
      beginning
    )
  }
})

t.test('replicated forms of statements', async (t) => {
  const make = (statement: string): string => replicated(statement, 'c')
  t.equal(
    make(
      'CREATE TABLE IF NOT EXISTS a (\n  b UInt8\n) ENGINE = ReplacingMergeTree(b)\nORDER BY b\nSETTINGS non_replicated_deduplication_window = 10, x = 1'
    ),
    "CREATE TABLE IF NOT EXISTS a ON CLUSTER 'c' (\n  b UInt8\n) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', b)\n" +
      'ORDER BY b\nSETTINGS replicated_deduplication_window = 10, replicated_deduplication_window_seconds = 2678400, x = 1'
  )
  t.equal(
    make('CREATE MATERIALIZED VIEW IF NOT EXISTS v TO a AS SELECT 1'),
    "CREATE MATERIALIZED VIEW IF NOT EXISTS v ON CLUSTER 'c' TO a AS SELECT 1"
  )
  t.equal(make('CREATE OR REPLACE VIEW v AS\nSELECT 1'), "CREATE OR REPLACE VIEW v ON CLUSTER 'c' AS\nSELECT 1")
  t.equal(make('DROP VIEW IF EXISTS v'), "DROP VIEW IF EXISTS v ON CLUSTER 'c'")
  t.equal(make('ALTER TABLE a ADD COLUMN IF NOT EXISTS b UInt8'), "ALTER TABLE a ON CLUSTER 'c' ADD COLUMN IF NOT EXISTS b UInt8")
})

t.test('a statement without a known replicated form is refused', async (t) => {
  const refused: [statement: string, why: RegExp][] = [
    ['CREATE TABLE a (b UInt8) ENGINE = MergeTree ORDER BY b', /its beginning is not known/],
    ['CREATE TABLE IF NOT EXISTS a (b UInt8) ENGINE = Log', /the engine Log is not known/],
    ['CREATE TABLE IF NOT EXISTS a (b UInt8) ENGINE = ReplicatedMergeTree ORDER BY b', /the engine ReplicatedMergeTree is not known/],
    ['CREATE TABLE IF NOT EXISTS a AS b', /expected one engine, found 0/],
    ['CREATE MATERIALIZED VIEW IF NOT EXISTS v ENGINE = MergeTree ORDER BY b AS SELECT 1 AS b', /its beginning is not known/],
    ['ALTER TABLE a DELETE WHERE b = 1', /its beginning is not known/],
    ['ALTER TABLE a RENAME COLUMN b TO c', /its beginning is not known/],
    ['INSERT INTO a VALUES (1)', /its beginning is not known/]
  ]
  for (const [statement, why] of refused) t.throws(() => replicated(statement, 'c'), { message: why }, statement)
})

/**
 * Returns the settings that a server receives with a statement, an insert and a query. For a
 * cluster, the address listed before the server's does not answer.
 */
async function settingsTold(t: Teardown, cluster: string): Promise<Record<string, string>> {
  const told: Record<string, string> = {}
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      for (const [name, value] of new URL(request.url ?? '', 'http://server').searchParams) told[name] = value
      if (Buffer.concat(parts).includes('select_sequential_consistency = 1')) told.select_sequential_consistency = '1'
      response.end('[]')
    })
  })
  const listen = async (): Promise<string> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const url = await listen()
  const away = await freePort()
  const engine = openEngine({ path: '', urls: cluster === '' ? [url] : [`http://127.0.0.1:${away}`, url], replicas: cluster !== '' })
  t.teardown(async () => {
    await engine.close()
    server.close()
  })
  await engine.command('SELECT 1')
  await engine.insert('a', ['b'], Buffer.from('1\n'), 'token')
  await engine.query('SELECT 1', {}, { timeMs: 1000, maxRows: 1 })
  // HTTP parameters that are no settings.
  for (const name of ['query', 'query_id', 'database', 'session_id', 'default_format', 'wait_end_of_query']) delete told[name]
  return told
}

t.test('only replicated servers get quorum settings', async (t) => {
  const one = await settingsTold(t, '')
  t.equal(one.insert_deduplication_token, 'token')
  t.notMatch(Object.keys(one).join(), /quorum|distributed|alter_sync|sequential/)
  t.match(await settingsTold(t, 'service'), {
    ...one,
    insert_quorum: 'auto',
    insert_quorum_parallel: '0',
    insert_quorum_timeout: '30000',
    distributed_ddl_task_timeout: '30',
    distributed_ddl_output_mode: 'throw',
    alter_sync: '2',
    select_sequential_consistency: '1'
  })
})

t.test('several ClickHouse servers need a cluster name, and a cluster name needs servers', async (t) => {
  const read = (environment: NodeJS.ProcessEnv) => readConfig(environment, [])
  const three = 'http://a:8123/service,http://b:8123/service, http://c:8123/service'
  const cluster = read({ SERVICE_CLICKHOUSE_URL: three, SERVICE_CLICKHOUSE_CLUSTER: 'service' })
  t.equal(cluster.clickhouseUrls.length, 3)
  t.equal(cluster.clickhouseCluster, 'service')
  t.same(read({}).clickhouseUrls, [])
  t.same(read({ SERVICE_CLICKHOUSE_URL: 'http://a:8123/service' }).clickhouseUrls, ['http://a:8123/service'])
  t.throws(() => read({ SERVICE_CLICKHOUSE_URL: three }), { message: /SERVICE_CLICKHOUSE_URL: expected one address/ })
  t.throws(() => read({ SERVICE_CLICKHOUSE_CLUSTER: 'service' }), { message: /expected SERVICE_CLICKHOUSE_URL beside it/ })
  t.throws(() => read({ SERVICE_CLICKHOUSE_URL: three, SERVICE_CLICKHOUSE_CLUSTER: "a' DROP" }), {
    message: /SERVICE_CLICKHOUSE_CLUSTER: expected letters/
  })
  t.throws(() => read({ SERVICE_CLICKHOUSE_URL: 'http://a:1,ftp://secret', SERVICE_CLICKHOUSE_CLUSTER: 'c' }), {
    message: /^(?![\s\S]*secret)[\s\S]*SERVICE_CLICKHOUSE_URL: expected an address/
  })
})

t.test('the engine accepts the configuration of the servers and every replicated statement', async (t) => {
  const folder = ownFolder(t)
  writeFileSync(join(folder, 'secrets'), '<clickhouse><interserver_password>of the test</interserver_password></clickhouse>')
  const config = readFileSync(join(projectRoot, 'compose/clickhouse.xml'), 'utf8').replace(
    '/run/secrets/clickhouse_secrets',
    join(folder, 'secrets')
  )
  writeFileSync(join(folder, 'config.xml'), config)
  mkdirSync(join(folder, 'data'))
  Object.assign(process.env, { CLICKHOUSE_REPLICA: 'clickhouse-2', CLICKHOUSE_KEEPER_ID: '2' })
  const session = new Session(join(folder, 'data'), { connectionArgs: [`--config-file=${join(folder, 'config.xml')}`] })
  t.teardown(() => session.close())
  const rows = (sql: string): unknown[] =>
    session
      .query(sql, 'JSONEachRow')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown)
  t.same(rows('SELECT macro, substitution FROM system.macros ORDER BY macro'), [
    { macro: 'replica', substitution: 'clickhouse-2' },
    { macro: 'shard', substitution: 'main' }
  ])
  t.same(
    rows("SELECT host_name, port, shard_num FROM system.clusters WHERE cluster = 'service' ORDER BY replica_num"),
    ['clickhouse', 'clickhouse-2', 'clickhouse-3'].map((host_name) => ({ host_name, port: 9000, shard_num: 1 }))
  )
  for (const statement of statements) t.ok(rows(`EXPLAIN AST ${replicated(statement, 'service')}`).length > 0, statement.slice(0, 60))
  t.throws(() => rows('EXPLAIN AST CREATE TABLE a ON CLUSTER (b UInt8) ENGINE = MergeTree'), 'it does refuse')
  t.same(
    rows(
      "SELECT name FROM system.merge_tree_settings WHERE name IN ('replicated_deduplication_window', 'replicated_deduplication_window_seconds') ORDER BY name"
    ).length,
    2
  )
  const told = await settingsTold(t, 'service')
  const list = Object.entries(told).map(([name, value]) => `${name} = '${value}'`)
  t.ok(list.length > 10)
  t.same(rows(`SELECT 1 AS one SETTINGS ${list.join(', ')}`), [{ one: 1 }], 'and knows every setting of a request')
  t.throws(() => rows("SELECT 1 SETTINGS insert_quorums = 'auto'"))
})

/**
 * An engine that records the statements it receives. `answer` is the result of a query, or the
 * error it fails with.
 */
function noting(answer: (sql: string) => string | Error): { engine: Engine; asked: string[] } {
  const asked: string[] = []
  const take = async (text: string): Promise<string> => {
    asked.push(text)
    const given = answer(text)
    if (given instanceof Error) throw given
    return given
  }
  const engine: Engine = {
    query: (sql) => take(sql),
    command: async (sql) => void (await take(sql)),
    insert: async (table, _columns, body) => void (await take(`${table}: ${body.toString().trim()}`)),
    close: async () => void asked.push('close')
  }
  return { engine, asked }
}

t.test('a cluster is migrated only when a migration is due', async (t) => {
  const files = migrationFiles()
  const answer = (tables: object[], applied: readonly string[]) => (sql: string) =>
    JSON.stringify(sql.includes('system.tables') ? tables : applied.map((name) => ({ name })))
  const begun = [{ name: 'migrations', engine: 'ReplicatedReplacingMergeTree' }]
  const all = noting(answer(begun, files.slice(1)))
  t.same(await migrateEngine(all.engine, 'service'), [])
  t.equal(all.asked.filter((sql) => sql.includes('ON CLUSTER')).length, 0)
  const fresh = noting(answer([], []))
  t.same(await migrateEngine(fresh.engine, 'service'), files.slice(1))
  t.same(
    fresh.asked.filter((sql) => sql.includes('ON CLUSTER')),
    statements.map((statement) => replicated(statement, 'service'))
  )
  const single = noting(answer([{ name: 'check_results', engine: 'MergeTree' }], []))
  await t.rejects(migrateEngine(single.engine, 'service'), { message: /tables that do not replicate \(check_results\)/ })
  t.equal(single.asked.length, 1)
})

t.test('when a server is down, the next server is used', async (t) => {
  let away = true
  const one = noting(() => (away ? new Error('away') : 'one'))
  const two = noting((sql) => (sql === 'large' ? new QueryTooLarge('too much') : 'two'))
  const both = acrossReplicas([one.engine, two.engine], (error) => error instanceof QueryTooLarge)
  const ask = (sql: string): Promise<string> => both.query(sql, {}, { timeMs: 1, maxRows: 1 })
  await t.rejects(both.insert('a', ['b'], Buffer.from('1'), 'token'), { message: 'away' }, 'the sink repeats it')
  await both.insert('a', ['b'], Buffer.from('1'), 'token')
  t.same([one.asked, two.asked], [['a: 1'], ['a: 1']], 'at the next server')
  t.equal(await ask('x'), 'two', 'who is asked from now on')
  await t.rejects(ask('large'), QueryTooLarge)
  t.same(one.asked, ['a: 1'], 'no other is asked for what is too large everywhere')
  away = false
  t.equal(await ask('y'), 'two')
  const gone = acrossReplicas([noting(() => new Error('first')).engine, noting(() => new Error('second')).engine], () => false)
  await t.rejects(gone.query('x', {}, { timeMs: 1, maxRows: 1 }), { message: 'second' }, 'each is asked once')
  await both.close()
  t.same([one.asked.at(-1), two.asked.at(-1)], ['close', 'close'])
})
