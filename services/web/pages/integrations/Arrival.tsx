/**
 * Waits for the first alert of an integration and turns green when it arrives. If a payload is
 * refused in the meantime, it shows the reason.
 */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, OctagonX } from 'lucide-react'
import { deliveriesQuery, integrationQuery } from '../../api/integrations.ts'
import { incidentsQuery } from '../../api/lists.ts'
import type { Incident } from '../../api/shapes.ts'
import { Awaited } from '../../parts/Awaited.tsx'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { lookOf } from '../../parts/Status.tsx'
import { setupText } from '../../texts/setup.ts'

const waiting = lookOf('off', CircleDashed, () => setupText('arrival.waiting'))
const arrived = lookOf('good', CircleCheck, () => setupText('arrival.arrived'))
const refused = lookOf('bad', OctagonX, () => setupText('arrival.rejected'))

export interface Arrived {
  incident: Incident | null
  /** When a payload was accepted. Null when none was yet. */
  at: string | null
  /** Why the last payload was refused, as long as none was accepted. */
  refusal: string | null
}

/**
 * Returns what the integration has delivered: its newest incident, or that anything arrived at all.
 * Incidents arrive at once as live frames; other deliveries are polled.
 */
export function useArrival(id: string): Arrived {
  const { data: incidents } = useQuery(incidentsQuery({ integration_id: [id], per_page: 1 }))
  const [incident = null] = incidents?.items ?? []
  const { data: integration } = useQuery(integrationQuery(id))
  const accepted = (integration?.event_count_24h ?? 0) > 0
  const wasRefused = incident === null && !accepted && (integration?.error_count_24h ?? 0) > 0
  const { data: deliveries } = useInfiniteQuery({ ...deliveriesQuery(id, ['rejected'], 1), enabled: wasRefused })
  const at = incident?.opened_at ?? (accepted ? (integration?.last_event_at ?? null) : null)
  return { incident, at, refusal: wasRefused ? (deliveries?.pages[0]?.items[0]?.reason ?? null) : null }
}

export function Arrival({ id }: { id: string }) {
  const { incident, at, refusal } = useArrival(id)
  return (
    <Awaited look={at !== null ? arrived : refusal !== null ? refused : waiting}>
      {incident ? (
        <Link to="/incidents/$id" params={{ id: incident.key }}>
          {incident.key} {incident.title}
        </Link>
      ) : at !== null ? (
        <Around text={setupText('arrival.no_incident', { at: HERE })}>
          <Since at={at} />
        </Around>
      ) : (
        (refusal ?? setupText('arrival.turns'))
      )}
    </Awaited>
  )
}
