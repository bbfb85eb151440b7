/**
 * Data about one monitor: its checks, its status changes, and figures of its past. Also actions on
 * monitors.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { MAX_MONITOR_BULK } from '../../../schemas/http/many-monitors.ts'
import { ownZone } from '../parts/clock.ts'
import { bucketOf, type RangeSearch, type Span, singleSpan, spanOf } from '../parts/range.ts'
import { isBehind, lacksChange } from './behind.ts'
import { client, figuresAgain, isGone, take, takeJson } from './client.ts'
import { newestOf } from './newest.ts'
import type {
  Capture,
  Check,
  Monitor,
  MonitorBulk,
  MonitorBulkAnswer,
  MonitorChange,
  MonitorImport,
  MonitorTrial,
  NewMonitor
} from './shapes.ts'

const AGAIN_MS = 30_000
/**
 * Polling interval: figures lag a little behind the checks that they count, and they change slowly.
 */
const FIGURES_AGAIN_MS = 60_000
/** Polling interval for data that is known to be on its way. */
const SOON_MS = 2_000
const CHECKS_PER_PAGE = 15
const CHANGES_PER_PAGE = 10
/** Most checks in a plot of single checks: five pages of 200. */
const MAX_CHECKS = 1_000
const MAX_PAGE = 200
/** The uptime target, in percent, for the error budget. */
export const SLO_TARGET = 99.9

export interface ChecksFilter {
  region?: string[]
  outcome?: Check['outcome'][]
}

/**
 * `awaited`: the time of the last check, by the monitor's own state. The log of checks gets it a
 * moment later.
 */
export const checksQuery = (id: string, filter: ChecksFilter, awaited: string | null) =>
  infiniteQueryOptions({
    queryKey: ['monitors', 'one', id, 'checks', filter],
    queryFn: ({ pageParam, signal }) =>
      take(
        client.GET('/api/v1/monitors/{id}/checks', {
          params: { path: { id }, query: { ...filter, per_page: CHECKS_PER_PAGE, ...(pageParam && { cursor: pageParam }) } },
          signal
        })
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      // While a person reads older pages, the list is not refreshed, so that nothing moves.
      if (data && data.pages.length > 1) return false
      return isBehind(data?.pages[0], awaited) ? SOON_MS : AGAIN_MS
    }
  })

/** The captured answer of a failed check; null: it was deleted, after three days. */
export const captureQuery = (id: string, check_id: string) =>
  queryOptions({
    queryKey: ['monitors', 'capture', id, check_id],
    queryFn: async ({ signal }): Promise<Capture | null> => {
      try {
        return await take(client.GET('/api/v1/monitors/{id}/checks/{check_id}/capture', { params: { path: { id, check_id } }, signal }))
      } catch (error) {
        if (isGone(error)) return null
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY
  })

/**
 * `awaited`: the time of the last status change, by the monitor's own state. The log of changes
 * gets it a moment later.
 */
export const statusChangesQuery = (id: string, awaited: string | null) =>
  infiniteQueryOptions({
    queryKey: ['monitors', 'one', id, 'status-changes'],
    queryFn: ({ pageParam, signal }) =>
      take(
        client.GET('/api/v1/monitors/{id}/status-changes', {
          params: { path: { id }, query: { per_page: CHANGES_PER_PAGE, ...(pageParam && { cursor: pageParam }) } },
          signal
        })
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state: { data } }) => {
      if (data && lacksChange(data.pages[0]?.items[0]?.at, awaited)) return SOON_MS
      return data && data.pages.length > 1 ? false : AGAIN_MS
    }
  })

const bounds = ({ from, to }: Span) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })

/** Uptime over the whole span, and for each slot. */
export const monitorUptimeQuery = (id: string, range: RangeSearch) =>
  queryOptions({
    queryKey: ['analytics', 'uptime', id, range],
    queryFn: async ({ signal }) => {
      const span = spanOf(range, Date.now())
      const query = { ...bounds(span), monitor_ids: [id], time_zone: ownZone() }
      const [whole, slots] = await Promise.all([
        takeJson(client.GET('/api/v1/analytics/uptime', { params: { query: { ...query, slo_target: SLO_TARGET } }, signal })),
        takeJson(client.GET('/api/v1/analytics/uptime', { params: { query: { ...query, bucket: bucketOf(span) } }, signal }))
      ])
      return { span, whole: whole.items[0] ?? null, slots: slots.items, complete_until: whole.complete_until }
    },
    placeholderData: keepPreviousData,
    refetchInterval: FIGURES_AGAIN_MS,
    ...figuresAgain
  })

