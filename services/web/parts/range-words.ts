/**
 * Writes a usual span of time in words. It is apart from range.ts, which is part of the first load.
 */
import { rangesText } from '../texts/ranges.ts'
import { partsOf, type RangeName } from './range.ts'

/** Returns for example `the last 24 hours` or `the last hour`. */
export function rangeWords(name: RangeName): string {
  const { count, unit } = partsOf(name) ?? { count: 24, unit: 'h' as const }
  return count === 1 ? rangesText(`words.${unit}_one`) : rangesText(`words.${unit}`, { count })
}
