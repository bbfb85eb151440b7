/**
 * Views of lists that a person saves; with a token, those of its owner.
 * Source: docs/design/api/account.md#ac-29.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, iso, paging } from '../../../schemas/http/common.ts'
import { MAX_VIEWS, SavedView, SavedViewList, SaveViewBody, ViewParams } from '../../../schemas/http/views.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { insertAudit } from '../../store/audit.ts'
import { keyedTransaction, tenantTransaction } from '../../store/pool.ts'
import { countViews, deleteView, listViews, type StoredView, saveView } from '../../store/saved-views.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'

const shown = ({ view_id, ver, created_at, updated_at, ...view }: StoredView): SavedView => ({
  ...view,
  id: view_id,
  version: ver,
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})

const Query = Type.Object(paging, { additionalProperties: false })

export const viewRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listViews', { querystring: Query, response: { 200: SavedViewList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listViews(tx, caller.tenant_id, caller.user_id, page))
        return envelope(items.map(shown), total, page)
      }
    })

    app.route({
      ...on('saveView', { body: SaveViewBody, response: { 201: SavedView } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const view = await keyedTransaction(pool, caller, async (tx) => {
          await lockWorkspace(tx, tenant_id)
          const saved = await saveView(tx, tenant_id, user_id, { view_id: uuidv7(), ...request.body, name: request.body.name.trim() })
          const actual = await countViews(tx, tenant_id, user_id)
          if (actual > MAX_VIEWS)
            throw new ApiError('CONFLICT', `A person has at most ${MAX_VIEWS} saved views`, {
              details: [{ rule: 'max', limit: MAX_VIEWS, actual: MAX_VIEWS }]
            })
          await insertAudit(tx, tenant_id, actor, { action: 'view.saved', object_type: 'view', object_id: saved.view_id })
          return saved
        })
        return reply.code(201).send(shown(view))
      }
    })

    app.route({
      ...on('deleteView', { params: ViewParams, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const id = request.params.id.toLowerCase()
        await keyedTransaction(pool, caller, async (tx) => {
          if (!(await deleteView(tx, tenant_id, user_id, id))) throw notFound()
          await insertAudit(tx, tenant_id, actor, { action: 'view.deleted', object_type: 'view', object_id: id })
        })
        return reply.code(204).send(null)
      }
    })
  }
