/** Who is on call, schedules with their shifts, and what people do with them. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'

/** Shifts begin and end by themselves, without a frame. */
const AGAIN_MS = 15_000

/** Everybody who is on call now, by schedule. */
export const onCallNowQuery = queryOptions({
  queryKey: ['schedules', 'now'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/on-call/now', { signal })),
  refetchInterval: AGAIN_MS
})
