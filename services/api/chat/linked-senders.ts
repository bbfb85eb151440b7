/**
 * Lists which members act from which chat app. People who manage members can see these links and
 * end them.
 * Source: docs/design/api/notifications.md#ch-15 and #ch-16.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { type LinkedSender, LinkedSenderList, LinkedSenderQuery } from '../../../schemas/http/chat.ts'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import { botIdOf } from '../../channels/telegram-hook.ts'
import { insertAudit } from '../../store/audit.ts'
import { deleteIdentity } from '../../store/chat.ts'
import { listLinkedSenders, type LinkedSender as Stored } from '../../store/linked-senders.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import { senderText } from './linked.ts'

const shown = ({ identity_id, linked_at, ...who }: Stored): LinkedSender => ({ id: identity_id, ...who, linked_at: iso(linked_at) })

export const linkedSenderRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listLinkedSenders', { querystring: LinkedSenderQuery, response: { 200: LinkedSenderList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        const user_id = request.query.user_id ?? null
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listLinkedSenders(tx, caller.tenant_id, user_id, page))
        return envelope(items.map(shown), total, page)
      }
    })

    app.route({
      ...on('unlinkSender', { params: Type.Object({ id: Id }), response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const object_id = request.params.id.toLowerCase()
        await tenantTransaction(pool, caller, async (tx) => {
          const was = await deleteIdentity(tx, tenant_id, null, object_id, botIdOf(config.telegramBotToken))
          if (!was) throw notFound()
          const diff: Record<string, [unknown, unknown]> = { sender: [senderText(was), null], user_id: [was.user_id, null] }
          await insertAudit(tx, tenant_id, actor, { action: 'chat_identity.unlinked', object_type: 'chat_identity', object_id, diff })
        })
        return reply.code(204).send(null)
      }
    })
  }
