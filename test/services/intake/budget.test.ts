/**
 * Tests of the inbound budget. The rows of the table are its rules; the properties hold for any
 * traffic.
 */
import fc from 'fast-check'
import t from 'tap'
import { createBudget } from '../../../services/intake/doors/budget.ts'

const FLOOR = 1000
const AT = 1_790_000_000_000

t.test('how a budget window admits, counts and resets', async (t) => {
  //  a case                                            steps: [ms since the start, what, alerts or
  //                                                    ceiling, …expected standing]
  type Step =
    | [at: number, 'admit', admitted: boolean, remaining: number, reset: number]
    | [at: number, 'count', alerts: number, remaining: number]
    | [at: number, 'ceiling', ceiling: number | null]
  const cases: [string, Step[]][] = [
    ['nothing was sent: all of it remains, a minute long', [[0, 'admit', true, 1000, 60]]],
    [
      'the first alert opens the window',
      [
        [0, 'admit', true, 1000, 60],
        [5000, 'count', 1, 999],
        [5000, 'admit', true, 999, 60],
        [64_999, 'admit', true, 999, 1],
        [65_000, 'admit', true, 1000, 60]
      ]
    ],
    [
      'alerts count, not requests',
      [
        [0, 'count', 40, 960],
        [1, 'count', 2, 958]
      ]
    ],
    ['a payload without alerts counts as one', [[0, 'count', 0, 999]]],
    [
      'a payload at one below the limit is admitted whole, the next is refused',
      [
        [0, 'count', 999, 1],
        [1, 'admit', true, 1, 60],
        [1, 'count', 5000, 0],
        [2, 'admit', false, 0, 60],
        [43_000, 'admit', false, 0, 17],
        [59_999, 'admit', false, 0, 1],
        [60_000, 'admit', true, 1000, 60]
      ]
    ],
    [
      'a ceiling raises the limit from the next window on',
      [
        [0, 'count', 1000, 0],
        [1, 'ceiling', 5000],
        [2, 'admit', false, 0, 60],
        [60_000, 'admit', true, 5000, 60]
      ]
    ],
    [
      'no ceiling is under the floor',
      [
        [0, 'ceiling', 10],
        [1, 'admit', true, 1000, 60]
      ]
    ],
    [
      'a ceiling under the plan’s figure takes nothing away',
      [
        [0, 'ceiling', 1200],
        [1, 'admit', true, 1200, 60]
      ]
    ],
    [
      'without a ceiling the plan counts again',
      [
        [0, 'ceiling', 5000],
        [1, 'ceiling', null],
        [2, 'admit', true, 1000, 60]
      ]
    ]
  ]
  for (const [name, steps] of cases) {
    t.test(name, async (t) => {
      const budget = createBudget(FLOOR)
      for (const [at, what, ...rest] of steps) {
        const label = `${what} at ${at}`
        if (what === 'ceiling') budget.setCeiling('a', rest[0] as number | null)
        else if (what === 'count') t.equal(budget.count('a', 500, rest[0] as number, AT + at).remaining, rest[1], label)
        else {
          const [admitted, remaining, reset_seconds] = rest
          t.match(budget.admit('a', 500, AT + at), { admitted, remaining, reset_seconds }, label)
        }
      }
    })
  }
})

t.test('alerts that the log did not store are taken back from the window that counted them', async (t) => {
  const budget = createBudget(FLOOR)
  const { counted } = budget.count('a', FLOOR, 400, AT)
  budget.count('a', FLOOR, 600, AT + 1)
  t.equal(budget.admit('a', FLOOR, AT + 2).admitted, false)
  budget.takeBack('a', counted)
  t.match(budget.admit('a', FLOOR, AT + 3), { admitted: true, remaining: 0 }, 'what remains never rises in a window')
  t.match(budget.due(AT + 3), [{ accepted: 600, refused: 1 }])
  budget.published(budget.due(AT + 3))
  const empty = budget.count('a', FLOOR, 0, AT + 4)
  budget.takeBack('a', empty.counted)
  t.match(budget.due(AT + 5), [{ accepted: 600 }])
  t.match(budget.admit('a', FLOOR, AT + 60_000), { admitted: true, remaining: 1000 })

  const late = budget.count('a', FLOOR, 5, AT + 59_999)
  budget.count('a', FLOOR, 1, AT + 60_000)
  budget.takeBack('a', late.counted)
  t.match(
    budget.due(AT + 60_001).map(({ accepted }) => accepted),
    [600, 1],
    'also when the next window has opened'
  )
  budget.takeBack('a', { window: AT - 60_000, alerts: 9 })
  budget.takeBack('b', late.counted)
  t.equal(budget.due(AT + 60_001).length, 2)
})

t.test('workspaces do not share a budget', async (t) => {
  const budget = createBudget(FLOOR)
  budget.count('a', FLOOR, 1000, AT)
  t.equal(budget.admit('a', FLOOR, AT).admitted, false)
  t.equal(budget.admit('b', FLOOR, AT).admitted, true)
})

t.test('the limit of the plan applies if it exceeds the floor', async (t) => {
  t.equal(createBudget(FLOOR).admit('a', 10_000, AT).limit, 10_000)
})

