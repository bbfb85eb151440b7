/**
 * Pushover: a user or a group.
 * Source: docs/design/outbound-channels.md#s3-24.
 */
import { Type } from 'typebox'
import type { Channel, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hidden, secretField } from '../config.ts'
import { baseUrl, deadChannel, formRequest, judge, later, lost, objectIn, quotaUntil, retryAfterMs, textIn } from '../judging.ts'
import { type Loudness, linkTitle, loudnessOf, nextMonth, noteOf } from '../push.ts'
import { truncate } from '../text.ts'
import { linkOf, titleOf } from '../words.ts'

type Config = { application_token: string; user_key: string }

const MAX_TITLE = 250
const MAX_MESSAGE = 1024
const MAX_URL = 512
/**
 * Priority 2 would ring until somebody acknowledges it in the Pushover app, and the service would
 * not learn of that.
 */
const PRIORITIES: Readonly<Record<Loudness, number>> = { critical: 1, warning: 0, info: -1, resolved: 0, note: -1 }

function form(message: Message, { application_token, user_key }: Config, now: number): [name: string, value: string][] {
  const url = linkOf(message)
  return [
    ['token', application_token],
    ['user', user_key],
    ['title', truncate(titleOf(message), MAX_TITLE)],
    ['message', truncate(noteOf(message, now), MAX_MESSAGE)],
    ['priority', String(PRIORITIES[loudnessOf(message)])],
    ['timestamp', String(Math.floor(message.at / 1000))],
    ...(url !== null && url.length <= MAX_URL
      ? ([
          ['url', url],
          ['url_title', linkTitle(message)]
        ] satisfies [string, string][])
      : [])
  ]
}

/**
 * When the monthly quota starts again: the time that the vendor gives, or else the first of the
 * next month.
 */
function resetAt({ headers }: SendReply, now: number): number {
  const seconds = Number(headers['x-limit-app-reset'])
  return Number.isFinite(seconds) && seconds * 1000 > now ? seconds * 1000 : nextMonth(now)
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const object = objectIn(reply)
  const { status } = reply
  if (status === 200) {
    const request = textIn(object, 'request')
    return object?.status === 1
      ? { outcome: 'delivered', ...(request !== null && { provider_message_id: request }) }
      : judge(reply, context)
  }
  if (status === 429) {
    const soon = retryAfterMs(reply, context.now)
    return soon === null ? quotaUntil(reply, resetAt(reply, context.now), context.now) : later(reply, context.now, soon)
  }
  if (status >= 400 && status < 500) {
    if (object?.token === 'invalid') return deadChannel(reply, 'Pushover knows no such application. Enter its token again.')
    if (object?.user === 'invalid')
      return deadChannel(reply, 'Pushover knows no such user or group, or it has no device. Enter its key again.')
    if (status === 400) return lost(reply, 'Pushover refused this message.')
  }
  return judge(reply, context)
}

const key = { pattern: '^[A-Za-z0-9]{30}$', maxLength: 30 }

export const channel: Channel<Config> = {
  kind: 'pushover',
  name: 'Pushover',
  hint: 'The token of an application, and the key of a user or group.',
  family: 'push',
  config: Type.Object(
    {
      application_token: secretField({ title: 'Application token', description: '30 letters and digits.', ...key }),
      user_key: secretField({ title: 'User or group key', description: '30 letters and digits.', ...key })
    },
    closed
  ),
  fields: [
    { name: 'application_token', secret: true },
    { name: 'user_key', secret: true }
  ],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  target: ({ user_key }) => (user_key.startsWith('sealed:') ? 'Pushover' : hidden(user_key)),
  *steps(message, settings, _ref, context) {
    const { application_token, user_key } = settings
    const reply = yield formRequest(
      `${baseUrl('pushover', 'https://api.pushover.net', context)}/1/messages.json`,
      form(message, settings, context.now),
      context,
      { secrets: [application_token, user_key] }
    )
    return judged(reply, context)
  }
}
