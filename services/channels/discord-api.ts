/**
 * Discord's API: how the application's bot calls it, and what its replies mean.
 * Source: docs/design/outbound-channels.md#s3-2.
 */
import type { HttpRequest, SendContext, SendOutcome, SendReply } from './channel.ts'
import { baseUrl, deadChannel, judge, later, lost, objectIn, textIn, why } from './judging.ts'

export const discordBase = (context: SendContext): string => baseUrl('discord', 'https://discord.com', context)

/** `body` null: no body. `secrets`: the secret texts in the body, the headers and the path. */
export const discordCall = (
  method: HttpRequest['method'],
  path: string,
  body: object | null,
  context: SendContext,
  { authorization, secrets }: { authorization?: string; secrets: string[] }
): HttpRequest => ({
  via: 'http',
  method,
  url: `${discordBase(context)}/api/v10${path}`,
  headers: {
    accept: 'application/json',
    'user-agent': context.deployment.user_agent,
    ...(authorization !== undefined && { authorization }),
    ...(body !== null && { 'content-type': 'application/json; charset=utf-8' })
  },
  body: body === null ? null : JSON.stringify(body),
  secrets,
  guarded: false
})

export const asBot = (bot_token: string) => ({ authorization: `Bot ${bot_token}`, secrets: [bot_token] })

export const discordCode = (reply: SendReply): string | null => textIn(objectIn(reply), 'code')

const OVERLOADED = '130000'
/** The wait when Discord refuses the token of the operator's bot. */
const OPERATOR_MS = 300_000

/** Unknown webhook, channel or server; an invalid token; missing access or rights. */
const DEAD_WEBHOOK = new Set(['50027', '10015', '10003', '10004', '50001', '50013'])

const AGAIN = 'Add the app to Discord again.'

/** What is wrong with the app or the channel, in words for people. */
const DEAD: Readonly<Record<string, string>> = {
  '10003': `The channel in Discord is gone. ${AGAIN}`,
  '10004': `The app is no longer in this Discord server. ${AGAIN}`,
  '50001': `The app may not see this channel in Discord, or is no longer in the server. Let it see the channel, or add it again.`,
  '50013': 'The app may not write in this channel in Discord: let it see the channel, send messages, embed links and read the history.'
}

/**
 * Errors that a person may fix in Discord within minutes: only three in a row turn the channel off.
 */
const MENDABLE = new Set(['50001', '50013'])

/** Judges a reply that is not a success. */
export function discordVerdict(reply: SendReply, context: SendContext, by: 'app' | 'webhook'): SendOutcome {
  const { status } = reply
  const code = discordCode(reply)
  if (status === 429) {
    const seconds = Number(objectIn(reply)?.retry_after)
    return later(reply, context.now, Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : undefined)
  }
  if (code === OVERLOADED) return later(reply, context.now)
  if (by === 'webhook' && ((code !== null && DEAD_WEBHOOK.has(code)) || status === 404 || status === 401))
    return deadChannel(reply, 'Discord knows no such webhook any more, or its rights are gone. Make a new one.', true)
  if (by === 'app' && status === 401) return { outcome: 'retry', why: why(reply), after_ms: OPERATOR_MS, operator: true }
  const words = code === null ? undefined : DEAD[code]
  if (words !== undefined) return deadChannel(reply, words, !MENDABLE.has(code ?? ''))
  if (status === 400) return lost(reply, 'Discord refused this message.')
  return judge(reply, context)
}
