/**
 * Guesses in which workspaces a batch will open incidents, before the process has loaded anything.
 * The number counters of these workspaces are then locked in the round trip that loads the keys.
 *
 * A guess decides nothing. A workspace too many costs a lock that nobody needed; a workspace too
 * few costs the round trip that a right guess saves.
 *
 * In memory: the last 20,000 keys that fired, and 5,000 workspaces.
 */
import { type Loaded, nameOf } from '../../streams/incident/fold.ts'
import type { SignalKey } from '../../streams/incident/signals.ts'

const MAX_KEYS = 20_000
const MAX_WORKSPACES = 5000

/** A bounded set that forgets the oldest entry first. */
class Recent {
  readonly #names = new Set<string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  add(name: string): void {
    this.#names.delete(name)
    this.#names.add(name)
    for (const oldest of this.#names) {
      if (this.#names.size <= this.#max) return
      this.#names.delete(oldest)
    }
  }

  delete(name: string): void {
    this.#names.delete(name)
  }
}

export class OpeningGuess {
  /** Keys whose last signal fires. */
  readonly #firing: Recent
  /** Workspaces whose rules this process has seen, and those of them that have used groups. */
  readonly #seen: Recent
  readonly #grouping: Recent

  constructor({ keys = MAX_KEYS, workspaces = MAX_WORKSPACES } = {}) {
    this.#firing = new Recent(keys)
    this.#seen = new Recent(workspaces)
    this.#grouping = new Recent(workspaces)
  }

  /**
   * Returns the workspaces in which one of `fires` may open an incident. It guesses nothing for
   * workspaces where alerts have been grouped: there, counters are locked after the groups, which
   * only the rules can name.
   */
  workspaces(fires: readonly SignalKey[]): string[] {
    const mayGuess = (tenant_id: string): boolean => this.#seen.has(tenant_id) && !this.#grouping.has(tenant_id)
    const opening = fires.filter((key) => mayGuess(key.tenant_id) && !this.#firing.has(nameOf(key)))
    return [...new Set(opening.map(({ tenant_id }) => tenant_id))]
  }

  /**
   * Learns from a batch. `lastFires`: by key, whether its last signal fires. `rules`: of the
   * workspaces in which a signal fires. `signals`: as they were before the batch.
   */
  learn(lastFires: ReadonlyMap<string, boolean>, rules: Loaded['rules'], signals: Loaded['signals']): void {
    for (const [name, fires] of lastFires) {
      if (fires) this.#firing.add(name)
      else this.#firing.delete(name)
    }
    for (const [tenant_id, set] of rules) {
      this.#seen.add(tenant_id)
      if (set.rules.some(({ rule }) => rule.actions.group)) this.#grouping.add(tenant_id)
    }
    for (const { tenant_id, alert_id } of signals.values()) if (alert_id !== null) this.#grouping.add(tenant_id)
  }
}
