/** Members of the group come and go, and are frozen: records count once all the same. */
import t from 'tap'
import type { OutRecord } from '../../streams/runtime/stream.ts'
import { until } from '../harness/until.ts'
import { folded, type Kind, kinds, nameOf, orders, stored, sums, workOf } from './demo.ts'
import { outboxCount, type Scene, scene } from './scene.ts'

t.setTimeout(170_000)
t.jobs = 3

t.test('members that come and go every two seconds under load: no gap, nothing twice', { buffered: true }, async (t) => {
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
