/**
 * The page of one alert: what is wrong, for how long, who handles it, which actions are possible,
 * which incident it belongs to, its signals, and its facts.
 */
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useCallback, useState } from 'react'
import { alertQuery } from '../../api/alerts.ts'
import { isGone } from '../../api/client.ts'
import { incidentQuery } from '../../api/lists.ts'
import { useNames } from '../../api/names.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Alert } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { secondTime } from '../../parts/clock.ts'
import classes from '../../parts/Detail.module.css'
import { PageHead, Section } from '../../parts/Page.tsx'
import { latePart, lazyPart } from '../../parts/part.ts'
import { durationInWords, exact, Since, useToday } from '../../parts/Since.tsx'
import { Awaiting, Loading, Problem } from '../../parts/States.tsx'
import { incidentLook, Status, severityLook } from '../../parts/Status.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { Together } from '../../parts/Together.tsx'
import { inSentence, isYou } from '../../parts/you.ts'
import { alertsText } from '../../texts/alerts.ts'
import { alertsInWords } from '../incidents/member-words.ts'
import { AlertActions } from './AlertActions.tsx'
import { AlertFacts } from './AlertFacts.tsx'
import { isItsIncident } from './words.ts'

/** Below the fold. */
const Cause = lazyPart(async () => (await import('../incidents/Cause.tsx')).Cause)
const Signals = lazyPart(async () => (await import('./Signals.tsx')).Signals)
const Why = latePart(async () => (await import('../why/Why.tsx')).Why)

const back = { to: '/alerts', label: alertsText('page.title') }

export function AlertPage() {
  const { id } = useParams({ from: '/inside/alerts/$id' })
  const asked = useQuery(alertQuery(id))
  const { data: alert, error } = asked
  // When the team of an alert becomes private, people outside the team get "not found" for it.
  if (alert && !isGone(error)) return <Shown key={id} alert={alert} />
  return (
    <>
      <PageHead title={alertsText('page.title')} answer={alertsText('page.title')} back={back} />
      {isGone(error) ? <Problem error={error} /> : <Awaiting of={asked} rows={8} />}
    </>
  )
}

function Shown({ alert }: { alert: Alert }) {
  const { id, title, description, severity, team_id, visibility, started_at, resolved_at, source } = alert
  const ongoing = alert.status === 'ongoing'
  // On a narrow screen the facts come last. They wait for the part above, which would push them
  // down.
  const below = useMediaQuery('(max-width: 1099px)', undefined, { getInitialValueInEffect: false })
  const [above, setAbove] = useState(false)
  const showBelow = useCallback(() => setAbove(true), [])
  return (
    <div className={classes.page}>
      <PageHead title={title} answer={title} back={back} actions={<AlertActions alert={alert} />}>
        <Status look={incidentLook(alert)} filled />
        <Status look={severityLook(severity)} />
        <TeamMark team_id={team_id} visibility={visibility} />
        <span>
          {resolved_at === null ? (
            <>
              {alertsText('one.for')} <Since at={started_at} as="for" />
            </>
          ) : (
            alertsText('row.took', { time: durationInWords((Date.parse(resolved_at) - Date.parse(started_at)) / 1000) })
          )}
        </span>
        <Holder alert={alert} />
        <Copyable text={id} what={alertsText('one.id')} />
      </PageHead>
      <MayNot />
      {description !== null && <p className={classes.summary}>{description}</p>}
      <div className={classes.columns}>
        <div>
          <Suspense fallback={<Loading rows={6} />}>
            <Together meanwhile={<Loading rows={6} />}>
              <Belongs alert={alert} />
              {ongoing && <Cause incident={alert} />}
              {source.kind === 'inbound' && <Signals alert_id={id} isIncident={isItsIncident(alert)} />}
            </Together>
          </Suspense>
          <Suspense fallback={null}>
            <Together meanwhile={null} onShown={showBelow}>
              {!ongoing && <Cause incident={alert} />}
              <Why kind="alerts" id={id} />
            </Together>
          </Suspense>
        </div>
        {(!below || above) && (
          <div className={classes.side}>
            <Section title={alertsText('one.facts')}>
              <AlertFacts alert={alert} />
            </Section>
          </div>
        )}
      </div>
    </div>
  )
}

/** Shows who handles the alert, or who ended it. */
function Holder({ alert }: { alert: Alert }) {
  const nameOf = useNames()
  const today = useToday()
  const { acknowledged_at, acknowledged_by, resolved_at, resolved_by, resolution } = alert
  if (resolved_at !== null) {
    const how =
      resolved_by !== null
        ? alertsText('one.ended_by', { name: inSentence(nameOf(resolved_by)) })
        : resolution?.reason === 'recovered'
          ? alertsText('one.recovered')
          : alertsText('one.ended')
    return (
      <span>
        {how} <Since at={resolved_at} />
      </span>
    )
  }
  if (acknowledged_at === null) return <span>{alertsText('one.nobody')}</span>
  const name = nameOf(acknowledged_by)
  const said = { name: inSentence(name), time: secondTime(acknowledged_at, today) }
  return <span title={exact(acknowledged_at)}>{isYou(name) ? alertsText('one.have', said) : alertsText('one.has', said)}</span>
}

/** Shows the incident that the alert is or belongs to, or why there is none. */
function Belongs({ alert }: { alert: Alert }) {
  const { incident_id, suppressed_by, status } = alert
  const { data: incident } = useQuery({ ...incidentQuery(incident_id ?? ''), enabled: incident_id !== null })
  const count = incident?.alert_count ?? 1
  return (
    <Section title={alertsText('belongs.title')}>
      {incident_id === null ? (
        <p className={classes.plain}>{status === 'ongoing' ? alertsText('belongs.none') : alertsText('belongs.none_ended')}</p>
      ) : (
        <>
          <p className={classes.plain}>
            <Link to="/incidents/$id" params={{ id: incident_id }}>
              {incident ? `${incident.key} ${incident.title}` : alertsText('belongs.unknown')}
            </Link>
            {incident && <Status look={incidentLook(incident)} />}
          </p>
          {isItsIncident(alert) ? (
            <p className={classes.quiet}>{alertsText('belongs.is_it')}</p>
          ) : (
            count > 1 && <p className={classes.quiet}>{alertsText('belongs.one_of', { alerts: alertsInWords(count) })}</p>
          )}
        </>
      )}
      {incident_id !== null && suppressed_by !== null && (
        <p className={classes.quiet}>{alertsText(`belongs.quiet.${suppressed_by.kind}`)}</p>
      )}
    </Section>
  )
}

/** Stands where a person would look for the buttons and says why there are none. */
function MayNot() {
  const { role } = useSession()
  if (useMay('act')) return null
  return <p className={classes.mayNot}>{alertsText('one.may_not', { role })}</p>
}
