/**
 * The last 24 hours of monitors and heartbeats, for the rows of lists: by the hour, how they fared
 * and how fast they answered. Rows that are drawn at the same moment are asked for together, and
 * only those that are drawn are asked for.
 */
import { queryOptions } from '@tanstack/react-query'
import type { Slot } from '../parts/StatusBand.tsx'
import { client, takeJson } from './client.ts'

const HOUR_MS = 3_600_000
const HOURS = 24
/** A row of the past moves once an hour; the hour that runs is looked at so often. */
const AGAIN_MS = 300_000
/** Rows of one look at the list come together. */
const GATHER_MS = 60
/** As the api takes them. */
const AT_ONCE = 100
/** Rows that get their data in one task, so that the list still scrolls while they are drawn. */
const DRAWN_AT_ONCE = 4

export type Kind = 'monitor' | 'heartbeat'

export interface StripData {
  slots: readonly Slot[]
  /** Median response time of each hour, ms; null: nothing answered. Of monitors alone. */
  medians: readonly (number | null)[]
}

interface Waiting {
  resolve: (data: StripData) => void
  reject: (error: unknown) => void
}

const waiting: Record<Kind, Map<string, Waiting[]>> = { monitor: new Map(), heartbeat: new Map() }
const timers: Partial<Record<Kind, ReturnType<typeof setTimeout>>> = {}

/** Whole hours, the one that runs included. */
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

async function flush(kind: Kind): Promise<void> {
  delete timers[kind]
  const asked = [...waiting[kind]]
  waiting[kind].clear()
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const some = asked.slice(at, at + AT_ONCE)
    try {
      const found = await read(
        kind,
        some.map(([id]) => id)
      )
      for (const [nth, [id, askers]] of some.entries()) {
        if (nth > 0 && nth % DRAWN_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve))
        for (const { resolve } of askers) resolve(found.get(id) ?? { slots: [], medians: [] })
      }
    } catch (error) {
      for (const [, askers] of some) for (const { reject } of askers) reject(error)
    }
  }
}

const load = (kind: Kind, id: string): Promise<StripData> =>
  new Promise((resolve, reject) => {
    waiting[kind].set(id, [...(waiting[kind].get(id) ?? []), { resolve, reject }])
    timers[kind] ??= setTimeout(() => void flush(kind), GATHER_MS)
  })

export const stripQuery = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: ['analytics', 'strip', kind, id],
    queryFn: () => load(kind, id),
    staleTime: AGAIN_MS,
    refetchInterval: AGAIN_MS,
    refetchOnWindowFocus: false,
    // Beside the list, not the list: what is missing stays missing until the next look.
    retry: false
  })
