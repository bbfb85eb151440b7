/** What is watched for which workspace, and which slots are due after a sleep. */
import t from 'tap'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { slotsDue } from '../../../services/prober/slot-timer.ts'
import { WatchList } from '../../../services/prober/watched.ts'

const assignment = (monitor_id: string, tenant_ref: string, config_version = 1) =>
  ({ monitor_id, tenant_ref, config_version, interval_seconds: 60 }) as Assignment

t.test('slots due', async (t) => {
  const rows: [name: string, dueAt: number, next: number, slot: number, missed: number | null][] = [
    ['in time: the slot itself', 1000, 1060, 1000, null],
    ['one slot was slept over: it is missed, the latest begins', 1000, 1120, 1060, 1000],
    ['many were slept over: the first is missed', 1000, 2020, 1960, 1000]
  ]
  for (const [name, dueAt, next, slot, missed] of rows) t.same(slotsDue(dueAt, next, 60), { slot, missed }, name)
})

t.test('the watched', async (t) => {
  const rows: { name: string; steps(list: WatchList): void; size: number; workspaces: number }[] = [
    { name: 'nothing at first', steps: () => undefined, size: 0, workspaces: 0 },
    {
      name: 'two of one workspace',
      steps: (list) => [list.put(assignment('a', 'x')), list.put(assignment('b', 'x'))],
      size: 2,
      workspaces: 1
    },
    {
      name: 'one of each of two',
      steps: (list) => [list.put(assignment('a', 'x')), list.put(assignment('b', 'y'))],
      size: 2,
      workspaces: 2
    },
    {
      name: 'new settings count once',
      steps: (list) => [list.put(assignment('a', 'x')), list.put(assignment('a', 'x', 2))],
      size: 1,
      workspaces: 1
    },
    {
      name: 'a workspace goes with its last monitor',
      steps: (list) => [list.put(assignment('a', 'x')), list.drop('a')],
      size: 0,
      workspaces: 0
    },
    { name: 'what is not there is not dropped', steps: (list) => [list.put(assignment('a', 'x')), list.drop('b')], size: 1, workspaces: 1 },
    {
      name: 'nothing is dropped twice',
      steps: (list) => [list.put(assignment('a', 'x')), list.put(assignment('b', 'x')), list.drop('a'), list.drop('a')],
      size: 1,
      workspaces: 1
    }
  ]
  for (const { name, steps, size, workspaces } of rows) {
    const list = new WatchList()
    steps(list)
    t.same({ size: list.size, workspaces: list.workspaces }, { size, workspaces }, name)
  }
})

t.test('new settings keep the state of a monitor, and its plan is made anew', async (t) => {
  const list = new WatchList()
  const one = list.put(assignment('a', 'x'))
  one.plan = { fault: 'old' }
  one.waiting = 1000
  t.equal(list.put(assignment('a', 'x', 2)), one)
  t.match(one, { plan: null, waiting: 1000, assignment: { config_version: 2 } })
})

t.test('what was dropped is no longer held, also when its monitor is watched anew', async (t) => {
  const list = new WatchList()
  const one = list.put(assignment('a', 'x'))
  t.ok(list.holds(one))
  list.drop('a')
  t.notOk(list.holds(one))
  list.put(assignment('a', 'x'))
  t.notOk(list.holds(one))
})
