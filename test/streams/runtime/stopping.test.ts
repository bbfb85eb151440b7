/**
 * Tests what stops a partition and what does not: too much poison is found before any of it is
 * committed, the loop waits for a schema that the registry does not know, and a stop stays in force
 * until somebody ends it.
 */
import t from 'tap'
import { createCodec } from '../../../schemas/codec.ts'
import { loadRecords } from '../../../schemas/load.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { resume } from '../../../services/operator/resume.ts'
import { skip } from '../../../services/operator/skip.ts'
import { forgetOffsets } from '../../../streams/runtime/offsets.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { localIds } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { kinds, leftBehind, nameOf, order, orders, REFUSED, stored, sums, TOPIC, workOf } from './demo.ts'
import { CALM, type Scene, scene } from './scene.ts'

t.setTimeout(300_000)
t.jobs = 3

const position = async (at: Scene, name: string, partition = 0): Promise<number | undefined> =>
  (await at.pool.query('SELECT next_offset::int AS next FROM stream_offsets WHERE processor = $1 AND partition = $2', [name, partition]))
    .rows[0]?.next

const deadLetters = async (at: Scene): Promise<number> =>
  (await at.pool.query('SELECT count(*)::int AS count FROM dead_letters')).rows[0].count

/** Refused records of many workspaces, a few each. */
const refused = (count: number, tenants = 10, partition = 0): OutRecord[] =>
  Array.from({ length: count }, (_, index) => order(uuidv4(), 100 + (index % tenants), REFUSED, partition))

