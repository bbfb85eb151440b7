/** Queries and actions for groups of monitors. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { MonitorGroupChange, NewMonitorGroup } from './shapes.ts'

const AGAIN_MS = 30_000
/** The most groups that a workspace may have. */
const PER_PAGE = 200

export const monitorGroupsQuery = queryOptions({
  // The key is below monitors, because any change of a monitor may change the state of its group.
  queryKey: ['monitors', 'groups'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/monitor-groups', { params: { query: { per_page: PER_PAGE } }, signal })),
  refetchInterval: AGAIN_MS
})

const of = (id: string) => ({ params: { path: { id } } })

export const createMonitorGroup = (body: NewMonitorGroup) => take(client.POST('/api/v1/monitor-groups', { body }))
export const changeMonitorGroup = (id: string, body: MonitorGroupChange) =>
  take(client.PATCH('/api/v1/monitor-groups/{id}', { ...of(id), body }))
export const deleteMonitorGroup = (id: string) => take(client.DELETE('/api/v1/monitor-groups/{id}', of(id)))
