/**
 * The ledger of deliveries: who was notified of what, over which channel, and with which result.
 */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { LedgerQuery } from './shapes.ts'

/** Polling interval: no frame tells about a delivery. */
const AGAIN_MS = 15_000
const SOON_MS = 3_000
const PER_PAGE = 50
/** Most deliveries of one incident that are shown, the newest. */
export const OF_INCIDENT = 100

const isOpen = ({ state }: { state: string }): boolean => state === 'queued' || state === 'sending' || state === 'retrying'

/** Newest first, a page at a time. */
export const deliveriesQuery = (query: Omit<LedgerQuery, 'cursor' | 'per_page'>) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', 'list', query],
    queryFn: ({ signal, pageParam }) =>
      take(
        client.GET('/api/v1/notifications/deliveries', {
          params: { query: { ...query, per_page: PER_PAGE, ...(pageParam !== '' && { cursor: pageParam }) } },
          signal
        })
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: AGAIN_MS
  })

export const deliveriesOfQuery = (incident_id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'of', incident_id],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/notifications/deliveries', { params: { query: { incident_id, per_page: OF_INCIDENT } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isOpen) ? SOON_MS : AGAIN_MS)
  })

/** The last few deliveries of one channel that failed, expired or are being retried. */
export const badDeliveriesQuery = (channel_id: string, limit: number) =>
  queryOptions({
    queryKey: ['deliveries', 'bad', channel_id],
    queryFn: ({ signal }) =>
      take(
        client.GET('/api/v1/notifications/deliveries', {
          params: { query: { channel_id, state: ['failed', 'retrying', 'expired'], per_page: limit } },
          signal
        })
      ),
    refetchInterval: AGAIN_MS
  })

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/deliveries/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && isOpen(data) ? SOON_MS : AGAIN_MS)
  })

export const redeliver = (id: string, force: boolean) =>
  take(client.POST('/api/v1/notifications/deliveries/{id}/redeliver', { params: { path: { id } }, body: { force } }))
