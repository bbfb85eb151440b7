/**
 * A span of time in the address: one of the usual ones, counted back from now, or what was chosen
 * in a plot.
 */
import { wordOf } from '../search.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const rangeNames = ['24h', '7d', '30d', '90d'] as const
export type RangeName = (typeof rangeNames)[number]

const lengths: Readonly<Record<RangeName, number>> = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, '90d': 90 * DAY_MS }
export const rangeWords: Readonly<Record<RangeName, string>> = {
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
  '90d': 'the last 90 days'
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
  const range = wordOf(search.range, rangeNames)
  return range && range !== '24h' ? { range } : {}
}

/** `now` in epoch ms. */
export function spanOf({ range = '24h', from, to }: RangeSearch, now: number): Span {
  const start = instantOf(from)
  const end = instantOf(to)
  return start !== null && end !== null ? { from: start, to: end } : { from: now - lengths[range], to: now }
}

/**
 * The smallest buckets that the api makes figures by, such that there are not too many of them to
 * read.
 */
export const bucketOf = ({ from, to }: Span): 'hour' | 'day' => (to - from <= 8 * DAY_MS ? 'hour' : 'day')
export const bucketMs = { hour: HOUR_MS, day: DAY_MS } as const

/** Of the person's clock: days begin there. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
