/** Tests of what is watched for which workspace, and of the slots that are due after a sleep. */
import t from 'tap'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { slotsDue } from '../../../services/prober/slot-timer.ts'
import { intervalOf, type Rhythm, rhythmAfter, WatchList } from '../../../services/prober/watched.ts'

const assignment = (monitor_id: string, tenant_ref: string, config_version = 1) =>
  ({ monitor_id, tenant_ref, config_version, interval_seconds: 60 }) as Assignment

t.test('slots that are due or missed after a sleep', async (t) => {
  const rows: [name: string, dueAt: number, next: number, slot: number, missed: number | null][] = [
    ['in time: the slot itself', 1000, 1060, 1000, null],
    ['one slot was slept over: it is missed, the latest begins', 1000, 1120, 1060, 1000],
    ['many were slept over: the first is missed', 1000, 2020, 1960, 1000]
  ]
  for (const [name, dueAt, next, slot, missed] of rows) t.same(slotsDue(dueAt, next, 60), { slot, missed }, name)
})

t.test('numbers of watched monitors and workspaces', async (t) => {
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

const outcomes = { S: 'success', D: 'degraded', F: 'failure', E: 'prober_error', M: 'missed_window' } as const
type Letter = keyof typeof outcomes
const isLetter = (letter: string): letter is Letter => letter in outcomes

t.test('when a failing monitor is checked at the quicker rhythm', async (t) => {
  const rows: [name: string, checks: string, recovery_rounds: number | undefined, isQuick: boolean][] = [
    ['not before a failure', 'SDS', 2, false],
    ['from a failure on', 'SF', 2, true],
    ['until it has recovered', 'FS', 2, true],
    ['by good checks in a row', 'FSS', 2, false],
    ['degraded ones are good', 'FDD', 2, false],
    ['another failure begins the count anew', 'FSFS', 2, true],
    ['what says nothing of the target changes nothing', 'FSEMS', 2, false],
    ['and makes nothing quick', 'SEM', 2, false],
    ['a service that says no count means one', 'FS', undefined, false]
  ]
  for (const [name, checks, recovery_rounds, isQuick] of rows) {
    const monitor = recovery_rounds === undefined ? {} : { recovery_rounds }
    const start: Rhythm = { isQuick: false, good: 0 }
    const after = [...checks].filter(isLetter).reduce((rhythm, letter) => rhythmAfter(rhythm, outcomes[letter], monitor), start)
    t.equal(after.isQuick, isQuick, `${checks}: ${name}`)
  }
})

t.test('a monitor in the quick rhythm uses its down interval, if it has one', async (t) => {
  const list = new WatchList()
  const one = list.put({ ...assignment('a', 'x'), down_interval_seconds: 20 })
  t.equal(intervalOf(one), 60_000)
  one.rhythm = { isQuick: true, good: 0 }
  t.equal(intervalOf(one), 20_000)
  list.put(assignment('a', 'x'))
  t.equal(intervalOf(one), 60_000, 'the rule was taken away')
})

t.test('new settings keep the state of a monitor and discard its plan', async (t) => {
  const list = new WatchList()
  const one = list.put(assignment('a', 'x'))
  one.plan = { fault: 'old' }
  one.waiting = 1000
  t.equal(list.put(assignment('a', 'x', 2)), one)
  t.match(one, { plan: null, waiting: 1000, assignment: { config_version: 2 } })
})

t.test('a dropped monitor is no longer held, even if its id is watched again', async (t) => {
  const list = new WatchList()
  const one = list.put(assignment('a', 'x'))
  t.ok(list.holds(one))
  list.drop('a')
  t.notOk(list.holds(one))
  list.put(assignment('a', 'x'))
  t.notOk(list.holds(one))
})
