/** The answer of each region to a check that was requested on this page, as it arrives. */
import { CircleCheck, CircleDashed, OctagonX } from 'lucide-react'
import type { Check, Monitor } from '../../api/shapes.ts'
import { msInWords } from '../../parts/figures.ts'
import { Section } from '../../parts/Page.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { monitorPageText } from '../../texts/monitor-page.ts'
import { isGood, type Progress } from './check-now.ts'
import classes from './Monitor.module.css'
import { regionLabel } from './region-label.ts'
import { outcomeWord, reasonWord } from './words.ts'

const waiting = (): Look => ({ tone: 'off', icon: CircleDashed, word: monitorPageText('check.waits') })

const lookOf = (check: Check): Look => ({
  tone: isGood(check) ? 'good' : 'bad',
  icon: isGood(check) ? CircleCheck : OctagonX,
  word: outcomeWord(check.outcome)
})

const saidBy = ({ message, reason }: Check): string => message ?? (reason ? reasonWord(reason) : '')

export function CheckProgress({ monitor, progress: { asked, answered } }: { monitor: Monitor; progress: Progress }) {
  // Every region has its line from the start, so that nothing moves when it answers.
  const regions = [...new Set([...monitor.region_states.map(({ region }) => region), ...answered.map(({ region }) => region)])]
  return (
    <Section
      title={monitorPageText('check.title')}
      aside={<span role="status">{monitorPageText('check.answered', { count: answered.length, all: asked })}</span>}
    >
      <ul className={classes.lines} aria-label={monitorPageText('check.list')}>
        {regions.map((region) => {
          const check = answered.find((one) => one.region === region)
          if (!check && answered.length === asked) return null
          const total = check?.timings_ms.total ?? null
          return (
            <li key={region} className={classes.region}>
              <span className={classes.regionName}>{regionLabel(monitor, region)}</span>
              <Status look={check ? lookOf(check) : waiting()} />
              <span className={classes.quiet}>{check ? saidBy(check) : ''}</span>
              <span className={classes.figure}>{total === null ? '' : msInWords(total)}</span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
