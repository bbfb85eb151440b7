/**
 * Sentry, the webhooks of an integration (issue alerts, metric alerts, issues) and the older
 * WebHooks plugin.
 *
 * An issue is one condition, whichever resource reports it: its alerts fire, and its own `resolved`
 * resolves. Archiving an issue does not resolve it. A report about an event or an issue has no time
 * of the change, so the header with the time of sending orders them. A further alert of an issue is
 * a new occurrence, a further notification of a metric alert is not.
 *
 * Source: docs/design/specification.md#s4-3, docs/design/inbound-sources.md#s12,
 * docs.sentry.io/integrations/integration-platform/webhooks. Samples: test/fixtures/sources/sentry/
 */
import { isHmac, textSetting } from '../proof.ts'
import {
  flagOption,
  ignored,
  instant,
  labelsOf,
  link,
  linksOf,
  listOrNothing,
  numberOf,
  objectOrNothing,
  optionalText,
  paragraphs,
  severityOf,
  single,
  text
} from '../readers.ts'
import { type Json, type SequencedEvent, type Source, type SourceInput, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const RESOURCE = 'sentry-hook-resource'
const TIMESTAMP = 'sentry-hook-timestamp'
const SIGNATURE = 'sentry-hook-signature'
const REQUEST = 'request-id'
/** Longer than any text that is stored. */
const MAX_TEXT = 20_000

const sample = {
  action: 'triggered',
  actor: { id: 'sentry', name: 'Sentry', type: 'application' },
  data: {
    event: {
      event_id: '6b1f0c7e2a9d4e35b8c4d0f1a2e39b57',
      issue_id: '4410027715',
      project: 71,
      level: 'error',
      title: 'TypeError: cart is undefined',
      culprit: 'checkout(/cart)',
      platform: 'javascript',
      environment: 'production',
      web_url: 'https://sentry.example.test/organizations/shop/issues/4410027715/events/6b1f0c7e/'
    },
    triggered_rule: 'Errors in production'
  },
  installation: { uuid: '5d8e7a61-0000-4000-8000-0000000000aa' }
}

export const source: Source = {
  kind: 'sentry',
  about: {
    name: 'Sentry',
    description:
      'Webhooks of an internal integration: issue alerts and metric alerts open incidents. Tick the issue webhook too, or resolving an issue in Sentry is not told.',
    severity_map: { fatal: 'critical', error: 'critical', warning: 'warning', info: 'info', debug: 'info', critical: 'critical' },
    resolves_when: 'The issue is resolved (not archived or ignored), or the metric alert is.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'In Sentry',
        language: 'text',
        text: `Settings > Developer Settings > Custom Integrations > Create New Integration > Internal Integration
Webhook URL: ${incomingUrl(publicUrl, token)}
Alert Rule Action: on
Permissions: Issue & Event: Read
Webhooks: issue

Then add the integration as an action of your issue alerts and metric alerts.
Copy its Client Secret into this integration's secret, and only deliveries that Sentry signed are accepted.
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample, ['Sentry-Hook-Resource: event_alert'])
    ]
  },
  default_severity: 'critical',
  headers: [RESOURCE, TIMESTAMP, SIGNATURE, REQUEST],
  options: {
    include_created: { type: 'boolean', default: false, description: 'Open an incident for every new issue, not only for alerts.' }
  },
  verify: {
    settings: { secret: { type: 'text', secret: true, description: 'The Client Secret of the internal integration.' } },
    check({ bytes, headers, settings }) {
      const secret = textSetting(settings, 'secret')
      const signature = headers[SIGNATURE]
      if (signature === undefined) return 'Sentry-Hook-Signature is missing: only the webhooks of an integration are signed'
      if (secret === null || !isHmac(signature, 'hex', secret, bytes))
        return 'Sentry-Hook-Signature is not that of the body with the client secret'
      return null
    }
  },
  sequence: 'position',
  parse(input) {
    const body = single(input.body)
    const data = objectOrNothing(body.data)
    const resource = optionalText(input.headers[RESOURCE]) ?? resourceOf(body, data)
    switch (resource) {
      case 'event_alert':
        return [fromEvent(body, data, input)]
      case 'issue':
        return [fromIssue(body, data, input)]
      case 'metric_alert':
        return [fromMetric(body, data, input)]
      case 'plugin':
        return [fromPlugin(body)]
      case null:
        throw new Unparseable({
          path: 'data',
          rule: 'required',
          message: 'expected the body of a Sentry webhook: an object with action and data'
        })
      default:
        return [ignored(resource === 'error' ? 'one event: an issue alert tells of its issue' : 'neither an alert nor an issue')]
    }
  }
}

/** Determines the resource from the body, when a proxy removed the header. */
function resourceOf(body: Json, data: Json): string | null {
  for (const [name, resource] of [
    ['metric_alert', 'metric_alert'],
    ['event', 'event_alert'],
    ['issue', data.activity === undefined ? 'issue' : 'activity_alert'],
    ['error', 'error']
  ] as const) {
    if (data[name] !== undefined) return resource
  }
  if (body.data !== undefined && body.action !== undefined) return 'other'
  return body.event !== undefined && body.id !== undefined ? 'plugin' : null
}

/** The time and the id that the headers of an integration's delivery give. */
const sent = ({ headers }: SourceInput): { sequence: number | null; delivery_id: string | null } => ({
  sequence: numberOf(headers[TIMESTAMP]),
  delivery_id: optionalText(headers[REQUEST])
})

function fromEvent(body: Json, data: Json, input: SourceInput): SequencedEvent {
  if (body.action !== 'triggered') return ignored('an issue alert that was not triggered')
  const event = objectOrNothing(data.event)
  const key = issueKey(event.issue_id, event, 'data.event.issue_id')
  const tags = tagsOf(event.tags)
  if (tags.get('sample_event') === 'yes') return ignored('a sample event', key)
  const level = optionalText(event.level) ?? tags.get('level') ?? null
  return {
    action: 'fire',
    reason: null,
    dedup_key: key,
    title: titleOf(event) ?? 'An issue without a title',
    description: descriptionOf(event),
    severity: severityOf(level),
    source_severity: level,
    occurred_at: instant(event.datetime) ?? instant(event.timestamp),
    ...sent(input),
    labels: labelsOf({
      project: projectOf(event.url) ?? event.project,
      environment: event.environment ?? tags.get('environment'),
      level,
      platform: event.platform,
      release: event.release ?? tags.get('release'),
      server_name: tags.get('server_name'),
      rule: data.triggered_rule
    }),
    links: linksOf(link('Sentry', event.web_url))
  }
}

function fromIssue(body: Json, data: Json, input: SourceInput): SequencedEvent {
  const issue = objectOrNothing(data.issue)
  const key = issueKey(issue.id, issue, 'data.issue.id')
  const action = issueAction(body.action, issue, flagOption(input.options, 'include_created', false))
  if (typeof action === 'object') return ignored(action.reason, key)
  const level = optionalText(issue.level)
  const project = objectOrNothing(issue.project)
  return {
    action,
    reason: null,
    dedup_key: key,
    title: titleOf(issue) ?? `Issue ${optionalText(issue.shortId) ?? key.slice('issue:'.length)}`,
    description: descriptionOf(issue),
    severity: severityOf(level),
    source_severity: level,
    // lastSeen is the time of the last event, not of the change: a person may resolve and reopen
    // without a new event.
    occurred_at: body.action === 'created' ? instant(issue.firstSeen) : instant(input.headers[TIMESTAMP]),
    ...sent(input),
    labels: labelsOf({
      project: project.slug ?? project.name ?? project.id,
      issue: issue.shortId,
      level,
      platform: issue.platform,
      substatus: issue.substatus
    }),
    links: linksOf(link('Sentry', issue.web_url) ?? link('Sentry', issue.permalink))
  }
}

function issueAction(action: unknown, issue: Json, include_created: boolean): 'fire' | 'resolve' | { reason: string } {
  switch (action) {
    case 'created':
      return include_created ? 'fire' : { reason: 'a new issue: its issue alert opens the incident' }
    case 'unresolved':
      return 'fire'
    case 'resolved': {
      const status = optionalText(issue.status)
      return status === null || status === 'resolved' ? 'resolve' : { reason: 'the issue is not resolved' }
    }
    case 'archived':
    case 'ignored':
      return { reason: 'archiving does not resolve' }
    default:
      return { reason: 'not a change of the issue’s state' }
  }
}

function fromMetric(body: Json, data: Json, input: SourceInput): SequencedEvent {
  const alert = objectOrNothing(data.metric_alert)
  const rule = objectOrNothing(alert.alert_rule)
  const key = `metric:${optionalText(alert.id) ?? text(alert.identifier, 'data.metric_alert.id')}`
  const word = optionalText(body.action)
  if (word !== 'critical' && word !== 'warning' && word !== 'open' && word !== 'resolved')
    return ignored('not a change of the metric alert’s state', key)
  const level = word === 'critical' || word === 'warning' ? word : null
  const title = optionalText(data.description_title)?.replace(/^(?:critical|warning|resolved|open):\s+/i, '')
  return {
    action: word === 'resolved' ? 'resolve' : 'fire',
    reason: null,
    dedup_key: key,
    title: title || (optionalText(rule.name) ?? optionalText(alert.title) ?? 'A metric alert without a title'),
    description: optionalText(data.description_text)?.slice(0, MAX_TEXT).replaceAll('\\n', '\n') ?? null,
    severity: level,
    source_severity: level,
    // The alert keeps its times when it changes between critical and warning, so the time of
    // sending orders them. As a sequence it would open again what a person has ended, also when the
    // alert gets better.
    occurred_at:
      instant(input.headers[TIMESTAMP]) ??
      (word === 'resolved' ? instant(alert.date_closed) : (instant(alert.date_started) ?? instant(alert.date_detected))),
    sequence: null,
    delivery_id: optionalText(input.headers[REQUEST]),
    labels: labelsOf({
      project: optionalText(listOrNothing(alert.projects)[0]) ?? listOrNothing(rule.projects)[0],
      environment: rule.environment,
      rule: rule.name,
      aggregate: rule.aggregate,
      query: rule.query
    }),
    links: linksOf(link('Sentry', data.web_url))
  }
}

/**
 * Reads the WebHooks plugin of a project: it fires, never resolves, and sends no headers about
 * itself.
 */
function fromPlugin(body: Json): SequencedEvent {
  const event = objectOrNothing(body.event)
  const tags = tagsOf(event.tags)
  const key = `issue:${text(body.id, 'id')}`
  if (tags.get('sample_event') === 'yes') return ignored('a sample event', key)
  const level = optionalText(body.level) ?? optionalText(event.level)
  return {
    action: 'fire',
    reason: null,
    dedup_key: key,
    title: titleOf(event) ?? optionalText(body.message) ?? 'An issue without a title',
    description: optionalText(body.culprit),
    severity: severityOf(level),
    source_severity: level,
    occurred_at: instant(event.datetime) ?? instant(event.timestamp),
    sequence: null,
    delivery_id: optionalText(event.event_id),
    labels: labelsOf({
      project: body.project_slug ?? body.project,
      environment: event.environment ?? tags.get('environment'),
      level,
      platform: event.platform,
      release: event.release ?? tags.get('release'),
      server_name: tags.get('server_name'),
      rule: listOrNothing(body.triggering_rules)[0]
    }),
    links: linksOf(link('Sentry', body.url))
  }
}

/**
 * Returns the key from the issue's id, or from an id in one of its addresses. Without it, incidents
 * would merge.
 */
function issueKey(id: unknown, from: Json, path: string): string {
  const found = optionalText(id) ?? issueIn(from.issue_url) ?? issueIn(from.web_url) ?? issueIn(from.permalink)
  return `issue:${found ?? text(id, path)}`
}

const issueIn = (address: unknown): string | null =>
  typeof address === 'string' ? (/\/issues\/(\d{1,30})(?:\/|\?|$)/.exec(address)?.[1] ?? null) : null

/** Returns the slug in the API address of an event, because its `project` is only a number. */
const projectOf = (address: unknown): string | null =>
  typeof address === 'string' ? (/\/projects\/[^/]{1,100}\/([^/]{1,100})\//.exec(address)?.[1] ?? null) : null

function titleOf(from: Json): string | null {
  const metadata = objectOrNothing(from.metadata)
  const type = optionalText(metadata.type)
  const value = optionalText(metadata.value)
  return (
    optionalText(from.title) ??
    optionalText(metadata.title) ??
    (type !== null && value !== null ? `${type}: ${value}` : (type ?? value)) ??
    optionalText(from.message)
  )
}

/** Returns where it happened, and the message when the title leaves it out. */
function descriptionOf(from: Json): string | null {
  const value = optionalText(objectOrNothing(from.metadata).value)
  return paragraphs(optionalText(from.culprit), value !== null && optionalText(from.title)?.includes(value) ? null : value)
}

/**
 * Reads pairs, objects with key and value, or one object: Sentry has sent all three. When names are
 * equal, the first counts.
 */
function tagsOf(value: unknown): ReadonlyMap<string, string> {
  const tags = new Map<string, string>()
  const pairs: Iterable<readonly unknown[]> = Array.isArray(value)
    ? value.map((tag: unknown) => (Array.isArray(tag) ? tag : [objectOrNothing(tag).key, objectOrNothing(tag).value]))
    : Object.entries(objectOrNothing(value))
  for (const [name, tag] of pairs) {
    const found = optionalText(tag)
    if (typeof name === 'string' && found !== null && !tags.has(name)) tags.set(name, found)
  }
  return tags
}
