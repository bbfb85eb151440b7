/**
 * Dependencies: a monitor names other monitors (its parents) that it cannot work without. While a
 * parent fails, the incident of the child opens, but people are not notified.
 *
 * In       the last known state of the parents (the rows of their keys), the time of a record or a
 *          job
 * Out      whether a child is held, by which parent, and until when it is looked at again
 * Source   docs/design/api/decision-rules.md#s23-6
 *
 *   the parent is       the notification of the child's incident
 *   down                is held until the parent is no longer down, at most MAX_HELD_MS
 *   in maintenance      is held until the parent's window has settled
 *   validating          is held for the child's wait time: the parent has no verdict yet
 *   up again            is held for that wait time once more: the child recovers after its parent
 *   anything else       is not held
 *
 * If several parents hold a child, the longest hold counts. A parent that fails later does not hold
 * an incident that people were already notified of. Checks, status and the end of the child's
 * incident are never held.
 */
import type { MonitorTransition } from '../../schemas/generated/events.ts'

/** The longest time for which a parent can hold a child. */
export const MAX_HELD_MS = 24 * 3_600_000
/** The longest time between two looks at a held incident, whatever its parent reports. */
export const LOOK_AGAIN_MS = 300_000

/** The last known state of a monitor that others depend on. */
export interface Watched {
  status: MonitorTransition['status']
  phase: MonitorTransition['phase']
  /** The version of its state. */
  ver: number
  /** Epoch ms: when it stopped being down or in maintenance; null: it still is, or never was. */
  down_until: number | null
}

export const holdingStates = ['down', 'maintenance', 'validating'] as const
export type HoldingState = (typeof holdingStates)[number]

/** Returns the state in which a monitor holds its children; null: it does not hold them. */
export function holdingState({ status, phase }: Watched): HoldingState | null {
  if (status === 'down') return 'down'
  if (status === 'paused') return null
  return phase === 'maintenance' || phase === 'validating' ? phase : null
}

const isOut = (watched: Watched): boolean => holdingState(watched) === 'down' || holdingState(watched) === 'maintenance'

/** Whether a change ends or shortens the monitor's hold on its children. */
export function letsGo(before: Watched | null, after: Watched): boolean {
  const [was, is] = [before && holdingState(before), holdingState(after)]
  return was !== null && is !== was && !isOut(after)
}

/**
 * Returns what is known of a monitor after a change at `at` (epoch ms). A change with an older
 * `ver` is ignored.
 */
export function watchedAfter(before: Watched | null, { status, phase, ver }: MonitorTransition, at: number): Watched {
  if (before && before.ver >= ver) return before
  const after: Watched = { status, phase, ver, down_until: null }
  if (isOut(after)) return after
  return { ...after, down_until: before && isOut(before) ? at : (before?.down_until ?? null) }
}

/** The parents of a monitor, and how long it waits for them. */
export interface Depends {
  /** In the order in which people listed them. */
  parent_ids: readonly string[]
  wait_seconds: number
  /**
   * By parent id: the spans in which a maintenance window covers it, with the settle time; epoch
   * ms.
   */
  maintenance: ReadonlyMap<string, readonly Span[]>
}

type Span = readonly [from: number, until: number]

/** Why a child is held. Stored with the signal that opened its incident. */
export interface Wait {
  /** The parent with the longest hold. */
  monitor_id: string
  state: HoldingState
  /** The version of the parent's state. */
  ver: number
  wait_seconds: number
  /** Epoch ms: when the hold ends if nothing more is heard of the parent. */
  until: number
  /** Epoch ms: when the hold ends at the latest, whatever the parent reports. */
  bound_at: number
}

export interface Parent {
  monitor_id: string
  /** The last known state of the parent; null: unknown. */
  watched: Watched | null
  maintenance: readonly Span[]
}

/**
 * When the child began to wait, how long it waits for a parent that is validating or has just
 * recovered, and when the wait ends at the latest.
 */
export interface Waiting {
  began_at: number
  wait_seconds: number
  bound_at: number
}

/** The hold on a child, and when it ends (epoch ms) if nothing more is heard of the parent. */
export interface Held {
  monitor_id: string
  state: HoldingState
  ver: number
  until: number
}

function heldBy({ monitor_id, watched, maintenance }: Parent, { began_at, wait_seconds, bound_at }: Waiting, at: number): Held | null {
  const state = watched && holdingState(watched)
  const ver = watched?.ver ?? 0
  if (state === 'down' || state === 'maintenance') return { monitor_id, state, ver, until: bound_at }
  const ends = maintenance.filter(([from, until]) => from <= at && at < until).map(([, until]) => until)
  if (ends.length > 0) return { monitor_id, state: 'maintenance', ver, until: Math.min(bound_at, Math.max(...ends)) }
  if (!watched) return null
  const { down_until } = watched
  const wait_ms = wait_seconds * 1000
  // The children recover after their parent, even while some regions still judge the parent.
  const back = down_until !== null && down_until >= began_at ? down_until + wait_ms : Number.NEGATIVE_INFINITY
  const judged = state === 'validating' ? began_at + wait_ms : Number.NEGATIVE_INFINITY
  if (back > judged) return { monitor_id, state: 'down', ver, until: Math.min(bound_at, back) }
  return state === 'validating' ? { monitor_id, state, ver, until: Math.min(bound_at, judged) } : null
}

/** Returns the hold on a child at `at` (epoch ms); null: nothing holds it any more. */
export function heldAt(parents: readonly Parent[], waiting: Waiting, at: number): Held | null {
  let longest: Held | null = null
  for (const parent of parents) {
    const held = heldBy(parent, waiting, at)
    if (held && held.until > at && (!longest || held.until > longest.until)) longest = held
  }
  return longest
}

/** Returns the hold on a child that begins to fail at `at` (epoch ms); null: nothing holds it. */
export function waitOf(parents: readonly Parent[], { wait_seconds }: Pick<Depends, 'wait_seconds'>, at: number): Wait | null {
  const bound_at = at + MAX_HELD_MS
  const held = heldAt(parents, { began_at: at, wait_seconds, bound_at }, at)
  if (!held) return null
  const { monitor_id, state, ver, until } = held
  return { monitor_id, state, ver, wait_seconds, until, bound_at }
}

/** Returns when to look at a held incident next (epoch ms). */
export const lookAgainAt = ({ until }: Pick<Held, 'until'>, at: number): number => Math.min(until, at + LOOK_AGAIN_MS)
