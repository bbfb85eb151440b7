/**
 * Reads incidents, and lets people act on them. An action runs the incident processor's own rules
 * in one Postgres transaction with the audit row, the outbox rows and the timers. So an
 * acknowledgement works while Kafka is down, and the answer already shows the result. Repeating an
 * action changes nothing and answers 200 with the incident as it is.
 * Source: docs/design/specification.md#s3-1, docs/design/api/incidents.md#s5.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { envelope } from '../../../schemas/http/common.ts'
import {
  AcknowledgeBody,
  AssignBody,
  CloseBody,
  DeclareBody,
  IncidentDetail,
  IncidentList,
  IncidentParams,
  IncidentQuery,
  ResolveBody,
  SilenceBody,
  Timeline,
  UnacknowledgeBody,
  VersionQuery
} from '../../../schemas/http/incidents.ts'
import { uuidv4, uuidv5, uuidv7 } from '../../../schemas/uuid.ts'
import { fromDeclaration } from '../../../streams/incident/signals.ts'
import { policyOfTeam } from '../../../streams/routing/policies.ts'
import { actorText } from '../../store/audit.ts'
import { loadHoldFacts } from '../../store/hold-facts.ts'
import { declareIncident, Unseen } from '../../store/incident-commands.ts'
import { countIncidents } from '../../store/incident-counts.ts'
import { type IncidentFilter, listIncidents, readIncident } from '../../store/incident-reads.ts'
import { keyedTransaction, listTransaction, type Tx } from '../../store/pool.ts'
import { loadPolicies } from '../../store/routing.ts'
import { retrying } from '../../store/row-moved.ts'
import { chosenPolicy } from '../escalation/rules.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { incidentAsSeen, incidentsAsSeen } from '../routing/hidden.ts'
import type { Services } from '../services.ts'
import { chosenTeam } from '../teams/rules.ts'
import { actions, type BulkAction, checkMember, locksOf } from './actions.ts'
import { auditEvents, command, type MakeCommand } from './commands.ts'
import { toDetail } from './detail.ts'
import { exportIncidents } from './export.ts'
import { instant, labelsOf } from './query.ts'
import { timelinePage } from './timeline.ts'

/**
 * Declares an incident under a name derived from `dedup_key` within `scope` (a team, or the
 * workspace); without a key the name is random. Nobody finds, or is blocked by, an incident that
 * they do not see: if the incident of a name was moved out of the caller's sight, its id becomes
 * the scope of the next name.
 */
async function underSeenKey<T>(scope: string, dedup_key: string | undefined, declare: (name: string) => Promise<T>): Promise<T> {
  if (dedup_key === undefined) return declare(uuidv4())
  for (let within = scope; ; ) {
    try {
      return await declare(uuidv5(within, dedup_key))
    } catch (error) {
      if (!(error instanceof Unseen)) throw error
      within = error.incident_id
    }
  }
}

/**
 * The policy of a declared incident: the one that is named, else the default of the team and the
 * workspace.
 */
async function declaredPolicy(tx: Tx, caller: Caller, given: string | null | undefined, team_id: string | null): Promise<string | null> {
  if (given !== undefined) return chosenPolicy(tx, caller, given)
  const defaults = await loadPolicies(tx, caller.tenant_id)
  return defaults && policyOfTeam(defaults, team_id).escalation_policy_id
}

const listOrCsv = {
  description: 'Incidents',
  content: { 'application/json': { schema: IncidentList }, 'text/csv': { schema: Type.String() } }
}

/** The filter of a list for this caller, at `now` in epoch ms. */
function filterOf(query: Static<typeof IncidentQuery>, user_id: string, now: number): IncidentFilter {
  const {
    from,
    to,
    silenced,
    mine = false,
    sort: _sort,
    format: _format,
    include: _include,
    page: _page,
    per_page: _per_page,
    ...filter
  } = query
  return {
    ...filter,
    ...(silenced !== undefined && { silenced: { is: silenced, at: now } }),
    ...(mine && { of: user_id }),
    from: instant(from, 'from'),
    to: instant(to, 'to'),
    labels: labelsOf(query)
  }
}