for (const kind of kinds) {
  const name = nameOf(kind)

  t.test(`${kind}: too much poison stops the partition before a commit, also after a restart`, { buffered: true }, async (t) => {
    const at = await scene(t, CALM)
    const before = orders(30, 1)
    await at.append(before)
    const run = await at.run(workOf(kind))
    await at.drained(run, name)
    const was = await leftBehind(at.pool)
    const good = orders(20, 1)
    await at.append([...good, ...refused(30)])
    await until('the partition to stop', () => !run.ready())
    t.same(await leftBehind(at.pool), was, 'nothing of the chunk is committed, the position among it')
    t.match(run.log.said('error', 'is stopped'), [/ingest\.usage\.v1 partition 0 is stopped/])
    t.equal(run.metrics.sum('service_processor_stopped'), 1)
    const other = orders(6, 1).map((record) => ({ ...record, partition: 1 }))
    await at.append(other)
    await until('the other partition to go on', async () => {
      await run.flush()
      return (await position(at, name, 1)) === 6
    })
    t.same(run.fatals, [])
    await run.close()

    const next = await at.run(workOf(kind))
    await until('the stop to be remembered', () => next.log.said('error', 'is stopped').length > 0)
    t.notOk(next.ready())
    t.equal(await position(at, name), 30)
    t.equal(await deadLetters(at), 0)
    t.same(await stored(at.pool, kind), sums([...before, ...other], kind), 'sums')
  })

  t.test(`${kind}: poison of one workspace is dead-lettered and does not stop the partition`, { buffered: true }, async (t) => {
    const at = await scene(t, CALM)
    const records = [...orders(30, 1), ...refused(60, 1), ...orders(30, 1)]
    await at.append(records)
    const run = await at.run(workOf(kind))
    await until('the end or a stop', async () => {
      await run.flush()
      return !run.ready() || (await position(at, name)) === 120
    })
    t.ok(run.ready(), 'nothing is stopped')
    await at.drained(run, name)
    t.equal(await deadLetters(at), 60)
    t.same(await stored(at.pool, kind), sums(records, kind), 'sums of the others')
  })

  t.test(`${kind}: a processor waits for a schema that the registry does not have yet`, { buffered: true }, async (t) => {
    const at = await scene(t, CALM)
    // The processor's codec does not know the writer's schema; the registry has it at the third
    // request.
    const own = localIds()
    const moved = Object.fromEntries(Object.entries(own).map(([record, id]) => [record, id + 1000])) as typeof own
    const schema = JSON.stringify(loadRecords().get('BudgetConfig')?.schema)
    let asked = 0
    const late = createCodec({ ids: moved, schemaById: async () => (++asked < 3 ? null : schema) })
    const records = orders(20, 1)
    await at.append(records)
    const run = await at.run(workOf(kind), { codec: late })
    await at.drained(run, name)
    t.equal(await deadLetters(at), 0, 'nothing is dead-lettered for it')
    t.same(await stored(at.pool, kind), sums(records, kind), 'sums')
    t.equal(asked, 3)
  })

  t.test(`${kind}: a schema that never appears stops the partition at its record`, { buffered: true }, async (t) => {
    const at = await scene(t, CALM)
    const [first] = orders(1, 1)
    const unknown = Buffer.from(first?.value ?? '')
    unknown.writeInt32BE(4711, 1)
    const before = orders(10, 1)
    await at.append([...before, { topic: TOPIC, partition: 0, key: 'new', value: unknown }, ...orders(5, 1)])
    const run = await at.run(workOf(kind), { schemaTries: 3 })
    await until('a stop, or the end', async () => {
      await run.flush()
      return !run.ready() || (await position(at, name)) === 16
    })
    t.equal(await deadLetters(at), 0, 'nothing is dead-lettered for it')
    t.equal(await position(at, name), 10, 'what came before it counts')
    t.match(run.log.said('error', 'is stopped'), [/schema 4711/])
    t.same(await stored(at.pool, kind), sums(before, kind), 'sums')
    t.same(run.fatals, [])
  })

  t.test(`${kind}: a stopped partition resumes at its position after the cause is fixed`, { buffered: true }, async (t) => {
    const at = await scene(t, CALM)
    const own = localIds()
    const moved = Object.fromEntries(Object.entries(own).map(([record, id]) => [record, id + 1000])) as typeof own
    const schema = JSON.stringify(loadRecords().get('BudgetConfig')?.schema)
    let isThere = false
    const lacking = createCodec({ ids: moved, schemaById: async () => (isThere ? schema : null) })
    const records = orders(20, 1)
    await at.append(records)
    const run = await at.run(workOf(kind), { codec: lacking, schemaTries: 2 })
    await until('the stop', () => !run.ready())
    const place = { processor: name, topic: TOPIC, partition: 0 }
    await t.rejects(resume(at.pool, { ...place, partition: 1, by: 'ada', why: 'a try' }), {
      message: /is not stopped on .* partition 1\n.*schema \d+, which/s
    })
    isThere = true
    t.match(await resume(at.pool, { ...place, by: 'ada', why: 'the registry is back' }), /goes on .* at offset 0/)
    await at.drained(run, name)
    t.same(await stored(at.pool, kind), sums(records, kind), 'sums')
    t.ok(run.ready())
    t.equal(run.metrics.sum('service_processor_stopped'), 0)
    t.match((await at.pool.query('SELECT ended_by, ended_how, ended_why FROM processor_stops')).rows, [
      { ended_by: 'ada', ended_how: 'resume', ended_why: 'the registry is back' }
    ])
    await t.rejects(resume(at.pool, { ...place, by: 'ada', why: 'again' }), { message: /no partition is stopped/ })
  })

  t.test(`${kind}: resume stops again at poison, and skip turns it into dead letters`, { buffered: true }, async (t) => {
    const at = await scene(t, CALM)
    const good = orders(20, 1)
    const after = orders(10, 1)
    await at.append([...good, ...refused(30), ...after])
    const run = await at.run(workOf(kind))
    await until('the stop', () => !run.ready())
    const place = { processor: name, topic: TOPIC, partition: 0, by: 'ada', why: 'a test' }
    await resume(at.pool, place)
    await until('the second stop', async () => (await at.pool.query('SELECT FROM processor_stops')).rowCount === 2)
    t.equal(await deadLetters(at), 0)
    const ask = (skips: { first: bigint; last: bigint }[]) => skip(at.pool, { ...place, skips }, 60n)
    await t.rejects(ask([{ first: 20n, last: 60n }]), { message: /expected offsets from 0, where it stands, to 59/ })
    await t.rejects(ask([{ first: 3n, last: 4n }]), { message: /expected some of the offsets that it is stopped for: 20-49/ })
    t.match(await ask([{ first: 20n, last: 44n }]), /25 offset\(s\) become dead letters/)
    await at.drained(run, name)
    t.same(await stored(at.pool, kind), sums([...good, ...after], kind), 'sums')
    const { rows } = await at.pool.query('SELECT reason, count(*)::int AS count FROM dead_letters GROUP BY 1 ORDER BY 1')
    t.same(rows, [
      { reason: 'refused', count: 5 },
      { reason: 'skipped', count: 25 }
    ])
    t.match((await at.pool.query('SELECT ended_how FROM processor_stops ORDER BY stopped_at')).rows, [
      { ended_how: 'resume' },
      { ended_how: 'skip' }
    ])
    t.ok(run.ready())
    t.same(run.fatals, [])
  })
}

t.test('a stop remains for the next owner of the partition', { buffered: true }, async (t) => {
  const at = await scene(t, CALM)
  const name = nameOf('byKey')
  await at.append([...orders(20, 1), ...refused(30)])
  const first = await at.run(workOf('byKey'))
  await until('the stop', () => !first.ready())
  const second = await at.run(workOf('byKey'))
  await until('the newcomer to have partitions', () => second.log.said('info', 'partitions assigned').length > 0)
  await first.close()
  await until('the other to find the stop', () => second.log.said('error', 'is stopped').length > 0)
  t.equal(await position(at, name), 0)
  t.equal((await at.pool.query('SELECT FROM processor_stops')).rowCount, 1, 'it is one stop')
})

t.test('forgetting the offsets of a replaced log ends its stops and skips', { buffered: true }, async (t) => {
  const at = await scene(t, CALM)
  const name = nameOf('byKey')
  await at.append(refused(30))
  const run = await at.run(workOf('byKey'))
  await until('the stop', () => !run.ready())
  await skip(at.pool, { processor: name, topic: TOPIC, partition: 0, by: 'ada', why: 'a test', skips: [{ first: 0n, last: 29n }] }, 30n)
  await run.close()
  await forgetOffsets(at.pool)
  t.same((await at.pool.query('SELECT FROM processor_skips')).rows, [])
  t.same((await at.pool.query('SELECT FROM processor_stops WHERE ended_at IS NULL')).rows, [])
})
