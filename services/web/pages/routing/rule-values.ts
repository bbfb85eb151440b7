/**
 * What the form of a rule shows and what it sends. Pure. A rule that nobody touches is sent as it
 * was read.
 */
import {
  type ConditionGroup,
  type ConditionOp,
  conditionGroups,
  kindOf,
  labelOf,
  opsOf,
  type Weekday
} from '../../../../schemas/http/routing-words.ts'
import type { BacktestRules, Rule } from '../../api/shapes.ts'
import { type Pair, pairsOf, recordOf } from '../../forms/pair-values.ts'
import { ownZone } from '../../parts/clock.ts'
import { fieldOf as fieldIn, ofField } from '../../parts/zone-times.ts'
import type { RuleCondition, RuleWindow } from './rule-words.ts'

/** In the choice of fields: the name of the label stands beside it. */
export const LABEL = 'label'

/** In the choice of a policy: nobody is asked by one. */
export const NO_POLICY = 'nobody'

export interface ConditionRow {
  key: number
  field: string
  label: string
  op: ConditionOp
  value: string
  list: string[]
  window: RuleWindow
}

/** As it is, yes or no. */
export type Choice3 = '' | 'yes' | 'no'

export interface RuleValues {
  name: string
  description: string
  enabled: boolean
  place: 'first' | 'last'
  mode: Rule['mode']
  match: Record<ConditionGroup, ConditionRow[]>
  hasWindow: boolean
  window: RuleWindow
  team_id: string
  severity: string
  priority: string
  labels: readonly Pair[]
  is_major: Choice3
  promote: string
  suppress: Choice3
  notify_resolved: Choice3
  group: Choice3
  group_by: string[]
  group_seconds: number
  group_max: number
  resolve: Choice3
  resolve_seconds: number
  /** As it is, nobody, or the id of a policy. */
  policy: string
  /** As it is, these alone, or none. */
  channels: '' | 'these' | 'none'
  channel_ids: string[]
  continue: boolean
  /** As a field of the browser has it, in the person's zone; empty: never. */
  expires: string
}

let keys = 0
const nextKey = (): number => ++keys

export const emptyWindow = (zone: string): RuleWindow => ({
  time_zone: zone,
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '09:00',
  to: '17:00'
})

export const fieldOf = ({ field, label }: Pick<ConditionRow, 'field' | 'label'>): string =>
  field === LABEL ? `label.${label.trim()}` : field

export const opsFor = (field: string): readonly ConditionOp[] => opsOf[field === LABEL ? 'text' : (kindOf(field) ?? 'text')]

export type ValueKind = 'none' | 'window' | 'list' | 'number' | 'one'

const bare: readonly ConditionOp[] = ['exists', 'not_exists', 'empty', 'not_empty']
const numeric: readonly ConditionOp[] = ['gt', 'gte', 'lt', 'lte', 'len_eq', 'len_gt', 'len_lt']

/** What a condition's value is typed as. */
export function valueKindOf(field: string, op: ConditionOp): ValueKind {
  if (bare.includes(op)) return 'none'
  if (op === 'in_window') return 'window'
  if (op === 'in' || op === 'not_in') return 'list'
  const kind = field === LABEL ? 'text' : kindOf(field)
  return kind === 'number' || kind === 'hour' || (kind === 'text' && numeric.includes(op)) ? 'number' : 'one'
}

/** Whether the values of a field's lists are numbers. */
const isNumbers = (field: string): boolean => kindOf(field) === 'number' || kindOf(field) === 'hour'

const numberOr = (typed: string): string | number => (typed.trim() !== '' && Number.isFinite(Number(typed)) ? Number(typed) : typed)

export const newCondition = (zone: string): ConditionRow => ({
  key: nextKey(),
  field: 'severity',
  label: '',
  op: 'eq',
  value: 'critical',
  list: [],
  window: emptyWindow(zone)
})

export function rowOf({ field, op, value }: RuleCondition, zone: string): ConditionRow {
  const label = labelOf(field)
  const isWindow = typeof value === 'object' && !Array.isArray(value)
  return {
    key: nextKey(),
    field: label === null ? field : LABEL,
    label: label ?? '',
    op,
    value: typeof value === 'string' || typeof value === 'number' ? String(value) : '',
    list: Array.isArray(value) ? value.map(String) : [],
    window: isWindow ? (value as RuleWindow) : emptyWindow(zone)
  }
}

export function toCondition(row: ConditionRow): RuleCondition {
  const field = fieldOf(row)
  const { op, value, list, window } = row
  switch (valueKindOf(row.field, op)) {
    case 'none':
      return { field, op }
    case 'window':
      return { field, op, value: window }
    case 'list':
      return { field, op, value: isNumbers(field) ? list.map(numberOr) : list }
    case 'number':
      return { field, op, value: numberOr(value) }
    case 'one':
      return { field, op, value }
  }
}

const choiceOf = (value: boolean | undefined): Choice3 => (value === undefined ? '' : value ? 'yes' : 'no')

/** `2026-11-24T10:00` of an instant, in the person's zone. */
export function localOf(at: string | null): string {
  return at === null ? '' : fieldIn(ownZone(), Date.parse(at))
}

export function instantOf(local: string): string | null {
  const at = ofField(ownZone(), local)
  return at === null ? null : new Date(at).toISOString()
}

