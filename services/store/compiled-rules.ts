/**
 * Cache of compiled rule sets by workspace and version. The least recently used set is dropped
 * first. Both the number of sets and the number of rules are bounded, because one workspace may
 * have as many rules as a thousand others.
 */
import type { RuleSet } from '../../streams/routing/rules.ts'

export interface Bounds {
  sets: number
  rules: number
}

export class CompiledRules {
  readonly #bounds: Bounds
  readonly #kept = new Map<string, RuleSet>()
  #rules = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#kept.size
  }

  get(tenant_id: string, version: number): RuleSet | undefined {
    const key = `${tenant_id} ${version}`
    const found = this.#kept.get(key)
    if (!found) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found
  }

  set(tenant_id: string, version: number, set: RuleSet): void {
    const key = `${tenant_id} ${version}`
    this.#drop(key)
    this.#kept.set(key, set)
    this.#rules += set.rules.length
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#bounds.sets && this.#rules <= this.#bounds.rules) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#rules -= this.#kept.get(key)?.rules.length ?? 0
    this.#kept.delete(key)
  }
}
