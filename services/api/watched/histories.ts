/**
 * The history of one monitor or heartbeat, newest first: its checks, its changes of status, its
 * pings, and how long its runs took. Pages of these growing lists are found by cursor. The first
 * page fixes the span, so that later pages neither repeat nor miss a row.
 * Source: docs/design/api/monitors.md#mo-10, #mo-11 and docs/design/api/heartbeats.md#hb-8, #hb-18.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { CheckRow, PingRow, RunsRow, StatusChangeRow } from '../../../schemas/analytics.ts'
import {
  type Check,
  CheckList,
  ChecksQuery,
  PingList,
  PingsQuery,
  RunFigures,
  RunsQuery,
  type StatusChange,
  StatusChangeList,
  StatusChangesQuery
} from '../../../schemas/http/analytics.ts'
import { Id, iso } from '../../../schemas/http/common.ts'
import type { Ping } from '../../../schemas/http/heartbeats.ts'
import { planOf } from '../../../schemas/plans.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { knownIncidents, listEntities } from '../../store/entities.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { logEnvelope, pageOfLog } from '../http/log-pages.ts'
import { type SpanRules, spanOf } from '../http/span.ts'
import type { Services } from '../services.ts'

/** The longest span of a list of checks or pings. */
const MAX_DAYS = 31

export function toCheck(row: CheckRow): Check {
  const { first_byte, ...timings } = row.timings_ms
  return {
    check_id: row.check_id,
    monitor_id: row.monitor_id,
    region: row.region,
    prober_instance: row.prober,
    prober_version: row.prober_version,
    config_version: row.config_version,
    seq: row.seq,
    kind: row.kind,
    count: row.count,
    skewed: row.skewed,
    scheduled_at: iso(row.scheduled_at),
    started_at: iso(row.checked_at),
    finished_at: iso(row.finished_at),
    received_at: iso(row.received_at),
    outcome: row.outcome,
    reason: row.reason,
    message: row.message,
    attempts: row.attempts,
    timings_ms: { ...timings, ttfb: first_byte },
    http: row.status_code === null && row.response_bytes === null ? null : { status: row.status_code, bytes: row.response_bytes },
    tls:
      row.certificate_not_after === null && row.certificate_issuer === null && row.certificate_chain_ok === null
        ? null
        : { issuer: row.certificate_issuer, not_after: iso(row.certificate_not_after), chain_ok: row.certificate_chain_ok },
    assertions: row.assertions,
    captured: row.captured
  }
}

const toStatusChange = (row: StatusChangeRow, incident_id: string | null): StatusChange => ({
  id: row.transition_id,
  ver: row.ver,
  from: row.previous_status,
  to: row.status,
  previous_phase: row.previous_phase,
  phase: row.phase,
  at: iso(row.at),
  reason: row.reason,
  message: row.message,
  cause: row.cause,
  incident_id,
  votes: row.votes
})

const toPing = (row: PingRow): Ping => ({
  id: row.ping_id,
  n: row.n,
  kind: row.kind,
  exit_code: row.exit_code,
  received_at: iso(row.received_at),
  run_id: row.run_id,
  duration_ms: row.duration_ms,
  source_class: row.source_class,
  user_agent: row.user_agent,
  method: row.method,
  body_bytes: row.body_bytes,
  body_excerpt: row.body_excerpt
})

function durationsOf({ succeeded, min, avg, p50, p95, max }: RunsRow): RunFigures['duration_ms'] {
  return succeeded === 0 || avg === null || p50 === null || p95 === null ? null : { min, avg, p50, p95, max }
}

/**
 * An incident that a transition opens gets its id from the transition (streams/incident/fold.ts).
 */
const opensIncident = (transition_id: string): string => uuidv5(transition_id, 'incident')

const Params = Type.Object({ id: Id })

