/**
 * Slack by its app, which edits its messages and has buttons, or by a manual incoming webhook,
 * which sends only alerts and recoveries.
 * Source: docs/design/outbound-channels.md#s3-1.
 */
import { Type } from 'typebox'
import type { Channel, Message, SendContext, SendOutcome, SendReply, SendRequest } from '../channel.ts'
import { closed, hiddenAddress, secretField } from '../config.ts'
import { installFields } from '../install.ts'
import { deadChannel, jsonRequest, judge, later, lost, succeeded } from '../judging.ts'
import { bySlackApp, editBySlackApp, type SlackInstall } from '../slack-app.ts'
import { escapedWithin, escapeThree } from '../text.ts'
import { bodyOf, factsOf, linkOf, subjectLine, titleOf } from '../words.ts'

type Webhook = { webhook_url: string }
type Config = Webhook | SlackInstall

const WEBHOOK = /^https:\/\/hooks\.slack(-gov)?\.com\/services\/T[A-Z0-9]+\/B[A-Z0-9]+\/[A-Za-z0-9]+$/
const MAX_TEXT = 3000
const MAX_TITLE = 300

/** Reply bodies that mean that the webhook no longer works. */
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

function* byWebhook(message: Message, { webhook_url }: Webhook, context: SendContext): Generator<SendRequest, SendOutcome, SendReply> {
  if (message.event === 'acknowledged') return { outcome: 'skipped', why: 'webhook_mode' }
  const base = context.deployment.base_urls.slack
  const url = base === undefined ? webhook_url : `${base}${new URL(webhook_url).pathname}`
  const reply = yield jsonRequest(url, payload(message, context), context, { secrets: [webhook_url, new URL(webhook_url).pathname] })
  if (reply.status === 200 && reply.body.trim() === 'ok') return { outcome: 'delivered' }
  return succeeded(reply) ? judge(reply, context) : judged(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'slack',
  name: 'Slack',
  hint: 'Added to Slack as an app, with buttons; or the address of an incoming webhook.',
  family: 'chat',
  // The fields that people enter. An install writes the others.
  config: Type.Object(
    { webhook_url: secretField({ title: 'Webhook URL', description: 'Begins with https://hooks.slack.com/services/.' }) },
    closed
  ),
  fields: [
    { name: 'webhook_url', secret: true },
    ...installFields(['team_id', 'team_name', 'channel_id', 'channel_name', 'bot_user_id', 'enterprise_id'], ['bot_token'])
  ],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check: (config) =>
    !('webhook_url' in config) || config.webhook_url === undefined || WEBHOOK.test(config.webhook_url)
      ? null
      : { path: 'webhook_url', rule: 'invalid_webhook_url', message: 'must look like https://hooks.slack.com/services/T…/B…/…' },
  target(config) {
    if ('mode' in config) return [config.channel_name || config.channel_id, config.team_name].filter((part) => part).join(' in ')
    return config.webhook_url.startsWith('https:') ? hiddenAddress(config.webhook_url) : 'hooks.slack.com'
  },
  *steps(message, config, ref, context) {
    return 'mode' in config ? yield* bySlackApp(message, config, ref, context) : yield* byWebhook(message, config, context)
  },
  *edit(message, config, ref, context) {
    return 'mode' in config ? yield* editBySlackApp(message, config, ref, context) : ({ outcome: 'skipped', why: 'webhook_mode' } as const)
  }
}
