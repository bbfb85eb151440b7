/** Parses the address of the analytics page. */
import type { RangeName } from '../../parts/range.ts'
import { wordOf } from '../../search.ts'

/** Ranges of less than a day are left out because their figures say little. */
export const analyticsRanges = ['24h', '7d', '30d', '90d'] as const satisfies readonly RangeName[]
export type AnalyticsRange = (typeof analyticsRanges)[number]

export interface AnalyticsSearch {
  /** Absent: 30 days. */
  range?: AnalyticsRange | undefined
}

export const analyticsSearch = (search: Record<string, unknown>): AnalyticsSearch => {
  const range = wordOf(search.range, analyticsRanges)
  return range && range !== '30d' ? { range } : {}
}
