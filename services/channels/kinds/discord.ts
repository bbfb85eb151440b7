/**
 * Discord by its app, whose messages have buttons, or by a webhook, which can only write. Both edit
 * their messages in place.
 * Source: docs/design/outbound-channels.md#s3-2.
 */
import { Type } from 'typebox'
import type { Channel, SendContext, SendOutcome } from '../channel.ts'
import { closed, hiddenAddress, secretField } from '../config.ts'
import { appRoom, type DiscordInstall, type DiscordRoom, editInDiscord, tellInDiscord, webhookRoom } from '../discord-room.ts'
import { installFields } from '../install.ts'

type Webhook = { webhook_url: string }
type Config = Webhook | DiscordInstall

const WEBHOOK = /^https:\/\/(?:ptb\.|canary\.)?discord(?:app)?\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{15,21}\/[A-Za-z0-9_-]{40,}$/

/** Removes what other programs append to the address. */
const plainAddress = (webhook_url: string): string => webhook_url.replace(/\?.*$/, '').replace(/\/(slack|github)$/, '')

const NO_APP: SendOutcome = {
  outcome: 'permanent',
  why: 'the deployment has no app at Discord',
  scope: 'delivery',
  operator: true,
  user_text: 'This service has no app at Discord any more: ask its operator.'
}

/** Null: the operator has removed the app from the service's configuration. */
function roomOf(config: Config, context: SendContext): DiscordRoom | null {
  if (!('mode' in config)) return webhookRoom(config.webhook_url, context)
  const { discord } = context.deployment
  return discord && appRoom(config.channel_id, discord.bot_token, context)
}

export const channel: Channel<Config> = {
  kind: 'discord',
  name: 'Discord',
  hint: 'Added to Discord as an app, with buttons; or the address of a webhook of a channel.',
  family: 'chat',
  // The fields that people enter. An install writes the others.
  config: Type.Object(
    { webhook_url: secretField({ title: 'Webhook URL', description: 'Begins with https://discord.com/api/webhooks/.' }) },
    closed
  ),
  fields: [{ name: 'webhook_url', secret: true }, ...installFields(['guild_id', 'guild_name', 'channel_id', 'channel_name'])],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check: (config) =>
    !('webhook_url' in config) || config.webhook_url === undefined || WEBHOOK.test(plainAddress(config.webhook_url))
      ? null
      : { path: 'webhook_url', rule: 'invalid_webhook_url', message: 'must look like https://discord.com/api/webhooks/…/…' },
  normalise: (config) =>
    !('webhook_url' in config) || config.webhook_url === undefined ? config : { webhook_url: plainAddress(config.webhook_url) },
  target(config) {
    if ('mode' in config) return [config.channel_name || config.channel_id, config.guild_name].filter((part) => part).join(' in ')
    return config.webhook_url.startsWith('https:') ? hiddenAddress(config.webhook_url) : 'discord.com'
  },
  *steps(message, config, ref, context) {
    const room = roomOf(config, context)
    return room ? yield* tellInDiscord(message, room, ref, context) : NO_APP
  },
  *edit(message, config, ref, context) {
    const room = roomOf(config, context)
    return room ? yield* editInDiscord(message, room, ref, context) : NO_APP
  }
}
