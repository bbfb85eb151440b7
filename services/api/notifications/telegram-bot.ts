/**
 * Makes Telegram call the service about the bot of a channel, when the channel is saved and when it
 * is tested. A failure is noted with the channel and does not affect its messages.
 * Source: docs/design/outbound-channels.md#s4-3.
 */
import { randomBytes } from 'node:crypto'
import type { HttpRequest, SendReply } from '../../channels/channel.ts'
import { objectIn, recordIn, textIn } from '../../channels/judging.ts'
import { commandsBody, hookBody, isCallable, TELEGRAM_DOOR, type TelegramBot } from '../../channels/telegram-hook.ts'
import { oneLine, truncate } from '../../channels/text.ts'
import { SendFailure } from '../../delivery/failure.ts'
import type { HttpSender } from '../../delivery/http.ts'
import { deploymentOf } from '../../delivery/senders.ts'
import type { StoredChannel } from '../../store/channels.ts'
import { seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import { type BotNote, endUnusedBots, hasBot, hookOfBot, keepBot, noteBot, type TokenOfChannel } from '../../store/telegram.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import type { Caller } from '../http/caller.ts'
import type { Services } from '../services.ts'
import { sealingOf } from './channel-change.ts'

const HOOK_BYTES = 24
const MAX_FAULT = 200
const LIMITS = { connectMs: 3000, totalMs: 5000 }

type Parts = Pick<Services, 'pool' | 'config' | 'log'> & { http: HttpSender }
type Hooked = Pick<StoredChannel, 'tenant_id' | 'channel_id' | 'config'> & { kind: string }

/** Why the bot cannot be used for commands, in words for people. */
class BotFault extends Error {
  override readonly name = 'BotFault'
}

/** Builds a request of the Bot API that changes how Telegram calls about a bot. */
export function botRequest(config: Services['config'], token: string, method: string, body: object): HttpRequest {
  const { base_urls, user_agent } = deploymentOf(config)
  return {
    via: 'http',
    method: 'POST',
    url: `${base_urls.telegram ?? 'https://api.telegram.org'}/bot${token}/${method}`,
    headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': user_agent },
    body: JSON.stringify(body),
    secrets: [token],
    guarded: false
  }
}

type Ask = (method: string, body?: object) => Promise<unknown>

/** Throws BotFault. */
const asking =
  ({ config, http }: Parts, token: string): Ask =>
  async (method, body = {}) => {
    let reply: SendReply
    try {
      reply = await http.send(botRequest(config, token, method, body), LIMITS)
    } catch (error) {
      if (!(error instanceof SendFailure)) throw error
      throw new BotFault('Telegram did not answer.')
    }
    const said = objectIn(reply)
    if (reply.status === 200 && said?.ok === true) return said.result
    const words = truncate(oneLine(textIn(said, 'description') ?? `HTTP ${reply.status}`), MAX_FAULT)
    throw new BotFault(`Telegram refused ${method}: ${words}`)
  }

async function botOf(ask: Ask): Promise<TelegramBot> {
  const me = recordIn(await ask('getMe'))
  const [bot_id, username] = [textIn(me, 'id'), textIn(me, 'username')]
  if (bot_id === null || !/^\d{1,20}$/.test(bot_id) || username === null || !/^\w{1,32}$/.test(username))
    throw new BotFault('Telegram does not say which bot it is.')
  return { bot_id, username }
}

/**
 * What begins or ends the use of a bot takes turns by the lock of the workspace. It is never held
 * while Telegram answers.
 */
const inTurn = <T>({ pool }: Parts, caller: Caller, work: (tx: Tx) => Promise<T>): Promise<T> =>
  tenantTransaction(pool, caller, async (tx) => {
    await lockWorkspace(tx, caller.tenant_id)
    return work(tx)
  })

/** Returns null when the channel is gone, or has another token by now. */
async function hookUp(parts: Parts, caller: Caller, channel: TokenOfChannel, token: string): Promise<BotNote | null> {
  const { publicUrl, secretsKey } = parts.config
  const ask = asking(parts, token)
  try {
    const bot = await botOf(ask)
    const there = textIn(recordIn(await ask('getWebhookInfo')), 'url')
    if (there !== null && !there.startsWith(`${publicUrl}${TELEGRAM_DOOR}/`))
      throw new BotFault('Another program takes what is written to this bot. Give this service a bot of its own.')
    const made = randomBytes(HOOK_BYTES).toString('base64url')
    const hook_id = await inTurn(parts, caller, (tx) => keepBot(tx, caller.tenant_id, channel, bot, made))
    if (hook_id === null) return null
    await ask('setWebhook', hookBody(publicUrl, secretsKey, hook_id))
    await ask('setMyCommands', commandsBody())
    return { bot_id: bot.bot_id, bot_name: bot.username }
  } catch (error) {
    if (!(error instanceof BotFault)) throw error
    return { bot_fault: error.message }
  }
}

/** Whether Telegram was told about the bot, and its address still stands. */
const isDone = async ({ pool }: Parts, caller: Caller, { tenant_id, config: { bot_id, bot_name } }: Hooked): Promise<boolean> =>
  bot_name !== undefined && typeof bot_id === 'string' && tenantTransaction(pool, caller, (tx) => hasBot(tx, tenant_id, bot_id))

/** Never throws, because the channel is already saved. Returns the channel with what was noted. */
export async function withBot<Channel extends Hooked>(parts: Parts, caller: Caller, channel: Channel): Promise<Channel> {
  const { kind, config: settings, tenant_id, channel_id } = channel
  const { publicUrl, secretsKey } = parts.config
  const sealed = settings.bot_token
  if (kind !== 'telegram' || typeof sealed !== 'string' || !isCallable(publicUrl)) return channel
  try {
    if (await isDone(parts, caller, channel)) return channel
    const token = sealingOf(secretsKey, tenant_id, channel_id).open(sealed, 'bot_token')
    const stored = { channel_id, token: sealed }
    const note = await hookUp(parts, caller, stored, token)
    if (note === null) return channel
    const isKept = await inTurn(parts, caller, async (tx) => {
      const kept = await noteBot(tx, tenant_id, stored, note)
      await seeingAll(tx, (tx) => endUnusedBots(tx, tenant_id))
      return kept
    })
    const { bot_id: _id, bot_name: _name, bot_fault: _fault, ...rest } = settings
    return isKept ? { ...channel, config: { ...rest, ...note } } : channel
  } catch (error) {
    parts.log.error({ err: error, tenant_id, channel_id }, 'the bot of a channel was not set up')
    return channel
  }
}

/**
 * Runs after the channel is deleted: if no other channel has its bot, Telegram stops calling. Never
 * throws.
 */
export async function endBot(parts: Parts, caller: Caller, { kind, config: settings, tenant_id, channel_id }: Hooked): Promise<void> {
  const { bot_token: sealed, bot_id } = settings
  const { publicUrl, secretsKey } = parts.config
  if (kind !== 'telegram' || typeof sealed !== 'string' || typeof bot_id !== 'string') return
  try {
    const ended = await inTurn(parts, caller, (tx) => seeingAll(tx, (tx) => endUnusedBots(tx, tenant_id)))
    if (!ended.includes(bot_id)) return
    const ask = asking(parts, sealingOf(secretsKey, tenant_id, channel_id).open(sealed, 'bot_token'))
    await ask('deleteWebhook')
    // A channel may have got the bot meanwhile, and Telegram may have been told of it before this.
    const hook_id = await tenantTransaction(parts.pool, caller, (tx) => hookOfBot(tx, tenant_id, bot_id))
    if (hook_id !== null) await ask('setWebhook', hookBody(publicUrl, secretsKey, hook_id))
  } catch (error) {
    // The address of the deleted channel is already closed, so calls to it are refused.
    parts.log.warn({ err: error, tenant_id, channel_id }, 'Telegram may not know where the bot of a deleted channel is called now')
  }
}
