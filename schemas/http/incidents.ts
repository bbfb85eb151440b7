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
  MAX_SILENCE_MINUTES,
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

export const Actor = nullable(
  Type.String({ description: 'Who acted, as kind:id, for example user:<id>; the kinds are user, token, integration and system.' })
)
const ActorName = nullable(
  Type.String({
    description:
      'Name of the person, the token or the integration; null when it was nobody or the service, or when the person has left the workspace.'
  })
)
const Seconds = nullable(Type.Integer({ description: 'Seconds from started_at.' }))

const Tag = Type.String({ minLength: 1, maxLength: 64, pattern: tagPattern })
const IncidentTags = Type.Array(Tag, { maxItems: 20, description: 'Sorted, without duplicates.' })

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
    private: Type.Boolean({ description: 'True when only people who were invited can find the room.' }),
    url: nullable(Type.String()),
    error: nullable(Type.String({ description: 'What went wrong, in words for people.' }))
  },
  { description: 'The room of the incident at a chat service.' }
)
export type WarRoom = Static<typeof WarRoom>

export const OpenWarRoomBody = Type.Object(
  {
    channel_id: Type.Unsafe<string>({ ...Id, description: 'Id of a channel whose app opens rooms, such as a Slack channel.' }),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 80,
        description: 'Default: the key and title of the incident. The name is adapted to the chat service.'
      })
    )
  },
  { additionalProperties: false }
)
export type OpenWarRoomBody = Static<typeof OpenWarRoomBody>

const fields = {
  ...common,
  ver: Type.Integer({
    description: 'Version of the incident, the same as in realtime frames: between a frame and this answer, the higher version counts.'
  }),
  number: Type.Integer(),
  key: Type.String({ description: 'INC-<number>' }),
  status: oneOf(statuses),
  dashboard_state: oneOf(dashboardStates, { description: 'Derived from status, acknowledged_at and manually_closed_at.' }),
  severity: Severity,
  title: Type.String(),
  original_title: nullable(
    Type.String({
      description: 'The latest title that the source gave the incident, once a person has given it another; null before that.'
    })
  ),
  summary: nullable(Type.String()),
  source: Type.Object({
    kind: oneOf(['monitor', 'heartbeat', 'inbound', 'manual', 'mass_outage', 'unknown']),
    type: nullable(Type.String({ description: 'Source type of the integration, for kind inbound.' })),
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
      step: nullable(Type.Integer({ description: 'The step that is next.' })),
      cycle: nullable(Type.Integer()),
      next_at: nullable(Instant),
      hold_reason: nullable(oneOf(holdKinds))
    },
    { description: 'Progress of the escalation. Acknowledging pauses it.' }
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
  alert_count: Type.Integer({ description: 'Number of alerts that belong to the incident, including those that have ended.' }),
  ongoing_alerts: Type.Integer({ description: 'Number of these alerts that are ongoing.' }),
  matched_rule_ids: Type.Array(Id, { description: 'Ids of the routing rules that matched when the incident opened, in their order.' }),
  suppressed_by_rule_id: nullable(Type.Unsafe<string>({ ...Id, description: 'Id of the routing rule that says to notify nobody.' })),
  flapping: Type.Boolean({
    description: 'True when the monitor changes between up and down too often; the incident stays ongoing until that ends.'
  }),
  storm_until: nullable(
    Type.Unsafe<string>({
      ...Instant,
      description: 'End of the storm in which it opened; null when the storm has released it; kept when the incident ended before.'
    })
  ),
  held_by: Type.Array(
    Type.Object({
      kind: oneOf(holdKinds),
      id: Type.Unsafe<string>({
        ...Id,
        description:
          'Id of the paused target, the silence, the rule, the monitor that the incident depends on or the mass outage; the incident’s own id for its own silence, a storm and flapping.'
      }),
      until: nullable(Instant)
    }),
    { description: 'What keeps people from being notified now; the first entry is the one that counts.' }
  ),
  reopened_from: nullable(Id),
  merged_into: nullable(Type.Unsafe<string>({ ...Id, description: 'Id of the incident that took over its alerts.' })),
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
    needs_someone: Type.Integer({ description: 'Incidents that nobody has acknowledged and that no silence holds.' }),
    silenced: Type.Integer({
      description: 'Incidents that nobody has acknowledged and that a silence holds: their own, or one by a pattern.'
    }),
    acknowledged: Type.Integer()
  },
  { description: 'Counts of all ongoing incidents that the caller may see, whatever filters the list has.' }
)
export type IncidentCounts = Static<typeof IncidentCounts>

export const IncidentList = Type.Object({ ...list(IncidentDetail).properties, counts: Type.Optional(IncidentCounts) })

