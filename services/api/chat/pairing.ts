/**
 * The link that a member opens in Telegram, and what happens when somebody presses Start there:
 * that sender acts as the member from then on. The link binds the sender, not a chat: a group has
 * no identity. A link for a channel chooses the group that the channel writes to, and links nobody.
 * Source: docs/design/api/notifications.md#no-11.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CHAT_LINK_MINUTES, MAX_CHAT_IDENTITIES, PairingBody, PairingLink } from '../../../schemas/http/chat.ts'
import { iso } from '../../../schemas/http/common.ts'
import { rightsOf } from '../../../schemas/http/rights.ts'
import { seenBy, wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { botIdOf, groupUrl, pairingUrl } from '../../channels/telegram-hook.ts'
import { mintPairing, sha256 } from '../../credentials/credentials.ts'
import { insertAudit } from '../../store/audit.ts'
import { takeCallback } from '../../store/callbacks.ts'
import { readChannel } from '../../store/channels.ts'
import { insertIdentity, listIdentities, type NamedSender } from '../../store/chat.ts'
import { offerPairing, pairingOf, takeGroupLink, takePairing } from '../../store/chat-pairings.ts'
import { type Tx, tenantTransaction, transaction } from '../../store/pool.ts'
import { chooseChat, listBots } from '../../store/telegram.ts'
import { readNames, readRole } from '../../store/users.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { checkManagesAll, managesAll } from '../teams/rules.ts'
import { noteLinked } from './linked.ts'

/**
 * Checks that the caller may change where the channel leads. Throws where it is not theirs, or is a
 * channel of another bot.
 */
async function checkChannel(tx: Tx, caller: Caller, channel_id: string, bot_id: string): Promise<void> {
  const { tenant_id, rights } = caller
  if (!rights.has('write')) throw new ApiError('FORBIDDEN', 'Only owners, admins and editors can change channels')
  const channel = await readChannel(tx, tenant_id, channel_id)
  if (!channel) throw invalid('channel_id', 'unknown_channel', 'is not a channel of this workspace')
  if (channel.config.bot_id !== bot_id) throw invalid('channel_id', 'unknown_channel', 'must be a channel of this bot')
  await checkManagesAll(tx, caller, [channel.team_id, ...channel.allowed_team_ids])
}

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
          if (!bot) throw invalid('bot', 'unknown_bot', 'is not a bot that accepts commands')
          const channel_id = request.body.channel_id?.toLowerCase() ?? null
          if (channel_id !== null) await checkChannel(tx, caller, channel_id, bot.bot_id)
          const wanted = { vendor: 'telegram', account: bot.bot_id, channel_id } as const
          const expires_at = await offerPairing(tx, tenant_id, user_id, wanted, hash, CHAT_LINK_MINUTES * 60)
          return { url: channel_id === null ? pairingUrl(bot, value) : groupUrl(bot, value), expires_at: iso(expires_at) }
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

/**
 * Links the sender who opened a link, and returns the words for them; null: this call was accepted
 * before.
 */
export async function pair({ pool, config }: Services, pairing: Pairing): Promise<string | null> {
  const { who, code, receipt } = pairing
  const tenant_id = await pairingOf(pool, who.account, sha256(code))
  if (tenant_id === null) return (await transaction(pool, (tx) => takeCallback(tx, receipt))) ? GONE : null
  return tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => become(tx, config, tenant_id, pairing))
}

const NOT_THEIRS = 'This link can no longer be used: who made it may not change the channel.'

/**
 * Makes the channel write to the chosen group, and returns the words for the group; null: this call
 * was accepted before; undefined: the code chooses no group. The person who made the link must
 * still be allowed to change the channel.
 */
export async function settle(
  { pool }: Services,
  { who, code, chat_id, receipt, request_id }: Pairing & { chat_id: string }
): Promise<string | null | undefined> {
  const { account } = who
  const tenant_id = await pairingOf(pool, account, sha256(code))
  if (tenant_id === null) return undefined
  const taken = await tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    const link = await takeGroupLink(tx, tenant_id, account, sha256(code))
    if (!link) return undefined
    return (await takeCallback(tx, receipt)) ? { ...link, role: await readRole(tx, tenant_id, link.user_id) } : null
  })
  if (!taken) return taken
  const { user_id, channel_id, role } = taken
  if (role === null || !rightsOf(role, null).has('write')) return NOT_THEIRS
  return tenantTransaction(pool, { tenant_id, seen_by: seenBy(role, user_id) }, async (tx) => {
    const channel = await readChannel(tx, tenant_id, channel_id)
    if (!channel || !(await managesAll(tx, { tenant_id, user_id, role }, [channel.team_id, ...channel.allowed_team_ids]))) return NOT_THEIRS
    const chosen = await chooseChat(tx, tenant_id, { channel_id, bot_id: account, chat_id })
    if (!chosen) return NOT_THEIRS
    const actor = { kind: 'user', id: user_id, via: 'chat', request_id } as const
    const diff = { 'config.chat_id': [chosen.before, chat_id] as [unknown, unknown] }
    await insertAudit(tx, tenant_id, actor, { action: 'channel.updated', object_type: 'channel', object_id: channel_id, diff })
    return `${chosen.name} writes to this group from now on.`
  })
}
