/**
 * Incidents: reading them, and the actions of people. An action runs the incident processor's own
 * rules in one Postgres transaction with the audit row, the outbox rows and the timers: an
 * acknowledgement works while Kafka is down, and the answer is already the truth. A repeat changes
 * nothing and answers 200 with the incident as it is.
 * Source: docs/design/specification.md#s3-1, docs/design/api/incidents.md#s5.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { envelope, iso } from '../../../schemas/http/common.ts'
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
  VersionQuery
} from '../../../schemas/http/incidents.ts'
import { uuidv4, uuidv5, uuidv7 } from '../../../schemas/uuid.ts'
import { fromDeclaration } from '../../../streams/incident/signals.ts'
import { actorText } from '../../store/audit.ts'
import { declareIncident } from '../../store/incident-commands.ts'
import { listIncidents, readIncident, readTimeline } from '../../store/incident-reads.ts'
import { type Tx, tenantTransaction } from '../../store/pool.ts'
import { readMember } from '../../store/users.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { versionEnvelope, versionsOf } from '../http/version-pages.ts'
import type { Services } from '../services.ts'
import { chosenTeam } from '../teams/rules.ts'
import { auditEvents, command, type MakeCommand, retrying } from './commands.ts'
import { toDetail } from './detail.ts'

/** Epoch ms. A leap second has the form of an instant and is none. */
function instant(text: string | undefined, path: string): number | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw invalid(path, 'pattern', 'must be an instant')
  return at
}

/** `label.team=payments` and the like. */
export function labelsOf(query: object): Record<string, string[]> {
  const labels: Record<string, string[]> = Object.create(null)
  for (const [name, value] of Object.entries(query)) {
    if (name.startsWith('label.')) labels[name.slice('label.'.length)] = [value].flat().flatMap((text) => String(text).split(','))
  }
  return labels
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

/** Throws VALIDATION_FAILED, which names `path`, when there is no such member. */
async function checkMember(tx: Tx, tenant_id: string, path: string, user_id: string): Promise<void> {
  if (!(await readMember(tx, tenant_id, user_id))) throw invalid(path, 'not_a_member', 'is not a member of this workspace')
}

export const incidentRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const act = (request: FastifyRequest, reference: string, make: MakeCommand): Promise<IncidentDetail> =>
      retrying(() =>
        tenantTransaction(pool, callerOf(request), async (tx) => {
          const { incident, now } = await command(tx, codec, request, reference, make)
          const after = await readIncident(tx, incident.tenant_id, incident.incident_id)
          if (!after) throw notFound()
          return toDetail(after, now)
        })
      )

    app.route({
      ...on('listIncidents', { querystring: IncidentQuery, response: { 200: IncidentList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const { sort = '-started_at', from, to, page: _page, per_page: _per_page, ...filter } = request.query
        const page = pageOf(request.query)
        const wanted = { ...filter, from: instant(from, 'from'), to: instant(to, 'to'), labels: labelsOf(request.query) }
        const { items, total } = await tenantTransaction(pool, callerOf(request), (tx) =>
          listIncidents(tx, tenant_id, wanted, { ...page, sort })
        )
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
        const incident = await tenantTransaction(pool, callerOf(request), (tx) => readIncident(tx, tenant_id, request.params.id))
        if (!incident) throw notFound()
        return reply.header('etag', `"${incident.ver}"`).send(toDetail(incident, Date.now()))
      }
    })

    app.route({
      ...on('readTimeline', { params: IncidentParams, querystring: VersionQuery, response: { 200: Timeline } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const page = versionsOf(request.query)
        return tenantTransaction(pool, callerOf(request), async (tx) => {
          const incident = await readIncident(tx, tenant_id, request.params.id)
          if (!incident) throw notFound()
          const { items, next } = await readTimeline(tx, tenant_id, incident.incident_id, page)
          const shown = items.map((item) => ({ ...item, at: iso(item.at) }))
          // One event per version.
          return versionEnvelope(shown, page, { before: page.after, total: incident.ver, next })
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
        return act(request, request.params.id, (_tx, { now }) => ({ command: 'silence', by, until: now + minutes * 60_000, reason }))
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
      ...on('assignIncident', { params: IncidentParams, body: AssignBody, response: { 200: IncidentDetail } }),
      handler: (request) => {
        const { tenant_id, actor } = callerOf(request)
        const { schedule_id } = request.body
        const user_id = request.body.user_id?.toLowerCase() ?? null
        return act(request, request.params.id, async (tx) => {
          if (schedule_id) throw invalid('schedule_id', 'unknown_field', 'there are no schedules yet: name a member by user_id')
          if (user_id !== null) await checkMember(tx, tenant_id, 'user_id', user_id)
          return { command: 'assign', by: actorText(actor), user_id }
        })
      }
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
          tenantTransaction(pool, callerOf(request), async (tx) => {
            if (assignee_id !== null) await checkMember(tx, tenant_id, 'assignee_id', assignee_id)
            const team_id = await chosenTeam(tx, callerOf(request), 'team_id', request.body.team_id ?? null)
            // The team is part of the key: nobody finds, or stands in the way of, an incident that
            // they do not see.
            const name = dedup_key === undefined ? uuidv4() : uuidv5(team_id ?? tenant_id, dedup_key)
            const key = { tenant_id, dedup_key: `man:${name}` }
            const cause = { kind: 'command', src: by, request_id: request.id } as const
            const { incident, events, now } = await declareIncident(tx, codec, key, cause, (at) => ({
              command: 'declare',
              by,
              incident_id,
              signal: fromDeclaration(key, { title, severity, summary, labels, team_id }, at),
              is_major,
              assignee_id
            }))
            await auditEvents(tx, request, events)
            const after = await readIncident(tx, tenant_id, incident.incident_id)
            if (!after) throw notFound()
            return { detail: toDetail(after, now), opened: events.length > 0 }
          })
        )
        return reply.code(opened ? 201 : 200).send(detail)
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
          await checkMember(tx, caller.tenant_id, 'on_behalf_of', user_id)
          return { command: 'close', by: actorText(caller.actor), note: note || null, user_id }
        })
      }
    })
  }