export const IncidentParams = Type.Object({
  id: Type.String({
    description: 'Id of the incident, or its key, such as INC-42.',
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
        description: '-severity: the worst first; within a severity, unacknowledged incidents first, then the oldest.'
      })
    ),
    format: Type.Optional(
      oneOf(['json', 'csv'], { default: 'json', description: `csv: every incident that fits, without pages; at most ${MAX_EXPORTED}.` })
    ),
    status: several(oneOf(statuses)),
    dashboard_state: several(oneOf(dashboardStates)),
    severity: several(Severity),
    acknowledged: Type.Optional(Type.Boolean()),
    silenced: Type.Optional(Type.Boolean({ description: 'Whether a silence holds the incident now: its own, or one by a pattern.' })),
    is_major: Type.Optional(Type.Boolean()),
    integration_id: several(Id),
    monitor_id: several(Id),
    heartbeat_id: several(Id),
    team_id: several(Id),
    assignee_id: several(Id),
    assigned: Type.Optional(Type.Boolean({ description: 'Whether the incident is assigned to somebody.' })),
    mine: Type.Optional(
      Type.Boolean({
        description: 'Incidents assigned to the caller, or acknowledged by the caller and assigned to nobody. A token stands for its owner.'
      })
    ),
    source_kind: several(oneOf(['monitor', 'heartbeat', 'inbound', 'manual', 'mass_outage'])),
    tag: several(Tag),
    from: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'Earliest started_at, included.' })),
    to: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'End of the range of started_at, not included.' })),
    q: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Part of the title; case is ignored.' })),
    include: Type.Optional(
      Type.Array(oneOf(['counts']), { maxItems: 1, description: 'counts: adds how many incidents are ongoing, and how many need someone.' })
    )
  },
  {
    additionalProperties: false,
    description: 'Labels are filtered by label.<name>=<value>. Several values of one filter mean or; several filters mean and.',
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
        description:
          'When true and the signal still fails, nothing new opens until it has recovered, its source says that it is worse, or the workspace’s reopen time has passed.'
      })
    )
  },
  action
)

const Minutes = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SILENCE_MINUTES }))

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
    on_behalf_of: Type.Optional(
      Type.Unsafe<string>({ ...Id, description: 'When a token closes the incident: id of the person who closes it; required then.' })
    )
  },
  action
)

export const AssignBody = Type.Object(
  {
    user_id: Type.Optional(
      Type.Unsafe<string | null>({ ...nullable(Id), description: 'Id of a member of the workspace; null to assign nobody.' })
    ),
    schedule_id: Type.Optional(
      Type.Unsafe<string | null>({
        ...nullable(Id),
        description: 'In place of user_id: assigns the person who is on call in this schedule now.'
      })
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
      Type.Unsafe<string | null>({
        ...nullable(Id),
        description: 'Default: the policy of the team, otherwise of the workspace; null for no policy.'
      })
    ),
    dedup_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_ALERT_KEY,
        description: 'When an ongoing incident of the team has the same key, that incident is answered with 200.'
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
      description: 'Id or key of the incident that takes over the alerts.'
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
    ids: Type.Array(IncidentParams.properties.id, { minItems: 1, maxItems: MAX_BULK, description: 'Ids or keys of the incidents.' }),
    action: oneOf(bulkActions, { description: 'The other fields of the body are those of this action.' }),
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
  changed: Type.Array(Id, { description: 'Ids of the incidents that are now as requested, including those that already were.' }),
  failed: Type.Array(
    Type.Object({ id: Type.String({ description: 'Id or key, as it was sent.' }), code: Type.String(), error: Type.String() })
  )
})

/** At least one character must not be white space. */
const Markdown = { minLength: 1, maxLength: MAX_COMMENT, pattern: '\\S', description: 'Text in Markdown' }

export const CommentBody = Type.Object({ body: Type.String(Markdown) }, { additionalProperties: false })

export const Comment = Type.Object({
  id: Id,
  tenant_id: Id,
  incident_id: Id,
  ver: Type.Integer({ description: 'Version of the incident that the comment created.' }),
  body: Type.String(Markdown),
  author: Type.String({ description: 'Who wrote the comment, as kind:id, for example user:<id> or token:<id>.' }),
  author_id: Type.Unsafe<string>({ ...Id, description: 'Id of the person, or of the owner of the token.' }),
  author_name: nullable(Type.String({ description: 'Name of the author; null when the person has left the workspace.' })),
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
    cursor: Type.Optional(Type.String({ pattern: '^t[0-9a-z]{1,12}$', description: 'next_cursor of the previous page.' })),
    per_page: paging.per_page
  },
  { additionalProperties: false }
)

export const TimelineItem = Type.Object({
  id: Id,
  ver: Type.Integer(),
  at: Instant,
  type: Type.String({ description: 'What happened: opened, acknowledged, silenced, recovered, resolved, closed, …' }),
  actor: Type.String({ description: 'Who acted, as kind:id.' }),
  actor_name: ActorName,
  via: nullable(
    Type.String({ description: 'How a person or a token acted: ui, api, cli, mcp, chat, mail, sms or voice; null when none of them did.' })
  ),
  app: nullable(Type.String({ description: 'For via chat: slack, discord or telegram.' })),
  data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  config_versions: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Versions of the configuration that decided, by kind, such as monitor.'
  })
})

export const Timeline = Type.Object({ ...list(TimelineItem).properties, next_cursor: nullable(Type.String()) })
