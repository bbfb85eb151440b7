/**
 * Registers this service's commands and addresses with chat apps that the operator has configured.
 * Every process does it when it starts; repeating it changes nothing. A request without an answer
 * is tried again; a refusal is logged.
 * Source: docs/design/api/notifications.md#s8-6.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { HttpRequest } from '../../channels/channel.ts'
import { botIdOf, commandsBody, hookBody, isCallable, operatorHook } from '../../channels/telegram-hook.ts'
import { SendFailure } from '../../delivery/failure.ts'
import { deploymentOf, sendersOf } from '../../delivery/senders.ts'
import { botRequest } from '../notifications/telegram-bot.ts'
import type { Services } from '../services.ts'
import { discordRegistration } from './discord-commands.ts'

const TRIES_AFTER_MS: readonly number[] = [0, 2000, 10_000, 60_000, 300_000]

interface Registration {
  vendor: string
  /** One after the other. */
  requests: readonly HttpRequest[]
}

/**
 * Requests for the operator's bot; null: there is no bot, or Telegram cannot reach this service.
 */
function telegramRequests(config: Services['config']): HttpRequest[] | null {
  const { telegramBotToken: token, secretsKey, publicUrl } = config
  if (token === '' || secretsKey === '' || !isCallable(publicUrl)) return null
  const hook_id = operatorHook(secretsKey, botIdOf(token))
  return [
    botRequest(config, token, 'setWebhook', hookBody(publicUrl, secretsKey, hook_id)),
    botRequest(config, token, 'setMyCommands', commandsBody())
  ]
}

function registrationsOf({ config }: Pick<Services, 'config'>): Registration[] {
  const { base_urls, user_agent } = deploymentOf(config)
  const discord = discordRegistration(config, base_urls.discord, user_agent)
  const telegram = telegramRequests(config)
  return [
    ...(discord ? [{ vendor: 'discord', requests: [discord] }] : []),
    ...(telegram ? [{ vendor: 'telegram', requests: telegram }] : [])
  ]
}

/** Stops the tries that are under way, and waits until they have ended. */
export type StopRegistering = () => Promise<void>

export function startRegistering(services: Pick<Services, 'config' | 'log' | 'pool'>, triesAfterMs = TRIES_AFTER_MS): StopRegistering {
  const { config, log, pool } = services
  const registrations = registrationsOf(services)
  if (registrations.length === 0) return async () => undefined
  const { http, close } = sendersOf(config, pool)
  const ended = new AbortController()

  /** Returns the status of the last answer; null: there was no answer. */
  async function send(request: HttpRequest): Promise<number | null> {
    let last: number | null = null
    for (const wait of triesAfterMs) {
      await pause(wait, undefined, { signal: ended.signal })
      try {
        last = (await http.send(request)).status
      } catch (error) {
        if (!(error instanceof SendFailure)) throw error
        last = null
      }
      if (last !== null && last < 500 && last !== 429) break
    }
    return last
  }

  async function register({ vendor, requests }: Registration): Promise<void> {
    for (const request of requests) {
      const status = await send(request)
      if (status === null || status >= 300) {
        log.error({ vendor, status }, 'a chat app did not take what it may call: look at its settings, and start again')
        return
      }
    }
    log.info({ vendor }, 'a chat app knows what it may call')
  }

  const all = registrations.map((one) =>
    register(one).catch((error: unknown) => {
      if (!ended.signal.aborted) log.error({ err: error, vendor: one.vendor }, 'a chat app was not told what it may call')
    })
  )
  return async () => {
    ended.abort()
    await Promise.all(all)
    close()
  }
}
