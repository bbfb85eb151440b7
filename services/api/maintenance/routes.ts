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
import { keyedTransaction, tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { invalid } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { instant } from '../incidents/query.ts'
import type { Services } from '../services.ts'
import { change, create, endNow, preview, remove, seenWindow } from './change.ts'
import { inRange, toDetail } from './shapes.ts'

const Params = Type.Object({ id: Id })

const shown = (reply: FastifyReply, window: StoredWindow): WindowDetail => {
  void reply.header('etag', `"${window.version}"`)
  return toDetail(window, Date.now())
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
        const at = Date.now()
        const { state: states, monitor_id } = request.query
        const range = rangeOf(request.query)
        const filter = { origin: 'planned', states, monitor_id: monitor_id?.toLowerCase() } as const
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listWindows(tx, caller.tenant_id, filter, at, page))
        return envelope(
          items.map((window) => ({ ...toDetail(window, at), ...(range && { in_range: inRange(window, range) }) })),
          total,
          page
        )
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
        const window = await tenantTransaction(pool, caller, (tx) => create(tx, codec, caller, request.body))
        return reply.code(201).send(shown(reply, window))
      }
    })

    app.route({
      // Includes windows of deployments: a hold on an incident names its window by the id alone.
      ...on('readWindow', { params: Params, response: { 200: WindowDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        return shown(reply, await keyedTransaction(pool, caller, (tx) => seenWindow(tx, caller, request.params.id.toLowerCase())))
      }
    })

    app.route({
      ...on('updateWindow', { params: Params, body: UpdateWindowBody, response: { 200: WindowDetail } }),
      handler: async (request, reply) => {
        const asked = { given: request.body, replaces: false }
        return shown(
          reply,
          await tenantTransaction(pool, callerOf(request), (tx) => change(tx, codec, request, request.params.id.toLowerCase(), asked))
        )
      }
    })

    app.route({
      ...on('replaceWindow', { params: Params, body: CreateWindowBody, response: { 200: WindowDetail } }),
      handler: async (request, reply) => {
        const asked = { given: request.body, replaces: true }
        return shown(
          reply,
          await tenantTransaction(pool, callerOf(request), (tx) => change(tx, codec, request, request.params.id.toLowerCase(), asked))
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
        shown(reply, await tenantTransaction(pool, callerOf(request), (tx) => endNow(tx, codec, request, request.params.id.toLowerCase())))
    })
  }
