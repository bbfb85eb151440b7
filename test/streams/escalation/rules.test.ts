/** Tests which escalation step is next and whom it asks: the rules of a run as tables. */
import t from 'tap'
import type { Policy, PolicyStep } from '../../../schemas/http/escalation-words.ts'
import {
  afterEmpty,
  afterFired,
  applies,
  beginning,
  type Candidate,
  choose,
  dueOf,
  endOf,
  type Standing
} from '../../../streams/escalation/rules.ts'

const SECOND = 1000
const START = Date.UTC(2026, 2, 2, 12) // A Monday.

const step = (delay_seconds: number, over: Partial<PolicyStep> = {}): PolicyStep => ({
  delay_seconds,
  targets: [],
  strategy: 'all',
  only_if: null,
  on_empty: 'next',
  ...over
})
const policyOf = (steps: PolicyStep[], over: Partial<Policy> = {}): Policy => ({
  repeat: 0,
  ack_timeout_minutes: null,
  max_duration_minutes: 1440,
  steps,
  ...over
})

type Course = [seconds: number, what: string][]

/** The whole course of a policy. Each step ends as `ends` says; by default every step fires. */
function courseOf(policy: Policy, ends: (standing: Standing) => 'fired' | 'more' | 'empty' = () => 'fired'): Course {
  const course: Course = []
  let standing = beginning(policy, START)
  let at = START
  for (let looks = 0; looks < 200; looks++) {
    const due = dueOf(policy, standing, 'critical', at)
    if (due.now === 'wait') {
      at = due.until
      continue
    }
    const told = (what: string) => course.push([(at - START) / SECOND, `${standing.cycle}.${standing.step}.${standing.part} ${what}`])
    if (due.now === 'exhausted') {
      told('exhausted')
      return course
    }
    if (due.now === 'skipped') {
      told('skipped')
      standing = { ...standing, ...due.next }
      continue
    }
    const end = ends(standing)
    told(end)
    const next = end === 'empty' ? afterEmpty(policy, standing, at) : afterFired(policy, standing, end === 'more', at)
    standing = { ...standing, ...next, ...(end !== 'empty' && { last_fired_at: at }) }
  }
  throw new Error('the policy has no end')
}

t.test('courses of escalation policies', async (t) => {
  const never = { severity: ['info'] as const, time_window: null }
  const cases: [name: string, Policy, Course, ends?: (standing: Standing) => 'fired' | 'more' | 'empty'][] = [
    [
      'one step, at once',
      policyOf([step(0)]),
      [
        [0, '0.0.0 fired'],
        [300, '1.0.0 exhausted']
      ]
    ],
    [
      'its delay',
      policyOf([step(60)]),
      [
        [60, '0.0.0 fired'],
        [120, '1.0.0 exhausted']
      ]
    ],
    [
      'rounds',
      policyOf([step(0), step(600)], { repeat: 1 }),
      [
        [0, '0.0.0 fired'],
        [600, '0.1.0 fired'],
        [900, '1.0.0 fired'],
        [1500, '1.1.0 fired'],
        [1800, '2.0.0 exhausted']
      ]
    ],
    [
      'a step that is skipped: the next one waits for its own delay after the last that fired',
      policyOf([step(0), step(60, { only_if: never }), step(100)]),
      [
        [0, '0.0.0 fired'],
        [60, '0.1.0 skipped'],
        [100, '0.2.0 fired'],
        [400, '1.0.0 exhausted']
      ]
    ],
    [
      'nobody there: the next one at once',
      policyOf([step(0), step(600), step(600)]),
      [
        [0, '0.0.0 fired'],
        [600, '0.1.0 empty'],
        [600, '0.2.0 fired'],
        [900, '1.0.0 exhausted']
      ],
      ({ step: index }) => (index === 1 ? 'empty' : 'fired')
    ],
    [
      'nobody anywhere: a round takes its time',
      policyOf([step(0), step(600)], { repeat: 1 }),
      [
        [0, '0.0.0 empty'],
        [0, '0.1.0 empty'],
        [300, '1.0.0 empty'],
        [300, '1.1.0 empty'],
        [600, '2.0.0 exhausted']
      ],
      () => 'empty'
    ],
    [
      'one after another',
      policyOf([step(0), step(60)]),
      [
        [0, '0.0.0 more'],
        [300, '0.0.1 fired'],
        [360, '0.1.0 more'],
        [420, '0.1.1 fired'],
        [720, '1.0.0 exhausted']
      ],
      ({ part }) => (part === 0 ? 'more' : 'fired')
    ],
    [
      'its longest time ends it, whatever is to come',
      policyOf([step(0), step(86_400)], { max_duration_minutes: 10 }),
      [
        [0, '0.0.0 fired'],
        [600, '0.1.0 exhausted']
      ]
    ]
  ]
  for (const [name, policy, expected, ends] of cases) t.same(courseOf(policy, ends), expected, name)
})

