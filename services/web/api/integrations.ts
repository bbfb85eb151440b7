/**
 * One integration, the sources that one can be made for, and the deliveries that came through it.
 */
import { infiniteQueryOptions, type QueryClient, queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { Delivery, Integration, NewIntegration } from './shapes.ts'

/** Polling interval: no frame tells about a delivery that opens nothing. */
const AGAIN_MS = 10_000
/** Polling interval while the first delivery is awaited. */
const WAITING_MS = 3_000
const SOURCES = 200

export const integrationQuery = (id: string) =>
  queryOptions({
    queryKey: ['integrations', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/integrations/inbound/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.last_event_at === null ? WAITING_MS : AGAIN_MS)
  })

export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/integrations/sources', { params: { query: { per_page: SOURCES } }, signal })),
  staleTime: Number.POSITIVE_INFINITY
})

/**
 * Returns a function that gives the product name of a source type, such as `Grafana`. Until the
 * names are loaded it gives the type itself.
 */
export function useToolName(): (type: string) => string {
  const { data } = useQuery(sourcesQuery)
  return (type) => data?.items.find(({ source_type }) => source_type === type)?.name ?? type
}

export type Outcome = Delivery['outcome']

/** Recent deliveries in pages, newest first. An empty `outcome` means all outcomes. */
export const deliveriesQuery = (id: string, outcome: Outcome[] = [], per_page = 25) =>
  infiniteQueryOptions({
    queryKey: ['integrations', 'deliveries', id, outcome, per_page],
    queryFn: ({ signal, pageParam }) =>
      take(
        client.GET('/api/v1/integrations/inbound/{id}/events', {
          params: {
            path: { id },
            query: { per_page, ...(outcome.length > 0 && { outcome }), ...(pageParam !== '' && { cursor: pageParam }) }
          },
          signal
        })
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: AGAIN_MS
  })

/** One delivery with its payload. It never changes. */
export const deliveryQuery = (id: string, event_id: string) =>
  queryOptions({
    queryKey: ['integrations', 'delivery', id, event_id],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/integrations/inbound/{id}/events/{event_id}', { params: { path: { id, event_id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY
  })

/**
 * The integration as answered with its token, which is shown only once. It is kept only in memory,
 * until the page is reloaded or the person confirms that the token is stored.
 */
export const mintedQuery = (id: string) =>
  queryOptions<Integration>({
    queryKey: ['integrations', 'minted', id],
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY
  })

const isMinted = (queries: QueryClient, integration: Integration): Integration => {
  queries.setQueryData(mintedQuery(integration.id).queryKey, integration)
  void queries.invalidateQueries({ queryKey: ['integrations', 'list'] })
  void queries.invalidateQueries({ queryKey: ['integrations', 'one', integration.id] })
  return integration
}

export const createIntegration = async (queries: QueryClient, body: NewIntegration): Promise<Integration> =>
  isMinted(queries, await take(client.POST('/api/v1/integrations/inbound', { body })))

export const rotateToken = async (queries: QueryClient, id: string, grace_minutes: number): Promise<Integration> =>
  isMinted(
    queries,
    await take(client.POST('/api/v1/integrations/inbound/{id}/rotate-token', { params: { path: { id } }, body: { grace_minutes } }))
  )
