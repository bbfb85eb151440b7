/**
 * Compares the indexed evaluation with a naive one that is written from the design: every rule in
 * turn, every condition from its words, over thousands of random sets and alerts.
 */
import fc from 'fast-check'
import t from 'tap'
import type { Condition, StoredRule } from '../../../schemas/http/routing-words.ts'
import { compile, type Decision, explain, type Routable, route } from '../../../streams/routing/rules.ts'
import { alertOf, OTHER_TEAM, ruleOf, TEAM } from './build.ts'

const heights = ['info', 'warning', 'critical']

function textOf(field: string, alert: Routable): string | null {
  if (field.startsWith('label.')) return new Map(Object.entries(alert.labels)).get(field.slice(6)) ?? null
  if (field === 'severity') return alert.severity
  if (field === 'source.kind') return alert.source_kind
  if (field === 'team_id') return alert.team_id
  if (field === 'region') return alert.region
  return alert.title
}

function naive({ field, op, value }: Condition, alert: Routable): boolean {
  const found = textOf(field, alert)
  const list: unknown[] = [value].flat()
  switch (op) {
    case 'eq':
    case 'in':
      return found !== null && list.includes(found)
    case 'ne':
    case 'not_in':
      return found === null || !list.includes(found)
    case 'gte':
      return heights.indexOf(found ?? '') >= heights.indexOf(String(value))
    case 'contains':
      return found?.includes(String(value)) === true
    case 'exists':
      return found !== null
    default:
      throw new Error(`the reference does not know ${op}`)
  }
}

function reference(rules: readonly StoredRule[], hidden: readonly string[], alert: Routable, at: number): Partial<Decision> {
  const matched_rule_ids: string[] = []
  let { team_id, priority } = alert
  let labels: Record<string, string> = { ...alert.labels }
  let suppressed_by: string | null = null
  for (const { id, enabled, mode, match, actions, expires_at, ...rule } of rules) {
    if (!enabled || mode === 'shadow' || (expires_at !== null && expires_at <= at)) continue
    if (!match.all.every((one) => naive(one, alert)) || match.none.some((one) => naive(one, alert))) continue
    if (match.any.length > 0 && !match.any.some((one) => naive(one, alert))) continue
    matched_rule_ids.push(id)
    const names = match.all.some(
      ({ field, op, value }) => field === 'team_id' && (op === 'eq' || op === 'in') && [value].flat().some((one) => one === team_id)
    )
    const isFree = team_id === null ? alert.visibility === 'org' : names || (alert.visibility === 'org' && !hidden.includes(team_id))
    if (actions.team_id !== undefined && isFree) team_id = actions.team_id
    if (actions.priority !== undefined) priority = actions.priority
    labels = { ...labels, ...actions.labels_add }
    if (actions.suppress !== undefined) suppressed_by = actions.suppress ? id : null
    if (!rule.continue) break
  }
  return { matched_rule_ids, team_id, priority, labels, suppressed_by }
}

const value = fc.constantFrom('a', 'b', 'c', 'ab')
const textField = fc.constantFrom('label.x', 'label.y', 'label.constructor', 'title', 'region')
const condition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ field: textField, op: fc.constantFrom('eq' as const, 'ne' as const, 'contains' as const), value }) },
  fc.record({
    field: textField,
    op: fc.constantFrom('in' as const, 'not_in' as const),
    value: fc.array(value, { minLength: 1, maxLength: 3 })
  }),
  fc.record({ field: textField, op: fc.constant('exists' as const) }),
  fc.record({ field: fc.constant('severity'), op: fc.constantFrom('eq' as const, 'gte' as const), value: fc.constantFrom(...heights) }),
  fc.record({ field: fc.constant('team_id'), op: fc.constantFrom('eq' as const, 'ne' as const), value: fc.constantFrom(TEAM, OTHER_TEAM) })
)
const some = (most: number) => fc.array(condition, { maxLength: most })
const rule = fc.record({
  enabled: fc.constantFrom(true, true, true, false),
  mode: fc.constantFrom('live' as const, 'live' as const, 'live' as const, 'shadow' as const),
  match: fc.record({ all: some(2), any: some(2), none: some(1) }),
  continue: fc.boolean(),
  expires_at: fc.constantFrom(null, null, 5, 15),
  actions: fc.record(
    {
      team_id: fc.constantFrom(TEAM, OTHER_TEAM),
      priority: fc.constantFrom('P1', 'P2'),
      labels_add: fc.dictionary(fc.constantFrom('x', 'z'), value, { maxKeys: 2 }),
      suppress: fc.boolean()
    },
    { requiredKeys: [] }
  )
})
const label = fc.dictionary(fc.constantFrom('x', 'y', 'constructor', 'w'), value, { maxKeys: 4 })
const alert = fc
  .record({
    severity: fc.constantFrom('info' as const, 'warning' as const, 'critical' as const),
    title: value,
    region: fc.option(value),
    labels: label,
    team_id: fc.constantFrom(null, TEAM, OTHER_TEAM),
    visibility: fc.constantFrom('org' as const, 'org' as const, 'private' as const)
  })
  .map(alertOf)

const sorted = (decision: Partial<Decision>): unknown => ({
  ...decision,
  labels: Object.entries(decision.labels ?? {}).sort(([left], [right]) => (left < right ? -1 : 1))
})

t.test('the indexed, the explained and the naive evaluation agree', async (t) => {
  let matched = 0
  const sets = fc.array(rule, { minLength: 3, maxLength: 14, size: 'max' })
  fc.assert(
    fc.property(sets, fc.subarray([TEAM, OTHER_TEAM]), fc.array(alert, { minLength: 4, maxLength: 4 }), (given, hidden, alerts) => {
      const rules = given.map((over, at) => ruleOf(String(at), over))
      const set = compile(3, rules, hidden)
      for (const one of alerts) {
        const decision = route(set, one, 10)
        matched += decision.matched_rule_ids.length > 1 ? 1 : 0
        const { matched_rule_ids, team_id, priority, labels, suppressed_by } = decision
        const expected = reference(rules, hidden, one, 10)
        if (JSON.stringify(sorted(expected)) !== JSON.stringify(sorted({ matched_rule_ids, team_id, priority, labels, suppressed_by })))
          t.same(decision, expected)
        const { decision: explained, trace } = explain(set, one, 10)
        if (JSON.stringify(explained) !== JSON.stringify(decision)) t.same(explained, decision)
        if (trace.length !== rules.length) t.equal(trace.length, rules.length)
      }
      return t.passing()
    }),
    { seed: 20_261_124, numRuns: 3000 }
  )
  t.ok(matched > 1000, `several rules matched ${matched} times`)
})
