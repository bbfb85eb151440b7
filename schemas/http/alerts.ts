/**
 * Alerts and their signals. An alert is one episode of a signal key, from firing to its end.
 * Source: docs/design/specification.md#s2-4; docs/design/api/alerts-and-routing.md#s6-1, #s6-2.
 */
import { type Static, Type } from 'typebox'
import { MAX_ALERT_DESCRIPTION, MAX_ALERT_KEY, MAX_ALERT_LABEL_VALUE, MAX_ALERT_TITLE, MAX_INCIDENT_TITLE, MAX_URL } from '../limits.ts'
import { logList, pageOfLog } from './analytics.ts'
import { common, Id, Instant, LabelFilter, Labels, nullable, oneOf, Severity } from './common.ts'
import { Actor, dashboardStates, IncidentParams, Links, statuses } from './incidents.ts'

/** Reasons why an alert notifies nobody, in the order in which they are checked. */
export const suppressors = ['pause', 'maintenance', 'silence', 'rule'] as const
export type Suppressor = (typeof suppressors)[number]

export const AlertDetail = Type.Object({
  ...common,
  incident_id: nullable(Type.Unsafe<string>({ ...Id, description: 'Incident that the alert belongs to; null when it is not promoted.' })),
  status: oneOf(statuses),
  dashboard_state: oneOf(dashboardStates, { description: 'Derived by the same rules as the dashboard_state of an incident.' }),
  severity: Severity,
  title: Type.String(),
  description: nullable(Type.String()),
  source: Type.Object({
    kind: oneOf(['monitor', 'heartbeat', 'inbound', 'manual', 'mass_outage', 'unknown']),
    type: nullable(Type.String({ description: 'Source type of the integration, when kind is inbound.' })),
    id: nullable(Id),
    integration_id: nullable(Id)
  }),
  dedup_key: Type.String(),
  monitor_id: nullable(Id),
  heartbeat_id: nullable(Id),
  region: nullable(Type.String()),
  affected_regions: Type.Array(Type.String()),
  is_major: Type.Boolean(),
  visibility: oneOf(['org', 'private']),
  team_id: nullable(Id),
  escalation_policy_id: nullable(Id),
  routing_version: Type.Integer(),
  matched_rule_ids: Type.Array(Id, { description: 'Ids of the routing rules that matched, in their order.' }),
  suppressed_by: Type.Unsafe<{ kind: Suppressor; id: string } | null>({
    type: ['object', 'null'],
    description:
      'What keeps people from being notified now: a pause of its target, a maintenance window, a silence by a pattern, or a routing rule.',
    properties: { kind: { type: 'string', enum: [...suppressors] }, id: { type: 'string' } },
    required: ['kind', 'id']
  }),
  acknowledged_at: nullable(Instant),
  acknowledged_by: Actor,
  resolved_at: nullable(Instant),
  resolved_by: Actor,
  resolution: Type.Unsafe<{ reason: string } | null>({
    type: ['object', 'null'],
    properties: { reason: { type: 'string' } },
    required: ['reason']
  }),
  manually_closed_at: nullable(Instant),
  manually_closed_by: nullable(Id),
  promoted_at: nullable(Instant),
  priority: nullable(Type.String()),
  labels: Labels,
  links: Links,
  reopened_from: nullable(Id),
  started_at: Instant,
  detected_at: Instant,
  opened_at: Instant
})
export type AlertDetail = Static<typeof AlertDetail>

export const AlertDetailList = logList(AlertDetail)

export const AlertParams = Type.Object({ id: Id })

const several = <T extends Parameters<typeof Type.Array>[0]>(item: T) => Type.Optional(Type.Array(item, { maxItems: 100 }))

export const AlertQuery = Type.Object(
  {
    ...pageOfLog,
    status: several(oneOf(statuses)),
    severity: several(Severity),
    promoted: Type.Optional(Type.Boolean({ description: 'Whether the alert belongs to an incident.' })),
    suppressed: Type.Optional(Type.Boolean({ description: 'Whether a routing rule says to notify nobody.' })),
    source_kind: several(oneOf(['monitor', 'heartbeat', 'inbound'])),
    integration_id: several(Id),
    monitor_id: several(Id),
    heartbeat_id: several(Id),
    team_id: several(Id),
    incident_id: several(Id),
    dedup_key: several(Type.String({ minLength: 1, maxLength: 512 })),
    from: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'Start of the span of started_at, included.' })),
    to: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'End of the span of started_at, not included.' })),
    q: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Part of the title; upper and lower case are the same.' }))
  },
  {
    additionalProperties: false,
    description: 'Also takes label.<name>=<value>. Several values of one filter are joined with or, several filters with and.',
    patternProperties: {
      [LabelFilter]: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 20 }] }
    }
  }
)

