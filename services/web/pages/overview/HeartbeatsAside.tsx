/** Heartbeats that are missed or late, then those that are due next. */
import { Link } from '@tanstack/react-router'
import type { Heartbeat } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { heartbeatLook, Status } from '../../parts/Status.tsx'
import { overviewText } from '../../texts/overview.ts'
import classes from './Overview.module.css'

const SHOWN = 8

const urgent = ({ status, phase }: Heartbeat): boolean => status === 'missed' || phase === 'grace'

export function HeartbeatsAside({ heartbeats }: { heartbeats: readonly Heartbeat[] }) {
  if (heartbeats.length === 0) return null
  const late = heartbeats.filter(urgent)
  const due = heartbeats
    .filter((heartbeat) => !urgent(heartbeat) && heartbeat.next_expected_at !== null && heartbeat.phase !== 'paused')
    .toSorted((one, other) => (one.next_expected_at ?? '').localeCompare(other.next_expected_at ?? ''))
  const shown = [...late, ...due].slice(0, SHOWN)
  return (
    <Section
      title={overviewText('heartbeats.title')}
      aside={<Link to="/heartbeats">{overviewText('overview.all', { count: heartbeats.length })}</Link>}
    >
      {shown.length === 0 && <p className={classes.quiet}>{overviewText('heartbeats.none')}</p>}
      <ul className={classes.lines}>
        {shown.map((heartbeat) => (
          <li key={heartbeat.id}>
            <Link to="/heartbeats/$id" params={{ id: heartbeat.id }} className={classes.twoLines}>
              <span className={classes.name}>{heartbeat.name}</span>
              <Status look={heartbeatLook(heartbeat)} />
              <span className={classes.when}>
                <When heartbeat={heartbeat} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/**
 * A missed heartbeat shows since when it is missing, a late one when it last pinged, and the others
 * when they are due.
 */
function When({ heartbeat }: { heartbeat: Heartbeat }) {
  const { status, last_ping_at, next_expected_at, missed_since } = heartbeat
  if (status === 'missed' && missed_since !== null)
    return (
      <>
        {overviewText('heartbeats.missing')} {<Since at={missed_since} as="for" />}
      </>
    )
  if (urgent(heartbeat))
    return last_ping_at === null ? (
      overviewText('heartbeats.never')
    ) : (
      <>
        {overviewText('heartbeats.last')} {<Since at={last_ping_at} />}
      </>
    )
  return (
    next_expected_at && (
      <>
        {overviewText('heartbeats.due')} {<Since at={next_expected_at} />}
      </>
    )
  )
}
