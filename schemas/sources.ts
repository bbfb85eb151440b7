/**
 * What people are told about each source that an inbound integration may have: the doors, a sample, the severity table in words, when it resolves, and
 * what to paste into the sender. The parsers are services/intake/sources; a source stands here once its parser exists.
 * Source: specification.md 2.7, 4.2, 4.3; sheet of inbound sources.
 */

export type SourceType = 'alertmanager' | 'generic'

export const sourceTypes = ['alertmanager', 'generic'] as const satisfies readonly SourceType[]

export interface Instruction {
  title: string
  /** For highlighting: yaml, shell. */
  language: string
  text: string
}

export interface SourceText {
  source_type: SourceType
  name: string
  description: string
  doors: readonly string[]
  /** Words of the sender → our severity. */
  severity_map: Readonly<Record<string, 'critical' | 'warning' | 'info'>>
  resolves_when: string
  sample: unknown
  /** `publicUrl` without a slash at its end; `token` as issued, or a placeholder. */
  instructions(publicUrl: string, token: string): Instruction[]
}

/** Stands where a token was, when it cannot be shown again. */
export const TOKEN_PLACEHOLDER = '<token>'

const incoming = (publicUrl: string, token: string): string => `${publicUrl}/api/v1/webhooks/incoming/${token}`
const router = (publicUrl: string): string => `${publicUrl}/api/v1/webhook/alertmanager`

/** The address that holds the token. */
export const endpointUrl = incoming

/** The address without a credential: the source's own door where it has one. */
export const doorUrl = (source: SourceType, publicUrl: string): string =>
  source === 'alertmanager' ? router(publicUrl) : `${publicUrl}/api/v1/webhooks/incoming/`

const words = {
  critical: 'critical',
  fatal: 'critical',
  emergency: 'critical',
  page: 'critical',
  high: 'critical',
  error: 'critical',
  P1: 'critical',
  P2: 'critical',
  warning: 'warning',
  medium: 'warning',
  minor: 'warning',
  P3: 'warning',
  info: 'info',
  notice: 'info',
  low: 'info',
  none: 'info',
  P4: 'info',
  P5: 'info'
} as const

/** A value between single quotes for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const sources: Readonly<Record<SourceType, SourceText>> = {
  alertmanager: {
    source_type: 'alertmanager',
    name: 'Prometheus Alertmanager',
    description:
      'The webhook of Prometheus Alertmanager: many alerts a body, firing and resolved. Keep send_resolved on and max_alerts at 0.',
    doors: ['/api/v1/webhook/alertmanager', '/api/v1/webhook/prometheus', '/api/v1/webhooks/incoming/{integration_token}'],
    severity_map: words,
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
      - url: ${router(publicUrl)}
        send_resolved: true
        max_alerts: 0
        http_config:
          authorization:
            type: Bearer
            credentials: ${token}
`
      },
      {
        title: 'Try it',
        language: 'shell',
        text: `curl -sS ${quoted(router(publicUrl))} -H ${quoted(`Authorization: Bearer ${token}`)} -H 'Content-Type: application/json' \\
  -d '{"version":"4","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"Test","severity":"warning"},"annotations":{"summary":"A test alert"},"startsAt":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'"}]}'
`
      }
    ]
  },
  generic: {
    source_type: 'generic',
    name: 'Incoming webhook',
    description:
      'Anything that can POST: a title and a severity are enough. status "resolved" with the same dedup_key (or title) resolves.',
    doors: ['/api/v1/webhooks/incoming/{integration_token}'],
    severity_map: words,
    resolves_when: 'status is resolved, ok, up, closed, recovered or clear.',
    sample: { title: 'Disk full on db-7', severity: 'critical', status: 'firing', dedup_key: 'db-7/disk' },
    instructions: (publicUrl, token) => [
      {
        title: 'Open an incident',
        language: 'shell',
        text: `curl -sS ${quoted(incoming(publicUrl, token))} -H 'Content-Type: application/json' \\
  -d '{"title":"Disk full on db-7","severity":"critical","dedup_key":"db-7/disk"}'
`
      },
      {
        title: 'Resolve it',
        language: 'shell',
        text: `curl -sS ${quoted(incoming(publicUrl, token))} -H 'Content-Type: application/json' \\
  -d '{"title":"Disk full on db-7","status":"resolved","dedup_key":"db-7/disk"}'
`
      }
    ]
  }
}
