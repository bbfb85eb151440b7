/**
 * The inbound budget of each workspace at this door instance: how many alerts a minute it may send,
 * over all doors together.
 *
 * - The first alert opens a window of 60 s. A payload is admitted whole while the window has
 *   counted fewer alerts than the limit. Its alerts are counted after parsing, so a batch is never
 *   stored in part, and the limit is exceeded by at most one payload. A payload counts as at
 *   least one alert.
 * - The limit is the higher of the plan's limit and the raised ceiling of the workspace (the newest
 *   on tenant.budgets.v1), and never below the floor. It is fixed for the whole window, so the
 *   remaining budget never rises inside a window.
 * - Alerts that the log certainly did not store are taken back from the window that counted them: a
 *   log that is away must not use up the budget of senders that try again. What remains stays at
 *   its lowest value in that window, though more is admitted.
 * - Usage is published as cumulative counters per window. A window is kept until its last counter
 *   is published, and then deleted.
 *
 * This module has no clock: the caller passes the time, epoch ms from a clock that never jumps
 * back.
 *
 * Source: docs/design/specification.md#s8-4, docs/design/architecture.md#s6-doors-and-budget,
 * docs/design/api/alerts-and-routing.md#s6-7.
 */

export const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1000

/**
 * Limit for ended windows whose last counters are not published yet. Beyond it, the oldest are
 * dropped.
 */
const MAX_CLOSED = 10_000

/** The state of a workspace's budget. */
export interface Standing {
  admitted: boolean
  limit: number
  /** Alerts that the window still admits; 0 when none. */
  remaining: number
  /** Whole seconds, at least 1, after which the next window opens; 60 when none is open. */
  reset_seconds: number
}

/** Names the window that counted a payload. */
export interface Counted {
  readonly window: number
  readonly alerts: number
}

/** The counts of one window so far. */
export interface Usage {
  readonly tenant_id: string
  /** Epoch ms at which the window opened. */
  readonly window: number
  readonly accepted: number
  readonly refused: number
  readonly limit: number
}

interface Window extends Usage {
  accepted: number
  /** The highest `accepted` so far. */
  most: number
  refused: number
  /** The counts changed since the last publication. */
  dirty: boolean
}

export interface Budget {
  /** Returns whether a payload may be read. `ceiling` is the plan's limit. A refusal is counted. */
  admit(tenant_id: string, ceiling: number, now: number): Standing
  /** Counts the alerts of an admitted payload; returns the state of the budget afterwards. */
  count(tenant_id: string, ceiling: number, alerts: number, now: number): Standing & { counted: Counted }
  /** Takes back what `count` counted, because the log certainly did not store it. */
  takeBack(tenant_id: string, counted: Counted): void
  standing(tenant_id: string, ceiling: number, now: number): Standing
  /**
   * Sets the newest raised ceiling of a workspace; null removes it. It applies from the next
   * window.
   */
  setCeiling(tenant_id: string, ceiling: number | null): void
  /**
   * Returns copies of the counters that changed since they were last `published`. Deletes windows
   * that are over and published.
   */
  due(now: number): Usage[]
  /** Marks the counters as stored on the log. Counts that changed meanwhile are due again. */
  published(usages: readonly Usage[]): void
  /** Windows held. */
  size(): number
}

const isSame = (one: Usage, other: Usage): boolean =>
  one.window === other.window && one.accepted === other.accepted && one.refused === other.refused

const keyOf = ({ tenant_id, window }: Pick<Usage, 'tenant_id' | 'window'>): string => `${tenant_id}|${window}`

export function createBudget(floor: number): Budget {
  const open = new Map<string, Window>()
  const closed = new Map<string, Window>() // Ended windows, by keyOf. They only get less.
  const ceilings = new Map<string, number>()

  const isOver = (window: Window, now: number): boolean => now >= window.window + WINDOW_MS
  const limitOf = (tenant_id: string, ceiling: number): number => Math.max(floor, ceiling, ceilings.get(tenant_id) ?? 0)

  function current(tenant_id: string, now: number): Window | null {
    const window = open.get(tenant_id)
    return window && !isOver(window, now) ? window : null
  }

  /**
   * Returns the window that contains `now`, and opens one if necessary. An ended window waits for
   * its last publication.
   */
  function opened(tenant_id: string, ceiling: number, now: number): Window {
    const last = open.get(tenant_id)
    if (last && !isOver(last, now)) return last
    if (last?.dirty) keepClosed(last)
    const window = { tenant_id, window: now, accepted: 0, most: 0, refused: 0, limit: limitOf(tenant_id, ceiling), dirty: false }
    open.set(tenant_id, window)
    return window
  }

  function keepClosed(window: Window): void {
    if (closed.size >= MAX_CLOSED) closed.delete(closed.keys().next().value ?? '')
    closed.set(keyOf(window), window)
  }

  function standing(tenant_id: string, ceiling: number, now: number): Standing {
    const window = current(tenant_id, now)
    if (!window) {
      const limit = limitOf(tenant_id, ceiling)
      return { admitted: true, limit, remaining: limit, reset_seconds: WINDOW_SECONDS }
    }
    return {
      admitted: window.accepted < window.limit,
      limit: window.limit,
      remaining: Math.max(0, window.limit - window.most),
      reset_seconds: Math.max(1, Math.ceil((window.window + WINDOW_MS - now) / 1000))
    }
  }

  return {
    admit(tenant_id, ceiling, now) {
      const found = standing(tenant_id, ceiling, now)
      if (!found.admitted) {
        const window = opened(tenant_id, ceiling, now)
        window.refused += 1
        window.dirty = true
      }
      return found
    },
    count(tenant_id, ceiling, alerts, now) {
      const window = opened(tenant_id, ceiling, now)
      const counted = { window: window.window, alerts: Math.max(1, alerts) }
      window.accepted += counted.alerts
      window.most = Math.max(window.most, window.accepted)
      window.dirty = true
      return { ...standing(tenant_id, ceiling, now), counted }
    },
    takeBack(tenant_id, counted) {
      const last = open.get(tenant_id)
      const window = last?.window === counted.window ? last : closed.get(keyOf({ tenant_id, window: counted.window }))
      if (!window) return
      window.accepted -= counted.alerts
      window.dirty = true
    },
    standing,
    setCeiling(tenant_id, ceiling) {
      if (ceiling === null) ceilings.delete(tenant_id)
      else ceilings.set(tenant_id, ceiling)
    },
    due(now) {
      const usages: Usage[] = [...closed.values()].map((window) => ({ ...window }))
      for (const [tenant_id, window] of open) {
        if (window.dirty) usages.push({ ...window })
        else if (isOver(window, now)) open.delete(tenant_id)
      }
      return usages
    },
    published(usages) {
      for (const usage of usages) {
        const ended = closed.get(keyOf(usage))
        if (ended && isSame(ended, usage)) closed.delete(keyOf(usage))
        const window = open.get(usage.tenant_id)
        if (window && isSame(window, usage)) window.dirty = false
      }
    },
    size: () => open.size + closed.size
  }
}
