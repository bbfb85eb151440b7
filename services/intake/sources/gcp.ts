/**
 * Google Cloud Monitoring, webhook notification channel: one incident per request, sent when it
 * opens and when it closes.
 *
 * Source: docs/design/specification.md#s4-3, docs/design/inbound-sources.md#s22. Samples:
 * test/fixtures/sources/gcp/
 */
import type { Link, Severity } from '../../../schemas/generated/events.ts'
import { basicSecret } from '../proof.ts'
import {
  instant,
  labelsOf,
  link,
  linksOf,
  listOrNothing,
  object,
  objectOrNothing,
  optionalText,
  paragraphs,
  severityOf,
  single,
  text
} from '../readers.ts'
import type { Json, ParsedEvent, Source } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const severities: ReadonlyMap<string, Severity> = new Map<string, Severity>([
  ['critical', 'critical'],
  ['error', 'critical'],
  ['warning', 'warning']
])

const sample = {
  version: '1.2',
  incident: {
    incident_id: '0.nx1abc2def3g',
    scoping_project_id: 'acme-prod',
    url: 'https://console.cloud.google.com/monitoring/alerting/alerts/0.nx1abc2def3g?project=acme-prod',
    severity: 'Critical',
    started_at: 1791201600,
    ended_at: null,
    state: 'open',
    summary: 'CPU utilization for acme-prod web-1 is above the threshold of 0.9 with a value of 0.97.',
    resource_name: 'acme-prod web-1',
    policy_name: 'CPU policy',
    condition_name: 'CPU > 90%'
  }
}

export const source: Source = {
  kind: 'gcp',
  about: {
    name: 'Google Cloud Monitoring',
    description:
      'Incidents of Google Cloud’s alerting policies through a webhook notification channel. Keep "notify on incident closure" on in each policy, or nothing resolves.',
    severity_map: { Critical: 'critical', Error: 'critical', Warning: 'warning', 'No severity': 'warning' },
    resolves_when: 'incident.state is closed for the same incident_id.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Notification channel',
        language: 'text',
        text: `Google Cloud console > Monitoring > Alerting > Edit notification channels > Webhooks > Add new
  Endpoint URL:     ${incomingUrl(publicUrl, token)}
  HTTP Basic auth:  optional; the password is the secret of this integration, the username any
Then add the channel to your alerting policies, with "Notify on incident closure" on.
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  headers: ['authorization'],
  verify: basicSecret,
  parse({ body }) {
    const { version, incident } = single(body)
    return [toEvent(object(incident, 'incident'), optionalText(version))]
  }
}

const actions: ReadonlyMap<string, ParsedEvent['action']> = new Map([
  ['open', 'fire'],
  ['closed', 'resolve'],
  ['acknowledged', 'ignore']
])

function toEvent(incident: Json, version: string | null): ParsedEvent {
  const state = text(incident.state, 'incident.state').toLowerCase()
  const id = text(incident.incident_id, 'incident.incident_id')
  const project = optionalText(incident.scoping_project_id) ?? optionalText(incident.scoping_project_number)
  // The test of a channel sends "version": "test".
  const action = version?.toLowerCase() === 'test' ? 'ignore' : (actions.get(state) ?? 'ignore')
  const word = optionalText(incident.severity)
  const userWord = optionalText(objectOrNothing(incident.policy_user_labels).severity)
  const severity = word === null ? undefined : severities.get(word.toLowerCase())
  return {
    action,
    reason: action === 'ignore' ? (version?.toLowerCase() === 'test' ? 'test' : state === 'acknowledged' ? state : 'unknown_state') : null,
    dedup_key: project === null ? id : `${project}:${id}`,
    title: titleOf(incident),
    description: descriptionOf(incident),
    severity: severity ?? severityOf(userWord),
    source_severity: severity === undefined ? (userWord ?? word) : word,
    occurred_at: instant(action === 'resolve' ? incident.ended_at : incident.started_at),
    sequence: null,
    delivery_id: null,
    labels: named(incident, project),
    links: addresses(incident)
  }
}

function titleOf(incident: Json): string {
  const subject = optionalText(objectOrNothing(incident.documentation).subject)
  if (subject !== null) return subject
  const names = [incident.policy_name, incident.condition_name].map(optionalText).filter((name) => name !== null)
  return names.length > 0 ? names.join(' — ') : (optionalText(incident.summary) ?? 'Google Cloud alert')
}

function descriptionOf(incident: Json): string | null {
  const { documentation } = incident
  const written = optionalText(documentation) ?? optionalText(objectOrNothing(documentation).content)
  return paragraphs(optionalText(incident.summary), written)
}

/**
 * The policy's own labels come first, then those of the resource and the metric, then the names.
 */
function named(incident: Json, project: string | null): Record<string, string> {
  const resource = objectOrNothing(incident.resource)
  const metric = objectOrNothing(incident.metric)
  return labelsOf(incident.policy_user_labels, resource.labels, metric.labels, objectOrNothing(incident.metadata).user_labels, {
    project,
    policy: incident.policy_name,
    condition: incident.condition_name,
    resource: optionalText(incident.resource_display_name) ?? incident.resource_name,
    resource_type: resource.type,
    metric_type: metric.type
  })
}

function addresses(incident: Json): Link[] {
  const documented = listOrNothing(objectOrNothing(incident.documentation).links).map((entry) => {
    const { displayName, display_name, url } = objectOrNothing(entry)
    return link(optionalText(displayName) ?? optionalText(display_name) ?? 'Documentation', url)
  })
  return linksOf(link('Google Cloud', incident.url), ...documented)
}
