/**
 * Checks which assertions a type of check allows, and refuses expressions that cost too much.
 * Source: docs/design/api/monitors.md#s3-4.
 */
import type { Step } from '../../../schemas/http/api-steps.ts'
import { type Assertion, type CheckConfig, lengthOps, presenceOps } from '../../../schemas/http/check-config.ts'
import type { ApiConfig } from '../../../schemas/http/check-types/api.ts'
import { checkTypes, type MonitorType } from '../../../schemas/http/check-types/index.ts'
import { checkExpression, compileExpression, MAX_EXPRESSION, MAX_NODES_TOGETHER, UnsafeExpression } from '../../../schemas/safe-regex.ts'
import { compilePath, isSingularPath, PathRefused } from '../../checks/json-path.ts'
import { invalid } from '../http/errors.ts'
import { OWN_HEADERS } from './config-rules.ts'

/** Checks the assertions. `config`: its expressions count together with those of the assertions. */
export function checkAssertions(type: MonitorType, assertions: readonly Assertion[], config: CheckConfig): void {
  for (const [at, assertion] of assertions.entries()) checkAssertion(assertion, `assertions[${at}]`, type)
  const { steps = [] } = type === 'api' ? (config as ApiConfig) : {}
  for (const [nth, step] of steps.entries()) checkStep(step, `config.steps[${nth}]`)
  checkExpressions(
    type,
    [
      ...written(assertions, 'assertions'),
      ...steps.flatMap(({ assertions = [] }, nth) => written(assertions, `config.steps[${nth}].assertions`))
    ],
    config
  )
}

interface Written {
  path: string
  value: unknown
}

/** Returns the expressions of the assertions, by path. */
const written = (assertions: readonly Assertion[], path: string): Written[] =>
  assertions.flatMap(({ op, value }, at) => (op === 'matches' || op === 'not_matches' ? [{ path: `${path}[${at}].value`, value }] : []))

function checkStep({ assertions = [], extract = [], headers = [] }: Step, at: string): void {
  for (const [nth, assertion] of assertions.entries()) checkAssertion(assertion, `${at}.assertions[${nth}]`, 'http')
  for (const [nth, { name }] of headers.entries()) {
    if (OWN_HEADERS.has(name.toLowerCase())) throw invalid(`${at}.headers[${nth}].name`, 'pattern', 'is a header that the prober sets')
  }
  for (const [nth, { source, property }] of extract.entries()) {
    const path = `${at}.extract[${nth}].property`
    if (source === 'header') checkHeaderName(property, path)
    else {
      checkPath(property, path)
      if (!isSingularPath(property)) throw invalid(path, 'pattern', 'must name one place, without * and without a search')
    }
  }
}

function checkHeaderName(name: string, path: string): void {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name)) throw invalid(path, 'pattern', 'must be the name of a header')
}

/**
 * Checks each expression against its limit, and all together against theirs, before any is
 * compiled. The same text is compiled once.
 */
function checkExpressions(type: MonitorType, asserted: readonly Written[], config: CheckConfig): void {
  const all = [...(checkTypes[type].expressions ?? []).map((name) => ({ path: `config.${name}`, value: config[name] })), ...asserted]
  /** Expression → path of the first place that has it. */
  const paths = new Map<string, string>()
  let together = 0
  for (const { path, value } of all) {
    if (typeof value !== 'string' || paths.has(value)) continue
    together += safely(path, () => checkExpression(value))
    if (together > MAX_NODES_TOGETHER) {
      throw invalid(path, 'unsafe_regex', `must come to at most ${MAX_NODES_TOGETHER} parts together with the expressions before it`, {
        limit: MAX_NODES_TOGETHER,
        actual: together
      })
    }
    paths.set(value, path)
  }
  for (const [expression, path] of paths) safely(path, () => compileExpression(expression))
}

function safely<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnsafeExpression)) throw error
    const { message, limit, actual } = error
    throw invalid(path, 'unsafe_regex', message, limit === null || actual === null ? {} : { limit, actual })
  }
}

function checkAssertion({ source, property, op, value }: Assertion, path: string, type: MonitorType): void {
  const rules = checkTypes[type].assertions
  const rule = rules[source]
  if (!rule) throw invalid(`${path}.source`, 'enum', `must be one of ${Object.keys(rules).join(', ')} for type ${type}`)
  if (!rule.ops.includes(op)) throw invalid(`${path}.op`, 'enum', `must be one of ${rule.ops.join(', ')} for ${source}`)
  if (rule.property && property === undefined) throw invalid(`${path}.property`, 'required', `is required for ${source}`)
  if (!rule.property && property !== undefined) throw invalid(`${path}.property`, 'unknown_field', `is not a field for ${source}`)
  if (source === 'header' && property !== undefined) checkHeaderName(property, `${path}.property`)
  if (source === 'json' && property !== undefined) checkPath(property, `${path}.property`)

  if (presenceOps.includes(op)) {
    if (value !== undefined) throw invalid(`${path}.value`, 'unknown_field', `is not a field for ${op}`)
    return
  }
  if (value === undefined) throw invalid(`${path}.value`, 'required', `is required for ${op}`)
  if (op === 'in' || op === 'not_in') {
    if (!Array.isArray(value) || value.length === 0) throw invalid(`${path}.value`, 'type', `must be a list for ${op}`)
    for (const [nth, one] of value.entries()) checkScalar(one, rule.values, `${path}.value[${nth}]`)
    return
  }
  if (Array.isArray(value)) throw invalid(`${path}.value`, 'type', `may be a list for in and not_in only`)
  if (lengthOps.includes(op)) {
    if (!Number.isSafeInteger(value) || Number(value) < 0) throw invalid(`${path}.value`, 'type', `must be a whole number for ${op}`)
  } else if (op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte') checkScalar(value, 'number', `${path}.value`)
  else if (op === 'matches' || op === 'not_matches') {
    if (typeof value !== 'string') throw invalid(`${path}.value`, 'type', 'must be a regular expression')
    if (value.length > MAX_EXPRESSION)
      throw invalid(`${path}.value`, 'length', `must have at most ${MAX_EXPRESSION}`, { limit: MAX_EXPRESSION })
  } else checkScalar(value, rule.values, `${path}.value`)
}

function checkScalar(value: unknown, wanted: 'number' | 'string' | 'any', path: string): void {
  if (wanted !== 'any' && typeof value !== wanted) throw invalid(path, 'type', `must be a ${wanted}`)
}

function checkPath(value: string, path: string): void {
  try {
    compilePath(value)
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error
    throw invalid(path, 'pattern', error.message)
  }
}
