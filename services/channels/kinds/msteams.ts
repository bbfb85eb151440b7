/**
 * Microsoft Teams by a workflow that accepts a webhook: one Adaptive Card per message. Addresses of
 * the older connectors are refused. The reply holds no message id, so messages are never edited.
 * Source: docs/design/outbound-channels.md#s3-8.
 */
import { Type } from 'typebox'
import type { Channel, ConfigFault, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hiddenAddress, secretField } from '../config.ts'
import { deadChannel, jsonRequest, judge, later, lost, objectIn, succeeded, textIn } from '../judging.ts'
import { escapedWithin, escapeMarkdown } from '../text.ts'
import { bodyOf, factsOf, linkOf, titleOf } from '../words.ts'

type Config = { webhook_url: string }

/** The hosts of workflows, each with the path on which it accepts calls. */
const WORKFLOWS: readonly [host: RegExp, path: RegExp][] = [
  [
    /\.environment\.api\.powerplatform\.com$/,
    /^\/powerautomate\/automations\/direct\/(cu\/\d+\/)?workflows\/[\w-]+\/triggers\/[\w-]+\/paths\/invoke\/?$/i
  ],
  [/\.logic\.azure\.com$/, /^\/workflows\/[\w-]+\/triggers\/[\w-]+\/paths\/invoke\/?$/i]
]

/** Limits in bytes: the whole request stays under 20 KB. */
const MAX_BODY = 6000
const MAX_TITLE = 600
const MAX_VALUE = 300
const MAX_FACTS = 8

/** Error codes that mean that the flow is gone or turned off. */
const DEAD = new Set(['WorkflowNotFound', 'WorkflowTriggerNotFound', 'WorkflowTriggerIsNotEnabled', 'WorkflowDisabled', 'FlowNotFound'])

/** In a card, only an empty line separates lines. */
const markdown = (text: string): string => escapeMarkdown(text).replace(/\n+/g, '\n\n')

function colorOf({ event, incident }: Message): 'Attention' | 'Warning' | 'Good' | 'Accent' {
  if (event === 'up') return 'Good'
  if (event === 'test') return 'Accent'
  if (event === 'acknowledged' || event === 'ssl_expiry') return 'Warning'
  return incident?.severity === 'info' ? 'Accent' : incident?.severity === 'warning' ? 'Warning' : 'Attention'
}

function card(message: Message, now: number) {
  const url = linkOf(message)
  const text = escapedWithin(bodyOf(message, now), MAX_BODY, markdown, 'bytes')
  const facts = factsOf(message)
    .slice(0, MAX_FACTS)
    .map(([title, value]) => ({ title, value: escapedWithin(value, MAX_VALUE, escapeMarkdown, 'bytes') }))
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      {
        type: 'TextBlock',
        text: escapedWithin(titleOf(message), MAX_TITLE, escapeMarkdown, 'bytes'),
        weight: 'Bolder',
        size: 'Medium',
        color: colorOf(message),
        wrap: true
      },
      ...(text === '' ? [] : [{ type: 'TextBlock', text, wrap: true }]),
      ...(facts.length === 0 ? [] : [{ type: 'FactSet', facts }])
    ],
    ...(url !== null && { actions: [{ type: 'Action.OpenUrl', title: 'Open incident', url }] })
  }
}

const payload = (message: Message, { now }: SendContext) => ({
  type: 'message',
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card(message, now) }]
})

/** Recognises the older connectors, on every host that they had. */
function isConnector({ hostname, pathname }: URL): boolean {
  const isOffice = hostname === 'outlook.office.com' || hostname === 'outlook.office365.com'
  return (isOffice && pathname.startsWith('/webhook')) || hostname.endsWith('.webhook.office.com') || /\/incomingwebhook\//i.test(pathname)
}

function check({ webhook_url }: Config): ConfigFault | null {
  if (webhook_url === undefined) return null
  const url = URL.canParse(webhook_url) ? new URL(webhook_url) : null
  if (url && isConnector(url))
    return {
      path: 'webhook_url',
      rule: 'legacy_connector_url',
      message: 'is of a connector, and those no longer work. Make a workflow in Teams, and take its address'
    }
  const isWhole = url && url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '' && url.hash === ''
  if (isWhole && url.searchParams.get('sig') && WORKFLOWS.some(([host, path]) => host.test(url.hostname) && path.test(url.pathname)))
    return /[^!-~]/.test(webhook_url) ? { path: 'webhook_url', rule: 'invalid_webhook_url', message: 'may not hold spaces' } : null
  return {
    path: 'webhook_url',
    rule: 'invalid_webhook_url',
    message: 'must be the whole address of a workflow: https://….environment.api.powerplatform.com/powerautomate/…&sig=…'
  }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const error = objectIn({ ...reply, body: JSON.stringify(objectIn(reply)?.error ?? null) })
  if (DEAD.has(textIn(error, 'code') ?? '') || reply.status === 401 || reply.status === 403 || reply.status === 404)
    return deadChannel(
      reply,
      'The workflow is gone or turned off, or its address has changed. Look at it in Teams, and put its address here.'
    )
  if (reply.status === 400) return lost(reply, 'The workflow refused this message.')
  return reply.status === 429 ? later(reply, context.now) : judge(reply, context)
}

/** Everything after the host name. The signature in it must stay byte for byte. */
const pathOf = (address: string): string => address.slice(address.indexOf('/', 'https://'.length))

export const channel: Channel<Config> = {
  kind: 'msteams',
  name: 'Microsoft Teams',
  hint: 'The address of a workflow that posts to a Teams channel when it is called.',
  family: 'chat',
  config: Type.Object(
    {
      webhook_url: secretField({
        title: 'Webhook URL',
        description: 'Of a workflow, whole and with its sig. Microsoft ends those at logic.azure.com: copy the new one from the workflow.'
      })
    },
    closed
  ),
  fields: [{ name: 'webhook_url', secret: true }],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check,
  target: ({ webhook_url }) => (webhook_url.startsWith('https:') ? hiddenAddress(webhook_url) : 'Microsoft Teams'),
  *steps(message, { webhook_url }, _ref, context) {
    const base = context.deployment.base_urls.msteams
    const url = base === undefined ? webhook_url : `${base}${pathOf(webhook_url)}`
    const signature = new URL(webhook_url).searchParams.get('sig') ?? ''
    const secrets = [webhook_url, pathOf(webhook_url), signature]
    const reply = yield jsonRequest(url, payload(message, context), context, { secrets })
    // The reply does not say whether the flow has posted the message.
    return succeeded(reply) ? { outcome: 'delivered' } : judged(reply, context)
  }
}
