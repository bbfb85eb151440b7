/** How much a team owns, each with the way to it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { heartbeatsQuery, incidentsQuery, integrationsQuery, monitorsQuery } from '../../api/lists.ts'
import type { TeamDetail } from '../../api/shapes.ts'
import { Facts, Section } from '../../parts/Page.tsx'
import { text } from '../../texts/catalogue.ts'

export function TeamOwns({ team: { id: team_id } }: { team: TeamDetail }) {
  const monitors = useQuery(monitorsQuery({ team_id: [team_id] })).data?.total
  const heartbeats = useQuery(heartbeatsQuery({ team_id: [team_id] })).data?.total
  const integrations = useQuery(integrationsQuery).data?.items.filter((one) => one.team_id === team_id).length
  const incidents = useQuery(incidentsQuery({ status: ['ongoing'], team_id: [team_id], per_page: 1 })).data?.total
  const shown = (count: number | undefined): string => count?.toLocaleString('en') ?? text('teams', 'owns.unknown')
  return (
    <Section title={text('teams', 'owns.title')}>
      <Facts
        short
        facts={[
          [
            text('teams', 'owns.incidents'),
            <Link key="incidents" to="/incidents" search={{ team_id }}>
              {shown(incidents)}
            </Link>
          ],
          [
            text('teams', 'owns.monitors'),
            <Link key="monitors" to="/monitors" search={{ team_id }}>
              {shown(monitors)}
            </Link>
          ],
          [
            text('teams', 'owns.heartbeats'),
            <Link key="heartbeats" to="/heartbeats" search={{ team_id }}>
              {shown(heartbeats)}
            </Link>
          ],
          [
            text('teams', 'owns.integrations'),
            <Link key="integrations" to="/integrations" search={{ team_id }}>
              {shown(integrations)}
            </Link>
          ]
        ]}
      />
    </Section>
  )
}
