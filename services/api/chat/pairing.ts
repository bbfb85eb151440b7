/**
 * The link that a member opens in Telegram, and what becomes of it there: whoever presses Start is
 * that member from then on. It holds for the sender, and for no chat: a group has no identity.
 * Source: docs/design/api/notifications.md#no-11.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CHAT_LINK_MINUTES, MAX_CHAT_IDENTITIES, PairingBody, PairingLink } from '../../../schemas/http/chat.ts'
import { iso } from '../../../schemas/http/common.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { botIdOf, pairingUrl } from '../../channels/telegram-hook.ts'
import { mintPairing, sha256 } from '../../credentials/credentials.ts'
import { takeCallback } from '../../store/callbacks.ts'
import { insertIdentity, listIdentities, type NamedSender } from '../../store/chat.ts'
import { offerPairing, pairingOf, takePairing } from '../../store/chat-pairings.ts'
import { type Tx, tenantTransaction, transaction } from '../../store/pool.ts'
import { listBots } from '../../store/telegram.ts'
import { readNames } from '../../store/users.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { invalid } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { noteLinked } from './linked.ts'

export const pairingRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const own = { bot_id: botIdOf(config.telegramBotToken), username: config.telegramBotName }

    app.route({
      ...on('createPairingLink', { body: PairingBody, response: { 201: PairingLink } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id } = caller
        const { value, sha256: hash } = mintPairing()
        const link = await tenantTransaction(pool, caller, async (tx) => {
          const bots = [...(own.bot_id === '' ? [] : [own]), ...(await listBots(tx, tenant_id))]
          const bot = bots.find(({ username }) => username === request.body.bot)
          if (!bot) throw invalid('bot', 'unknown_bot', 'names no bot that takes commands here')
          const expires_at = await offerPairing(
            tx,
            tenant_id,
            user_id,
            { vendor: 'telegram', account: bot.bot_id },
            hash,
            CHAT_LINK_MINUTES * 60
          )
          return { url: pairingUrl(bot, value), expires_at: iso(expires_at) }
        })
        return reply.code(201).send(link)
      }
    })
  }

const GONE = 'This link can no longer be used: it was used already, or is too old. Make another one under Your notifications.'

export interface Pairing {
  who: NamedSender
  code: string
  receipt: string
  request_id: string
}

async function become(tx: Tx, config: Services['config'], tenant_id: string, { who, code, receipt, request_id }: Pairing) {
  if (!(await takeCallback(tx, receipt))) return null
  const user_id = await takePairing(tx, tenant_id, who.account, sha256(code))
  if (user_id === null) return GONE
  if ((await listIdentities(tx, tenant_id, user_id)).length >= MAX_CHAT_IDENTITIES)
    return `You are linked to ${MAX_CHAT_IDENTITIES} senders already. Unlink one under Your notifications first.`
  const made = await insertIdentity(tx, tenant_id, user_id, who)
  if (!made) return 'This account is linked to a member already. Unlink it under Your notifications first.'
  await noteLinked(tx, config, { tenant_id, user_id, actor: { kind: 'user', id: user_id, via: 'chat', request_id } }, made)
  const name = (await readNames(tx, tenant_id, [user_id])).get(user_id) ?? 'a member'
  return `You act as ${name} from now on. Write /status, or /help for all that there is.`
}

/** What is said to who has opened a link; null: this call was taken before. */
export async function pair({ pool, config }: Services, pairing: Pairing): Promise<string | null> {
  const { who, code, receipt } = pairing
  const tenant_id = await pairingOf(pool, who.account, sha256(code))
  if (tenant_id === null) return (await transaction(pool, (tx) => takeCallback(tx, receipt))) ? GONE : null
  return tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => become(tx, config, tenant_id, pairing))
}