/** Words that `status` accepts. The first one means firing; the last one has no effect. */
export const alertStatuses = ['firing', 'resolved', 'ok', 'up', 'closed', 'recovered', 'clear', 'acknowledged'] as const

const word = (maxLength: number, description?: string) =>
  Type.Optional(nullable(Type.String({ maxLength, ...(description !== undefined && { description }) })))

export const CreateAlertBody = Type.Object(
  {
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_ALERT_TITLE,
        pattern: '\\S',
        description: 'Required, except when the alert resolves and a dedup_key says what is resolved.'
      })
    ),
    severity: word(64, 'critical, warning or info; other words, P1 to P5 and Sev0 to Sev4 are mapped. Default: warning.'),
    status: Type.Optional(
      oneOf(alertStatuses, { description: 'Default: firing. acknowledged has no effect; all other values resolve the alert.' })
    ),
    dedup_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_ALERT_KEY,
        pattern: '\\S',
        description: 'The same for an alert, its repeats and its recovery. Default: made from title and source.'
      })
    ),
    description: word(MAX_ALERT_DESCRIPTION),
    source: word(MAX_ALERT_LABEL_VALUE, 'Becomes a label.'),
    component: word(MAX_ALERT_LABEL_VALUE, 'Becomes a label.'),
    environment: word(MAX_ALERT_LABEL_VALUE, 'Becomes a label.'),
    labels: Type.Optional(Labels),
    url: word(MAX_URL, 'An http or https address; becomes a link.'),
    occurred_at: Type.Optional(
      Type.Unsafe<string>({
        ...Instant,
        description: 'Decides the order of alerts when it is from 7 days before to 5 minutes after receipt. Default: the time of receipt.'
      })
    )
  },
  { additionalProperties: false }
)
export type CreateAlertBody = Static<typeof CreateAlertBody>

export const CreatedAlert = Type.Object({
  alert_id: nullable(
    Type.Unsafe<string>({
      ...Id,
      description:
        'Id of the ongoing alert of the key, else of the alert that this one opens; null when it resolves and nothing is ongoing.'
    })
  ),
  dedup_key: Type.String({ description: 'Deduplication key of the alert.' }),
  source_dedup_key: Type.String({ description: 'The dedup_key as it was sent, or as made from title and source.' }),
  action: oneOf(['fire', 'resolve', 'ignore']),
  status: oneOf(['accepted', 'ignored']),
  reason: nullable(Type.String({ description: 'Why the alert is ignored; null when it is accepted.' }))
})
export type CreatedAlert = Static<typeof CreatedAlert>

export const PromoteBody = Type.Object(
  {
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_INCIDENT_TITLE,
        pattern: '\\S',
        description: 'Title of the new incident; not allowed with incident_id.'
      })
    ),
    incident_id: Type.Optional(
      Type.Unsafe<string>({
        ...IncidentParams.properties.id,
        description: 'Id or key of an ongoing incident that the alert joins; when absent, a new incident opens.'
      })
    )
  },
  { additionalProperties: false }
)

export const AlertEventsQuery = Type.Object(pageOfLog, { additionalProperties: false })

/** A signal: one report of a sender about the alert's key. */
export const AlertEvent = Type.Object({
  id: Id,
  alert_id: Id,
  incident_id: nullable(Id),
  at: Type.Unsafe<string>({ ...Instant, description: 'When the service received it.' }),
  occurred_at: Type.Unsafe<string>({
    ...Instant,
    description: 'Time by the source, or the time of receipt when the time of the source is not plausible.'
  }),
  action: oneOf(['fire', 'resolve', 'note', 'update', 'unknown']),
  title: Type.String(),
  severity: Severity,
  source_severity: nullable(Type.String({ description: 'Severity in the sender’s own words.' })),
  source_dedup_key: nullable(Type.String({ description: 'The sender’s own key for the condition.' })),
  accepted_as: nullable(
    Type.Unsafe<'applied' | 'repeat' | 'older' | 'suppressed'>({
      type: 'string',
      enum: ['applied', 'repeat', 'older', 'suppressed'],
      description: 'Only an applied event can change an incident; null when not decided yet or no longer known.'
    })
  ),
  source_type: Type.String(),
  integration_id: Id,
  labels: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
  links: Links,
  caused: Type.Unsafe<{ ver: number; type: string } | null>({
    type: ['object', 'null'],
    description: 'The item that it added to the timeline of the incident, such as opened or recovered; null when it added none.',
    properties: { ver: { type: 'integer' }, type: { type: 'string' } },
    required: ['ver', 'type']
  })
})
export type AlertEvent = Static<typeof AlertEvent>

export const AlertEventList = logList(AlertEvent)
