/**
 * Checks the conditions and actions of a routing rule beyond the shape of their fields: a field, an
 * operator and a value must fit together, zones must exist, and expressions must be safe. Nothing
 * here makes a request; every refusal names its path.
 * Source: docs/design/api/alerts-and-routing.md#s6-3.
 */
import { LabelName, severities } from '../../../schemas/http/common.ts'
import type { CreateRuleBody } from '../../../schemas/http/routing.ts'
import {
  type Condition,
  conditionGroups,
  fieldKinds,
  groupFields,
  kindOf,
  labelOf,
  laterFields,
  MAX_CONDITIONS,
  type Match,
  opsOf,
  type RuleActions,
  type TimeWindow
} from '../../../schemas/http/routing-words.ts'
import { checkExpression, compileExpression, UnsafeExpression } from '../../../schemas/safe-regex.ts'
import { isZone, minutesOf } from '../../../streams/routing/civil-time.ts'
import { ApiError, invalid } from '../http/errors.ts'
import { zoneNamed } from '../http/span.ts'

type GivenMatch = NonNullable<CreateRuleBody['match']>
type GivenActions = NonNullable<CreateRuleBody['actions']>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const labelName = new RegExp(LabelName)
const kinds = ['monitor', 'heartbeat', 'inbound', 'manual']

/**
 * Returns the match as it is stored: every group, ids in lower case, zones by their canonical
 * names.
 */
export function checkedMatch(given: GivenMatch, path: string): Match {
  const match: Match = { all: [], any: [], none: [], ...given }
  const count = conditionGroups.reduce((sum, group) => sum + match[group].length, 0)
  if (count > MAX_CONDITIONS)
    throw invalid(path, 'max', `a rule has at most ${MAX_CONDITIONS} conditions`, { limit: MAX_CONDITIONS, actual: count })
  const checked = (group: keyof Match) => match[group].map((condition, at) => checkedCondition(condition, `${path}.${group}[${at}]`))
  return { all: checked('all'), any: checked('any'), none: checked('none') }
}

/** Returns one condition as it is stored. Throws VALIDATION_FAILED with paths below `path`. */
export function checkedCondition(condition: Condition, path: string): Condition {
  const { field, op, value } = condition
  const later = laterFields.find((known) => known === field)
  if (later) throw invalid(`${path}.field`, 'enum', `${later} comes with a later version: no alert has one yet`)
  const label = labelOf(field)
  const kind = kindOf(field)
  if (kind === null || (label !== null && !labelName.test(label)))
    throw invalid(`${path}.field`, 'enum', `must be label.<name> or one of ${Object.keys(fieldKinds).join(', ')}`)
  const ops = opsOf[kind]
  if (!ops.includes(op)) throw invalid(`${path}.op`, 'enum', `must be one of ${ops.join(', ')} for ${field}`)
  if (op === 'exists' || op === 'not_exists' || op === 'empty' || op === 'not_empty') {
    if (value !== undefined) throw invalid(`${path}.value`, 'unknown_field', `is not a field for ${op}`)
    return { field, op }
  }
  if (value === undefined) throw invalid(`${path}.value`, 'required', `is required for ${op}`)
  if (op === 'in_window') {
    if (typeof value !== 'object' || !('time_zone' in value)) throw invalid(`${path}.value`, 'type', 'must be {time_zone, days, from, to}')
    return { field, op, value: checkedWindow(value, `${path}.value`) }
  }
  if (op === 'in' || op === 'not_in') {
    if (!Array.isArray(value) || value.length === 0) throw invalid(`${path}.value`, 'type', `must be a list for ${op}`)
    return { field, op, value: value.map((one, at) => checkedValue(condition, one, `${path}.value[${at}]`)) }
  }
  if (typeof value === 'object') throw invalid(`${path}.value`, 'type', 'may be a list for in and not_in only')
  return { field, op, value: checkedValue(condition, value, `${path}.value`) }
}

