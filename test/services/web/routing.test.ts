/**
 * Tests, as tables, of routing rules in words, as form values and as request bodies, and of trials
 * in words.
 */
import t from 'tap'
import type { Alert, Rule } from '../../../services/web/api/shapes.ts'
import {
  bodyOf,
  draftOf,
  instantOf,
  LABEL,
  localOf,
  newCondition,
  toCondition,
  valueKindOf,
  valuesOf,
  withDay,
  withField
} from '../../../services/web/pages/routing/rule-values.ts'
import {
  actionsInWords,
  conditionInWords,
  matchInWords,
  moved,
  type RuleCondition,
  rulesAnswer,
  teamsNamed
} from '../../../services/web/pages/routing/rule-words.ts'
import { parsed, sampleOf } from '../../../services/web/pages/routing/sample.ts'
import { incidentOf, type Step, toldOf, whyOf } from '../../../services/web/pages/routing/trace-words.ts'

const TEAM = '01a20272-ee96-7aa6-8441-9de640a5629c'
const nameOf = (id: string): string => (id === TEAM ? 'Payments' : id)
const window = { time_zone: 'Europe/Berlin', days: ['sat', 'sun'], from: '22:00', to: '06:00' } satisfies Rule['time_window']
const none = { all: [], any: [], none: [] }

t.test('conditions of a rule in words', async (t) => {
  const cases: [condition: RuleCondition, words: string][] = [
    [{ field: 'severity', op: 'eq', value: 'critical' }, 'severity is critical'],
    [{ field: 'severity', op: 'in', value: ['critical', 'warning'] }, 'severity is one of critical, warning'],
    [{ field: 'label.service', op: 'eq', value: 'db' }, 'label service is “db”'],
    [{ field: 'title', op: 'len_gt', value: 40 }, 'title is longer than 40'],
    [{ field: 'source.kind', op: 'ne', value: 'inbound' }, 'kind of source is not Integration'],
    [{ field: 'team_id', op: 'eq', value: TEAM }, 'team is Payments'],
    [{ field: 'monitor_id', op: 'exists' }, 'monitor exists'],
    [{ field: 'hour', op: 'in_window', value: window }, 'it is Sat, Sun from 22:00 to 06:00 (Europe/Berlin)'],
    [{ field: 'tag', op: 'eq', value: 'x' }, 'tag is x']
  ]
  for (const [condition, words] of cases) t.equal(conditionInWords(condition, nameOf), words)
})

t.test('the alerts that a rule matches, in words', async (t) => {
  const severe: RuleCondition = { field: 'severity', op: 'eq', value: 'critical' }
  const db: RuleCondition = { field: 'label.service', op: 'eq', value: 'db' }
  const words = (match: Partial<Rule['match']>, time_window: Rule['time_window'] = null): string =>
    matchInWords({ match: { ...none, ...match }, time_window }, nameOf)
  t.equal(words({}), 'every alert')
  t.equal(words({ all: [severe] }), 'severity is critical')
  t.equal(words({ all: [severe, db] }), 'severity is critical and label service is “db”')
  t.equal(words({ any: [severe, db] }), '(severity is critical or label service is “db”)')
  t.equal(words({ all: [severe], none: [db] }), 'severity is critical and not (label service is “db”)')
  t.equal(words({}, { ...window, days: [] }), 'every alert, every day from 22:00 to 06:00 (Europe/Berlin)')
})

t.test('the actions of a rule in words', async (t) => {
  const cases: [actions: Rule['actions'], words: string[]][] = [
    [{}, ['nothing changes']],
    [{ promote: 'default' }, ['nothing changes']],
    [{ promote: 'never' }, ['it opens no incident']],
    [{ suppress: true }, ['nobody is notified']],
    [{ team_id: TEAM, severity: 'info' }, ['it goes to Payments', 'its severity is info']],
    [{ labels_add: { env: 'prod', tier: '1' } }, ['it gets the labels env=prod, tier=1']],
    [
      { group: { by: ['label.service', 'region'], window_seconds: 3600, max_alerts: 100 } },
      ['it is grouped for 1 h with others that have the same label service and region']
    ],
    [{ group: null, auto_resolve_minutes: null }, ['it is not grouped', 'it is never resolved automatically']],
    [{ auto_resolve_minutes: 30, notify_resolved: false }, ['nobody is notified when it recovers', 'it is resolved after 30 min']]
  ]
  for (const [actions, words] of cases) t.same(actionsInWords({ actions }, nameOf), words)
})

