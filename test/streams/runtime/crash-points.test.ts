/**
 * Tests that a crash between any two steps of the loop does not change the result. At each named
 * point the processor is ended within this process, another takes over, and all tables must equal
 * those of a run without a crash. Each run shows that its point was reached and that it left
 * something undone.
 */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { armCrashPoint, Crash, type CrashPointName, crashPointArmed, crashPoints } from '../../../streams/runtime/crash-point.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { until } from '../../harness/until.ts'
import { folded, type Kind, kinds, leftBehind, nameOf, order, orders, REFUSED, workOf } from './demo.ts'
import { launch } from './processes.ts'
import { exactlyOnce, outboxCount, type Scene, scene } from './scene.ts'

t.setTimeout(300_000)

/** Records of the first transaction. */
const FIRST: Record<Kind, number> = { byKey: 500, byPartition: 1000 }
/** More records of one partition than one transaction takes, with a dead letter in each half. */
const recordsOf = (kind: Kind): OutRecord[] => [
  ...orders(300, 1),
  order(uuidv4(), 1, REFUSED, 0),
  ...orders(FIRST[kind] - 200, 1),
  order(uuidv4(), 2, REFUSED, 0),
  ...orders(50, 1)
]
const points = crashPoints.filter((name): name is CrashPointName & `run.${string}` => name.startsWith('run.'))

for (const kind of kinds) {
  t.test(kind, async (t) => {
    const records = recordsOf(kind)
    const whole = await scene(t)
    await whole.append(records)
    const calm = await whole.run(workOf(kind))
    await whole.drained(calm, nameOf(kind))
    const end = await leftBehind(whole.pool)
    t.same([end.offsets?.length, end.dead?.length, end.outbox?.length], [1, 2, folded(records) + 2])

    for (const point of points) {
      t.test(point, async (t) => {
        const at = await scene(t)
        t.teardown(() => armCrashPoint(null))
        await at.append(records)
        armCrashPoint(point)
        const dying = await at.run(workOf(kind))
        await until('the crash', () => dying.fatals.length > 0)
        t.notOk(crashPointArmed(), 'the point was reached')
        t.match(dying.fatals, [{ error: Crash }])
        await dying.close()
        const middle = await leftBehind(at.pool)
        t.notSame(middle, end, 'something was left undone')
        const committed = point === 'run.after-commit' ? folded(records.slice(0, FIRST[kind])) : 0
        t.equal(await outboxCount(at), committed, 'all of a transaction or nothing')
        const next = await at.run(workOf(kind))
        await at.drained(next, nameOf(kind))
        t.same(await leftBehind(at.pool), end)
      })
    }
  })
}

t.test('after a process dies by SIGKILL before its commit, another finishes its work', async (t) => {
  const at: Scene = await scene(t)
  const records = recordsOf('byKey')
  await at.append(records)
  const dying = launch(t, at, { kind: 'byKey', freeze: null, unfenced: false }, { FAIL_AT: 'run.before-commit' })
  t.equal(await dying.exited, 'SIGKILL')
  t.same(dying.said('fatal'), [], 'without a word')
  t.equal(await outboxCount(at), 0)
  const next = await at.run(workOf('byKey'))
  await at.drained(next, nameOf('byKey'))
  await exactlyOnce(t, at, 'byKey', records)
})
