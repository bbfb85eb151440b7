/**
 * New Relic, webhook of a workflow: one event of an issue per body, from a template with default
 * content. The state decides. The trigger only tells what is no problem although the state still
 * is: an acknowledgement, or one of several incidents that ended. The retired notification channels
 * (an incident, with its state in `current_state`) are read too.
 *
 * Each notification has a later time of update. Used as a sequence, it would reopen an incident
 * that a person ended.
 *
 * Source: docs/design/inbound-sources.md#s7; docs.newrelic.com (workflow variables, notification
 * triggers). Samples: test/fixtures/sources/newrelic/
 */
import type { Severity } from '../../../schemas/generated/events.ts'
import { secretHeaders, sharedSecret } from '../proof.ts'
import { instant, labelsOf, link, linksOf, objectOrNothing, optionalText, paragraphs, severityOf, single, textsOf } from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

/** HIGH is a warning, because New Relic's own translation does the same. */
const severities: Readonly<Record<string, Severity>> = { CRITICAL: 'critical', HIGH: 'warning', MEDIUM: 'info', LOW: 'info' }
const byWord: ReadonlyMap<string, Severity> = new Map(Object.entries(severities))

const states: ReadonlyMap<string, ParsedEvent['action']> = new Map([
  ['created', 'fire'],
  ['activated', 'fire'],
  ['closed', 'resolve'],
  ['resolved', 'resolve']
])

/** Why a notification about an issue that goes on is no alert, by its trigger. */
const quietTriggers: ReadonlyMap<string, string> = new Map([
  ['USER_ACTION', 'an act of a person at New Relic'],
  ['INCIDENT_CLOSED', 'a part of the issue ended']
])

const sample = {
  id: 'd0c3e5f0-93a1-4c55-8a44-2f6a1f0b7e10',
  issueUrl: 'https://radar-api.example.test/accounts/1/issues/d0c3e5f0?notifier=WEBHOOK',
  title: "Error rate > 5% for at least 5 minutes on 'checkout'",
  priority: 'CRITICAL',
  impactedEntities: ['checkout'],
  totalIncidents: 1,
  state: 'ACTIVATED',
  trigger: 'STATE_CHANGE',
  isCorrelated: false,
  createdAt: 1791201600123,
  updatedAt: 1791201600123,
  sources: ['newrelic'],
  alertPolicyNames: ['Checkout'],
  alertConditionNames: ['Error rate'],
  workflowName: 'to service'
}