t.test('the headline counts the routing rules', async (t) => {
  const rule = (is_default: boolean, enabled = true) => ({ is_default, enabled })
  t.equal(rulesAnswer([rule(true)]), 'No rules: every alert opens an incident')
  t.equal(rulesAnswer([rule(false), rule(false, false), rule(true)]), '1 rule decides what happens to alerts')
  t.equal(rulesAnswer([rule(false), rule(false), rule(true)]), '2 rules decide what happens to alerts')
})

t.test('a rule moves by one place, but not past the ends', async (t) => {
  t.same(moved(['a', 'b', 'c'], 'b', -1), ['b', 'a', 'c'])
  t.same(moved(['a', 'b', 'c'], 'b', 1), ['a', 'c', 'b'])
  t.equal(moved(['a', 'b'], 'a', -1), null)
  t.equal(moved(['a', 'b'], 'b', 1), null)
  t.equal(moved(['a'], 'x', 1), null)
})

t.test('teams that a rule names', async (t) => {
  const asked: RuleCondition = { field: 'team_id', op: 'in', value: ['x', TEAM] }
  t.same(teamsNamed({ match: { ...none, any: [asked] }, actions: { team_id: TEAM } }), ['x', TEAM])
  t.same(teamsNamed({ match: none, actions: {} }), [])
})

const full = {
  name: 'Night',
  description: 'Why',
  enabled: false,
  mode: 'live',
  match: {
    all: [
      { field: 'label.service', op: 'in', value: ['db', 'web'] },
      { field: 'affected_region_count', op: 'gte', value: 2 }
    ],
    any: [{ field: 'hour', op: 'in_window', value: window }],
    none: [{ field: 'title', op: 'exists' }]
  },
  time_window: window,
  actions: {
    team_id: TEAM,
    severity: 'warning',
    priority: 'P2',
    labels_add: { env: 'prod' },
    is_major: false,
    promote: 'always',
    suppress: false,
    notify_resolved: true,
    group: { by: ['severity'], window_seconds: 600, max_alerts: 10 },
    auto_resolve_minutes: 45
  },
  continue: true,
  expires_at: '2026-11-24T10:00:00.000Z'
} satisfies Partial<Rule>

t.test('an untouched rule is sent as it was read', async (t) => {
  t.same(bodyOf(valuesOf(full as unknown as Rule, 'UTC')), full)
  const bare = { ...full, match: none, time_window: null, actions: { group: null, auto_resolve_minutes: null }, expires_at: null }
  t.same(bodyOf(valuesOf(bare as unknown as Rule, 'UTC')), bare)
})

t.test('a new rule starts with one condition and no action', async (t) => {
  t.match(bodyOf(valuesOf(null, 'UTC')), {
    match: { all: [{ field: 'severity', op: 'eq', value: 'critical' }] },
    actions: {},
    enabled: true
  })
})

t.test('a draft is the saved rules with one of them as in the form, as long as it is saved', async (t) => {
  const saved = ['a', 'b'].map((id) => ({ ...full, id, name: id, is_default: false })) as unknown as Rule[]
  const values = { ...valuesOf(saved[1] ?? null, 'UTC'), name: 'changed' }
  const names = (rules: readonly Rule[], id: string | null): unknown =>
    draftOf(rules, id === null ? null : { id }, values)?.map(({ name }) => name) ?? null
  t.same(names(saved, 'b'), ['a', 'changed'])
  t.same(names(saved, null), ['a', 'b', 'changed'])
  t.equal(names(saved.slice(0, 1), 'b'), null, 'somebody has deleted it')
})

t.test('the kind of value that each field and operator needs', async (t) => {
  const cases: [field: string, op: RuleCondition['op'], kind: string][] = [
    ['severity', 'eq', 'one'],
    ['severity', 'in', 'list'],
    [LABEL, 'gt', 'number'],
    [LABEL, 'matches', 'one'],
    ['hour', 'in_window', 'window'],
    ['hour', 'gte', 'number'],
    ['title', 'empty', 'none'],
    ['severity', 'gt', 'one']
  ]
  for (const [field, op, kind] of cases) t.equal(valueKindOf(field, op), kind, `${field} ${op}`)
  const row = { ...newCondition('UTC'), field: 'hour' }
  t.same(toCondition({ ...row, op: 'gte', value: '9' }), { field: 'hour', op: 'gte', value: 9 })
  t.same(
    toCondition({ ...row, op: 'in', list: ['9', 'x'] }),
    { field: 'hour', op: 'in', value: [9, 'x'] },
    'what is no number is refused there'
  )
  t.same(toCondition({ ...row, field: LABEL, label: ' env ', op: 'eq', value: '9' }), { field: 'label.env', op: 'eq', value: '9' })
})

