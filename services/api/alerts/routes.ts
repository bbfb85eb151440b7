/**
 * Routes that read alerts, and the actions of people on them. If an alert is its own incident, an
 * action on it acts on the incident. If it is one of several alerts of an incident, the action
 * changes that alert alone, and the incident is updated.
 * Source: docs/design/api/alerts-and-routing.md#s6-2.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Alert } from '../../../schemas/generated/events.ts'
import { AlertDetail, AlertDetailList, AlertEventsQuery, AlertParams, AlertQuery, PromoteBody } from '../../../schemas/http/alerts.ts'
import { AcknowledgeBody, CloseBody, IncidentParams, ResolveBody } from '../../../schemas/http/incidents.ts'
import type { Command, IncidentContext } from '../../../streams/incident/rules.ts'
import { type AlertObeyed, type LockedAlert, lockAlert, obeyAlert, promoteAlert } from '../../store/alert-commands.ts'
import { readAlert } from '../../store/alert-reads.ts'
import { actorText } from '../../store/audit.ts'
import { loadHoldFacts } from '../../store/hold-facts.ts'
import { commandContext } from '../../store/incident-commands.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { RowMoved, retrying } from '../../store/row-moved.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { actions } from '../incidents/actions.ts'
import { command, type MakeAction } from '../incidents/commands.ts'
import { instant, labelsOf } from '../incidents/query.ts'
import { alertAsSeen } from '../routing/hidden.ts'
import type { Services } from '../services.ts'
import { audit } from './audit.ts'
import { toAlertDetail } from './detail.ts'
import { joinAlert } from './join.ts'
import { pageOfAlerts } from './pages.ts'

async function shown(tx: Tx, alert: Alert): Promise<AlertDetail> {
  const now = Date.now()
  return alertAsSeen(tx, alert.tenant_id, toAlertDetail(alert, await loadHoldFacts(tx, alert.tenant_id, [alert], now), now))
}

type Own = (tx: Tx, locked: LockedAlert, context: IncidentContext) => Promise<AlertObeyed>

/** Converts the command of an incident's action into the command for the alert alone. */
function ofAlert(made: Command) {
  switch (made.command) {
    case 'resolve': {
      const { by, note, until_recovered } = made
      return { command: 'resolve', by, note, until_recovered, reason: by.startsWith('token:') ? 'api' : 'user' } as const
    }
    case 'acknowledge':
    case 'close':
      return made
    default:
      throw new Error(`${made.command} is no action on an alert`)
  }
}

export const alertRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { pool, codec } = services
    /** Acts on the alert if it has a row of its own, else on the incident that it is. */
    const act = (request: FastifyRequest, id: string, own: Own, whole: MakeAction | null): Promise<AlertDetail> =>
      retrying(() =>
        keyedTransaction(pool, callerOf(request), async (tx) => {
          const { tenant_id, actor } = callerOf(request)
          const locked = await lockAlert(tx, tenant_id, id)
          if (locked) {
            const context = commandContext(locked, { kind: 'command', src: actorText(actor), request_id: request.id })
            await audit(tx, request, await own(tx, locked, context))
          } else {
            if (!(await readAlert(tx, tenant_id, id))) throw notFound()
            if (!whole) throw new ApiError('ALREADY_PROMOTED', 'The alert belongs to an incident')
            await command(tx, codec, request, id, (_tx, incident) => {
              if (incident.incident.ongoing_alerts !== null) throw new RowMoved('the alert has got a row of its own meanwhile')
              return whole(tx, incident)
            })
          }
          const after = await readAlert(tx, tenant_id, id)
          if (!after) throw notFound()
          return shown(tx, after)
        })
      )

    const like =
      (make: MakeAction): Own =>
      async (tx, locked, context) => {
        const made = await make(tx, locked)
        if (made.command === 'acknowledge' && locked.alert.status === 'resolved')
          throw new ApiError('INCIDENT_RESOLVED', 'The alert is resolved')
        return obeyAlert(tx, codec, locked, ofAlert(made), context)
      }

    app.route({
      ...on('listAlerts', { querystring: AlertQuery, response: { 200: AlertDetailList } }),
      handler: (request) => {
        const { cursor, per_page, from, to, ...filter } = request.query
        const labels = labelsOf(request.query)
        const wanted = { ...filter, from: instant(from, 'from'), to: instant(to, 'to'), labels }
        const page = { ...(cursor !== undefined && { cursor }), ...(per_page !== undefined && { per_page }) }
        const list = ['alerts', callerOf(request).tenant_id, wanted]
        return tenantTransaction(pool, callerOf(request), (tx) => pageOfAlerts(tx, callerOf(request).tenant_id, list, wanted, page))
      }
    })

    app.route({
      ...on('listIncidentAlerts', { params: IncidentParams, querystring: AlertEventsQuery, response: { 200: AlertDetailList } }),
      handler: (request) => {
        const { tenant_id } = callerOf(request)
        return tenantTransaction(pool, callerOf(request), async (tx) => {
          const incident = await readIncident(tx, tenant_id, request.params.id)
          if (!incident) throw notFound()
          const { incident_id } = incident
          return pageOfAlerts(tx, tenant_id, ['incident alerts', tenant_id, incident_id], { incident_id: [incident_id] }, request.query)
        })
      }
    })

    app.route({
      ...on('readAlert', { params: AlertParams, response: { 200: AlertDetail } }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const detail = await keyedTransaction(pool, callerOf(request), async (tx) => {
          const alert = await readAlert(tx, tenant_id, request.params.id)
          if (!alert) throw notFound()
          return shown(tx, alert)
        })
        return reply.header('etag', `"${detail.version}"`).send(detail)
      }
    })

    app.route({
      ...on('acknowledgeAlert', { params: AlertParams, body: AcknowledgeBody, response: { 200: AlertDetail } }),
      handler: (request) => {
        const make = actions.acknowledge(callerOf(request), request.body)
        return act(request, request.params.id, like(make), make)
      }
    })

    app.route({
      ...on('resolveAlert', { params: AlertParams, body: ResolveBody, response: { 200: AlertDetail } }),
      handler: (request) => {
        const make = actions.resolve(callerOf(request), request.body)
        return act(request, request.params.id, like(make), make)
      }
    })

    app.route({
      ...on('closeAlert', { params: AlertParams, body: CloseBody, response: { 200: AlertDetail } }),
      handler: (request) => {
        const make = actions.close(callerOf(request), request.body)
        return act(request, request.params.id, like(make), make)
      }
    })

    app.route({
      ...on('promoteAlert', { params: AlertParams, body: PromoteBody, response: { 200: AlertDetail } }),
      handler: (request) => {
        const by = actorText(callerOf(request).actor)
        const { title = null, incident_id } = request.body
        if (incident_id !== undefined) {
          if (title !== null) throw invalid('title', 'not_with_incident_id', 'names a new incident, and incident_id one that there is')
          return joinAlert(services, request, request.params.id, incident_id, shown)
        }
        const promote: Own = async (tx, locked, context) => {
          if (locked.alert.incident_id !== null) throw new ApiError('ALREADY_PROMOTED', 'The alert belongs to an incident')
          if (locked.alert.status === 'resolved') throw new ApiError('INCIDENT_RESOLVED', 'The alert is resolved')
          return promoteAlert(tx, codec, locked, { by, title }, context)
        }
        return act(request, request.params.id, promote, null)
      }
    })
  }
