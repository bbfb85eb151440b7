/**
 * Reads one incident with what a list leaves out: related incidents, its newest alerts, and whether
 * it has a postmortem. On request it adds the first page of its timeline and alerts.
 * Source: docs/design/api/incidents.md#in-2.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { iso } from '../../../schemas/http/common.ts'
import { type ChangeNear, IncidentPage, IncidentReadQuery, type Related } from '../../../schemas/http/incident-page.ts'
import { IncidentParams } from '../../../schemas/http/incidents.ts'
import { loadHoldFacts } from '../../store/hold-facts.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { type WindowAround, windowsAround } from '../../store/maintenance.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { postmortemStatus } from '../../store/postmortems.ts'
import { type RelatedIncident, relatedIncidents } from '../../store/related-incidents.ts'
import { pageOfAlerts } from '../alerts/pages.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { incidentAsSeen } from '../routing/hidden.ts'
import type { Services } from '../services.ts'
import { toDetail } from './detail.ts'
import { timelinePage } from './timeline.ts'

const PREVIEW = 5

const toRelated = ({ incident_id, number, title, status, severity, started_at, resolved_at, relation }: RelatedIncident): Related => ({
  id: incident_id,
  key: `INC-${number}`,
  title,
  status,
  severity,
  started_at: iso(started_at),
  resolved_at: iso(resolved_at),
  relation
})

/** Changes within this time before the incident may be its cause. */
const BEFORE_MS = 3_600_000

const toChange = ({ window: { window_id, origin, name, deployment }, span }: WindowAround): ChangeNear => ({
  id: window_id,
  origin,
  name,
  starts_at: iso(span.starts_at),
  ends_at: iso(span.ends_at),
  service: deployment?.service ?? null,
  environment: deployment?.environment ?? null,
  deployed_version: deployment?.version ?? null,
  run_url: deployment?.run_url ?? null,
  outcome: deployment?.outcome ?? null
})

export const incidentPageRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('readIncident', { params: IncidentParams, querystring: IncidentReadQuery, response: { 200: IncidentPage } }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const wanted = new Set(request.query.include ?? [])
        const page = await keyedTransaction(pool, callerOf(request), async (tx) => {
          const incident = await readIncident(tx, tenant_id, request.params.id)
          if (!incident) throw notFound()
          const { incident_id } = incident
          const now = Date.now()
          const list = ['incident alerts', tenant_id, incident_id]
          const alerts = (per_page: number) => pageOfAlerts(tx, tenant_id, list, { incident_id: [incident_id] }, { per_page })
          const span = { from: incident.started_at - BEFORE_MS, to: incident.resolved_at ?? now }
          const named = { ...incident, title: incident.original_title ?? incident.title }
          // Asked together, so their statements share round trips to Postgres. The timeline cannot
          // join them: a part of it sees all teams.
          const [related, around, facts, preview, postmortem_status] = await Promise.all([
            relatedIncidents(tx, incident),
            windowsAround(tx, tenant_id, named, span),
            loadHoldFacts(tx, tenant_id, [incident], now),
            alerts(PREVIEW),
            postmortemStatus(tx, tenant_id, incident_id)
          ])
          return {
            ...(await incidentAsSeen(tx, tenant_id, toDetail(incident, facts, now))),
            related_ids: related.map((other) => other.incident_id),
            alerts_preview: preview.items,
            changes: around.map(toChange),
            postmortem_status,
            ...(wanted.has('timeline') && { timeline: await timelinePage(tx, incident, {}) }),
            ...(wanted.has('alerts') && { alerts: await alerts(50) }),
            ...(wanted.has('related') && { related: related.map(toRelated) })
          }
        })
        return reply.header('etag', `"${page.version}"`).send(page)
      }
    })
  }
