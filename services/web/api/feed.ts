/**
 * The person's feed in the app: the items, and how many are unread. Frames invalidate all of it by
 * the key `feed`.
 */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { FeedCategory } from './shapes.ts'

const PER_PAGE = 20
/** Polling interval: no frame tells about an item read on another device. */
const AGAIN_MS = 60_000

export const unreadQuery = queryOptions({
  queryKey: ['feed', 'unread'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/notifications/feed/unread-count', { signal })),
  refetchInterval: AGAIN_MS
})

/** Newest first, in pages. No category means all of them. */
export const feedQuery = ({ unread, category }: { unread: boolean; category: readonly FeedCategory[] }) =>
  infiniteQueryOptions({
    queryKey: ['feed', 'list', { unread, category }],
    queryFn: ({ signal, pageParam }) =>
      take(
        client.GET('/api/v1/notifications/feed', {
          params: {
            query: {
              per_page: PER_PAGE,
              ...(unread && { unread }),
              ...(category.length > 0 && { category: [...category] }),
              ...(pageParam !== '' && { cursor: pageParam })
            }
          },
          signal
        })
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor
  })
