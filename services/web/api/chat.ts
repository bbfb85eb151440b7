/** Who the person is in chat apps. */
import { queryOptions } from '@tanstack/react-query'
import { client, take, toRefusal } from './client.ts'

export const chatIdentitiesQuery = queryOptions({
  queryKey: ['chat-identities'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/chat/identities', { signal }))
})

/** Of everybody, for those who look after the members. */
export const linkedSendersQuery = queryOptions({
  queryKey: ['linked-senders'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/workspace/chat-identities', { params: { query: { per_page: 200 } }, signal }))
})

export const unlinkSender = (id: string) => take(client.DELETE('/api/v1/workspace/chat-identities/{id}', { params: { path: { id } } }))

export const chatLinkQuery = (token: string) =>
  queryOptions({
    queryKey: ['chat-links', token],
    queryFn: ({ signal }) => take(client.POST('/api/v1/chat/links/look', { body: { token }, signal })),
    retry: (failures, error) => failures < 2 && toRefusal(error).mayPass,
    staleTime: Number.POSITIVE_INFINITY
  })

export const linkChat = (token: string) => take(client.POST('/api/v1/chat/identities', { body: { token } }))

/** A link that is opened in Telegram. */
export const pairTelegram = (bot: string) => take(client.POST('/api/v1/notifications/pairing-links', { body: { kind: 'telegram', bot } }))

/** A link that chooses the group of a channel. */
export const groupLink = (bot: string, channel_id: string) =>
  take(client.POST('/api/v1/notifications/pairing-links', { body: { kind: 'telegram', bot, channel_id } }))

export const unlinkChat = (id: string) => take(client.DELETE('/api/v1/chat/identities/{id}', { params: { path: { id } } }))
