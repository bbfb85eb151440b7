/**
 * Incidents: reading them, and the actions of people. An action runs the incident processor's own rules in one Postgres transaction with the audit row, the
 * outbox rows and the timers: an acknowledgement works while Kafka is down, and the answer is already the truth. A repeat changes nothing and answers
 * 200 with the incident as it is. Source: specification.md 3.1, api-design.md section 5.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { envelope, iso } from '../../../schemas/http/common.ts'
import {
  AcknowledgeBody,
  CloseBody,
  IncidentDetail,
  IncidentList,
  IncidentParams,
  IncidentQuery,
  ResolveBody,
  SilenceBody,
  Timeline,
  TimelineQuery
} from '../../../schemas/http/incidents.ts'
import { type Command, dashboardState, reduceIncident, type Step } from '../../../streams/incidents/rules.ts'
import { actorText, insertAudit } from '../../store/audit.ts'
import { listIncidents, readIncident, readTimeline, type IncidentDetail as Stored } from '../../store/incident-reads.ts'
import { commandContext, lockIncident, RowMoved, saveStep } from '../../store/incidents.ts'
import { type Tx, tenantTransaction } from '../../store/pool.ts'
import { readMember } from '../../store/users.ts'
import { callerOf } from '../caller.ts'
import { on } from '../endpoint.ts'
import { ApiError, invalid, notFound } from '../errors.ts'
import { pageOf } from '../paging.ts'
import type { Services } from '../services.ts'

const seconds = (from: number, to: number | null): number | null => (to === null ? null : Math.max(0, Math.round((to - from) / 1000)))

/** Who or what made the last change. */
function lastChange({ last_cause: cause, last_change_at, integration_id, source_kind }: Stored) {
  const at = iso(last_change_at)
  const { request_id } = cause
  if (cause.kind === 'signal') {
    return integration_id
      ? { at, actor_kind: 'integration', actor_id: integration_id, request_id }
      : { at, actor_kind: 'system', actor_id: source_kind, request_id }
  }
  if (cause.kind === 'job') return { at, actor_kind: 'system', actor_id: 'timer', request_id }
  const [actor_kind = 'system', ...rest] = cause.src.split(':')
  return { at, actor_kind, actor_id: rest.join(':'), request_id }
}

/** `now` in epoch ms, for how long it has been going on. */
function toDetail(incident: Stored, now: number): IncidentDetail {
  const { started_at } = incident
  return {
    id: incident.incident_id,
    tenant_id: incident.tenant_id,
    version: incident.ver,
    ver: incident.ver,
    number: incident.number,
    key: `INC-${incident.number}`,
    status: incident.status === 'resolved' ? 'resolved' : 'ongoing',
    dashboard_state: dashboardState(incident),
    severity: incident.severity,
    title: incident.title,
    summary: incident.summary,
    source: {
      kind: incident.source_kind,
      type: incident.source_type,
      id: incident.monitor_id ?? incident.heartbeat_id ?? incident.integration_id,
      integration_id: incident.integration_id
    },
    dedup_key: incident.dedup_key,
    monitor_id: incident.monitor_id,
    heartbeat_id: incident.heartbeat_id,
    region: incident.region,
    affected_regions: incident.affected_regions,
    is_major: incident.is_major,
    visibility: incident.visibility,
    routing_version: incident.routing_version,
    team_id: incident.team_id,
    escalation_policy_id: incident.escalation_policy_id,
    assignee_id: incident.assignee_id,
    acknowledged_at: iso(incident.acknowledged_at),
    acknowledged_by: incident.acknowledged_by,
    acknowledgement_comment: incident.acknowledgement_comment,
    resolved_at: iso(incident.resolved_at),
    resolved_by: incident.resolved_by,
    resolution: incident.resolution_reason === null ? null : { reason: incident.resolution_reason, note: incident.resolution_note },
    manually_closed_at: iso(incident.manually_closed_at),
    manually_closed_by: incident.manually_closed_by,
    promoted_at: iso(incident.promoted_at),
    silenced_until: iso(incident.silenced_until),
    silenced_by: incident.silenced_by,
    priority: incident.priority,
    labels: incident.labels,
    links: incident.links,
    reopened_from: incident.reopened_from,
    started_at: iso(started_at),
    detected_at: iso(incident.detected_at),
    opened_at: iso(incident.opened_at),
    duration_seconds: seconds(started_at, incident.resolved_at ?? now),
    time_to_ack_seconds: seconds(started_at, incident.acknowledged_at),
    time_to_resolve_seconds: seconds(started_at, incident.resolved_at),
    created_at: iso(incident.opened_at),
    updated_at: iso(incident.updated_at),
    last_change: lastChange(incident)
  }
}

