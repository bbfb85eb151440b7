/** What must hold does not. The message says what, of whom, and what was expected. */
export class Difference extends Error {
  override readonly name = 'Difference'
  /** Of what kind it is; shrinking keeps the kind. */
  readonly rule: string

  constructor(rule: string, message: string) {
    super(message)
    this.rule = rule
  }
}

/** Throws where the two texts differ. */
export function same(rule: string, what: string, found: unknown, expected: unknown): void {
  if (found === expected) return
  throw new Difference(rule, `${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
}