export const historyRoutes =
  ({ pool, analytics }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    /**
     * Returns the id as the workspace has it. Throws NOT_FOUND if it has none, before anything else
     * is asked.
     */
    async function known(caller: Caller, kind: 'monitor' | 'heartbeat', given: string): Promise<string> {
      const ids = [given.toLowerCase()]
      const filter = kind === 'monitor' ? { monitor_ids: ids, heartbeat_ids: [] } : { monitor_ids: [], heartbeat_ids: ids }
      const [found] = await tenantTransaction(pool, caller, (tx) => listEntities(tx, caller.tenant_id, filter, 1))
      if (!found) throw notFound()
      return found.id
    }

    const keptOf = ({ plan }: Caller): SpanRules => ({ kept_days: planOf(plan).limits.check_retention_days, most_days: MAX_DAYS })

    app.route({
      ...on('listChecks', { params: Params, querystring: ChecksQuery, response: { 200: CheckList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const monitor_id = await known(caller, 'monitor', request.params.id)
        const { region: regions = [], outcome: outcomes = [], reason: reasons = [] } = request.query
        const { rows, ...page } = await pageOfLog<'checks_list'>(request.query, {
          list: ['checks', caller.tenant_id, monitor_id, regions, outcomes, reasons],
          kept: keptOf(caller),
          shape: ['number', 'number', 'string'],
          keysOf: (row) => [row.checked_at, row.seq, row.region],
          ask: (position, { from, to }, limit) => {
            const [checked_at, seq, region] = position?.keys ?? []
            const before = position ? { checked_at: Number(checked_at), seq: Number(seq), region: String(region) } : null
            return analytics.ask('checks_list', caller.tenant_id, { monitor_id, regions, outcomes, reasons, from, to, before, limit })
          }
        })
        return logEnvelope(rows.map(toCheck), page)
      }
    })

    app.route({
      ...on('listStatusChanges', { params: Params, querystring: StatusChangesQuery, response: { 200: StatusChangeList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const id = await known(caller, 'monitor', request.params.id)
        const { rows, ...page } = await pageOfLog<'status_changes_list'>(request.query, {
          list: ['status-changes', tenant_id, id],
          kept: { kept_days: planOf(caller.plan).limits.rollup_retention_days },
          shape: ['number', 'number'],
          keysOf: (row) => [row.at, row.ver],
          ask: (position, { from, to }, limit) => {
            const [at, ver] = position?.keys ?? []
            const before = position ? { at: Number(at), ver: Number(ver) } : null
            return analytics.ask('status_changes_list', tenant_id, { kind: 'monitor', id, from, to, before, limit })
          }
        })
        const opened = rows.map((row) => opensIncident(row.transition_id))
        const incidents = await tenantTransaction(pool, callerOf(request), (tx) => knownIncidents(tx, tenant_id, opened))
        const items = rows.map((row) => {
          const incident_id = opensIncident(row.transition_id)
          return toStatusChange(row, incidents.has(incident_id) ? incident_id : null)
        })
        return logEnvelope(items, page)
      }
    })

    app.route({
      ...on('listPings', { params: Params, querystring: PingsQuery, response: { 200: PingList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const heartbeat_id = await known(caller, 'heartbeat', request.params.id)
        const { kind: kinds = [] } = request.query
        const { rows, ...page } = await pageOfLog<'pings_list'>(request.query, {
          list: ['pings', caller.tenant_id, heartbeat_id, kinds],
          kept: keptOf(caller),
          shape: ['number', 'number'],
          keysOf: (row) => [row.received_at, row.n],
          ask: (position, { from, to }, limit) => {
            const [received_at, n] = position?.keys ?? []
            const before = position ? { received_at: Number(received_at), n: Number(n) } : null
            return analytics.ask('pings_list', caller.tenant_id, { heartbeat_id, kinds, from, to, before, limit })
          }
        })
        return logEnvelope(rows.map(toPing), page)
      }
    })

    app.route({
      ...on('readRuns', { params: Params, querystring: RunsQuery, response: { 200: RunFigures } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const heartbeat_id = await known(caller, 'heartbeat', request.params.id)
        const { from, to } = spanOf(request.query, keptOf(caller), Date.now())
        const { rows, complete_until } = await analytics.ask('runs', caller.tenant_id, { heartbeat_id, from, to })
        const [row] = rows
        return {
          from: iso(from),
          to: iso(to),
          succeeded: row?.succeeded ?? 0,
          failed: row?.failed ?? 0,
          duration_ms: row ? durationsOf(row) : null,
          complete_until: iso(complete_until)
        }
      }
    })
  }
