/** The monitors that this prober checks, and how many each workspace has of them. */
import type { Assignment, Result } from '../../schemas/http/prober.ts'
import { type CapturePace, unpaced } from './capture-pace.ts'
import type { Attempts } from './prober-type.ts'
import { nextSlot, slotOffset } from './schedule.ts'

/** How to check a monitor, or why it cannot be checked. */
export type Plan = Attempts | { fault: string }

export interface Watched {
  assignment: Assignment
  /** Null: it is made at the next round. */
  plan: Plan | null
  /** Increases when the slots change. A queue entry with another generation is stale. */
  generation: number
  /** The slot that waits for a place; null if none does. */
  waiting: number | null
  isRunning: boolean
  rhythm: Rhythm
  /** The pace of the answers that are kept. */
  pace: CapturePace
}

/** The rhythm of a monitor, as this prober saw it. */
export interface Rhythm {
  /** The quicker rhythm: a check has failed, and the monitor has not recovered. */
  isQuick: boolean
  /** Number of good checks in a row since the failure. */
  good: number
}

const usual: Rhythm = { isQuick: false, good: 0 }

/**
 * Returns the rhythm after a check that counts. An outcome that says nothing about the target
 * changes nothing.
 * Source: docs/design/api/monitors.md#s3-1, `down_interval_seconds`.
 */
export function rhythmAfter(
  before: Rhythm,
  outcome: Result['outcome'],
  { recovery_rounds = 1 }: Pick<Assignment, 'recovery_rounds'>
): Rhythm {
  if (outcome === 'failure') return { isQuick: true, good: 0 }
  if (!before.isQuick || (outcome !== 'success' && outcome !== 'degraded')) return before
  return before.good + 1 >= recovery_rounds ? usual : { isQuick: true, good: before.good + 1 }
}

/** Milliseconds between two slots. */
export const intervalOf = ({ assignment: { interval_seconds, down_interval_seconds = interval_seconds }, rhythm }: Watched): number =>
  1000 * (rhythm.isQuick ? down_interval_seconds : interval_seconds)

/** Returns the first slot after the instant, epoch ms. */
export const slotAfter = (one: Watched, instant: number): number =>
  nextSlot(instant, intervalOf(one), slotOffset(one.assignment.monitor_id, intervalOf(one)))

export class WatchList {
  readonly #watched = new Map<string, Watched>()
  /** Workspace → number of its watched monitors. */
  readonly #shares = new Map<string, number>()

  get size(): number {
    return this.#watched.size
  }

  get workspaces(): number {
    return this.#shares.size
  }

  get(monitorId: string): Watched | undefined {
    return this.#watched.get(monitorId)
  }

  values(): Iterable<Watched> {
    return this.#watched.values()
  }

  /** False once the entry was dropped, even if its monitor is watched again. */
  holds(one: Watched): boolean {
    return this.#watched.get(one.assignment.monitor_id) === one
  }

  /** Stores the settings. The plan is made again at the next round. */
  put(assignment: Assignment): Watched {
    const held = this.#watched.get(assignment.monitor_id)
    if (held) {
      held.assignment = assignment
      held.plan = null
      return held
    }
    const one: Watched = { assignment, plan: null, generation: 0, waiting: null, isRunning: false, rhythm: usual, pace: unpaced }
    this.#watched.set(assignment.monitor_id, one)
    this.#count(assignment.tenant_ref, 1)
    return one
  }

  drop(monitorId: string): void {
    const one = this.#watched.get(monitorId)
    if (one && this.#watched.delete(monitorId)) this.#count(one.assignment.tenant_ref, -1)
  }

  #count(share: string, change: 1 | -1): void {
    const left = (this.#shares.get(share) ?? 0) + change
    if (left > 0) this.#shares.set(share, left)
    else this.#shares.delete(share)
  }
}
