/** A usual span of time in words: beside range.ts, which the first load has. */
import { rangesText } from '../texts/ranges.ts'
import { partsOf, type RangeName } from './range.ts'

/** `the last 24 hours`, `the last hour`. */
export function rangeWords(name: RangeName): string {
  const { count, unit } = partsOf(name) ?? { count: 24, unit: 'h' as const }
  return count === 1 ? rangesText(`words.${unit}_one`) : rangesText(`words.${unit}`, { count })
}
