/**
 * The model of maintenance windows: when they hold what, by docs/design/api/maintenance.md#s10-1.
 * It is written from that document, not from the code. A recurring window repeats after a fixed
 * number of days at the same time of day in UTC. Histories are shorter than a day, so two of its
 * occurrences are enough.
 */

const DAY_MS = 86_400_000

export type Effect = 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'

/** What a window covers: one of these. */
export type Scope =
  | { all: true }
  | { monitors: readonly number[] }
  | { heartbeats: readonly number[] }
  /** Alerts that came through the integration. */
  | { inbound: true }
  /** With a matcher: what senders report for these keys. */
  | { keys: readonly number[] }

export interface Plan {
  scope: Scope
  effect: Effect
  settle_ms: number
  /** Its first occurrence, in Postgres's time. */
  from: number
  until: number
  /** Days between two occurrences; null: it happens once. */
  every_days: number | null
}

interface Window extends Plan {
  id: number
  tenant_id: string
  /** Occurrences before this do not count. */
  made_at: number
  /** Parts that somebody cut off by ending the window early. */
  cuts: [from: number, until: number][]
  deleted: boolean
}

/** A window that holds something, until its settle time is over. */
export interface Holding {
  id: number
  effect: Effect
  until: number
}

const overlap = (key: string, prefix: string, numbers: readonly number[]): boolean =>
  key.startsWith(prefix) && numbers.includes(Number(key.slice(-12)))

function names(scope: Scope, key: string): boolean {
  if ('all' in scope) return true
  if ('monitors' in scope) return overlap(key, 'mon:', scope.monitors)
  if ('heartbeats' in scope) return overlap(key, 'hb:', scope.heartbeats)
  if ('inbound' in scope) return key.startsWith('int:')
  return overlap(key, 'int:', scope.keys)
}

/** Returns the times during which a window runs, in order. */
function spansOf({ from, until, every_days, made_at, cuts }: Window): [number, number][] {
  const turns = every_days === null ? [0] : [0, 1]
  return turns.flatMap((nth): [number, number][] => {
    const shift = nth * (every_days ?? 0) * DAY_MS
    const begin = Math.max(from + shift, made_at)
    // Ending a window early ends all that was left of that occurrence.
    const end = Math.min(until + shift, ...cuts.filter(([at]) => at >= begin && at < until + shift).map(([at]) => at))
    return begin < end ? [[begin, end]] : []
  })
}

export class Windows {
  readonly #windows: Window[] = []

  add(tenant_id: string, plan: Plan, now: number): void {
    this.#windows.push({ ...plan, id: this.#windows.length, tenant_id, made_at: now, cuts: [], deleted: false })
  }

  #of(id: number): Window | null {
    const window = this.#windows[id]
    return window && !window.deleted ? window : null
  }

  /** Ends the occurrence that runs now. */
  endNow(id: number, now: number): void {
    const window = this.#of(id)
    const running = window && spansOf(window).find(([from, until]) => from <= now && now < until)
    if (running) window.cuts.push([now, running[1]])
  }

  /** Deletes a window. It does not settle. */
  remove(id: number): void {
    const window = this.#of(id)
    if (window) window.deleted = true
  }

  /** Gives a window another effect from now on. */
  turnInto(id: number, effect: Effect): void {
    const window = this.#of(id)
    if (window) window.effect = effect
  }

  /** Whether the window runs or settles. */
  holds(id: number, now: number): boolean {
    const window = this.#of(id)
    return window !== null && spansOf(window).some(([from, until]) => from <= now && now < until + window.settle_ms)
  }

  /** Returns the windows that hold a key; the one that began first comes first. */
  holding(tenant_id: string, key: string, at: number): Holding[] {
    const found = this.#windows.flatMap((window) => {
      if (window.deleted || window.tenant_id !== tenant_id || !names(window.scope, key)) return []
      const spans = spansOf(window)
      const span = spans.findLast(([from, until]) => from <= at && at < until + window.settle_ms)
      const { id, effect, settle_ms } = window
      return span ? [{ id, effect, until: span[1] + settle_ms, first: spans[0]?.[0] ?? 0 }] : []
    })
    return found.sort((one, other) => one.first - other.first || one.id - other.id)
  }

  /** Returns those of them that keep an alert from becoming an incident. */
  keeping(tenant_id: string, key: string, at: number): Holding[] {
    return this.holding(tenant_id, key, at).filter(({ effect }) => effect === 'suppress_incidents')
  }
}
