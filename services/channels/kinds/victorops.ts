/**
 * Splunk On-Call, formerly VictorOps, by its REST endpoint: all messages of one incident share an
 * entity id.
 * Source: docs/design/outbound-channels.md#s3-20.
 */
import { Type } from 'typebox'
import type { Channel, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, field, hidden, secretField } from '../config.ts'
import { baseUrl, deadChannel, jsonRequest, judge, lost, objectIn, succeeded, textIn, unsure } from '../judging.ts'
import { oneLine, truncate } from '../text.ts'
import { bodyOf, linkOf, severityOf, subjectLine, titleOf } from '../words.ts'

type Config = { api_key: string; routing_key: string }

const PATH = '/integrations/generic/20131114/alert'
const KEY = /^[A-Za-z0-9_-]{20,64}$/
/** The address as the vendor shows it, with `$routing_key` at its end. */
const ADDRESS = /^https:\/\/[a-z.]+\/integrations\/generic\/\d+\/alert\/([^/?#]+)(?:\/[^/?#]*)?\/?$/
const MAX_NAME = 250
const MAX_MESSAGE = 20_480
const TYPES = { critical: 'CRITICAL', warning: 'WARNING', info: 'INFO' } as const

const keyOf = (text: string): string => ADDRESS.exec(text)?.[1] ?? text

/** Null: the vendor has no message type for this event. */
function messageType(message: Message): string | null {
  switch (message.event) {
    case 'down':
    case 'ssl_expiry':
      return TYPES[severityOf(message)]
    case 'acknowledged':
      return 'ACKNOWLEDGEMENT'
    case 'up':
      return 'RECOVERY'
    // Shown only on the timeline; it pages nobody.
    case 'test':
      return 'INFO'
    default:
      return null
  }
}

function payload(message: Message, message_type: string, { now, deployment }: SendContext) {
  const url = linkOf(message)
  const text = [message.event === 'acknowledged' ? '' : titleOf(message), bodyOf(message, now)].filter((part) => part).join('\n')
  return {
    message_type,
    entity_id: message.key,
    entity_display_name: truncate(subjectLine(message), MAX_NAME),
    state_message: truncate(text, MAX_MESSAGE),
    state_start_time: Math.floor((message.incident?.started_at ?? message.at) / 1000),
    monitoring_tool: oneLine(deployment.product),
    ...(url !== null && { alert_url: url })
  }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const result = textIn(objectIn(reply), 'result')
  if (succeeded(reply) && result === 'success') return { outcome: 'delivered' }
  if (succeeded(reply) && result !== null) return lost(reply, 'Splunk On-Call refused this message.')
  if (reply.status === 401 || reply.status === 403 || reply.status === 404)
    return deadChannel(reply, 'Splunk On-Call knows no such key. Copy it from the REST integration, not from the API.')
  return judge(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'victorops',
  name: 'Splunk On-Call',
  hint: 'The key of the REST integration, and a routing key. It was VictorOps before.',
  family: 'paging',
  config: Type.Object(
    {
      api_key: secretField({
        title: 'API key',
        description: 'Of the REST integration: the part of its address behind /alert/, or the whole address.',
        maxLength: 300
      }),
      routing_key: field({
        title: 'Routing key',
        description: 'Whom it reaches. A wrong one is taken, and goes to the default route.',
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        maxLength: 64
      })
    },
    closed
  ),
  fields: [{ name: 'api_key', secret: true }, { name: 'routing_key' }],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'drop',
  max_ambiguous: null,
  verified: false,
  check: ({ api_key }) =>
    api_key === undefined || KEY.test(keyOf(api_key))
      ? null
      : { path: 'api_key', rule: 'format', message: 'must be the key of the REST integration, or its whole address' },
  normalise: (config) => (config.api_key === undefined ? config : { ...config, api_key: keyOf(config.api_key) }),
  target: ({ api_key, routing_key }) => `${routing_key} ${api_key.startsWith('sealed:') ? '' : hidden(api_key)}`.trim(),
  *steps(message, { api_key, routing_key }, _ref, context) {
    const message_type = messageType(message)
    if (message_type === null) return { outcome: 'skipped', why: 'no_event' }
    const root = baseUrl('victorops', 'https://alert.victorops.com', context)
    const url = `${root}${PATH}/${encodeURIComponent(api_key)}/${encodeURIComponent(routing_key)}`
    const reply = yield jsonRequest(url, payload(message, message_type, context), context, { secrets: [api_key] })
    const opens = message.event === 'down' || message.event === 'ssl_expiry'
    return opens ? unsure(reply, judged(reply, context)) : judged(reply, context)
  }
}
