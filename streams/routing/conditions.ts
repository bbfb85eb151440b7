/**
 * Compiles one condition of a routing rule to a function of an alert.
 *
 * A field that an alert does not have (a label, a region) is absent. Positive operators and `len_*`
 * are then false, their negations are true, and `empty` is true. Texts are cut to MAX_COMPARED and
 * compared exactly. `gt` and the like read a text as a number, and are false when it is none.
 * `matches` finds its expression anywhere in a text, by a linear-time engine.
 * Source: docs/design/api/alerts-and-routing.md#s6-3.
 */
import type { Link, Severity, Visibility } from '../../schemas/generated/events.ts'
import { type Condition, type FixedField, isFixedField, kindOf, labelOf, MAX_COMPARED, opsOf } from '../../schemas/http/routing-words.ts'
import { compileFrugally, type Expression, UnsafeExpression } from '../../schemas/safe-regex.ts'
import { compileWindow, hourAt } from './civil-time.ts'

/** The fields of an alert that routing reads; a Signal has them all. */
export interface Routable {
  tenant_id: string
  severity: Severity
  title: string
  summary: string | null
  source_kind: string
  source_type: string | null
  integration_id: string | null
  monitor_id: string | null
  heartbeat_id: string | null
  region: string | null
  affected_regions: readonly string[]
  priority: string | null
  labels: Record<string, string>
  links: readonly Link[]
  team_id: string | null
  visibility: Visibility
  escalation_policy_id: string | null
}

/** `at`: time of the record that brought the alert, epoch ms. */
export type Test = (alert: Routable, at: number) => boolean

type Read = (alert: Routable) => string | null

const heights: Readonly<Record<string, number>> = { info: 1, warning: 2, critical: 3 }

const readers: Readonly<Record<Exclude<FixedField, 'affected_region_count' | 'hour'>, Read>> = {
  severity: (alert) => alert.severity,
  'source.kind': (alert) => alert.source_kind,
  'source.type': (alert) => alert.source_type,
  integration_id: (alert) => alert.integration_id,
  monitor_id: (alert) => alert.monitor_id,
  heartbeat_id: (alert) => alert.heartbeat_id,
  title: (alert) => alert.title,
  description: (alert) => alert.summary,
  region: (alert) => alert.region,
  priority: (alert) => alert.priority,
  team_id: (alert) => alert.team_id
}

/** The value of a label, or null. Any name is safe: `constructor` is a label like any other. */
export const labelIn = (labels: Readonly<Record<string, string>>, name: string): string | null =>
  Object.hasOwn(labels, name) ? (labels[name] ?? null) : null

/**
 * Returns the function that reads the text of a field; null when the field has no text (it is a
 * number) or does not exist.
 */
export function readerOf(field: string): Read | null {
  if (isFixedField(field)) return field === 'affected_region_count' || field === 'hour' ? null : readers[field]
  const name = labelOf(field)
  return name === null ? null : (alert) => labelIn(alert.labels, name)
}

const compared = (text: string): string => (text.length > MAX_COMPARED ? text.slice(0, MAX_COMPARED) : text)

/** The value of a field as traces show it, or null. */
export function seenIn(field: string, zone: string, alert: Routable, at: number): string | null {
  if (field === 'affected_region_count') return String(alert.affected_regions.length)
  if (field === 'hour') return String(hourAt(zone, at))
  return readerOf(field)?.(alert) ?? null
}

