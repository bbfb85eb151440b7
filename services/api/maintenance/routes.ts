/**
 * Maintenance windows. A window that names something the caller must not see does not exist for
 * them: row-level security leaves it out.
 * Source: docs/design/api/maintenance.md#mw-1 to #mw-6.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { envelope, Id } from '../../../schemas/http/common.ts'
import {
  CreateWindowBody,
  CreateWindowQuery,
  UpdateWindowBody,
  WindowDetail,
  WindowList,
  WindowPreview,
  WindowQuery
} from '../../../schemas/http/maintenance.ts'
import { listWindows, type StoredWindow } from '../../store/maintenance.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { postgresNow } from '../../store/schedule-history.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { invalid } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { instant } from '../incidents/query.ts'
import type { Services } from '../services.ts'
import { change, create, endNow, preview, remove, seenWindow } from './change.ts'
import { inRange, toDetail } from './shapes.ts'

const Params = Type.Object({ id: Id })

/** Shows the window of `work` as it is by the time of Postgres, which the notifier judges it by. */
const shown =
  (reply: FastifyReply, work: (tx: Tx) => Promise<StoredWindow>) =>
  async (tx: Tx): Promise<WindowDetail> => {
    const window = await work(tx)
    void reply.header('etag', `"${window.version}"`)
    return toDetail(window, await postgresNow(tx))
  }

/** Returns the requested range; null: no range was requested. Throws VALIDATION_FAILED. */
function rangeOf(query: { from?: string; to?: string }): { from: number; to: number } | null {
  const [from, to] = [instant(query.from, 'from'), instant(query.to, 'to')]
  if (from === undefined && to === undefined) return null
  if (from === undefined) throw invalid('from', 'required', 'is required with to')
  if (to === undefined) throw invalid('to', 'required', 'is required with from')
  if (to <= from) throw invalid('to', 'empty_interval', 'must be later than from')
  return { from, to }
}

export const maintenanceRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listWindows', { querystring: WindowQuery, response: { 200: WindowList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        const { state: states, monitor_id } = request.query
        const range = rangeOf(request.query)
        const filter = { origin: 'planned', states, monitor_id: monitor_id?.toLowerCase() } as const
        return tenantTransaction(pool, caller, async (tx) => {
          const at = await postgresNow(tx)
          const { items, total } = await listWindows(tx, caller.tenant_id, filter, at, page)
          return envelope(
            items.map((window) => ({ ...toDetail(window, at), ...(range && { in_range: inRange(window, range) }) })),
            total,
            page
          )
        })
      }
    })

    app.route({
      ...on('createWindow', {
        querystring: CreateWindowQuery,
        body: CreateWindowBody,
        response: { 200: WindowPreview, 201: WindowDetail }
      }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        if (request.query.preview)
          return reply.code(200).send(await tenantTransaction(pool, caller, (tx) => preview(tx, caller, request.body)))
        const made = shown(reply, (tx) => create(tx, codec, caller, request.body))
        return reply.code(201).send(await tenantTransaction(pool, caller, made))
      }
    })

    app.route({
      // Includes windows of deployments: a hold on an incident names its window by the id alone.
      ...on('readWindow', { params: Params, response: { 200: WindowDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const id = request.params.id.toLowerCase()
        return keyedTransaction(
          pool,
          caller,
          shown(reply, (tx) => seenWindow(tx, caller, id))
        )
      }
    })

    app.route({
      ...on('updateWindow', { params: Params, body: UpdateWindowBody, response: { 200: WindowDetail } }),
      handler: async (request, reply) => {
        const asked = { given: request.body, replaces: false }
        return tenantTransaction(
          pool,
          callerOf(request),
          shown(reply, (tx) => change(tx, codec, request, request.params.id.toLowerCase(), asked))
        )
      }
    })

    app.route({
      ...on('replaceWindow', { params: Params, body: CreateWindowBody, response: { 200: WindowDetail } }),
      handler: async (request, reply) => {
        const asked = { given: request.body, replaces: true }
        return tenantTransaction(
          pool,
          callerOf(request),
          shown(reply, (tx) => change(tx, codec, request, request.params.id.toLowerCase(), asked))
        )
      }
    })

    app.route({
      ...on('deleteWindow', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        await tenantTransaction(pool, callerOf(request), (tx) => remove(tx, codec, request, request.params.id.toLowerCase()))
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('endWindow', { params: Params, response: { 200: WindowDetail } }),
      handler: async (request, reply) =>
        tenantTransaction(
          pool,
          callerOf(request),
          shown(reply, (tx) => endNow(tx, codec, request, request.params.id.toLowerCase()))
        )
    })
  }
