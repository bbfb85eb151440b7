/** What the address of the page holds. */
import type { RangeName } from '../../parts/range.ts'
import { wordOf } from '../../search.ts'

/** Figures of less than a day say little. */
export const analyticsRanges = ['24h', '7d', '30d', '90d'] as const satisfies readonly RangeName[]
export type AnalyticsRange = (typeof analyticsRanges)[number]

export interface AnalyticsSearch {
  /** 30 days, where absent. */
  range?: AnalyticsRange | undefined
}

export const analyticsSearch = (search: Record<string, unknown>): AnalyticsSearch => {
  const range = wordOf(search.range, analyticsRanges)
  return range && range !== '30d' ? { range } : {}
}
