/** Figures of the workspace over a span of time. */
import { queryOptions } from '@tanstack/react-query'
import { ownZone } from '../parts/clock.ts'
import { type RangeName, spanOf } from '../parts/range.ts'
import { client, figuresAgain, take, takeJson } from './client.ts'

/** Figures move slowly. */
const AGAIN_MS = 300_000
const SOURCES = 20
const HOUR_MS = 3_600_000

/**
 * Extends the span to the end of the current hour, so that the same range leads to the same
 * request.
 */
function spanIn(range: RangeName): { from: string; to: string; time_zone: string } {
  const { from, to } = spanOf({ range }, Math.ceil(Date.now() / HOUR_MS) * HOUR_MS)
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), time_zone: ownZone() }
}

const options = { staleTime: AGAIN_MS, refetchInterval: AGAIN_MS, ...figuresAgain } as const

export const uptimeFigures = (range: RangeName) =>
  queryOptions({
    queryKey: ['analytics', 'all', 'uptime', range],
    queryFn: ({ signal }) => takeJson(client.GET('/api/v1/analytics/uptime', { params: { query: spanIn(range) }, signal })),
    ...options
  })

export const latencyFigures = (range: RangeName) =>
  queryOptions({
    queryKey: ['analytics', 'all', 'latency', range],
    queryFn: ({ signal }) =>
      takeJson(client.GET('/api/v1/analytics/latency', { params: { query: { ...spanIn(range), phases: false } }, signal })),
    ...options
  })

export const incidentFigures = (range: RangeName) =>
  queryOptions({
    queryKey: ['analytics', 'all', 'incidents', range],
    queryFn: async ({ signal }) => {
      const query = spanIn(range)
      const [whole, days] = await Promise.all([
        takeJson(client.GET('/api/v1/analytics/incidents', { params: { query }, signal })),
        takeJson(client.GET('/api/v1/analytics/incidents', { params: { query: { ...query, bucket: 'day' } }, signal }))
      ])
      return { span: { from: Date.parse(query.from), to: Date.parse(query.to) }, whole: whole.items[0] ?? null, days: days.items }
    },
    ...options
  })

export const sourceFigures = (range: RangeName) =>
  queryOptions({
    queryKey: ['analytics', 'all', 'alerts', range],
    queryFn: ({ signal }) =>
      takeJson(client.GET('/api/v1/analytics/alerts', { params: { query: { ...spanIn(range), limit: SOURCES } }, signal })),
    ...options
  })

/** The figures of the intake, for at most 30 days. */
export const pipelineFigures = (range: RangeName) =>
  queryOptions({
    queryKey: ['analytics', 'all', 'pipeline', range],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/analytics/pipeline', { params: { query: spanIn(range === '90d' ? '30d' : range) }, signal })),
    ...options
  })

/** Returns the address of the same figures as a CSV file. */
export const addressOf = (what: 'uptime' | 'latency' | 'incidents' | 'alerts', range: RangeName): string =>
  `/api/v1/analytics/${what}?${new URLSearchParams({ ...spanIn(range), format: 'csv' })}`
