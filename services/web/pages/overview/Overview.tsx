/**
 * What needs someone now: the worst incidents, and beside them what is not up, what is late, who is
 * on call, and what came in.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useLocation } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, Unplug } from 'lucide-react'
import { countsQuery, heartbeatsQuery, incidentsQuery, integrationsQuery, monitorsQuery } from '../../api/lists.ts'
import { onCallNowQuery } from '../../api/on-call.ts'
import { useMay } from '../../api/session.ts'
import { usageQuery } from '../../api/workspace.ts'
import { useOld } from '../../live/context.tsx'
import { PageHead, Section } from '../../parts/Page.tsx'
import { hourTime } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { stillComes } from '../../parts/still-comes.ts'
import { overviewText } from '../../texts/overview.ts'
import { answerOf } from './answer.ts'
import { HeartbeatsAside } from './HeartbeatsAside.tsx'
import { IncidentRow } from './IncidentRow.tsx'
import { IntakeAside } from './IntakeAside.tsx'
import { LastHour, useLastHour } from './LastHour.tsx'
import { MonitorsAside } from './MonitorsAside.tsx'
import { OnCallAside } from './OnCallAside.tsx'
import classes from './Overview.module.css'

/** Only the worst incidents; the others have a page of their own. */
const SHOWN_INCIDENTS = 10

/** Whether the data beside the incidents is still loading. */
const useWaitsBeside = (): boolean => stillComes(useLastHour(), useQuery(onCallNowQuery), useQuery(usageQuery), useQuery(integrationsQuery))

export function Overview() {
  const incidents = useQuery(incidentsQuery({ status: ['ongoing'], sort: '-severity', per_page: SHOWN_INCIDENTS }))
  const counts = useQuery(countsQuery)
  const monitors = useQuery(monitorsQuery())
  const heartbeats = useQuery(heartbeatsQuery())
  const integrations = useQuery(integrationsQuery)
  const waits = useWaitsBeside()
  const old = useOld()
  const mayWrite = useMay('write')
  // False once the person goes elsewhere, while the other page still loads.
  const isHere = useLocation({ select: ({ pathname }) => pathname === '/' })
  if (waits || !incidents.data || !counts.data || !monitors.data || !heartbeats.data) {
    return (
      <>
        <PageHead title={overviewText('page.title')} answer={overviewText('page.title')} />
        <Awaiting of={[incidents, counts, monitors, heartbeats]} rows={10} height={40} />
      </>
    )
  }
  const ongoing = incidents.data
  // A list of integrations that cannot be read does not make the workspace a new one.
  const isNew = integrations.data?.total === 0 && monitors.data.total + heartbeats.data.total + ongoing.total === 0
  // There is nothing to look over yet: the welcome page shows the three ways to see the service
  // work.
  if (isNew && mayWrite && isHere) return <Navigate to="/welcome" replace />
  const outage = ongoing.items.find(({ source }) => source.kind === 'mass_outage')
  const { answer, detail } = answerOf(counts.data, monitors.data.items, heartbeats.data.items, old && hourTime(old.since))
  return (
    <>
      <PageHead title={overviewText('page.title')} answer={isNew ? overviewText('answer.new') : answer}>
        {!isNew && detail}
        {outage && (
          <Link to="/incidents/$id" params={{ id: outage.key }}>
            <Status look={{ tone: 'bad', icon: Unplug, word: outage.title }} filled />
          </Link>
        )}
      </PageHead>
      <div className={classes.columns}>
        <div className={classes.incidentsPlace}>
          {ongoing.items.length > 0 && (
            <Section
              title={overviewText('incidents.title')}
              aside={
                ongoing.total > ongoing.items.length && (
                  <Link to="/incidents" search={{ sort: 'worst' }}>
                    {overviewText('incidents.all', { shown: ongoing.items.length, total: ongoing.total })}
                  </Link>
                )
              }
            >
              <ul className={classes.incidents} aria-label={overviewText('incidents.label')}>
                {ongoing.items.map((incident) => (
                  <IncidentRow key={incident.id} incident={incident} />
                ))}
              </ul>
            </Section>
          )}
          {!isNew && ongoing.items.length === 0 && (
            <p className={classes.calm} data-old={old !== null || undefined}>
              {old ? <CircleAlert size={18} aria-hidden /> : <CircleCheck size={18} aria-hidden />}{' '}
              {overviewText(old ? 'incidents.none_then' : 'incidents.none')}
            </p>
          )}
        </div>
        <div className={classes.arrivedPlace}>
          <LastHour />
        </div>
        <aside className={classes.aside} aria-label={overviewText('aside.label')}>
          <MonitorsAside monitors={monitors.data.items} />
          <HeartbeatsAside heartbeats={heartbeats.data.items} />
          <OnCallAside />
          <IntakeAside />
        </aside>
      </div>
    </>
  )
}
