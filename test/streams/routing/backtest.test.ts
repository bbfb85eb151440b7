/** Tests the counts and samples of a back-test, as tables. */
import t from 'tap'
import { Backtest, changesBetween } from '../../../streams/routing/backtest.ts'
import { builtInDecision, compile, type Decision, route } from '../../../streams/routing/rules.ts'
import { alertOf, ruleOf } from './build.ts'

const was = builtInDecision(alertOf())
const group = { rule_id: 'a', values: ['x'], key: 'k', window_seconds: 60, max_alerts: 5 }

t.test('the changes between two routing decisions', async (t) => {
  const cases: [over: Partial<Decision>, changes: string[]][] = [
    [{}, []],
    [{ routing_version: 9, matched_rule_ids: ['x'], severity_by_rule: true }, []],
    [{ team_id: 'other' }, ['team']],
    [{ promote: false, suppressed_by: 'a' }, ['promote', 'suppress']],
    [{ severity: 'info', priority: 'P1', is_major: true }, ['severity', 'priority', 'major']],
    [{ labels: { b: '1', a: '2' } }, ['labels']],
    [{ group }, ['group']],
    [{ auto_resolve_minutes: 5, notify_resolved: false }, ['auto_resolve', 'notify_resolved']]
  ]
  for (const [over, changes] of cases) t.same(changesBetween({ ...was, labels: {} }, { ...was, labels: {}, ...over }), changes)
  t.same(changesBetween({ ...was, group }, { ...was, group: { ...group, rule_id: 'b', key: 'l' } }), [], 'another rule, the same group')
  t.same(changesBetween({ ...was, suppressed_by: 'a' }, { ...was, suppressed_by: 'b' }), [], 'nobody is told either way')
  t.same(changesBetween({ ...was, labels: { a: '1', b: '2' } }, { ...was, labels: { b: '2', a: '1' } }), [])
})

t.test('what a maintenance window kept is no change by rules', async (t) => {
  const maintenance = { window_id: 'w', version: 1, until: 5 }
  const kept = { ...was, promote: false, group: null, maintenance }
  t.same(changesBetween(kept, was), [])
  t.same(changesBetween(kept, { ...was, group }), [], 'whether rules had put it into the group is not known')
  t.same(changesBetween(kept, { ...was, promote: false }), ['promote'], 'rules keep it that made an incident of it')
  t.same(changesBetween(kept, { ...was, severity: 'info' }), ['severity'])

  const tally = new Backtest<number>(compile(7, [ruleOf('all', { actions: { promote: 'never' } })]), 2)
  tally.add({ tag: 1, alert: alertOf(), at: 0, was: kept })
  t.match(tally, { changed: 1, samples: [{ was: { promote: true }, would: { promote: false } }] })
})

t.test('a back-test counts matches per rule and keeps a limited number of samples', async (t) => {
  const db = { all: [{ field: 'title', op: 'eq', value: 'db' }] } as const
  const set = compile(7, [
    ruleOf('db', { match: { ...db, any: [], none: [] }, actions: { severity: 'info' } }),
    ruleOf('off', { enabled: false }),
    ruleOf('web', { match: { all: [{ field: 'title', op: 'eq', value: 'web' }], any: [], none: [] } })
  ])
  const tally = new Backtest<number>(set, 2)
  for (const [tag, title] of ['db', 'web', 'db', 'x', 'db'].entries()) {
    const alert = alertOf({ title })
    tally.add({ tag, alert, at: 0, was: builtInDecision(alert) })
  }
  t.match(tally, { looked_at: 5, changed: 3, by_default: 1, changes: { severity: 3 } })
  t.same(
    tally.samples.map(({ tag }) => tag),
    [0, 2],
    'those that came first'
  )
  t.same(
    [...tally.rules],
    [
      ['db', { matched: 3, not_matched: 2, skipped: 0 }],
      ['off', { matched: 0, not_matched: 0, skipped: 5 }],
      ['web', { matched: 1, not_matched: 1, skipped: 3 }]
    ]
  )
})

t.test('a decision records the tz database version only if an enabled rule uses civil time', async (t) => {
  const time_window = { time_zone: 'Europe/Berlin', days: [], from: '08:00', to: '18:00' } as const
  const inWindow = { field: 'hour', op: 'in_window', value: time_window } as const
  const tz = (...rules: Parameters<typeof compile>[1]) => route(compile(2, rules), alertOf(), 0).tzdb_version
  t.equal(tz(ruleOf('plain')), undefined)
  t.equal(tz(ruleOf('window', { time_window })), process.versions.tz)
  t.equal(tz(ruleOf('hour', { match: { all: [], any: [], none: [inWindow] } })), process.versions.tz)
  t.equal(tz(ruleOf('off', { enabled: false, time_window })), undefined)
})
