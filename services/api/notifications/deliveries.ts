/**
 * The ledger of deliveries, sending one again, and Send test. Deliveries of a team that the caller
 * must not see do not exist for them.
 * Source: docs/design/api/notifications.md#no-20 to #no-22, #no-6 and #no-30.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Id, iso } from '../../../schemas/http/common.ts'
import {
  ChannelTestAnswer,
  ChannelTestBody,
  DeliveryDetail,
  type DeliveryItem,
  DeliveryList,
  DeliveryQuery,
  RedeliverBody
} from '../../../schemas/http/deliveries.ts'
import { sendersOf } from '../../delivery/senders.ts'
import { insertAudit } from '../../store/audit.ts'
import { type LedgerDetail, type LedgerEntry, listDeliveries, readDelivery, redeliver } from '../../store/delivery-reads.ts'
import { keyedTransaction, tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { cursorOf, positionOf } from '../http/cursor.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { sendTest, testRates } from './send-test.ts'
import { testOwnMethod } from './test-method.ts'

const PER_PAGE = 50
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const Params = Type.Object({ id: Id })

const instant = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))
const text = (ms: number): string => new Date(ms).toISOString()

const toItem = (row: LedgerEntry): DeliveryItem => ({
  id: row.delivery_id,
  tenant_id: row.tenant_id,
  intent_id: row.intent_id,
  incident_id: row.incident_id,
  incident_key: row.incident_number === null ? null : `INC-${row.incident_number}`,
  incident_title: row.incident_title,
  event: row.event as DeliveryItem['event'],
  channel_id: row.channel_id,
  user_id: row.user_id,
  kind: row.kind,
  target_name: row.target_name,
  step: row.step,
  state: row.state,
  suppressed_by: row.suppressed_by,
  suppressed_cause: row.suppressed_cause,
  error_code: row.error_code,
  manual: row.manual,
  attempts: row.attempt_log.map(({ n, at, latency_ms = null, outcome, http_status = null, error = null, provider_message_id = null }) => ({
    n,
    at: text(at),
    latency_ms,
    outcome,
    http_status,
    error,
    provider_message_id
  })),
  queued_at: text(row.queued_at),
  next_attempt_at: row.state === 'queued' || row.state === 'retrying' ? text(row.next_at) : null,
  first_sent_at: iso(row.first_sent_at),
  delivered_at: iso(row.delivered_at),
  expires_at: text(row.expires_at),
  why: row.why ?? {}
})

const toDetail = (row: LedgerDetail): DeliveryDetail => ({
  ...toItem(row),
  request: row.request,
  reply: row.attempt_log.at(-1)?.reply ?? null
})

export const deliveryRoutes =
  ({ pool, config, log }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const senders = sendersOf(config, pool)
    app.addHook('onClose', async () => senders.close())

    app.route({
      ...on('listDeliveries', { querystring: DeliveryQuery, response: { 200: DeliveryList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const {
          per_page = PER_PAGE,
          incident_id = null,
          channel_id = null,
          user_id = null,
          state = [],
          event = [],
          kind = [],
          from,
          to,
          cursor
        } = request.query
        const filter = { incident_id, channel_id, user_id, states: state, events: event, kinds: kind, from: instant(from), to: instant(to) }
        const now = Date.now()
        const list = ['deliveries', tenant_id, filter]
        const [queued_at, delivery_id] = cursor === undefined ? [] : positionOf(cursor, list, ['number', 'string'], now).keys
        if (delivery_id !== undefined && !UUID.test(String(delivery_id)))
          throw new ApiError('BAD_REQUEST', 'cursor: does not belong to this list')
        const behind = queued_at === undefined ? null : { queued_at: Number(queued_at), delivery_id: String(delivery_id) }
        const rows = await tenantTransaction(pool, caller, (tx) => listDeliveries(tx, tenant_id, filter, { behind, limit: per_page + 1 }))
        const shown = rows.slice(0, per_page)
        const last = rows.length > per_page ? shown.at(-1) : undefined
        return {
          items: shown.map(toItem),
          next_cursor: last ? cursorOf(list, { from: 0, to: now, keys: [last.queued_at, last.delivery_id] }, now) : null
        }
      }
    })

    app.route({
      ...on('readDelivery', { params: Params, response: { 200: DeliveryDetail } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const row = await keyedTransaction(pool, caller, (tx) => readDelivery(tx, caller.tenant_id, request.params.id))
        if (!row) throw notFound()
        return toDetail(row)
      }
    })

    app.route({
      ...on('redeliver', { params: Params, body: RedeliverBody, response: { 202: DeliveryDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const { id } = request.params
        const row = await keyedTransaction(pool, caller, async (tx) => {
          const before = await readDelivery(tx, tenant_id, id)
          if (!before) throw notFound()
          const isOver = before.incident_status === 'resolved' && (before.event === 'down' || before.event === 'degraded')
          if (isOver && !request.body.force)
            throw new ApiError('INCIDENT_RESOLVED', 'The incident is over. Use force to send the failure anyway')
          if (!(await redeliver(tx, tenant_id, id)))
            throw new ApiError('CONFLICT', 'The delivery is in progress, or its content is no longer stored')
          await insertAudit(tx, tenant_id, actor, {
            action: 'delivery.redelivered',
            object_type: 'delivery',
            object_id: before.delivery_id
          })
          return readDelivery(tx, tenant_id, id)
        })
        if (!row) throw notFound()
        return reply.code(202).send(toDetail(row))
      }
    })

    app.route({
      ...on('testChannel', { params: Params, body: ChannelTestBody, response: { 200: ChannelTestAnswer } }),
      handler: (request) => sendTest({ pool, config, log, senders, rates: testRates }, callerOf(request), request.params.id.toLowerCase())
    })

    app.route({
      ...on('testMethod', { params: Params, body: ChannelTestBody, response: { 200: ChannelTestAnswer } }),
      handler: (request) =>
        testOwnMethod({ pool, config, log, senders, rates: testRates }, callerOf(request), request.params.id.toLowerCase())
    })
  }
