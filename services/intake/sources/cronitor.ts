/**
 * Cronitor: an alert of a monitor, or its recovery. A monitor can fail in each of its environments.
 * A recovery may name a different rule than the alert. The body has no time, so the time of receipt
 * orders events.
 *
 * Source: docs/design/inbound-sources.md#s20, cronitor.io/docs/using-webhooks. Samples:
 * test/fixtures/sources/cronitor/
 */
import { ignored, labelsOf, link, linksOf, optionalText, single, text } from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

/** Longer than any title that is stored. */
const MAX_RULE = 300

const sample = {
  id: 'kq7Rz1',
  monitor: 'Invoice run',
  description: 'Did not send an event at the expected time.',
  type: 'ALERT',
  rule: 'not_on_schedule',
  environment: 'production',
  group: 'billing',
  issue_url: 'https://cronitor.example.test/app/issues/77',
  monitor_url: 'https://cronitor.example.test/app/monitors/kq7Rz1'
}

export const source: Source = {
  kind: 'cronitor',
  about: {
    name: 'Cronitor',
    description: 'The webhook integration of Cronitor. Add it to the notification list of the monitors that should be heard.',
    severity_map: {},
    resolves_when: 'The type is RECOVERY for the same monitor and environment.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'In Cronitor',
        language: 'text',
        text: `Settings > Integrations > Webhooks > Add
URL: ${incomingUrl(publicUrl, token)}

Then add the webhook to a notification list, and the list to your monitors.
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  title_tells_state: true,
  default_severity: 'critical',
  parse: ({ body }) => [toEvent(single(body))]
}

function toEvent(body: Json): ParsedEvent {
  const id = text(body.id, 'id')
  const environment = optionalText(body.environment)
  const key = `${id}:${environment ?? ''}`
  const description = optionalText(body.description)
  const type = optionalText(body.type)?.toUpperCase() ?? typeOf(body, description)
  if (type !== 'ALERT' && type !== 'RECOVERY') return ignored('neither an alert nor a recovery', key)
  const monitor = optionalText(body.monitor) ?? `Monitor ${id}`
  const rule = optionalText(body.rule)
  return {
    action: type === 'ALERT' ? 'fire' : 'resolve',
    reason: null,
    dedup_key: key,
    title: rule === null ? monitor : `${monitor}: ${rule.slice(0, MAX_RULE).replaceAll('_', ' ')}`,
    description,
    severity: null,
    source_severity: null,
    occurred_at: null,
    sequence: null,
    delivery_id: null,
    labels: labelsOf({ monitor_id: id, monitor, rule, environment, group: body.group }),
    links: linksOf(link('Issue', body.issue_url), link('Monitor', body.monitor_url))
  }
}

/**
 * Before 2021 there was no type. Then the first line of the description decides, and only the plain
 * words of a recovery count as one.
 */
function typeOf(body: Json, description: string | null): 'ALERT' | 'RECOVERY' {
  if (description === null && optionalText(body.rule) === null && optionalText(body.monitor) === null)
    throw new Unparseable({ path: 'type', rule: 'required', message: 'expected ALERT or RECOVERY' })
  const said = description?.split('\n', 1)[0] ?? ''
  return /\b(?:recover(?:ed|y)|passing|resolved|is healthy)\b/i.test(said) &&
    !/\b(?:not|cannot|failed|unable|unhealthy|unresolved)\b|n't\b/i.test(said)
    ? 'RECOVERY'
    : 'ALERT'
}
