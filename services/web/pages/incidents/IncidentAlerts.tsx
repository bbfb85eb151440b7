/** What an incident consists of: the signals of its only alert, or the list of its alerts. */
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { alertsOfQuery } from '../../api/alerts.ts'
import type { Incident } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Awaiting } from '../../parts/States.tsx'
import { alertsText } from '../../texts/alerts.ts'
import { Signals } from '../alerts/Signals.tsx'
import { isItsIncident } from '../alerts/words.ts'
import { membersInWords } from './member-words.ts'

// Loaded late: most incidents have one alert and need no list.
const Members = lazyPart(() => import('./Members.tsx').then((loaded) => loaded.Members))

export function IncidentAlerts({ incident }: { incident: Incident }) {
  const { id, alert_count, source } = incident
  const asked = useInfiniteQuery({ ...alertsOfQuery(id), enabled: alert_count > 0 })
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const alerts = data?.pages.flatMap((page) => page.items)
  if (alert_count === 0) return null
  // What a monitor or heartbeat knows is shown elsewhere on the page.
  if (alerts?.some(isItsIncident)) return source.kind === 'inbound' ? <Signals alert_id={id} isIncident /> : null
  if (!alerts && alert_count === 1 && source.kind !== 'inbound') return null
  return (
    <Section title={alertsText('members.title')} aside={<span>{membersInWords(incident)}</span>}>
      {!alerts ? (
        <Awaiting of={asked} rows={2} />
      ) : alerts.length === 0 ? (
        alertsText('members.none')
      ) : (
        <Suspense fallback={<Awaiting of={asked} rows={2} />}>
          <Members alerts={alerts} />
        </Suspense>
      )}
      {hasNextPage && (
        <Button variant="default" mt="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {alertsText('members.older')}
        </Button>
      )}
    </Section>
  )
}
