/**
 * The region's assignment as far as it was heard of, and this prober's share of it: what falls to
 * it is watched, what falls to a sibling is not. On-demand checks are done once, however often they
 * are told of.
 */
import type { Assignment, ConfigAnswer } from '../../schemas/http/prober.ts'
import type { Rounds } from './rounds.ts'
import { isOwn, type Sibling } from './share.ts'

export interface RegionAssignmentOptions {
  instance: string
  rounds: Pick<Rounds, 'watch' | 'unwatch' | 'watches' | 'once' | 'trial' | 'size'>
  /** Epoch ms by the service's clock. */
  now(): number
  /** Monitors of the region, and of this prober's own share. */
  onCount(region: number, own: number): void
}

export class RegionAssignment {
  readonly #options: RegionAssignmentOptions
  readonly #assignments = new Map<string, Assignment>()
  /** Check → when it expires. */
  readonly #onceSeen = new Map<string, number>()
  #live: readonly Sibling[] = []
  #version: number | undefined

  constructor(options: RegionAssignmentOptions) {
    this.#options = options
  }

  /** Version held; undefined: the whole assignment is wanted. */
  get version(): number | undefined {
    return this.#version
  }

  /** The next answer brings the whole assignment. What is held is checked until then. */
  forgetVersion(): void {
    this.#version = undefined
  }

  /** Who shares the region from now on. False when that is nothing new. */
  setLive(live: readonly Sibling[]): boolean {
    if (JSON.stringify(live) === JSON.stringify(this.#live)) return false
    this.#live = live
    const { rounds } = this.#options
    // Only who came to this prober or left it is touched; the others go on in their rhythm.
    for (const assignment of this.#assignments.values()) {
      if (this.#isMine(assignment) !== rounds.watches(assignment.monitor_id)) this.#share(assignment)
    }
    this.#count()
    return true
  }

  /** True when the answer brought anything new. */
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

  /** How many of the checks are new. */
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
