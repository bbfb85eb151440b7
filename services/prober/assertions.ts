/**
 * Decides whether an answer is what its monitor expects. Pure: takes facts of the answer and
 * compiled assertions, and returns one result for each assertion.
 *
 * A source gives no value (a missing header), one value, or several (a JSONPath, a repeated
 * Set-Cookie). `eq gt gte lt lte in contains matches` hold when they hold for one of the values.
 * `ne not_in not_contains not_matches` hold when the positive operator does not, so also without a
 * value. `exists` holds when there is a value. `empty` holds when every value is null, "", [] or
 * {}, so also without a value. `len_*` measures a text, list or object. For DNS records, and for a
 * JSONPath that may find several values, it counts them. A number and a text that reads as a number
 * compare as numbers. `matches` searches the first 256 KiB, with a linear-time engine. Results go
 * to data teams. So where `actual` is text of the answer, it is present only for an assertion that
 * failed, cut and without secrets (found.ts); and `message` says what was expected without the
 * texts that people wrote to compare with.
 * Source: docs/design/api/monitors.md#s3-4, CheckResult.avsc.
 */
import { opWords } from '../../schemas/http/assertion-words.ts'
import type { Assertion, AssertionOp } from '../../schemas/http/check-config.ts'
import { MAX_RESULT_ACTUAL } from '../../schemas/limits.ts'
import { checkExpression, compileExpression, type Expression, MATCHED_CHARACTERS, UnsafeExpression } from '../../schemas/safe-regex.ts'
import { foundIn } from './found.ts'
import { type CompiledPath, compilePath, type JsonValue, PathRefused } from './json-path.ts'

export interface Facts {
  /** Null if the protocol has no status. */
  status: number | null
  /** Names in lower case. A header that came twice is joined with a comma; Set-Cookie is a list. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Decoded text; '' when there is none. */
  body: string
  latency_ms: number
  /** Days until the certificate ends, with fractions; null without TLS. */
  tls_days: number | null
  /** Where the last redirect pointed, whether followed or not; null without a redirect. */
  redirect_url: string | null
  ip: string
  /** Records of a DNS answer, as a zone file writes them; absent for other types. */
  records?: readonly string[]
}

export interface AssertionResult {
  index: number
  ok: boolean
  actual: string | null
  message: string
}

/**
 * Where an assertion may be evaluated:
 *
 * - `here`: beside other checks. It costs next to nothing whatever the answer is.
 * - `small`: beside other checks while the body is small.
 * - `tiny`: a short expression; beside other checks while the body is at most TINY_BYTES.
 * - `apart`: in a separate process, where it delays nobody. It is a program that somebody wrote
 *   (another expression, a path that searches), so its cost depends on its author.
 */
export type Place = 'here' | 'small' | 'tiny' | 'apart'

export interface CompiledAssertion {
  index: number
  source: Assertion['source']
  onFail: 'down' | 'degraded'
  place: Place
  /** Decided by an expression, which reads only the beginning of a text. */
  isMatch: boolean
  evaluate(facts: Facts, json: () => JsonValue | undefined): AssertionResult
}

/**
 * An expression of at most TINY_NODES nodes takes less than a millisecond over a text of this size.
 */
export const TINY_BYTES = 1024
const TINY_NODES = 64

/** An assertion that cannot be evaluated; `message` says which and why, for people. */
export class AssertionFault extends Error {
  override readonly name = 'AssertionFault'
}

/** Operators that are the negation of another operator. */
const negations: Partial<Record<AssertionOp, AssertionOp>> = {
  ne: 'eq',
  not_in: 'in',
  not_contains: 'contains',
  not_matches: 'matches',
  not_exists: 'exists',
  not_empty: 'empty'
}

const withoutValue: readonly AssertionOp[] = ['exists', 'not_exists', 'empty', 'not_empty']
const lengths: readonly AssertionOp[] = ['len_eq', 'len_gt', 'len_lt']
/** Sources whose values are text of the answer. Results carry only a part of such text. */
const textual: readonly Assertion['source'][] = ['header', 'body', 'json', 'text', 'redirect_url']

type Scalar = string | number | boolean

const numberOf = (value: JsonValue | Scalar): number | null => {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isNaN(number) ? null : number
}

function same(found: JsonValue, expected: Scalar): boolean {
  if (typeof found === typeof expected) return found === expected
  if (typeof found === 'boolean' || typeof expected === 'boolean') return String(found) === String(expected)
  const [a, b] = [numberOf(found), numberOf(expected)]
  return a !== null && a === b
}

