/** The audit log of the workspace. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { AuditQuery } from './shapes.ts'

const AGAIN_MS = 30_000
const PER_PAGE = 50

/** Newest first, a page at a time. */
export const auditQuery = (query: AuditQuery) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'list', query],
    queryFn: ({ signal, pageParam }) =>
      take(
        client.GET('/api/v1/workspace/audit-log', {
          params: { query: { ...query, per_page: PER_PAGE, ...(pageParam !== '' && { cursor: pageParam }) } },
          signal
        })
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: AGAIN_MS
  })
