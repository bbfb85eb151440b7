/**
 * Google Chat by the webhook of a space. All messages of one incident form one thread.
 * Source: docs/design/outbound-channels.md#s3-9.
 */
import { Type } from 'typebox'
import type { Channel, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hiddenAddress, secretField } from '../config.ts'
import { deadChannel, jsonRequest, judge, later, lost, objectIn, succeeded, textIn } from '../judging.ts'
import { escapedWithin, escapeHtml, escapeThree, truncate } from '../text.ts'
import { bodyOf, factsOf, linkOf, severityOf, subjectLine, titleOf } from '../words.ts'

type Config = { webhook_url: string }

const WEBHOOK = /^https:\/\/chat\.googleapis\.com\/v1\/spaces\/[A-Za-z0-9_-]+\/messages\?[!-~]+$/
const IN_THREAD = 'messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD'
/** The limit of a text. It leaves room for the title. */
const MAX_TEXT = 3500
const MAX_TITLE = 300
const MAX_VALUE = 200
const MAX_FACTS = 8

const html = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>')

function card(message: Message, now: number) {
  const url = linkOf(message)
  const body = escapedWithin(bodyOf(message, now), MAX_TEXT, html)
  const facts = factsOf(message)
    .slice(0, MAX_FACTS)
    .map(([topLabel, value]) => ({ decoratedText: { topLabel, text: escapedWithin(value, MAX_VALUE, escapeHtml) } }))
  const open = url === null ? [] : [{ buttonList: { buttons: [{ text: 'Open incident', onClick: { openLink: { url } } }] } }]
  const widgets = [...(body === '' ? [] : [{ textParagraph: { text: body } }]), ...facts, ...open]
  return {
    cardId: 'incident',
    card: {
      header: { title: truncate(subjectLine(message), MAX_TITLE), subtitle: severityOf(message) },
      // Google Chat refuses an empty section.
      ...(widgets.length > 0 && { sections: [{ widgets }] })
    }
  }
}

function payload(message: Message, { now }: SendContext) {
  const { event, key } = message
  const title = escapedWithin(titleOf(message), MAX_TITLE, escapeThree)
  const body = escapedWithin(bodyOf(message, now), MAX_TEXT, escapeThree)
  const text = [event === 'test' ? title : `*${title}*`, body].filter((part) => part !== '').join('\n')
  if (event === 'test') return { text }
  const thread = { threadKey: key }
  if (event === 'acknowledged' || event === 'assigned' || event === 'up') return { text, thread }
  return { text: `*${title}*`, thread, cardsV2: [card(message, now)] }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  if (reply.status === 404) return deadChannel(reply, 'Google Chat knows no such webhook or space. Make a new one, and put it here.', true)
  if (reply.status === 401 || reply.status === 403)
    return deadChannel(reply, 'Google Chat refuses this webhook. Make a new one, and put it here.')
  if (reply.status === 400) return lost(reply, 'Google Chat refused this message.')
  return reply.status === 429 ? later(reply, context.now) : judge(reply, context)
}

/**
 * Adds the parameter that keeps the message in its thread. The rest of the query stays byte for
 * byte.
 */
const addressOf = (address: string, { event }: Message): string =>
  event === 'test' || address.includes('messageReplyOption=') ? address : `${address}&${IN_THREAD}`

/** Everything after the host name, as it was given. */
const pathOf = (address: string): string => address.slice(address.indexOf('/', 'https://'.length))

export const channel: Channel<Config> = {
  kind: 'googlechat',
  name: 'Google Chat',
  hint: 'The address of a webhook of a Google Chat space.',
  family: 'chat',
  config: Type.Object(
    { webhook_url: secretField({ title: 'Webhook URL', description: 'Begins with https://chat.googleapis.com/v1/spaces/.' }) },
    closed
  ),
  fields: [{ name: 'webhook_url', secret: true }],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'combine',
  max_ambiguous: null,
  // A space accepts one message a second, from all senders together.
  verified: false,
  check({ webhook_url }) {
    if (webhook_url === undefined) return null
    const query = URL.canParse(webhook_url) ? new URL(webhook_url).searchParams : new URLSearchParams()
    return WEBHOOK.test(webhook_url) && !webhook_url.includes('#') && query.get('key') && query.get('token')
      ? null
      : {
          path: 'webhook_url',
          rule: 'invalid_webhook_url',
          message: 'must look like https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…'
        }
  },
  target: ({ webhook_url }) => (webhook_url.startsWith('https:') ? hiddenAddress(webhook_url) : 'chat.googleapis.com'),
  *steps(message, { webhook_url }, _ref, context) {
    const base = context.deployment.base_urls.googlechat
    const address = base === undefined ? webhook_url : `${base}${pathOf(webhook_url)}`
    const query = new URL(webhook_url).searchParams
    const secrets = [webhook_url, pathOf(webhook_url), query.get('key') ?? '', query.get('token') ?? '']
    const reply = yield jsonRequest(addressOf(address, message), payload(message, context), context, { secrets })
    if (!succeeded(reply)) return judged(reply, context)
    const name = textIn(objectIn(reply), 'name')
    return name === null ? judge(reply, context) : { outcome: 'delivered', provider_message_id: name }
  }
}
