/** The assertions about an answer, one a line: the expected and the actual value. */
import { CircleCheck, OctagonX } from 'lucide-react'
import type { Check, Monitor } from '../../api/shapes.ts'
import { Status } from '../../parts/Status.tsx'
import { monitorsText } from '../../texts/monitors.ts'
import classes from './AssertionResults.module.css'
import { assertionInWords } from './words.ts'

export interface AssertionResultsProps {
  check: Pick<Check, 'assertions' | 'config_version'>
  monitor: Pick<Monitor, 'assertions' | 'version'>
  /** Shows only the failed assertions. */
  failedOnly?: boolean
}

export function AssertionResults({ check, monitor, failedOnly = false }: AssertionResultsProps) {
  // An older version of the settings may have had other assertions.
  const written = check.config_version === monitor.version ? monitor.assertions : []
  const shown = check.assertions.filter(({ ok }) => !failedOnly || !ok)
  if (shown.length === 0) return null
  return (
    <ul className={classes.results} aria-label={monitorsText('result.list')}>
      {shown.map(({ index, ok, actual, message }) => {
        const own = written[index]
        return (
          <li key={index}>
            <Status
              look={{
                tone: ok ? 'good' : 'bad',
                icon: ok ? CircleCheck : OctagonX,
                word: ok ? monitorsText('result.held') : monitorsText('result.failed')
              }}
            />
            <dl>
              <div>
                <dt>{monitorsText('result.expected')}</dt>
                <dd>{own ? assertionInWords(own) : message}</dd>
              </div>
              {(actual !== null || !ok) && (
                <div>
                  <dt>{monitorsText('result.found')}</dt>
                  <dd>{actual === null ? monitorsText('result.nothing') : <q>{actual}</q>}</dd>
                </div>
              )}
            </dl>
          </li>
        )
      })}
    </ul>
  )
}
