/** Queries for the pings of one heartbeat, and actions on heartbeats. */
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { isBehind } from './behind.ts'
import { client, take } from './client.ts'
import { heartbeatQuery } from './lists.ts'
import type { Heartbeat, HeartbeatWithSchedule, Ping } from './shapes.ts'

const PINGS = 30
const AGAIN_MS = 30_000
/**
 * The log is a few seconds behind the pings. It is read again at this interval until it has the
 * last one.
 */
const BEHIND_MS = 1_500

/** `last_ping_at`: the heartbeat's own value, if known. */
export const pingsQuery = (id: string, kinds: readonly Ping['kind'][], last_ping_at: string | null) =>
  infiniteQueryOptions({
    queryKey: ['heartbeats', 'one', id, 'pings', kinds],
    queryFn: ({ signal, pageParam }) =>
      take(
        client.GET('/api/v1/heartbeats/{id}/pings', {
          params: {
            path: { id },
            query: { per_page: PINGS, ...(kinds.length > 0 && { kind: [...kinds] }), ...(pageParam !== null && { cursor: pageParam }) }
          },
          signal
        })
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state: { data } }) => (isBehind(data?.pages[0], last_ping_at) ? BEHIND_MS : AGAIN_MS)
  })

/** The last pings that end a run, for the durations of the runs. */
export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ['heartbeats', 'one', id, 'runs'],
    queryFn: ({ signal }) =>
      take(
        client.GET('/api/v1/heartbeats/{id}/pings', {
          params: { path: { id }, query: { per_page: 200, kind: ['success', 'fail', 'exit'] } },
          signal
        })
      ),
    refetchInterval: AGAIN_MS
  })

/** The durations of the heartbeat's runs over the api's default span. */
export const runFiguresQuery = (id: string) =>
  queryOptions({
    queryKey: ['heartbeats', 'one', id, 'run-figures'],
    queryFn: ({ signal }) => take(client.GET('/api/v1/heartbeats/{id}/runs', { params: { path: { id } }, signal })),
    refetchInterval: AGAIN_MS
  })

/** The open incident of a heartbeat. */
export const openIncidentQuery = (id: string | null) =>
  queryOptions({
    queryKey: ['incidents', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/incidents/{id}', { params: { path: { id: id ?? '' } }, signal })),
    enabled: id !== null
  })

export interface PauseAsked {
  reason: string | null
  /** null: paused until somebody resumes it. */
  minutes: number | null
  unpause_on_ping: boolean
}

export const pauseHeartbeat = (id: string, { reason, minutes, unpause_on_ping }: PauseAsked) =>
  take(
    client.POST('/api/v1/heartbeats/{id}/pause', {
      params: { path: { id } },
      body: { ...(reason !== null && { reason }), ...(minutes !== null && { minutes }), ...(unpause_on_ping && { unpause_on_ping }) }
    })
  )

export const resumeHeartbeat = (id: string) => take(client.POST('/api/v1/heartbeats/{id}/resume', { params: { path: { id } } }))

export const deleteHeartbeat = (id: string) => take(client.DELETE('/api/v1/heartbeats/{id}', { params: { path: { id } } }))

/**
 * Shows an expected change of a heartbeat before the server confirms it. Returns a function that
 * undoes it.
 */
export function foresee(queries: QueryClient, id: string, change: Partial<Heartbeat>): () => void {
  const { queryKey } = heartbeatQuery(id)
  const before = queries.getQueryData<HeartbeatWithSchedule>(queryKey)
  if (before) queries.setQueryData(queryKey, { ...before, ...change })
  return () => {
    if (before) queries.setQueryData(queryKey, before)
  }
}

/** Called after any change of a heartbeat. The change may also have ended its incidents. */
export function readAgain(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: ['heartbeats'] })
  void queries.invalidateQueries({ queryKey: ['incidents'] })
}

/**
 * Sends a ping to the heartbeat's own address, as a job does; the address is served from the
 * dashboard's origin. If words in the body decide the result, the address itself marks the ping as
 * a success. Throws a Refusal.
 */
export async function ping({ ping_url, allowed_methods, body_rules }: Heartbeat): Promise<void> {
  const { pathname } = new URL(ping_url ?? '', location.origin)
  const byWords = Object.values(body_rules).some((words) => words.length > 0)
  const [method = 'POST'] = allowed_methods.includes('POST') ? [] : allowed_methods
  const body = method === 'POST' ? { headers: { 'content-type': 'text/plain' }, body: 'Test ping from the dashboard' } : {}
  await take(
    fetch(byWords ? `${pathname}/0` : pathname, { method, ...body }).then(async (response) => ({
      response,
      ...(response.ok ? {} : { error: await response.json().catch(() => ({})) })
    }))
  )
}
