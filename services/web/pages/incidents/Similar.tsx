/** Earlier incidents of the same monitor, heartbeat or integration, and how long they lasted. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { similarQuery } from '../../api/lists.ts'
import type { Incident, IncidentQuery } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { durationInWords, Since } from '../../parts/Since.tsx'
import { incidentCauseText } from '../../texts/incident-cause.ts'
import classes from './Similar.module.css'
import type { IncidentsSearch } from './search.ts'

const SHOWN = 5
const MAX_WORDS = 100

/**
 * Returns the query and the list filters for similar incidents. Null when there is nothing to
 * compare by.
 */
function kindOf({ monitor_id, heartbeat_id, source, title }: Incident): { query: IncidentQuery; search: IncidentsSearch } | null {
  if (monitor_id !== null) return { query: { monitor_id: [monitor_id] }, search: { monitor_id } }
  if (heartbeat_id !== null) return { query: { heartbeat_id: [heartbeat_id] }, search: { heartbeat_id } }
  const { integration_id } = source
  const q = title.slice(0, MAX_WORDS)
  // An integration reports many different things, so only incidents of the same title are similar.
  if (integration_id === null || q.length < 2) return null
  return { query: { integration_id: [integration_id], q }, search: { integration_id, q } }
}

export function Similar({ incident }: { incident: Incident }) {
  const kind = kindOf(incident)
  const { data } = useQuery({ ...similarQuery(incident.id, { ...kind?.query, per_page: SHOWN + 1 }), enabled: kind !== null })
  if (!kind || !data) return null
  const others = data.items.filter(({ id }) => id !== incident.id).slice(0, SHOWN)
  return (
    <Section
      title={incidentCauseText('similar.title')}
      aside={
        others.length > 0 && (
          <Link to="/incidents" search={{ ...kind.search, status: 'all' }}>
            {incidentCauseText('similar.all', { count: data.total })}
          </Link>
        )
      }
    >
      {others.length === 0 ? (
        <p className={classes.none}>{incidentCauseText('similar.none')}</p>
      ) : (
        <ul className={classes.list}>
          {others.map(({ id, key, title, started_at, time_to_resolve_seconds }) => (
            <li key={id}>
              <Link to="/incidents/$id" params={{ id: key }} title={title}>
                {key}
              </Link>
              <Since at={started_at} />
              <span>
                {time_to_resolve_seconds === null
                  ? incidentCauseText('similar.open')
                  : incidentCauseText('similar.took', { time: durationInWords(time_to_resolve_seconds) })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
