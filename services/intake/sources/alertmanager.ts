/**
 * Prometheus Alertmanager, webhook version 4: one request is one group that mixes firing and
 * resolved alerts. The fingerprint of an alert is a hash of all its labels. Hand-made payloads and
 * very old senders have none.
 *
 * Source: docs/design/inbound-sources.md#s2-1 and #s3. Samples: test/fixtures/sources/alertmanager/
 */
import type { Link } from '../../../schemas/generated/events.ts'
import { alertsOf, digestOfLabels, occurrenceOf, statusOf } from '../alerts-form.ts'
import { link, linksOf, object, optionalText } from '../readers.ts'
import type { Json, SequencedEvent, Source } from '../source.ts'
import { quoted, usualWords } from '../source-text.ts'

/** Prometheus adds /api/v2/alerts to the prefix. */
function prometheusYml(publicUrl: string, token: string): string {
  const { protocol, host, pathname } = new URL(publicUrl)
  return `alerting:
  alertmanagers:
    - scheme: ${protocol.slice(0, -1)}
      path_prefix: ${pathname === '/' ? '' : pathname}/api/v1/prometheus
      authorization:
        credentials: ${token}
      static_configs:
        - targets: ['${host}']
`
}

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
      '/api/v1/prometheus/api/v2/alerts',
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
        title: 'prometheus.yml, without Alertmanager: alerts are repeated each minute, and count each time',
        language: 'yaml',
        text: prometheusYml(publicUrl, token)
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
  sequence: 'occurrence',
  parse({ body, received_at, warn }) {
    const group = Array.isArray(body) ? {} : (body as Json)
    const alerts = alertsOf(group, 'expected the alerts of Alertmanager’s own webhook body: remove `payload` from webhook_configs', warn)
    const external = link('Alertmanager', group.externalURL)
    return alerts.map((alert, index) => toEvent(alert, `alerts[${index}]`, received_at, external))
  }
}

const none: Json = {}

function toEvent(value: unknown, path: string, received_at: number, external: Link | null): SequencedEvent {
  const alert = object(value, path)
  const status = statusOf(alert, path)
  const labels = object(alert.labels, `${path}.labels`)
  const annotations =
    alert.annotations === undefined || alert.annotations === null ? none : object(alert.annotations, `${path}.annotations`)
  return {
    action: status === 'firing' ? 'fire' : 'resolve',
    reason: null,
    dedup_key: optionalText(alert.fingerprint) ?? digestOfLabels(labels),
    title: optionalText(annotations.summary) ?? optionalText(annotations.title) ?? named(labels),
    description: optionalText(annotations.description) ?? optionalText(annotations.message),
    ...occurrenceOf(alert, status, labels, received_at),
    delivery_id: null,
    labels,
    links: linksOf(
      link('Source', alert.generatorURL),
      link('Runbook', annotations.runbook_url),
      link('Dashboard', annotations.dashboard_url),
      external
    )
  }
}

function named(labels: Json): string {
  const name = optionalText(labels.alertname) ?? 'Alert without a name'
  const instance = optionalText(labels.instance)
  return instance === null ? name : `${name} on ${instance}`
}
