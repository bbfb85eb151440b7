/** A client that sends statements of a transaction as one group, on a real Postgres. */
import type { PoolClient } from 'pg'
import t, { type Test } from 'tap'
import { createPool } from '../../../services/store/pool.ts'
import { database } from '../../harness/engines.ts'

const insert = (key: string): string => `INSERT INTO partition_state VALUES ('p', 0, '${key}', '{}') RETURNING key`
const ABORTED = { code: '25P02' }

t.test('the gathering client', async (t) => {
  const { systemUrl } = await database(t)
  const pool = createPool(systemUrl, { application_name: 'gathering test', max: 3 })
  t.teardown(() => pool.end())

  /**
   * Returns a connection, and a count of how often Postgres has reported that it is ready: once for
   * each Sync.
   */
  async function connection(t: Test): Promise<{ client: PoolClient; syncs(): number }> {
    const client = await pool.connect()
    t.teardown(() => client.release())
    let ready = 0
    ;(client as unknown as { connection: NodeJS.EventEmitter }).connection.on('readyForQuery', () => {
      ready++
    })
    return { client, syncs: () => ready }
  }
  const keys = async (): Promise<string[]> => (await pool.query('SELECT key FROM partition_state ORDER BY key')).rows.map(({ key }) => key)
  t.afterEach(() => pool.query('DELETE FROM partition_state'))

  await t.test('statements of one turn share one Sync, run in order, and get their own answers', async (t) => {
    const { client, syncs } = await connection(t)
    const answers = await Promise.all([
      client.query('BEGIN'),
      client.query({ name: 'one', text: 'SELECT $1::int8 AS n', values: [7] }),
      client.query(insert('a')),
      client.query("SELECT key, timestamptz 'epoch' AS at FROM partition_state WHERE key = $1", ['a']),
      client.query({ text: 'SELECT 1, 2', rowMode: 'array' }),
      client.query("UPDATE partition_state SET state = '[]'")
    ])
    t.equal(syncs(), 1)
    t.same(
      answers.map(({ command, rowCount }) => `${command} ${rowCount}`),
      ['BEGIN null', 'SELECT 1', 'INSERT 1', 'SELECT 1', 'SELECT 1', 'UPDATE 1']
    )
    t.same(
      answers.flatMap(({ rows }): unknown[] => rows),
      [{ n: 7 }, { key: 'a' }, { key: 'a', at: 0 }, [1, 2]]
    )
    await client.query('COMMIT')
    t.equal(syncs(), 2)
    t.same(await keys(), ['a'])
  })

  await t.test('a named statement is parsed once, in a group or alone', async (t) => {
    const { client } = await connection(t)
    const named = (n: number) => ({ name: 'named', text: 'SELECT $1::int AS n', values: [n] })
    await client.query('BEGIN')
    const first = await Promise.all([1, 2, 3].map((n) => client.query(named(n))))
    const alone = await client.query(named(4))
    const again = await Promise.all([5, 6].map((n) => client.query(named(n))))
    t.same(
      [...first, alone, ...again].map(({ rows }) => rows[0]?.n),
      [1, 2, 3, 4, 5, 6]
    )
    const { rows } = await client.query("SELECT count(*) FROM pg_prepared_statements WHERE name = 'named'")
    t.same(rows, [{ count: 1 }])
    await client.query('ROLLBACK')
  })

  await t.test('statements after a failed one are skipped, and can be sent again later', async (t) => {
    const { client, syncs } = await connection(t)
    await client.query('BEGIN')
    const before = syncs()
    const later = { name: 'later', text: 'SELECT $1::int AS n', values: [1] }
    const [first, failed, second, third] = await Promise.allSettled([
      client.query(insert('a')),
      client.query('SELECT 1 / 0'),
      client.query(insert('b')),
      client.query(later)
    ])
    t.equal(first.status, 'fulfilled')
    t.match(failed, { reason: { code: '22012', stack: /gathering-client\.test/ } })
    t.match([second, third], [{ reason: ABORTED }, { reason: ABORTED }])
    t.equal((await client.query('COMMIT')).command, 'ROLLBACK')
    // Postgres sends an error before it reports that it is ready. After COMMIT, both have arrived.
    t.equal(syncs(), before + 2)
    t.same((await client.query(later)).rows, [{ n: 1 }], 'it was not parsed before')
    t.same(await keys(), [])
  })

  await t.test('a group whose BEGIN fails does nothing', async (t) => {
    const { client } = await connection(t)
    const [begin, written] = await Promise.allSettled([client.query('BEGIN ISOLATION LEVEL NONE'), client.query(insert('a'))])
    t.match(begin, { reason: { code: '42601' } })
    t.match(written, { reason: ABORTED })
    t.same(await keys(), [])
    t.same((await client.query('SELECT 1 AS n')).rows, [{ n: 1 }])
  })

  await t.test('outside a transaction a failed statement does not affect the others', async (t) => {
    const { client } = await connection(t)
    const [first, failed, last] = await Promise.allSettled([
      client.query(insert('a')),
      client.query('SELECT 1 / 0'),
      client.query(insert('b'))
    ])
    t.same([first.status, failed.status, last.status], ['fulfilled', 'rejected', 'fulfilled'])
    t.same(await keys(), ['a', 'b'])
  })

  await t.test('a text of several statements or a callback keeps its place in the order', async (t) => {
    const { client } = await connection(t)
    const called = new Promise<unknown>((resolve) => {
      client.query('BEGIN').catch(resolve)
      client.query(insert('a')).catch(resolve)
      client.query(`${insert('b')}; ${insert('c')}`).catch(resolve)
      client.query('SELECT count(*) FROM partition_state', (error: Error | null, result) => resolve(error ?? result.rows))
    })
    t.same(await called, [{ count: 3 }])
    await client.query('ROLLBACK')
  })

  await t.test('a statement that cannot be sent fails alone', async (t) => {
    const { client } = await connection(t)
    await client.query('BEGIN')
    await client.query({ name: 'taken', text: 'SELECT 1' })
    const circle: Record<string, unknown> = {}
    circle.circle = circle
    const [first, unsent, other, last] = await Promise.allSettled([
      client.query(insert('a')),
      client.query('SELECT $1::jsonb', [circle]),
      client.query({ name: 'taken', text: 'SELECT 2' }),
      client.query(insert('b'))
    ])
    t.match(unsent, { reason: TypeError })
    t.match(other, { reason: { message: /must be unique/ } })
    t.same([first.status, last.status], ['fulfilled', 'fulfilled'])
    await client.query('COMMIT')
    t.same(await keys(), ['a', 'b'])
  })

  await t.test('a group in which no statement can be sent leaves the connection usable', async (t) => {
    const { client } = await connection(t)
    await client.query('BEGIN')
    await client.query({ name: 'of old', text: 'SELECT 1' })
    const two = await Promise.allSettled([2, 3].map((n) => client.query({ name: 'of old', text: `SELECT ${n}` })))
    t.match(two, [{ reason: { message: /must be unique/ } }, { reason: { message: /must be unique/ } }])
    t.same((await client.query('SELECT 1 AS n')).rows, [{ n: 1 }])
    await client.query('ROLLBACK')
  })

  await t.test('a connection that breaks fails the whole group', async () => {
    const broken = await pool.connect()
    await broken.query('BEGIN')
    const { rows } = await broken.query('SELECT pg_backend_pid() AS pid')
    const group = Promise.allSettled([broken.query(insert('a')), broken.query('SELECT pg_sleep(60)'), broken.query(insert('b'))])
    await new Promise((resolve) => setImmediate(resolve))
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    const [, slept, last] = await group
    t.same([slept.status, last.status], ['rejected', 'rejected'])
    broken.release(true)
    t.same(await keys(), [])
  })
})
