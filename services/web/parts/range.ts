/**
 * A span of time in the address: a duration until now (`45m`, `6h`, `30d`), or two instants,
 * selected in a plot or entered by hand.
 */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export const rangeUnits = ['m', 'h', 'd'] as const
export type RangeUnit = (typeof rangeUnits)[number]
export type RangeName = `${number}${RangeUnit}`

/** The usual spans. Any other one is entered by hand. */
export const rangeNames = ['1h', '6h', '24h', '7d', '30d', '90d'] as const satisfies readonly RangeName[]
export const USUAL: RangeName = '24h'

const unitMs: Readonly<Record<RangeUnit, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }
/** A shorter plot has nothing to show; data older than the longest is not kept. */
const LEAST_MS = 5 * MINUTE_MS
const MOST_MS = 760 * DAY_MS

/**
 * Returns the count and unit of a name, or null if the span is too short, too long or malformed.
 */
export function partsOf(name: string): { count: number; unit: RangeUnit } | null {
  const [, digits = '', letter] = /^([1-9]\d{0,4})([mhd])$/.exec(name) ?? []
  const unit = rangeUnits.find((one) => one === letter)
  const count = Number(digits)
  return unit && count * unitMs[unit] >= LEAST_MS && count * unitMs[unit] <= MOST_MS ? { count, unit } : null
}

const isRange = (name: string): name is RangeName => partsOf(name) !== null

/** Returns the name of a duration until now, or null if it is too short or too long. */
export function rangeNamed(count: number, unit: RangeUnit): RangeName | null {
  const name = `${count}${unit}`
  return isRange(name) ? name : null
}

const lengthOf = (name: RangeName): number => {
  const { count, unit } = partsOf(name) ?? { count: 24, unit: 'h' as const }
  return count * unitMs[unit]
}

/**
 * What the address holds. If it is empty, the span is the last 24 hours. `from` and `to` are
 * instants and are always given together.
 */
export interface RangeSearch {
  range?: RangeName
  from?: string
  to?: string
}

/** In epoch ms. `from` is included, `to` is not. */
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
 * Spans up to this length are drawn check by check, because buckets of an hour would hide the
 * detail. Not every plan keeps old checks, so older spans are not.
 */
const SINGLE_MS = 3 * HOUR_MS
const SINGLE_KEPT_MS = 6 * DAY_MS

/**
 * Returns the part of a span since something was made, in epoch ms, or null if the span is not
 * drawn check by check.
 */
export function singleSpan({ from, to }: Span, made_at: number, now: number): Span | null {
  const since = Math.max(from, made_at)
  return to - since <= SINGLE_MS && since > now - SINGLE_KEPT_MS ? { from: Math.min(since, to - 1), to } : null
}

/** The shortest span that the plot of a new monitor shows. */
const LEAST_PLOT_MS = 10 * MINUTE_MS

/**
 * Returns the span that a plot of single checks shows. It starts near the first data of a new
 * monitor (`read`), so that a few minutes fill it. Where older checks were left out it starts at
 * the oldest that was read, because an empty part would say that nothing was checked.
 */
export function singlePlot(asked: Span, read: Span, oldest: number | null): Span {
  return { from: oldest ?? Math.max(asked.from, Math.min(read.from, read.to - LEAST_PLOT_MS)), to: read.to }
}

/** Returns the smallest bucket of the api's figures that does not give too many buckets to read. */
export const bucketOf = ({ from, to }: Span): 'hour' | 'day' => (to - from <= 8 * DAY_MS ? 'hour' : 'day')
export const bucketMs = { hour: HOUR_MS, day: DAY_MS } as const
