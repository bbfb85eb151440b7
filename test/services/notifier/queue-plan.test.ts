/**
 * Tests that a query of the queue reads about as many rows as it claims, however long the queue is.
 */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { CLAIM, CLAIM_NEXT, firstCursor, nextDelivery } from '../../../services/store/deliveries.ts'
import { LEASE } from '../../../services/store/jobs.ts'
import { createPool } from '../../../services/store/pool.ts'
import { stand } from '../api/stand.ts'

const PILED = 5000
const TARGETS = 3

interface Node {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: Node[]
}

/** Returns the rows that a plan reads in the step that reads the most. */
const most = (node: Node): number =>
  Math.max(
    ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)) *
      node['Actual Loops'],
    ...(node.Plans ?? []).map((child) => most(child))
  )

t.test('a claim of deliveries reads few rows, however long the queue is', async (t) => {
  const s = await stand(t)
  const pool = s.systemPool
  t.same(await nextDelivery(pool), { ms: null, has_more: false }, 'nothing waits')
  const target = (nth: number): string => `00000000-0000-4000-8000-00000000000${nth}`
  const pile = `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, channel_id, target_id, state, next_at,
      queued_at, expires_at, visibility)
    SELECT $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 'down', 0, 'webhook', t, t, 'queued', now() + interval '1 hour', now(),
           now() + interval '1 day', 'org' FROM unnest($2::uuid[]) t, generate_series(1, $3)`
  const targets = Array.from({ length: TARGETS }, (_, nth) => target(nth))
  const { rows: before } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM deliveries')
  const all = PILED * TARGETS + (before[0]?.n ?? 0)
  await pool.query(pile, [s.acme.tenant_id, targets, PILED])
  const next = await nextDelivery(pool)
  t.ok(next.ms !== null && next.ms > 0 && !next.has_more, `nothing is due: ${next.ms}`)

  const shares = [60_000, 0, [uuidv7()], 64, 256]
  const mails = [8, 32]
  const statements: [what: string, text: string, values: unknown[]][] = [
    ['a look', CLAIM, [...shares, firstCursor.tenant_id, firstCursor.target_id, ...mails, 500]],
    ['what follows', CLAIM_NEXT, [...shares, targets.map(() => s.acme.tenant_id), targets, ...mails]]
  ]
  async function claims(statistics: string): Promise<void> {
    for (const [what, text, values] of statements) {
      const owner = await pool.connect()
      try {
        await owner.query('BEGIN')
        // This table is so small that a sequential scan would be right.
        await owner.query('SET LOCAL enable_seqscan = off')
        await owner.query('UPDATE deliveries SET next_at = now() WHERE open')
        const { rows } = await owner.query<{ 'QUERY PLAN': { Plan: Node }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
        const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
        if (!plan) throw new Error('there is no plan')
        t.ok(most(plan) <= 200, `${what}, ${statistics}: ${most(plan)} rows at most, of ${all}`)
        const { rows: claimed } = await owner.query("SELECT FROM deliveries WHERE state = 'sending'")
        t.equal(claimed.length, 4 * TARGETS, 'each target has its four')
        t.ok(((await nextDelivery(pool)).ms ?? 0) > 0, 'others see nothing of it yet')
      } finally {
        await owner.query('ROLLBACK')
        owner.release()
      }
    }
  }
  await claims('of which nothing is known')
  // Now with statistics from when nothing was due: the planner expects few rows.
  await s.ownerPool.query('ANALYZE deliveries')
  await claims('of which nothing was due')
})

t.test('a lease of jobs reads few rows, however long the queue is', async (t) => {
  const s = await stand(t)
  const pool = createPool(s.systemUrl, { application_name: 'test', max: 1, byKey: true })
  t.teardown(() => pool.end())
  await s.ownerPool.query('ANALYZE jobs')
  await pool.query(
    `INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
     SELECT gen_random_uuid(), $1, 'incident_notify', now() - n * interval '1 ms', 'plan ' || n, '{}' FROM generate_series(1, $2) n`,
    [s.acme.tenant_id, PILED]
  )
  const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Node }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${LEASE}`, [
    ['incident_notify'],
    16,
    60_000,
    8,
    [],
    [],
    ['incident_notify']
  ])
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  if (!plan) throw new Error('there is no plan')
  t.ok(most(plan) <= 64, `${most(plan)} rows at most, of ${PILED}`)
})
