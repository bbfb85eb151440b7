/**
 * Queries of lists that more than one page shows. Keys begin with the resource and `list` or `one`,
 * because frames invalidate them by that (live/frames.ts).
 */
import { queryOptions } from '@tanstack/react-query'
import { client, take, takeJson } from './client.ts'
import type { Heartbeat, HeartbeatQuery, IncidentCounts, IncidentQuery, Integration, Monitor, MonitorQuery, Team } from './shapes.ts'

export const PER_PAGE = 200
/** Polling interval for figures and for changes that no frame tells about. */
const AGAIN_MS = 30_000
/**
 * How long the effect of a change may take to appear, and the polling interval during that time.
 */
const UNSETTLED_MS = 15_000
const SETTLING_MS = 1_500

/**
 * After a monitor is created or changed, regions answer one by one, and a frame tells only about
 * what the first answers decide. The other answers are polled for this long, at this interval.
 */
const ANSWERS_MS = 120_000
const ANSWERING_MS = 2_000

interface Page<Item> {
  items: Item[]
  total: number
  total_pages: number
}

/** Reads every page of a list: the first one, then the others in parallel. */
export async function allPages<Item>(read: (page: number) => Promise<Page<Item>>): Promise<{ items: Item[]; total: number }> {
  const { items, total, total_pages } = await read(1)
  const others = await Promise.all(Array.from({ length: Math.max(0, total_pages - 1) }, (_, at) => read(at + 2)))
  return { items: [...items, ...others.flatMap((page) => page.items)], total }
}

export const incidentsQuery = (query: IncidentQuery) =>
  queryOptions({
    queryKey: ['incidents', 'list', query],
    queryFn: ({ signal }) => takeJson(client.GET('/api/v1/incidents', { params: { query }, signal })),
    refetchInterval: AGAIN_MS
  })

/**
 * Earlier incidents that are like this one. The key is outside the lists, because actions on this
 * incident do not change them.
 */
export const similarQuery = (id: string, query: IncidentQuery) =>
  queryOptions({ ...incidentsQuery(query), queryKey: ['incidents', 'similar', id, query] })

/** How many incidents are ongoing and how many need someone, among all that the person may see. */
export const countsQuery = queryOptions({
  queryKey: ['incidents', 'counts'],
  queryFn: async ({ signal }): Promise<IncidentCounts> => {
    const { counts, total } = await takeJson(
      client.GET('/api/v1/incidents', { params: { query: { status: ['ongoing'], include: ['counts'], per_page: 1 } }, signal })
    )
    // An older api version sends no counts: too high a number is better than none.
    return counts ?? { ongoing: total, needs_someone: total, silenced: 0, acknowledged: 0 }
  },
  refetchInterval: AGAIN_MS
})

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ['incidents', 'one', id],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/incidents/{id}', { params: { path: { id }, query: { include: ['related'] } }, signal })),
    refetchInterval: AGAIN_MS
  })

export const monitorsQuery = (query: Omit<MonitorQuery, 'page' | 'per_page'> = {}) =>
  queryOptions({
    queryKey: ['monitors', 'list', query],
    queryFn: ({ signal }) =>
      allPages<Monitor>((page) =>
        take(client.GET('/api/v1/monitors', { params: { query: { ...query, page, per_page: PER_PAGE } }, signal }))
      ),
    refetchInterval: AGAIN_MS
  })

export const monitorQuery = (id: string) =>
  queryOptions({
    queryKey: ['monitors', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/monitors/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => {
      const answering = data && data.status !== 'paused' && data.region_states.some(({ state }) => state === 'pending')
      return answering && Date.now() - Date.parse(data.updated_at) < ANSWERS_MS ? ANSWERING_MS : AGAIN_MS
    }
  })

export const heartbeatsQuery = (query: Omit<HeartbeatQuery, 'page' | 'per_page'> = {}) =>
  queryOptions({
    queryKey: ['heartbeats', 'list', query],
    queryFn: ({ signal }) =>
      allPages<Heartbeat>((page) =>
        take(client.GET('/api/v1/heartbeats', { params: { query: { ...query, page, per_page: PER_PAGE } }, signal }))
      ),
    refetchInterval: AGAIN_MS
  })

export const heartbeatQuery = (id: string) =>
  queryOptions({
    queryKey: ['heartbeats', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/heartbeats/{id}', { params: { path: { id } }, signal })),
    // The processor may not have evaluated a recent change yet, and no frame tells when it has.
    refetchInterval: ({ state: { data } }) =>
      data && Math.abs(Date.now() - Date.parse(data.updated_at)) < UNSETTLED_MS ? SETTLING_MS : AGAIN_MS
  })

export const integrationsQuery = queryOptions({
  queryKey: ['integrations', 'list'],
  queryFn: ({ signal }) =>
    allPages<Integration>((page) =>
      take(client.GET('/api/v1/integrations/inbound', { params: { query: { page, per_page: PER_PAGE } }, signal }))
    ),
  refetchInterval: AGAIN_MS
})

/** The teams that the person may see. */
export const teamsQuery = queryOptions({
  queryKey: ['teams', 'list', {}],
  queryFn: ({ signal }) =>
    allPages<Team>((page) => take(client.GET('/api/v1/teams', { params: { query: { page, per_page: PER_PAGE } }, signal }))),
  refetchInterval: AGAIN_MS
})
