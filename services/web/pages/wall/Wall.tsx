/**
 * The wall board: one answer that can be read across a room, what is wrong below it, and nothing to
 * press. It says so when its data may be old. Model: docs/design/ui.md#map.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { countsQuery, heartbeatsQuery, incidentsQuery, monitorsQuery } from '../../api/lists.ts'
import { useNames } from '../../api/names.ts'
import { onCallNowQuery } from '../../api/on-call.ts'
import { holderOf, SessionProvider, sessionQuery } from '../../api/session.ts'
import type { Incident } from '../../api/shapes.ts'
import { silencedUntil } from '../../api/silenced.ts'
import { LiveProvider, type Old, useOld } from '../../live/context.tsx'
import { entitle } from '../../name.ts'
import { endTime, hourTime, Since, useNow } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { Status, severityLook } from '../../parts/Status.tsx'
import { inSentence } from '../../parts/you.ts'
import { ToLogin } from '../../shell/ToLogin.tsx'
import { wallText } from '../../texts/wall.ts'
import { namesOf } from '../on-call/now-words.ts'
import { answerOf, type Counts, countsOf, moodOf } from './counts.ts'
import classes from './Wall.module.css'

/** The most incidents that the wall shows: more cannot be read from afar. */
const SHOWN = 6
const SHOWN_SCHEDULES = 4

export function Wall() {
  const { data: session } = useQuery(sessionQuery)
  useEffect(() => {
    entitle(wallText('page.title'))
  }, [])
  if (!session) return <ToLogin />
  return (
    <LiveProvider key={holderOf(session)}>
      <SessionProvider value={session}>
        <Board name={session.workspace.name} />
      </SessionProvider>
    </LiveProvider>
  )
}

function Board({ name }: { name: string }) {
  const incidents = useQuery(incidentsQuery({ status: ['ongoing'], sort: '-severity', per_page: SHOWN }))
  const waiting = useQuery(countsQuery)
  const monitors = useQuery(monitorsQuery())
  const heartbeats = useQuery(heartbeatsQuery())
  const old = useOld()
  if (!incidents.data || !waiting.data || !monitors.data || !heartbeats.data) {
    return (
      <main className={classes.board}>
        <Head answer={wallText('page.title')} name={name} />
        <Awaiting of={[incidents, waiting, monitors, heartbeats]} />
      </main>
    )
  }
  const ongoing = incidents.data
  const counts = countsOf(waiting.data.needs_someone, ongoing.total, monitors.data.items, heartbeats.data.items)
  return (
    <main className={classes.board} data-mood={moodOf(counts, old !== null)}>
      <Head answer={answerOf(counts, old !== null)} name={name} />
      <OldLine old={old} />
      <Figures counts={counts} />
      {ongoing.items.length > 0 && (
        <ul className={classes.incidents} aria-label={wallText('list.label')}>
          {ongoing.items.map((incident) => (
            <Line key={incident.id} incident={incident} />
          ))}
          {ongoing.total > ongoing.items.length && (
            <li className={classes.more}>{wallText('list.more', { count: ongoing.total - ongoing.items.length })}</li>
          )}
        </ul>
      )}
      <OnCall />
    </main>
  )
}

function Head({ answer, name }: { answer: string; name: string }) {
  return (
    <header className={classes.head}>
      <h1>{answer}</h1>
      <p>
        {name} <Link to="/">{wallText('page.leave')}</Link>
      </p>
    </header>
  )
}

/** Its place is kept while it is empty, so that nothing moves. */
function OldLine({ old }: { old: Old | null }) {
  return (
    <div role="status" className={classes.oldPlace}>
      {old && (
        <p className={classes.old}>
          <TriangleAlert aria-hidden /> {wallText(old.why === 'unread' ? 'live.unread' : 'live.stale', { time: hourTime(old.since) })}
        </p>
      )}
    </div>
  )
}

function Figures({ counts: { ongoing, monitors, up, heartbeats, onTime } }: { counts: Counts }) {
  const figures = [
    { label: wallText('count.incidents'), value: String(ongoing), isGood: ongoing === 0 },
    {
      label: wallText('count.monitors'),
      value: wallText('count.of', { count: up, all: monitors }),
      isGood: up === monitors,
      none: monitors === 0
    },
    {
      label: wallText('count.heartbeats'),
      value: wallText('count.of', { count: onTime, all: heartbeats }),
      isGood: onTime === heartbeats,
      none: heartbeats === 0
    }
  ]
  return (
    <dl className={classes.figures}>
      {figures
        .filter(({ none }) => !none)
        .map(({ label, value, isGood }) => (
          <div key={label}>
            <dd>
              {isGood ? <CircleCheck aria-hidden data-good /> : <TriangleAlert aria-hidden />}
              {value}
            </dd>
            <dt>{label}</dt>
          </div>
        ))}
    </dl>
  )
}

function Line({ incident }: { incident: Incident }) {
  const nameOf = useNames()
  const { key, title, severity, started_at, acknowledged_by, acknowledged_by_name, dashboard_state } = incident
  const now = useNow(30)
  const until = silencedUntil(incident, now)
  const holder = dashboard_state === 'Acknowledged' ? nameOf(acknowledged_by, acknowledged_by_name) : null
  const waits = holder === null && until === null
  const state =
    holder !== null
      ? wallText('list.taken', { name: inSentence(holder) })
      : until !== null
        ? wallText('list.silenced', { time: endTime(until, now) })
        : key
  return (
    <li data-waits={waits || undefined}>
      <span className={classes.severity}>
        <Status look={severityLook(severity)} size="lg" />
      </span>
      <span className={classes.title}>{title}</span>
      <span className={classes.holder}>{state}</span>
      <span className={classes.since}>
        <Since at={started_at} as="for" />
      </span>
    </li>
  )
}

function OnCall() {
  const { data } = useQuery(onCallNowQuery)
  if (!data || data.items.length === 0) return null
  return (
    <section className={classes.onCall} aria-label={wallText('on_call.title')}>
      <h2>{wallText('on_call.title')}</h2>
      <ul>
        {data.items.slice(0, SHOWN_SCHEDULES).map(({ schedule_id, name, users }) => (
          <li key={schedule_id}>
            <span>{name}</span> <b>{users.length === 0 ? wallText('on_call.nobody') : namesOf(users)}</b>
          </li>
        ))}
      </ul>
    </section>
  )
}
