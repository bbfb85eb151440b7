/**
 * Tests failures in the loop: bad records become dead letters, temporary failures are retried, and
 * an unexpected failure ends the processor. Nothing counts twice, nothing is lost.
 */
import t from 'tap'
import { createCodec } from '../../../schemas/codec.ts'
import { loadRecords } from '../../../schemas/load.ts'
import { uuidv4, uuidv5 } from '../../../schemas/uuid.ts'
import { createPool } from '../../../services/store/pool.ts'
import { bindKey, type Work } from '../../../streams/runtime/run.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { localIds } from '../../harness/codec.ts'
import { record } from '../../harness/records.ts'
import { startKafkaProxy, startProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'
import {
  codec,
  folded,
  HUGE,
  keyProcessor,
  keyStore,
  kinds,
  leftBehind,
  NUL,
  nameOf,
  order,
  orders,
  REFUSED,
  stored,
  sums,
  THROWS,
  TOPIC,
  workOf
} from './demo.ts'
import { exactlyOnce, outboxCount, scene } from './scene.ts'
import { target } from './support.ts'

t.setTimeout(300_000)
t.jobs = 3

// The longest test comes first, so that the others run beside it.
t.test('records count once when connections of the group fail and a supervisor restarts it', { buffered: true }, async (t) => {
  const at = await scene(t)
  let replies = 0
  let lost = 0
  const plans = ['cut', 'tear', 'hold'] as const
  const proxy = await startKafkaProxy(target(at.topics.brokers), {
    reply: () => (++replies % 40 === 0 && lost < 6 ? (plans[lost++ % 3] ?? 'cut') : 'pass')
  })
  t.teardown(() => proxy.close())
  const options = { brokers: [`127.0.0.1:${proxy.port}`] }
  const start = () =>
    until('it to start', () =>
      at.run(workOf('byKey'), options).then(
        (run) => run,
        () => null
      )
    )
  let run = await start()
  let starts = 1
  const records: OutRecord[] = []
  while (lost < 6) {
    const some = orders(30)
    await at.append(some)
    records.push(...some)
    await until(
      'the records to be written',
      async () => {
        if (run.fatals.length > 0) {
          t.match(run.fatals, [{ reason: 'the consumer crashed' }])
          await run.close()
          run = await start()
          starts += 1
        }
        return (await outboxCount(at)) >= folded(records)
      },
      60_000
    )
  }
  t.comment(`${lost} replies lost, started ${starts} times`)
  await exactlyOnce(t, at, 'byKey', records)
  t.equal(run.metrics.sum('service_processor_gaps_total'), 0)
})

for (const kind of kinds) {
  const name = nameOf(kind)

  t.test(`${kind}: a poison record becomes a dead letter, and the position moves past it`, { buffered: true }, async (t) => {
    const at = await scene(t)
    const good = orders(40, 1)
    const raw = (value: Buffer): OutRecord => ({ topic: TOPIC, partition: 0, key: 'poison', value, headers: { event_type: 'odd' } })
    const valid = codec.encode('BudgetConfig', record('BudgetConfig', { event_id: uuidv4(), tenant_id: uuidv4(), ceiling: 1 }))
    const tenant = uuidv5('0f6d4bd0-6f31-5b3e-8d44-3e0f4a3b1a77', 'tenant 3')
    const bad: [string, string | null, OutRecord][] = [
      ['decode', null, raw(Buffer.from('not ours at all'))],
      ['decode', null, raw(Buffer.alloc(0))],
      ['decode', null, raw(valid.subarray(0, valid.length - 3))],
      ['refused', tenant, order(uuidv4(), 3, REFUSED, 0)],
      ['refused', tenant, order(uuidv4(), 3, THROWS, 0)],
      ['unfit', tenant, order(uuidv4(), 3, NUL, 0)],
      ['unfit', tenant, order(uuidv4(), 3, HUGE, 0)],
      ['refused', tenant, order(uuidv4(), 3, THROWS, 0)]
    ]
    const tombstone: OutRecord = { topic: TOPIC, partition: 0, key: 'gone', value: null }
    const records = good.flatMap((record, index) => [
      record,
      ...(index % 4 === 1 && bad[index >> 2] ? [bad[index >> 2]?.[2] ?? record] : [])
    ])
    t.equal(records.length, good.length + bad.length)
    await at.append([...records, tombstone])
    const run = await at.run(workOf(kind))
    await at.drained(run, name)
    t.same(await stored(at.pool, kind), sums(good, kind), 'those around it count once')
    t.equal(await outboxCount(at), folded(good))
    const { rows } = await at.pool.query('SELECT id, "offset", reason, error, processor FROM dead_letters ORDER BY "offset"')
    t.same(
      rows.map((row) => [Number(row.offset), row.reason]),
      bad.map(([reason, , record]) => [records.indexOf(record), reason])
    )
    const letters = (await at.pool.query("SELECT payload, headers->>'event_id' AS id FROM outbox WHERE topic = 'dlq.v1' ORDER BY ver")).rows
    t.same(
      letters.map(({ id }) => id),
      rows.map(({ id }) => id)
    )
    for (const [index, [reason, tenant_id, record]] of bad.entries()) {
      t.match(codec.decode('DeadLetter', letters[index].payload), {
        event_id: rows[index].id,
        tenant_id,
        processor: name,
        topic: TOPIC,
        partition: 0,
        offset: records.indexOf(record),
        key: Buffer.from(record.key),
        value: record.value,
        value_bytes: record.value?.length,
        headers: record.headers ?? {},
        reason,
        error: rows[index].error
      })
    }
    t.equal(run.metrics.sum('service_processor_dead_letters_total'), bad.length)
    t.same(run.fatals, [])
    t.ok(run.ready())
    const before = await leftBehind(at.pool)
    await run.close()
    await at.pool.query('UPDATE stream_offsets SET next_offset = 0')
    await at.pool.query('DELETE FROM dead_letters')
    const again = await at.run(workOf(kind))
    await at.drained(again, name)
    t.same((await leftBehind(at.pool)).dead, before.dead, 'read again, it makes the same letters')
  })

  t.test(`${kind}: a COMMIT without an answer never counts records twice or loses them`, { buffered: true }, async (t) => {
    const at = await scene(t)
    const url = new URL(at.systemUrl)
    let commits = 0
    const lost: string[] = []
    // Every third COMMIT is lost: in turn, the statement never reaches the server, or its answer
    // never reaches the client.
    const proxy = await startProxy(
      { host: url.hostname, port: Number(url.port) },
      {
        fromClient(bytes, link) {
          if (bytes.includes('COMMIT\0') && ++commits % 3 === 0 && commits < 30) {
            lost.push(commits % 2 ? 'question' : 'answer')
            if (commits % 2) return link.cut()
            silenced.add(link)
          }
          link.toServer(bytes)
        },
        fromServer: (bytes, link) => (silenced.has(link) ? link.cut() : link.toClient(bytes))
      }
    )
    const silenced = new Set<unknown>()
    url.port = String(proxy.port)
    const pool = createPool(url.href, { application_name: 'runtime test', max: 4 })
    t.teardown(async () => {
      await pool.end()
      await proxy.close()
    })
    const run = await at.run(workOf(kind), { pool })
    const records: OutRecord[] = []
    while (commits < 30) {
      const some = orders(6)
      await at.append(some)
      records.push(...some)
      await at.drained(run, name)
    }
    t.ok(lost.includes('question') && lost.includes('answer'), `${lost.length} lost`)
    await exactlyOnce(t, at, kind, records)
    t.same(run.fatals, [])
    await run.close()
  })

  t.test(`${kind}: records count once when Postgres is unreachable for a while`, { buffered: true }, async (t) => {
    const at = await scene(t)
    const url = new URL(at.systemUrl)
    const proxy = await startProxy({ host: url.hostname, port: Number(url.port) }, {})
    url.port = String(proxy.port)
    const pool = createPool(url.href, { application_name: 'runtime test', max: 4 })
    t.teardown(async () => {
      await pool.end()
      await proxy.close()
    })
    const run = await at.run(workOf(kind), { pool })
    const records = orders(30)
    await at.append(records)
    await at.drained(run, name)
    proxy.refuse(true)
    proxy.cutAll()
    const more = orders(30)
    await at.append(more)
    await until('some tries', () => run.metrics.sum('service_processor_retries_total') > 3)
    proxy.refuse(false)
    await at.drained(run, name)
    await exactlyOnce(t, at, kind, [...records, ...more])
    t.same(run.fatals, [])
    t.equal((await leftBehind(at.pool)).dead?.length, 0, 'nothing is dead-lettered for it')
    await run.close()
  })

  t.test(`${kind}: a partition goes on when the machine of Postgres vanishes`, { buffered: true }, async (t) => {
    const at = await scene(t)
    const url = new URL(at.systemUrl)
    const proxy = await startProxy({ host: url.hostname, port: Number(url.port) }, {})
    url.port = String(proxy.port)
    const pool = createPool(url.href, { application_name: 'runtime test', max: 4, keepPlans: true, statementTimeoutMs: 1000 })
    t.teardown(async () => {
      proxy.cutAll()
      await pool.end()
      await proxy.close()
    })
    const run = await at.run(workOf(kind), { pool })
    const records = orders(30)
    await at.append(records)
    await at.drained(run, name)
    // No packet of these connections arrives any more. New ones reach the stand-by.
    proxy.vanish()
    const more = orders(30)
    await at.append(more)
    await at.drained(run, name)
    await exactlyOnce(t, at, kind, [...records, ...more])
    t.same(run.fatals, [])
    await run.close()
  })

  t.test(`${kind}: an unknown failure ends the processor and writes nothing of the batch`, { buffered: true }, async (t) => {
    const at = await scene(t)
    await at.append(orders(10, 1))
    const run = await at.run(workOf(kind), {
      effectWrites: () => {
        throw new TypeError('a bug in the store')
      }
    })
    await until('the end', () => run.fatals.length > 0)
    t.equal(run.fatals.length, 1)
    t.match(run.fatals[0], { reason: /unknown to the runtime/, error: { message: 'a bug in the store' } })
    t.notOk(run.ready())
    const { offsets, ...rest } = await leftBehind(at.pool)
    t.same(
      Object.values(rest).filter((rows) => rows.length > 0),
      []
    )
    t.match(offsets, [{ next_offset: 0 }])
    await run.close()
    t.equal(run.fatals.length, 1, 'said once')
  })
}

t.test('byKey: a batch runs again after a conflict in the store', { buffered: true }, async (t) => {
  const at = await scene(t)
  const killer = createPool(at.ownerUrl, { application_name: 'killer', max: 1 })
  t.teardown(() => killer.end())
  let turn = 0
  const injected: string[] = []
  const work: Work = bindKey(keyProcessor, {
    async load(tx, inputs) {
      const loaded = await keyStore.load(tx, inputs)
      const [row] = (await tx.query('SELECT pg_backend_pid() AS pid')).rows
      const fault = ['deadlock', 'unique row', 'killed', 'killed while nothing was asked', 'serialization'][turn++]
      if (fault) injected.push(fault)
      if (fault === 'deadlock') throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
      if (fault === 'serialization') throw Object.assign(new Error('could not serialize access'), { code: '40001' })
      if (fault === 'unique row') {
        await tx.query('CREATE UNIQUE INDEX IF NOT EXISTS demo_seen_once ON demo_seen (event_id)').catch(() => undefined)
        throw Object.assign(new Error('duplicate key value violates unique constraint'), { code: '23505' })
      }
      if (fault?.startsWith('killed')) {
        await killer.query('SELECT pg_terminate_backend($1)', [row.pid])
        // The connection ends while no statement runs on it. Without a listener that event would
        // end the process.
        if (fault.includes('nothing'))
          await until(
            'the end of the session',
            async () => (await killer.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [row.pid])).rowCount === 0
          )
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return loaded
    },
    save: keyStore.save
  })
  const records = orders(40)
  await at.append(records)
  const run = await at.run(work)
  await at.drained(run, 'demo-key')
  t.same(injected, ['deadlock', 'unique row', 'killed', 'killed while nothing was asked', 'serialization'])
  t.ok(run.metrics.sum('service_processor_retries_total') >= 5)
  await exactlyOnce(t, at, 'byKey', records)
  t.equal((await leftBehind(at.pool)).dead?.length, 0)
  t.same(run.fatals, [])
})

t.test('an unreachable registry causes no dead letter', { buffered: true }, async (t) => {
  const at = await scene(t)
  // The processor's codec does not know the writer's schema: the schema ids differ, and the
  // registry answers only at the fourth attempt.
  const own = localIds()
  const moved = Object.fromEntries(Object.entries(own).map(([name, id]) => [name, id + 1000])) as typeof own
  const schema = JSON.stringify(loadRecords().get('BudgetConfig')?.schema)
  let asked = 0
  const slow = createCodec({
    ids: moved,
    schemaById: async () => {
      if (++asked < 4)
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }) })
      return schema
    }
  })
  const records = orders(20, 1)
  await at.append(records)
  const run = await at.run(workOf('byKey'), { codec: slow })
  await at.drained(run, 'demo-key')
  t.equal(asked, 4)
  await exactlyOnce(t, at, 'byKey', records)
  t.equal((await leftBehind(at.pool)).dead?.length, 0)
})
