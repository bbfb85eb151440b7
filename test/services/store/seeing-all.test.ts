/** Tests of a part of a transaction that sees all teams, on a real Postgres. */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { keyedTransaction, seeingAll, type Tx, tenantTransaction } from '../../../services/store/pool.ts'
import { stand } from '../api/stand.ts'

/** A workspace with one monitor in a private team, and somebody who is not in it. */
async function hiddenMonitor(t: Parameters<typeof stand>[0]) {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const body = { name: 'Shop', type: 'http', target: 'https://shop.example.com/' }
  const { id } = (await s.call(s.acme, 'POST', '/api/v1/monitors', body)).json()
  const team_id = uuidv7()
  await s.ownerPool.query("INSERT INTO teams (tenant_id, team_id, name, slug, visibility) VALUES ($1, $2, 'Hidden', 'hidden', 'private')", [
    tenant_id,
    team_id
  ])
  await s.ownerPool.query("UPDATE monitors SET visibility = 'private', team_id = $1 WHERE monitor_id = $2", [team_id, id])
  const count = async (tx: Tx): Promise<number> => (await tx.query('SELECT FROM monitors WHERE tenant_id = $1', [tenant_id])).rowCount ?? 0
  return { s, viewer: { tenant_id, seen_by: uuidv7() }, count }
}

t.test('only that part sees all teams', async (t) => {
  const { s, viewer, count } = await hiddenMonitor(t)
  for (const transaction of [tenantTransaction, keyedTransaction])
    await transaction(s.tenantPool, viewer, async (tx) => {
      t.equal(await count(tx), 0, 'before')
      t.equal(await seeingAll(tx, count), 1, 'within')
      t.equal(await count(tx), 0, 'after')
      const both = await seeingAll(tx, async (tx) => [await count(tx), await seeingAll(tx, count), await count(tx)])
      t.same(both, [1, 1, 1], 'a part within it changes nothing')
      t.equal(await count(tx), 0)
    })
})

t.test('statements beside it are refused', async (t) => {
  const { s, viewer, count } = await hiddenMonitor(t)
  const refused = { message: /^Another part of the transaction sees other teams/ }
  await tenantTransaction(s.tenantPool, viewer, async (tx) => {
    const part = seeingAll(tx, count)
    await t.rejects(count(tx), refused, 'of the rest of the transaction')
    await t.rejects(seeingAll(tx, count), { message: /beside other statements/ }, 'of another part')
    t.equal(await part, 1)
    const late: Tx[] = []
    await seeingAll(tx, async (tx) => void late.push(tx))
    for (const one of late) await t.rejects(count(one), refused, 'of a part that has ended')
    t.equal(await count(tx), 0)
  })
  await tenantTransaction(s.tenantPool, viewer, async (tx) => {
    const first = count(tx)
    await t.rejects(seeingAll(tx, count), { message: /beside other statements/ }, 'with a statement that has no answer yet')
    t.equal(await first, 0)
    t.equal(await seeingAll(tx, count), 1)
  })
})

t.test('after a part that threw, nothing else of the transaction runs', async (t) => {
  const { s, viewer, count } = await hiddenMonitor(t)
  const broken = () => Promise.reject(new Error('broken off'))
  await t.rejects(
    tenantTransaction(s.tenantPool, viewer, async (tx) => {
      await t.rejects(seeingAll(tx, broken), { message: 'broken off' })
      await t.rejects(seeingAll(tx, count), { message: /beside other statements/ })
      return count(tx)
    }),
    { message: /this statement was not run/ }
  )
  t.equal(await tenantTransaction(s.tenantPool, viewer, count), 0, 'the connection is as before')
})

t.test('a pool is no transaction', async (t) => {
  const { s, count } = await hiddenMonitor(t)
  await t.rejects(seeingAll(s.tenantPool, count), TypeError)
})
