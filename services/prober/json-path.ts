/**
 * JSONPath of assertions. What is refused is decided in one place for the api and for probers; here
 * is what only a check needs to know of a path.
 */
import parse from 'jsonpath-rfc9535/parser'
import { compilePath as compile, type JsonValue } from '../checks/json-path.ts'

export { type JsonValue, PathRefused } from '../checks/json-path.ts'

export interface CompiledPath {
  /**
   * The values found, in the order of the body. Throws RangeError on a body that nests deeper than
   * the stack.
   */
  find(body: JsonValue): JsonValue[]
  /** It names one place: at most one value. */
  singular: boolean
}

/** Throws PathRefused. */
export function compilePath(path: string): CompiledPath {
  const find = compile(path)
  return { find, singular: parse(path).segments.every(isSingular) }
}

function isSingular({ type, node }: ReturnType<typeof parse>['segments'][number]): boolean {
  if (type === 'DescendantSegment') return false
  if (node.type === 'MemberNameShorthand') return true
  if (node.type !== 'BracketedSelection') return false
  const [first, ...others] = node.selectors
  return others.length === 0 && (first?.type === 'NameSelector' || first?.type === 'IndexSelector')
}
