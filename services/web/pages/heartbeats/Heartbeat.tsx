/** The page of one heartbeat: whether it ran, when it is due next, and what each ping said. */
import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { Suspense, useState } from 'react'
import { isGone } from '../../api/client.ts'
import { openIncidentQuery, pingsQuery, runFiguresQuery, runsQuery } from '../../api/heartbeats.ts'
import { heartbeatQuery } from '../../api/lists.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { HeartbeatWithSchedule } from '../../api/shapes.ts'
import { stripQuery } from '../../api/strips.ts'
import { Markdown } from '../../parts/Markdown.tsx'
import { Facts, PageHead, Section } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { dayTime, exact, Since, useNow } from '../../parts/Since.tsx'
import { Awaiting, Loading, Problem } from '../../parts/States.tsx'
import { heartbeatLook, Status } from '../../parts/Status.tsx'
import { type Slot, StatusBand } from '../../parts/StatusBand.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { useActions } from '../../shell/actions.ts'
import { useKeys } from '../../shell/keys.ts'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { answerFor, Next, OpenIncident } from './Answer.tsx'
import classes from './Heartbeat.module.css'
import { PauseButton } from './PauseButton.tsx'
import { PingLog } from './PingLog.tsx'
import { ScheduleWords } from './ScheduleWords.tsx'
import { phaseNow, runInWords } from './words.ts'

/** Loaded late: these parts stand below the ping log, or appear only before the first ping. */
const NextTimes = lazyPart(async () => (await import('./NextTimes.tsx')).NextTimes)
const PingAddress = lazyPart(async () => (await import('./PingAddress.tsx')).PingAddress)
const Runs = lazyPart(async () => (await import('./Runs.tsx')).Runs)
const Settings = lazyPart(async () => (await import('./Settings.tsx')).Settings)

const back = () => ({ to: '/heartbeats', label: heartbeatsText('page.title') })

export function HeartbeatPage() {
  const { id } = useParams({ from: '/inside/heartbeats/$id' })
  const asked = useQuery(heartbeatQuery(id))
  const { data: heartbeat, error } = asked
  const gone = isGone(error)
  if (heartbeat && !gone) return <Shown key={id} heartbeat={heartbeat} />
  return (
    <>
      <PageHead title={heartbeatsText('page.one')} answer={heartbeatsText('page.one')} back={back()} />
      {gone ? <Problem error={error} /> : <Awaiting of={asked} rows={8} />}
    </>
  )
}

function Shown({ heartbeat }: { heartbeat: HeartbeatWithSchedule }) {
  const { id, name, description, schedule, last_ping_at, last_run_seconds, missed_count, missed_since, open_incident_id } = heartbeat
  const now = useNow()
  const phase = phaseNow(heartbeat, now)
  const { data: incident } = useQuery(openIncidentQuery(open_incident_id))
  const log = useInfiniteQuery(pingsQuery(id, [], last_ping_at))
  const runs = useQuery(runsQuery(id))
  const figures = useQuery(runFiguresQuery(id))
  const pings = log.data?.pages[0]?.items ?? []
  // Show the parts below the log only when the parts above them are loaded, so that nothing moves.
  const strip = useQuery({ ...stripQuery('heartbeat', id), enabled: last_ping_at !== null })
  const isThere = !log.isPending && !runs.isPending && !figures.isPending && !strip.isLoading
  // The position is fixed when the page opens. It must not change while a person copies the address
  // and pings it.
  const [first] = useState(last_ping_at === null)
  const address = <PingAddress heartbeat={heartbeat} first={first} />
  return (
    <>
      <PageHead
        title={name}
        answer={answerFor({ heartbeat, phase, incident: open_incident_id ? incident : undefined, pings, now })}
        back={back()}
        actions={<Actions heartbeat={heartbeat} />}
      >
        <Status look={heartbeatLook({ phase })} />
        <TeamMark team_id={heartbeat.team_id} />
        <Next heartbeat={heartbeat} phase={phase} now={now} />
        {open_incident_id && <OpenIncident incident={incident} />}
      </PageHead>
      {description !== '' && (
        <div className={classes.description}>
          <Markdown text={description} />
        </div>
      )}
      <div className={classes.facts}>
        <Facts
          facts={[
            [
              heartbeatsText('fact.last'),
              last_ping_at === null ? heartbeatsText('fact.last_none') : <Since key="last" at={last_ping_at} />
            ],
            [heartbeatsText('fact.schedule'), <ScheduleWords key="schedule" schedule={schedule} />],
            last_run_seconds === null ? null : [heartbeatsText('fact.took'), runInWords(last_run_seconds * 1000)],
            missed_count > 0 ? [heartbeatsText('fact.missed'), String(missed_count)] : null,
            missed_since === null
              ? null
              : [
                  heartbeatsText('fact.missed_since'),
                  <time key="since" dateTime={missed_since} title={exact(missed_since)}>
                    {dayTime(missed_since)}
                  </time>
                ]
          ]}
        />
      </div>
      {first && <Suspense fallback={<Loading rows={4} />}>{address}</Suspense>}
      <PingLog heartbeat={heartbeat} />
      {isThere && (
        <Suspense fallback={null}>
          <History name={name} slots={strip.data?.slots ?? []} />
          <Runs heartbeat={heartbeat} />
          {!first && address}
          <NextTimes heartbeat={heartbeat} />
          <Settings heartbeat={heartbeat} />
        </Suspense>
      )}
    </>
  )
}

/** Shows the status hour by hour, or nothing while there are no figures yet. */
function History({ name, slots }: { name: string; slots: readonly Slot[] }) {
  if (slots.length === 0) return null
  return (
    <Section title={heartbeatsText('history.title')}>
      <StatusBand label={heartbeatsText('history.label', { name })} slots={slots} />
    </Section>
  )
}

function Actions({ heartbeat }: { heartbeat: HeartbeatWithSchedule }) {
  const mayWrite = useMay('write')
  const { role } = useSession()
  if (!mayWrite) return <small>{heartbeatsText('do.view_only', { role })}</small>
  return <WriterActions heartbeat={heartbeat} />
}

function WriterActions({ heartbeat }: { heartbeat: HeartbeatWithSchedule }) {
  const { id, name } = heartbeat
  const navigate = useNavigate()
  const edit = (): void => void navigate({ to: '/heartbeats/$id/edit', params: { id } })
  useKeys({ e: edit })
  useActions([{ label: heartbeatsText('do.edit', { name }), run: edit }])
  return (
    <>
      <Button variant="default" component={Link} to={`/heartbeats/${id}/edit`} leftSection={<Pencil size={15} aria-hidden />}>
        {heartbeatsText('do.change')}
      </Button>
      <PauseButton heartbeat={heartbeat} />
    </>
  )
}
