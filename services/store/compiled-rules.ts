/**
 * Cache of the newest compiled rule set of each workspace. The least recently used set is dropped
 * first. The numbers of sets and rules and the characters of the rules are bounded: one workspace
 * may have as many rules as a thousand others, and a few rules may be as large as a thousand.
 */
import type { RuleSet } from '../../streams/routing/rules.ts'

export interface Bounds {
  sets: number
  rules: number
  characters: number
}

interface Kept {
  set: RuleSet
  characters: number
}

export class CompiledRules {
  readonly #bounds: Bounds
  /** The compiled rules by workspace. */
  readonly #kept = new Map<string, Kept>()
  #rules = 0
  #characters = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#kept.size
  }

  get(tenant_id: string, version: number): RuleSet | undefined {
    const found = this.#kept.get(tenant_id)
    if (found?.set.version !== version) return undefined
    this.#kept.delete(tenant_id)
    this.#kept.set(tenant_id, found)
    return found.set
  }

  /**
   * Keeps a set in place of an older one of the workspace. A set that is older than the one that is
   * kept is not kept: only explanations ask for it. `characters`: of the stored rules.
   */
  set(tenant_id: string, set: RuleSet, characters: number): void {
    if ((this.#kept.get(tenant_id)?.set.version ?? 0) > set.version) return
    this.#drop(tenant_id)
    this.#kept.set(tenant_id, { set, characters })
    this.#rules += set.rules.length
    this.#characters += characters
    const { sets, rules, characters: most } = this.#bounds
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= sets && this.#rules <= rules && this.#characters <= most) return
      this.#drop(oldest)
    }
  }

  #drop(tenant_id: string): void {
    const found = this.#kept.get(tenant_id)
    if (!found) return
    this.#rules -= found.set.rules.length
    this.#characters -= found.characters
    this.#kept.delete(tenant_id)
  }
}
