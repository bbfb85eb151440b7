/** Tests of transactions whose statements find rows by key, on a real Postgres. */
import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import {
  createPool,
  goOnByKey,
  keyedTransaction,
  listTransaction,
  type Pool,
  type Tx,
  tenantTransaction
} from '../../../services/store/pool.ts'
import { stand } from '../api/stand.ts'

const NAMES = 'SELECT name FROM monitors WHERE tenant_id = $1 AND monitor_id = $2'
const RESTING = "SELECT current_setting('plan_cache_mode') AS plans, current_setting('enable_seqscan') AS scans"

/** A pool of one connection, so that each transaction has the plans of the one before. */
const onePool = (url: string): Pool => createPool(url, { application_name: 'test', max: 1 })

const kept = async (pool: Pool): Promise<{ generic: number; custom: number }[]> => {
  const { rows } = await pool.query<{ generic: number; custom: number }>(
    'SELECT generic_plans AS generic, custom_plans AS custom FROM pg_prepared_statements WHERE statement = $1',
    [NAMES]
  )
  return rows
}

t.test('a keyed transaction sees what a transaction of the workspace sees', async (t) => {
  const s = await stand(t)
  const pool = onePool(s.tenantUrl)
  t.teardown(() => pool.end())
  const body = { name: 'Shop', type: 'http', target: 'https://shop.example.com/' }
  const { id } = (await s.call(s.acme, 'POST', '/api/v1/monitors', body)).json()
  const read = async (tx: Tx): Promise<string[]> =>
    (await tx.query<{ name: string }>(NAMES, [s.acme.tenant_id, id])).rows.map(({ name }) => name)
  const nobody = '00000000-0000-4000-8000-000000000000'
  for (const transaction of [tenantTransaction, keyedTransaction]) {
    t.same(await transaction(pool, wholeWorkspace(s.acme.tenant_id), read), ['Shop'])
    t.same(await transaction(pool, wholeWorkspace(s.globex.tenant_id), read), [], 'another workspace')
    t.same(await transaction(pool, { tenant_id: s.acme.tenant_id, seen_by: nobody }, read), ['Shop'], 'somebody in no team')
    await t.rejects(async () => transaction(pool, wholeWorkspace("'"), read), TypeError)
  }
  await s.ownerPool.query(
    "INSERT INTO teams (tenant_id, team_id, name, slug, visibility) VALUES ($1, gen_random_uuid(), 'Hidden', 'hidden', 'private')",
    [s.acme.tenant_id]
  )
  await s.ownerPool.query("UPDATE monitors SET visibility = 'private', team_id = (SELECT team_id FROM teams WHERE slug = 'hidden')")
  for (const transaction of [tenantTransaction, keyedTransaction]) {
    t.same(await transaction(pool, wholeWorkspace(s.acme.tenant_id), read), ['Shop'], 'who sees all teams')
    t.same(await transaction(pool, { tenant_id: s.acme.tenant_id, seen_by: nobody }, read), [], 'who is not in the team')
  }
})

t.test('a keyed transaction keeps the plans of its statements, and its settings end with it', async (t) => {
  const s = await stand(t)
  const pool = onePool(s.tenantUrl)
  t.teardown(() => pool.end())
  const viewer = wholeWorkspace(s.acme.tenant_id)
  const ask = (tx: Tx) => tx.query(NAMES, [s.acme.tenant_id, s.acme.tenant_id])
  await tenantTransaction(pool, viewer, ask)
  t.same(await kept(pool), [], 'another transaction keeps none')
  for (let times = 1; times <= 3; times++) {
    await keyedTransaction(pool, viewer, async (tx) => {
      t.same((await tx.query(RESTING)).rows, [{ plans: 'force_generic_plan', scans: 'off' }])
      await ask(tx)
    })
    t.same(await kept(pool), [{ generic: times, custom: 0 }], 'one statement with one plan')
    t.same((await pool.query(RESTING)).rows, [{ plans: 'auto', scans: 'on' }])
  }
  await t.rejects(
    keyedTransaction(pool, viewer, async (tx) => {
      await ask(tx)
      throw new Error('no more')
    }),
    { message: 'no more' }
  )
  t.same((await pool.query(RESTING)).rows, [{ plans: 'auto', scans: 'on' }], 'after a rollback')
  t.same(await kept(pool), [{ generic: 4, custom: 0 }], 'the plan outlives it')
})

t.test('the rest of a transaction can go on by key', async (t) => {
  const s = await stand(t)
  const pool = onePool(s.tenantUrl)
  t.teardown(() => pool.end())
  const viewer = wholeWorkspace(s.acme.tenant_id)
  const ask = (tx: Tx) => tx.query(NAMES, [s.acme.tenant_id, s.acme.tenant_id])
  await tenantTransaction(pool, viewer, async (tx) => {
    await ask(tx)
    t.same((await tx.query(RESTING)).rows, [{ plans: 'auto', scans: 'on' }])
    await Promise.all([goOnByKey(tx), ask(tx)])
    await goOnByKey(tx)
    t.same((await tx.query(RESTING)).rows, [{ plans: 'force_generic_plan', scans: 'off' }])
  })
  t.same(await kept(pool), [{ generic: 1, custom: 0 }], 'only the second statement was kept')
  t.same((await pool.query(RESTING)).rows, [{ plans: 'auto', scans: 'on' }], 'the settings end with the transaction')
  await t.rejects(async () => goOnByKey(pool), TypeError)
})

t.test('a transaction for a list reads everything as it was at its first statement', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const nameOf = async (tx: Tx) =>
    (await tx.query<{ name: string }>('SELECT name FROM tenants WHERE tenant_id = $1', [tenant_id])).rows[0]?.name
  await listTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
    const before = await nameOf(tx)
    await s.ownerPool.query("UPDATE tenants SET name = 'Another' WHERE tenant_id = $1", [tenant_id])
    await goOnByKey(tx)
    t.equal(await nameOf(tx), before)
  })
  t.equal(await listTransaction(s.tenantPool, wholeWorkspace(tenant_id), nameOf), 'Another')
  const change = (tx: Tx) => tx.query("UPDATE tenants SET name = 'Third' WHERE tenant_id = $1", [tenant_id])
  await t.rejects(listTransaction(s.tenantPool, wholeWorkspace(tenant_id), change), { code: '25006' }, 'it only reads')
})
