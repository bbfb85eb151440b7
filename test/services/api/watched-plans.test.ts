/**
 * Tests of query plans: monitors and heartbeats find their state and open incident by an index,
 * under row-level security, too. If the planner may not push a join below it, the join reads the
 * state of every workspace for each row. The test looks only at the plans, not at the contents of
 * the tables.
 */

import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { listCertificates } from '../../../services/store/certificates.ts'
import { listHeartbeats, readHeartbeat } from '../../../services/store/heartbeats.ts'
import { listMonitors, readMonitor } from '../../../services/store/monitors.ts'
import { type Tx, tenantTransaction } from '../../../services/store/pool.ts'
import { stand } from './stand.ts'

const ID = '01900000-0000-7000-8000-000000000000'
const page = { page: 1, per_page: 200, sort: ['name' as const] }

/**
 * Returns the plans of the queries of `work`. The query of a page's ids finds one id, the others
 * nothing.
 */
async function plansOf(tx: Tx, work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = []
  const { query } = tx
  const explain = async (text: string | object, values: unknown[]) => {
    // A setting of the transaction.
    if (typeof text !== 'string') return { rows: [] }
    const { rows } = await query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    return { rows: / AS id\b/.test(text) ? [{ id: ID }] : [] }
  }
  tx.query = explain as unknown as Tx['query']
  await work(tx)
  return plans
}

t.test('monitors and heartbeats find their state and open incident by an index', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const asked: [what: string, processor: string, alias: string, work: (tx: Tx) => Promise<unknown>][] = [
    ['a page of monitors', 'status', 'm', (tx) => listMonitors(tx, tenant_id, { status: ['down'] }, page)],
    ['a page of certificates', 'status', 'm', (tx) => listCertificates(tx, tenant_id, { within_days: 7 }, { ...page, now: 0 })],
    ['a monitor', 'status', 'm', (tx) => readMonitor(tx, tenant_id, ID)],
    ['a page of heartbeats', 'heartbeat', 'h', (tx) => listHeartbeats(tx, tenant_id, { status: ['down'] }, page)],
    ['a heartbeat', 'heartbeat', 'h', (tx) => readHeartbeat(tx, tenant_id, ID)]
  ]
  for (const [what, processor, alias, work] of asked)
    await t.test(what, async (t) => {
      const plans = await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
        // The tables of a test are empty, so the cheapest plan here says nothing about what is
        // possible.
        for (const way of ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']) await tx.query(`SET LOCAL enable_${way} = off`)
        return plansOf(tx, work)
      })
      t.ok(plans.length > 0)
      for (const plan of plans) t.match(plan, `Index Cond: ((processor = '${processor}'::text) AND (key = ${alias}.state_key))`)
      if (what !== 'a page of certificates')
        t.match(plans.at(-1), `Index Cond: ((tenant_id = ${alias}.tenant_id) AND (dedup_key = ${alias}.incident_key))`)
    })
})

t.test('a page that needs no state for its filter and order reads the state of its own rows only', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  for (const list of [listMonitors, listHeartbeats]) {
    const plans = await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), (tx) => plansOf(tx, () => list(tx, tenant_id, {}, page)))
    t.same(
      plans.map((plan) => /\bpartition_state\b/.test(plan)),
      [false, false, true],
      'the total, the ids, the rows'
    )
  }
})
