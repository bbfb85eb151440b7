/** Tests what routing rules do to an alert: order, continue, actions, groups, shadow, traces. */
import t from 'tap'
import { builtIn, compile, ENGINE_VERSION, explain, ROUTING_VERSION, route } from '../../../streams/routing/rules.ts'
import { alertOf, OTHER_TEAM, ruleOf, TEAM } from './build.ts'

const critical = { field: 'severity', op: 'eq', value: 'critical' } as const
const service = { field: 'label.service', op: 'eq', value: 'db' } as const

t.test("without rules, the signal's own settings decide", async (t) => {
  const alert = alertOf({ team_id: TEAM, visibility: 'private', priority: 'P2' })
  t.same(route(builtIn, alert, 0), {
    routing_version: ROUTING_VERSION,
    matched_rule_ids: [],
    team_id: TEAM,
    visibility: 'private',
    escalation_policy_id: null,
    policy_by: null,
    severity: 'critical',
    severity_by_rule: false,
    priority: 'P2',
    labels: alert.labels,
    is_major: false,
    promote: true,
    suppressed_by: null,
    group: null,
    auto_resolve_minutes: null,
    notify_resolved: true,
    delay_seconds: 0
  })
  t.equal(route(builtIn, alert, 0).labels, alert.labels, 'the same object')
})

t.test('the first matching rule ends routing unless it continues, and later rules override', async (t) => {
  const set = compile(7, [
    ruleOf('a', {
      match: { all: [critical] },
      continue: true,
      actions: { severity: 'warning', priority: 'P3', labels_add: { a: '1', service: 'database' }, is_major: true, suppress: true }
    }),
    ruleOf('b', { match: { all: [{ field: 'severity', op: 'eq', value: 'warning' }] }, actions: { priority: 'P5' } }),
    ruleOf('c', {
      match: { all: [service] },
      actions: {
        priority: 'P1',
        labels_add: { b: '2' },
        suppress: false,
        promote: 'never',
        notify_resolved: false,
        auto_resolve_minutes: 5
      }
    }),
    ruleOf('d', { actions: { priority: 'P4' } })
  ])
  const decision = route(set, alertOf(), 0)
  t.match(decision, {
    routing_version: 7,
    matched_rule_ids: ['a', 'c'],
    severity: 'warning',
    severity_by_rule: true,
    priority: 'P1',
    labels: { a: '1', b: '2', service: 'database', tier: '1' },
    is_major: true,
    suppressed_by: null,
    promote: false,
    notify_resolved: false,
    auto_resolve_minutes: 5
  })
  t.same(Object.keys(decision.labels), ['a', 'b', 'service', 'tier'])
  t.same(alertOf().labels, { service: 'db', tier: '1' }, 'the alert stays as it was')
  t.match(route(set, alertOf({ severity: 'info', labels: {} }), 0), { matched_rule_ids: ['d'], priority: 'P4', severity_by_rule: false })
})

t.test('the last rule that names channels wins, and an empty list means no channel', async (t) => {
  const [one, other] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002']
  const channels = (...named: (string[] | undefined)[]) =>
    route(
      compile(
        2,
        named.map((channel_ids, at) => ruleOf(String(at), { continue: true, actions: channel_ids === undefined ? {} : { channel_ids } }))
      ),
      alertOf(),
      0
    ).channel_ids
  t.same(channels([one], [other, one], undefined), [other, one])
  t.same(channels([one], []), [])
  t.equal(channels(undefined), undefined)
})

t.test('a suppressing rule is named, and promote default overrides nothing', async (t) => {
  const set = compile(2, [
    ruleOf('a', { continue: true, actions: { suppress: true, promote: 'never' } }),
    ruleOf('b', { actions: { promote: 'default' } })
  ])
  t.match(route(set, alertOf(), 0), { suppressed_by: 'a', promote: false })
})

t.test('a rule adds labels only up to the limit', async (t) => {
  const labels = Object.fromEntries(Array.from({ length: 63 }, (_, at) => [`l${at}`, 'x']))
  const set = compile(2, [ruleOf('a', { actions: { labels_add: { l0: 'y', new: '1', newer: '2', ['__proto__']: '3' } } })])
  const added = route(set, alertOf({ labels }), 0).labels
  t.equal(Object.keys(added).length, 64)
  t.match(added, { l0: 'y', new: '1' })
})

t.test('all, any and none in a match', async (t) => {
  const other = { field: 'label.service', op: 'eq', value: 'web' } as const
  const cases: [match: Parameters<typeof ruleOf>[1] & object, expected: boolean][] = [
    [{ match: {} }, true],
    [{ match: { all: [critical, service] } }, true],
    [{ match: { all: [critical, other] } }, false],
    [{ match: { any: [other, critical] } }, true],
    [{ match: { any: [other] } }, false],
    [{ match: { none: [other] } }, true],
    [{ match: { none: [other, critical] } }, false],
    [{ match: { all: [critical], any: [service], none: [other] } }, true],
    [{ match: { all: [critical], any: [other] } }, false]
  ]
  for (const [over, expected] of cases)
    t.equal(route(compile(2, [ruleOf('r', over)]), alertOf(), 0).matched_rule_ids.length === 1, expected, JSON.stringify(over))
})