t.test('a new field gives a condition an operator and a value that fit', async (t) => {
  const row = { ...newCondition('UTC'), field: 'title', op: 'matches', value: 'x' } as const
  t.match(withField({ ...row, list: [] }, 'severity'), { field: 'severity', op: 'eq', value: 'critical' })
  t.match(withField({ ...row, list: [] }, LABEL), { field: LABEL, op: 'matches', value: '' })
})

t.test('days keep their order, and instants survive the conversion to local time', async (t) => {
  t.same(withDay(['sun'], 'mon', true, ['mon', 'sun']), ['mon', 'sun'])
  t.same(withDay(['mon', 'sun'], 'mon', false, ['mon', 'sun']), ['sun'])
  t.equal(instantOf(localOf('2026-07-01T10:00:00.000Z')), '2026-07-01T10:00:00.000Z')
  t.equal(instantOf(''), null)
  t.equal(instantOf('soon'), null)
})

t.test('a sample holds the fields that the alert has', async (t) => {
  const alert = {
    title: 'Disk',
    severity: 'critical',
    description: null,
    labels: {},
    source: { kind: 'inbound', type: 'generic', id: null, integration_id: TEAM },
    monitor_id: null,
    heartbeat_id: null,
    region: null,
    affected_regions: [],
    priority: null,
    team_id: null,
    visibility: 'org'
  } as unknown as Alert
  t.same(sampleOf(alert), { title: 'Disk', severity: 'critical', source_kind: 'inbound', source_type: 'generic', integration_id: TEAM })
  t.match(sampleOf({ ...alert, visibility: 'private', team_id: TEAM }), { visibility: 'private', team_id: TEAM })
})

t.test('a typed sample is a JSON object, or the fault is explained', async (t) => {
  t.same(parsed('{"title":"x"}'), { alert: { title: 'x' }, fault: null })
  t.match(parsed('{'), { alert: null, fault: /^This is not valid JSON: / })
  t.match(parsed('[]'), { fault: 'This is not a JSON object.' })
})

t.test('reasons why a rule did or did not match', async (t) => {
  const rule = { match: { ...none, all: [{ field: 'severity', op: 'eq', value: 'critical' }] } } as Pick<Rule, 'match'>
  const step = (change: Partial<Step>): Step => ({ reason: null, conditions: [], team_kept: false, ...change }) as Step
  const failed = (group: 'all' | 'none', seen: string | null, field = 'severity') =>
    step({ conditions: [{ group, index: 0, field, op: 'eq', seen }] })
  t.same(whyOf(failed('all', 'warning'), rule, nameOf), ['severity is critical: the alert has “warning”'])
  t.same(whyOf(failed('all', null), rule, nameOf), ['severity is critical: the alert has no value there'])
  t.same(whyOf(failed('none', 'critical'), undefined, nameOf), ['none of: severity eq: the alert has “critical”'])
  t.same(whyOf(failed('all', TEAM, 'team_id'), undefined, nameOf), ['team eq: the alert has “Payments”'])
  t.same(whyOf(step({ reason: 'after_stop' }), rule, nameOf), ['a rule above already decided'])
  t.match(whyOf(step({ team_kept: true }), rule, nameOf), [/stays with its private team/])
})

t.test('the outcome of a trial in words', async (t) => {
  t.equal(incidentOf({ promote: false, group: null }), 'Opens no incident')
  t.equal(incidentOf({ promote: true, group: null }), 'Opens a new incident')
  const group = { rule_id: 'r', values: ['db', ''], window_seconds: 600, max_alerts: 5 }
  t.equal(incidentOf({ promote: true, group }), 'Joins or opens the incident for “db”, “” within 10 min')
  t.equal(toldOf({ suppressed_by: null, notify_resolved: true }, nameOf), 'Yes')
  t.equal(toldOf({ suppressed_by: null, notify_resolved: false }, nameOf), 'Yes, but not when it recovers')
  t.equal(toldOf({ suppressed_by: TEAM, notify_resolved: true }, nameOf), 'Nobody: Payments')
})
