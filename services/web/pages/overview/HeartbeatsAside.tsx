/** Heartbeats that are missed or late, then those that are due next. */
import { Link } from '@tanstack/react-router'
import type { Heartbeat } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { heartbeatLook, Status } from '../../parts/Status.tsx'
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
    <Section title="Heartbeats" aside={<Link to="/heartbeats">All {heartbeats.length}</Link>}>
      {shown.length === 0 && <p className={classes.quiet}>None is expected yet.</p>}
      <ul className={classes.lines}>
        {shown.map((heartbeat) => (
          <li key={heartbeat.id}>
            <Link to="/heartbeats/$id" params={{ id: heartbeat.id }}>
              <Status look={heartbeatLook(heartbeat)} />
              <span className={classes.name}>{heartbeat.name}</span>
              <span className={classes.when}>{heartbeat.next_expected_at && <>due {<Since at={heartbeat.next_expected_at} />}</>}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