/** `rule` null: of a new one. */
export function valuesOf(rule: Rule | null, zone: string): RuleValues {
  const { actions = {}, match, time_window = null } = rule ?? {}
  const { group, auto_resolve_minutes, labels_add = {}, escalation_policy_id: policy, channel_ids } = actions
  const rows = (name: ConditionGroup): ConditionRow[] => (match?.[name] ?? []).map((condition) => rowOf(condition, zone))
  return {
    name: rule?.name ?? '',
    description: rule?.description ?? '',
    enabled: rule?.enabled ?? true,
    place: 'last',
    mode: rule?.mode ?? 'live',
    match: { all: rule ? rows('all') : [newCondition(zone)], any: rows('any'), none: rows('none') },
    hasWindow: time_window !== null,
    window: time_window ?? emptyWindow(zone),
    team_id: actions.team_id ?? '',
    severity: actions.severity ?? '',
    priority: actions.priority ?? '',
    labels: pairsOf(labels_add as Record<string, string>),
    is_major: choiceOf(actions.is_major),
    promote: actions.promote === 'default' ? '' : (actions.promote ?? ''),
    suppress: choiceOf(actions.suppress),
    notify_resolved: choiceOf(actions.notify_resolved),
    group: group === undefined ? '' : group === null ? 'no' : 'yes',
    group_by: group?.by ?? [],
    group_seconds: group?.window_seconds ?? 3600,
    group_max: group?.max_alerts ?? 1000,
    resolve: auto_resolve_minutes === undefined ? '' : auto_resolve_minutes === null ? 'no' : 'yes',
    resolve_seconds: (auto_resolve_minutes ?? 60) * 60,
    policy: policy === undefined ? '' : (policy ?? NO_POLICY),
    channels: channel_ids === undefined ? '' : channel_ids.length === 0 ? 'none' : 'these',
    channel_ids: channel_ids ?? [],
    continue: rule?.continue ?? false,
    expires: localOf(rule?.expires_at ?? null)
  }
}

function actionsOf(values: RuleValues): Rule['actions'] {
  const { team_id, severity, priority, labels, is_major, promote, suppress, notify_resolved, group, resolve, policy, channels } = values
  const added = recordOf(labels)
  return {
    ...(team_id !== '' && { team_id }),
    // The schema judges the words of the choices.
    ...(severity !== '' && { severity: severity as NonNullable<Rule['actions']['severity']> }),
    ...(priority !== '' && { priority: priority as NonNullable<Rule['actions']['priority']> }),
    ...(Object.keys(added).length > 0 && { labels_add: added }),
    ...(is_major !== '' && { is_major: is_major === 'yes' }),
    ...(promote !== '' && { promote: promote as NonNullable<Rule['actions']['promote']> }),
    ...(suppress !== '' && { suppress: suppress === 'yes' }),
    ...(notify_resolved !== '' && { notify_resolved: notify_resolved === 'yes' }),
    ...(group === 'yes' && {
      group: { by: values.group_by, window_seconds: values.group_seconds, max_alerts: values.group_max }
    }),
    ...(group === 'no' && { group: null }),
    ...(resolve === 'yes' && { auto_resolve_minutes: Math.round(values.resolve_seconds / 60) }),
    ...(resolve === 'no' && { auto_resolve_minutes: null }),
    ...(policy !== '' && { escalation_policy_id: policy === NO_POLICY ? null : policy }),
    ...(channels !== '' && { channel_ids: channels === 'none' ? [] : values.channel_ids })
  }
}

/** Everything that a rule is, but for its place. */
export function bodyOf(values: RuleValues) {
  const { name, description, enabled, mode, match, hasWindow, window, expires } = values
  const conditions = (group: ConditionGroup): RuleCondition[] => match[group].map(toCondition)
  const [all, any, none] = conditionGroups
  return {
    name: name.trim(),
    description: description.trim(),
    enabled,
    mode,
    match: { [all]: conditions(all), [any]: conditions(any), [none]: conditions(none) } as Rule['match'],
    time_window: hasWindow ? window : null,
    actions: actionsOf(values),
    continue: values.continue,
    expires_at: instantOf(expires)
  }
}

/** A row after another field or operator was chosen: what does not fit any more is set anew. */
export function withField(row: ConditionRow, field: string): ConditionRow {
  const ops = opsFor(field)
  const kind = field === LABEL ? 'text' : kindOf(field)
  const value = kind === 'severity' ? 'critical' : kind === 'word' ? 'inbound' : ''
  return { ...row, field, op: ops.includes(row.op) ? row.op : (ops[0] ?? 'eq'), value, list: [] }
}

export const withDay = (days: readonly Weekday[], day: Weekday, on: boolean, order: readonly Weekday[]): Weekday[] =>
  order.filter((one) => (one === day ? on : days.includes(one)))

/** The saved rules with one as the form has it: in its place, or, a new one, where it goes. */
export function draftOf(saved: readonly Rule[], rule: Pick<Rule, 'id'> | null, values: RuleValues): BacktestRules {
  const own = saved.filter(({ is_default }) => !is_default)
  const asWritten = ({ id, name, description, enabled, mode, match, time_window, actions, continue: goes_on, expires_at }: Rule) => ({
    ...{ id, name, description, enabled, mode, match, time_window, actions, expires_at },
    continue: goes_on
  })
  const body = bodyOf(values)
  const name = body.name === '' ? '?' : body.name
  if (rule) return own.map((one) => (one.id === rule.id ? { ...body, id: rule.id, name } : asWritten(one))) as BacktestRules
  const others = own.map(asWritten)
  const fresh = { ...body, name }
  return (values.place === 'first' ? [fresh, ...others] : [...others, fresh]) as BacktestRules
}
