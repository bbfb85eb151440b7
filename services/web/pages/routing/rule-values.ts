/**
 * Values of the rule form, and the body that it sends. Pure. A rule that nobody changes is sent as
 * it was read.
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

/** A choice in the list of fields; the name of the label is typed beside it. */
export const LABEL = 'label'

/** A choice in the list of policies: no policy asks anybody. */
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
  /** Empty (as it is), `NO_POLICY`, or the id of a policy. */
  policy: string
  /** Empty (as it is), only these, or none. */
  channels: '' | 'these' | 'none'
  channel_ids: string[]
  continue: boolean
  /** Value of a browser field, in the person's zone; empty: never. */
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

/** Returns how the value of a condition is typed. */
export function valueKindOf(field: string, op: ConditionOp): ValueKind {
  if (bare.includes(op)) return 'none'
  if (op === 'in_window') return 'window'
  if (op === 'in' || op === 'not_in') return 'list'
  const kind = field === LABEL ? 'text' : kindOf(field)
  return kind === 'number' || kind === 'hour' || (kind === 'text' && numeric.includes(op)) ? 'number' : 'one'
}

/** Whether lists of this field's values hold numbers. */
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

/** Writes an instant as `2026-11-24T10:00`, in the person's zone. */
export function localOf(at: string | null): string {
  return at === null ? '' : fieldIn(ownZone(), Date.parse(at))
}

export function instantOf(local: string): string | null {
  const at = ofField(ownZone(), local)
  return at === null ? null : new Date(at).toISOString()
}

/** `rule` is null for a new one. */
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
    // The schema checks that the chosen words are allowed.
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

/** Returns everything about a rule except its place. */
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

/** Returns the row after another field was chosen. What no longer fits is reset. */
export function withField(row: ConditionRow, field: string): ConditionRow {
  const ops = opsFor(field)
  const kind = field === LABEL ? 'text' : kindOf(field)
  const value = kind === 'severity' ? 'critical' : kind === 'word' ? 'inbound' : ''
  return { ...row, field, op: ops.includes(row.op) ? row.op : (ops[0] ?? 'eq'), value, list: [] }
}

export const withDay = (days: readonly Weekday[], day: Weekday, on: boolean, order: readonly Weekday[]): Weekday[] =>
  order.filter((one) => (one === day ? on : days.includes(one)))

/**
 * Returns the saved rules with one of them as it stands in the form. An existing rule keeps its
 * place; a new one goes first or last, as the form says. Returns null if the existing rule is not
 * among the saved ones: somebody has deleted it, or the person may no longer see it.
 */
export function draftOf(saved: readonly Rule[], rule: Pick<Rule, 'id'> | null, values: RuleValues): BacktestRules | null {
  const own = saved.filter(({ is_default }) => !is_default)
  const asWritten = ({ id, name, description, enabled, mode, match, time_window, actions, continue: goes_on, expires_at }: Rule) => ({
    ...{ id, name, description, enabled, mode, match, time_window, actions, expires_at },
    continue: goes_on
  })
  const body = bodyOf(values)
  const name = body.name === '' ? '?' : body.name
  if (rule && !own.some(({ id }) => id === rule.id)) return null
  if (rule) return own.map((one) => (one.id === rule.id ? { ...body, id: rule.id, name } : asWritten(one))) as BacktestRules
  const others = own.map(asWritten)
  const fresh = { ...body, name }
  return (values.place === 'first' ? [fresh, ...others] : [...others, fresh]) as BacktestRules
}
