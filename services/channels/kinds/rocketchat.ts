/**
 * Rocket.Chat by an incoming webhook. The reply holds no message id, so messages are never edited.
 * Source: docs/design/outbound-channels.md#s3-17.
 */
import { Type } from 'typebox'
import { attachmentOf, chatHeadline, chatText, hookFault, hookRequest } from '../attachments.ts'
import type { Channel, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hiddenAddress, secretField } from '../config.ts'
import { deadChannel, judge, later, lost, objectIn, retryAfterMs, succeeded, textIn } from '../judging.ts'

type Config = { webhook_url: string }

const PATH = /^(\/.*)?\/hooks\/[A-Za-z0-9]{10,40}(\/[A-Za-z0-9]{10,40})?\/[A-Za-z0-9_-]{10,80}$/
/** The server allows 5000 characters unless its owner has changed the limit. */
const MAX_TEXT = 4000
/** The wait when the server reports too many requests and gives no time. */
const TOO_MANY_MS = 60_000
/**
 * Ten attempts take over 8 hours. After that the integration counts as turned off on the server.
 */
const MAX_UNAVAILABLE = 10

/** Error texts that mean that the webhook, its channel or its author is gone. */
const DEAD = /invalid integration id or token|invalid-channel|error-(room|channel|not-allowed|user-is-not-activated|invalid-user)/i

const payload = (message: Message, { now }: SendContext) =>
  message.event === 'acknowledged' || message.event === 'assigned' || message.event === 'test'
    ? { text: chatText(message, MAX_TEXT, now) }
    : { text: chatHeadline(message), attachments: [{ ...attachmentOf(message, MAX_TEXT, now), title: 'Open incident' }] }

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const error = textIn(objectIn(reply), 'error') ?? ''
  if (reply.status === 429) {
    const seconds = Number(/wait (\d+) seconds/.exec(error)?.[1])
    return later(reply, context.now, retryAfterMs(reply, context.now) ?? (seconds > 0 ? seconds * 1000 : TOO_MANY_MS))
  }
  if (reply.status === 503 && objectIn(reply)?.success === false && context.attempt >= MAX_UNAVAILABLE)
    return deadChannel(reply, 'The integration is turned off in Rocket.Chat.', true)
  if (DEAD.test(error) || reply.status === 401 || reply.status === 403 || reply.status === 404)
    return deadChannel(reply, 'Rocket.Chat knows no such webhook, or it may not write there. Make a new one, and put it here.')
  if (reply.status === 400) return lost(reply, 'Rocket.Chat refused this message.')
  return judge(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'rocketchat',
  name: 'Rocket.Chat',
  hint: 'The address of an incoming webhook of your Rocket.Chat server.',
  family: 'chat',
  config: Type.Object(
    { webhook_url: secretField({ title: 'Webhook URL', description: 'As Rocket.Chat shows it: https://chat.example.com/hooks/…/….' }) },
    closed
  ),
  fields: [{ name: 'webhook_url', secret: true, origin: true }],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'combine',
  max_ambiguous: null,
  // By default a server accepts about ten calls a minute.
  verified: false,
  check: ({ webhook_url }) => hookFault(webhook_url, PATH, 'https://chat.example.com/hooks/…/…'),
  target: ({ webhook_url }) => (/^https?:/i.test(webhook_url) ? hiddenAddress(webhook_url) : 'Rocket.Chat'),
  *steps(message, { webhook_url }, _ref, context) {
    const reply = yield hookRequest(webhook_url, payload(message, context), context)
    if (reply.status === 200 && objectIn(reply)?.success === true) return { outcome: 'delivered' }
    return succeeded(reply) ? judge(reply, context) : judged(reply, context)
  }
}