export const incidentRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const act = (request: FastifyRequest, reference: string, action: BulkAction, make: MakeCommand): Promise<IncidentDetail> =>
      retrying(() =>
        keyedTransaction(pool, callerOf(request), async (tx) => {
          const { incident, now } = await command(tx, codec, request, reference, make, locksOf(action))
          const after = await readIncident(tx, incident.tenant_id, incident.incident_id)
          if (!after) throw notFound()
          const facts = await loadHoldFacts(tx, incident.tenant_id, [after], now)
          return incidentAsSeen(tx, incident.tenant_id, toDetail(after, facts, now))
        })
      )

    app.route({
      ...on('listIncidents', { querystring: IncidentQuery, response: { 200: listOrCsv } }),
      handler: async (request, reply) => {
        const { tenant_id, user_id } = callerOf(request)
        const { sort = '-started_at', format = 'json', include = [] } = request.query
        const page = pageOf(request.query)
        const now = Date.now()
        const wanted = filterOf(request.query, user_id, now)
        if (format === 'csv') {
          const { csv, total } = await listTransaction(pool, callerOf(request), (tx) => exportIncidents(tx, tenant_id, wanted, sort))
          reply.headers({ 'content-disposition': 'attachment; filename="incidents.csv"', 'x-total': total })
          return reply.type('text/csv; charset=utf-8').send(csv)
        }
        return listTransaction(pool, callerOf(request), async (tx) => {
          const counts = include.includes('counts') ? await countIncidents(tx, tenant_id, now) : null
          const { items, total } = await listIncidents(tx, tenant_id, wanted, { ...page, sort })
          const facts = await loadHoldFacts(tx, tenant_id, items, now)
          const details = items.map((incident) => toDetail(incident, facts, now))
          return {
            ...envelope(await incidentsAsSeen(tx, tenant_id, details), total, page),
            ...(counts && { counts })
          }
        })
      }
    })

    app.route({
      ...on('readTimeline', { params: IncidentParams, querystring: VersionQuery, response: { 200: Timeline } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        return keyedTransaction(pool, callerOf(request), async (tx) => {
          const incident = await readIncident(tx, tenant_id, request.params.id)
          if (!incident) throw notFound()
          return timelinePage(tx, incident, request.query)
        })
      }
    })

    app.route({
      ...on('acknowledgeIncident', { params: IncidentParams, body: AcknowledgeBody, response: { 200: IncidentDetail } }),
      handler: (request) => act(request, request.params.id, 'acknowledge', actions.acknowledge(callerOf(request), request.body))
    })

    app.route({
      ...on('unacknowledgeIncident', { params: IncidentParams, body: UnacknowledgeBody, response: { 200: IncidentDetail } }),
      handler: (request) => act(request, request.params.id, 'unacknowledge', actions.unacknowledge(callerOf(request), request.body))
    })

    app.route({
      ...on('resolveIncident', { params: IncidentParams, body: ResolveBody, response: { 200: IncidentDetail } }),
      handler: (request) => act(request, request.params.id, 'resolve', actions.resolve(callerOf(request), request.body))
    })

    app.route({
      ...on('closeIncident', { params: IncidentParams, body: CloseBody, response: { 200: IncidentDetail } }),
      handler: async (request) => act(request, request.params.id, 'close', actions.close(callerOf(request), request.body))
    })

    app.route({
      ...on('silenceIncident', { params: IncidentParams, body: SilenceBody, response: { 200: IncidentDetail } }),
      handler: async (request) => act(request, request.params.id, 'silence', actions.silence(callerOf(request), request.body))
    })

    app.route({
      ...on('unsilenceIncident', { params: IncidentParams, response: { 200: IncidentDetail } }),
      handler: (request) => act(request, request.params.id, 'unsilence', actions.unsilence(callerOf(request), {}))
    })

    app.route({
      ...on('assignIncident', { params: IncidentParams, body: AssignBody, response: { 200: IncidentDetail } }),
      handler: async (request) => act(request, request.params.id, 'assign', actions.assign(callerOf(request), request.body))
    })

    app.route({
      ...on('declareIncident', { body: DeclareBody, response: { 200: IncidentDetail, 201: IncidentDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { title, severity, summary = null, labels = {}, is_major = false, dedup_key } = request.body
        const assignee_id = request.body.assignee_id?.toLowerCase() ?? null
        const by = actorText(actor)
        const incident_id = uuidv7()
        const { detail, opened } = await retrying(() =>
          keyedTransaction(pool, callerOf(request), async (tx) => {
            if (assignee_id !== null) await checkMember(tx, tenant_id, 'assignee_id', assignee_id)
            const team_id = await chosenTeam(tx, callerOf(request), 'team_id', request.body.team_id ?? null)
            const escalation_policy_id = await declaredPolicy(tx, callerOf(request), request.body.escalation_policy_id, team_id)
            const cause = { kind: 'command', src: by, request_id: request.id } as const
            const { incident, events, now } = await underSeenKey(team_id ?? tenant_id, dedup_key, (name) => {
              const key = { tenant_id, dedup_key: `man:${name}` }
              return declareIncident(tx, codec, key, cause, (at) => ({
                command: 'declare',
                by,
                incident_id,
                signal: fromDeclaration(key, { title, severity, summary, labels, team_id, escalation_policy_id }, at),
                is_major,
                assignee_id
              }))
            })
            await auditEvents(tx, request, events)
            const after = await readIncident(tx, tenant_id, incident.incident_id)
            if (!after) throw notFound()
            const detail = toDetail(after, await loadHoldFacts(tx, tenant_id, [after], now), now)
            return { detail: await incidentAsSeen(tx, tenant_id, detail), opened: events.length > 0 }
          })
        )
        return reply.code(opened ? 201 : 200).send(detail)
      }
    })
  }
