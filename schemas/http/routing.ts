/** Routing rules. Source: docs/design/api/alerts-and-routing.md#s6-3. */
import { type Static, Type } from 'typebox'
import {
  MAX_ALERT_DESCRIPTION,
  MAX_GROUP_ALERTS,
  MAX_INCIDENT_LABEL_VALUE,
  MAX_INCIDENT_REGION,
  MAX_INCIDENT_REGIONS,
  MAX_INCIDENT_SOURCE_TYPE,
  MAX_INCIDENT_TITLE
} from '../limits.ts'
import { common, Id, Instant, LabelName, Labels, list, Name, nullable, oneOf, paging, Severity, ZoneName } from './common.ts'
import {
  type ConditionValue,
  conditionGroups,
  conditionOps,
  MAX_CONDITION_LIST,
  MAX_CONDITION_TEXT,
  MAX_CONDITIONS,
  MAX_GROUP_FIELDS,
  MAX_RULE_CHANNELS,
  MAX_RULE_DESCRIPTION,
  priorities,
  promotions,
  ruleModes,
  weekdays
} from './routing-words.ts'
import { teamVisibilities } from './visibility.ts'

const closed = { additionalProperties: false } as const

const Time = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'Time of day as HH:MM.' })
const window = {
  time_zone: ZoneName,
  days: Type.Array(oneOf(weekdays), { maxItems: 7, description: 'Days on which the window begins; when empty, every day.' }),
  from: Time,
  to: Type.Unsafe<string>({ ...Time, description: 'When it is not later than `from`, the window ends on the next day.' })
}
export const TimeWindow = Type.Object(window, closed)

export const Condition = Type.Object(
  {
    field: Type.String({ minLength: 1, maxLength: 140, description: 'Field to compare, such as severity or label.<name>.' }),
    op: oneOf(conditionOps),
    value: Type.Optional(
      Type.Unsafe<ConditionValue>({
        type: ['string', 'number', 'array', 'object'],
        maxLength: MAX_CONDITION_TEXT,
        items: { type: ['string', 'number'], maxLength: MAX_CONDITION_TEXT },
        maxItems: MAX_CONDITION_LIST,
        properties: window,
        additionalProperties: false,
        description: 'A list for in and not_in, a time window for in_window, no value for exists and empty.'
      })
    )
  },
  closed
)
const Conditions = Type.Array(Condition, { maxItems: MAX_CONDITIONS })
const [all, any, none] = conditionGroups
const Match = Type.Object(
  { [all]: Type.Optional(Conditions), [any]: Type.Optional(Conditions), [none]: Type.Optional(Conditions) },
  {
    ...closed,
    description: 'All conditions in `all`, at least one in `any` and none in `none` must hold. When empty, every alert matches.'
  }
)

const Group = Type.Object(
  {
    by: Type.Array(Type.String({ minLength: 1, maxLength: 140 }), { minItems: 1, maxItems: MAX_GROUP_FIELDS }),
    window_seconds: Type.Integer({ minimum: 30, maximum: 86_400 }),
    max_alerts: Type.Integer({ minimum: 1, maximum: MAX_GROUP_ALERTS })
  },
  closed
)

const Actions = Type.Object(
  {
    team_id: Type.Optional(nullable(Id)),
    escalation_policy_id: Type.Optional(
      Type.Unsafe<string | null>({ ...nullable(Id), description: 'null when no policy notifies anybody.' })
    ),
    channel_ids: Type.Optional(
      Type.Array(Id, {
        maxItems: MAX_RULE_CHANNELS,
        uniqueItems: true,
        description: 'Channels to notify in place of the default ones; when empty, no channel is notified.'
      })
    ),
    severity: Type.Optional(Severity),
    priority: Type.Optional(oneOf(priorities)),
    labels_add: Type.Optional(Labels),
    is_major: Type.Optional(Type.Boolean()),
    promote: Type.Optional(oneOf(promotions)),
    suppress: Type.Optional(Type.Boolean()),
    group: Type.Optional(nullable(Group)),
    notify_resolved: Type.Optional(Type.Boolean()),
    auto_resolve_minutes: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 43_200 })))
  },
  { ...closed, description: 'What an action would change stays as it is when the action is not set.' }
)

