/**
 * Routing rules: the words of conditions, the operators of each field, the stored form of rules,
 * and their limits. The engine, the API and the store share this file; only the engine interprets
 * it.
 * Source: docs/design/api/alerts-and-routing.md#s6-3.
 */
import type { severities } from './common.ts'

export const conditionOps = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'matches',
  'not_matches',
  'exists',
  'not_exists',
  'empty',
  'not_empty',
  'len_eq',
  'len_gt',
  'len_lt',
  'in_window'
] as const
export type ConditionOp = (typeof conditionOps)[number]

export const conditionGroups = ['all', 'any', 'none'] as const
export type ConditionGroup = (typeof conditionGroups)[number]

export const ruleModes = ['live', 'shadow'] as const
export type RuleMode = (typeof ruleModes)[number]

export const promotions = ['always', 'never', 'default'] as const
export type Promotion = (typeof promotions)[number]

export const priorities = ['P1', 'P2', 'P3', 'P4', 'P5'] as const
export type Priority = (typeof priorities)[number]

/** Aspects in which two routing decisions can differ, the most interesting first. */
export const routingChanges = [
  'team',
  'promote',
  'suppress',
  'severity',
  'group',
  'priority',
  'major',
  'labels',
  'auto_resolve',
  'notify_resolved'
] as const
export type RoutingChange = (typeof routingChanges)[number]

/** In the order of their ISO 8601 numbers. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

/** Kind of a field. It decides which operators and values the field accepts. */
export type FieldKind = 'severity' | 'word' | 'id' | 'text' | 'number' | 'hour'

const equality = ['eq', 'ne', 'in', 'not_in'] as const
const order = ['gt', 'gte', 'lt', 'lte'] as const
const presence = ['exists', 'not_exists'] as const

export const opsOf: Readonly<Record<FieldKind, readonly ConditionOp[]>> = {
  severity: [...equality, ...order],
  word: equality,
  id: [...equality, ...presence],
  text: conditionOps.filter((op) => op !== 'in_window'),
  number: [...equality, ...order],
  hour: [...equality, ...order, 'in_window']
}

/** Kind of every field except labels, by name. */
export const fieldKinds = {
  severity: 'severity',
  'source.kind': 'word',
  'source.type': 'text',
  integration_id: 'id',
  monitor_id: 'id',
  heartbeat_id: 'id',
  title: 'text',
  description: 'text',
  region: 'text',
  affected_region_count: 'number',
  priority: 'text',
  team_id: 'id',
  hour: 'hour'
} as const satisfies Readonly<Record<string, FieldKind>>
export type FixedField = keyof typeof fieldKinds

/** Fields that the design names. No alert has them yet. */
export const laterFields = ['tag', 'group_id'] as const

/** Fields that `group.by` may name, besides labels. */
export const groupFields: readonly FixedField[] = [
  'severity',
  'source.kind',
  'source.type',
  'integration_id',
  'monitor_id',
  'heartbeat_id',
  'title',
  'region',
  'priority',
  'team_id'
]

const LABEL = 'label.'
/** Returns the name of the label that a field refers to; null when it refers to none. */
export const labelOf = (field: string): string | null =>
  field.startsWith(LABEL) && field.length > LABEL.length ? field.slice(LABEL.length) : null

export const isFixedField = (field: string): field is FixedField => Object.hasOwn(fieldKinds, field)

/** Returns the kind of a field; null when there is no such field. */
export const kindOf = (field: string): FieldKind | null =>
  isFixedField(field) ? fieldKinds[field] : labelOf(field) === null ? null : 'text'

/**
 * A time span in civil time, from `from` until `to`. If `to` is not later than `from`, the span
 * goes past midnight.
 */
export interface TimeWindow {
  /** IANA. */
  time_zone: string
  /** Days on which the span begins. Empty: every day. */
  days: readonly Weekday[]
  /** HH:MM. */
  from: string
  to: string
}

export type ConditionValue = string | number | readonly (string | number)[] | TimeWindow

export interface Condition {
  field: string
  op: ConditionOp
  /** Absent for operators that take no value. */
  value?: ConditionValue
}

export type Match = Readonly<Record<ConditionGroup, readonly Condition[]>>

export interface GroupAction {
  by: readonly string[]
  window_seconds: number
  max_alerts: number
}

/** An action that is absent changes nothing. */
export interface RuleActions {
  team_id?: string
  /** null: no policy pages anybody. */
  escalation_policy_id?: string | null
  /** Channels to notify in place of the default channels. Empty: no channel is notified. */
  channel_ids?: string[]
  severity?: (typeof severities)[number]
  priority?: Priority
  labels_add?: Readonly<Record<string, string>>
  is_major?: boolean
  promote?: Promotion
  suppress?: boolean
  group?: GroupAction | null
  notify_resolved?: boolean
  auto_resolve_minutes?: number | null
}

/** A rule as a version of the rule set stores it. Times are epoch ms. */
export interface StoredRule {
  id: string
  name: string
  description: string
  enabled: boolean
  mode: RuleMode
  match: Match
  time_window: TimeWindow | null
  actions: RuleActions
  continue: boolean
  expires_at: number | null
  ver: number
  created_at: number
  updated_at: number
}

export const MAX_RULE_DESCRIPTION = 500
export const MAX_CONDITIONS = 30
/** Most characters of a text that a condition compares with. */
export const MAX_CONDITION_TEXT = 512
export const MAX_CONDITION_LIST = 50
/** How many characters of an alert's text conditions examine. */
export const MAX_COMPARED = 2048
export const MAX_RULE_CHANNELS = 20
export const MAX_GROUP_FIELDS = 5
/** The most conditions of a whole set of rules. */
export const MAX_SET_CONDITIONS = 20_000
export const MAX_SET_EXPRESSIONS = 200
/** Most parts of all different expressions together, as schemas/safe-regex.ts counts them. */
export const MAX_SET_NODES = 10_000
/**
 * Most steps that text searches may take for one alert. An expression takes its parts times the
 * characters of the text; a `contains` takes the characters.
 */
export const MAX_SET_STEPS = 500_000
/** Most characters of the stored JSON. */
export const MAX_SET_CHARACTERS = 4_000_000
/**
 * Most stored bytes of all versions of a workspace within a day. A version that an incident names
 * stays with it, so without this limit small changes of a large set would fill the database.
 */
export const MAX_SET_BYTES_A_DAY = 400_000_000
/** How many of the newest versions are kept. */
export const MAX_SET_VERSIONS = 1000
