/**
 * How far a workspace has come with its first three steps: a site that is watched, a job that
 * pinged, an alert that arrived. All of it is read from the API, so everyone who opens the page
 * sees the same at any time. What was created elsewhere counts too.
 */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { client, take } from '../../api/client.ts'
import { incidentsQuery } from '../../api/lists.ts'
import type { Heartbeat, Incident, Integration, Monitor } from '../../api/shapes.ts'
import type { Asked } from '../../parts/States.tsx'

/**
 * While a step is open, somebody may be waiting for it. Frames announce neither a first check nor a
 * delivery that opens nothing, so the page asks again.
 */
const WAITING_MS = 2_000
const AGAIN_MS = 30_000
/** How many of the newest of each are read. */
const LOOKED_AT = 20

const isBlocked = ({ last_failure }: Monitor): boolean => last_failure?.reason === 'blocked_target'
/** True if some region gets an answer as expected. If all of them fail, nothing has worked yet. */
const isWatched = (monitor: Monitor): boolean =>
  monitor.last_checked_at !== null &&
  !isBlocked(monitor) &&
  monitor.region_states.some(({ state }) => state === 'up' || state === 'degraded')
/**
 * Regions answer one by one, and a frame comes only for what the first answers decide. A row that a
 * frame has changed still has the regions that were read before.
 */
const hasAllAnswers = (monitor: Monitor): boolean =>
  isWatched(monitor) && monitor.region_states.length > 0 && monitor.region_states.every(({ state }) => state !== 'pending')
const hasPinged = ({ last_ping_at }: Heartbeat): boolean => last_ping_at !== null
const hasDelivered = ({ event_count_24h, last_event_at }: Integration): boolean => last_event_at !== null && (event_count_24h ?? 0) > 0

/**
 * Returns when to ask again, in ms. `waits` is true while somebody looks at the steps themselves.
 */
const pauseOf = <Item>(waits: boolean, items: readonly Item[] | undefined, isDone: (item: Item) => boolean): number =>
  !waits || items?.some(isDone) ? AGAIN_MS : WAITING_MS

const firstMonitors = (waits: boolean) =>
  queryOptions({
    queryKey: ['monitors', 'list', 'first'],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/monitors', { params: { query: { sort: ['-created_at'], per_page: LOOKED_AT } }, signal })),
    refetchInterval: ({ state }) => pauseOf(waits, state.data?.items, hasAllAnswers)
  })

const firstHeartbeats = (waits: boolean) =>
  queryOptions({
    queryKey: ['heartbeats', 'list', 'first'],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/heartbeats', { params: { query: { sort: ['-created_at'], per_page: LOOKED_AT } }, signal })),
    refetchInterval: ({ state }) => pauseOf(waits, state.data?.items, hasPinged)
  })

const firstIntegrations = (waits: boolean) =>
  queryOptions({
    queryKey: ['integrations', 'list', 'first'],
    queryFn: ({ signal }) => take(client.GET('/api/v1/integrations/inbound', { params: { query: { per_page: LOOKED_AT } }, signal })),
    refetchInterval: ({ state }) => pauseOf(waits, state.data?.items, hasDelivered)
  })

/** Reads the list again at once, to show what was just created. */
export const lookAgain = (queries: QueryClient, resource: 'monitors' | 'heartbeats' | 'integrations'): Promise<void> =>
  queries.invalidateQueries({ queryKey: [resource, 'list'] })

export interface FirstSteps {
  /**
   * The one that the step shows: one that has completed it, otherwise the newest; null: there is
   * none.
   */
  monitor: Monitor | null
  heartbeat: Heartbeat | null
  integration: Integration | null
  /** The newest incident of the integrations. */
  incident: Incident | null
  watched: boolean
  pinged: boolean
  alerted: boolean
  /** How many of the three steps are done. */
  done: number
}

/**
 * `waits`: changes are read every two seconds while a step is open. `steps` is undefined until it
 * is known.
 */
export function useFirstSteps({ waits = false } = {}): { steps: FirstSteps | undefined; asked: readonly Asked[] } {
  const monitors = useQuery(firstMonitors(waits))
  const heartbeats = useQuery(firstHeartbeats(waits))
  const integrations = useQuery(firstIntegrations(waits))
  const ids = integrations.data?.items.map(({ id }) => id) ?? []
  const incidents = useQuery({ ...incidentsQuery({ integration_id: ids, per_page: 1 }), enabled: ids.length > 0 })
  const asked = [monitors, heartbeats, integrations, incidents]
  if (!monitors.data || !heartbeats.data || !integrations.data || (ids.length > 0 && !incidents.data)) return { steps: undefined, asked }

  const [incident = null] = incidents.data?.items ?? []
  const monitor = monitors.data.items.find(isWatched) ?? monitors.data.items[0] ?? null
  const heartbeat = heartbeats.data.items.find(hasPinged) ?? heartbeats.data.items[0] ?? null
  const all = integrations.data.items
  const integration =
    all.find(({ id }) => id === incident?.source.integration_id) ??
    all.find(hasDelivered) ??
    all.find(({ source_type }) => source_type === 'generic') ??
    all[0] ??
    null
  const watched = monitor !== null && isWatched(monitor)
  const pinged = heartbeat !== null && hasPinged(heartbeat)
  const alerted = incident !== null || (integration !== null && hasDelivered(integration))
  const done = [watched, pinged, alerted].filter(Boolean).length
  return { steps: { monitor, heartbeat, integration, incident, watched, pinged, alerted, done }, asked }
}