/** Epoch ms. A leap second has the form of an instant and is none. */
function instant(text: string | undefined, path: string): number | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw invalid(path, 'pattern', 'has to be an instant')
  return at
}

/** `label.team=payments` and the like. */
export function labelsOf(query: object): Record<string, string[]> {
  const labels: Record<string, string[]> = {}
  for (const [name, value] of Object.entries(query)) {
    if (name.startsWith('label.')) labels[name.slice('label.'.length)] = [value].flat().flatMap((text) => String(text).split(','))
  }
  return labels
}

function refusal({ code, message }: NonNullable<Step['refused']>): ApiError {
  if (code === 'NOT_FOUND') return notFound()
  if (code === 'INCIDENT_RESOLVED') return new ApiError(code, message)
  const [path = '', ...rest] = message.split(': ')
  return invalid(path, 'length', rest.join(': '))
}

const MOST_TRIES = 3

/** A key's row may have moved under us although we held its lock for the read: another try sees it as it is. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RowMoved) || tries === MOST_TRIES) throw error
    }
  }
}

/** The one duration that all fields given agree on. */
function minutesOf(body: { duration_minutes?: number; minutes?: number; duration?: number }): number {
  const given = [body.duration_minutes, body.minutes, body.duration].filter((value) => value !== undefined)
  const [first, ...others] = given
  if (first === undefined) throw invalid('duration_minutes', 'required', 'is required')
  if (others.some((value) => value !== first))
    throw invalid('duration_minutes', 'mutually_exclusive', 'minutes and duration say something else')
  return first
}

