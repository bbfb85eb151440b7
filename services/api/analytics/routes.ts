/**
 * Figures about the past: uptime, latency, incidents. Postgres says what the workspace has, so an
 * id of another workspace is a 404 before analytics is asked; analytics counts. While analytics is
 * down, these routes answer 503, and no other route of the api does.
 * Source: docs/design/api/analytics.md#s11.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import {
  type BucketSize,
  type LatencyPhaseRow,
  type LatencyRow,
  type NoiseRow,
  queryLimits,
  type UptimeRow
} from '../../../schemas/analytics.ts'
import {
  type AlertFigures,
  AlertFiguresAnswer,
  AlertFiguresQuery,
  type IncidentFigures,
  IncidentFiguresAnswer,
  IncidentFiguresQuery,
  jsonOrCsv,
  LatencyAnswer,
  type LatencyItem,
  LatencyQuery,
  PipelineAnswer,
  PipelineQuery,
  pipelineStages,
  type Spread,
  UptimeAnswer,
  type UptimeItem,
  UptimeQuery
} from '../../../schemas/http/analytics.ts'
import { iso } from '../../../schemas/http/common.ts'
import { planOf } from '../../../schemas/plans.ts'
import { version } from '../../process/version.ts'
import { type EntityFilter, listEntities } from '../../store/entities.ts'
import { pipelineFigures } from '../../store/pipeline-figures.ts'
import { keyedTransaction, tenantTransaction } from '../../store/pool.ts'
import { readSight } from '../../store/teams.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { csvOf } from '../http/csv.ts'
import { on } from '../http/endpoint.ts'
import { invalid, notFound } from '../http/errors.ts'
import { bucketsIn, canonicalZone, type Span, spanOf } from '../http/span.ts'
import type { Services } from '../services.ts'

type Bucket = Exclude<BucketSize, 'all'>

/**
 * This many entities, with all their tags, stay well below the largest query that analytics
 * accepts.
 */
const ENTITIES_AT_ONCE = 500
/** More monitors and heartbeats than any plan has. */
const MAX_ENTITIES = 20_000

const lower = (ids: readonly string[] | undefined): string[] | null => (ids ? [...new Set(ids.map((id) => id.toLowerCase()))] : null)

/**
 * Null as soon as one of them is null: the answer is complete only up to the instant that all of
 * them have reached.
 */
const earliest = (instants: readonly (number | null)[]): number | null =>
  instants.includes(null) || instants.length === 0 ? null : Math.min(...instants.filter((at) => at !== null))

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((total, item) => total + of(item), 0)

const spread = ({ count, min, avg, p50, p75, p90, p95, p99, max, stdev }: Spread): Spread => ({
  count,
  min,
  avg,
  p50,
  p75,
  p90,
  p95,
  p99,
  max,
  stdev
})

function sloOf({ up_seconds, degraded_seconds, down_seconds }: UptimeRow, target: number | undefined): UptimeItem['slo'] {
  if (target === undefined) return null
  const share = (100 - target) / 100
  const budget = share * (up_seconds + degraded_seconds + down_seconds)
  return { target, budget_left_seconds: budget - down_seconds, burn_rate: budget === 0 ? 0 : down_seconds / budget }
}

const toUptime = (row: UptimeRow, target: number | undefined): UptimeItem => ({
  ...row,
  from: iso(row.from),
  to: iso(row.to),
  slo: sloOf(row, target)
})

const toLatency = (row: LatencyRow): LatencyItem => ({
  monitor_id: row.monitor_id || null,
  region: row.region || null,
  from: iso(row.from),
  to: iso(row.to),
  ...spread(row)
})

function phasesOf(rows: readonly LatencyPhaseRow[]) {
  const of = (phase: LatencyPhaseRow['phase']): Spread | null => {
    const row = rows.find((one) => one.phase === phase)
    return row ? spread(row) : null
  }
  return {
    dns: of('dns'),
    connect: of('connect'),
    tls: of('tls'),
    request: of('request'),
    ttfb: of('first_byte'),
    download: of('download')
  }
}

const toAlertFigures = ({ kind, type, id, alerts, recoveries, incidents, acknowledged, noise }: NoiseRow): AlertFigures => ({
  source: { kind, type: type || null, id: id || null },
  alerts,
  recoveries,
  incidents,
  acknowledged,
  noise,
  noise_percent: incidents === 0 ? null : (100 * noise) / incidents,
  dedup_ratio: incidents === 0 || alerts === 0 ? null : alerts / incidents
})

/** The fields of an answer other than its items. */
const frameOf = (span: Span, bucket: Bucket | undefined, complete_until: number | null) => ({
  from: iso(span.from),
  to: iso(span.to),
  bucket: bucket ?? null,
  time_zone: span.time_zone,
  complete_until: iso(complete_until),
  excluded: { maintenance_seconds: 0, unknown_seconds: 0 },
  engine_version: version
})

/**
 * Throws if the answer would have too many buckets, or too many rows in all with `each` rows per
 * bucket.
 */
