/**
 * Tests each operator on each kind of field, and conditions on fields that an alert does not have.
 */
import t from 'tap'
import { type Condition, conditionOps, MAX_COMPARED } from '../../../schemas/http/routing-words.ts'
import { compile, type Routable, route } from '../../../streams/routing/rules.ts'
import { alertOf, ruleOf, TEAM } from './build.ts'

const holds = (condition: Condition, alert: Routable, at = 0): boolean =>
  route(compile(2, [ruleOf('r', { match: { all: [condition] } })]), alert, at).matched_rule_ids.length === 1

const zones = { time_zone: 'UTC', days: [], from: '09:00', to: '17:00' }
const noon = Date.UTC(2026, 0, 5, 12)

const cases: [field: string, op: Condition['op'], value: Condition['value'], over: Partial<Routable>, expected: boolean][] = [
  ['severity', 'eq', 'critical', {}, true],
  ['severity', 'ne', 'critical', {}, false],
  ['severity', 'gte', 'warning', {}, true],
  ['severity', 'gt', 'critical', {}, false],
  ['severity', 'lt', 'warning', { severity: 'info' }, true],
  ['severity', 'lte', 'warning', {}, false],
  ['severity', 'in', ['info', 'critical'], {}, true],
  ['severity', 'not_in', ['info', 'critical'], {}, false],
  ['source.kind', 'eq', 'inbound', {}, true],
  ['source.kind', 'in', ['monitor'], {}, false],
  ['source.type', 'eq', 'grafana', {}, true],
  ['source.type', 'exists', undefined, { source_type: null }, false],
  ['team_id', 'eq', TEAM, { team_id: TEAM }, true],
  ['team_id', 'not_exists', undefined, {}, true],
  ['monitor_id', 'exists', undefined, { monitor_id: TEAM }, true],
  ['title', 'contains', 'full', {}, true],
  ['title', 'contains', 'FULL', {}, false],
  ['title', 'not_contains', 'full', {}, false],
  ['title', 'matches', '^Disk .* db-\\d+$', {}, true],
  ['title', 'matches', '(?i)DISK', {}, true],
  ['title', 'not_matches', 'memory', {}, true],
  ['title', 'len_gt', 5, {}, true],
  ['title', 'len_lt', 5, {}, false],
  ['title', 'len_eq', 17, {}, true],
  ['description', 'exists', undefined, { summary: null }, false],
  ['description', 'empty', undefined, { summary: null }, true],
  ['description', 'not_empty', undefined, {}, true],
  ['label.service', 'eq', 'db', {}, true],
  ['label.service', 'ne', 'db', {}, false],
  ['label.absent', 'ne', 'db', {}, true],
  ['label.absent', 'eq', '', {}, false],
  ['label.absent', 'not_in', ['db'], {}, true],
  ['label.absent', 'contains', '', {}, false],
  ['label.absent', 'not_contains', 'x', {}, true],
  ['label.absent', 'not_matches', 'x', {}, true],
  ['label.absent', 'len_lt', 5, {}, false],
  ['label.absent', 'empty', undefined, {}, true],
  ['label.blank', 'empty', undefined, { labels: { blank: '' } }, true],
  ['label.blank', 'exists', undefined, { labels: { blank: '' } }, true],
  ['label.constructor', 'exists', undefined, {}, false],
  ['label.tier', 'gt', 0, {}, true],
  ['label.tier', 'lte', 1, {}, true],
  ['label.tier', 'gt', 0, { labels: { tier: 'one' } }, false],
  ['label.tier', 'lt', 5, { labels: { tier: ' ' } }, false],
  ['region', 'eq', 'eu-west', { region: 'eu-west' }, true],
  ['region', 'eq', 'eu-west', {}, false],
  ['affected_region_count', 'gte', 2, { affected_regions: ['a', 'b'] }, true],
  ['affected_region_count', 'eq', 1, { affected_regions: ['a', 'b'] }, false],
  ['affected_region_count', 'in', [1, 2], { affected_regions: ['a', 'b'] }, true],
  ['priority', 'in', ['P1', 'P2'], { priority: 'P2' }, true],
  ['priority', 'not_in', ['P1', 'P2'], {}, true],
  ['hour', 'gte', 12, {}, true],
  ['hour', 'eq', 11, {}, false],
  ['hour', 'not_in', [11, 12], {}, false],
  ['hour', 'in_window', zones, {}, true],
  ['hour', 'in_window', { ...zones, days: ['tue'] }, {}, false]
]

t.test('condition operators', async (t) => {
  for (const [field, op, value, over, expected] of cases) {
    const condition: Condition = value === undefined ? { field, op } : { field, op, value }
    t.equal(holds(condition, alertOf(over), noon), expected, `${field} ${op} ${JSON.stringify(value)} on ${JSON.stringify(over)}`)
  }
  t.same(new Set(cases.map(([, op]) => op)), new Set(conditionOps), 'each operator has a case')
})

t.test('only the first 2,048 characters of a text are compared', async (t) => {
  const alert = alertOf({ summary: `${'x'.repeat(MAX_COMPARED)}needle` })
  t.equal(holds({ field: 'description', op: 'contains', value: 'needle' }, alert), false)
  t.equal(holds({ field: 'description', op: 'matches', value: 'needle$' }, alert), false)
  t.equal(holds({ field: 'description', op: 'len_eq', value: MAX_COMPARED }, alert), true)
  t.equal(holds({ field: 'label.long', op: 'eq', value: 'y'.repeat(MAX_COMPARED) }, alertOf({ labels: { long: 'y'.repeat(3000) } })), true)
})

t.test('expressions with catastrophic backtracking end without a match', async (t) => {
  const alert = alertOf({ summary: 'a'.repeat(MAX_COMPARED) })
  for (const value of ['(a+)+b', '^(a|aa)+$b', '(a*)*(a*)*c', '([a-z]+)*[0-9]'])
    t.equal(holds({ field: 'description', op: 'matches', value }, alert), false, value)
})

t.test('a condition that this version cannot read never matches, even when negated', async (t) => {
  const bad: Condition[] = [
    { field: 'tag', op: 'ne', value: 'x' },
    { field: 'title', op: 'not_matches', value: '(?=a)' },
    { field: 'title', op: 'not_matches', value: '(.{0,1000}){9}' },
    { field: 'title', op: 'ne', value: 5 },
    { field: 'severity', op: 'contains', value: 'c' },
    { field: 'hour', op: 'in_window', value: { time_zone: 'Mars/Base', days: [], from: '09:00', to: '10:00' } },
    { field: 'label.', op: 'not_exists' }
  ]
  for (const condition of bad) {
    t.equal(holds(condition, alertOf()), false, JSON.stringify(condition))
    const among = ruleOf('r', { match: { none: [condition] } })
    t.same(route(compile(2, [among]), alertOf(), 0).matched_rule_ids, [], 'nor among none')
  }
})