const settings = {
  description: Type.Optional(Type.String({ maxLength: MAX_RULE_DESCRIPTION })),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  mode: Type.Optional(oneOf(ruleModes, { default: 'live', description: 'shadow: the rule is evaluated and reported, but never acts.' })),
  match: Type.Optional(Match),
  time_window: Type.Optional(nullable(TimeWindow)),
  actions: Type.Optional(Actions),
  continue: Type.Optional(Type.Boolean({ default: false })),
  expires_at: Type.Optional(nullable(Instant))
}
const Position = Type.Integer({
  minimum: 0,
  maximum: 100_000,
  description: 'Place among the rules that are listed, counted from 0. A place beyond the last one puts the rule last.'
})

/** A rule that is not saved, as RT-7 tries it. */
export const Draft = Type.Object({ id: Type.Optional(Id), name: Type.Optional(Name), ...settings }, closed)
export type RuleSettings = Static<typeof Draft>

export const CreateRuleBody = Type.Object({ name: Name, ...settings, position: Type.Optional(Position) }, closed)
export type CreateRuleBody = Static<typeof CreateRuleBody>
export const UpdateRuleBody = Type.Object({ name: Type.Optional(Name), ...settings, position: Type.Optional(Position) }, closed)
export type UpdateRuleBody = Static<typeof UpdateRuleBody>

/** Problems of a rule that do not prevent saving it. */
export const warningCodes = ['never_matches', 'expired', 'shadows_all', 'unknown_reference', 'unreadable'] as const
export type WarningCode = (typeof warningCodes)[number]

export const Warning = Type.Object({
  code: oneOf(warningCodes),
  path: nullable(Type.String({ description: 'Path of the field in the rule or silence; null when the warning is about the whole.' })),
  message: Type.String()
})
export type Warning = Static<typeof Warning>

export const RuleDetail = Type.Object({
  ...common,
  name: Type.String(),
  description: Type.String(),
  enabled: Type.Boolean(),
  position: Type.Integer(),
  mode: oneOf(ruleModes),
  match: Type.Object({ [all]: Type.Array(Condition), [any]: Type.Array(Condition), [none]: Type.Array(Condition) }),
  time_window: nullable(TimeWindow),
  actions: Actions,
  continue: Type.Boolean(),
  expires_at: nullable(Instant),
  is_default: Type.Boolean({ description: 'true for the default rule, which is last, always matches and cannot be changed.' }),
  warnings: Type.Array(Warning)
})
export type RuleDetail = Static<typeof RuleDetail>

export const RuleList = Type.Object({
  items: Type.Array(RuleDetail, { description: 'Rules in the order of evaluation; the default rule is last.' }),
  total: Type.Integer(),
  version: Type.Integer({ description: 'Version of the whole set of rules; 1 when nobody has made a rule yet.' })
})
export type RuleList = Static<typeof RuleList>

export const OrderBody = Type.Object({ ids: Type.Array(Id, { maxItems: 10_000 }) }, closed)
export const RollbackBody = Type.Object({ version: Type.Integer({ minimum: 1 }) }, closed)

export const RuleVersionsQuery = Type.Object(paging, closed)
export const RuleVersionList = list(
  Type.Object({
    version: Type.Integer(),
    engine_version: Type.Integer({ description: 'Version of the meaning of conditions and actions.' }),
    created_at: Instant,
    created_by: Type.String({ description: 'Who made this version, as kind:id, for example user:<id>.' }),
    note: Type.String()
  })
)

