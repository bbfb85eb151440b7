/** Shows where an incident or an alert comes from, as a link. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { heartbeatQuery, integrationsQuery, monitorQuery } from '../api/lists.ts'
import type { Incident } from '../api/shapes.ts'
import { namesText } from '../texts/names.ts'

export function SourceName({ of: { source } }: { of: Pick<Incident, 'source'> }) {
  const { data } = useQuery(integrationsQuery)
  const name = data?.items.find(({ id }) => id === source.integration_id)?.name
  return <>{source.type === 'api' ? namesText('part.api') : (name ?? namesText(`source.${source.kind}`))}</>
}

/** The source of an incident as a link. */
export function SourceLink({ of }: { of: Pick<Incident, 'source' | 'monitor_id' | 'heartbeat_id'> }) {
  const { monitor_id, heartbeat_id, source } = of
  const monitor = useQuery({ ...monitorQuery(monitor_id ?? ''), enabled: monitor_id !== null })
  const heartbeat = useQuery({ ...heartbeatQuery(heartbeat_id ?? ''), enabled: heartbeat_id !== null })
  if (monitor_id !== null) {
    return (
      <Link to="/monitors/$id" params={{ id: monitor_id }}>
        {monitor.data?.name ?? namesText('source.monitor')}
      </Link>
    )
  }
  if (heartbeat_id !== null) {
    return (
      <Link to="/heartbeats/$id" params={{ id: heartbeat_id }}>
        {heartbeat.data?.name ?? namesText('source.heartbeat')}
      </Link>
    )
  }
  // The integration of an alert sent through the API is not stored, so there is no page to link to.
  if (source.integration_id === null || source.type === 'api') return <SourceName of={of} />
  return (
    <Link to="/integrations/$id" params={{ id: source.integration_id }}>
      <SourceName of={of} />
    </Link>
  )
}
