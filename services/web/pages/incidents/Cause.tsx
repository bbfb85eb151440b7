/** Why a monitor says so: its last failure, and what each region votes. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, CircleQuestionMark, OctagonX, TriangleAlert } from 'lucide-react'
import { monitorQuery } from '../../api/lists.ts'
import type { Incident, Monitor } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import classes from './Cause.module.css'

type Vote = Monitor['region_states'][number]['state']

const votes: Readonly<Record<Vote, Look>> = {
  up: { tone: 'good', icon: CircleCheck, word: 'Up' },
  down: { tone: 'bad', icon: OctagonX, word: 'Down' },
  degraded: { tone: 'warn', icon: TriangleAlert, word: 'Degraded' },
  stale: { tone: 'off', icon: CircleQuestionMark, word: 'No data' },
  pending: { tone: 'off', icon: CircleDashed, word: 'Pending' }
}

/** Nothing where no monitor is behind it, or where it is deleted. */
export function Cause({ incident: { monitor_id, status } }: { incident: Incident }) {
  const { data: monitor } = useQuery({ ...monitorQuery(monitor_id ?? ''), enabled: monitor_id !== null })
  if (!monitor) return null
  const { id, region_states, last_failure } = monitor
  const down = region_states.filter(({ state }) => state === 'down').length
  return (
    <Section
      title={status === 'ongoing' ? 'Why' : 'What the monitor says now'}
      aside={
        <Link to="/monitors/$id" params={{ id }}>
          Its checks
        </Link>
      }
    >
      <p className={classes.answer}>
        {down} of {region_states.length} {region_states.length === 1 ? 'region says' : 'regions say'} down.
        {last_failure && (
          <>
            {' '}
            Last failure <Since at={last_failure.at} />
            {last_failure.region !== null && ` in ${last_failure.region}`}: {last_failure.message ?? last_failure.reason}
          </>
        )}
      </p>
      <ul className={classes.votes}>
        {region_states.map(({ region, state, since }) => (
          <li key={region}>
            <Status look={votes[state]} />
            <span className={classes.region}>{region}</span>
            {since !== null && (
              <span className={classes.since}>
                <Since at={since} as="for" />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
