/** What each region answers to a check that was asked for here, as it comes. */
import { CircleCheck, CircleDashed, OctagonX } from 'lucide-react'
import type { Check, Monitor } from '../../api/shapes.ts'
import { msInWords } from '../../parts/figures.ts'
import { Section } from '../../parts/Page.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { isGood, type Progress } from './check-now.ts'
import classes from './Monitor.module.css'
import { outcomeWords, reasonWords, regionLabel } from './words.ts'

const waiting: Look = { tone: 'off', icon: CircleDashed, word: 'Checking…' }

const lookOf = (check: Check): Look => ({
  tone: isGood(check) ? 'good' : 'bad',
  icon: isGood(check) ? CircleCheck : OctagonX,
  word: outcomeWords[check.outcome]
})

const saidBy = ({ message, reason }: Check): string => message ?? (reason ? reasonWords[reason] : '')

export function CheckProgress({ monitor, progress: { asked, answered } }: { monitor: Monitor; progress: Progress }) {
  // Every region has its line from the start: nothing moves when it answers.
  const regions = [...new Set([...monitor.region_states.map(({ region }) => region), ...answered.map(({ region }) => region)])]
  return (
    <Section title="This check" aside={<span role="status">{`${answered.length} of ${asked} answered`}</span>}>
      <ul className={classes.lines} aria-label="Answers to this check">
        {regions.map((region) => {
          const check = answered.find((one) => one.region === region)
          if (!check && answered.length === asked) return null
          const total = check?.timings_ms.total ?? null
          return (
            <li key={region} className={classes.region}>
              <span className={classes.regionName}>{regionLabel(monitor, region)}</span>
              <Status look={check ? lookOf(check) : waiting} />
              <span className={classes.quiet}>{check ? saidBy(check) : ''}</span>
              <span className={classes.figure}>{total === null ? '' : msInWords(total)}</span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
