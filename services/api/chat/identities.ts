/**
 * Who a member is in chat apps. A sender whom nobody knows is given a private link; the member who
 * opens it is asked first, and whoever has it is that member from then on.
 * Source: docs/design/api/notifications.md#ch-11 to #ch-14.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ChatIdentities, ChatIdentity, ChatLink, ChatLinkBody, MAX_CHAT_IDENTITIES } from '../../../schemas/http/chat.ts'
import { Id, iso } from '../../../schemas/http/common.ts'
import { sha256 } from '../../credentials/credentials.ts'
import { insertAudit } from '../../store/audit.ts'
import { deleteIdentity, findLink, type Identity, insertIdentity, listIdentities, type Sender, takeLink } from '../../store/chat.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'

const shown = ({ identity_id, linked_at, ...who }: Identity): ChatIdentity => ({ id: identity_id, ...who, linked_at: iso(linked_at) })

/** How the trail names a sender. */
export const senderText = ({ vendor, account, sender }: Sender): string => `${vendor}:${account}:${sender}`

const gone = (): ApiError => new ApiError('NOT_FOUND', 'There is no such link: it is unknown, used, or too old')

export const chatIdentityRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listChatIdentities', { response: { 200: ChatIdentities } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const found = await tenantTransaction(pool, caller, (tx) => listIdentities(tx, caller.tenant_id, caller.user_id))
        return { items: found.map(shown) }
      }
    })

    app.route({
      ...on('lookAtChatLink', { body: ChatLinkBody, response: { 200: ChatLink } }),
      handler: async (request) => {
        const found = await findLink(pool, sha256(request.body.token))
        if (!found) throw gone()
        return { ...found, expires_at: iso(found.expires_at) }
      }
    })

    app.route({
      ...on('linkChatIdentity', { body: ChatLinkBody, response: { 201: ChatIdentity } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const identity = await tenantTransaction(pool, caller, async (tx) => {
          const who = await takeLink(tx, sha256(request.body.token))
          if (!who) throw gone()
          if ((await listIdentities(tx, tenant_id, user_id)).length >= MAX_CHAT_IDENTITIES)
            throw new ApiError('CONFLICT', `You are linked to ${MAX_CHAT_IDENTITIES} senders already; unlink one first`)
          const made = await insertIdentity(tx, tenant_id, user_id, who)
          if (!made) throw new ApiError('CONFLICT', 'This sender is linked already; they must be unlinked there first')
          const diff = { sender: [null, senderText(who)] as [unknown, unknown] }
          await insertAudit(tx, tenant_id, actor, {
            action: 'chat_identity.linked',
            object_type: 'chat_identity',
            object_id: made.identity_id,
            diff
          })
          return made
        })
        return reply.code(201).send(shown(identity))
      }
    })

    app.route({
      ...on('unlinkChatIdentity', { params: Type.Object({ id: Id }), response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const object_id = request.params.id.toLowerCase()
        await tenantTransaction(pool, caller, async (tx) => {
          const was = await deleteIdentity(tx, tenant_id, user_id, object_id)
          if (!was) throw notFound()
          const diff = { sender: [senderText(was), null] as [unknown, unknown] }
          await insertAudit(tx, tenant_id, actor, { action: 'chat_identity.unlinked', object_type: 'chat_identity', object_id, diff })
        })
        return reply.code(204).send(null)
      }
    })
  }
