/**
 * Compares our Discord requests with the types and numbers of `discord-api-types`, which another
 * project maintains: what we send must have these types, and our numbers must be equal.
 */
import {
  ButtonStyle,
  ComponentType,
  OAuth2Scopes,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
  type RESTPatchAPIChannelMessageJSONBody,
  type RESTPostAPIChannelMessageJSONBody,
  Routes
} from 'discord-api-types/v10'
import t from 'tap'
import { app, DISCORD_PERMISSIONS, DISCORD_SCOPES } from '../../../services/channels/apps/discord.ts'
import type { SendRequest } from '../../../services/channels/channel.ts'
import { discordComponents, discordEmbed } from '../../../services/channels/discord-message.ts'
import { channel as discord } from '../../../services/channels/kinds/discord.ts'
import { APP } from './discord-web.ts'
import { context, deployment, drive, httpOf, json, message, NOW, reply, up } from './messages.ts'

const at = context({ deployment: { ...deployment, discord: { ...APP } } })
const config = { mode: 'oauth' as const, guild_id: '1', guild_name: 'Acme', channel_id: '2', channel_name: '#alerts' }
const pathOf = (request: SendRequest | undefined): string => new URL(httpOf(request).url).pathname

t.test('Discord messages have the fields and paths of the API types', async (t) => {
  const posted: RESTPostAPIChannelMessageJSONBody = {
    embeds: [discordEmbed(message(), NOW)],
    components: discordComponents(message(), NOW),
    allowed_mentions: { parse: [] },
    nonce: '1',
    enforce_nonce: true
  }
  const { requests } = drive(discord, message(), config, [reply(200, { id: '3' })], { at })
  t.same(Object.keys(json(requests[0])).sort(), Object.keys(posted).sort(), 'and no other field is sent')
  const edited: RESTPatchAPIChannelMessageJSONBody = {
    content: '',
    embeds: [discordEmbed(up(), NOW)],
    components: discordComponents(up(), NOW),
    allowed_mentions: { parse: [] }
  }
  const ended = drive(discord, up(), config, [reply(200, { id: '3' }), reply(200, { id: '4' })], { at, ref: { message_id: '3' } })
  t.same(Object.keys(json(ended.requests[0])).sort(), Object.keys(edited).sort())
  t.equal(pathOf(requests[0]), `/api/v10${Routes.channelMessages('2')}`)
  t.equal(pathOf(ended.requests[0]), `/api/v10${Routes.channelMessage('2', '3')}`)
})

t.test('our numbers for Discord match those of the API types', async (t) => {
  const [row] = discordComponents(message(), NOW)
  t.equal(row?.type, ComponentType.ActionRow)
  t.same(
    row?.components.map(({ type, style }) => [type, style]),
    [ButtonStyle.Success, ButtonStyle.Danger, ButtonStyle.Secondary, ButtonStyle.Link].map((style) => [ComponentType.Button, style])
  )
  t.same([...DISCORD_SCOPES].sort(), [
    OAuth2Scopes.ApplicationsCommands,
    OAuth2Scopes.Bot,
    OAuth2Scopes.Identify,
    OAuth2Scopes.WebhookIncoming
  ])
  const { ViewChannel, SendMessages, EmbedLinks, ReadMessageHistory } = PermissionFlagsBits
  t.equal(BigInt(DISCORD_PERMISSIONS), ViewChannel | SendMessages | EmbedLinks | ReadMessageHistory)
  const judged = (code: number, status: number) => drive(discord, message(), config, [reply(status, { code })], { at }).outcome.outcome
  t.equal(judged(RESTJSONErrorCodes.UnknownChannel, 404), 'permanent')
  t.equal(judged(RESTJSONErrorCodes.UnknownGuild, 404), 'permanent')
  t.equal(judged(RESTJSONErrorCodes.MissingAccess, 403), 'permanent')
  t.equal(judged(RESTJSONErrorCodes.MissingPermissions, 403), 'permanent')
  const lost = [RESTJSONErrorCodes.UnknownMessage, RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser]
  for (const code of lost) {
    const { outcome } = drive(discord, up(), config, [reply(404, { code }), reply(200, { id: '9' })], { at, ref: { message_id: '3' } })
    t.match(outcome, { outcome: 'delivered', provider_message_id: '9' }, `after ${code} it is written anew`)
  }
})

t.test('install and uninstall call routes that the Discord API has', async (t) => {
  const steps = app.install({ ...APP }, { code: 'c', redirect_uri: 'https://app.example.com/back' }, at)
  const replies = [
    reply(200, {
      ...{ access_token: 'a', token_type: 'Bearer', expires_in: 1, refresh_token: 'r', scope: DISCORD_SCOPES.join(' ') },
      ...{ guild: { id: '1', name: 'Acme' }, webhook: { id: '7', token: 'hook', type: 1, guild_id: '1', channel_id: '2' } }
    }),
    reply(204),
    reply(200, { id: '42' }),
    reply(200, { id: '2', guild_id: '1', name: 'alerts' })
  ]
  const asked: string[] = []
  let next = steps.next()
  for (const one of replies) {
    if (next.done) break
    asked.push(`${httpOf(next.value).method} ${pathOf(next.value)}`)
    next = steps.next(one)
  }
  t.same(asked, [
    `POST /api/v10${Routes.oauth2TokenExchange()}`,
    `DELETE /api/v10${Routes.webhook('7', 'hook')}`,
    `GET /api/v10${decodeURIComponent(Routes.user())}`,
    `GET /api/v10${Routes.channel('2')}`
  ])
  const left = app.uninstall({ ...APP }, { guild_id: '1' }, at).next()
  if (left.done) return t.fail('it stays')
  t.equal(`${httpOf(left.value).method} ${pathOf(left.value)}`, `DELETE /api/v10${Routes.userGuild('1')}`)
})
