/** PagerDuty, Events API v2. Source: docs/design/outbound-channels.md#s3-5. */
import { Type } from 'typebox'
import type { Channel, HttpRequest, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hidden, secretField } from '../config.ts'
import { baseUrl, deadChannel, jsonRequest, judge, later, lost, unsure } from '../judging.ts'
import { truncate } from '../text.ts'
import { bodyOf, linkOf, severityOf, sourceOf, titleOf } from '../words.ts'

type Config = { integration_key: string }

const MAX_SUMMARY = 1024
const MAX_DETAIL = 8000

function trigger(message: Message, { now, deployment }: SendContext) {
  const url = linkOf(message)
  const { incident } = message
  return {
    event_action: 'trigger',
    dedup_key: message.key,
    client: deployment.product,
    ...(url !== null && { client_url: url, links: [{ href: url, text: 'Incident' }] }),
    payload: {
      summary: truncate(titleOf(message), MAX_SUMMARY),
      source: truncate(sourceOf(message), 255),
      severity: severityOf(message),
      timestamp: new Date(message.at).toISOString(),
      class: message.event,
      custom_details: {
        message: truncate(bodyOf(message, now), MAX_DETAIL),
        ...(incident && { incident_id: incident.id, incident: incident.key, regions: incident.regions.join(', ') })
      }
    }
  }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  if (reply.status === 202) return { outcome: 'delivered' }
  if (reply.status === 400)
    return /routing.?key/i.test(reply.body)
      ? deadChannel(reply, 'PagerDuty knows no such integration key.')
      : lost(reply, 'PagerDuty refused this event.')
  if (reply.status === 429) return later(reply, context.now)
  return judge(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'pagerduty',
  name: 'PagerDuty',
  hint: 'The integration key of a service: Events API v2.',
  family: 'paging',
  config: Type.Object(
    {
      integration_key: secretField({
        title: 'Integration key',
        description: '32 letters and digits.',
        pattern: '^[A-Za-z0-9]{32}$',
        maxLength: 32
      })
    },
    closed
  ),
  fields: [{ name: 'integration_key', secret: true }],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'drop',
  max_ambiguous: null,
  verified: false,
  target: ({ integration_key }) => (integration_key.startsWith('sealed:') ? 'PagerDuty' : hidden(integration_key)),
  *steps(message, { integration_key }, _ref, context) {
    const ask = (body: object): HttpRequest =>
      jsonRequest(
        `${baseUrl('pagerduty', 'https://events.pagerduty.com', context)}/v2/enqueue`,
        { routing_key: integration_key, ...body },
        context,
        { secrets: [integration_key] }
      )
    const { event, key } = message
    if (event === 'acknowledged' || event === 'up')
      return judged(yield ask({ event_action: event === 'up' ? 'resolve' : 'acknowledge', dedup_key: key }), context)
    if (event !== 'down' && event !== 'ssl_expiry' && event !== 'test') return { outcome: 'skipped', why: 'no_event' }
    const reply = yield ask(trigger(message, context))
    const outcome = unsure(reply, judged(reply, context))
    // Resolve the page of a test at once.
    if (event !== 'test' || outcome.outcome !== 'delivered') return outcome
    return judged(yield ask({ event_action: 'resolve', dedup_key: key }), context)
  }
}
