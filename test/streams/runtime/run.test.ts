/**
 * Tests the loop on the real engines: every record counts once, whatever is read again or
 * restarted, and positions belong to their log.
 */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { forgetOffsets, LogChanged } from '../../../streams/runtime/offsets.ts'
import { bindKey } from '../../../streams/runtime/run.ts'
import { until } from '../../harness/until.ts'
import { keyProcessor, keyStore, kinds, leftBehind, nameOf, order, orders, QUIET, stored, sums, TOPIC, workOf } from './demo.ts'
import { CALM, exactlyOnce, scene } from './scene.ts'
import { deleteBefore, setHint } from './support.ts'

t.setTimeout(300_000)
t.jobs = 3

for (const kind of kinds) {
  const name = nameOf(kind)

  t.test(`${kind}: records count once over restarts, and quiet records change nothing`, { buffered: true }, async (t) => {
    const at = await scene(t, CALM)
    const records = orders(300)
    await at.append(records)
    const first = await at.run(workOf(kind))
    await at.drained(first, name)
    await first.close()
    await exactlyOnce(t, at, kind, records)

    // The batches of the next run begin at offset 0: there is no hint yet, so the positions of the
    // last run lie inside those batches.
    const more = orders(150)
    await at.append(more)
    const second = await at.run(workOf(kind))
    await at.drained(second, name)
    await exactlyOnce(t, at, kind, [...records, ...more])
    const before = await leftBehind(at.pool)
    await second.close()

    const third = await at.run(workOf(kind))
    await until('its partitions', () => third.log.said('info', 'partitions assigned').length > 0)
    await at.append([order(uuidv4(), 1, QUIET, 0), order(uuidv4(), 1, QUIET, 1), order(uuidv4(), 1, QUIET, 2)])
    await at.drained(third, name)
    const { offsets: _, ...after } = await leftBehind(at.pool)
    const { offsets: __, ...was } = before
    t.same(after, was)
    for (const run of [first, second, third]) {
      t.equal(run.metrics.sum('service_processor_gaps_total'), 0)
      t.equal(run.metrics.sum('service_processor_fenced_total'), 0)
      t.same(run.fatals, [])
    }
    t.ok(third.ready())
  })

  t.test(`${kind}: a new processor starts at the beginning of the log, not at the group offset`, { buffered: true }, async (t) => {
    const at = await scene(t, CALM)
    const records = orders(60, 2)
    await at.append(records)
    const run = await at.run(workOf(kind))
    await at.drained(run, name)
    await run.close()
    // The last hint is the end of the log: nothing more comes.
    for (const hint of [25, 30]) {
      await setHint(at.topics, name, TOPIC, [0, 1], hint)
      for (const table of ['stream_offsets', 'partition_state', 'outbox', 'jobs', 'demo_rows', 'demo_seen'])
        await at.pool.query(`DELETE FROM ${table}`)
      const again = await at.run(workOf(kind))
      await at.drained(again, name)
      await exactlyOnce(t, at, kind, records)
      t.equal(again.metrics.sum('service_processor_gaps_total'), 0)
      await again.close()
    }
  })

  t.test(`${kind}: records lost to retention raise an alarm, and the others are processed`, { buffered: true }, async (t) => {
    const at = await scene(t, CALM)
    const records = orders(6, 1)
    await at.append(records)
    const run = await at.run(workOf(kind))
    await at.drained(run, name)
    await run.close()
    const lost = orders(5, 1)
    const left = orders(4, 1)
    await at.append([...lost, ...left])
    await deleteBefore(at.topics, TOPIC, 0, 11)
    const next = await at.run(workOf(kind))
    await at.drained(next, name)
    t.same(await stored(at.pool, kind), sums([...records, ...left], kind), 'sums')
    t.equal(next.metrics.sum('service_processor_gaps_total'), 5)
    t.equal(next.log.said('error', 'records are missing from the log').length, 1)
    t.same(next.fatals, [])
    await next.close()

    // Control: for a processor that never ran, the same log has no gap.
    await at.pool.query('DELETE FROM stream_offsets')
    const fresh = await at.run(workOf(kind))
    await at.drained(fresh, name)
    t.equal(fresh.metrics.sum('service_processor_gaps_total'), 0)
  })
}

