/**
 * What is behind an incident, as it is now: a monitor's last failure and the votes of its regions,
 * or when a heartbeat was last heard of.
 */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, CircleQuestionMark, OctagonX, TriangleAlert } from 'lucide-react'
import { heartbeatQuery, monitorQuery } from '../../api/lists.ts'
import { checksQuery } from '../../api/monitors.ts'
import type { Incident, Monitor } from '../../api/shapes.ts'
import { Markdown } from '../../parts/Markdown.tsx'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Loading } from '../../parts/States.tsx'
import { heartbeatLook, type Look, Status } from '../../parts/Status.tsx'
import { AssertionResults } from '../monitors/AssertionResults.tsx'
import classes from './Cause.module.css'

type Vote = Monitor['region_states'][number]['state']

const votes: Readonly<Record<Vote, Look>> = {
  up: { tone: 'good', icon: CircleCheck, word: 'Up' },
  down: { tone: 'bad', icon: OctagonX, word: 'Down' },
  degraded: { tone: 'warn', icon: TriangleAlert, word: 'Degraded' },
  stale: { tone: 'off', icon: CircleQuestionMark, word: 'No data' },
  pending: { tone: 'off', icon: CircleDashed, word: 'Pending' }
}

/** Nothing where neither is behind it, or where it is deleted. */
export function Cause({ incident }: { incident: Pick<Incident, 'monitor_id' | 'heartbeat_id' | 'status'> }) {
  const { monitor_id, heartbeat_id, status } = incident
  const ongoing = status === 'ongoing'
  if (monitor_id !== null) return <MonitorCause id={monitor_id} ongoing={ongoing} />
  return heartbeat_id === null ? null : <HeartbeatCause id={heartbeat_id} ongoing={ongoing} />
}

interface CauseProps {
  /** Of the monitor or heartbeat. */
  id: string
  /** The incident is. */
  ongoing: boolean
}

/** In the height that is to come: what happened stands below and must not jump. */
const Awaited = ({ ongoing, height }: { ongoing: boolean; height: number }) => (
  <Section title={ongoing ? 'Why' : 'Now'}>
    <Loading rows={1} height={height} />
  </Section>
)

/** What its owner wrote about it, for whoever is called. */
const Instructions = ({ text }: { text: string }) =>
  text === '' ? null : (
    <div className={classes.instructions}>
      <Markdown text={text} />
    </div>
  )

function HeartbeatCause({ id, ongoing }: CauseProps) {
  const { data: heartbeat, isPending } = useQuery(heartbeatQuery(id))
  if (isPending) return <Awaited ongoing={ongoing} height={33} />
  if (!heartbeat) return null
  const { description, last_ping_at, next_expected_at, missed_count } = heartbeat
  return (
    <Section
      title={ongoing ? 'Why' : 'The heartbeat now'}
      aside={
        <Link to="/heartbeats/$id" params={{ id }}>
          Its pings
        </Link>
      }
    >
      <p className={classes.answer}>
        <Status look={heartbeatLook(heartbeat)} />
        {missed_count > 1 && <span>{missed_count} in a row</span>}
        {last_ping_at === null ? (
          <span>No ping has arrived yet</span>
        ) : (
          <span>
            Last ping <Since at={last_ping_at} />
          </span>
        )}
        {next_expected_at !== null && (
          <span>
            Next expected <Since at={next_expected_at} />
          </span>
        )}
      </p>
      <Instructions text={description} />
    </Section>
  )
}

/** Expected and found, of the failure that is named above. */
function FailedAssertions({ monitor, at }: { monitor: Monitor; at: string }) {
  const { data } = useInfiniteQuery(checksQuery(monitor.id, { outcome: ['failure', 'degraded'] }, at))
  const check = data?.pages[0]?.items.find(({ reason }) => reason === 'assertion')
  // Room for one: what stands below must not jump.
  return <div className={classes.found}>{check && <AssertionResults check={check} monitor={monitor} failedOnly />}</div>
}

function MonitorCause({ id, ongoing }: CauseProps) {
  const { data: monitor, isPending } = useQuery(monitorQuery(id))
  if (isPending) return <Awaited ongoing={ongoing} height={110} />
  if (!monitor) return null
  const { description, region_states, last_failure } = monitor
  const down = region_states.filter(({ state }) => state === 'down').length
  return (
    <Section
      title={ongoing ? 'Why' : 'The monitor now'}
      aside={
        <Link to="/monitors/$id" params={{ id }}>
          Its checks
        </Link>
      }
    >
      <p className={classes.words}>
        {down} of {region_states.length} {region_states.length === 1 ? 'region says' : 'regions say'} down.
        {last_failure && (
          <>
            {' '}
            Last failure <Since at={last_failure.at} />
            {last_failure.region !== null && ` in ${last_failure.region}`}: {last_failure.message ?? last_failure.reason}
          </>
        )}
      </p>
      {last_failure?.reason === 'assertion' && <FailedAssertions monitor={monitor} at={last_failure.at} />}
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
      <Instructions text={description} />
    </Section>
  )
}
