/**
 * Incidents: the answers, the queries and the actions.
 * Source: docs/design/specification.md#s2-4 and #s3-1; docs/design/api/incidents.md#s5.
 */
import { type Static, Type } from 'typebox'
import {
  MAX_ALERT_KEY,
  MAX_COMMENT,
  MAX_INCIDENT_LINKS,
  MAX_INCIDENT_NOTE,
  MAX_INCIDENT_TITLE,
  MAX_SILENCE_REASON,
  MAX_URL
} from '../limits.ts'
import { common, Description, Id, Instant, LabelFilter, Labels, list, Name, nullable, oneOf, paging, Severity } from './common.ts'
import { escalationStates } from './escalation-words.ts'
import { httpUrlPattern, incidentPattern, tagPattern } from './patterns.ts'

/** Priorities as paging services name them; P1 is the most urgent. */
export const priorities = ['P1', 'P2', 'P3', 'P4', 'P5'] as const

export const statuses = ['ongoing', 'resolved'] as const
export const dashboardStates = ['Triggered', 'Acknowledged', 'Resolved', 'Closed'] as const

export const Actor = nullable(Type.String({ description: 'kind:id, for example user:<id>; kinds user, token, integration, system.' }))
const ActorName = nullable(
  Type.String({ description: 'Of the person, the token or the integration; null: nobody, the service, or whoever left the workspace.' })
)
const Seconds = nullable(Type.Integer({ description: 'From started_at.' }))

const Tag = Type.String({ minLength: 1, maxLength: 64, pattern: tagPattern })
const IncidentTags = Type.Array(Tag, { maxItems: 20, description: 'Sorted, without repeats.' })

export const Links = Type.Array(Type.Object({ title: Type.String(), url: Type.String() }))

/** Reasons why an incident notifies nobody, in the order in which they are checked. */
export const holdKinds = [
  'entitlement_pause',
  'pause',
  'maintenance',
  'silence',
  'matcher_silence',
  'dependency',
  'mass_outage',
  'storm',
  'rule',
  'flap'
] as const
export type HoldKind = (typeof holdKinds)[number]

export const warRoomStates = ['opening', 'open', 'failed'] as const

/** The incident's room at a chat service. */
export const WarRoom = Type.Object(
  {
    channel_id: Id,
    state: oneOf(warRoomStates),
    name: Type.String(),
    private: Type.Boolean({ description: 'Nobody finds it who was not invited.' }),
    url: nullable(Type.String()),
    error: nullable(Type.String({ description: 'What went wrong, for people.' }))
  },
  { description: 'Its room at a chat service.' }
)
export type WarRoom = Static<typeof WarRoom>

export const OpenWarRoomBody = Type.Object(
  {
    channel_id: Type.Unsafe<string>({ ...Id, description: 'A channel of an app that opens rooms, as that of Slack.' }),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 80, description: 'By default its key and title; made fit for the chat service.' })
    )
  },
  { additionalProperties: false }
)
export type OpenWarRoomBody = Static<typeof OpenWarRoomBody>