export const source: Source = {
  kind: 'newrelic',
  about: {
    name: 'New Relic',
    description:
      'A workflow of New Relic with a webhook destination and its default template. "Notify when" must include Closed, or nothing resolves. The test notification opens an incident that a person must close.',
    severity_map: severities,
    resolves_when: 'state is CLOSED; issues are told apart by their id.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Alerts > Destinations > Webhook, then Alerts > Workflows',
        language: 'text',
        text: `Endpoint URL: ${incomingUrl(publicUrl, token)}
Authorization (only where this integration has a secret): Bearer token, with the secret; then secret_header is authorization
Template: keep the default payload; id, state, trigger, priority, title and updatedAt are read
Notify when: Activated, Closed and Priority changed on; Acknowledged, Investigating and Other updates off
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  headers: secretHeaders,
  verify: sharedSecret,
  parse({ body }) {
    const issue = single(body)
    const isLegacy = issue.state === undefined && (issue.incident_id !== undefined || issue.current_state !== undefined)
    return [isLegacy ? fromIncident(issue) : fromIssue(issue)]
  }
}

function fromIssue(issue: Json): ParsedEvent {
  const id = optionalText(issue.id) ?? optionalText(issue.issueId) ?? optionalText(issue.issue_id)
  if (id === null) throw new Unparseable({ path: 'id', rule: 'required', message: 'the id of the issue is required' })
  const state = optionalText(issue.state)
  if (state === null) throw new Unparseable({ path: 'state', rule: 'required', message: 'the state of the issue is required' })
  const told = states.get(state.toLowerCase()) ?? 'ignore'
  const trigger = optionalText(issue.trigger) ?? optionalText(issue.triggerEvent)
  const quiet = told === 'fire' ? quietTriggers.get(trigger?.toUpperCase() ?? '') : undefined
  const word = optionalText(issue.priority)
  const updated = instant(issue.updatedAt)
  return {
    action: quiet === undefined ? told : 'ignore',
    reason: quiet ?? (told === 'ignore' ? 'a state that is neither a problem nor its end' : null),
    dedup_key: id,
    title: joined(issue.title) ?? joined(issue.issueTitle) ?? joined(issue.alertConditionNames) ?? 'New Relic issue',
    description: paragraphs(joined(issue.description), facts(issue.alertPolicyNames, issue.alertConditionNames, issue.impactedEntities)),
    severity: severity(word),
    source_severity: word,
    occurred_at: (told === 'resolve' ? instant(issue.closedAt) : null) ?? updated ?? instant(issue.activatedAt) ?? instant(issue.createdAt),
    sequence: null,
    delivery_id: null,
    labels: labelsOf({
      policy: joined(issue.alertPolicyNames),
      condition: joined(issue.alertConditionNames),
      entity: joined(issue.impactedEntities),
      workflow: issue.workflowName,
      account: issue.accountId ?? issue.nrAccountId
    }),
    links: linksOf(
      link('Issue', issue.issueUrl ?? issue.issuePageUrl),
      link('Chart', issue.violationChartUrl),
      link('Runbook', first(issue.runbookUrl))
    )
  }
}

const eventTypes: ReadonlyMap<string, ParsedEvent['action']> = new Map([
  ['open', 'fire'],
  ['incident_open', 'fire'],
  ['closed', 'resolve'],
  ['resolved', 'resolve'],
  ['incident_resolved', 'resolve']
])

function fromIncident(incident: Json): ParsedEvent {
  const id = optionalText(incident.incident_id)
  if (id === null) throw new Unparseable({ path: 'incident_id', rule: 'required', message: 'the id of the incident is required' })
  const state = optionalText(incident.current_state) ?? optionalText(incident.event_type)
  if (state === null) throw new Unparseable({ path: 'current_state', rule: 'required', message: 'the state of the incident is required' })
  const action = eventTypes.get(state.toLowerCase()) ?? 'ignore'
  const word = optionalText(incident.severity)
  const at = instant(incident.timestamp)
  const details = optionalText(incident.details)
  const targets = Array.isArray(incident.targets) ? incident.targets.map((target) => objectOrNothing(target).name) : null
  return {
    action,
    reason: action === 'ignore' ? 'a state that is neither a problem nor its end' : null,
    dedup_key: `legacy:${id}`,
    title: optionalText(incident.condition_name) ?? details ?? `Incident ${id}`,
    description: paragraphs(details, facts(incident.policy_name, null, targets)),
    severity: severity(word),
    source_severity: word,
    occurred_at: at,
    sequence: null,
    delivery_id: null,
    labels: labelsOf({
      policy: incident.policy_name,
      condition: incident.condition_name,
      entity: joined(targets),
      account: incident.account_name ?? incident.account_id
    }),
    links: linksOf(
      link('Incident', incident.incident_url),
      link('Chart', incident.violation_chart_url),
      link('Policy', incident.policy_url),
      link('Runbook', incident.runbook_url)
    )
  }
}

const severity = (word: string | null): Severity | null => byWord.get(word?.toUpperCase() ?? '') ?? severityOf(word)

/** The template writes a list when it names one without an index. */
function joined(value: unknown): string | null {
  if (!Array.isArray(value)) return optionalText(value)
  const texts = textsOf(value)
  return texts.length === 0 ? null : texts.join(', ')
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

function facts(policy: unknown, condition: unknown, entities: unknown): string | null {
  const lines = [
    ['Policy', joined(policy)],
    ['Condition', joined(condition)],
    ['Impacted', joined(entities)]
  ].filter(([, text]) => text !== null)
  return lines.length === 0 ? null : lines.map(([name, text]) => `${name}: ${text}`).join('\n')
}
