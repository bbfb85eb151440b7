/**
 * JSONPath of assertions. What is refused is decided in one place for the api and for probers; here
 * is what only a check needs to know of a path.
 */
import { compilePath as compile, isSingularPath, type JsonValue } from '../checks/json-path.ts'

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
  return { find, singular: isSingularPath(path) }
}
