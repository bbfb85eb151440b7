/** Queries and actions for notification channels. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import { allPages, PER_PAGE } from './lists.ts'
import type { ChannelChange, ChannelQuery, NewChannel } from './shapes.ts'

const AGAIN_MS = 30_000

export const channelsOf = (query: ChannelQuery) =>
  queryOptions({
    queryKey: ['channels', 'list', query],
    queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/channels', { params: { query }, signal })),
    refetchInterval: AGAIN_MS
  })

/** The channels that a form offers. */
export const channelsQuery = queryOptions({
  queryKey: ['channels', 'list', 'all'],
  queryFn: ({ signal }) =>
    allPages((page) => take(client.GET('/api/v1/notifications/channels', { params: { query: { page, per_page: PER_PAGE } }, signal }))),
  refetchInterval: AGAIN_MS
})

export const channelQuery = (id: string) =>
  queryOptions({
    queryKey: ['channels', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/channels/{id}', { ...of(id), signal })),
    refetchInterval: AGAIN_MS
  })

export const channelKindsQuery = queryOptions({
  queryKey: ['channels', 'kinds'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/channel-kinds', { signal }))
})

const of = (id: string) => ({ params: { path: { id } } })

export const createChannel = (body: NewChannel) => take(client.POST('/api/v1/notifications/channels', { body }))
export const changeChannel = (id: string, body: ChannelChange) =>
  take(client.PATCH('/api/v1/notifications/channels/{id}', { ...of(id), body }))
/** `force`: also deletes a channel that is still in use. */
export const deleteChannel = (id: string, force: boolean) =>
  take(client.DELETE('/api/v1/notifications/channels/{id}', { params: { path: { id }, query: { force } } }))
export const testChannel = (id: string) => take(client.POST('/api/v1/notifications/channels/{id}/test', { ...of(id), body: {} }))
/** Sends the confirmation link of an e-mail channel again. */
export const confirmChannelAgain = (id: string) => take(client.POST('/api/v1/notifications/channels/{id}/confirmation', of(id)))
