/**
 * Sends a test alert, by which people see whether an integration's alerts reach them. It is read as
 * the generic door reads, and takes the path of an alert from the API. It belongs to the
 * integration: its team, its labels, its routing. It has a key of its own, so that it does not
 * touch the sender's alerts.
 * Source: docs/design/api/alerts-and-routing.md#ib-15.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { type CreateAlertBody, CreatedAlert } from '../../../schemas/http/alerts.ts'
import { Id } from '../../../schemas/http/common.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { signalKey, toInboundAlert } from '../../intake/normalise.ts'
import { sources } from '../../intake/sources/index.ts'
import { takeReceipt } from '../../store/alert-receipts.ts'
import { readIntegration } from '../../store/integrations.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { isKeptBack } from '../../store/signal-keys.ts'
import { eventOf, ongoingOf, send } from '../alerts/create.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'

/** No sender's key equals it: keys of doors are digests of other words. */
const KEY = 'test alert of the dashboard'

const Params = Type.Object({ id: Id })

export const testAlertRoute =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('sendTestAlert', { params: Params, response: { 202: CreatedAlert } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, plan, actor } = caller
        const created = await keyedTransaction(services.pool, caller, async (tx): Promise<CreatedAlert> => {
          const found = await readIntegration(tx, tenant_id, request.params.id.toLowerCase())
          if (!found) throw notFound()
          const { integration_id, name, source_type, labels_add, team_id, visibility, enabled } = found
          if (!enabled) throw new ApiError('CONFLICT', 'The integration is turned off. Turn it on first')
          const integration = {
            tenant_id,
            integration_id,
            severity_map: new Map(),
            labels_add: new Map(Object.entries(labels_add)),
            dedup_template: null,
            default_severity: null,
            team_id,
            visibility,
            plan
          }
          const source = { ...sources.generic, kind: source_type }
          const received = async (body: CreateAlertBody): Promise<{ value: InboundAlert; receipt: number }> => {
            const { receipt, at } = await takeReceipt(tx, tenant_id)
            const alert = toInboundAlert(eventOf({ ...body, dedup_key: KEY }), { integration, source, received_at: at, escaped: false })
            return { value: { ...alert, sequence: receipt, sequence_kind: 'receipt' }, receipt }
          }
          const dedup_key = signalKey(integration, source_type, KEY)
          const ongoing = await ongoingOf(tx, tenant_id, dedup_key)
          // After a person resolved one, the next one would be kept back: no recovery of it came.
          if (await isKeptBack(tx, tenant_id, dedup_key))
            await send(tx, services, actor, { ...(await received({ status: 'resolved' })), alert_id: null })
          const fired = await received({
            title: `Test alert of ${name}`,
            description: 'Somebody asked for it in the dashboard. Nothing is wrong.',
            severity: 'info'
          })
          const alert_id = ongoing ?? uuidv5(fired.value.event_id, 'incident')
          await send(tx, services, actor, { ...fired, alert_id })
          return { alert_id, dedup_key, source_dedup_key: KEY, action: 'fire', status: 'accepted', reason: null }
        })
        return reply.code(202).send(created)
      }
    })
  }
