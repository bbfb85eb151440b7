/**
 * Queries and actions for alerts: the list, one alert, the signals that make it up, and what people
 * do with it.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { Alert, AlertQuery, NewAlert, SentAlert } from './shapes.ts'

/** Polling interval: no frame tells about an alert without an incident. */
const AGAIN_MS = 15_000
const PER_PAGE = 50

const paged = (pageParam: string) => ({ per_page: PER_PAGE, ...(pageParam !== '' && { cursor: pageParam }) })

/** Alerts in pages, those that began last first. */
export const alertsQuery = (query: Omit<AlertQuery, 'cursor' | 'per_page'>) =>
  infiniteQueryOptions({
    queryKey: ['alerts', 'list', query],
    queryFn: ({ signal, pageParam }) =>
      take(client.GET('/api/v1/alerts', { params: { query: { ...query, ...paged(pageParam) } }, signal })),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: AGAIN_MS
  })

/** The most recent alerts that began since `from`. */
export const arrivedQuery = (from: string, most: number) =>
  queryOptions({
    queryKey: ['alerts', 'arrived', from, most],
    queryFn: ({ signal }) => take(client.GET('/api/v1/alerts', { params: { query: { from, per_page: most } }, signal })),
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData
  })

/** The alerts of one incident. */
export const alertsOfQuery = (incident_id: string) =>
  infiniteQueryOptions({
    queryKey: ['alerts', 'of', incident_id],
    queryFn: ({ signal, pageParam }) =>
      take(client.GET('/api/v1/incidents/{id}/alerts', { params: { path: { id: incident_id }, query: paged(pageParam) }, signal })),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor
  })

export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/alerts/{id}', { params: { path: { id } }, signal })),
    refetchInterval: AGAIN_MS
  })

/**
 * Polling intervals. A signal becomes readable some seconds after it arrives, and no frame tells
 * about a repeat of it.
 */
const SIGNALS_AGAIN_MS = { none: 3_000, some: 30_000 } as const

/** Newest first, a page at a time: there may be thousands. */
export const signalsQuery = (alert_id: string) =>
  infiniteQueryOptions({
    queryKey: ['alerts', 'signals', alert_id],
    queryFn: ({ signal, pageParam }) =>
      take(client.GET('/api/v1/alerts/{id}/events', { params: { path: { id: alert_id }, query: paged(pageParam) }, signal })),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.items.length ? SIGNALS_AGAIN_MS.some : SIGNALS_AGAIN_MS.none)
  })

export const sendAlert = (body: NewAlert): Promise<SentAlert> => take(client.POST('/api/v1/alerts', { body }))

const of = (id: string) => ({ params: { path: { id } } })

export const acknowledgeAlert = (id: string, body: { comment: string | null }): Promise<Alert> =>
  take(client.POST('/api/v1/alerts/{id}/acknowledge', { ...of(id), body }))
export const resolveAlert = (id: string, body: { note: string | null; until_recovered: boolean }): Promise<Alert> =>
  take(client.POST('/api/v1/alerts/{id}/resolve', { ...of(id), body }))
export const closeAlert = (id: string, body: { note: string | null }): Promise<Alert> =>
  take(client.POST('/api/v1/alerts/{id}/close', { ...of(id), body }))
/** Gives the alert an incident of its own, or adds it to an existing one. */
export const promoteAlert = (id: string, body: { title?: string; incident_id?: string }): Promise<Alert> =>
  take(client.POST('/api/v1/alerts/{id}/promote', { ...of(id), body }))

/**
 * Returns a function for the server's answer to an action: it shows the alert at once, then reads
 * related data again.
 */
export function useShowAlert(): (alert: Alert) => void {
  const queries = useQueryClient()
  return (alert) => {
    queries.setQueryData(alertQuery(alert.id).queryKey, alert)
    for (const resource of ['alerts', 'incidents']) void queries.invalidateQueries({ queryKey: [resource] })
  }
}
