/**
 * The Discord app: people add its bot to a server, and choose the channel on Discord's own page.
 * That page creates a webhook, which is deleted again: the bot sends the messages, because only
 * messages of the bot have buttons. No credential of an install is stored.
 * Source: docs/design/outbound-channels.md#s3-2 and #s4-6.
 */
import type { SendContext, SendOutcome, SendReply, SendRequest } from '../channel.ts'
import { asBot, discordBase, discordCall, discordCode, discordVerdict } from '../discord-api.ts'
import type { ChatApp, InstallOutcome } from '../install.ts'
import { formRequest, objectIn, recordIn, succeeded, textIn } from '../judging.ts'
import { oneLine, truncate } from '../text.ts'

/**
 * The OAuth scopes: the bot and its command, the identity of the person who adds it, and the choice
 * of a channel.
 */
export const DISCORD_SCOPES = ['bot', 'applications.commands', 'identify', 'webhook.incoming'] as const

/** The rights to see the channel, send messages, embed links and read the history. */
export const DISCORD_PERMISSIONS = 1024 + 2048 + 16_384 + 65_536

/** The scopes without which the app cannot do its work. */
const NEEDED: readonly string[] = ['bot', 'webhook.incoming', 'identify']
/** Means: installed in servers. The other way is an install in the account of one person. */
const INTO_SERVERS = '0'
const MAX_NAME = 80

const ID = /^\d{1,20}$/
const TOKEN = /^[\x21-\x7e]{1,500}$/

/** Error codes: the app is no longer in that server. */
const GONE = new Set(['10004', '50001'])

type Steps<R> = Generator<SendRequest, R, SendReply>

const name = (text: string | null): string => truncate(oneLine(text ?? ''), MAX_NAME)

const refused = (problem: 'refused' | 'incomplete' | 'no_access', why: string): InstallOutcome => ({ outcome: 'refused', problem, why })

interface Given {
  guild_id: string
  guild_name: string
  channel_id: string
  webhook: { id: string; token: string } | null
  access_token: string
}

/**
 * Reads what was installed from the reply to the code exchange. The values in the browser's
 * redirect are not trusted.
 */
function givenIn(reply: SendReply): Given | { why: string; webhook: Given['webhook'] } {
  const said = objectIn(reply)
  const [guild, hook] = [recordIn(said?.guild), recordIn(said?.webhook)]
  const [id, token] = [textIn(hook, 'id') ?? '', textIn(hook, 'token') ?? '']
  const webhook = ID.test(id) && TOKEN.test(token) ? { id, token } : null
  const granted = (textIn(said, 'scope') ?? '').split(' ')
  if (NEEDED.some((scope) => !granted.includes(scope))) return { why: `it was given the rights ${granted.join(' ')}`, webhook }
  const guild_id = textIn(guild, 'id') ?? ''
  const channel_id = textIn(hook, 'channel_id') ?? ''
  const access_token = textIn(said, 'access_token') ?? ''
  if (!ID.test(guild_id) || !ID.test(channel_id) || !TOKEN.test(access_token))
    return { why: 'the answer lacks the server, the channel or the credential', webhook }
  if (textIn(hook, 'guild_id') !== guild_id) return { why: 'the channel is in another server than the bot', webhook }
  return { guild_id, guild_name: name(textIn(guild, 'name')), channel_id, webhook, access_token }
}

/**
 * Deletes the webhook, which nothing uses. A webhook that stays does no harm, so the reply is
 * ignored.
 */
function* withoutWebhook(webhook: Given['webhook'], context: SendContext): Steps<void> {
  if (!webhook) return
  yield discordCall('DELETE', `/webhooks/${webhook.id}/${webhook.token}`, null, context, { secrets: [webhook.token] })
}

function* found(given: Given, bot_token: string, context: SendContext): Steps<InstallOutcome> {
  const { guild_id, guild_name, channel_id, access_token } = given
  const asPerson = { authorization: `Bearer ${access_token}`, secrets: [access_token] }
  const person = yield discordCall('GET', '/users/@me', null, context, asPerson)
  const installer = textIn(objectIn(person), 'id') ?? ''
  if (!succeeded(person) || !ID.test(installer)) return refused('refused', `who adds it is not told: ${person.status}`)
  const channel = yield discordCall('GET', `/channels/${channel_id}`, null, context, asBot(bot_token))
  if (channel.status === 403) return refused('no_access', 'the bot does not see the channel')
  const isThere = succeeded(channel) && textIn(objectIn(channel), 'guild_id') === guild_id
  if (!isThere) return refused('refused', `the channel is not shown to the bot: ${channel.status} ${discordCode(channel) ?? ''}`.trim())
  const channel_name = name(`#${textIn(objectIn(channel), 'name') ?? channel_id}`)
  return {
    outcome: 'installed',
    name: [channel_name, guild_name].filter((part) => part !== '').join(' in '),
    config: { guild_id, guild_name, channel_id, channel_name },
    installer
  }
}

function* left(guild_id: string, bot_token: string, context: SendContext): Steps<SendOutcome> {
  const reply = yield discordCall('DELETE', `/users/@me/guilds/${guild_id}`, null, context, asBot(bot_token))
  return succeeded(reply) || GONE.has(discordCode(reply) ?? '') ? { outcome: 'delivered' } : discordVerdict(reply, context, 'app')
}

export const app: ChatApp = {
  kind: 'discord',
  account: ({ discord }) => discord,
  authorizeUrl({ client_id }, { state, redirect_uri }, context) {
    const asked = new URLSearchParams({
      ...{ response_type: 'code', client_id, scope: DISCORD_SCOPES.join(' '), permissions: String(DISCORD_PERMISSIONS) },
      ...{ integration_type: INTO_SERVERS, redirect_uri, state }
    })
    return `${discordBase(context)}/oauth2/authorize?${asked.toString().replaceAll('+', '%20')}`
  },
  *install({ client_id, client_secret }, { code, redirect_uri }, context) {
    const bot_token = context.deployment.discord?.bot_token
    if (bot_token === undefined) return { outcome: 'refused', problem: 'not_set_up', why: 'the operator has set no bot' }
    const form: [string, string][] = [
      ['grant_type', 'authorization_code'],
      ['code', code],
      ['redirect_uri', redirect_uri],
      ['client_id', client_id],
      ['client_secret', client_secret]
    ]
    const reply = yield formRequest(`${discordBase(context)}/api/v10/oauth2/token`, form, context, { secrets: [client_secret, code] })
    if (!succeeded(reply)) return refused('refused', `Discord answered ${reply.status} ${textIn(objectIn(reply), 'error') ?? ''}`.trim())
    const given = givenIn(reply)
    yield* withoutWebhook(given.webhook, context)
    return 'why' in given ? refused('incomplete', given.why) : yield* found(given, bot_token, context)
  },
  *uninstall(_account, { guild_id }, context) {
    const bot_token = context.deployment.discord?.bot_token
    return bot_token === undefined ? { outcome: 'delivered' } : yield* left(String(guild_id), bot_token, context)
  },
  place: { account: 'guild_id', room: 'channel_id' },
  shared: ['guild_name'],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged']
}
