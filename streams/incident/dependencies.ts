/**
 * Dependencies: a monitor names others without which it cannot work. While one of them fails, the
 * incident of what depends on it opens and people are not told.
 *
 * In       what is known of the parents (the rows of their keys), the time of a record or a job
 * Out      whether a child is held, by which parent, and until when it is looked at again
 * Source   docs/design/api/decision-rules.md#s23-6
 *
 *   the parent is       the child's incident, for people
 *   down                is held until the parent is no longer down, at most MAX_HELD_MS
 *   in maintenance      is held until its window has settled
 *   validating          is held for the wait of the child: the parent's verdict is not there yet
 *   up again            is held for that wait once more: the child recovers behind its parent
 *   anything else       is told of
 * Of several parents the one that holds longest counts. What was told of before its parent failed
 * stays told. Checks, status and the end of the child's incident never wait.
 */
import type { MonitorTransition } from '../../schemas/generated/events.ts'

/** Nothing is held longer for the sake of a parent. */
export const MAX_HELD_MS = 24 * 3_600_000
/** What is held is looked at again at least so often, whatever the parent says. */
export const LOOK_AGAIN_MS = 300_000

/** A monitor that others depend on, as of its last change. */
export interface Watched {
  status: MonitorTransition['status']
  phase: MonitorTransition['phase']
  /** Of its state. */
  ver: number
  /** Epoch ms: when it stopped being down; null: it is, or never was. */
  down_until: number | null
}

export const holdingStates = ['down', 'maintenance', 'validating'] as const
export type HoldingState = (typeof holdingStates)[number]

/** How it holds what depends on it; null: it does not. */
export function holdingState({ status, phase }: Watched): HoldingState | null {
  if (status === 'down') return 'down'
  if (status === 'paused') return null
  return phase === 'maintenance' || phase === 'validating' ? phase : null
}

const isOut = (watched: Watched): boolean => holdingState(watched) === 'down' || holdingState(watched) === 'maintenance'

/** Whether after a change it holds what depends on it no more, or for a shorter time. */
export function letsGo(before: Watched | null, after: Watched): boolean {
  const [was, is] = [before && holdingState(before), holdingState(after)]
  return was !== null && is !== was && !isOut(after)
}

/** What is known of it after a change, at `at` (epoch ms). An older change says nothing. */
export function watchedAfter(before: Watched | null, { status, phase, ver }: MonitorTransition, at: number): Watched {
  if (before && before.ver >= ver) return before
  const after: Watched = { status, phase, ver, down_until: null }
  if (isOut(after)) return after
  return { ...after, down_until: before && isOut(before) ? at : (before?.down_until ?? null) }
}

/** What a monitor depends on. */
export interface Depends {
  /** As people ordered them. */
  parent_ids: readonly string[]
  wait_seconds: number
  /** By id of the parent: when a maintenance window covers it, with its settle time; epoch ms. */
  maintenance: ReadonlyMap<string, readonly Span[]>
}

type Span = readonly [from: number, until: number]

/** Why a child is held: stored with the signal that opened its incident. */
export interface Wait {
  /** The parent that counts. */
  monitor_id: string
  state: HoldingState
  /** Of the parent's state. */
  ver: number
  wait_seconds: number
  /** Epoch ms: until when, if nothing is heard of the parent before. */
  until: number
  /** Epoch ms: it is held no longer, whatever the parent says. */
  bound_at: number
}

export interface Parent {
  monitor_id: string
  /** What is known of it; null: nothing. */
  watched: Watched | null
  maintenance: readonly Span[]
}

/** Since when it waits, for how long of a parent that is judged, and the end in any case. */
export interface Waiting {
  began_at: number
  wait_seconds: number
  bound_at: number
}

/** What holds a child, and until when (epoch ms) if nothing is heard of the parent before. */
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
  // Its children recover behind it, also while some regions still judge it.
  const back = down_until !== null && down_until >= began_at ? down_until + wait_ms : Number.NEGATIVE_INFINITY
  const judged = state === 'validating' ? began_at + wait_ms : Number.NEGATIVE_INFINITY
  if (back > judged) return { monitor_id, state: 'down', ver, until: Math.min(bound_at, back) }
  return state === 'validating' ? { monitor_id, state, ver, until: Math.min(bound_at, judged) } : null
}

/** What holds a child at `at` (epoch ms); null: nothing any more. */
export function heldAt(parents: readonly Parent[], waiting: Waiting, at: number): Held | null {
  let longest: Held | null = null
  for (const parent of parents) {
    const held = heldBy(parent, waiting, at)
    if (held && held.until > at && (!longest || held.until > longest.until)) longest = held
  }
  return longest
}

/** What holds a child that begins to fail at `at` (epoch ms); null: nothing. */
export function waitOf(parents: readonly Parent[], { wait_seconds }: Pick<Depends, 'wait_seconds'>, at: number): Wait | null {
  const bound_at = at + MAX_HELD_MS
  const held = heldAt(parents, { began_at: at, wait_seconds, bound_at }, at)
  if (!held) return null
  const { monitor_id, state, ver, until } = held
  return { monitor_id, state, ver, wait_seconds, until, bound_at }
}

/** When what is held is looked at next. */
export const lookAgainAt = ({ until }: Pick<Held, 'until'>, at: number): number => Math.min(until, at + LOOK_AGAIN_MS)