function checkBuckets(span: Span, bucket: BucketSize, each: number): void {
  const buckets = bucketsIn(span, bucket)
  const most = Math.min(queryLimits.buckets, Math.max(1, Math.floor(queryLimits.figures / Math.max(1, each))))
  if (bucket === 'all' || buckets <= most) return
  throw invalid('bucket', 'max', 'makes too many buckets of this span for one answer: take a larger one, or ask for less', {
    limit: most,
    actual: buckets
  })
}

/**
 * Throws if the answer has too many rows. How many there are depends on what happened, so it is
 * known only afterwards.
 */
function checkRows(rows: readonly unknown[], bucket: BucketSize): void {
  if (rows.length <= queryLimits.figures) return
  const path = bucket === 'all' ? 'group_by' : 'bucket'
  throw invalid(path, 'max', 'makes too many figures for one answer: take a larger bucket or a shorter span, or ask for less', {
    limit: queryLimits.figures
  })
}

/** Sends the answer as JSON, or its items as CSV. */
function sendFigures<T extends { items: object[]; complete_until: string | null }>(
  reply: FastifyReply,
  format: 'json' | 'csv',
  name: string,
  answer: T
) {
  if (format === 'json') return answer
  reply.header('content-disposition', `attachment; filename="${name}.csv"`).type('text/csv; charset=utf-8')
  if (answer.complete_until !== null) reply.header('x-complete-until', answer.complete_until)
  return csvOf(answer.items)
}