t.test('disabled, expired, out-of-window and shadow rules do not decide', async (t) => {
  const noon = Date.UTC(2026, 0, 5, 12)
  const window = { time_zone: 'UTC', days: ['mon' as const], from: '09:00', to: '17:00' }
  const set = compile(2, [
    ruleOf('disabled', { enabled: false }),
    ruleOf('expired', { expires_at: noon }),
    ruleOf('outside', { time_window: { ...window, to: '12:00' } }),
    ruleOf('unreadable', { match: { all: [{ field: 'tag', op: 'eq', value: 'x' }] } }),
    ruleOf('shadow', { mode: 'shadow', actions: { team_id: TEAM } }),
    ruleOf('failing', { match: { all: [service, { field: 'title', op: 'contains', value: 'memory' }] } }),
    ruleOf('any', {
      match: {
        any: [
          { field: 'label.x', op: 'exists' },
          { field: 'region', op: 'eq', value: 'eu' }
        ]
      }
    }),
    ruleOf('inside', { time_window: window, expires_at: noon + 1, actions: { priority: 'P1' } }),
    ruleOf('after', {})
  ])
  const alert = alertOf({ title: 'x'.repeat(300) })
  const { engine_version, decision, trace, shadow } = explain(set, alert, noon)
  t.equal(engine_version, ENGINE_VERSION)
  t.same(decision, route(set, alert, noon))
  t.match(decision, { matched_rule_ids: ['inside'], team_id: null, priority: 'P1' })
  t.match(shadow, { matched_rule_ids: ['shadow'], team_id: TEAM, priority: null })
  t.same(
    trace.map(({ rule_id, outcome, reason }) => [rule_id, outcome, reason]),
    [
      ['disabled', 'skipped', 'disabled'],
      ['expired', 'skipped', 'expired'],
      ['outside', 'skipped', 'outside_time_window'],
      ['unreadable', 'skipped', 'unreadable'],
      ['shadow', 'matched', null],
      ['failing', 'not_matched', null],
      ['any', 'not_matched', null],
      ['inside', 'matched', null],
      ['after', 'skipped', 'after_stop']
    ]
  )
  t.same(trace[5]?.conditions, [{ group: 'all', index: 1, field: 'title', op: 'contains', seen: 'x'.repeat(256) }], 'what failed, cut')
  t.same(trace[6]?.conditions, [
    { group: 'any', index: 0, field: 'label.x', op: 'exists', seen: null },
    { group: 'any', index: 1, field: 'region', op: 'eq', seen: null }
  ])
})

t.test("a rule sees the hour in its window's time zone, or in UTC without a window", async (t) => {
  const late = Date.UTC(2026, 0, 5, 23, 30)
  const hour = (value: number) => ({ match: { all: [{ field: 'hour', op: 'eq', value } as const] } })
  const berlin = { time_zone: 'Europe/Berlin', days: [], from: '00:00', to: '00:00' }
  const set = compile(2, [ruleOf('utc', { ...hour(23), continue: true }), ruleOf('berlin', { ...hour(0), time_window: berlin })])
  t.same(route(set, alertOf(), late).matched_rule_ids, ['utc', 'berlin'])
})

t.test('group keys separate values, teams and visibility', async (t) => {
  const by = ['label.service', 'label.absent', 'severity', 'region']
  const group = { by, window_seconds: 300, max_alerts: 50 }
  const set = compile(2, [
    ruleOf('g', { continue: true, actions: { group } }),
    ruleOf('team', { match: { all: [{ field: 'label.tier', op: 'eq', value: '2' }] }, actions: { team_id: TEAM, severity: 'info' } })
  ])
  const found = route(set, alertOf(), 0).group
  t.match(found, { rule_id: 'g', values: ['db', '', 'critical', ''], window_seconds: 300, max_alerts: 50 })
  t.equal(found?.key, route(set, alertOf({ title: 'another' }), 9).group?.key, 'equal values belong together')
  t.not(found?.key, route(set, alertOf({ labels: { service: 'db', tier: '2' } }), 0).group?.key, 'not across teams')
  t.not(found?.key, route(set, alertOf({ visibility: 'private' }), 0).group?.key, 'nor across who may see it')
  const split = (labels: Record<string, string>) =>
    route(compile(2, [ruleOf('g', { actions: { group: { ...group, by: ['label.a', 'label.b'] } } })]), alertOf({ labels }), 0).group?.key
  t.not(split({ a: 'x","y', b: '' }), split({ a: 'x', b: 'y' }), 'values do not run together')
  const none = compile(2, [ruleOf('g', { continue: true, actions: { group } }), ruleOf('n', { actions: { group: null } })])
  t.equal(route(none, alertOf(), 0).group, null)
})

t.test('a rule moves an alert out of a private team only if it names the team', async (t) => {
  const take = ruleOf('take', { actions: { team_id: OTHER_TEAM, priority: 'P1' } })
  const named = ruleOf('named', { match: { all: [{ field: 'team_id', op: 'in', value: [TEAM] }] }, actions: { team_id: OTHER_TEAM } })
  const own = alertOf({ team_id: TEAM })
  t.equal(route(compile(2, [take]), own, 0).team_id, OTHER_TEAM, 'of an open team it moves')
  t.match(route(compile(2, [take], [TEAM]), own, 0), { team_id: TEAM, priority: 'P1', matched_rule_ids: ['take'] })
  t.match(route(compile(2, [take]), alertOf({ team_id: TEAM, visibility: 'private' }), 0), { team_id: TEAM })
  t.match(route(compile(2, [take]), alertOf({ visibility: 'private' }), 0), { team_id: null })
  t.equal(route(compile(2, [named], [TEAM]), own, 0).team_id, OTHER_TEAM)
  const chosen = compile(2, [ruleOf('first', { continue: true, actions: { team_id: TEAM } }), take], [TEAM])
  t.match(route(chosen, alertOf(), 0), { team_id: TEAM, matched_rule_ids: ['first', 'take'] })
  t.same(
    explain(chosen, alertOf(), 0).trace.map(({ team_kept }) => team_kept),
    [false, true]
  )
})
