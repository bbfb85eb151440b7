/**
 * Lists that more than one page shows. Keys begin with the resource and `list` or `one`: frames
 * touch them by that (live/frames.ts).
 */
import { queryOptions } from '@tanstack/react-query'
import { client, take, takeJson } from './client.ts'
import type { Heartbeat, HeartbeatQuery, IncidentCounts, IncidentQuery, Integration, Monitor, MonitorQuery, Team } from './shapes.ts'

const PER_PAGE = 200
/** Figures, and what no frame tells of, are read again so often. */
const AGAIN_MS = 30_000
/** So long after a change its effect may still come, and so often it is looked for. */
const UNSETTLED_MS = 15_000
const SETTLING_MS = 1_500

/**
 * Regions answer one by one after a monitor was made or changed, and only what the first ones
 * decide has a frame: the others are looked for so long, and so often.
 */
const ANSWERS_MS = 120_000
const ANSWERING_MS = 2_000

interface Page<Item> {
  items: Item[]
  total: number
  total_pages: number
}

/** Every page of a list: the first, then the others side by side. */
async function allPages<Item>(read: (page: number) => Promise<Page<Item>>): Promise<{ items: Item[]; total: number }> {
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

/** Earlier ones like an incident: what is done to it changes nothing of them. */
export const similarQuery = (id: string, query: IncidentQuery) =>
  queryOptions({ ...incidentsQuery(query), queryKey: ['incidents', 'similar', id, query] })

/** How many are ongoing and how many need someone, of all that the person sees. */
export const countsQuery = queryOptions({
  queryKey: ['incidents', 'counts'],
  queryFn: async ({ signal }): Promise<IncidentCounts> => {
    const { counts, total } = await takeJson(
      client.GET('/api/v1/incidents', { params: { query: { status: ['ongoing'], include: ['counts'], per_page: 1 } }, signal })
    )
    // An api of before the counts: better too many than none.
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
    // The processor has not judged what was changed a moment ago; no frame says when it has.
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

/** Those that the person sees. */
export const teamsQuery = queryOptions({
  queryKey: ['teams', 'list', {}],
  queryFn: ({ signal }) =>
    allPages<Team>((page) => take(client.GET('/api/v1/teams', { params: { query: { page, per_page: PER_PAGE } }, signal }))),
  refetchInterval: AGAIN_MS
})
