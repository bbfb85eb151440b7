/** The person's identities in chat apps. */
import { queryOptions } from '@tanstack/react-query'
import { client, take, toRefusal } from './client.ts'
import { allPages, PER_PAGE } from './lists.ts'

export const chatIdentitiesQuery = queryOptions({
  queryKey: ['chat-identities'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/chat/identities', { signal }))
})

/** The linked identities of everybody, for people who manage the members. */
export const linkedSendersQuery = queryOptions({
  queryKey: ['linked-senders'],
  queryFn: ({ signal }) =>
    allPages((page) => take(client.GET('/api/v1/workspace/chat-identities', { params: { query: { page, per_page: PER_PAGE } }, signal })))
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

/** Creates a link that the person opens in Telegram. */
export const pairTelegram = (bot: string) => take(client.POST('/api/v1/notifications/pairing-links', { body: { kind: 'telegram', bot } }))

/** Creates a link to choose the Telegram group of a channel. */
export const groupLink = (bot: string, channel_id: string) =>
  take(client.POST('/api/v1/notifications/pairing-links', { body: { kind: 'telegram', bot, channel_id } }))

export const unlinkChat = (id: string) => take(client.DELETE('/api/v1/chat/identities/{id}', { params: { path: { id } } }))
