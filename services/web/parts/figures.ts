/** Figures with their units, in as many digits as a person reads. */

/** `12 ms`, `1.24 s`. */
export function msInWords(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(ms >= 10_000 ? 1 : 2)} s`
  return ms > 0 && ms < 1 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}

/** `99.95 %`; never rounded up to 100. */
export function percentInWords(percent: number): string {
  if (percent === 100 || percent === 0) return `${percent} %`
  return `${(Math.floor(percent * 1000) / 1000).toFixed(percent > 99.9 ? 3 : 2).replace(/\.?0+$/, '')} %`
}
