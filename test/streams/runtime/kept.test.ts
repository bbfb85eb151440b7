/**
 * Tests what a byPartition fold may leave in memory: the next record sees `kept` state at once, and
 * the store gets it later; facts about the partition itself are stored with every position; hints
 * leave after the commit; and notices of one outage make one row.
 */
import type { Pool } from 'pg'
import t, { type Test } from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { listNotices, saveNotices } from '../../../services/store/platform-notices.ts'
import { createPool, transaction } from '../../../services/store/pool.ts'
import type { Hint, Input, Notice, PartitionProcessor } from '../../../streams/define.ts'
import { bindPartition } from '../../../streams/runtime/run.ts'
import { until } from '../../harness/until.ts'
import { order, QUIET, type Started, TOPIC } from './demo.ts'
import { CALM, type Scene, scene } from './scene.ts'

t.setTimeout(300_000)

interface Seen {
  seen: number
}
const LOUD = 100
const PARTITIONS = 6
const OUTAGE = 101

const tenantOf = (input: Input): string => (input.record === 'BudgetConfig' ? input.value.tenant_id : '')
const amountOf = (input: Input): number => (input.record === 'BudgetConfig' ? (input.value.ceiling ?? 0) : 0)

/**
 * Counts records by key. Quiet records are kept in memory, loud ones change the store, and each
 * batch notes how many records its partition had.
 */
const counter: PartitionProcessor<Seen> = {
  kind: 'byPartition',
  name: 'demo-partition',
  reads: [TOPIC],
  keeps: 'a count per key',
  emits: ['notices', 'hints'],
  fold(state, inputs) {
    const changed = new Map<string, Seen>()
    const kept = new Map<string, Seen>()
    const notices: Notice[] = []
    const hints: Hint[] = []
    for (const input of inputs) {
      const key = tenantOf(input)
      const { seen } = changed.get(key) ?? kept.get(key) ?? state.get(key) ?? { seen: 0 }
      const loud = amountOf(input) !== QUIET || changed.has(key)
      ;(loud ? changed : kept).set(key, { seen: seen + 1 })
      if (loud) kept.delete(key)
      const own = `partition:${input.partition}`
      const { seen: all } = kept.get(own) ?? state.get(own) ?? { seen: 0 }
      kept.set(own, { seen: all + 1 })
      if (amountOf(input) === OUTAGE) notices.push({ cause: 'tick_gap', from: 1000, to: 61_000 })
      if (loud) hints.push({ tenant_id: key, aggregate: `demo:${key}`, ver: seen + 1, event_type: 'demo', json: '{}', audience: 'tenant' })
    }
    return { outgoing: [], jobs: [], refused: [], changed, kept, notices, hints }
  }
}

/** The counts that the store has, by key. */
async function storedIn(pool: Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query('SELECT key, state FROM partition_state')
  return Object.fromEntries(rows.map(({ key, state }) => [key, state.seen]))
}

/**
 * Makes the first `count` writes of state fail as in a conflict with another transaction. The
 * returned function says how many writes there were.
 */
async function refuse(t: Test, at: Scene, count: number): Promise<() => Promise<number>> {
  const owner = createPool(at.ownerUrl, { application_name: 'owner', max: 1 })
  t.teardown(() => owner.end())
  await owner.query(`
    CREATE SEQUENCE writes;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      IF nextval('writes') <= ${count} THEN RAISE 'could not serialize access' USING ERRCODE = '40001'; END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER refuse AFTER INSERT OR UPDATE ON partition_state FOR EACH STATEMENT EXECUTE FUNCTION refuse()`)
  return async () => (await owner.query('SELECT last_value::int AS count FROM writes')).rows[0].count
}

const processed = (run: Started, count: number) =>
  until('the records to be processed', () => run.metrics.sum('service_processor_records_total') >= count, 20_000)

t.test('kept state is in memory at once and is stored by a flush or on close', async (t) => {
  const at = await scene(t, CALM)
  const hints: Hint[] = []
  const work = bindPartition(counter)
  const run = await at.run(work, { storeEveryMs: 3_600_000, sendHints: (some) => void hints.push(...some) })
  const records = (amount: number, tenant: number, count: number) => Array.from({ length: count }, () => order(uuidv4(), tenant, amount, 0))
  const [quietKey, loudKey] = [records(QUIET, 1, 1), records(QUIET, 2, 1)].map(([record]) => String(record?.key))

  await at.append(records(QUIET, 1, 3))
  await processed(run, 3)
  t.same(await storedIn(at.pool), {}, 'nothing that matters has changed')
  t.same(hints, [])

  await at.append(records(LOUD, 2, 1))
  await processed(run, 4)
  await until('the hint', () => hints.length === 1)
  t.same(
    await storedIn(at.pool),
    { 'partition:0': 4, [String(loudKey)]: 1 },
    'facts of the partition go with the position, what is kept does not'
  )

  await run.flush()
  t.same(await storedIn(at.pool), { 'partition:0': 4, [String(loudKey)]: 1, [String(quietKey)]: 3 })

  await at.append(records(QUIET, 1, 2))
  await processed(run, 6)
  await run.close()
  t.same(await storedIn(at.pool), { 'partition:0': 6, [String(loudKey)]: 1, [String(quietKey)]: 5 }, 'and with the end')

  const next = await at.run(work)
  await at.append(records(LOUD, 1, 1))
  await at.drained(next, 'demo-partition')
  t.same(await storedIn(at.pool), { 'partition:0': 7, [String(loudKey)]: 1, [String(quietKey)]: 6 }, 'the next owner goes on from there')
})

