/**
 * Rows end at their age, in pieces that stay deleted, and the design says of every table when its
 * rows end. On a real Postgres.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { forget, inPieces } from '../../../services/store/forget.ts'
import { createPool, type Pool } from '../../../services/store/pool.ts'
import { database, type Teardown } from '../../harness/engines.ts'

/** Ten rows, two in each block of the table. Seven of them are old. */
async function tenThings(t: Teardown): Promise<Pool> {
  const { ownerUrl } = await database(t)
  const pool = createPool(ownerUrl, { application_name: 'forget test', max: 2 })
  t.teardown(() => pool.end())
  await pool.query('CREATE TABLE things (n integer PRIMARY KEY, age integer NOT NULL, filler text STORAGE PLAIN NOT NULL)')
  await pool.query("INSERT INTO things SELECT n, CASE WHEN n <= 7 THEN 100 ELSE 10 END, repeat('x', 3000) FROM generate_series(1, 10) AS n")
  return pool
}

const left = async (pool: Pool): Promise<number[]> =>
  (await pool.query<{ n: number }>('SELECT n FROM things ORDER BY n')).rows.map(({ n }) => n)

t.test('all rows of the age go, whatever the size of a piece', async (t) => {
  for (const blocks of [1, 3, 4, 5, undefined]) {
    const pool = await tenThings(t)
    t.equal(await forget(pool, 'things', 'x.age > $1', [50], blocks), 7, `pieces of ${blocks ?? 'the usual size'}`)
    t.same(await left(pool), [8, 9, 10], 'younger rows stay')
    t.equal(await forget(pool, 'things', 'x.age > $1', [50], blocks), 0)
  }
})

t.test('a condition of two parts does not reach beyond its piece', async (t) => {
  const pool = await tenThings(t)
  t.equal(await forget(pool, 'things', 'x.n = 1 OR x.age > $1', [50], 1), 7)
  t.same(await left(pool), [8, 9, 10])
})

t.test('a statement reads only its piece of the table', async (t) => {
  const pool = await tenThings(t)
  const plans: string[] = []
  await inPieces(
    pool,
    'things',
    (isInPiece) => {
      const text = `DELETE FROM things x WHERE ${isInPiece} AND x.age > $1`
      plans.push(text)
      return text
    },
    [200],
    2
  )
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${plans[0]}`, [200, '(0,0)', '(2,0)'])
  t.match(rows.map((row) => row['QUERY PLAN']).join('\n'), /Tid Range Scan on things x/)
})

t.test('a piece that fails takes back only itself', async (t) => {
  const pool = await tenThings(t)
  await pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF old.n = 6 THEN RAISE 'no more'; END IF; RETURN old; END $$`)
  await pool.query('CREATE TRIGGER refusing BEFORE DELETE ON things FOR EACH ROW EXECUTE FUNCTION refuse()')
  await t.rejects(forget(pool, 'things', 'x.age > $1', [50], 1), /no more/)
  t.same(await left(pool), [5, 6, 7, 8, 9, 10])
})

t.test('the design says of every table when its rows end', async (t) => {
  const { ownerUrl } = await database(t)
  const pool = createPool(ownerUrl, { application_name: 'forget test', max: 1 })
  t.teardown(() => pool.end())
  const { rows } = await pool.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1"
  )
  const design = readFileSync(join(projectRoot, 'docs/design/architecture.md'), 'utf8')
  const section = design.split('<a id="s7-ends"></a>')[1]?.split('<a id=')[0] ?? ''
  const cells = section.split('\n').map((line) => line.split('|')[1] ?? '')
  const said = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  t.same(
    said.sort(),
    rows.map(({ name }) => name),
    'each of them once'
  )
})
