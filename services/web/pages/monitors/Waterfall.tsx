/**
 * How the time of a check was spent: as one bar, or phase below phase, each from where it began.
 */
import type { Check } from '../../api/shapes.ts'
import { msInWords } from '../../parts/figures.ts'
import { checksText } from '../../texts/checks.ts'
import classes from './Waterfall.module.css'

const phases = ['dns', 'connect', 'tls', 'request', 'ttfb', 'download'] as const

export type CheckTimings = Check['timings_ms']

/** The phases in proportion, without words. */
export function PhaseBar({ timings }: { timings: CheckTimings }) {
  const spent = phases.map((phase) => timings[phase] ?? 0)
  const all = spent.reduce((total, ms) => total + ms, 0)
  if (all === 0) return null
  return (
    <span className={classes.bar}>
      {phases.map(
        (phase, nth) =>
          (spent[nth] ?? 0) > 0 && <span key={phase} data-phase={nth + 1} style={{ width: `${(100 * (spent[nth] ?? 0)) / all}%` }} />
      )}
    </span>
  )
}

/** The phases one below the other. A phase that was not reached says so. */
export function Waterfall({ timings }: { timings: CheckTimings }) {
  const all = phases.reduce((total, phase) => total + (timings[phase] ?? 0), 0)
  let before = 0
  return (
    <ul className={classes.phases} aria-label={checksText('phases.label')}>
      {phases.map((phase, nth) => {
        const ms = timings[phase]
        const from = before
        before += ms ?? 0
        const percent = (part: number): string => `${all === 0 ? 0 : (100 * part) / all}%`
        return (
          <li key={phase}>
            <span>{checksText(`phase.${phase}`)}</span>
            <span className={classes.track} aria-hidden>
              {ms !== null && ms > 0 && <span data-phase={nth + 1} style={{ marginLeft: percent(from), width: percent(ms) }} />}
            </span>
            <b>{ms === null ? checksText('phases.none') : msInWords(ms)}</b>
          </li>
        )
      })}
    </ul>
  )
}
