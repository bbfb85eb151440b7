/** Tests of how a transaction opens, together with its first statements, on a real Postgres. */
import type { PoolClient, QueryConfig } from 'pg'
import t, { type Test } from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { createPool, seeingAll, type Tx, tenantTransaction, transaction } from '../../../services/store/pool.ts'
import { database } from '../../harness/engines.ts'

const insert = (key: string): string => `INSERT INTO partition_state VALUES ('p', 0, '${key}', '{}')`
const later = () => new Promise<void>((resolve) => setTimeout(resolve, 5))
/** Takes any value, so that the statement joins the group that opens the transaction. */
const write = (tx: Tx, key: string) => tx.query("INSERT INTO partition_state VALUES ('p', 0, $1, '{}')", [key])

/** A pool of one connection. `replaced`: texts that are sent instead of those with a name. */
async function stand(t: Test, role: 'systemUrl' | 'tenantUrl' = 'systemUrl') {
  const urls = await database(t)
  const pool = createPool(urls[role], { application_name: 'opening test', max: 1 })
  t.teardown(() => pool.end())
  const replaced = new Map<string, string>()
  const counted = { syncs: 0 }
  pool.on('connect', (client) => {
    const inside = client as unknown as { connection: NodeJS.EventEmitter; query(...args: unknown[]): unknown }
    inside.connection.on('readyForQuery', () => {
      counted.syncs++
    })
    const query = inside.query.bind(client)
    inside.query = (config, ...rest) => {
      const text = typeof config === 'object' ? replaced.get((config as QueryConfig).name ?? '') : undefined
      return text === undefined ? query(config, ...rest) : query({ text }, ...rest)
    }
  })
  const keys = async (): Promise<string[]> =>
    (await pool.query<{ key: string }>('SELECT key FROM partition_state ORDER BY key')).rows.map(({ key }) => key)
  return { pool, replaced, counted, keys }
}

t.test('the first statements leave with the opening', async (t) => {
  const { pool, counted } = await stand(t, 'tenantUrl')
  await pool.query('SELECT 1')
  const viewer = { tenant_id: uuidv7(), seen_by: uuidv7() }
  const syncsOf = async (work: (tx: Tx) => Promise<unknown>): Promise<number> => {
    const before = counted.syncs
    await tenantTransaction(pool, viewer, work)
    return counted.syncs - before
  }
  const ask = (tx: Tx) => tx.query('SELECT $1::int AS n', [1])
  t.equal(await syncsOf(ask), 2, 'one round trip, and COMMIT')
  t.equal(await syncsOf((tx) => Promise.all([ask(tx), ask(tx)])), 2)
  t.equal(await syncsOf((tx) => seeingAll(tx, ask)), 3, 'and one that ends the sight')
  t.equal(await syncsOf((tx) => tx.query('SELECT 1')), 3, 'a text without values waits')
  t.equal(await syncsOf((tx) => later().then(() => ask(tx))), 3)
  t.equal(await syncsOf(async () => undefined), 2)
})

t.test('statements run in the order in which they were issued', async (t) => {
  const { pool } = await stand(t)
  const last = async (tx: Tx) => (await tx.query<{ key: string }>('SELECT max(key) AS key FROM partition_state WHERE key > $1', [''])).rows
  await transaction(pool, async (tx) => {
    const answers = await Promise.all([write(tx, '1'), last(tx), tx.query(insert('2')), last(tx), write(tx, '3'), last(tx)])
    t.same([answers[1], answers[3], answers[5]], [[{ key: '1' }], [{ key: '2' }], [{ key: '3' }]])
  })
})

t.test('nothing takes effect if the transaction does not open', async (t) => {
  const works: Record<string, (tx: Tx) => Promise<unknown>> = {
    'a statement of the first turn': (tx) => write(tx, 'a'),
    'one of a later turn': (tx) => later().then(() => write(tx, 'b')),
    'a text of several': (tx) => tx.query(`${insert('c')}; ${insert('d')}`),
    'one with a text after it': (tx) => Promise.all([write(tx, 'e'), tx.query(insert('f'))]),
    'work that goes on after a failure': async (tx) => {
      await write(tx, 'g').catch(() => undefined)
      await tx.query(insert('h')).catch(() => undefined)
      await later()
      await write(tx, 'i')
    },
    'work that asks nothing': async () => undefined
  }
  const openings: [name: string, text: string, reason: { code: string }][] = [
    ['begin', 'BEGIN ISOLATION LEVEL NONE', { code: '42601' }],
    ['sight workspace', 'SELECT 1 / 0', { code: '22012' }]
  ]
  for (const [name, text, reason] of openings) {
    const { pool, replaced, keys } = await stand(t)
    replaced.set(name, text)
    for (const [what, work] of Object.entries(works)) {
      await t.rejects(tenantTransaction(pool, { tenant_id: uuidv7(), seen_by: null }, work), reason, `${name}: ${what}`)
      t.same(await keys(), [])
    }
    replaced.clear()
    await transaction(pool, (tx) => write(tx, 'z'))
    t.same(await keys(), ['z'], 'the connection is as before')
  }
})

t.test('a connection that breaks while a transaction opens fails it', async (t) => {
  const { pool, keys } = await stand(t)
  let ended = false
  pool.once('acquire', (client: PoolClient) => {
    ended = true
    process.nextTick(() => (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy())
  })
  await t.rejects(
    transaction(pool, (tx) => write(tx, 'a')),
    { message: /Connection terminated|connection/i }
  )
  t.ok(ended)
  await transaction(pool, (tx) => write(tx, 'b'))
  t.same(await keys(), ['b'])
})
