/**
 * Discord by a webhook: the message is edited when it is acknowledged and when it has ended.
 * Source: docs/design/outbound-channels.md#s3-2.
 */
import { Type } from 'typebox'
import type { Channel, HttpRequest, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hiddenAddress, secretField } from '../config.ts'
import { deadChannel, jsonRequest, judge, later, lost, objectIn, succeeded, textIn } from '../judging.ts'
import { escapeDiscord, escapedWithin, oneLine, truncate } from '../text.ts'
import { bodyOf, factsOf, linkOf, subjectLine, titleOf } from '../words.ts'

type Config = { webhook_url: string }

const WEBHOOK = /^https:\/\/(?:ptb\.|canary\.)?discord(?:app)?\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{15,21}\/[A-Za-z0-9_-]{40,}$/
const MAX_TITLE = 256
const MAX_DESCRIPTION = 4096
const MAX_CONTENT = 2000
const MAX_FIELD = 1024
/** Over the title, description and fields of one message. */
const MAX_FACTS = 8
const RED = 15_158_332
const YELLOW = 15_844_367
const GREEN = 3_066_993
const UNKNOWN_MESSAGE = '10008'
const OVERLOADED = '130000'
/** Unknown webhook, channel, guild; token, access or rights that are missing. */
const DEAD = new Set(['50027', '10015', '10003', '10004', '50001', '50013'])

/** Nobody is called by a text of ours. */
const nobody = { allowed_mentions: { parse: [] } }

function embed(message: Message, now: number) {
  const { event, at } = message
  const url = linkOf(message)
  const description = escapedWithin(bodyOf(message, now), MAX_DESCRIPTION - 1500, escapeDiscord)
  return {
    title: escapedWithin(subjectLine(message), MAX_TITLE, escapeDiscord),
    ...(url !== null && { url }),
    ...(description !== '' && { description }),
    color: event === 'up' ? GREEN : event === 'acknowledged' || event === 'ssl_expiry' ? YELLOW : RED,
    timestamp: new Date(at).toISOString(),
    fields: factsOf(message)
      .slice(0, MAX_FACTS)
      .map(([name, value]) => ({ name, value: escapedWithin(value, Math.min(MAX_FIELD, 150), escapeDiscord), inline: true }))
  }
}

const contentOf = (message: Message): string => truncate(escapedWithin(titleOf(message), MAX_CONTENT, escapeDiscord), MAX_CONTENT)

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const object = objectIn(reply)
  const code = textIn(object, 'code')
  if (reply.status === 429) {
    const seconds = Number(object?.retry_after)
    return later(reply, context.now, Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : undefined)
  }
  if (code === OVERLOADED) return later(reply, context.now)
  if ((code !== null && DEAD.has(code)) || reply.status === 404 || reply.status === 401)
    return deadChannel(reply, 'Discord knows no such webhook any more, or its rights are gone. Make a new one.', true)
  if (reply.status === 400) return lost(reply, 'Discord refused this message.')
  return judge(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'discord',
  name: 'Discord',
  hint: 'The address of a webhook of a Discord channel.',
  family: 'chat',
  config: Type.Object(
    { webhook_url: secretField({ title: 'Webhook URL', description: 'Begins with https://discord.com/api/webhooks/.' }) },
    closed
  ),
  fields: [{ name: 'webhook_url', secret: true }],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check: ({ webhook_url }) =>
    webhook_url === undefined || WEBHOOK.test(webhook_url.replace(/\?.*$/, '').replace(/\/(slack|github)$/, ''))
      ? null
      : { path: 'webhook_url', rule: 'invalid_webhook_url', message: 'must look like https://discord.com/api/webhooks/…/…' },
  normalise: (config) =>
    config.webhook_url === undefined ? config : { webhook_url: config.webhook_url.replace(/\?.*$/, '').replace(/\/(slack|github)$/, '') },
  target: ({ webhook_url }) => (webhook_url.startsWith('https:') ? hiddenAddress(webhook_url) : 'discord.com'),
  *steps(message, { webhook_url }, ref, context) {
    const base = context.deployment.base_urls.discord
    const root = base === undefined ? webhook_url : `${base}${new URL(webhook_url).pathname}`
    const ask = (path: string, body: object, method: HttpRequest['method']): HttpRequest =>
      jsonRequest(`${root}${path}`, { ...nobody, ...body }, context, { method, secrets: [webhook_url, new URL(webhook_url).pathname] })
    const { event } = message
    const id = ref?.message_id
    const embeds = { embeds: [embed(message, context.now)] }
    if (id !== undefined && (event === 'acknowledged' || event === 'up')) {
      const edited = yield ask(`/messages/${id}`, embeds, 'PATCH')
      const isGone = textIn(objectIn(edited), 'code') === UNKNOWN_MESSAGE
      if (!succeeded(edited) && !isGone) return judged(edited, context)
      if (event === 'acknowledged' && !isGone) return { outcome: 'delivered' }
      // An edit notifies nobody, so what ended is told anew.
    }
    const isShort = event === 'test' || (event === 'up' && id !== undefined)
    const body = isShort ? { content: contentOf(message) } : { username: oneLine(context.deployment.product).slice(0, 80), ...embeds }
    const reply = yield ask('?wait=true', body, 'POST')
    if (!succeeded(reply)) return judged(reply, context)
    const made = textIn(objectIn(reply), 'id')
    if (made === null) return judge(reply, context)
    return { outcome: 'delivered', provider_message_id: made, ...(event === 'down' && { remote_ref: { message_id: made } }) }
  }
}
