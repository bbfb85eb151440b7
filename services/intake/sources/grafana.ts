/**
 * Grafana alerting, webhook contact point: Alertmanager's shape with additions. It mixes firing and
 * resolved alerts, and each alert's own status counts. The body of the alerting before version 8 is
 * read too: one rule per body, with its state in `state`.
 *
 * Source: docs/design/inbound-sources.md#s4; grafana.com/docs, webhook notifier (payload, HMAC
 * signature). Samples: test/fixtures/sources/grafana/
 */
import { alertsOf, digestOfLabels, occurrenceOf, statusOf } from '../alerts-form.ts'
import { isHmac, textSetting } from '../proof.ts'
import { link, linksOf, listOrNothing, numberOf, object, objectOrNothing, optionalText, paragraphs, severityOf } from '../readers.ts'
import { type Json, type SequencedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl, usualWords } from '../source-text.ts'

/**
 * A start further ahead than this comes from a wrong clock, and is not used as a sequence number. A
 * signature whose time differs by more is refused.
 */
const AHEAD_MS = 300_000
const MAX_MATCHES = 20
const SIGNATURE = 'x-grafana-alerting-signature'
const TIMESTAMP = 'x-grafana-alerting-timestamp'

const sample = {
  receiver: 'service',
  status: 'firing',
  orgId: 1,
  version: '1',
  groupKey: '{}:{alertname="High latency"}',
  truncatedAlerts: 0,
  title: '[FIRING:1] High latency (pay)',
  state: 'alerting',
  message: '**Firing**',
  groupLabels: { alertname: 'High latency' },
  commonLabels: { alertname: 'High latency', team: 'pay' },
  commonAnnotations: {},
  externalURL: 'https://grafana.example.test/',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'High latency', grafana_folder: 'SLO', team: 'pay', severity: 'warning' },
      annotations: { summary: 'p95 above 1.5 s', description: 'checkout p95 is 1.94 s' },
      startsAt: '2026-10-05T12:00:10Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'https://grafana.example.test/alerting/grafana/ad7f/view?orgId=1',
      fingerprint: 'c2a90e17b6d04f55',
      silenceURL: 'https://grafana.example.test/alerting/silence/new',
      dashboardURL: '',
      panelURL: '',
      values: { B: 1.94, C: 1 },
      valueString: "[ var='B' labels={team=pay} value=1.94 ]"
    }
  ]
}

