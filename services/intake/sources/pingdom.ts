/**
 * Pingdom, state change webhooks: one change of an uptime or a transaction check. The current state
 * decides, because the previous one may be the same.
 *
 * Source: docs/design/inbound-sources.md#s16, www.pingdom.com/resources/webhooks. Samples:
 * test/fixtures/sources/pingdom/
 */
import type { Severity } from '../../../schemas/generated/events.ts'
import {
  ignored,
  instant,
  labelsOf,
  link,
  linksOf,
  objectOrNothing,
  optionalText,
  paragraphs,
  severityOf,
  single,
  text,
  textsOf
} from '../readers.ts'
import type { Json, SequencedEvent, Source } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const severities: Readonly<Record<'HIGH' | 'LOW', Severity>> = { HIGH: 'critical', LOW: 'warning' }

const sample = {
  check_id: 5120077,
  check_name: 'Shop home',
  check_type: 'HTTP',
  check_params: { hostname: 'shop.example.test', full_url: 'https://shop.example.test/', url: '/', port: 443, encryption: true },
  tags: ['prod'],
  previous_state: 'UP',
  current_state: 'DOWN',
  importance_level: 'HIGH',
  state_changed_timestamp: 1791201600,
  state_changed_utc_time: '2026-10-05T12:00:00',
  description: 'HTTP Error 503',
  long_description: 'Service Unavailable'
}

export const source: Source = {
  kind: 'pingdom',
  title_tells_state: true,
  about: {
    name: 'Pingdom',
    description: 'State change webhooks of uptime and transaction checks. Add the integration to each check that should be heard.',
    severity_map: severities,
    resolves_when: 'The check’s current_state is UP, or SUCCESS for a transaction.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'In Pingdom',
        language: 'text',
        text: `Settings > Integrations > Add integration
Type: Webhook
URL: ${incomingUrl(publicUrl, token)}

Then tick the integration under "Connect integrations" of each check.
The importance of a check is the severity: High is critical, Low is warning.
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  default_severity: 'critical',
  sequence: 'position',
  parse: ({ body }) => [toEvent(single(body))]
}

const actions: ReadonlyMap<string, 'fire' | 'resolve'> = new Map([
  ['DOWN', 'fire'],
  ['FAILING', 'fire'],
  ['UP', 'resolve'],
  ['SUCCESS', 'resolve']
])

function toEvent(body: Json): SequencedEvent {
  const key = text(body.check_id, 'check_id')
  const state = text(body.current_state, 'current_state').toUpperCase()
  const action = actions.get(state)
  if (action === undefined) return ignored('neither up nor down', key)
  const params = objectOrNothing(body.check_params)
  const importance = optionalText(body.importance_level)
  const at = instant(body.state_changed_timestamp) ?? utc(body.state_changed_utc_time)
  return {
    action,
    reason: null,
    dedup_key: key,
    title: `${optionalText(body.check_name) ?? `Check ${key}`} is ${state}`,
    description: paragraphs(optionalText(body.long_description) ?? optionalText(body.description), optionalText(body.custom_message)),
    severity: severityOfImportance(importance),
    source_severity: importance,
    occurred_at: at,
    sequence: at === null ? null : Math.floor(at / 1000),
    delivery_id: null,
    labels: labelsOf({
      check_id: body.check_id,
      check: body.check_name,
      type: body.check_type,
      hostname: params.hostname,
      importance,
      tags: textsOf(body.tags).join(','),
      probe: objectOrNothing(body.first_probe).location
    }),
    links: linksOf(link('Check', params.full_url))
  }
}

/** Pingdom's importance has two words of its own. */
function severityOfImportance(word: string | null): Severity | null {
  const upper = word?.toUpperCase()
  return upper === 'HIGH' || upper === 'LOW' ? severities[upper] : severityOf(word)
}

/** Pingdom's time has no zone and is UTC. */
const utc = (value: unknown): number | null => {
  const time = optionalText(value)
  return time === null ? null : instant(/(?:Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`)
}
