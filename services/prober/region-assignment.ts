/**
 * Keeps the region's assignment as far as it is known, and this prober's share of it. Monitors that
 * fall to this prober are watched; those of a sibling are not. An on-demand check is done once,
 * however often it is announced.
 */
import type { Assignment, ConfigAnswer } from '../../schemas/http/prober.ts'
import type { Rounds } from './rounds.ts'
import { isOwn, type Sibling } from './share.ts'

export interface RegionAssignmentOptions {
  instance: string
  rounds: Pick<Rounds, 'watch' | 'unwatch' | 'watches' | 'once' | 'trial' | 'size'>
  /** Epoch ms by the service's clock. */
  now(): number
  /** Called with the number of monitors of the region, and of this prober's own share. */
  onCount(region: number, own: number): void
}

export class RegionAssignment {
  readonly #options: RegionAssignmentOptions
  readonly #assignments = new Map<string, Assignment>()
  /** Id of an on-demand check → when it expires, epoch ms. */
  readonly #onceSeen = new Map<string, number>()
  #live: readonly Sibling[] = []
  #version: number | undefined

  constructor(options: RegionAssignmentOptions) {
    this.#options = options
  }

  /** The version that is held; undefined: the whole assignment is wanted. */
  get version(): number | undefined {
    return this.#version
  }

  /** Makes the next answer bring the whole assignment. What is held is checked until then. */
  forgetVersion(): void {
    this.#version = undefined
  }

  /** Sets the probers that share the region from now on. Returns false if nothing changed. */
  setLive(live: readonly Sibling[]): boolean {
    if (JSON.stringify(live) === JSON.stringify(this.#live)) return false
    this.#live = live
    const { rounds } = this.#options
    // Only monitors that came to this prober or left it are touched; the others keep their rhythm.
    for (const assignment of this.#assignments.values()) {
      if (this.#isMine(assignment) !== rounds.watches(assignment.monitor_id)) this.#share(assignment)
    }
    this.#count()
    return true
  }

  /** Returns true if the answer brought anything new. */
  apply(answer: ConfigAnswer): boolean {
    if (answer.full) {
      const kept = new Set(answer.monitors.map(({ monitor_id }) => monitor_id))
      for (const id of this.#assignments.keys()) if (!kept.has(id)) this.#remove(id)
    }
    for (const assignment of answer.monitors) {
      this.#assignments.set(assignment.monitor_id, assignment)
      this.#share(assignment)
    }
    for (const id of answer.removed) this.#remove(id)
    this.#version = answer.version
    const checks = this.#doOnce(answer.once)
    this.#count()
    return answer.full || answer.monitors.length > 0 || answer.removed.length > 0 || checks > 0
  }

  /** Starts the new on-demand checks and returns how many there are. */
  #doOnce(checks: ConfigAnswer['once']): number {
    const instant = this.#options.now()
    for (const [id, expiresAt] of this.#onceSeen) if (expiresAt < instant) this.#onceSeen.delete(id)
    let fresh = 0
    for (const { check_id, monitor_id, scheduled_at, count, expires_at, definition } of checks) {
      const expiresAt = Date.parse(expires_at)
      if (this.#onceSeen.has(check_id) || expiresAt < instant) continue
      fresh++
      this.#onceSeen.set(check_id, expiresAt)
      const check = { checkId: check_id, scheduledAt: Date.parse(scheduled_at), expiresAt }
      if (!definition) this.#options.rounds.once(monitor_id, { ...check, count })
      else if (this.#isMine(definition)) this.#options.rounds.trial(definition, check)
    }
    return fresh
  }

  #isMine({ monitor_id, type }: Assignment): boolean {
    return isOwn(this.#options.instance, monitor_id, type, this.#live)
  }

  #share(assignment: Assignment): void {
    if (this.#isMine(assignment)) this.#options.rounds.watch(assignment)
    else this.#options.rounds.unwatch(assignment.monitor_id)
  }

  #remove(id: string): void {
    this.#assignments.delete(id)
    this.#options.rounds.unwatch(id)
  }

  #count(): void {
    this.#options.onCount(this.#assignments.size, this.#options.rounds.size)
  }
}
