/**
 * JSONPath (RFC 9535) for assertions, as the api accepts it and probers evaluate it. It is limited
 * to what cannot hold up a prober, because people choose both the paths and the bodies.
 *
 * These are refused when the path is read, with the reason: the functions match() and search(),
 * whose engine backtracks; more than one descendant segment, and a query inside a filter that
 * starts again at the root, both of which cost the square of the body; more than 100 selector
 * combinations; more than 512 characters. What remains costs in proportion to the body.
 */
import { type JsonValue, query } from 'jsonpath-rfc9535'
import parse from 'jsonpath-rfc9535/parser'

export type { JsonValue }

const MAX_LENGTH = 512
const MAX_COMBINATIONS = 100

/** A path that is refused; `message` says why, for people. */
export class PathRefused extends Error {
  override readonly name = 'PathRefused'
}

interface Node {
  type?: string
  name?: string
  selectors?: unknown[]
  segments?: unknown[]
}

function costs(node: unknown, inFilter: boolean, counted: { descents: number; combinations: number }): void {
  if (Array.isArray(node)) {
    for (const one of node) costs(one, inFilter, counted)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const { type, name, selectors } = node as Node
  if (type === 'FunctionExpr' && (name === 'match' || name === 'search')) throw new PathRefused(`The function ${name}() is not available`)
  if (type === 'DescendantSegment') counted.descents++
  if (type === 'JsonPathQuery' && inFilter) throw new PathRefused('A filter may not search again from the root')
  if (type === 'BracketedSelection') counted.combinations *= Math.max(1, selectors?.length ?? 1)
  for (const value of Object.values(node)) costs(value, inFilter || type === 'FilterSelector', counted)
}

/** Returns a function from a body to the values found. Throws PathRefused. */
export function compilePath(path: string): (body: JsonValue) => JsonValue[] {
  if (path.length > MAX_LENGTH) throw new PathRefused(`A path has at most ${MAX_LENGTH} characters`)
  let tree: unknown
  try {
    tree = parse(path)
  } catch {
    throw new PathRefused('This is not a path of RFC 9535')
  }
  const counted = { descents: 0, combinations: 1 }
  costs(tree, false, counted)
  if (counted.descents > 1) throw new PathRefused('A path has at most one descendant segment')
  if (counted.combinations > MAX_COMBINATIONS) throw new PathRefused('The path selects too many combinations')
  return (body) => query(body, path)
}

/**
 * Whether the path names one place, and so finds at most one value. Throws if the text is not a
 * path.
 */
export const isSingularPath = (path: string): boolean => parse(path).segments.every(isSingular)

function isSingular({ type, node }: ReturnType<typeof parse>['segments'][number]): boolean {
  if (type === 'DescendantSegment') return false
  if (node.type === 'MemberNameShorthand') return true
  if (node.type !== 'BracketedSelection') return false
  const [first, ...others] = node.selectors
  return others.length === 0 && (first?.type === 'NameSelector' || first?.type === 'IndexSelector')
}
