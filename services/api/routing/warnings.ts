/**
 * Warns about a rule that is saved although something is odd about it, so that no alert is lost
 * unnoticed: the rule can never match, it hides all rules after it, or it names something that does
 * not exist.
 * Source: docs/design/api/alerts-and-routing.md#s6-3-warnings.
 */
import type { Warning } from '../../../schemas/http/routing.ts'
import { type Condition, conditionGroups, type Match, type StoredRule } from '../../../schemas/http/routing-words.ts'
import { compile } from '../../../streams/routing/rules.ts'
import type { Tx } from '../../store/pool.ts'
import { existingOf } from '../../store/routing.ts'
import { teamsNamed } from './sight.ts'

const things = {
  monitor_id: 'monitor',
  heartbeat_id: 'heartbeat',
  integration_id: 'integration',
  team_id: 'team',
  escalation_policy_id: 'escalation policy',
  channel_id: 'channel'
} as const
type Thing = keyof typeof things
const isThing = (field: string): field is Thing => Object.hasOwn(things, field)

interface Reference {
  thing: Thing
  id: string
  path: string
}

function referencesOf(rule: StoredRule): Reference[] {
  const named = conditionGroups.flatMap((group) =>
    rule.match[group].flatMap(({ field, value }, at): Reference[] =>
      isThing(field) && field !== 'team_id'
        ? [value].flat().flatMap((id) => (typeof id === 'string' ? [{ thing: field, id, path: `match.${group}[${at}].value` }] : []))
        : []
    )
  )
  const policy = rule.actions.escalation_policy_id
  return [
    ...named,
    ...teamsNamed(rule).map(([path, id]): Reference => ({ thing: 'team_id', id, path })),
    ...(policy ? [{ thing: 'escalation_policy_id', id: policy, path: 'actions.escalation_policy_id' } as const] : []),
    ...(rule.actions.channel_ids ?? []).map((id, at): Reference => ({ thing: 'channel_id', id, path: `actions.channel_ids[${at}]` }))
  ]
}

/** Returns the values that an equality condition allows for a field; null: any value. */
const allowed = ({ op, value }: Condition): readonly unknown[] | null => (op === 'eq' ? [value] : op === 'in' ? [value].flat() : null)
const denied = ({ op, value }: Condition): readonly unknown[] => (op === 'ne' ? [value] : op === 'not_in' ? [value].flat() : [])

/** Whether conditions on one field, which must all hold, exclude every value. */
function contradict(conditions: readonly Condition[]): boolean {
  const [least = null, ...more] = conditions.map(allowed).filter((values) => values !== null)
  const has = (op: Condition['op']): boolean => conditions.some((one) => one.op === op)
  if (least === null) return (has('exists') && has('not_exists')) || (has('empty') && has('not_empty'))
  const out = new Set(conditions.flatMap(denied))
  return has('not_exists') || !least.some((value) => !out.has(value) && more.every((values) => values.includes(value)))
}

function neverMatches({ all, any, none }: Match): string | null {
  const byField = new Map<string, Condition[]>()
  for (const condition of all) byField.set(condition.field, [...(byField.get(condition.field) ?? []), condition])
  for (const [field, conditions] of byField) if (contradict(conditions)) return `conditions on ${field} exclude each other`
  const refused = new Set(none.map((condition) => JSON.stringify(condition)))
  if (all.some((condition) => refused.has(JSON.stringify(condition)))) return 'a condition is among all and among none'
  if (any.length > 0 && any.every((condition) => refused.has(JSON.stringify(condition)))) return 'every condition of any is among none'
  const required = all.find(({ field, op }) => field === 'severity' && (op === 'gt' || op === 'lt'))
  const beyond =
    required && ((required.op === 'gt' && required.value === 'critical') || (required.op === 'lt' && required.value === 'info'))
  return beyond ? 'no severity is beyond the last' : null
}

const isEmpty = ({ all, any, none }: Match): boolean => all.length + any.length + none.length === 0

/** Returns warnings about a rule by itself and about its place before others. `at` in epoch ms. */
function ownWarnings(rule: StoredRule, isLast: boolean, at: number): Warning[] {
  const warnings: Warning[] = []
  const never = neverMatches(rule.match)
  if (never !== null) warnings.push({ code: 'never_matches', path: 'match', message: `It can never match: ${never}.` })
  if (rule.expires_at !== null && rule.expires_at <= at)
    warnings.push({ code: 'expired', path: 'expires_at', message: 'It has expired and matches no more.' })
  else if (rule.enabled && rule.mode === 'live' && !isLast && !rule.continue && rule.time_window === null && isEmpty(rule.match))
    warnings.push({ code: 'shadows_all', path: 'match', message: 'It matches every alert: no rule after it is ever asked.' })
  if (!compile(0, [rule]).rules.every(({ readable }) => readable))
    warnings.push({ code: 'unreadable', path: null, message: 'This version of the service cannot read it: it is passed over.' })
  return warnings
}

/**
 * Returns the warnings of each of some rules. `total`: the number of these rules and all that
 * follow them; `at` in epoch ms.
 */
export async function warningsOf(tx: Tx, tenant_id: string, shown: readonly StoredRule[], total: number, at: number): Promise<Warning[][]> {
  const references = shown.map(referencesOf)
  const ids = (thing: Thing) => [...new Set(references.flat().flatMap((one) => (one.thing === thing ? [one.id] : [])))]
  const there = references.some((some) => some.length > 0)
    ? await existingOf(tx, tenant_id, {
        monitor_id: ids('monitor_id'),
        heartbeat_id: ids('heartbeat_id'),
        integration_id: ids('integration_id'),
        team_id: ids('team_id'),
        escalation_policy_id: ids('escalation_policy_id'),
        channel_id: ids('channel_id')
      })
    : new Set<string>()
  return shown.map((rule, position) => [
    ...ownWarnings(rule, position === total - 1, at),
    ...(references[position] ?? []).flatMap(({ thing, id, path }): Warning[] =>
      there.has(id) ? [] : [{ code: 'unknown_reference', path, message: `There is no ${things[thing]} ${id}.` }]
    )
  ])
}
