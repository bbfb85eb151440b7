/**
 * What each region reports about a monitor, and what follows from it.
 * Source: docs/design/specification.md#s2-3.
 */
import type { Monitor } from '../../api/shapes.ts'
import { msInWords } from '../../parts/figures.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { type Look, monitorLook, Status } from '../../parts/Status.tsx'
import { monitorDetailsText } from '../../texts/monitor-details.ts'
import classes from './Monitor.module.css'
import { regionLabel } from './region-label.ts'
import { votesInWords } from './words.ts'

type State = Monitor['region_states'][number]['state']

const phases = { up: 'ok', degraded: 'degraded', down: 'down', stale: 'no_data', pending: 'pending' } as const

function lookOf(state: State): Look {
  const look = monitorLook({ phase: phases[state], status: state === 'down' ? 'down' : 'up' })
  return state === 'stale' ? { ...look, word: monitorDetailsText('regions.stale') } : look
}

export function Regions({ monitor }: { monitor: Monitor }) {
  const { region_states, status } = monitor
  return (
    <Section title={monitorDetailsText('regions.title')}>
      <p className={classes.verdict}>
        {status === 'paused'
          ? monitorDetailsText('regions.paused')
          : region_states.length === 0
            ? monitorDetailsText('regions.none')
            : votesInWords(monitor)}
      </p>
      {region_states.length > 0 && (
        <ul className={classes.lines}>
          {region_states.map(({ region, state, since, response_time_ms, advisory }) => (
            <li key={region} className={classes.region}>
              <span className={classes.regionName}>
                {regionLabel(monitor, region)} <code>{region}</code>
              </span>
              <Status look={lookOf(state)} />
              <span className={classes.quiet}>
                {since && (
                  <>
                    {monitorDetailsText('regions.for')} <Since at={since} as="for" />
                  </>
                )}
                {advisory && ` · ${monitorDetailsText('regions.advisory')}`}
              </span>
              <span className={classes.figure}>{response_time_ms === null ? '–' : msInWords(response_time_ms)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
