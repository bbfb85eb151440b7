/**
 * Tests of a Postgres whose machine vanishes: no packet of it arrives any more, on connections that
 * stay open. A real Postgres, behind a proxy that swallows bytes.
 */
import t, { type Test } from 'tap'
import { createPool, type PoolOptions, transaction } from '../../../services/store/pool.ts'
import { isRetryable } from '../../../streams/runtime/failures.ts'
import { database } from '../../harness/engines.ts'
import { startProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'

t.setTimeout(120_000)
t.jobs = 4

async function stand(t: Test, options: Partial<PoolOptions> = {}) {
  const { systemUrl } = await database(t)
  const url = new URL(systemUrl)
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) }, {})
  url.port = String(proxy.port)
  const pool = createPool(url.href, { application_name: 'silent test', max: 2, statementTimeoutMs: 1000, ...options })
  t.teardown(async () => {
    proxy.cutAll()
    await pool.end()
    await proxy.close()
  })
  // The machine behind all open connections is gone; new ones reach another.
  return { pool, vanish: () => proxy.vanish(), count: () => proxy.count() }
}

const lost = { code: 'ETIMEDOUT', message: /^Connection terminated: Postgres sent nothing/ }
const reasonOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => null,
    (error: unknown) => error
  )

t.test('what a vanished Postgres does not answer rejects, and can be tried again', { buffered: true }, async (t) => {
  const { pool, vanish, count } = await stand(t)
  const held = await pool.connect()
  await Promise.all([held.query('BEGIN'), pool.query('SELECT 1')])
  vanish()
  const reasons = await Promise.all([
    reasonOf(pool.query('SELECT 1')),
    // Statements of one group, and one behind it.
    reasonOf(held.query('SELECT $1::int', [1])),
    reasonOf(held.query('SELECT $1::int', [2])),
    new Promise((resolve) => setImmediate(() => resolve(reasonOf(held.query('COMMIT')))))
  ])
  for (const reason of reasons) {
    t.match(reason, lost)
    t.ok(isRetryable(reason))
  }
  await t.rejects(held.query('ROLLBACK'), { message: /not queryable/ }, 'the next statement does not wait')
  held.release(true)
  t.equal((await transaction(pool, (tx) => tx.query('SELECT 1'))).rowCount, 1)
  t.equal(count(), 3, 'one connection more')
})

t.test('the server ends a statement that takes too long, and its connection goes on', { buffered: true }, async (t) => {
  const { pool } = await stand(t)
  const client = await pool.connect()
  await t.rejects(client.query('SELECT pg_sleep(60)'), { code: '57014' })
  t.equal((await client.query('SELECT 1')).rowCount, 1)
  client.release()
})

t.test('an idle connection may be silent', { buffered: true }, async (t) => {
  const { pool } = await stand(t, { statementTimeoutMs: 1 })
  const client = await pool.connect()
  const got: string[] = []
  client.on('notification', ({ payload }) => got.push(payload ?? ''))
  await client.query('LISTEN silence')
  // Longer than the limit, which is a little above 5 s.
  await new Promise((resolve) => setTimeout(resolve, 8000))
  await client.query("NOTIFY silence, 'still here'")
  await until('the notification', () => got.length > 0)
  t.same(got, ['still here'])
  client.release()
})

t.test('a pool without a statement timeout waits as long as it takes', { buffered: true }, async (t) => {
  const { pool } = await stand(t, { statementTimeoutMs: 0 })
  t.equal((await pool.query('SELECT pg_sleep(8)')).rowCount, 1)
})
