/**
 * Callbacks of Telegram about a bot: messages with the five words, and buttons. Nothing is read
 * before the secret in the header is verified. A call without it is answered 401 without a body and
 * counts against the limit of its address. The HTTP response tells Telegram what to say, so the
 * bot's token is not needed here.
 * Source: docs/design/api/notifications.md#ch-5, docs/design/outbound-channels.md#s4-3.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { botIdOf, operatorHook, startUrl, type TelegramBot, verifyTelegram } from '../../channels/telegram-hook.ts'
import { plain, truncate } from '../../channels/text.ts'
import { insertAudit } from '../../store/audit.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { botOfHook, moveChat } from '../../store/telegram.ts'
import { on } from '../http/endpoint.ts'
import type { Services } from '../services.ts'
import { checked } from './calls.ts'
import { createDoor, headerOf, installSigned, jsonOf, MAX_CALL_BYTES, refused, turnAway } from './door.ts'
import { type MovedChat, movedIn, type TelegramCall, telegramCallIn } from './telegram-calls.ts'

const MAX_TEXT = 4000
const MAX_BUTTON_TEXT = 200

const Params = Type.Object({ hook_id: Type.String() })

/** A method of the Bot API and its fields; empty: nothing is to be sent. */
const Answer = Type.Object({
  method: Type.Optional(Type.String({ description: 'sendMessage or answerCallbackQuery; absent when nothing is to be sent.' })),
  chat_id: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  link_preview_options: Type.Optional(Type.Object({ is_disabled: Type.Boolean() })),
  callback_query_id: Type.Optional(Type.String()),
  show_alert: Type.Optional(Type.Boolean()),
  url: Type.Optional(Type.String())
})
type Answer = Static<typeof Answer>

const written = (words: string, max: number): string => truncate(plain(words), max, 'utf16')

const say = (chat_id: string, words: string): Answer => ({
  method: 'sendMessage',
  chat_id,
  text: written(words, MAX_TEXT),
  link_preview_options: { is_disabled: true }
})

/** Said in a group: nobody gets a private link there, because others could open it. */
const inPrivate = (bot: TelegramBot): string =>
  `Anyone who is linked to a member can do that. To link your account write to me in private: ${startUrl(bot)}`

/**
 * Answers are for the sender alone, so an answer to a message in a group goes to the sender's
 * private chat. In a group, strangers are pointed to their private chat.
 */
function answerOf({ who, chat_id, is_private, button_id, command }: TelegramCall, words: string, bot: TelegramBot): Answer {
  const isStranger = words === inPrivate(bot)
  // The person who chose a group may never have written to the bot in private.
  const isForAll = isStranger || is_private || command.word === 'settle'
  if (button_id === null) return say(isForAll ? chat_id : who.sender, words)
  const method = 'answerCallbackQuery'
  if (isStranger) return { method, callback_query_id: button_id, url: startUrl(bot) }
  return { method, callback_query_id: button_id, text: written(words, MAX_BUTTON_TEXT), show_alert: true }
}

export const telegramRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { config, pool, buckets } = services
    const { secretsKey, telegramBotToken, telegramBotName } = config
    const { answerTo } = createDoor(app, services)
    const own = { bot_id: botIdOf(telegramBotToken), username: telegramBotName }
    const ownHook = telegramBotToken === '' || secretsKey === '' ? null : operatorHook(secretsKey, own.bot_id)
    const hookOf = (params: unknown): string => (params as Static<typeof Params>).hook_id

    installSigned(app, services, (_body, request) =>
      verifyTelegram(secretsKey, hookOf(request.params), headerOf(request, 'x-telegram-bot-api-secret-token'))
    )

    async function botOf(hook_id: string): Promise<(TelegramBot & { tenant_id: string | null }) | null> {
      return hook_id === ownHook ? { ...own, tenant_id: null } : botOfHook(pool, hook_id)
    }

    /**
     * Moves the channels of a group to its new id. The operator's bot needs nothing: it writes to
     * people.
     */
    async function follow({ tenant_id, bot_id }: TelegramBot & { tenant_id: string | null }, moved: MovedChat, request_id: string) {
      if (tenant_id === null) return
      const actor = { kind: 'system', id: 'telegram', via: 'chat', request_id } as const
      await tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
        for (const channel_id of await moveChat(tx, tenant_id, { bot_id, ...moved })) {
          const diff = { 'config.chat_id': [moved.from, moved.to] as [unknown, unknown] }
          await insertAudit(tx, tenant_id, actor, { action: 'channel.updated', object_type: 'channel', object_id: channel_id, diff })
        }
      })
    }

    app.route({
      ...on('telegramUpdate', { params: Params, response: { 200: Answer, 401: refused } }),
      bodyLimit: MAX_CALL_BYTES,
      handler: async (request, reply) => {
        const bot = await botOf(request.params.hook_id)
        // The bot's channel was removed, so its address no longer exists.
        if (bot === null) return turnAway(buckets, request, reply)
        const update = jsonOf(request)
        const moved = movedIn(update)
        if (moved) await follow(bot, moved, request.id)
        const call = checked(telegramCallIn(update, bot))
        if (call === null) return {}
        const strangers = call.is_private && call.button_id === null ? null : inPrivate(bot)
        const words = await answerTo(call, request, '', { tenant_id: bot.tenant_id, strangers })
        return words === null ? {} : answerOf(call, words, bot)
      }
    })
  }
