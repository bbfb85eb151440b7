/**
 * JSONPath of assertions. One shared file decides which paths are refused, for the api and for
 * probers. This file has only what a check needs to know about a path.
 */
import { compilePath as compile, isSingularPath, type JsonValue } from '../checks/json-path.ts'

export { type JsonValue, PathRefused } from '../checks/json-path.ts'

export interface CompiledPath {
  /**
   * Returns the values found, in the order of the body. Throws RangeError if the body nests deeper
   * than the stack allows.
   */
  find(body: JsonValue): JsonValue[]
  /** The path names one place, so it finds at most one value. */
  singular: boolean
}

/** Throws PathRefused. */
export function compilePath(path: string): CompiledPath {
  const find = compile(path)
  return { find, singular: isSingularPath(path) }
}