const fields = {
  ...common,
  ver: Type.Integer({ description: 'The version, as frames have it: of a frame and this the higher one counts.' }),
  number: Type.Integer(),
  key: Type.String({ description: 'INC-<number>' }),
  status: oneOf(statuses),
  dashboard_state: oneOf(dashboardStates, { description: 'Derived from status, acknowledged_at and manually_closed_at.' }),
  severity: Severity,
  title: Type.String(),
  original_title: nullable(Type.String({ description: 'Title that it opened with; null while it has that.' })),
  summary: nullable(Type.String()),
  source: Type.Object({
    kind: oneOf(['monitor', 'heartbeat', 'inbound', 'manual', 'mass_outage', 'unknown']),
    type: nullable(Type.String({ description: 'Source type of the integration, for inbound.' })),
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
  routing_version: Type.Integer(),
  team_id: nullable(Id),
  escalation_policy_id: nullable(Id),
  escalation: Type.Object(
    {
      state: oneOf(escalationStates),
      step: nullable(Type.Integer({ description: 'The one that is next.' })),
      cycle: nullable(Type.Integer()),
      next_at: nullable(Instant),
      hold_reason: nullable(oneOf(holdKinds))
    },
    { description: 'How far the escalation is. Acknowledging pauses it.' }
  ),
  assignee_id: nullable(Id),
  acknowledged_at: nullable(Instant),
  acknowledged_by: Actor,
  acknowledged_by_name: ActorName,
  acknowledgement_comment: nullable(Type.String()),
  resolved_at: nullable(Instant),
  resolved_by: Actor,
  resolved_by_name: ActorName,
  resolution: Type.Unsafe<{ reason: string; note: string | null } | null>({
    type: ['object', 'null'],
    properties: { reason: { type: 'string' }, note: { type: ['string', 'null'] } },
    required: ['reason', 'note']
  }),
  manually_closed_at: nullable(Instant),
  manually_closed_by: nullable(Id),
  promoted_at: nullable(Instant),
  silenced_until: nullable(Instant),
  silenced_by: Actor,
  silenced_by_name: ActorName,
  priority: nullable(Type.String()),
  labels: Labels,
  links: Links,
  tags: IncidentTags,
  alert_count: Type.Integer({ description: 'Alerts that belong to it, ended ones too.' }),
  ongoing_alerts: Type.Integer({ description: 'How many of them go on.' }),
  matched_rule_ids: Type.Array(Id, { description: 'Routing rules that matched when it opened, in their order.' }),
  suppressed_by_rule_id: nullable(Type.Unsafe<string>({ ...Id, description: 'Rule that says to tell nobody.' })),
  flapping: Type.Boolean({ description: 'Its monitor changes between up and down too often; it goes on until that ends.' }),
  storm_until: nullable(
    Type.Unsafe<string>({ ...Instant, description: 'End of the storm in which it opened; null once that has passed.' })
  ),
  held_by: Type.Array(
    Type.Object({
      kind: oneOf(holdKinds),
      id: Type.Unsafe<string>({
        ...Id,
        description:
          'Of the paused target, the silence, the rule, the monitor that it depends on or the mass outage; of the incident for its own silence, a storm and flapping.'
      }),
      until: nullable(Instant)
    }),
    { description: 'What keeps people from being told now; the first is the one that counts.' }
  ),
  reopened_from: nullable(Id),
  merged_into: nullable(Type.Unsafe<string>({ ...Id, description: 'The incident that took its alerts over.' })),
  war_room: nullable(WarRoom),
  started_at: Instant,
  detected_at: Instant,
  opened_at: Instant,
  duration_seconds: Seconds,
  time_to_ack_seconds: Seconds,
  time_to_resolve_seconds: Seconds,
  last_change: Type.Object({ at: Instant, actor_kind: Type.String(), actor_id: Type.String(), request_id: nullable(Type.String()) })
}

export const IncidentDetail = Type.Object(fields)
export type IncidentDetail = Static<typeof IncidentDetail>

export const IncidentCounts = Type.Object(
  {
    ongoing: Type.Integer(),
    needs_someone: Type.Integer({ description: 'Not acknowledged, and held by no silence.' }),
    silenced: Type.Integer({ description: 'Not acknowledged, and held by a silence: their own, or one by a pattern.' }),
    acknowledged: Type.Integer()
  },
  { description: 'Of all ongoing incidents that the caller sees, whatever the list is narrowed to.' }
)
export type IncidentCounts = Static<typeof IncidentCounts>

export const IncidentList = Type.Object({ ...list(IncidentDetail).properties, counts: Type.Optional(IncidentCounts) })

export const IncidentParams = Type.Object({
  id: Type.String({
    description: 'Id, or key such as INC-42.',
    pattern: incidentPattern
  })
})

/** Most lines of a list that is exported as CSV. */
export const MAX_EXPORTED = 5_000

const several = <T extends Parameters<typeof Type.Array>[0]>(item: T) => Type.Optional(Type.Array(item, { maxItems: 100 }))

export const IncidentQuery = Type.Object(
  {
    ...paging,
    sort: Type.Optional(
      oneOf(['-started_at', 'started_at', '-number', 'number', '-severity'], {
        default: '-started_at',
        description: '-severity: the worst first; among these what nobody has acknowledged, then what began first.'
      })
    ),
    format: Type.Optional(
      oneOf(['json', 'csv'], { default: 'json', description: `csv: every incident that fits, without pages; at most ${MAX_EXPORTED}.` })
    ),
    status: several(oneOf(statuses)),
    dashboard_state: several(oneOf(dashboardStates)),
    severity: several(Severity),
    acknowledged: Type.Optional(Type.Boolean()),
    silenced: Type.Optional(Type.Boolean({ description: 'Held by a silence now: its own, or one by a pattern.' })),
    is_major: Type.Optional(Type.Boolean()),
    integration_id: several(Id),
    monitor_id: several(Id),
    heartbeat_id: several(Id),
    team_id: several(Id),
    assignee_id: several(Id),
    assigned: Type.Optional(Type.Boolean({ description: 'Whether somebody has it assigned.' })),
    mine: Type.Optional(
      Type.Boolean({ description: 'Assigned to whoever asks; or acknowledged by them, and assigned to nobody. With a token: its owner.' })
    ),
    source_kind: several(oneOf(['monitor', 'heartbeat', 'inbound', 'manual', 'mass_outage'])),
    tag: several(Tag),
    from: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'On started_at; part of the span.' })),
    to: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'On started_at; not part of the span.' })),
    q: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Part of the title, in any case.' })),
    include: Type.Optional(
      Type.Array(oneOf(['counts']), { maxItems: 1, description: 'counts: how many are ongoing, and how many need someone.' })
    )
  },
  {
    additionalProperties: false,
    description: 'Also label.<name>=<value>. Several values of a filter mean or, several filters mean and.',
    patternProperties: {
      [LabelFilter]: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 20 }] }
    }
  }
)

