/**
 * The current state of the cause of an incident: a monitor's last failure and the votes of its
 * regions, or when a heartbeat was last heard of.
 */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, CircleQuestionMark, OctagonX, TriangleAlert } from 'lucide-react'
import { heartbeatQuery, monitorQuery } from '../../api/lists.ts'
import { checksQuery } from '../../api/monitors.ts'
import type { Incident, Monitor } from '../../api/shapes.ts'
import { Markdown } from '../../parts/Markdown.tsx'
import { Section } from '../../parts/Page.tsx'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { Loading } from '../../parts/States.tsx'
import { heartbeatLook, type Look, lookOf, Status } from '../../parts/Status.tsx'
import { incidentCauseText } from '../../texts/incident-cause.ts'
import { statusText } from '../../texts/status.ts'
import { AssertionResults } from '../monitors/AssertionResults.tsx'
import { regionLabel } from '../monitors/region-label.ts'
import classes from './Cause.module.css'
import { failureInWords } from './cause-words.ts'

type Vote = Monitor['region_states'][number]['state']

const votes: Readonly<Record<Vote, Look>> = {
  up: lookOf('good', CircleCheck, () => statusText('monitor.ok')),
  down: lookOf('bad', OctagonX, () => statusText('monitor.down')),
  degraded: lookOf('warn', TriangleAlert, () => statusText('monitor.degraded')),
  stale: lookOf('off', CircleQuestionMark, () => statusText('monitor.no_data')),
  pending: lookOf('off', CircleDashed, () => statusText('monitor.pending'))
}

/**
 * Shows nothing when the incident has neither a monitor nor a heartbeat, or when that was deleted.
 */
export function Cause({ incident }: { incident: Pick<Incident, 'monitor_id' | 'heartbeat_id' | 'status'> }) {
  const { monitor_id, heartbeat_id, status } = incident
  const ongoing = status === 'ongoing'
  if (monitor_id !== null) return <MonitorCause id={monitor_id} ongoing={ongoing} />
  return heartbeat_id === null ? null : <HeartbeatCause id={heartbeat_id} ongoing={ongoing} />
}

interface CauseProps {
  /** Id of the monitor or heartbeat. */
  id: string
  /** The incident is. */
  ongoing: boolean
}

/** Reserves the height of the content to come, so that the section below does not jump. */
const Awaited = ({ ongoing, height }: { ongoing: boolean; height: number }) => (
  <Section title={incidentCauseText(ongoing ? 'why.title' : 'now.title')}>
    <Loading rows={1} height={height} />
  </Section>
)

/** The owner's instructions for the person who is called. */
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
      title={incidentCauseText(ongoing ? 'why.title' : 'now.heartbeat')}
      aside={
        <Link to="/heartbeats/$id" params={{ id }}>
          {incidentCauseText('link.pings')}
        </Link>
      }
    >
      <p className={classes.answer}>
        <Status look={heartbeatLook(heartbeat)} />
        {missed_count > 1 && <span>{incidentCauseText('heartbeat.in_a_row', { count: missed_count })}</span>}
        {last_ping_at === null ? (
          <span>{incidentCauseText('heartbeat.no_ping')}</span>
        ) : (
          <span>
            <Around text={incidentCauseText('heartbeat.last', { at: HERE })}>
              <Since at={last_ping_at} />
            </Around>
          </span>
        )}
        {next_expected_at !== null && (
          <span>
            <Around text={incidentCauseText('heartbeat.next', { at: HERE })}>
              <Since at={next_expected_at} />
            </Around>
          </span>
        )}
      </p>
      <Instructions text={description} />
    </Section>
  )
}

/** Shows the expected and the actual values of the failure named above. */
function FailedAssertions({ monitor, at }: { monitor: Monitor; at: string }) {
  const { data } = useInfiniteQuery(checksQuery(monitor.id, { outcome: ['failure', 'degraded'] }, at))
  const check = data?.pages[0]?.items.find(({ reason }) => reason === 'assertion')
  // Keeps room for one assertion, so that the section below does not jump.
  return <div className={classes.found}>{check && <AssertionResults check={check} monitor={monitor} failedOnly />}</div>
}

function MonitorCause({ id, ongoing }: CauseProps) {
  const { data: monitor, isPending } = useQuery(monitorQuery(id))
  if (isPending) return <Awaited ongoing={ongoing} height={110} />
  if (!monitor) return null
  const { description, region_states, last_failure } = monitor
  const all = region_states.length
  const down = region_states.filter(({ state }) => state === 'down').length
  return (
    <Section
      title={incidentCauseText(ongoing ? 'why.title' : 'now.monitor')}
      aside={
        <Link to="/monitors/$id" params={{ id }}>
          {incidentCauseText('link.checks')}
        </Link>
      }
    >
      <p className={classes.words}>
        {all === 1 ? incidentCauseText('monitor.down_one', { down }) : incidentCauseText('monitor.down', { down, all })}
        {last_failure && (
          <>
            {' '}
            <Around text={failureInWords(monitor, HERE)}>
              <Since at={last_failure.at} />
            </Around>
          </>
        )}
      </p>
      {last_failure?.reason === 'assertion' && <FailedAssertions monitor={monitor} at={last_failure.at} />}
      <ul className={classes.votes}>
        {region_states.map(({ region, state, since }) => (
          <li key={region}>
            <Status look={votes[state]} />
            <span className={classes.region}>{regionLabel(monitor, region)}</span>
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
