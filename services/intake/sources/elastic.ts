/**
 * Elastic, webhook connector of Kibana's rules: one alert per body, from a Mustache template of the
 * user's. Two actions of a rule send it, one for the active group and one for Recovered. Their
 * templates differ in `status`.
 *
 * Source: docs/design/inbound-sources.md#s10; elastic.co/guide, rule action variables. Samples:
 * test/fixtures/sources/elastic/
 */
import type { Severity } from '../../../schemas/generated/events.ts'
import { secretHeaders, sharedSecret } from '../proof.ts'
import {
  fieldsOf,
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
  textsOf
} from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl, usualWords } from '../source-text.ts'

const template = (status: string): string => `{
  "format": "service-elastic-1", "status": "${status}", "severity": "critical",
  "rule_id": "{{rule.id}}", "rule_name": "{{rule.name}}", "space_id": "{{rule.spaceId}}", "rule_url": "{{rule.url}}", "tags": "{{rule.tags}}",
  "alert_id": "{{alert.id}}", "alert_uuid": "{{alert.uuid}}", "action_group": "{{alert.actionGroup}}",
  "action_group_name": "{{alert.actionGroupName}}", "flapping": "{{alert.flapping}}",
  "reason": "{{context.reason}}", "message": "{{context.message}}", "details_url": "{{context.alertDetailsUrl}}", "date": "{{date}}"
}
`

const sample = {
  format: 'service-elastic-1',
  status: 'active',
  severity: 'critical',
  rule_id: '3f1d2a90-77aa-11ef',
  rule_name: 'Log error rate',
  space_id: 'default',
  rule_url: 'https://kibana.example.test/app/management/insightsAndAlerting/triggersActions/rule/3f1d2a90',
  tags: 'prod,checkout',
  alert_id: 'service:checkout',
  alert_uuid: '5bb6c3d8-7a51-4c9f-8b1e-2f64',
  action_group: 'logs.threshold.fired',
  action_group_name: 'Fired',
  flapping: 'false',
  reason: '412 log entries in the last 5 mins. Alert when > 100.',
  message: '',
  details_url: '',
  date: '2026-10-05T12:00:00.000Z'
}

export const source: Source = {
  kind: 'elastic',
  about: {
    name: 'Elastic (Kibana)',
    description:
      'A webhook connector in the rules of Kibana, "For each alert", with the template shown here: one action that runs when the rule is active, one that runs when it is Recovered, or nothing resolves. Summaries, Watcher and SIEM payloads are other shapes.',
    severity_map: usualWords,
    resolves_when: 'status or the action group is "recovered", with the same rule and alert id.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Stack Management > Connectors > Webhook',
        language: 'text',
        text: `Method: POST
URL: ${incomingUrl(publicUrl, token)}
HTTP headers: Content-Type: application/json (and X-Webhook-Secret, only where this integration has a secret)
`
      },
      {
        title: 'Body of the action that runs when the rule is active, for each alert, on status changes',
        language: 'text',
        text: template('active')
      },
      { title: 'Body of the action that runs when Recovered', language: 'text', text: template('recovered') },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  headers: secretHeaders,
  verify: sharedSecret,
  parse({ body }) {
    const sent = single(body)
    if (isSummary(sent.alerts)) {
      throw new Unparseable({
        path: 'alerts',
        rule: 'custom_template',
        message: 'summaries are not read: set the action’s frequency to "For each alert" and use the template of this integration'
      })
    }
    return [toEvent(sent)]
  }
}

const isSummary = (alerts: unknown): boolean => {
  const summary = objectOrNothing(alerts)
  return summary.new !== undefined || summary.ongoing !== undefined || summary.recovered !== undefined
}

function toEvent(sent: Json): ParsedEvent {
  const fields = fieldsOf(sent)
  const rule = objectOrNothing(sent.rule)
  const alert = objectOrNothing(sent.alert)
  const context = objectOrNothing(sent.context)
  const rule_id = fields.text('rule_id', 'ruleid', 'rule.id') ?? optionalText(rule.id)
  const date = instant(fields.text('date', 'timestamp', '@timestamp'))
  if (rule_id === null) {
    // Kibana expands variables only in actions of rules, where missing ones become empty. The Test
    // tab of a connector sends variables unexpanded.
    if (fields.unexpanded('rule_id', 'ruleid') !== null) return ignored('a test of the connector', 'test')
    throw new Unparseable({
      path: 'rule_id',
      rule: 'required',
      message: 'the id of the rule is required: use the template of this integration'
    })
  }
  const alert_id = fields.text('alert_id', 'alertid', 'alert.id') ?? optionalText(alert.id)
  const group = fields.text('action_group', 'actiongroup', 'alert_action_group') ?? optionalText(alert.actionGroup)
  const group_name = fields.text('action_group_name', 'actiongroupname') ?? optionalText(alert.actionGroupName)
  const name = fields.text('rule_name', 'rulename', 'rule.name') ?? optionalText(rule.name) ?? rule_id
  const word = fields.text('severity') ?? optionalText(context.severity)
  const isRecovered = [fields.text('status'), group, group_name].some((text) => text?.toLowerCase() === 'recovered')
  return {
    action: isRecovered ? 'resolve' : 'fire',
    reason: null,
    // If the template has no alert id, alerts are grouped by rule: the user does not send more.
    dedup_key: `${rule_id}:${alert_id ?? ''}`,
    title: alert_id === null || alert_id === name || alert_id === rule_id || alert_id === 'query matched' ? name : `${name} — ${alert_id}`,
    description: paragraphs(
      fields.text('reason') ?? optionalText(context.reason) ?? fields.text('message') ?? optionalText(context.message)
    ),
    severity: severityOf(word) ?? groupSeverity(group, group_name),
    source_severity: word ?? group_name ?? group,
    occurred_at: date,
    sequence: null,
    delivery_id: null,
    labels: labelsOf({
      rule: name,
      rule_id,
      alert_id,
      space: fields.text('space_id', 'spaceid') ?? rule.spaceId,
      action_group: group,
      alert_uuid: fields.text('alert_uuid', 'alertuuid') ?? alert.uuid,
      flapping: fields.text('flapping') ?? alert.flapping,
      tags: textsOf(fields.value('tags') ?? rule.tags).join(',')
    }),
    links: linksOf(
      link('Details', fields.text('details_url', 'alertdetailsurl') ?? context.alertDetailsUrl),
      link('Rule', fields.text('rule_url', 'ruleurl') ?? rule.url)
    )
  }
}

/**
 * A rule with more than one level of action names the group of the milder one, for example
 * "Warning" or metrics.threshold.warning.
 */
const groupSeverity = (group: string | null, name: string | null): Severity =>
  `${group ?? ''} ${name ?? ''}`.toLowerCase().includes('warning') ? 'warning' : 'critical'