t.test('byPartition: a batch that changes nothing moves the position in memory only', { buffered: true }, async (t) => {
  const at = await scene(t, CALM)
  const quiet = () => Array.from({ length: 10 }, () => order(uuidv4(), 1, QUIET, 0))
  const position = async (): Promise<number> =>
    (await at.pool.query("SELECT next_offset FROM stream_offsets WHERE processor = 'demo-partition' AND partition = 0")).rows[0]
      ?.next_offset
  const records = orders(1, 1)
  await at.append(records)
  const run = await at.run(workOf('byPartition'), { storeEveryMs: 3_600_000 })
  await at.drained(run, 'demo-partition')
  t.equal(await position(), 1)
  const processed = () => run.metrics.sum('service_processor_records_total')
  await at.append(quiet())
  await until('ten quiet records', () => processed() === 11)
  t.equal(await position(), 1, 'not stored')
  await run.flush()
  t.equal(await position(), 11, 'stored when asked')
  await at.append(quiet())
  await until('ten more', () => processed() === 21)
  t.equal(await position(), 11)
  const loud = orders(1, 1)
  await at.append(loud)
  await until('a change', () => processed() === 22)
  t.equal(await position(), 22, 'stored with the next change')
  await at.append(quiet())
  await until('ten more', () => processed() === 32)
  await run.close()
  t.equal(await position(), 32, 'stored at the end')
  await exactlyOnce(t, at, 'byPartition', [...records, ...loud])

  // A crash stores nothing: the quiet records are folded again, with the same result.
  await at.pool.query("UPDATE stream_offsets SET next_offset = 22 WHERE processor = 'demo-partition'")
  const next = await at.run(workOf('byPartition'))
  await at.drained(next, 'demo-partition')
  t.equal(next.metrics.sum('service_processor_records_total'), 10)
  await exactlyOnce(t, at, 'byPartition', [...records, ...loud])
})

t.test('work that takes longer than the session does not lose the partitions', { buffered: true }, async (t) => {
  const at = await scene(t, CALM)
  let slow = 2
  const work = bindKey(keyProcessor, {
    async load(tx, inputs) {
      if (slow-- > 0) await tx.query('SELECT pg_sleep(4.5)') // Sessions last 4 s here.
      return keyStore.load(tx, inputs)
    },
    save: keyStore.save
  })
  const records = orders(20, 1)
  await at.append(records)
  const run = await at.run(work, { sessionTimeoutMs: 4000 })
  await at.drained(run, 'demo-key')
  await at.append(records.slice(0, 1))
  await at.drained(run, 'demo-key')
  t.equal(run.log.said('info', 'partitions assigned').length, 1, 'it joined once')
  t.equal(run.metrics.sum('service_processor_retries_total'), 0)
  await exactlyOnce(t, at, 'byKey', [...records, ...records.slice(0, 1)])
})

t.test('a log that does not match the stored positions', { buffered: true }, async (t) => {
  t.test('a processor does not start on the log of another cluster', async (t) => {
    const at = await scene(t, CALM)
    await at.append(orders(10))
    const run = await at.run(workOf('byKey'))
    await at.drained(run, 'demo-key')
    await run.close()
    await at.pool.query("UPDATE stream_offsets SET cluster_id = 'the-one-before'")
    const before = await leftBehind(at.pool)
    const refused = await at.run(workOf('byKey')).then(
      () => null,
      (error: unknown) => error
    )
    t.ok(refused instanceof LogChanged)
    t.match(refused, {
      message:
        /Kafka was replaced or wiped: the stored positions are in cluster the-one-before, the broker says .*"npm run migrate -- --new-log"/
    })
    t.same(await leftBehind(at.pool), before, 'nothing is touched')
    t.ok((await forgetOffsets(at.pool)) > 0)
    const next = await at.run(workOf('byKey'))
    t.ok(next, 'once the positions are forgotten deliberately, it runs')
  })

  t.test('a processor does not start if the log ends before its stored position', async (t) => {
    const at = await scene(t, CALM)
    await at.append(orders(10, 1))
    const run = await at.run(workOf('byKey'))
    await at.drained(run, 'demo-key')
    await run.close()
    await at.pool.query('UPDATE stream_offsets SET next_offset = 99')
    await t.rejects(at.run(workOf('byKey')), {
      message: /The log of ingest\.usage\.v1 partition 0 ends at 10, before the stored position 99\. .* empty volumes and a new cluster id/
    })
  })

  t.test('a running processor ends if its stored position is past the end of the log', async (t) => {
    const at = await scene(t, CALM)
    await at.append(orders(10, 1))
    const run = await at.run(workOf('byKey'))
    await at.drained(run, 'demo-key')
    await at.pool.query('UPDATE stream_offsets SET next_offset = 99')
    await at.append(orders(1, 1))
    await until('the sentence', () => run.fatals.length > 0)
    t.match(run.fatals[0]?.reason, 'The log of ingest.usage.v1 partition 0 ends at 11, before the stored position 99.')
    t.equal(run.metrics.sum('service_processor_fenced_total'), 1, 'the compare-and-set found it')
    t.notOk(run.ready())
  })
})
