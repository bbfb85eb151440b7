/** Notification channels, and what people do with them. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { ChannelChange, NewChannel } from './shapes.ts'

const CHANNELS = 200
const AGAIN_MS = 30_000

export const channelsQuery = queryOptions({
  queryKey: ['channels', 'list'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/channels', { params: { query: { per_page: CHANNELS } }, signal })),
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
/** `force`: even where something names it. */
export const deleteChannel = (id: string, force: boolean) =>
  take(client.DELETE('/api/v1/notifications/channels/{id}', { params: { path: { id }, query: { force } } }))
export const testChannel = (id: string) => take(client.POST('/api/v1/notifications/channels/{id}/test', { ...of(id), body: {} }))
