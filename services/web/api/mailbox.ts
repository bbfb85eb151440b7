/** The mailbox of an installation without a mail server. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'

export const MAILS_PER_PAGE = 50
const AGAIN_MS = 5_000

export const mailsQuery = (page: number) =>
  queryOptions({
    queryKey: ['mailbox', 'list', page],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/notifications/mailbox', { params: { query: { page, per_page: MAILS_PER_PAGE } }, signal })),
    refetchInterval: AGAIN_MS
  })

export const mailQuery = (id: string) =>
  queryOptions({
    queryKey: ['mailbox', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/mailbox/{id}', { params: { path: { id } }, signal })),
    // A stored mail never changes.
    staleTime: Number.POSITIVE_INFINITY
  })

export const mailHtmlPath = (id: string): string => `/api/v1/notifications/mailbox/${encodeURIComponent(id)}/html`

export const emptyMailbox = () => take(client.DELETE('/api/v1/notifications/mailbox'))
