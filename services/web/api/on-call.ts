/** Queries and actions for who is on call, schedules and their shifts. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { serverNow } from '../live/server-clock.ts'
import { client, take, takeJson } from './client.ts'
import { allPages, PER_PAGE } from './lists.ts'
import type { NewOverride, NewSchedule, NewSwap, Override, Schedule, ScheduleChange, SchedulePreview } from './shapes.ts'

/**
 * Polling interval. Frames tell about changes, and the instants of shifts are known. Names of
 * people and their contact methods change without a frame.
 */
const AGAIN_MS = 120_000
/** Wait after a hand-off, so that the service has surely processed it. */
const BEHIND_MS = 500

/**
 * Returns the ms until the next of these instants, when who is on call changes, at most AGAIN_MS.
 */
const untilNext = (instants: readonly (string | null | undefined)[]): number => {
  const now = serverNow()
  const waits = instants.flatMap((at) => (at == null || Date.parse(at) <= now ? [] : [Date.parse(at) - now + BEHIND_MS]))
  return Math.min(AGAIN_MS, ...waits)
}

/**
 * Everybody who is on call, by schedule, of the first 200 schedules. `at` is an instant; null: now.
 * With `schedule_id` only of this one.
 */
export const onCallQuery = (at: string | null, schedule_id: string | null = null) =>
  queryOptions({
    queryKey: ['schedules', 'now', at, schedule_id],
    queryFn: ({ signal }) => {
      const query = { ...(at !== null && { at }), ...(schedule_id !== null && { schedule_id }) }
      return take(client.GET('/api/v1/on-call/now', { params: { query }, signal }))
    },
    refetchInterval: ({ state: { data } }) => untilNext(data?.items.map(({ until }) => until) ?? [])
  })
export const onCallNowQuery = onCallQuery(null)

export const schedulesQuery = queryOptions({
  queryKey: ['schedules', 'list', 'all'],
  queryFn: ({ signal }) =>
    allPages((page) => take(client.GET('/api/v1/on-call/schedules', { params: { query: { page, per_page: PER_PAGE } }, signal }))),
  refetchInterval: AGAIN_MS
})

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/on-call/schedules/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => untilNext([data?.current?.ends_at, data?.next_shifts[0]?.starts_at])
  })

const instant = (at: number): string => new Date(at).toISOString()

/** Whole shifts that touch the span (epoch ms): the final ones and those of each layer. */
export const shiftsQuery = (id: string, { from, to }: { from: number; to: number }) =>
  queryOptions({
    queryKey: ['schedules', 'one', id, 'shifts', from, to],
    queryFn: ({ signal }) => {
      const query = { from: instant(from), to: instant(to), layer: 'all' as const }
      return takeJson(client.GET('/api/v1/on-call/schedules/{id}/shifts', { params: { path: { id }, query }, signal }))
    },
    refetchInterval: AGAIN_MS
  })

/** The newest saved definitions of a schedule, at most `most`. */
export const versionsQuery = (id: string, most: number) =>
  queryOptions({
    queryKey: ['schedules', 'one', id, 'versions', most],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/on-call/schedules/{id}/versions', { params: { path: { id }, query: { per_page: most } }, signal })),
    refetchInterval: AGAIN_MS
  })

/** Overrides of a schedule that touch the span (epoch ms), the earliest begin first. */
export const overridesQuery = (schedule_id: string, { from, to }: { from: number; to: number }) =>
  queryOptions({
    queryKey: ['schedules', 'one', schedule_id, 'overrides', from, to],
    queryFn: ({ signal }) => {
      const query = { schedule_id, from: instant(from), to: instant(to), sort: 'starts_at' as const, per_page: PER_PAGE }
      return take(client.GET('/api/v1/on-call/overrides', { params: { query }, signal }))
    },
    refetchInterval: AGAIN_MS
  })

/** How many days of coverage the pages show. */
export const COVERAGE_DAYS = 28

/** Coverage from now on, of one schedule; null: of all. */
export const coverageQuery = (schedule_id: string | null) =>
  queryOptions({
    queryKey: ['schedules', 'coverage', schedule_id],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/on-call/coverage', { params: { query: schedule_id === null ? {} : { schedule_id } }, signal })),
    refetchInterval: AGAIN_MS
  })

