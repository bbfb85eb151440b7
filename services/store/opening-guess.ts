/**
 * In which workspaces a batch will open incidents, as this process guesses before it has loaded
 * anything: their number counters are then locked in the round trip that loads the keys.
 *
 * A guess decides nothing. One that names too many costs a lock that nobody needed; one that names
 * too few costs the round trip that a right one saves.
 * In memory: the last 20,000 keys that fired, and 5,000 workspaces.
 */
import { type Loaded, nameOf } from '../../streams/incident/fold.ts'
import type { SignalKey } from '../../streams/incident/signals.ts'

const MAX_KEYS = 20_000
const MAX_WORKSPACES = 5000

/** A set that forgets what was added first. */
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
  /** Keys whose last signal was one that fires. */
  readonly #firing: Recent
  /** Workspaces whose rules this process has seen, and those of them that have had groups. */
  readonly #seen: Recent
  readonly #grouping: Recent

  constructor({ keys = MAX_KEYS, workspaces = MAX_WORKSPACES } = {}) {
    this.#firing = new Recent(keys)
    this.#seen = new Recent(workspaces)
    this.#grouping = new Recent(workspaces)
  }

  /**
   * Workspaces in which one of `fires` may open an incident. Where alerts have been grouped it
   * guesses nothing: counters are locked after the groups, which only the rules can name.
   */
  workspaces(fires: readonly SignalKey[]): string[] {
    const mayGuess = (tenant_id: string): boolean => this.#seen.has(tenant_id) && !this.#grouping.has(tenant_id)
    const opening = fires.filter((key) => mayGuess(key.tenant_id) && !this.#firing.has(nameOf(key)))
    return [...new Set(opening.map(({ tenant_id }) => tenant_id))]
  }

  /**
   * What a batch has shown. `lastFires`: by key, whether the last of its signals fires; `rules` of
   * the workspaces in which something does; `signals` as they were before.
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
