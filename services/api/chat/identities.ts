/**
 * Links senders in chat apps to members. A sender whom nobody knows is given a private link. The
 * member who opens it is asked first; from then on the sender who got the link acts as that member.
 * Source: docs/design/api/notifications.md#ch-11 to #ch-14.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ChatIdentities, ChatIdentity, ChatLink, ChatLinkBody, MAX_CHAT_IDENTITIES } from '../../../schemas/http/chat.ts'
import { Id, iso } from '../../../schemas/http/common.ts'
import { botIdOf } from '../../channels/telegram-hook.ts'
import { sha256 } from '../../credentials/credentials.ts'
import { insertAudit } from '../../store/audit.ts'
import {
  deleteIdentity,
  findLink,
  type Identity,
  insertIdentity,
  listIdentities,
  type Sender,
  slackSenders,
  takeLink
} from '../../store/chat.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { hasBot, listBots } from '../../store/telegram.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { noteLinked, senderText } from './linked.ts'

/** `reached`: senders whom the workspace can write to, as `account:sender`. */
const shown = ({ identity_id, linked_at, ...who }: Identity, reached: ReadonlySet<string>): ChatIdentity => ({
  id: identity_id,
  ...who,
  linked_at: iso(linked_at),
  messages: who.vendor === 'slack' && reached.has(`${who.account}:${who.sender}`)
})

const gone = (): ApiError => new ApiError('NOT_FOUND', 'This link is unknown, used or too old')

export const chatIdentityRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const ownBot = botIdOf(config.telegramBotToken)

    /** A bot of a workspace serves only the members of that workspace. */
    const isOurs = async (tx: Tx, tenant_id: string, { vendor, account }: Sender): Promise<boolean> =>
      vendor !== 'telegram' || account === ownBot || hasBot(tx, tenant_id, account)

    const botsFor = async (tx: Tx, tenant_id: string) => {
      const own = ownBot === '' ? [] : [config.telegramBotName]
      const names = [...own, ...(await listBots(tx, tenant_id)).map(({ username }) => username)]
      return names.map((name) => ({ vendor: 'telegram' as const, name }))
    }

    app.route({
      ...on('listChatIdentities', { response: { 200: ChatIdentities } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id, user_id } = caller
        return keyedTransaction(pool, caller, async (tx) => {
          const found = await listIdentities(tx, tenant_id, user_id)
          const reached = await slackSenders(tx, tenant_id, user_id)
          return { items: found.map((one) => shown(one, reached)), bots: await botsFor(tx, tenant_id) }
        })
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
        const identity = await keyedTransaction(pool, caller, async (tx) => {
          const who = await takeLink(tx, sha256(request.body.token))
          if (!who || !(await isOurs(tx, tenant_id, who))) throw gone()
          if ((await listIdentities(tx, tenant_id, user_id)).length >= MAX_CHAT_IDENTITIES)
            throw new ApiError('CONFLICT', `You are linked to ${MAX_CHAT_IDENTITIES} senders. Unlink one first`)
          const made = await insertIdentity(tx, tenant_id, user_id, who)
          if (!made) throw new ApiError('CONFLICT', 'This sender is already linked. Unlink the account there first')
          await noteLinked(tx, config, { tenant_id, user_id, actor }, made)
          return shown(made, await slackSenders(tx, tenant_id, user_id))
        })
        return reply.code(201).send(identity)
      }
    })

    app.route({
      ...on('unlinkChatIdentity', { params: Type.Object({ id: Id }), response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const object_id = request.params.id.toLowerCase()
        await keyedTransaction(pool, caller, async (tx) => {
          const was = await deleteIdentity(tx, tenant_id, user_id, object_id, ownBot)
          if (!was) throw notFound()
          const diff = { sender: [senderText(was), null] as [unknown, unknown] }
          await insertAudit(tx, tenant_id, actor, { action: 'chat_identity.unlinked', object_type: 'chat_identity', object_id, diff })
        })
        return reply.code(204).send(null)
      }
    })
  }
