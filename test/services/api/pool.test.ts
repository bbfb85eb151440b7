/** Tests of the connection pool and its transactions, on a real Postgres. */

import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { mintApiToken } from '../../../services/credentials/credentials.ts'
import { createPool, tenantTransaction, transaction } from '../../../services/store/pool.ts'
import { createWorkspace, readWorkspace } from '../../../services/store/tenants.ts'
import { database } from '../../harness/engines.ts'

t.test('the connection pool', async (t) => {
  const { systemUrl, tenantUrl } = await database(t)
  const pool = createPool(systemUrl, { application_name: 'test pool', max: 2 })
  t.teardown(() => pool.end())
  const one = async (sql: string) => (await pool.query({ text: sql, rowMode: 'array' })).rows[0]?.[0] as unknown

  await t.test('int8 becomes an exact number or an error', async (t) => {
    t.equal(await one('SELECT count(*) FROM tenants'), 0)
    t.equal(await one('SELECT 9007199254740991::int8'), Number.MAX_SAFE_INTEGER)
    await t.rejects(pool.query('SELECT 9007199254740992::int8'), /out of range/)
    t.equal(await one('SELECT 1'), 1, 'the connection is still good')
  })

  await t.test('timestamptz becomes epoch ms in every session time zone', async (t) => {
    for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns']) {
      const ms = await transaction(pool, async (tx) => {
        await tx.query(`SET LOCAL TIME ZONE '${zone}'`)
        return (await tx.query("SELECT timestamptz '2026-03-01 12:00:00.123456+00' AS at")).rows[0]?.at
      })
      t.equal(ms, Date.UTC(2026, 2, 1, 12, 0, 0, 123), zone)
    }
    t.equal(await one("SELECT 'infinity'::timestamptz"), Infinity)
    t.equal(await one("SELECT '-infinity'::timestamptz"), -Infinity)
    t.equal(await one('SELECT NULL::timestamptz'), null)
  })

  await t.test('an error rolls back its transaction', async (t) => {
    await t.rejects(
      transaction(pool, async (tx) => {
        await tx.query("INSERT INTO partition_state VALUES ('p', 0, 'k', '{}')")
        throw new Error('no')
      }),
      /^no$/
    )
    t.equal(await one('SELECT count(*) FROM partition_state'), 0)
  })

  await t.test('a COMMIT that Postgres turns into a rollback is an error', async (t) => {
    const swallowing = transaction(pool, async (tx) => {
      await tx.query("INSERT INTO partition_state VALUES ('p', 0, 'k', '{}')")
      await tx.query('SELECT 1 / 0').catch(() => undefined) // Code must not do this.
    })
    await t.rejects(swallowing, /rolled back/)
    t.equal(await one('SELECT count(*) FROM partition_state'), 0)
  })

  await t.test('a query after the end of its transaction is refused', async (t) => {
    const insert = "INSERT INTO partition_state VALUES ('p', 0, 'k', '{}')"
    for (const work of [(): Promise<never> => Promise.reject(new Error('no')), () => Promise.resolve()]) {
      let late = (): Promise<unknown> => Promise.resolve()
      await transaction(pool, (tx) => {
        late = () => tx.query(insert)
        return work()
      }).catch((error: unknown) => t.match(error, { message: 'no' }))
      await t.rejects(late(), /is over/)
    }
    t.equal(await one('SELECT count(*) FROM partition_state'), 0)
  })

  await t.test('a connection that dies in a transaction rejects it, and the pool opens another', async (t) => {
    await t.rejects(transaction(pool, (tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())')))
    t.equal(await one('SELECT 1'), 1)
  })

  await t.test('a workspace is created as a whole or not at all', async (t) => {
    const make = (slug: string, email: string) => {
      const { sha256, prefix } = mintApiToken()
      return createWorkspace(pool, {
        workspace_name: 'Acme',
        slug,
        plan: 'free',
        email,
        user_name: 'Anna',
        password_hash: 'x',
        token: { name: 'first', sha256, prefix, scopes: ['admin'] }
      })
    }
    const { tenant_id } = await make('acme', 'anna@example.test')
    await t.rejects(make('acme', 'ben@example.test'), { code: '23505' }, 'the slug is taken')
    await t.rejects(make('other', 'Anna@Example.test'), { code: '23505' }, 'the address is taken, in any case')
    for (const table of ['tenants', 'users', 'members', 'api_tokens', 'audit', 'config_versions'])
      t.equal(await one(`SELECT count(*) FROM ${table}`), 1, table)
    const tenant = createPool(tenantUrl, { application_name: 'test pool', max: 1 })
    t.teardown(() => tenant.end())
    t.match(await tenantTransaction(tenant, wholeWorkspace(tenant_id), (tx) => readWorkspace(tx, tenant_id)), {
      name: 'Acme',
      plan: 'free',
      ver: 1,
      created_at: Number
    })
  })
})