const text = (maxLength: number) => Type.Optional(nullable(Type.String({ maxLength })))

// Actions ignore unknown fields, so that an acknowledgement never fails because of an extra field.
const action = { additionalProperties: true }

export const AcknowledgeBody = Type.Object({ comment: text(MAX_INCIDENT_NOTE) }, action)

export const ResolveBody = Type.Object(
  {
    note: text(MAX_INCIDENT_NOTE),
    until_recovered: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'While it still fails, nothing new opens until a recovery or the workspace’s reopen time.'
      })
    )
  },
  action
)

const Minutes = Type.Optional(Type.Integer({ minimum: 1, maximum: 10_080 }))

export const SilenceBody = Type.Object(
  {
    duration_minutes: Minutes,
    minutes: Type.Optional(Type.Unsafe<number>({ ...Minutes, description: 'The same as duration_minutes.' })),
    duration: Type.Optional(Type.Unsafe<number>({ ...Minutes, description: 'The same as duration_minutes.' })),
    reason: text(MAX_SILENCE_REASON)
  },
  action
)

export const CloseBody = Type.Object(
  {
    note: text(MAX_INCIDENT_NOTE),
    on_behalf_of: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'With a token: the person who closes it.' }))
  },
  action
)

export const AssignBody = Type.Object(
  {
    user_id: Type.Optional(Type.Unsafe<string | null>({ ...nullable(Id), description: 'A member of the workspace; null: nobody.' })),
    schedule_id: Type.Optional(
      Type.Unsafe<string | null>({ ...nullable(Id), description: 'In place of user_id: who is on call there now.' })
    )
  },
  action
)

export const DeclareBody = Type.Object(
  {
    title: Type.String({ ...Name, maxLength: MAX_INCIDENT_TITLE }),
    severity: Severity,
    summary: Type.Optional(nullable(Description)),
    labels: Type.Optional(Labels),
    is_major: Type.Optional(Type.Boolean({ default: false })),
    assignee_id: Type.Optional(nullable(Id)),
    team_id: Type.Optional(nullable(Id)),
    escalation_policy_id: Type.Optional(
      Type.Unsafe<string | null>({ ...nullable(Id), description: 'Default: that of the team, else of the workspace; null: none.' })
    ),
    dedup_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_ALERT_KEY,
        description: 'While an incident with the same one is ongoing, it is answered with 200.'
      })
    )
  },
  { additionalProperties: false }
)

export const UnacknowledgeBody = Type.Object({ reason: text(MAX_INCIDENT_NOTE) }, action)

const Link = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: MAX_INCIDENT_TITLE }),
    url: Type.String({ minLength: 1, maxLength: MAX_URL, pattern: httpUrlPattern })
  },
  { additionalProperties: false }
)

