/**
 * Mattermost by an incoming webhook. The reply holds no message id, so messages are never edited.
 * Source: docs/design/outbound-channels.md#s3-19.
 */
import { Type } from 'typebox'
import { attachmentOf, chatText, hookFault, hookRequest } from '../attachments.ts'
import type { Channel, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hiddenAddress, secretField } from '../config.ts'
import { deadChannel, judge, later, lost, objectIn, succeeded, textIn } from '../judging.ts'
import { truncate } from '../text.ts'
import { titleOf } from '../words.ts'

type Config = { webhook_url: string }

const PATH = /^(\/.*)?\/hooks\/[a-z0-9]{26}$/
/** The server splits longer posts into several. */
const MAX_TEXT = 15_000
const MAX_FALLBACK = 300

/** Error ids that mean that the webhook, its channel or its author is gone. */
const DEAD: Readonly<Record<string, string>> = {
  'web.incoming_webhook.invalid.app_error': 'Mattermost knows no such webhook. Make a new one, and put it here.',
  'web.incoming_webhook.disabled.app_error': 'Incoming webhooks are turned off on this server.',
  'web.incoming_webhook.channel.app_error': 'The channel of the webhook is gone.',
  'web.incoming_webhook.channel_locked.app_error': 'The webhook may not write to its channel.',
  'web.incoming_webhook.user.app_error': 'The author of the webhook is gone. Make a new one, and put it here.',
  'web.incoming_webhook.permissions.app_error': 'The author of the webhook may no longer write to its channel.'
}

function payload(message: Message, { now }: SendContext) {
  if (message.event === 'acknowledged' || message.event === 'assigned' || message.event === 'test')
    return { text: chatText(message, MAX_TEXT, now) }
  return { text: '', attachments: [{ fallback: truncate(titleOf(message), MAX_FALLBACK), ...attachmentOf(message, MAX_TEXT, now) }] }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const dead = DEAD[textIn(objectIn(reply), 'id') ?? '']
  if (dead !== undefined) return deadChannel(reply, dead)
  if (reply.status === 501) return deadChannel(reply, 'Incoming webhooks are turned off on this server.')
  if (reply.status === 403) return deadChannel(reply, 'Mattermost refuses this webhook.')
  if (reply.status === 404) return deadChannel(reply, 'Mattermost knows no such webhook or channel.')
  if (reply.status === 400) return lost(reply, 'Mattermost refused this message.')
  return reply.status === 429 ? later(reply, context.now) : judge(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'mattermost',
  name: 'Mattermost',
  hint: 'The address of an incoming webhook of your Mattermost server.',
  family: 'chat',
  config: Type.Object(
    { webhook_url: secretField({ title: 'Webhook URL', description: 'As Mattermost shows it: https://chat.example.com/hooks/….' }) },
    closed
  ),
  fields: [{ name: 'webhook_url', secret: true, origin: true }],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check: ({ webhook_url }) => hookFault(webhook_url, PATH, 'https://chat.example.com/hooks/…'),
  target: ({ webhook_url }) => (/^https?:/i.test(webhook_url) ? hiddenAddress(webhook_url) : 'Mattermost'),
  *steps(message, { webhook_url }, _ref, context) {
    const reply = yield hookRequest(webhook_url, payload(message, context), context)
    if (reply.status === 200 && reply.body.trim() === 'ok') return { outcome: 'delivered' }
    return succeeded(reply) ? judge(reply, context) : judged(reply, context)
  }
}