export const source: Source = {
  kind: 'grafana',
  about: {
    name: 'Grafana',
    description:
      'A webhook contact point of Grafana alerting with method POST. Leave "Disable resolved message" off, or nothing resolves; leave the custom payload empty and Max Alerts at 0.',
    severity_map: usualWords,
    resolves_when: 'The alert’s own status is "resolved"; alerts are told apart by their fingerprint.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Contact point',
        language: 'text',
        text: `Alerting > Contact points > Add contact point
Integration: Webhook
URL: ${incomingUrl(publicUrl, token)}
HTTP Method: POST
Max Alerts: 0
Disable resolved message: off
Custom Payload: empty
To sign deliveries: HMAC Signature > Secret (the secret of this integration), Header ${SIGNATURE}
Severity: give your rules a label "severity" (critical, warning or info)
`
      },
      {
        title: 'Provisioning file',
        language: 'yaml',
        text: `apiVersion: 1
contactPoints:
  - orgId: 1
    name: service
    receivers:
      - uid: service
        type: webhook
        disableResolveMessage: false
        settings:
          url: ${incomingUrl(publicUrl, token)}
          httpMethod: POST
          maxAlerts: 0
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  headers: [SIGNATURE, 'x-signature', 'x-webhook-signature', TIMESTAMP, 'x-timestamp', 'x-webhook-timestamp'],
  verify: {
    settings: {
      secret: {
        type: 'text',
        secret: true,
        description: 'The secret of the contact point’s HMAC signature. Unsigned deliveries are refused.'
      },
      signature_header: {
        type: 'choice',
        choices: [SIGNATURE, 'x-signature', 'x-webhook-signature'],
        default: SIGNATURE,
        description: 'The header that the contact point puts the signature into.'
      },
      timestamp_header: {
        type: 'choice',
        choices: ['none', TIMESTAMP, 'x-timestamp', 'x-webhook-timestamp'],
        default: 'none',
        description: 'The contact point’s timestamp header, where one is set: then the time is signed too and may be 5 minutes off.'
      }
    },
    check({ bytes, headers, received_at, settings }) {
      const secret = textSetting(settings, 'secret')
      if (secret === null) return null
      const header = textSetting(settings, 'signature_header') ?? SIGNATURE
      const signature = headers[header]
      if (signature === undefined) return `The header ${header} is missing`
      const timed = textSetting(settings, 'timestamp_header') ?? 'none'
      if (timed === 'none') return isHmac(signature, 'hex', secret, bytes) ? null : `The signature in ${header} does not match the body`
      const at = headers[timed]
      if (at === undefined) return `The header ${timed} is missing`
      if (!isHmac(signature, 'hex', secret, `${at}:`, bytes)) return `The signature in ${header} does not match time and body`
      const seconds = numberOf(at)
      return seconds === null || Math.abs(seconds * 1000 - received_at) > AHEAD_MS
        ? `The time in ${timed} is more than 5 minutes off`
        : null
    }
  },
  sequence: 'occurrence',
  parse({ body, received_at, warn }) {
    const group = objectOrNothing(body)
    if (group.alerts === undefined && (group.ruleId !== undefined || group.ruleName !== undefined)) return [fromRule(group)]
    const alerts = alertsOf(
      group,
      'expected the alerts of Grafana’s own webhook body: leave "Custom Payload" of the contact point empty',
      warn
    )
    const only = alerts.length === 1 ? optionalText(group.title) : null
    return alerts.map((alert, index) => toEvent(alert, `alerts[${index}]`, received_at, only))
  }
}

function toEvent(value: unknown, path: string, received_at: number, group_title: string | null): SequencedEvent {
  const alert = object(value, path)
  const status = statusOf(alert, path)
  const labels = objectOrNothing(alert.labels)
  const annotations = objectOrNothing(alert.annotations)
  const isTest = labels.alertname === 'TestAlert' && labels.instance === 'Grafana'
  const summary = optionalText(annotations.summary) ?? optionalText(annotations.title)
  const state = stateTitle(labels)
  return {
    action: isTest ? 'ignore' : status === 'firing' ? 'fire' : 'resolve',
    reason: isTest ? 'a test of the contact point' : null,
    dedup_key: optionalText(alert.fingerprint) ?? fingerprint(labels, path),
    title: state ?? summary ?? named(labels) ?? group_title ?? 'Alert without a name',
    description: paragraphs(
      state === null ? null : summary,
      optionalText(annotations.description) ?? optionalText(annotations.message),
      sentence('Reason', annotations.grafana_state_reason),
      sentence('Values', alert.valueString)
    ),
    ...occurrenceOf(alert, status, labels, received_at),
    delivery_id: null,
    labels,
    links: linksOf(
      link('Panel', alert.panelURL),
      link('Dashboard', alert.dashboardURL),
      link('Source', alert.generatorURL),
      link('Silence', alert.silenceURL),
      link('Runbook', annotations.runbook_url),
      link('Image', alert.imageURL)
    )
  }
}

const sentence = (name: string, value: unknown): string | null => {
  const found = optionalText(value)
  return found === null ? null : `${name}: ${found}`
}

/**
 * "No data" and failed queries are alerts of their own, named after their state. The name of the
 * rule is in another label.
 */
function stateTitle(labels: Json): string | null {
  const what = labels.alertname === 'DatasourceNoData' ? 'No data' : labels.alertname === 'DatasourceError' ? 'Query failed' : null
  const rule = optionalText(labels.rulename)
  return what === null || rule === null ? null : `${what}: ${rule}`
}

function named(labels: Json): string | null {
  const name = optionalText(labels.alertname)
  const instance = optionalText(labels.instance)
  return name === null || instance === null ? name : `${name} on ${instance}`
}

/** Alerts without labels are all alike: without a fingerprint they cannot be distinguished. */
function fingerprint(labels: Json, path: string): string {
  if (Object.keys(labels).length === 0) {
    throw new Unparseable({
      path: `${path}.fingerprint`,
      rule: 'required',
      message: 'a fingerprint, or labels to make one of, is required'
    })
  }
  return digestOfLabels(labels)
}

const ruleStates: ReadonlyMap<string, SequencedEvent['action']> = new Map([
  ['alerting', 'fire'],
  ['no_data', 'fire'],
  ['ok', 'resolve']
])

/**
 * Reads the body of the alerting before version 8. It has no time, and no labels except the rule's
 * tags.
 */
function fromRule(rule: Json): SequencedEvent {
  const id = optionalText(rule.ruleId)
  if (id === null) throw new Unparseable({ path: 'ruleId', rule: 'required', message: 'the id of the rule is required' })
  const state = optionalText(rule.state)?.toLowerCase() ?? null
  if (state === null) throw new Unparseable({ path: 'state', rule: 'required', message: 'the state of the rule is required' })
  const message = optionalText(rule.message)
  const isTest = message?.toLowerCase().startsWith('someone is testing the alert notification within') === true
  const action = isTest ? 'ignore' : (ruleStates.get(state) ?? 'ignore')
  const tags = objectOrNothing(rule.tags)
  const word = optionalText(tags.severity) ?? optionalText(tags.priority)
  return {
    action,
    reason: isTest ? 'a test of the notification channel' : action === 'ignore' ? 'a state that is neither a problem nor its end' : null,
    dedup_key: `legacy:${id}`,
    title: optionalText(rule.ruleName) ?? optionalText(rule.title) ?? 'Alert without a name',
    description: paragraphs(message, matches(rule.evalMatches)),
    severity: severityOf(word),
    source_severity: word,
    occurred_at: null,
    sequence: null,
    delivery_id: null,
    labels: tags,
    links: linksOf(link('Rule', rule.ruleUrl), link('Image', rule.imageUrl))
  }
}

function matches(value: unknown): string | null {
  const lines = listOrNothing(value)
    .slice(0, MAX_MATCHES)
    .map((match) => {
      const { metric, value: found } = objectOrNothing(match)
      return `${optionalText(metric) ?? 'value'}: ${optionalText(found) ?? 'none'}`
    })
  return lines.length === 0 ? null : lines.join('\n')
}