const traffic = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 40_000 }),
    alerts: fc.integer({ min: 0, max: 900 }),
    ceiling: fc.option(fc.integer({ min: 0, max: 4000 })),
    stored: fc.boolean()
  }),
  { maxLength: 60 }
)

t.test('the properties of a budget hold for any traffic', async (t) => {
  fc.assert(
    fc.property(traffic, (steps) => {
      const budget = createBudget(FLOOR)
      let now = AT
      let before = null as { remaining: number; endsAt: number } | null
      let window = null as { opened: number; alerts: number } | null
      for (const { after, alerts, ceiling, stored } of steps) {
        now += after
        if (ceiling !== null) budget.setCeiling('a', ceiling)
        const standing = budget.admit('a', 500, now)
        if (before && now < before.endsAt && standing.remaining > before.remaining) throw new Error('remaining rose inside a window')
        if (window && now >= window.opened + 60_000) window = null
        const used = window?.alerts ?? 0
        if (standing.admitted !== used < standing.limit)
          throw new Error('admitted while, and only while, fewer than the limit were counted')
        if (standing.limit < FLOOR) throw new Error('a limit under the floor')
        if (!standing.admitted) {
          const wait = now + standing.reset_seconds * 1000
          if (!budget.standing('a', 500, wait).admitted) throw new Error('waiting Retry-After did not help')
          continue
        }
        const next = budget.count('a', 500, alerts, now)
        window = { opened: window?.opened ?? now, alerts: used + (stored ? Math.max(1, alerts) : 0) }
        if (!stored) budget.takeBack('a', next.counted)
        before = { remaining: next.remaining, endsAt: window.opened + 60_000 }
      }
    }),
    { numRuns: 500 }
  )
  t.pass('held')
})

t.test('published counters add up to what was counted, even if publications fail', async (t) => {
  const steps = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 1, max: 700 }), fc.constantFrom('none', 'ok', 'fails')),
    {
      maxLength: 80
    }
  )
  fc.assert(
    fc.property(steps, (list) => {
      const budget = createBudget(FLOOR)
      const onLog = new Map<number, { accepted: number; refused: number }>()
      let now = AT
      let accepted = 0
      let refused = 0
      const publish = (ok: boolean): void => {
        const usages = budget.due(now)
        if (!ok) return
        for (const usage of usages) onLog.set(usage.window, { accepted: usage.accepted, refused: usage.refused })
        budget.published(usages)
      }
      for (const [after, alerts, publication] of list) {
        now += after
        if (budget.admit('a', FLOOR, now).admitted) {
          budget.count('a', FLOOR, alerts, now)
          accepted += alerts
        } else refused += 1
        if (publication !== 'none') publish(publication === 'ok')
      }
      publish(true)
      let sum = 0
      let refusedSum = 0
      for (const usage of onLog.values()) {
        sum += usage.accepted
        refusedSum += usage.refused
      }
      return sum === accepted && refusedSum === refused
    }),
    { numRuns: 500 }
  )
  t.pass('held')
})

t.test('windows of idle workspaces are dropped once they are published and over', async (t) => {
  const budget = createBudget(FLOOR)
  for (let nth = 0; nth < 500; nth++) budget.count(`tenant-${nth}`, FLOOR, 1, AT + nth)
  t.equal(budget.size(), 500)
  const usages = budget.due(AT + 10_000)
  t.equal(usages.length, 500)
  budget.published(usages)
  t.same(budget.due(AT + 20_000), [], 'nothing happened since')
  t.equal(budget.size(), 500)
  budget.due(AT + 61_000)
  t.equal(budget.size(), 0)
})

t.test('a count after the published snapshot is due again', async (t) => {
  const budget = createBudget(FLOOR)
  budget.count('a', FLOOR, 1, AT)
  const usages = budget.due(AT)
  budget.count('a', FLOOR, 2, AT + 1)
  budget.published(usages)
  t.match(budget.due(AT + 2), [{ tenant_id: 'a', window: AT, accepted: 3, refused: 0, limit: FLOOR }])
  budget.count('a', FLOOR, 1, AT + 70_000)
  budget.published(usages)
  t.match(
    budget.due(AT + 70_000).map(({ window, accepted }) => [window, accepted]),
    [
      [AT, 3],
      [AT + 70_000, 1]
    ],
    'the final count of a window that is over waits for its publication'
  )
})

t.test('what is taken back from a window that is over while its count is on its way is due again', async (t) => {
  const budget = createBudget(FLOOR)
  const late = budget.count('a', FLOOR, 5, AT)
  budget.count('a', FLOOR, 2, AT + 1)
  budget.count('a', FLOOR, 1, AT + 60_000)
  const usages = budget.due(AT + 60_000)
  budget.takeBack('a', late.counted)
  budget.published(usages)
  t.match(budget.due(AT + 60_001), [{ window: AT, accepted: 2 }])
})

t.test('the number of unpublished windows is bounded', async (t) => {
  const budget = createBudget(FLOOR)
  for (let minute = 0; minute < 12_000; minute++) budget.count('a', FLOOR, 1, AT + minute * 60_000)
  t.equal(budget.size(), 10_001)
})