t.test('conditions of an escalation step', async (t) => {
  const window = { time_zone: 'Europe/Berlin', days: ['mon'], from: '08:00', to: '20:00' } as const
  const night = Date.UTC(2026, 2, 2, 22)
  t.equal(applies(null, 'info', START), true)
  t.equal(applies({ severity: [], time_window: null }, 'info', START), true)
  t.equal(applies({ severity: ['critical'], time_window: null }, 'info', START), false)
  t.equal(applies({ severity: ['critical'], time_window: window }, 'critical', START), true)
  t.equal(applies({ severity: [], time_window: window }, 'critical', night), false)
  const strange = { ...window, time_zone: 'Nowhere/Land' }
  t.equal(applies({ severity: [], time_window: strange }, 'critical', night), true, 'what cannot be read holds nobody back')
})

t.test('people that a step pages', async (t) => {
  const one = (user_id: string, reachable = true): Candidate => ({ user_id, urgency: 'default', reachable })
  const ask = (strategy: PolicyStep['strategy'], candidates: Candidate[], asked: string[] = [], incident_id = 'i', cycle = 0) =>
    choose({ strategy }, candidates, { incident_id, cycle, asked: new Set(asked) })
  const all = [one('c'), one('a'), one('b', false)]
  t.same(ask('all', all), { ask: ['c', 'a'], unreachable: ['b'], more: false })
  t.same(ask('one_by_one', all), { ask: ['c'], unreachable: ['b'], more: true }, 'in the order of the targets')
  t.same(ask('one_by_one', all, ['c']), { ask: ['a'], unreachable: [], more: false })
  t.same(ask('one_by_one', all, ['c', 'a']), { ask: [], unreachable: [], more: false })
  t.same(ask('round_robin', [one('b', false)]), { ask: [], unreachable: ['b'], more: false })
  const [first] = ask('round_robin', all).ask
  t.same(ask('round_robin', [...all].reverse()).ask, [first], 'the order of the targets moves nobody’s turn')
  t.not(ask('round_robin', all, [], 'i', 1).ask[0], first, 'another round asks another')
  const asked = new Set(Array.from({ length: 50 }, (_, at) => ask('round_robin', all, [], `incident ${at}`).ask[0]))
  t.same([...asked].sort(), ['a', 'c'], 'incidents spread over those who can be asked')
})

t.test('a run waits for its next step, which is never after the end of the run', async (t) => {
  const policy = policyOf([step(30), step(86_400)], { max_duration_minutes: 10 })
  const standing = beginning(policy, START)
  t.same(dueOf(policy, standing, 'critical', START), { now: 'wait', until: START + 30 * SECOND })
  t.equal(afterFired(policy, standing, false, START).next_at, endOf(policy, START))
  t.same(dueOf(policy, standing, 'critical', endOf(policy, START)), { now: 'exhausted' })
})
