/**
 * A span of time in the address: so long until now (`45m`, `6h`, `30d`), or between two instants,
 * as it was chosen in a plot or by hand.
 */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export const rangeUnits = ['m', 'h', 'd'] as const
export type RangeUnit = (typeof rangeUnits)[number]
export type RangeName = `${number}${RangeUnit}`

/** The usual ones; any other is written by hand. */
export const rangeNames = ['1h', '6h', '24h', '7d', '30d', '90d'] as const satisfies readonly RangeName[]
export const USUAL: RangeName = '24h'

const unitMs: Readonly<Record<RangeUnit, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }
/** A plot of less has nothing to show; of more, nothing is kept. */
const LEAST_MS = 5 * MINUTE_MS
const MOST_MS = 760 * DAY_MS

/** null: it is too short or too long. */
export function partsOf(name: string): { count: number; unit: RangeUnit } | null {
  const [, digits = '', letter] = /^([1-9]\d{0,4})([mhd])$/.exec(name) ?? []
  const unit = rangeUnits.find((one) => one === letter)
  const count = Number(digits)
  return unit && count * unitMs[unit] >= LEAST_MS && count * unitMs[unit] <= MOST_MS ? { count, unit } : null
}

const isRange = (name: string): name is RangeName => partsOf(name) !== null

/** The name of so long until now; null where that is too short or too long. */
export function rangeNamed(count: number, unit: RangeUnit): RangeName | null {
  const name = `${count}${unit}`
  return isRange(name) ? name : null
}

const lengthOf = (name: RangeName): number => {
  const { count, unit } = partsOf(name) ?? { count: 24, unit: 'h' as const }
  return count * unitMs[unit]
}

/**
 * What the address holds; without anything the last 24 hours. `from` and `to` are instants and
 * stand together.
 */
export interface RangeSearch {
  range?: RangeName
  from?: string
  to?: string
}

/** Epoch ms; `from` is part of it, `to` is not. */
export interface Span {
  from: number
  to: number
}

const instantOf = (value: unknown): number | null => {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : at
}

const written = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

export const zoomed = ({ from, to }: Span): RangeSearch => ({ from: written(from), to: written(to) })

/** For a route's validateSearch. */
export function rangeSearch(search: Record<string, unknown>): RangeSearch {
  const from = instantOf(search.from)
  const to = instantOf(search.to)
  if (from !== null && to !== null && from < to) return zoomed({ from, to })
  const range = typeof search.range === 'string' && isRange(search.range) ? search.range : undefined
  return range && range !== USUAL ? { range } : {}
}

/** `now` in epoch ms. */
export function spanOf({ range = USUAL, from, to }: RangeSearch, now: number): Span {
  const start = instantOf(from)
  const end = instantOf(to)
  return start !== null && end !== null ? { from: start, to: end } : { from: now - lengthOf(range), to: now }
}

/**
 * So short a time is drawn check by check: buckets of an hour would hide it. Checks of long ago are
 * not kept by every plan.
 */
const SINGLE_MS = 3 * HOUR_MS
const SINGLE_KEPT_MS = 6 * DAY_MS

/** The part of a span since something was made, epoch ms; null: it is not drawn check by check. */
export function singleSpan({ from, to }: Span, made_at: number, now: number): Span | null {
  const since = Math.max(from, made_at)
  return to - since <= SINGLE_MS && since > now - SINGLE_KEPT_MS ? { from: Math.min(since, to - 1), to } : null
}

/**
 * The smallest buckets that the api makes figures by, such that there are not too many of them to
 * read.
 */
export const bucketOf = ({ from, to }: Span): 'hour' | 'day' => (to - from <= 8 * DAY_MS ? 'hour' : 'day')
export const bucketMs = { hour: HOUR_MS, day: DAY_MS } as const
