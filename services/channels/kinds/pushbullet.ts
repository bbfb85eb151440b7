/**
 * Pushbullet: all devices of one account.
 * Source: docs/design/outbound-channels.md#s3-13.
 */
import { Type } from 'typebox'
import type { Channel, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hidden, secretField } from '../config.ts'
import { baseUrl, deadChannel, jsonRequest, judge, later, lost, objectIn, quotaUntil, retryAfterMs, textIn } from '../judging.ts'
import { nextMonth, noteOf } from '../push.ts'
import { truncate } from '../text.ts'
import { linkOf, titleOf } from '../words.ts'

type Config = { access_token: string }

const MAX_TITLE = 250
const MAX_BODY = 4000
/** The error when a free account has used up its pushes by programs. */
const QUOTA = 'pushbullet_pro_required'

function push(message: Message, now: number) {
  const url = linkOf(message)
  return {
    ...(url === null ? { type: 'note' } : { type: 'link', url }),
    title: truncate(titleOf(message), MAX_TITLE),
    body: truncate(noteOf(message, now), MAX_BODY),
    // The same in all attempts.
    guid: message.delivery_id
  }
}

/**
 * Milliseconds until requests are accepted again, which the vendor gives as Unix time. Null: it
 * does not say.
 */
function resetMs({ headers }: SendReply, now: number): number | null {
  const seconds = Number(headers['x-ratelimit-reset'])
  return Number.isFinite(seconds) && seconds > 0 ? Math.max(0, seconds * 1000 - now) : null
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const object = objectIn(reply)
  const { status } = reply
  if (status === 200) {
    const iden = textIn(object, 'iden')
    return iden === null ? judge(reply, context) : { outcome: 'delivered', provider_message_id: iden }
  }
  const error = object?.error as { type?: unknown } | null | undefined
  if (error?.type === QUOTA) return quotaUntil(reply, nextMonth(context.now), context.now)
  if (status === 429) return later(reply, context.now, retryAfterMs(reply, context.now) ?? resetMs(reply, context.now))
  if (status === 401 || status === 403) return deadChannel(reply, 'Pushbullet refuses the access token. Make a new one.')
  if (status === 400) return lost(reply, 'Pushbullet refused this message.')
  return judge(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'pushbullet',
  name: 'Pushbullet',
  hint: 'An access token of your account.',
  family: 'push',
  config: Type.Object(
    {
      access_token: secretField({
        title: 'Access token',
        description: 'From Settings > Account of pushbullet.com.',
        pattern: '^[!-~]{20,80}$',
        maxLength: 80
      })
    },
    closed
  ),
  fields: [{ name: 'access_token', secret: true }],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  target: ({ access_token }) => (access_token.startsWith('sealed:') ? 'Pushbullet' : hidden(access_token)),
  *steps(message, { access_token }, _ref, context) {
    const reply = yield jsonRequest(
      `${baseUrl('pushbullet', 'https://api.pushbullet.com', context)}/v2/pushes`,
      push(message, context.now),
      context,
      { headers: { 'access-token': access_token }, secrets: [access_token] }
    )
    return judged(reply, context)
  }
}
