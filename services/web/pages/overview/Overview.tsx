/**
 * What needs someone now: ongoing incidents, what is not up, what is late, and whether alerts come
 * in.
 */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { Activity, CircleCheck, Unplug } from 'lucide-react'
import { countsQuery, heartbeatsQuery, incidentsQuery, monitorsQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import { PageHead, Section } from '../../parts/Page.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { answerOf, worstFirst } from './answer.ts'
import { Counts } from './Counts.tsx'
import { HeartbeatsAside } from './HeartbeatsAside.tsx'
import { IncidentRow } from './IncidentRow.tsx'
import { IntakeAside } from './IntakeAside.tsx'
import { MonitorRow } from './MonitorRow.tsx'
import { OnCallAside } from './OnCallAside.tsx'
import classes from './Overview.module.css'

/** More of them have a page of their own. */
const SHOWN_INCIDENTS = 50

export function Overview() {
  const incidents = useQuery(incidentsQuery({ status: ['ongoing'], per_page: SHOWN_INCIDENTS }))
  const counts = useQuery(countsQuery)
  const monitors = useQuery(monitorsQuery())
  const heartbeats = useQuery(heartbeatsQuery())
  const mayWrite = useMay('write')
  if (!incidents.data || !counts.data || !monitors.data || !heartbeats.data) {
    return (
      <>
        <PageHead title="Overview" answer="Overview" />
        <Awaiting of={[incidents, counts, monitors, heartbeats]} rows={10} height={40} />
      </>
    )
  }
  const ongoing = incidents.data
  const isNew = monitors.data.total + heartbeats.data.total + ongoing.total === 0
  // There is nothing to look over yet: the first run shows the three ways to see it work.
  if (isNew && mayWrite) return <Navigate to="/welcome" replace />
  const outage = ongoing.items.find(({ source }) => source.kind === 'mass_outage')
  const sorted = worstFirst(monitors.data.items)
  const { answer, detail } = answerOf(counts.data, monitors.data.items, heartbeats.data.items)
  return (
    <>
      <PageHead title="Overview" answer={isNew ? 'Nothing is watched yet' : answer}>
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
              title="Incidents"
              aside={
                ongoing.total > ongoing.items.length && (
                  <Link to="/incidents">
                    {ongoing.items.length} of {ongoing.total}; see all
                  </Link>
                )
              }
            >
              <ul className={classes.incidents} aria-label="Ongoing incidents">
                {ongoing.items.map((incident) => (
                  <IncidentRow key={incident.id} incident={incident} />
                ))}
              </ul>
            </Section>
          )}
          {!isNew && ongoing.items.length === 0 && (
            <p className={classes.calm}>
              <CircleCheck size={18} aria-hidden /> No incident is open.
            </p>
          )}
        </div>
        <div className={classes.monitorsPlace}>
          <Section title="Monitors" aside={<Counts monitors={sorted} />}>
            {monitors.data.items.length === 0 ? (
              <Empty
                icon={Activity}
                title="No site is watched"
                action={
                  mayWrite && (
                    <Button component={Link} to="/monitors/new" variant="default">
                      Watch a site
                    </Button>
                  )
                }
              >
                A monitor asks a URL from several regions, and only their majority opens an incident.
              </Empty>
            ) : (
              <Rows label="Monitors" items={sorted} idOf={({ id }) => id} height={40} narrowHeight={56}>
                {(monitor) => <MonitorRow monitor={monitor} />}
              </Rows>
            )}
          </Section>
        </div>
        <aside className={classes.aside} aria-label="On call, heartbeats and alerts">
          <OnCallAside />
          <HeartbeatsAside heartbeats={heartbeats.data.items} />
          <IntakeAside />
        </aside>
      </div>
    </>
  )
}
