/** Routing rules in plain words. Pure: the caller provides the names of teams and other objects. */
import { opWords } from '../../../../schemas/http/assertion-words.ts'
import { type ConditionOp, kindOf, type Weekday } from '../../../../schemas/http/routing-words.ts'
import type { Rule } from '../../api/shapes.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import { routingText } from '../../texts/routing.ts'
import { fieldInWords } from './field-words.ts'

export type RuleCondition = Rule['match']['all'][number]
export type RuleWindow = NonNullable<Rule['time_window']>

/** Names an object by its id: a team, a monitor, an integration, a policy, a channel. */
export type NameOf = (id: string) => string

const ownOps: Readonly<Partial<Record<ConditionOp, string>>> = {
  eq: routingText('op.eq'),
  ne: routingText('op.ne')
}

export const opInWords = (op: ConditionOp): string => (op === 'in_window' ? routingText('op.in_window') : (ownOps[op] ?? opWords[op]))

export const kindWords: Readonly<Record<string, string>> = {
  monitor: routingText('kind.monitor'),
  heartbeat: routingText('kind.heartbeat'),
  inbound: routingText('kind.inbound'),
  manual: routingText('kind.manual')
}

export const dayWords: Readonly<Record<Weekday, string>> = {
  mon: routingText('day.mon'),
  tue: routingText('day.tue'),
  wed: routingText('day.wed'),
  thu: routingText('day.thu'),
  fri: routingText('day.fri'),
  sat: routingText('day.sat'),
  sun: routingText('day.sun')
}

/** `Mon, Tue from 09:00 to 17:00 (Europe/Berlin)`. */
export function windowInWords({ days, from, to, time_zone }: RuleWindow): string {
  const named = days.length === 0 ? routingText('window.every_day') : days.map((day) => dayWords[day]).join(', ')
  return routingText('window.days', { days: named, from, to, zone: time_zone })
}

function valueInWords(field: string, value: string | number, nameOf: NameOf): string {
  const kind = kindOf(field)
  if (kind === 'id') return nameOf(String(value))
  if (kind === 'word') return kindWords[value] ?? String(value)
  return kind === 'text' && typeof value === 'string' ? `“${value}”` : String(value)
}

/** `severity is one of warning, critical`. */
export function conditionInWords({ field, op, value }: RuleCondition, nameOf: NameOf): string {
  const said = { field: fieldInWords(field), op: opInWords(op) }
  if (value === undefined) return routingText('match.bare', said)
  if (typeof value === 'object' && !Array.isArray(value)) return routingText('match.window', { window: windowInWords(value as RuleWindow) })
  const values = [value].flat() as (string | number)[]
  return routingText('match.condition', { ...said, value: values.map((one) => valueInWords(field, one, nameOf)).join(', ') })
}

function joined(parts: readonly string[], how: 'and' | 'or'): string {
  const last = parts.at(-1) ?? ''
  if (parts.length < 2) return last
  const first = parts.slice(0, -1).join(', ')
  return how === 'and' ? routingText('match.and', { first, last }) : routingText('match.or', { first, last })
}

/** Says which alerts a rule matches, as one sentence without its beginning. */
export function matchInWords({ match: { all, any, none }, time_window }: Pick<Rule, 'match' | 'time_window'>, nameOf: NameOf): string {
  const words = (conditions: readonly RuleCondition[]): string[] => conditions.map((condition) => conditionInWords(condition, nameOf))
  const choice =
    any.length === 0
      ? []
      : [any.length === 1 ? joined(words(any), 'or') : routingText('match.nested', { conditions: joined(words(any), 'or') })]
  const refused = none.length === 0 ? [] : [routingText('match.none', { conditions: joined(words(none), 'or') })]
  const parts = [...words(all), ...choice, ...refused]
  const matched = parts.length === 0 ? routingText('match.every') : joined(parts, 'and')
  return time_window === null ? matched : routingText('match.during', { match: matched, window: windowInWords(time_window) })
}

/** Lists what a rule does, each action in words. */
export function actionsInWords({ actions }: Pick<Rule, 'actions'>, nameOf: NameOf): string[] {
  const {
    team_id,
    severity,
    priority,
    labels_add = {},
    is_major,
    promote,
    suppress,
    group,
    notify_resolved,
    auto_resolve_minutes,
    escalation_policy_id: policy,
    channel_ids
  } = actions
  const labels = Object.entries(labels_add).map(([name, value]) => `${name}=${value}`)
  const done = [
    team_id && routingText('action.team', { team: nameOf(team_id) }),
    severity && routingText('action.severity', { severity }),
    priority && routingText('action.priority', { priority }),
    is_major !== undefined && (is_major ? routingText('action.major') : routingText('action.not_major')),
    labels.length > 0 && routingText('action.labels', { labels: labels.join(', ') }),
    promote === 'never' && routingText('action.never'),
    promote === 'always' && routingText('action.always'),
    suppress !== undefined && (suppress ? routingText('action.suppress') : routingText('action.tell')),
    group &&
      routingText('action.group', {
        fields: joined(group.by.map(fieldInWords), 'and'),
        time: durationInWords(group.window_seconds)
      }),
    group === null && routingText('action.alone'),
    notify_resolved !== undefined && (notify_resolved ? routingText('action.resolved_told') : routingText('action.resolved_untold')),
    typeof auto_resolve_minutes === 'number' && routingText('action.auto_resolve', { time: durationInWords(auto_resolve_minutes * 60) }),
    auto_resolve_minutes === null && routingText('action.no_auto_resolve'),
    policy && routingText('action.policy', { name: nameOf(policy) }),
    policy === null && routingText('action.no_policy'),
    channel_ids &&
      (channel_ids.length === 0
        ? routingText('action.no_channels')
        : routingText('action.channels', { names: channel_ids.map(nameOf).join(', ') }))
  ].filter((words): words is string => typeof words === 'string' && words !== '')
  return done.length === 0 ? [routingText('action.nothing')] : done
}

/** Returns the answer of the list. The default rule does not count, because no person made it. */
export function rulesAnswer(rules: readonly Pick<Rule, 'is_default' | 'enabled'>[]): string {
  const count = rules.filter(({ is_default, enabled }) => !is_default && enabled).length
  if (count === 0) return routingText('answer.none')
  return count === 1 ? routingText('answer.one') : routingText('answer.some', { count })
}

/** Returns the ids of the teams that a rule names, in its actions and in its conditions. */
export function teamsNamed({ match, actions }: Pick<Rule, 'match' | 'actions'>): string[] {
  const asked = [...match.all, ...match.any, ...match.none].flatMap(({ field, value }) =>
    field === 'team_id' ? [value].flat().filter((id): id is string => typeof id === 'string') : []
  )
  return [...new Set([...asked, ...(actions.team_id ? [actions.team_id] : [])])]
}

/** Returns the order with one rule moved one step up or down; null: it is already at that end. */
export function moved(ids: readonly string[], id: string, by: 1 | -1): string[] | null {
  const at = ids.indexOf(id)
  const other = ids[at + by]
  if (at < 0 || other === undefined) return null
  const order = [...ids]
  order[at] = other
  order[at + by] = id
  return order
}
