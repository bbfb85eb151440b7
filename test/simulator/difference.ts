/**
 * Thrown when something that must hold does not. The message says what, for which target, and what
 * was expected.
 */
export class Difference extends Error {
  override readonly name = 'Difference'
  /** The kind of difference. Shrinking a history keeps the kind. */
  readonly rule: string

  constructor(rule: string, message: string) {
    super(message)
    this.rule = rule
  }
}

/** Throws if the two values differ. */
export function same(rule: string, what: string, found: unknown, expected: unknown): void {
  if (found === expected) return
  throw new Difference(rule, `${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
}
