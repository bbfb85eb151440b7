/**
 * Shows what came through an integration: its recent deliveries, one of them with its payload, and
 * a dry run of a pasted body. Deliveries are kept for 3 days: refused ones always, others while
 * `capture` is on.
 * Source: docs/design/api/alerts-and-routing.md#ib-7 and #ib-8.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { DeliveryRow } from '../../../schemas/analytics.ts'
import { Id, iso } from '../../../schemas/http/common.ts'
import { type Delivery, DeliveryDetail, DeliveryList, DeliveryQuery, ParseAnswer, ParseBody } from '../../../schemas/http/integrations.ts'
import { openedSettings, toLabels, toSeverities } from '../../credentials/tokens.ts'
import { sources } from '../../intake/sources/index.ts'
import { type Integration, readIntegration } from '../../store/integrations.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { logEnvelope, pageOfLog } from '../http/log-pages.ts'
import type { Services } from '../services.ts'
import { parseSample } from './parse-sample.ts'

const KEPT_DAYS = 3

const toDelivery = (integration_id: string, row: DeliveryRow): Delivery => ({
  id: row.raw_id,
  integration_id,
  at: iso(row.received_at),
  source: row.source,
  outcome: row.outcome,
  reason: row.reason,
  alerts: row.alerts,
  bytes: row.bytes,
  content_type: row.content_type,
  payload_sha256: row.payload_sha256,
  raw_ref: `/api/v1/integrations/inbound/${integration_id}/events/${row.raw_id}`
})

const Params = Type.Object({ id: Id })

export const integrationEventRoutes =
  ({ pool, analytics, log, config: { secretsKey } }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    /** Throws NOT_FOUND before anything else is asked. */
    async function known(caller: Caller, id: string): Promise<{ integration: Integration; plan: string }> {
      const { tenant_id } = caller
      return tenantTransaction(pool, caller, async (tx) => {
        const integration = await readIntegration(tx, tenant_id, id)
        const workspace = await readWorkspace(tx, tenant_id)
        if (!integration || !workspace) throw notFound()
        return { integration, plan: workspace.plan }
      })
    }

    app.route({
      ...on('listIntegrationEvents', { params: Params, querystring: DeliveryQuery, response: { 200: DeliveryList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const { integration_id } = (await known(callerOf(request), request.params.id)).integration
        const { outcome: outcomes = [] } = request.query
        const { rows, ...page } = await pageOfLog<'deliveries_list'>(request.query, {
          list: ['deliveries', tenant_id, integration_id, outcomes],
          kept: { kept_days: KEPT_DAYS },
          shape: ['number', 'number'],
          keysOf: (row) => [row.received_at, row.n],
          ask: (position, { from, to }, limit) => {
            const [received_at, n] = position?.keys ?? []
            const before = position ? { received_at: Number(received_at), n: Number(n) } : null
            return analytics.ask('deliveries_list', tenant_id, { integration_id, outcomes, from, to, before, limit })
          }
        })
        return logEnvelope(
          rows.map((row) => toDelivery(integration_id, row)),
          page
        )
      }
    })

    app.route({
      ...on('readIntegrationEvent', { params: Type.Object({ id: Id, event_id: Id }), response: { 200: DeliveryDetail } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const { integration_id } = (await known(callerOf(request), request.params.id)).integration
        const { rows } = await analytics.ask('delivery_payload', tenant_id, {
          integration_id,
          raw_id: request.params.event_id.toLowerCase()
        })
        const [row] = rows
        if (!row) throw notFound()
        return { ...toDelivery(integration_id, row), encoding: row.encoding, payload: row.payload }
      }
    })

    app.route({
      ...on('parseSample', { params: Params, body: ParseBody, response: { 200: ParseAnswer } }),
      handler: async (request) => {
        const { integration, plan } = await known(callerOf(request), request.params.id)
        const { body, headers = {} } = request.body
        const verify = openedSettings(integration, secretsKey, log)
        return parseSample({
          bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
          headers,
          source: sources[integration.source_type],
          integration: {
            ...integration,
            severity_map: toSeverities(integration.severity_map),
            labels_add: toLabels(integration.labels_add),
            plan
          },
          options: integration.options,
          verify,
          received_at: Date.now()
        })
      }
    })
  }