const ordering: readonly string[] = ['gt', 'gte', 'lt', 'lte']
const lengths: readonly string[] = ['len_eq', 'len_gt', 'len_lt']

/** Returns one value in the form in which it is compared. */
function checkedValue({ field, op }: Condition, value: string | number, path: string): string | number {
  const kind = kindOf(field)
  const numeric = kind === 'number' || kind === 'hour' || lengths.includes(op)
  if (numeric || (kind === 'text' && ordering.includes(op))) {
    if (typeof value !== 'number') throw invalid(path, 'type', `must be a number for ${op}`)
    if (numeric && (!Number.isSafeInteger(value) || value < 0)) throw invalid(path, 'type', 'must be a whole number from 0')
    if (kind === 'hour' && value > 23) throw invalid(path, 'max', 'must be at most 23', { limit: 23, actual: value })
    return value
  }
  if (typeof value !== 'string') throw invalid(path, 'type', 'must be a string')
  if (kind === 'severity' && !severities.some((known) => known === value))
    throw invalid(path, 'enum', `must be one of ${severities.join(', ')}`)
  if (kind === 'word' && !kinds.includes(value)) throw invalid(path, 'enum', `must be one of ${kinds.join(', ')}`)
  if (kind === 'id') {
    if (!UUID.test(value)) throw invalid(path, 'pattern', 'must be a uuid')
    return value.toLowerCase()
  }
  if ((op === 'contains' || op === 'not_contains') && value === '')
    throw invalid(path, 'length', 'must not be empty', { limit: 1, actual: 0 })
  if (op === 'matches' || op === 'not_matches') checkSafe(value, path)
  return value
}

function checkSafe(expression: string, path: string): void {
  try {
    checkExpression(expression)
    compileExpression(expression)
  } catch (error) {
    if (!(error instanceof UnsafeExpression)) throw error
    const { message, limit, actual } = error
    throw invalid(path, 'unsafe_regex', message, limit === null || actual === null ? {} : { limit, actual })
  }
}

export function checkedWindow({ time_zone, days, from, to }: TimeWindow, path: string): TimeWindow {
  if (typeof time_zone !== 'string' || !Array.isArray(days) || typeof from !== 'string' || typeof to !== 'string')
    throw invalid(path, 'required', 'must have time_zone, days, from and to')
  for (const [name, time] of Object.entries({ from, to }))
    if (minutesOf(time) === null) throw invalid(`${path}.${name}`, 'pattern', 'must be a time, such as 09:30')
  return { time_zone: zoneAt(time_zone, `${path}.time_zone`), days: [...new Set(days)], from, to }
}

function zoneAt(name: string, path: string): string {
  try {
    const zone = zoneNamed(name)
    if (isZone(zone)) return zone
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  throw invalid(path, 'unknown_zone', 'is not a time zone')
}

/** Returns the actions as they are stored: only what is set. Teams are checked elsewhere. */
export function checkedActions({ team_id, escalation_policy_id, channel_ids, group, ...actions }: GivenActions, path: string): RuleActions {
  for (const [at, field] of (group?.by ?? []).entries()) {
    const label = labelOf(field)
    const isKnown = label === null ? groupFields.some((known) => known === field) : labelName.test(label)
    if (!isKnown) throw invalid(`${path}.group.by[${at}]`, 'enum', `must be label.<name> or one of ${groupFields.join(', ')}`)
    if (group?.by.indexOf(field) !== at) throw invalid(`${path}.group.by[${at}]`, 'mutually_exclusive', 'is listed twice')
  }
  return {
    ...actions,
    ...(team_id && { team_id: team_id.toLowerCase() }),
    ...(escalation_policy_id !== undefined && { escalation_policy_id: escalation_policy_id?.toLowerCase() ?? null }),
    ...(channel_ids !== undefined && { channel_ids: [...new Set(channel_ids.map((id) => id.toLowerCase()))] }),
    ...(group !== undefined && { group })
  }
}
