/**
 * Slack by a manual incoming webhook: alerts and recoveries, and nothing else.
 * Source: docs/design/outbound-channels.md#s3-1.
 */
import { Type } from 'typebox'
import type { Channel, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hiddenAddress, secretField } from '../config.ts'
import { deadChannel, jsonRequest, judge, later, lost, succeeded } from '../judging.ts'
import { escapedWithin, escapeThree } from '../text.ts'
import { bodyOf, factsOf, linkOf, subjectLine, titleOf } from '../words.ts'

type Config = { webhook_url: string }

const WEBHOOK = /^https:\/\/hooks\.slack(-gov)?\.com\/services\/T[A-Z0-9]+\/B[A-Z0-9]+\/[A-Za-z0-9]+$/
const MAX_TEXT = 3000
const MAX_TITLE = 300

/** Of the body of an answer: the webhook is of no use any more. */
const DEAD = new Set([
  'invalid_token',
  'no_service',
  'no_team',
  'channel_not_found',
  'channel_is_archived',
  'action_prohibited',
  'posting_to_general_channel_denied'
])

function payload(message: Message, { now }: SendContext) {
  const text = escapedWithin(titleOf(message), MAX_TITLE, escapeThree)
  if (message.event !== 'down')
    return { text: [text, escapedWithin(bodyOf(message, now), MAX_TEXT, escapeThree)].filter((part) => part).join('\n') }
  const body = escapedWithin(bodyOf(message, now), MAX_TEXT - MAX_TITLE - 10, escapeThree, 'utf16')
  const title = `*${escapedWithin(subjectLine(message), MAX_TITLE, escapeThree, 'utf16')}*`
  const url = linkOf(message)
  const facts = factsOf(message).map(([name, value]) => `${name}: ${escapedWithin(value, 200, escapeThree)}`)
  const context = [...facts, ...(url === null ? [] : [`<${url}|open incident>`])].join(' · ')
  return {
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: body === '' ? title : `${title}\n${body}` } },
      ...(context === '' ? [] : [{ type: 'context', elements: [{ type: 'mrkdwn', text: context }] }])
    ]
  }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const word = reply.body.trim()
  if (DEAD.has(word)) return deadChannel(reply, `Slack says ${word}: make a new webhook, and put it here.`, true)
  if (word === 'rollup_error') return later(reply, context.now)
  if (reply.status === 404) return deadChannel(reply, 'Slack knows no such webhook.', true)
  if (reply.status === 400) return lost(reply, 'Slack refused this message.')
  return judge(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'slack',
  name: 'Slack',
  hint: 'The address of an incoming webhook of a Slack app.',
  family: 'chat',
  config: Type.Object(
    { webhook_url: secretField({ title: 'Webhook URL', description: 'Begins with https://hooks.slack.com/services/.' }) },
    closed
  ),
  fields: [{ name: 'webhook_url', secret: true }],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check: ({ webhook_url }) =>
    webhook_url === undefined || WEBHOOK.test(webhook_url)
      ? null
      : { path: 'webhook_url', rule: 'invalid_webhook_url', message: 'must look like https://hooks.slack.com/services/T…/B…/…' },
  target: ({ webhook_url }) => (webhook_url.startsWith('https:') ? hiddenAddress(webhook_url) : 'hooks.slack.com'),
  *steps(message, { webhook_url }, _ref, context) {
    if (message.event === 'acknowledged') return { outcome: 'skipped', why: 'webhook_mode' }
    const base = context.deployment.base_urls.slack
    const url = base === undefined ? webhook_url : `${base}${new URL(webhook_url).pathname}`
    const reply = yield jsonRequest(url, payload(message, context), context, { secrets: [webhook_url, new URL(webhook_url).pathname] })
    if (reply.status === 200 && reply.body.trim() === 'ok') return { outcome: 'delivered' }
    return succeeded(reply) ? judge(reply, context) : judged(reply, context)
  }
}