export const analyticsRoutes =
  ({ pool, analytics }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    /**
     * Returns the entities that the filter names. Throws NOT_FOUND when the workspace lacks one of
     * the ids.
     */
    async function entitiesOf(caller: Caller, filter: EntityFilter) {
      const entities = await tenantTransaction(pool, caller, (tx) =>
        listEntities(tx, caller.tenant_id, { ...filter, tags: undefined }, MAX_ENTITIES)
      )
      const named = [...(filter.monitor_ids ?? []), ...(filter.heartbeat_ids ?? [])]
      const known = new Set(entities.map(({ id }) => id))
      if (named.some((id) => !known.has(id))) throw notFound()
      const { tags } = filter
      return tags ? entities.filter((entity) => entity.tags.some((tag) => tags.includes(tag))) : entities
    }

    app.route({
      ...on('readUptime', { querystring: UptimeQuery, response: { 200: jsonOrCsv(UptimeAnswer) } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, plan } = caller
        const { monitor_ids, heartbeat_ids, tag, bucket, slo_target, format = 'json' } = request.query
        const span = spanOf(request.query, { kept_days: planOf(plan).limits.rollup_retention_days }, Date.now())
        const some = monitor_ids !== undefined || heartbeat_ids !== undefined
        const entities = await entitiesOf(caller, {
          monitor_ids: some ? (lower(monitor_ids) ?? []) : null,
          heartbeat_ids: some ? (lower(heartbeat_ids) ?? []) : null,
          tags: tag
        })
        checkBuckets(span, bucket ?? 'all', entities.length)
        const sight = await keyedTransaction(pool, caller, readSight)
        const parts = Array.from({ length: Math.ceil(entities.length / ENTITIES_AT_ONCE) }, (_, at) =>
          entities.slice(at * ENTITIES_AT_ONCE, (at + 1) * ENTITIES_AT_ONCE)
        )
        const answers = await Promise.all(
          parts.map((part) =>
            analytics.ask('uptime', tenant_id, {
              entities: part,
              from: span.from,
              to: span.to,
              bucket: bucket ?? 'all',
              time_zone: canonicalZone(span.time_zone),
              sight
            })
          )
        )
        const rows = answers.flatMap((answer) => answer.rows)
        const answer = {
          ...frameOf(span, bucket, earliest(answers.map(({ complete_until }) => complete_until))),
          excluded: {
            maintenance_seconds: sum(rows, (row) => row.maintenance_seconds),
            unknown_seconds: sum(rows, (row) => row.unknown_seconds)
          },
          items: rows.map((row) => toUptime(row, slo_target))
        }
        return sendFigures(reply, format, 'uptime', answer)
      }
    })

    app.route({
      ...on('readLatency', { querystring: LatencyQuery, response: { 200: jsonOrCsv(LatencyAnswer) } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, plan } = caller
        const { monitor_ids, regions = [], bucket, group_by = ['monitor'], phases: withPhases = true, format = 'json' } = request.query
        const span = spanOf(request.query, { kept_days: planOf(plan).limits.rollup_retention_days }, Date.now())
        const monitors = await entitiesOf(caller, { monitor_ids: lower(monitor_ids), heartbeat_ids: [] })
        if (monitors.length > queryLimits.entities) {
          throw invalid('monitor_ids', 'length', `name at most ${queryLimits.entities} monitors`, {
            limit: queryLimits.entities,
            actual: monitors.length
          })
        }
        const by_monitor = group_by.includes('monitor')
        checkBuckets(span, bucket ?? 'all', by_monitor ? monitors.length : 1)
        if (monitors.length === 0) {
          return sendFigures(reply, format, 'latency', {
            ...frameOf(span, bucket, null),
            items: [],
            overall: null,
            phases: withPhases ? phasesOf([]) : null
          })
        }
        const about = { from: span.from, to: span.to, monitor_ids: monitors.map(({ id }) => id), regions }
        const by_region = group_by.includes('region')
        const whole = { ...about, bucket: 'all', by_monitor: false, by_region: false } as const
        // The engine runs one query after another, so a query is left out when another one already
        // holds its answer.
        const already = bucket === undefined && !by_region && (!by_monitor || monitors.length === 1)
        // A file has only the items.
        const isFile = format === 'csv'
        const [rows, overall, phases] = await Promise.all([
          analytics.ask('latency', tenant_id, {
            ...about,
            bucket: bucket ?? 'all',
            time_zone: canonicalZone(span.time_zone),
            by_monitor,
            by_region
          }),
          already || isFile ? null : analytics.ask('latency', tenant_id, whole),
          withPhases && !isFile ? analytics.ask('latency_phases', tenant_id, about) : null
        ])
        checkRows(rows.rows, bucket ?? 'all')
        const answers = [rows, overall, phases].filter((one) => one !== null)
        const [all] = (overall ?? rows).rows
        const answer = {
          ...frameOf(span, bucket, earliest(answers.map(({ complete_until }) => complete_until))),
          items: rows.rows.map(toLatency),
          overall: all && all.count > 0 ? spread(all) : null,
          phases: phases && phasesOf(phases.rows)
        }
        return sendFigures(reply, format, 'latency', answer)
      }
    })

    app.route({
      ...on('readIncidentFigures', { querystring: IncidentFiguresQuery, response: { 200: jsonOrCsv(IncidentFiguresAnswer) } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, plan } = caller
        const { severity, team_id, monitor_ids, source_kind, bucket, group_by = 'none', format = 'json' } = request.query
        const span = spanOf(request.query, { kept_days: planOf(plan).limits.incident_retention_days }, Date.now())
        checkBuckets(span, bucket ?? 'all', 1)
        const monitors = lower(monitor_ids)
        if (monitors) await entitiesOf(caller, { monitor_ids: monitors, heartbeat_ids: [] })
        const { rows, complete_until } = await analytics.ask('incidents', tenant_id, {
          from: span.from,
          to: span.to,
          bucket: bucket ?? 'all',
          time_zone: canonicalZone(span.time_zone),
          group_by,
          sight: await keyedTransaction(pool, caller, readSight),
          ...(severity && { severities: severity }),
          ...(team_id && { team_ids: lower(team_id) ?? [] }),
          ...(source_kind && { source_kinds: source_kind }),
          ...(monitors && { monitor_ids: monitors })
        })
        checkRows(rows, bucket ?? 'all')
        const items = rows.map(
          (row): IncidentFigures => ({
            group: row.group || null,
            from: iso(row.from),
            to: iso(row.to),
            opened: row.opened,
            resolved: row.resolved,
            acknowledged: row.acknowledged,
            acked_percent: row.opened === 0 ? null : (100 * row.acknowledged) / row.opened,
            mtta: { avg: row.mtta_avg, p50: row.mtta_p50, p90: row.mtta_p90 },
            mttr: { avg: row.mttr_avg, p50: row.mttr_p50, p90: row.mttr_p90 },
            reopened: row.reopened
          })
        )
        return sendFigures(reply, format, 'incidents', { ...frameOf(span, bucket, complete_until), items })
      }
    })

    app.route({
      ...on('readAlertFigures', { querystring: AlertFiguresQuery, response: { 200: jsonOrCsv(AlertFiguresAnswer) } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, plan } = caller
        const { limit = 50, format = 'json' } = request.query
        const span = spanOf(request.query, { kept_days: planOf(plan).limits.incident_retention_days }, Date.now())
        const sight = await keyedTransaction(pool, caller, readSight)
        const { rows, complete_until } = await analytics.ask('noise', tenant_id, { from: span.from, to: span.to, limit, sight })
        const items = rows.map(toAlertFigures)
        return sendFigures(reply, format, 'alerts', { ...frameOf(span, undefined, complete_until), items })
      }
    })

    app.route({
      ...on('readPipeline', { querystring: PipelineQuery, response: { 200: PipelineAnswer } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const span = spanOf(request.query, { kept_days: null, most_days: 31 }, Date.now())
        const rows = await tenantTransaction(pool, caller, (tx) => pipelineFigures(tx, caller.tenant_id, span))
        const stages = rows.flatMap(({ stage, count, p50, p95, p99 }) =>
          p50 === null || p95 === null || p99 === null ? [] : [{ stage, count, p50, p95, p99 }]
        )
        const known = new Set<string>(stages.map(({ stage }) => stage))
        return {
          from: iso(span.from),
          to: iso(span.to),
          time_zone: span.time_zone,
          stages,
          unknown_spans: pipelineStages.filter((stage) => !known.has(stage)),
          engine_version: version
        }
      }
    })
  }
