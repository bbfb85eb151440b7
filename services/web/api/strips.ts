/**
 * The last 24 hours of monitors and heartbeats for the rows of lists: status and response time by
 * the hour. The requests of several rows are combined (gather.ts).
 */
import { queryOptions } from '@tanstack/react-query'
import type { Slot } from '../parts/StatusBand.tsx'
import { client, figuresAgain, takeJson } from './client.ts'
import { createGather } from './gather.ts'

const HOUR_MS = 3_600_000
const HOURS = 24
/** Polling interval for the current hour. Past hours move on only once an hour. */
const AGAIN_MS = 300_000
/** The most ids that the api accepts in one request. */
const AT_ONCE = 100
/**
 * Rows that get their data in one task. The limit keeps the list scrollable while rows are drawn.
 */
const DRAWN_AT_ONCE = 4

export type Kind = 'monitor' | 'heartbeat'

export interface StripData {
  slots: readonly Slot[]
  /** Median response time of each hour, in ms; null: nothing answered. Only for monitors. */
  medians: readonly (number | null)[]
}

/** Whole hours, and the current hour so far. */
function spanNow(): { from: number; to: number } {
  const now = Date.now()
  return { from: Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS, to: now }
}

async function read(kind: Kind, ids: readonly string[]): Promise<Map<string, StripData>> {
  const { from, to } = spanNow()
  const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), bucket: 'hour' as const }
  const [uptime, latency] = await Promise.all([
    takeJson(
      client.GET('/api/v1/analytics/uptime', {
        params: { query: { ...query, ...(kind === 'monitor' ? { monitor_ids: [...ids] } : { heartbeat_ids: [...ids] }) } }
      })
    ),
    kind === 'monitor'
      ? takeJson(
          client.GET('/api/v1/analytics/latency', {
            params: { query: { ...query, monitor_ids: [...ids], group_by: ['monitor'], phases: false } }
          })
        )
      : null
  ])
  const hourOf = (at: string): number => Math.floor((Date.parse(at) - from) / HOUR_MS)
  return new Map(
    ids.map((id) => {
      const medians: (number | null)[] = Array.from({ length: kind === 'monitor' ? HOURS : 0 }, () => null)
      for (const item of latency?.items ?? []) if (item.monitor_id === id && item.count > 0) medians[hourOf(item.from)] = item.p50
      return [id, { slots: uptime.items.filter((item) => item.id === id), medians }]
    })
  )
}

/** Combines the requests of the rows that are visible together. */
const gathered = (kind: Kind) =>
  createGather<StripData>(async (ids, answer) => {
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = ids.slice(at, at + AT_ONCE)
      const found = await read(kind, some)
      for (const [nth, id] of some.entries()) {
        if (nth > 0 && nth % DRAWN_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve))
        answer(id, found.get(id) ?? { slots: [], medians: [] })
      }
    }
  })

const load: Readonly<Record<Kind, ReturnType<typeof gathered>>> = { monitor: gathered('monitor'), heartbeat: gathered('heartbeat') }

export const stripQuery = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: ['analytics', 'strip', kind, id],
    queryFn: ({ signal }) => load[kind](id, signal),
    staleTime: AGAIN_MS,
    refetchInterval: AGAIN_MS,
    refetchOnWindowFocus: false,
    // Rows that were refused together are asked for together again. The strips only add to the
    // list, so one that still failed stays empty until the next poll.
    ...figuresAgain
  })