function numberIn(text: string): number | null {
  if (text.trim() === '') return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

const negations: Readonly<Record<string, Condition['op']>> = {
  ne: 'eq',
  not_in: 'in',
  not_contains: 'contains',
  not_matches: 'matches',
  not_exists: 'exists',
  not_empty: 'empty'
}

/** Limit of cached expressions, shared by all rule sets. The memory of each is limited, too. */
const MAX_EXPRESSIONS = 1000
const expressions = new Map<string, Expression>()

function expressionOf(source: string): Expression {
  const known = expressions.get(source)
  if (known) return known
  const compiled = compileFrugally(source)
  const [oldest] = expressions.keys()
  if (expressions.size >= MAX_EXPRESSIONS && oldest !== undefined) expressions.delete(oldest)
  expressions.set(source, compiled)
  return compiled
}

type Compare = (left: number, right: number) => boolean
const orders: Readonly<Record<string, Compare>> = {
  gt: (left, right) => left > right,
  gte: (left, right) => left >= right,
  lt: (left, right) => left < right,
  lte: (left, right) => left <= right
}

/**
 * Compiles a positive operator for a text that is present; null when the operator does not accept
 * this value.
 */
function textTest({ op, value }: Condition): ((text: string) => boolean) | null {
  if (op === 'in') return Array.isArray(value) ? includesOf(value) : null
  if (typeof value === 'string') {
    if (op === 'eq') return (text) => compared(text) === value
    if (op === 'contains') return (text) => compared(text).includes(value)
    if (op !== 'matches') return null
    try {
      expressionOf(value)
    } catch (error) {
      if (!(error instanceof UnsafeExpression)) throw error
      return null
    }
    return (text) => expressionOf(value)(compared(text))
  }
  if (typeof value !== 'number') return null
  if (op === 'len_eq') return (text) => compared(text).length === value
  if (op === 'len_gt') return (text) => compared(text).length > value
  if (op === 'len_lt') return (text) => compared(text).length < value
  const holds = orders[op]
  if (!holds) return null
  return (text) => {
    const number = numberIn(compared(text))
    return number !== null && holds(number, value)
  }
}

function includesOf(values: readonly unknown[]): (text: string) => boolean {
  const all = new Set(values)
  return (text) => all.has(compared(text))
}

function ofText(condition: Condition, read: Read): Test | null {
  const { op } = condition
  if (op === 'exists') return (alert) => read(alert) !== null
  if (op === 'empty') return (alert) => (read(alert) ?? '') === ''
  const holds = textTest(condition)
  if (!holds) return null
  return (alert) => {
    const text = read(alert)
    return text !== null && holds(text)
  }
}

function ofNumber({ op, value }: Condition, read: (alert: Routable, at: number) => number): Test | null {
  if (op === 'in') {
    const all = Array.isArray(value) ? new Set<unknown>(value) : null
    return all && ((alert, at) => all.has(read(alert, at)))
  }
  if (typeof value !== 'number') return null
  if (op === 'eq') return (alert, at) => read(alert, at) === value
  const holds = orders[op]
  return holds ? (alert, at) => holds(read(alert, at), value) : null
}

function ofSeverity(condition: Condition): Test | null {
  const { op, value } = condition
  if (op === 'eq' || op === 'in') return ofText(condition, readers.severity)
  const height = typeof value === 'string' ? heights[value] : undefined
  const holds = orders[op]
  return height !== undefined && holds ? (alert) => holds(heights[alert.severity] ?? 0, height) : null
}

function positive(condition: Condition, zone: string): Test | null {
  const { field, op, value } = condition
  const kind = kindOf(field)
  if (kind === null || !opsOf[kind].includes(op)) return null
  if (kind === 'severity') return ofSeverity(condition)
  if (kind === 'number') return ofNumber(condition, (alert) => alert.affected_regions.length)
  if (kind !== 'hour') {
    const read = readerOf(field)
    return read && ofText(condition, read)
  }
  if (op !== 'in_window') return ofNumber(condition, (_alert, at) => hourAt(zone, at))
  if (typeof value !== 'object' || !('time_zone' in value)) return null
  const window = compileWindow(value)
  return window && ((_alert, at) => window(at))
}

/**
 * Compiles a condition. `zone`: time zone of `hour`. Returns null when this version cannot read the
 * condition; the caller must not treat that as a condition that is false. Never throws.
 */
export function compileCondition(condition: Condition, zone: string): Test | null {
  const turned = negations[condition.op]
  if (!turned) return positive(condition, zone)
  const holds = positive({ ...condition, op: turned }, zone)
  return holds && ((alert, at) => !holds(alert, at))
}
