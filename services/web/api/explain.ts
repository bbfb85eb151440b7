/** Explains why an incident or an alert exists, and why a monitor has its status. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'

/** Polling interval: what holds an incident or alert back may change without a frame. */
const AGAIN_MS = 60_000

export type Explained = 'incidents' | 'alerts'

/**
 * Has a key below incidents or alerts, so it is read again with them: what holds one back changes
 * with it.
 */
export const explainQuery = (kind: Explained, id: string) =>
  queryOptions({
    queryKey: [kind, 'explain', id],
    queryFn: ({ signal }) => {
      const of = { params: { path: { id } }, signal }
      return take(kind === 'incidents' ? client.GET('/api/v1/incidents/{id}/explain', of) : client.GET('/api/v1/alerts/{id}/explain', of))
    },
    refetchInterval: AGAIN_MS,
    retry: false
  })

/** Has a key below monitors, so it is read again with them. */
export const monitorExplainQuery = (id: string) =>
  queryOptions({
    queryKey: ['monitors', 'one', id, 'explain'],
    queryFn: ({ signal }) => take(client.GET('/api/v1/monitors/{id}/explain', { params: { path: { id } }, signal })),
    refetchInterval: AGAIN_MS,
    retry: false
  })
