/** Writes figures with their units, with only as many digits as a person reads. */
import { plotsText } from '../texts/plots.ts'
import { decimal } from './clock.ts'
import { durationInWords } from './duration-words.ts'

/** `12 ms`, `1.24 s`. */
export function msInWords(ms: number): string {
  if (ms >= 1000) return `${decimal(ms / 1000, ms >= 10_000 ? 1 : 2)} s`
  return ms > 0 && ms < 1 ? `${decimal(ms, 1)} ms` : `${Math.round(ms)} ms`
}

/**
 * Returns what is left of an error budget. It includes the share, because the budget of a young
 * monitor is only seconds, and `0 s left` would read as spent.
 */
export function budgetInWords({ budget_left_seconds: left, burn_rate }: { budget_left_seconds: number; burn_rate: number }): string {
  if (burn_rate === 0) return plotsText('budget.whole')
  const time = durationInWords(Math.abs(left))
  if (left < 0) return plotsText('budget.spent', { time })
  return plotsText('budget.left', { percent: percentInWords(100 * (1 - Math.min(1, burn_rate))), time })
}

/** `99.95 %`; never rounded up to 100. */
export function percentInWords(percent: number): string {
  if (percent === 100 || percent === 0) return `${percent} %`
  const shown = (Math.floor(percent * 1000) / 1000).toFixed(percent > 99.9 ? 3 : 2).replace(/\.?0+$/, '')
  return `${decimal(Number(shown), shown.split('.')[1]?.length ?? 0)} %`
}
