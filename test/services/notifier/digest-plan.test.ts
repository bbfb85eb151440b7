/**
 * Tests that a digest reads about as many incidents as it tells of, however many the workspace ever
 * had.
 */
import t from 'tap'
import { readDigest } from '../../../services/store/digests.ts'
import { type Tx, transaction } from '../../../services/store/pool.ts'
import { stand } from '../api/stand.ts'

const OLD = 2000

interface Node {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

/** Returns the rows that a plan reads in the step that reads the most. */
const most = (node: Node): number =>
  Math.max((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'], ...(node.Plans ?? []).map(most))

t.test('a digest reads few incidents, however many the workspace ever had', async (t) => {
  const s = await stand(t)
  const { incident_id } = await s.incident(s.acme)
  await s.ownerPool.query(
    `INSERT INTO incidents SELECT copy.* FROM incidents i, generate_series(1, $2) n,
       LATERAL jsonb_populate_record(i, jsonb_build_object('incident_id', gen_random_uuid(), 'number', 1000 + n, 'dedup_key', 'old ' || n, 'status', 'resolved',
         'opened_at', i.opened_at - make_interval(hours => n), 'resolved_at', i.opened_at - make_interval(hours => n))) copy
      WHERE i.incident_id = $1`,
    [incident_id, OLD]
  )
  await s.ownerPool.query('ANALYZE incidents')
  const read: number[] = []
  const found = await transaction(s.systemPool, async (tx) => {
    const query = async (text: string, values: unknown[]) => {
      const { rows } = await tx.query<{ 'QUERY PLAN': { Plan: Node }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
      if (!plan) throw new Error('there is no plan')
      read.push(most(plan))
      return tx.query(text, values)
    }
    const now = Date.now()
    const reader = { role: 'owner', own_teams: [], hidden_teams: [] } as const
    return readDigest({ query } as unknown as Tx, s.acme.tenant_id, reader as never, { from: now - 24 * 3_600_000, to: now + 60_000 })
  })
  t.match(found, { open: { total: 1 }, opened: 24, over: { total: 23 } })
  t.equal(read.length, 3)
  for (const rows of read) t.ok(rows <= 60, `${rows} rows at most, of ${OLD}`)
})