export const EditIncidentBody = Type.Object(
  {
    title: Type.Optional(Type.String({ ...Name, maxLength: MAX_INCIDENT_TITLE })),
    summary: Type.Optional(nullable(Description)),
    severity: Type.Optional(Severity),
    priority: Type.Optional(nullable(oneOf(priorities))),
    is_major: Type.Optional(Type.Boolean()),
    labels: Type.Optional(Labels),
    links: Type.Optional(Type.Array(Link, { maxItems: MAX_INCIDENT_LINKS })),
    tags: Type.Optional(IncidentTags),
    team_id: Type.Optional(nullable(Id))
  },
  { additionalProperties: false }
)

export const MergeBody = Type.Object(
  {
    into_id: Type.Unsafe<string>({
      ...IncidentParams.properties.id,
      description: 'Id or key of the incident that takes the alerts over.'
    })
  },
  action
)

/** Actions that one request can apply to many incidents. */
export const bulkActions = ['acknowledge', 'unacknowledge', 'resolve', 'close', 'silence', 'unsilence', 'assign'] as const
export const MAX_BULK = 200

const { user_id, schedule_id } = AssignBody.properties

export const BulkBody = Type.Object(
  {
    ids: Type.Array(IncidentParams.properties.id, { minItems: 1, maxItems: MAX_BULK, description: 'Ids or keys.' }),
    action: oneOf(bulkActions, { description: 'The other fields are those of the action.' }),
    ...AcknowledgeBody.properties,
    ...ResolveBody.properties,
    ...CloseBody.properties,
    ...SilenceBody.properties,
    user_id: Type.Optional(user_id),
    schedule_id: Type.Optional(schedule_id)
  },
  action
)

export const BulkAnswer = Type.Object({
  changed: Type.Array(Id, { description: 'Incidents that are as asked now, also those that were so before.' }),
  failed: Type.Array(Type.Object({ id: Type.String({ description: 'As it was sent.' }), code: Type.String(), error: Type.String() }))
})

/** At least one character must not be white space. */
const Markdown = { minLength: 1, maxLength: MAX_COMMENT, pattern: '\\S', description: 'Markdown' }

export const CommentBody = Type.Object({ body: Type.String(Markdown) }, { additionalProperties: false })

export const Comment = Type.Object({
  id: Id,
  tenant_id: Id,
  incident_id: Id,
  ver: Type.Integer({ description: 'Version of the incident that the comment made.' }),
  body: Type.String(Markdown),
  author: Type.String({ description: 'kind:id, for example user:<id> or token:<id>.' }),
  author_id: Type.Unsafe<string>({ ...Id, description: 'The person, or the owner of the token.' }),
  author_name: nullable(Type.String({ description: 'Null once the person has left the workspace.' })),
  created_at: Instant,
  updated_at: Instant
})
export type Comment = Static<typeof Comment>

export const CommentList = Type.Object({ ...list(Comment).properties, next_cursor: nullable(Type.String()) })

export const CommentParams = Type.Object({ ...IncidentParams.properties, cid: Id })

/**
 * Paging of lists in the order of the incident's versions (timeline, comments). The page begins
 * after the version in the cursor.
 */
export const VersionQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ pattern: '^t[0-9a-z]{1,12}$', description: 'next_cursor of the page before.' })),
    per_page: paging.per_page
  },
  { additionalProperties: false }
)

export const TimelineItem = Type.Object({
  id: Id,
  ver: Type.Integer(),
  at: Instant,
  type: Type.String({ description: 'opened, acknowledged, silenced, recovered, resolved, closed, …' }),
  actor: Type.String({ description: 'kind:id' }),
  actor_name: ActorName,
  via: nullable(
    Type.String({ description: 'How a person or a token acted: ui, api, cli, mcp, chat, mail, sms or voice. Null: nobody did.' })
  ),
  app: nullable(Type.String({ description: 'Of chat: slack, discord or telegram.' })),
  data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  config_versions: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Versions of the configuration that decided, by kind, such as monitor.'
  })
})

export const Timeline = Type.Object({ ...list(TimelineItem).properties, next_cursor: nullable(Type.String()) })