/** Open swap requests of one schedule (null: of all). Those that begin last come first. */
export const swapsQuery = (schedule_id: string | null) =>
  queryOptions({
    queryKey: ['schedules', 'swaps', schedule_id],
    queryFn: ({ signal }) => {
      const query = { state: 'open' as const, per_page: PER_PAGE, ...(schedule_id !== null && { schedule_id }) }
      return allPages((page) => take(client.GET('/api/v1/on-call/swaps', { params: { query: { ...query, page } }, signal })))
    },
    refetchInterval: AGAIN_MS
  })

export const createSchedule = async (body: NewSchedule): Promise<Schedule> =>
  (await take(client.POST('/api/v1/on-call/schedules', { body }))) as Schedule

export const previewSchedule = async (body: NewSchedule, signal?: AbortSignal): Promise<SchedulePreview> =>
  (await take(
    client.POST('/api/v1/on-call/schedules', { params: { query: { preview: true } }, body, ...(signal && { signal }) })
  )) as SchedulePreview

/** A change applies only if the version is still the one that its author saw. */
const ofSeen = ({ id, version }: Pick<Schedule, 'id' | 'version'>) => ({
  params: { path: { id } },
  headers: { 'if-match': `"${version}"` }
})

export const changeSchedule = (schedule: Pick<Schedule, 'id' | 'version'>, body: ScheduleChange): Promise<Schedule> =>
  take(client.PATCH('/api/v1/on-call/schedules/{id}', { ...ofSeen(schedule), body }))
export const deleteSchedule = (schedule: Pick<Schedule, 'id' | 'version'>) =>
  take(client.DELETE('/api/v1/on-call/schedules/{id}', ofSeen(schedule)))

export const createOverride = (body: NewOverride): Promise<Override> => take(client.POST('/api/v1/on-call/overrides', { body }))
export const endOverride = (id: string) => take(client.DELETE('/api/v1/on-call/overrides/{id}', { params: { path: { id } } }))

export const askSwap = (body: NewSwap) => take(client.POST('/api/v1/on-call/swaps', { body }))
export const takeSwap = (id: string) => take(client.POST('/api/v1/on-call/swaps/{id}/take', { params: { path: { id } } }))
export const withdrawSwap = (id: string) => take(client.DELETE('/api/v1/on-call/swaps/{id}', { params: { path: { id } } }))

/** Ids of the schedules that name a person, directly or by an override, in the span (epoch ms). */
export const mySchedulesQuery = (user_id: string, { from, to }: { from: number; to: number }) =>
  queryOptions({
    queryKey: ['schedules', 'mine', user_id, from],
    queryFn: async ({ signal }): Promise<string[]> => {
      const [named, overridden] = await Promise.all([
        allPages((page) =>
          take(client.GET('/api/v1/on-call/schedules', { params: { query: { user_id, page, per_page: PER_PAGE } }, signal }))
        ),
        allPages((page) => {
          const query = { user_id, from: instant(from), to: instant(to), page, per_page: PER_PAGE }
          return take(client.GET('/api/v1/on-call/overrides', { params: { query }, signal }))
        })
      ])
      return [...new Set([...named.items.map(({ id }) => id), ...overridden.items.map(({ schedule_id }) => schedule_id)])]
    },
    refetchInterval: AGAIN_MS
  })

/** The final shifts of a person in a schedule. */
export const myShiftsQuery = (id: string, user_id: string, { from, to }: { from: number; to: number }) =>
  queryOptions({
    queryKey: ['schedules', 'one', id, 'shifts of', user_id, from],
    queryFn: ({ signal }) => {
      const query = { user_id, from: instant(from), to: instant(to) }
      return takeJson(client.GET('/api/v1/on-call/schedules/{id}/shifts', { params: { path: { id }, query }, signal }))
    },
    refetchInterval: AGAIN_MS
  })

export const calendarFeedsQuery = queryOptions({
  queryKey: ['calendar feeds', 'list'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/on-call/ical-links', { params: { query: { per_page: PER_PAGE } }, signal }))
})
export const createCalendarFeed = (body: { schedule_id: string | null }) => take(client.POST('/api/v1/on-call/ical-links', { body }))
export const revokeCalendarFeed = (id: string) => take(client.DELETE('/api/v1/on-call/ical-links/{id}', { params: { path: { id } } }))

/**
 * Reads everything about schedules again, because one change shows in shifts, in coverage and in
 * who is on call.
 */
export const readSchedulesAgain = (queries: QueryClient): Promise<void> => queries.invalidateQueries({ queryKey: ['schedules'] })
