/** How much a team owns, each with a link. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { heartbeatsQuery, incidentsQuery, integrationsQuery, monitorsQuery } from '../../api/lists.ts'
import type { TeamDetail } from '../../api/shapes.ts'
import { figure } from '../../parts/clock.ts'
import { Facts, Section } from '../../parts/Page.tsx'
import { teamsText } from '../../texts/teams.ts'

export function TeamOwns({ team: { id: team_id } }: { team: TeamDetail }) {
  const monitors = useQuery(monitorsQuery({ team_id: [team_id] })).data?.total
  const heartbeats = useQuery(heartbeatsQuery({ team_id: [team_id] })).data?.total
  const integrations = useQuery(integrationsQuery).data?.items.filter((one) => one.team_id === team_id).length
  const incidents = useQuery(incidentsQuery({ status: ['ongoing'], team_id: [team_id], per_page: 1 })).data?.total
  const shown = (count: number | undefined): string => (count === undefined ? teamsText('owns.unknown') : figure(count))
  return (
    <Section title={teamsText('owns.title')}>
      <Facts
        short
        facts={[
          [
            teamsText('owns.incidents'),
            <Link key="incidents" to="/incidents" search={{ team_id }}>
              {shown(incidents)}
            </Link>
          ],
          [
            teamsText('owns.monitors'),
            <Link key="monitors" to="/monitors" search={{ team_id }}>
              {shown(monitors)}
            </Link>
          ],
          [
            teamsText('owns.heartbeats'),
            <Link key="heartbeats" to="/heartbeats" search={{ team_id }}>
              {shown(heartbeats)}
            </Link>
          ],
          [
            teamsText('owns.integrations'),
            <Link key="integrations" to="/integrations" search={{ team_id }}>
              {shown(integrations)}
            </Link>
          ]
        ]}
      />
    </Section>
  )
}
