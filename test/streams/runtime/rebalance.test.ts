/** Tests that every record counts once although members of the group join, leave and are frozen. */
import t from 'tap'
import { createPool } from '../../../services/store/pool.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { until } from '../../harness/until.ts'
import { codec, folded, type Kind, kinds, nameOf, orders, stored, sums, workOf } from './demo.ts'
import { CALM, outboxCount, type Scene, scene } from './scene.ts'

t.setTimeout(300_000)
t.jobs = 3

t.test('members that join and leave under load cause no gap and no repeat', { buffered: true }, async (t) => {
  const at = await scene(t)
  const records: OutRecord[] = []
  let loading = true
  const load = (async () => {
    while (loading) {
      const some = orders(30, 6)
      await at.append(some)
      records.push(...some)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  })()
  const runs: Record<Kind, Awaited<ReturnType<Scene['run']>>[]> = { byPartition: [], byKey: [] }
  const assigned = () =>
    [...runs.byPartition, ...runs.byKey].reduce((sum, run) => sum + run.log.said('info', 'partitions assigned').length, 0)
  for (const kind of kinds) runs[kind].push(await at.run(workOf(kind)))
  for (let round = 0; round < 2; round++) {
    const joined = await Promise.all(
      kinds.map(async (kind) => {
        const before = assigned()
        const run = await at.run(workOf(kind))
        runs[kind].push(run)
        await until(
          'the newcomer to have partitions',
          () => run.log.said('info', 'partitions assigned').length > 0 && assigned() > before + 1
        )
        return run
      })
    )
    const seen = joined.map((run) => run.metrics.sum('service_processor_records_total'))
    await until('the newcomers to work', () =>
      joined.every((run, index) => run.metrics.sum('service_processor_records_total') > (seen[index] ?? 0))
    )
    await Promise.all(joined.map((run) => run.close()))
  }
  loading = false
  await load
  for (const kind of kinds) {
    const [first] = runs[kind]
    if (!first) throw new Error('no run')
    await at.drained(first, nameOf(kind))
    t.same(await stored(at.pool, kind), sums(records, kind), `${kind}: ${records.length} records`)
    for (const run of runs[kind]) {
      t.equal(run.metrics.sum('service_processor_gaps_total'), 0)
      t.same(run.fatals, [])
    }
  }
  t.equal(await outboxCount(at), 2 * folded(records))
  t.ok(assigned() >= 10, `${assigned()} assignments`)
})

t.test('positions that advance during the comparison do not look like another log', { buffered: true }, async (t) => {
  const at = await scene(t, CALM)
  await at.append(orders(30, 1))
  const working = await at.run(workOf('byKey'))
  await at.drained(working, nameOf('byKey'))
  // The newcomer's query for the positions is delayed until the stored positions are far ahead of
  // what they were.
  const slow = createPool(at.systemUrl, { application_name: 'runtime test', max: 4 })
  t.teardown(() => slow.end())
  const ask = slow.query.bind(slow) as (text: string, values?: unknown[]) => Promise<unknown>
  let held = 0
  Object.assign(slow, {
    query: async (text: string, values?: unknown[]) => {
      if (text.includes('FROM stream_offsets') && held++ === 0) {
        await at.append(orders(30, 1))
        await at.drained(working, nameOf('byKey'))
      }
      return ask(text, values)
    }
  })
  const newcomer = await at.run(workOf('byKey'), { pool: slow })
  t.ok(held > 0)
  t.same([...working.fatals, ...newcomer.fatals], [])
})

t.test('a batch that another owner has already processed is dropped, and reading goes on after it', { buffered: true }, async (t) => {
  const at = await scene(t, CALM)
  let release: () => void = () => undefined
  let held = 0
  const holding: typeof codec = {
    ...codec,
    within(views) {
      const within = codec.within(views)
      return { ...within, knows: (...place) => held > 0 && within.knows(...place) }
    },
    async learn() {
      held += 1
      await new Promise<void>((resolve) => {
        release = resolve
      })
    }
  }
  await at.append(orders(10, 1))
  const run = await at.run(workOf('byKey'), { codec: holding })
  await until('a batch in hand', () => held === 1)
  await at.append(orders(20, 1))
  // Makes it look as if another processor had processed all of them.
  await at.pool.query('UPDATE stream_offsets SET next_offset = 30')
  release()
  const mine = orders(5, 1)
  await at.append(mine)
  await at.drained(run, nameOf('byKey'))
  t.equal(run.metrics.sum('service_processor_fenced_total'), 1)
  t.same(await stored(at.pool, 'byKey'), sums(mine, 'byKey'), 'only what was left')
  t.same(run.fatals, [])
})