/** Response times by region, in buckets. */
export const latencyQuery = (id: string, range: RangeSearch) =>
  queryOptions({
    queryKey: ['analytics', 'latency', id, range],
    queryFn: async ({ signal }) => {
      const span = spanOf(range, Date.now())
      const bucket = bucketOf(span)
      const answer = await takeJson(
        client.GET('/api/v1/analytics/latency', {
          params: { query: { ...bounds(span), monitor_ids: [id], time_zone: ownZone(), bucket, group_by: ['region'] } },
          signal
        })
      )
      return { ...answer, span, bucket }
    },
    placeholderData: keepPreviousData,
    refetchInterval: FIGURES_AGAIN_MS,
    ...figuresAgain
  })

/**
 * The newest single checks of a span. A span is cut to the time since the monitor was made
 * (`made_at`, epoch ms) if that makes it short, because the api lists no more than a month of
 * checks. `oldest`: the time of the oldest check, in epoch ms, if the span has more checks than are
 * read.
 */
export const singleChecksQuery = (id: string, range: RangeSearch, made_at: number) =>
  queryOptions({
    queryKey: ['monitors', 'one', id, 'single-checks', range],
    queryFn: async ({ signal }) => {
      const now = Date.now()
      const asked = spanOf(range, now)
      const span = singleSpan(asked, made_at, now) ?? asked
      const { items, isCut } = await newestOf<Check>((cursor) => {
        const query = { ...bounds(span), per_page: MAX_PAGE, ...(cursor !== null && { cursor }) }
        return take(client.GET('/api/v1/monitors/{id}/checks', { params: { path: { id }, query }, signal }))
      }, MAX_CHECKS)
      const last = isCut ? items.at(-1) : undefined
      return { span, items, oldest: last ? Date.parse(last.scheduled_at) : null }
    },
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS
  })

export const regionsQuery = queryOptions({
  queryKey: ['regions'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/regions', { signal })),
  staleTime: 60_000
})

export const createMonitor = (body: NewMonitor) => take(client.POST('/api/v1/monitors', { body }))

export const changeMonitor = (id: string, body: MonitorChange) =>
  take(client.PATCH('/api/v1/monitors/{id}', { params: { path: { id } }, body }))

/** Validates a definition that is not saved. `region` has the probers of that region try it. */
export const validateMonitor = (body: MonitorTrial, signal: AbortSignal) => take(client.POST('/api/v1/monitors/validate', { body, signal }))

/** Changes any number of monitors, in batches of the size that the api accepts. */
export async function changeMonitors({ ids, ...change }: MonitorBulk): Promise<MonitorBulkAnswer> {
  const all: MonitorBulkAnswer = { matched: 0, changed: [], failed: [] }
  for (let at = 0; at < ids.length; at += MAX_MONITOR_BULK) {
    const body = { ...change, ids: ids.slice(at, at + MAX_MONITOR_BULK) }
    const { matched, changed, failed } = await take(client.POST('/api/v1/monitors/bulk', { body }))
    all.matched += matched
    all.changed.push(...changed)
    all.failed.push(...failed)
  }
  return all
}

export const importMonitors = (body: MonitorImport) => take(client.POST('/api/v1/monitors/import', { body }))

export const deleteMonitor = (id: string) => take(client.DELETE('/api/v1/monitors/{id}', { params: { path: { id } } }))

export interface Pause {
  reason?: string | null
  minutes?: number
  resolve_open?: boolean
}

export const pauseMonitor = (id: string, body: Pause): Promise<Monitor> =>
  take(client.POST('/api/v1/monitors/{id}/pause', { params: { path: { id } }, body }))

export const resumeMonitor = (id: string): Promise<Monitor> =>
  take(client.POST('/api/v1/monitors/{id}/resume', { params: { path: { id } } }))

/** Checks the monitor from all of its regions. The result counts like that of any other check. */
export const checkNow = (id: string) =>
  take(client.POST('/api/v1/monitors/{id}/check', { params: { path: { id } }, body: { count: true } }))

export interface PushedState {
  state: 'up' | 'down' | 'degraded'
  message?: string
}

/** Reports a state for a monitor that no prober checks. */
export const pushState = (id: string, body: PushedState) =>
  take(client.POST('/api/v1/monitors/{id}/results', { params: { path: { id } }, body }))