const Sample = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: MAX_INCIDENT_TITLE }),
    severity: Type.Optional(Type.Unsafe<Static<typeof Severity>>({ ...Severity, default: 'warning' })),
    description: Type.Optional(nullable(Type.String({ maxLength: MAX_ALERT_DESCRIPTION }))),
    labels: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        propertyNames: { type: 'string', pattern: LabelName },
        additionalProperties: { type: 'string', maxLength: MAX_INCIDENT_LABEL_VALUE },
        maxProperties: 64
      })
    ),
    source_kind: Type.Optional(oneOf(['monitor', 'heartbeat', 'inbound', 'manual'], { default: 'inbound' })),
    source_type: Type.Optional(nullable(Type.String({ maxLength: MAX_INCIDENT_SOURCE_TYPE }))),
    integration_id: Type.Optional(nullable(Id)),
    monitor_id: Type.Optional(nullable(Id)),
    heartbeat_id: Type.Optional(nullable(Id)),
    region: Type.Optional(nullable(Type.String({ maxLength: MAX_INCIDENT_REGION }))),
    affected_regions: Type.Optional(Type.Array(Type.String({ maxLength: MAX_INCIDENT_REGION }), { maxItems: MAX_INCIDENT_REGIONS })),
    priority: Type.Optional(nullable(oneOf(priorities))),
    team_id: Type.Optional(nullable(Id)),
    visibility: Type.Optional(oneOf(teamVisibilities, { default: 'org' }))
  },
  closed
)
export type Sample = Static<typeof Sample>

export const TestRulesBody = Type.Object(
  {
    alert: Sample,
    at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'When the alert arrives; default: now.' })),
    rules: Type.Optional(Type.Array(Draft, { maxItems: 5000, description: 'Rules to try in place of the saved ones.' }))
  },
  closed
)
export type TestRulesBody = Static<typeof TestRulesBody>

export const Outcome = Type.Object({
  team_id: nullable(Id),
  escalation_policy_id: nullable(Id),
  policy_by: nullable(oneOf(['rule', 'signal', 'team', 'workspace'], { description: 'Where the escalation policy comes from.' })),
  channel_ids: Type.Optional(nullable(Type.Array(Id, { description: 'null when the default channels are notified.' }))),
  visibility: oneOf(teamVisibilities),
  severity: Severity,
  severity_by_rule: Type.Boolean(),
  priority: nullable(Type.String()),
  labels: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
  is_major: Type.Boolean(),
  promote: Type.Boolean(),
  suppressed_by: nullable(Id),
  group: nullable(
    Type.Object({ rule_id: nullable(Id), values: Type.Array(Type.String()), window_seconds: Type.Integer(), max_alerts: Type.Integer() })
  ),
  auto_resolve_minutes: nullable(Type.Integer()),
  notify_resolved: Type.Boolean(),
  delay_seconds: Type.Integer()
})
export type Outcome = Static<typeof Outcome>

/** The outcome of each rule, in the order of the rules. */
export const RuleTrace = Type.Array(
  Type.Object({
    rule_id: Id,
    name: Type.String(),
    mode: oneOf(ruleModes),
    outcome: oneOf(['matched', 'not_matched', 'skipped']),
    reason: nullable(oneOf(['disabled', 'expired', 'outside_time_window', 'after_stop', 'unreadable'])),
    conditions: Type.Array(
      Type.Object({
        group: oneOf(conditionGroups),
        index: Type.Integer(),
        field: Type.String(),
        op: Type.String(),
        seen: nullable(
          Type.String({ description: 'Value that the alert has in this field, cut to 256 characters; null when it has none.' })
        )
      }),
      { description: 'Conditions that kept the rule from matching.' }
    ),
    team_kept: Type.Boolean({ description: 'true when the rule matched, but the alert stays with its private team.' })
  })
)

export const TestRulesAnswer = Type.Object({
  routing_version: Type.Integer({ description: 'Version of the saved rules; when a draft is tried, of the rules that it would replace.' }),
  engine_version: Type.Integer(),
  matched: Type.Array(Id, { description: 'Rules that matched, in their order; empty when the default rule decides.' }),
  outcome: Outcome,
  would_notify: Type.Array(Type.Object({ target: Type.String(), channel: Type.String(), at: Instant }), {
    description: 'Always empty at present.'
  }),
  trace: RuleTrace,
  shadow: Type.Object({ matched: Type.Array(Id), outcome: Outcome }, { description: 'Result if the rules in shadow mode were live.' })
})
export type TestRulesAnswer = Static<typeof TestRulesAnswer>
