/**
 * Better Stack Uptime, outgoing webhooks: one event of one incident. Each incident of Better Stack
 * is one condition: it starts once and ends once.
 *
 * The name of the event decides. When it is missing or unknown, the state of the incident decides:
 * resolved before acknowledged before started.
 *
 * Source: docs/design/inbound-sources.md#s18, betterstack.com/docs/uptime/webhooks,
 * docs.betteruptime.com/integrations/webhooks. Samples: test/fixtures/sources/betterstack/
 */
import { secretHeaders, sharedSecret } from '../proof.ts'
import { ignored, instant, labelsOf, link, linksOf, objectOrNothing, optionalText, single, text, textsOf } from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const sample = {
  event: 'started',
  data: {
    id: '901',
    type: 'incident',
    attributes: {
      name: 'Shop home',
      url: 'https://shop.example.test/',
      http_method: 'get',
      cause: 'Status 503',
      status: 'Started',
      team_name: 'Shop',
      started_at: '2026-10-05T12:00:00.000Z',
      acknowledged_at: null,
      resolved_at: null
    },
    relationships: { monitor: { data: { id: '4', type: 'monitor' } } }
  }
}

export const source: Source = {
  kind: 'betterstack',
  about: {
    name: 'Better Stack',
    description:
      'Outgoing webhooks of Better Stack Uptime, of the type Incident. Leave the body as it is: a template of your own loses its shape.',
    severity_map: {},
    resolves_when: 'The incident is resolved in Better Stack. Acknowledging it or commenting on it changes nothing here.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'In Better Stack',
        language: 'text',
        text: `Uptime > Integrations > Exporting data > Outgoing webhooks > Configure
Webhook type: Incident
Webhook URL: ${incomingUrl(publicUrl, token)}
Custom headers: one with the secret of this integration, if it has one
Body template: leave empty
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  default_severity: 'critical',
  headers: secretHeaders,
  verify: sharedSecret,
  parse({ body }) {
    const delivery = single(body)
    const data = objectOrNothing(delivery.data)
    const type = optionalText(data.type)
    if (type === null) {
      throw new Unparseable({
        path: 'data.type',
        rule: 'custom_template',
        message: 'expected the body that Better Stack sends by itself: remove the body template from the webhook'
      })
    }
    return [type === 'incident' ? toEvent(delivery, data) : ignored('no event of an incident')]
  }
}

function toEvent(delivery: Json, data: Json): ParsedEvent {
  const key = text(data.id, 'data.id')
  const incident = objectOrNothing(data.attributes)
  const event = wordOf(delivery) ?? eventOf(incident)
  if (event !== 'started' && event !== 'reopened' && event !== 'resolved')
    return ignored(event === 'acknowledged' ? 'acknowledged' : 'neither a start nor an end', key)
  const name = optionalText(incident.name) ?? optionalText(incident.url) ?? `Incident ${key}`
  const cause = optionalText(incident.cause)
  const address = optionalText(incident.url)
  const relationships = objectOrNothing(data.relationships)
  return {
    action: event === 'resolved' ? 'resolve' : 'fire',
    reason: null,
    dedup_key: key,
    title: cause === null ? name : `${name}: ${cause}`,
    description: address === null ? null : `${optionalText(incident.http_method)?.toUpperCase() ?? ''} ${address}`.trim(),
    severity: null,
    source_severity: null,
    occurred_at: instant(event === 'resolved' ? incident.resolved_at : event === 'started' ? incident.started_at : null),
    sequence: null,
    delivery_id: null,
    labels: labelsOf({
      team: incident.team_name,
      monitor: incident.name,
      monitor_id: relatedId(relationships.monitor),
      heartbeat_id: relatedId(relationships.heartbeat),
      regions: textsOf(incident.regions).join(','),
      status: incident.status
    }),
    links: linksOf(
      link('Incident', incident.origin_url),
      link('Monitor', incident.url),
      link('Screenshot', incident.screenshot_url),
      link('Response', incident.response_url)
    )
  }
}

/**
 * The event names of today (`incident_started`) and of the older product (`started`), without the
 * prefix.
 */
const words: ReadonlySet<string> = new Set(['started', 'resolved', 'reopened', 'acknowledged', 'comment'])

/**
 * Returns the event's name, null when it is missing or unknown. A reopened incident started before
 * it was resolved, so the time of receipt orders it.
 */
function wordOf(delivery: Json): string | null {
  const word =
    optionalText(delivery.event)
      ?.toLowerCase()
      .replace(/^incident_/, '')
      .replace(/^comment_.*/, 'comment') ?? null
  return word !== null && words.has(word) ? word : null
}

/**
 * Returns the state of the incident when the event has no name. An unconfirmed incident is no
 * failure yet. An incident without any state is a comment or similar.
 */
function eventOf(incident: Json): string | null {
  const status = optionalText(incident.status)?.toLowerCase() ?? null
  if (status === 'resolved' || optionalText(incident.resolved_at) !== null) return 'resolved'
  if (optionalText(incident.acknowledged_at) !== null) return 'acknowledged'
  return status ?? (optionalText(incident.started_at) === null ? null : 'started')
}

const relatedId = (value: unknown): unknown => objectOrNothing(objectOrNothing(value).data).id