t.test('kept state is stored after a while even without further records', async (t) => {
  const at = await scene(t, CALM)
  const run = await at.run(bindPartition(counter), { storeEveryMs: 100 })
  const record = order(uuidv4(), 1, QUIET, 0)
  await at.append([record])
  await until('the record to be processed', () => run.metrics.sum('service_processor_records_total') === 1, 20_000)
  const { rows } = await until('the state that was kept', async () => {
    const found = await at.pool.query('SELECT state FROM partition_state WHERE key = $1', [String(record.key)])
    return found.rows.length > 0 && found
  })
  t.same(rows, [{ state: { seen: 1 } }])
})

t.test('kept state survives a failed transaction and its retry', async (t) => {
  const at = await scene(t, CALM)
  const run = await at.run(bindPartition(counter), { storeEveryMs: 3_600_000 })
  const [quiet, loud] = [order(uuidv4(), 1, QUIET, 0), order(uuidv4(), 2, LOUD, 0)]
  await at.append([quiet, quiet, quiet, loud])
  await processed(run, 4)
  t.same(await storedIn(at.pool), { 'partition:0': 4, [String(loud.key)]: 1 }, 'it is in memory only')

  await refuse(t, at, 1)
  await at.append([loud])
  await until('it to be run again', () => run.metrics.sum('service_processor_retries_total') === 1, 20_000)
  await at.append([order(uuidv4(), 1, LOUD, 0)])
  await at.drained(run, 'demo-partition')
  t.same(await storedIn(at.pool), { 'partition:0': 6, [String(quiet.key)]: 4, [String(loud.key)]: 2 })
  t.same(run.fatals, [])
})

/** One record for each partition, with keys counted from `key` on. */
const ofEach = (amount: number, key = 0) => Array.from({ length: PARTITIONS }, (_, nth) => order(uuidv4(), key + nth, amount, nth))

/** One process has three quiet records of each partition in memory; then another one joins. */
async function joined(t: Test, before: (at: Scene) => Promise<unknown>) {
  const at = await scene(t, CALM)
  const run = await at.run(bindPartition(counter), { storeEveryMs: 3_600_000 })
  // Records of other keys cause the positions to be stored.
  await at.append([...ofEach(QUIET), ...ofEach(QUIET), ...ofEach(QUIET), ...ofEach(LOUD, 10)])
  await processed(run, 4 * PARTITIONS)
  await before(at)
  const assigned = () => run.log.said('info', 'partitions assigned').length
  const earlier = assigned()
  const newcomer = await at.run(bindPartition(counter), { storeEveryMs: 3_600_000 })
  await until('the other one to have partitions', () => assigned() > earlier && newcomer.log.said('info', 'partitions assigned').length > 0)
  /** The counts of each partition's quiet records in the store. */
  const counts = async () => {
    const stored = await storedIn(at.pool)
    return ofEach(QUIET).map(({ key }) => stored[String(key)])
  }
  return { at, run, newcomer, counts }
}

t.test('kept state moves to the new owner of its partition', async (t) => {
  const { at, run, newcomer, counts } = await joined(t, async () => undefined)
  await until('what is kept to be stored', async () => (await counts()).every((seen) => seen === 3))
  await at.append(ofEach(LOUD))
  await at.drained(run, 'demo-partition')
  const moved = newcomer.metrics.sum('service_processor_records_total')
  t.ok(moved > 0 && moved < PARTITIONS, `${moved} moved`)
  t.same(await counts(), [4, 4, 4, 4, 4, 4])
  t.same([...run.fatals, ...newcomer.fatals], [])
})

t.test('kept state that could not be stored survives a rebalance if its partition stays', async (t) => {
  let writes = async (): Promise<number> => 0
  const { at, run, newcomer, counts } = await joined(t, async (at) => {
    writes = await refuse(t, at, PARTITIONS + 1)
  })
  // First all partitions in one transaction, then each alone.
  await until('what is kept to be refused', async () => (await writes()) === PARTITIONS + 1)
  await at.append(ofEach(LOUD))
  await at.drained(run, 'demo-partition')
  const stayed = PARTITIONS - newcomer.metrics.sum('service_processor_records_total')
  t.ok(stayed > 0 && stayed < PARTITIONS, `${stayed} stayed`)
  const seen = await counts()
  t.equal(seen.filter((count) => count === 4).length, stayed, `counts ${seen}`)
  t.same([...run.fatals, ...newcomer.fatals], [])
})

t.test('notices of one outage from several partitions are merged', async (t) => {
  const at = await scene(t, CALM)
  const run = await at.run(bindPartition(counter))
  await at.append(Array.from({ length: 6 }, (_, partition) => order(uuidv4(), partition, OUTAGE, partition)))
  await at.drained(run, 'demo-partition')
  const [notice, ...others] = await listNotices(at.pool, 10)
  t.match(notice, { kind: 'ingest_gap', started_at: 1000, ended_at: 61_000, causes: ['tick_gap'] })
  t.same(others, [])

  const save = (cause: Notice['cause'], from: number, to: number) => transaction(at.pool, (tx) => saveNotices(tx, [{ cause, from, to }]))
  await save('door_refused', 500, 70_000)
  await save('tick_gap', 200_000, 210_000)
  t.match(await listNotices(at.pool, 10), [
    { started_at: 200_000, ended_at: 210_000, causes: ['tick_gap'] },
    { started_at: 500, ended_at: 70_000, causes: ['door_refused', 'tick_gap'] }
  ])
  await save('door_unconfirmed', 80_000, 190_000)
  t.match(await listNotices(at.pool, 10), [
    { started_at: 500, ended_at: 210_000, causes: ['door_refused', 'door_unconfirmed', 'tick_gap'] }
  ])
  t.equal((await listNotices(at.pool, 10)).length, 1, 'what lies between two makes them one')
})
