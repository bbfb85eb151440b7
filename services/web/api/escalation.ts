/** Escalation policies and the schedules that they ask, and asking people by hand. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { Escalated, EscalateNow } from './shapes.ts'

const AGAIN_MS = 30_000
const PER_PAGE = 100

/** To choose from. */
export const schedulesToChoose = queryOptions({
  queryKey: ['schedules', 'list', 'choose'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/on-call/schedules', { params: { query: { per_page: PER_PAGE } }, signal })),
  refetchInterval: AGAIN_MS
})

export const policyQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/on-call/escalation-policies/{id}', { params: { path: { id } }, signal })),
    refetchInterval: AGAIN_MS
  })

export const escalate = (id: string, body: EscalateNow): Promise<Escalated> =>
  take(client.POST('/api/v1/incidents/{id}/escalate', { params: { path: { id } }, body }))
