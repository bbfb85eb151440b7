/**
 * What each region says of a monitor, and what follows from it.
 * Source: docs/design/specification.md#s2-3.
 */
import type { Monitor } from '../../api/shapes.ts'
import { msInWords } from '../../parts/figures.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { type Look, monitorLook, Status } from '../../parts/Status.tsx'
import classes from './Monitor.module.css'
import { regionLabel, votesInWords } from './words.ts'

type State = Monitor['region_states'][number]['state']

const looks: Readonly<Record<State, Look>> = {
  up: monitorLook({ phase: 'ok', status: 'up' }),
  degraded: monitorLook({ phase: 'degraded', status: 'up' }),
  down: monitorLook({ phase: 'down', status: 'down' }),
  stale: { ...monitorLook({ phase: 'no_data', status: 'up' }), word: 'No fresh result' },
  pending: monitorLook({ phase: 'pending', status: 'up' })
}

export function Regions({ monitor }: { monitor: Monitor }) {
  const { region_states, status } = monitor
  return (
    <Section title="Regions">
      <p className={classes.verdict}>
        {status === 'paused'
          ? 'It is paused: no region checks it.'
          : region_states.length === 0
            ? 'No region has checked this monitor yet.'
            : votesInWords(monitor)}
      </p>
      {region_states.length > 0 && (
        <ul className={classes.lines}>
          {region_states.map(({ region, state, since, response_time_ms, advisory }) => (
            <li key={region} className={classes.region}>
              <span className={classes.regionName}>
                {regionLabel(monitor, region)} <code>{region}</code>
              </span>
              <Status look={looks[state]} />
              <span className={classes.quiet}>
                {since && (
                  <>
                    for <Since at={since} as="for" />
                  </>
                )}
                {advisory && ' · it alone has failed for long'}
              </span>
              <span className={classes.figure}>{response_time_ms === null ? '–' : msInWords(response_time_ms)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
