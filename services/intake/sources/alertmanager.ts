/**
 * Prometheus Alertmanager, webhook version 4: one request is one group, firing and resolved alerts mixed.
 * Each alert's own status counts, never the group's. Its fingerprint is a hash over all its labels; an occurrence is known by its start.
 * Source: inbound-sources.md 2.1 and 3. Samples: test/fixtures/sources/alertmanager/
 */
import type { Link } from '../../../schemas/generated/events.ts'
import { batch, digest, instant, link, numberOf, object, optionalText, severityOf } from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { quoted, usualWords } from '../source-text.ts'

/** A start further ahead is the fault of a clock, and no number to order by. */
const AHEAD_MS = 300_000

const routerUrl = (publicUrl: string): string => `${publicUrl}/api/v1/webhook/alertmanager`

export const source: Source = {
  kind: 'alertmanager',
  about: {
    name: 'Prometheus Alertmanager',
    description:
      'The webhook of Prometheus Alertmanager: many alerts a body, firing and resolved. Keep send_resolved on and max_alerts at 0.',
    doors: [
      '/api/v1/webhook/alertmanager',
      '/api/v1/webhook/prometheus',
      '/api/v1/alertmanager/v2/alerts',
      '/api/v1/prometheus/v2/alerts',
      '/api/v1/opsgenie/v2/alerts'
    ],
    severity_map: usualWords,
    resolves_when: 'The alert’s own status is "resolved"; alerts are told apart by their fingerprint.',
    sample: {
      version: '4',
      groupKey: '{}:{alertname="InstanceDown"}',
      truncatedAlerts: 0,
      status: 'firing',
      receiver: 'service',
      groupLabels: { alertname: 'InstanceDown' },
      commonLabels: { alertname: 'InstanceDown', job: 'node', severity: 'critical' },
      commonAnnotations: {},
      externalURL: 'https://am.example.test',
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'InstanceDown', instance: 'web-1:9100', job: 'node', severity: 'critical' },
          annotations: { summary: 'web-1 is down', description: 'no scrape for 5 minutes' },
          startsAt: '2026-10-05T12:00:03.1Z',
          endsAt: '0001-01-01T00:00:00Z',
          generatorURL: 'https://prom.example.test/graph?g0.expr=up%3D%3D0',
          fingerprint: '9f1c2b7a40d35e66'
        }
      ]
    },
    instructions: (publicUrl, token) => [
      {
        title: 'alertmanager.yml',
        language: 'yaml',
        text: `route:
  receiver: service
receivers:
  - name: service
    webhook_configs:
      - url: ${routerUrl(publicUrl)}
        send_resolved: true
        max_alerts: 0
        http_config:
          authorization:
            type: Bearer
            credentials: ${token}
`
      },
      {
        title: 'alertmanager.yml, as a receiver of Opsgenie’s API: one incident for a group instead of one for each alert',
        language: 'yaml',
        text: `route:
  receiver: service
receivers:
  - name: service
    opsgenie_configs:
      - api_url: ${publicUrl}/api/v1/alertmanager/
        api_key: ${token}
        send_resolved: true
`
      },
      {
        title: 'Try it',
        language: 'shell',
        text: `curl -sS ${quoted(routerUrl(publicUrl))} -H ${quoted(`Authorization: Bearer ${token}`)} -H 'Content-Type: application/json' \\
  -d '{"version":"4","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"Test","severity":"warning"},"annotations":{"summary":"A test alert"},"startsAt":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'"}]}'
`
      }
    ]
  },
  parse({ body, received_at, warn }) {
    const group = Array.isArray(body) ? {} : (body as Json)
    if (!Array.isArray(group.alerts)) {
      throw new Unparseable({
        path: 'alerts',
        rule: 'custom_template',
        message: 'expected the alerts of Alertmanager’s own webhook body: remove `payload` from webhook_configs'
      })
    }
    const truncated = numberOf(group.truncatedAlerts) ?? 0
    if (truncated > 0) warn('truncated_alerts', truncated)
    const external = link('Alertmanager', group.externalURL)
    return batch(group.alerts, 'alerts').map((alert, index) => toEvent(alert, `alerts[${index}]`, received_at, external))
  }
}

const none: Json = {}

function toEvent(value: unknown, path: string, received_at: number, external: Link | null): ParsedEvent {
  const alert = object(value, path)
  const { status } = alert
  if (status !== 'firing' && status !== 'resolved') {
    throw new Unparseable({
      path: `${path}.status`,
      rule: status === undefined ? 'required' : 'enum',
      message: 'expected "firing" or "resolved"'
    })
  }
  const labels = object(alert.labels, `${path}.labels`)
  const annotations =
    alert.annotations === undefined || alert.annotations === null ? none : object(alert.annotations, `${path}.annotations`)
  const started = instant(alert.startsAt)
  const word = optionalText(labels.severity) ?? optionalText(labels.priority)
  return {
    action: status === 'firing' ? 'fire' : 'resolve',
    reason: null,
    dedup_key: optionalText(alert.fingerprint) ?? fingerprint(labels),
    title: optionalText(annotations.summary) ?? optionalText(annotations.title) ?? named(labels),
    description: optionalText(annotations.description) ?? optionalText(annotations.message),
    severity: severityOf(word),
    source_severity: word,
    occurred_at: status === 'firing' ? started : instant(alert.endsAt),
    sequence: started !== null && started <= received_at + AHEAD_MS ? started : null,
    delivery_id: null,
    labels,
    links: linksOf(alert, annotations, external)
  }
}

function named(labels: Json): string {
  const name = optionalText(labels.alertname) ?? 'Alert without a name'
  const instance = optionalText(labels.instance)
  return instance === null ? name : `${name} on ${instance}`
}

function linksOf(alert: Json, annotations: Json, external: Link | null): Link[] {
  const links: Link[] = []
  const source = link('Source', alert.generatorURL)
  if (source) links.push(source)
  const runbook = link('Runbook', annotations.runbook_url)
  if (runbook) links.push(runbook)
  const dashboard = link('Dashboard', annotations.dashboard_url)
  if (dashboard) links.push(dashboard)
  if (external) links.push(external)
  return links
}

/** Hand-made payloads and very old senders have none. */
const fingerprint = (labels: Json): string =>
  digest(JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))))
