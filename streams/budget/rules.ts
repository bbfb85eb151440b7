/**
 * Computes usage of the inbound budget from the counters that doors send: which count is valid,
 * what is dropped, and when a workspace begins to be limited.
 *
 * Counters are cumulative per (instance, boot, window), and the largest count stands. Repeats
 * change nothing, and the order of arrival does not matter. A count that a door lowers, because the
 * log did not store some alerts, changes nothing either: what is observed may be higher by those.
 * An instance that restarts counts under another boot, and those counts add up. Counters are kept
 * for the hour before the newest one. Pure functions.
 *
 * Source: docs/design/streaming.md#s2-7, docs/design/architecture.md#s6-doors-and-budget.
 */
import type { UsageCounter } from '../../schemas/generated/events.ts'
import { byText } from '../../schemas/text-order.ts'
import type { BudgetRow, Counter, Limited } from './state.ts'

const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
/**
 * A count from further in the future comes from a wrong clock. It is ignored, because it would push
 * out all the other counts.
 */
export const AHEAD_MS = 300_000
/**
 * Refusals closer together than this belong to one period of being limited. People are told once
 * per period.
 */
export const STREAK_MS = 600_000
/** Counters of one workspace: an hour of twenty instances. Beyond that the oldest are dropped. */
export const MAX_COUNTERS = 1200

/** Sorts the newest last: by window, then by instance and boot, so that no two compare as equal. */
const byAge = (a: Counter, b: Counter): number => a.window - b.window || byText(a.instance, b.instance) || byText(a.boot, b.boot)

export const newRow = (tenant_id: string): BudgetRow => ({ kind: 'budget', tenant_id, raised: null, counters: [], limited: null })

export interface Counted {
  /** The same object as before when nothing changed. */
  row: BudgetRow
  /** The workspace was not limited before, and is now. */
  began: boolean
}

/** Returns the row after one more counter. `now` is the time of the record. */
export function count(row: BudgetRow, told: UsageCounter, now: number): Counted {
  const { instance, boot, window, accepted, refused, limit, at } = told
  if (Math.max(window, at) > now + AHEAD_MS) return { row, began: false }
  const isSame = (one: Counter): boolean => one.window === window && one.boot === boot && one.instance === instance
  const known = row.counters.find(isSame)
  const newest = row.counters.at(-1)?.window ?? 0
  if (!known && window <= newest - HOUR_MS) return { row, began: false }
  if (known && accepted <= known.accepted && refused <= known.refused && at <= known.at) return { row, began: false }
  const counter: Counter = {
    instance,
    boot,
    window,
    accepted: Math.max(accepted, known?.accepted ?? 0),
    refused: Math.max(refused, known?.refused ?? 0),
    limit: Math.max(limit, known?.limit ?? 0),
    at: Math.max(at, known?.at ?? 0)
  }
  const counters = [...row.counters.filter((one) => one !== known), counter].sort(byAge)
  const oldest = Math.max(newest, window) - HOUR_MS
  const kept = counters.filter((one) => one.window > oldest).slice(-MAX_COUNTERS)
  const limited = counter.refused > (known?.refused ?? 0) ? limitedAt(row.limited, at) : row.limited
  return { row: { ...row, counters: kept, limited }, began: limited !== null && limited.since !== row.limited?.since }
}

/**
 * Returns the period after a refusal at `at`: the known period extended, or a new one. A refusal
 * before the end of the known period changes nothing.
 */
function limitedAt(known: Limited | null, at: number): Limited {
  if (!known || at > known.last_at + STREAK_MS) return { since: at, last_at: at }
  return at > known.last_at ? { ...known, last_at: at } : known
}

export interface Observed {
  /**
   * Alerts accepted, over all instances, in windows that opened within the last minute or the last
   * hour before `now`.
   */
  accepted_1m: number
  accepted_1h: number
  /** Requests refused. */
  refused_1m: number
  refused_1h: number
}

/** Sums at `now`, epoch ms. */
export function observed(counters: readonly Counter[], now: number): Observed {
  const sums: Observed = { accepted_1m: 0, accepted_1h: 0, refused_1m: 0, refused_1h: 0 }
  for (const { window, accepted, refused } of counters) {
    if (window <= now - HOUR_MS) continue
    sums.accepted_1h += accepted
    sums.refused_1h += refused
    if (window <= now - MINUTE_MS) continue
    sums.accepted_1m += accepted
    sums.refused_1m += refused
  }
  return sums
}

/**
 * Whether the row can be deleted at `now`: no raised ceiling, and neither a counter nor a refusal
 * within the last hour.
 */
export const isEmpty = (row: BudgetRow, now: number): boolean =>
  row.raised === null && (row.counters.at(-1)?.window ?? 0) <= now - HOUR_MS && (row.limited?.last_at ?? 0) <= now - HOUR_MS