export const incidentRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    /** `command` is made under the lock: `now` is the time that the rules will see. */
    async function act(
      request: FastifyRequest,
      reference: string,
      command: (tx: Tx, now: number) => Promise<Command> | Command
    ): Promise<IncidentDetail> {
      const { tenant_id, actor } = callerOf(request)
      return retrying(() =>
        tenantTransaction(pool, tenant_id, async (tx) => {
          const locked = await lockIncident(tx, tenant_id, reference)
          if (!locked) throw notFound()
          const asked = await command(tx, locked.now)
          const context = commandContext(locked, { kind: 'command', src: actorText(actor), request_id: request.id })
          const step = reduceIncident(locked.incident, asked, context)
          if (step.refused) throw refusal(step.refused)
          const { incident_id } = await saveStep(tx, codec, locked, asked, step)
          for (const { change, ver } of step.events) {
            await insertAudit(tx, tenant_id, actor, {
              action: `incident.${change}`,
              object_type: 'incident',
              object_id: incident_id,
              diff: { ver: [ver - 1, ver] }
            })
          }
          const after = await readIncident(tx, tenant_id, incident_id)
          if (!after) throw notFound()
          return toDetail(after, locked.now)
        })
      )
    }

    app.route({
      ...on('listIncidents', { querystring: IncidentQuery, response: { 200: IncidentList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const { sort = '-started_at', from, to, page: _page, per_page: _per_page, ...filter } = request.query
        const page = pageOf(request.query)
        const wanted = { ...filter, from: instant(from, 'from'), to: instant(to, 'to'), labels: labelsOf(request.query) }
        const { items, total } = await tenantTransaction(pool, tenant_id, (tx) => listIncidents(tx, tenant_id, wanted, { ...page, sort }))
        const now = Date.now()
        return envelope(
          items.map((incident) => toDetail(incident, now)),
          total,
          page
        )
      }
    })

    app.route({
      ...on('readIncident', { params: IncidentParams, response: { 200: IncidentDetail } }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const incident = await tenantTransaction(pool, tenant_id, (tx) => readIncident(tx, tenant_id, request.params.id))
        if (!incident) throw notFound()
        return reply.header('etag', `"${incident.ver}"`).send(toDetail(incident, Date.now()))
      }
    })

    app.route({
      ...on('readTimeline', { params: IncidentParams, querystring: TimelineQuery, response: { 200: Timeline } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const { cursor, per_page = 50 } = request.query
        const after = cursor === undefined ? 0 : Number.parseInt(cursor.slice(1), 36)
        return tenantTransaction(pool, tenant_id, async (tx) => {
          const incident = await readIncident(tx, tenant_id, request.params.id)
          if (!incident) throw notFound()
          const { items, next } = await readTimeline(tx, tenant_id, incident.incident_id, { after, limit: per_page })
          return {
            // One event per version.
            ...envelope(
              items.map((item) => ({ ...item, at: iso(item.at) })),
              incident.ver,
              { page: Math.floor(after / per_page) + 1, per_page }
            ),
            next_cursor: next === null ? null : `t${next.toString(36)}`
          }
        })
      }
    })

    app.route({
      ...on('acknowledgeIncident', { params: IncidentParams, body: AcknowledgeBody, response: { 200: IncidentDetail } }),
      handler: (request) => {
        const by = actorText(callerOf(request).actor)
        return act(request, request.params.id, () => ({ command: 'acknowledge', by, comment: request.body.comment || null }))
      }
    })

    app.route({
      ...on('resolveIncident', { params: IncidentParams, body: ResolveBody, response: { 200: IncidentDetail } }),
      handler: (request) => {
        const by = actorText(callerOf(request).actor)
        const { note, until_recovered = true } = request.body
        return act(request, request.params.id, () => ({ command: 'resolve', by, note: note || null, until_recovered }))
      }
    })

    app.route({
      ...on('silenceIncident', { params: IncidentParams, body: SilenceBody, response: { 200: IncidentDetail } }),
      handler: (request) => {
        const by = actorText(callerOf(request).actor)
        const minutes = minutesOf(request.body)
        const reason = request.body.reason || null
        return act(request, request.params.id, (_tx, now) => ({ command: 'silence', by, until: now + minutes * 60_000, reason }))
      }
    })

    app.route({
      ...on('unsilenceIncident', { params: IncidentParams, response: { 200: IncidentDetail } }),
      handler: (request) => {
        const by = actorText(callerOf(request).actor)
        return act(request, request.params.id, () => ({ command: 'unsilence', by }))
      }
    })

    app.route({
      ...on('closeIncident', { params: IncidentParams, body: CloseBody, response: { 200: IncidentDetail } }),
      handler: (request) => {
        const caller = callerOf(request)
        const { note, on_behalf_of } = request.body
        return act(request, request.params.id, async (tx) => {
          const user_id = caller.kind === 'session' ? caller.user_id : on_behalf_of?.toLowerCase()
          if (user_id === undefined) throw invalid('on_behalf_of', 'person_required', 'with a token, name the person who closes it')
          if (!(await readMember(tx, caller.tenant_id, user_id)))
            throw invalid('on_behalf_of', 'not_a_member', 'is not a member of this workspace')
          return { command: 'close', by: actorText(caller.actor), note: note || null, user_id }
        })
      }
    })
  }