/** Returns a number below, at or above zero; null if the two do not compare. */
function order(found: JsonValue, expected: Scalar): number | null {
  const [a, b] = [numberOf(found), numberOf(expected)]
  if (a !== null && b !== null) return a - b
  if (typeof found !== 'string' || typeof expected !== 'string') return null
  return found < expected ? -1 : found > expected ? 1 : 0
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Counts without a copy, because a body may have ten million code points. */
function codePoints(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++
  return count
}

function lengthOf(value: JsonValue): number | null {
  if (typeof value === 'string') return codePoints(value)
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : null
}

const isEmpty = (value: JsonValue): boolean => value === null || lengthOf(value) === 0

const contains = (found: JsonValue, expected: Scalar): boolean =>
  Array.isArray(found) ? found.some((one) => same(one, expected)) : textOf(found).includes(String(expected))

type Compile = (expression: string) => Expression

/** Whether the positive operator holds for the values. */
type Holds = (values: JsonValue[]) => boolean

function holdsOf(op: AssertionOp, value: Assertion['value'], compile: Compile): Holds {
  const list: Scalar[] = value === undefined ? [] : Array.isArray(value) ? value : [value]
  const [only] = list
  if (op === 'exists') return (values) => values.length > 0
  if (op === 'empty') return (values) => values.every(isEmpty)
  if (op === 'in') return (values) => values.some((found) => list.some((expected) => same(found, expected)))
  if (only === undefined || list.length !== 1) throw new AssertionFault('expects one value')
  const ordered = (test: (difference: number) => boolean): Holds => {
    const one = (found: JsonValue): boolean => {
      const difference = order(found, only)
      return difference !== null && test(difference)
    }
    return (values) => values.some(one)
  }
  switch (op) {
    case 'eq':
      return (values) => values.some((found) => same(found, only))
    case 'gt':
    case 'len_gt':
      return ordered((difference) => difference > 0)
    case 'gte':
      return ordered((difference) => difference >= 0)
    case 'lt':
    case 'len_lt':
      return ordered((difference) => difference < 0)
    case 'lte':
      return ordered((difference) => difference <= 0)
    case 'len_eq':
      return ordered((difference) => difference === 0)
    case 'contains':
      return (values) => values.some((found) => contains(found, only))
    case 'matches': {
      const isFound = compile(String(only))
      return (values) => values.some((found) => isFound(textOf(found)))
    }
    default:
      throw new AssertionFault(`has the unknown operator ${op}`)
  }
}

type Find = (facts: Facts, json: () => JsonValue | undefined) => JsonValue[]

const one = (value: JsonValue | undefined): JsonValue[] => (value === null || value === undefined ? [] : [value])

function findOf({ source, property }: Assertion, path: CompiledPath | null): Find {
  switch (source) {
    case 'status':
      return (facts) => one(facts.status)
    case 'header': {
      if (!property) throw new AssertionFault('names no header')
      const name = property.toLowerCase()
      return ({ headers }) => {
        const value = Object.hasOwn(headers, name) ? headers[name] : undefined
        return Array.isArray(value) ? value : one(value)
      }
    }
    case 'body':
    case 'text':
      return (facts) => [facts.body]
    case 'dns_records':
      return ({ records = [] }) => [...records]
    case 'json':
      return (_facts, json) => {
        const body = json()
        return body === undefined || !path ? [] : path.find(body)
      }
    case 'latency_ms':
      return (facts) => [facts.latency_ms]
    case 'tls_days':
      return (facts) => one(facts.tls_days)
    case 'redirect_url':
      return (facts) => one(facts.redirect_url)
    case 'ip':
      return (facts) => [facts.ip]
    default:
      throw new AssertionFault(`has the source ${source}, which no answer has`)
  }
}

const cut = (text: string): string => (text.length > MAX_RESULT_ACTUAL ? `${text.slice(0, MAX_RESULT_ACTUAL - 1)}…` : text)

function describe({ source, property, op, value }: Assertion): string {
  const what = property && (source === 'header' || source === 'json') ? `${source} ${property}` : source
  if (withoutValue.includes(op)) return cut(`${what} ${opWords[op]}`)
  const isPlain = !textual.includes(source) || typeof value === 'number' || typeof value === 'boolean'
  return cut(`${what} ${opWords[op]} ${isPlain ? [value].flat().join(', ') : 'what was configured'}`)
}

function placeOf({ source, value }: Assertion, isMatch: boolean, path: CompiledPath | null): Place {
  const isBody = source === 'body' || source === 'text'
  if (isMatch && isBody && checkExpression(String(value)) <= TINY_NODES) return 'tiny'
  if (isMatch || (path && !path.singular)) return 'apart'
  return source === 'body' || source === 'text' || source === 'json' ? 'small' : 'here'
}

const isCut = (value: JsonValue): boolean => textOf(value).length > MATCHED_CHARACTERS

function compileOne(assertion: Assertion, index: number, compile: Compile): CompiledAssertion {
  const { source, op } = assertion
  const path = source === 'json' ? compilePath(assertion.property ?? '') : null
  const find = findOf(assertion, path)
  const positive = negations[op]
  const holds = holdsOf(positive ?? op, assertion.value, compile)
  const measured = (values: JsonValue[]): JsonValue[] =>
    (path && !path.singular) || source === 'dns_records' ? [values.length] : values.flatMap((found) => lengthOf(found) ?? [])
  const isMatch = (positive ?? op) === 'matches'
  const message = describe(assertion)
  return {
    index,
    source,
    onFail: assertion.on_fail ?? 'down',
    place: placeOf(assertion, isMatch, path),
    isMatch,
    evaluate(facts, json) {
      try {
        const found = find(facts, json)
        const isLength = lengths.includes(op)
        const values = isLength ? measured(found) : found
        const ok = holds(values) !== (positive !== undefined)
        const isPlain = isLength || !textual.includes(source)
        const shown = isPlain ? values.map(textOf).join(', ') : ok ? '' : foundIn(assertion, values)
        const seen = isMatch && values.some(isCut) ? cut(`${message}, within its first 256 KiB`) : message
        return { index, ok, actual: shown === '' ? null : cut(shown), message: seen }
      } catch (error) {
        // The body nests deeper than the stack allows, so the expected value cannot be found.
        if (!(error instanceof RangeError)) throw error
        return { index, ok: false, actual: null, message: cut(`${message}: the body nests too deep`) }
      }
    }
  }
}

function compileAll(assertions: readonly Assertion[], compile: Compile): CompiledAssertion[] {
  return assertions.map((assertion, index) => {
    try {
      return compileOne(assertion, index, compile)
    } catch (error) {
      if (error instanceof PathRefused) throw new AssertionFault(`Assertion ${index + 1} has a path that is refused: ${error.message}`)
      if (error instanceof UnsafeExpression)
        throw new AssertionFault(`Assertion ${index + 1} is not evaluated: its expression ${error.message}`)
      if (!(error instanceof AssertionFault)) throw error
      throw new AssertionFault(`Assertion ${index + 1} ${error.message}`)
    }
  })
}

/**
 * Compiles all assertions. Throws AssertionFault naming the first one that cannot be evaluated,
 * counted from 1.
 */
export const compileAssertions = (assertions: readonly Assertion[]): CompiledAssertion[] => compileAll(assertions, compileExpression)

/**
 * As compileAssertions, but compiles only the short expressions, and those when they are first
 * needed. Assertions whose place is `apart` cannot be evaluated with the result. Planning costs
 * next to nothing. Throws AssertionFault.
 */
export const planAssertions = (assertions: readonly Assertion[]): CompiledAssertion[] =>
  compileAll(assertions, (expression) => {
    const isTiny = checkExpression(expression) <= TINY_NODES
    let compiled: Expression | null = null
    return (text) => {
      if (!isTiny) throw new Error('This assertion is evaluated elsewhere')
      compiled ??= compileExpression(expression)
      return compiled(text)
    }
  })

export interface Failed {
  source: Assertion['source']
  onFail: 'down' | 'degraded'
  message: string
  /** Null for the default check of the status. */
  index: number | null
}

export interface Evaluated {
  results: AssertionResult[]
  /**
   * The first failed assertion that means down, else the first that means degraded; null when all
   * hold.
   */
  failed: Failed | null
}

export function resultsOf(compiled: readonly CompiledAssertion[], facts: Facts): AssertionResult[] {
  let parsed: { value: JsonValue | undefined } | undefined
  const json = (): JsonValue | undefined => {
    parsed ??= { value: parse(facts.body) }
    return parsed.value
  }
  return compiled.map((assertion) => assertion.evaluate(facts, json))
}

/**
 * Returns the failure that counts, or null. `results` covers all or some of `compiled`. Without an
 * assertion on the status, a status must be 200 to 299, if there is one.
 */
export function failedOf(
  compiled: readonly CompiledAssertion[],
  results: readonly AssertionResult[],
  status: number | null
): Failed | null {
  const isDefaultBroken = status !== null && !compiled.some(({ source }) => source === 'status') && (status < 200 || status > 299)
  if (isDefaultBroken) return { source: 'status', onFail: 'down', message: 'status is from 200 to 299', index: null }
  const byIndex = new Map(results.map((result) => [result.index, result]))
  const broken = compiled.flatMap(({ index, source, onFail }) => {
    const result = byIndex.get(index)
    return result && !result.ok ? [{ index, source, onFail, message: result.message }] : []
  })
  return broken.find(({ onFail }) => onFail === 'down') ?? broken[0] ?? null
}

export function evaluateAssertions(compiled: readonly CompiledAssertion[], facts: Facts): Evaluated {
  const results = resultsOf(compiled, facts)
  return { results, failed: failedOf(compiled, results, facts.status) }
}

/** Undefined when the text is not JSON. */
function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
