/** Maintenance and deployment windows. Source: docs/design/api/maintenance.md. */
import { type Static, type TSchema, Type } from 'typebox'
import { common, Description, Id, Instant, list, Name, nullable, oneOf, paging, Tags, ZoneName } from './common.ts'
import {
  DEPLOYMENT_MINUTES,
  deploymentOutcomes,
  MAX_DEPLOYMENT_MINUTES,
  MAX_EXDATES,
  MAX_EXTEND_MINUTES,
  MAX_OCCURRENCES,
  MAX_SCOPE_IDS,
  MAX_SCOPE_TAGS,
  MAX_SETTLE_SECONDS,
  MAX_WINDOW_DAYS,
  SETTLE_SECONDS,
  windowEffects,
  windowOrigins,
  windowStates
} from './maintenance-words.ts'
import { clockPattern, datePattern, httpUrlPattern } from './patterns.ts'
import { Condition } from './routing.ts'
import { MAX_CONDITIONS } from './routing-words.ts'

const closed = { additionalProperties: false } as const
const described = <T extends TSchema>(schema: T, description: string) => Type.Unsafe<Static<T>>({ ...schema, description })
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)

const Ids = Type.Array(Id, { maxItems: MAX_SCOPE_IDS })
const lists = {
  monitor_ids: Ids,
  heartbeat_ids: Ids,
  integration_ids: described(Ids, 'What comes in by them.'),
  tags: Type.Array(Tags.items, { maxItems: MAX_SCOPE_TAGS, description: 'Tags of monitors and heartbeats.' }),
  matchers: Type.Array(Condition, { maxItems: MAX_CONDITIONS, description: 'Conditions; what matches all of them is covered.' })
}
const All = Type.Boolean({ description: 'Covers everything that belongs to no private team; the lists are then empty.' })

const GivenScope = Type.Object(
  {
    all: optional(All),
    monitor_ids: optional(lists.monitor_ids),
    heartbeat_ids: optional(lists.heartbeat_ids),
    integration_ids: optional(lists.integration_ids),
    tags: optional(lists.tags),
    matchers: optional(lists.matchers)
  },
  { ...closed, description: 'What at least one of these fields names is covered.' }
)
export type GivenScope = Static<typeof GivenScope>
const Scope = Type.Object({ all: All, ...lists })

const Day = Type.String({ pattern: datePattern, description: 'Date as YYYY-MM-DD, in time_zone.' })
const Clock = Type.String({ pattern: clockPattern, description: 'Time of day as HH:MM, in time_zone.' })
const Rrule = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'RFC 5545 rule that repeats by days, weeks, months or years, such as FREQ=WEEKLY;BYDAY=SU.'
})
const Minutes = Type.Integer({ minimum: 1, maximum: 10_080 })

const schedule = {
  kind: oneOf(['once', 'recurring']),
  starts_at: described(Instant, 'Of once; one that has passed counts as now.'),
  ends_at: described(Instant, `Of once; at most ${MAX_WINDOW_DAYS} days after starts_at.`),
  rrule: Rrule,
  time_zone: described(ZoneName, 'Of recurring.'),
  starts_on: described(Day, 'Of recurring: the first day on which it may begin.'),
  at: described(Clock, 'Of recurring: when it begins.'),
  duration_minutes: described(Minutes, 'Of recurring: how long it lasts, whatever the clocks do meanwhile.'),
  until: nullable(described(Instant, 'Of recurring: it does not begin after it.')),
  exdates: Type.Array(Day, { maxItems: MAX_EXDATES, description: 'For recurring: days on which it does not begin.' })
}

const GivenSchedule = Type.Object(
  {
    kind: schedule.kind,
    starts_at: optional(nullable(schedule.starts_at)),
    ends_at: optional(nullable(schedule.ends_at)),
    rrule: optional(nullable(schedule.rrule)),
    time_zone: optional(nullable(schedule.time_zone)),
    starts_on: optional(nullable(schedule.starts_on)),
    at: optional(nullable(schedule.at)),
    duration_minutes: optional(nullable(schedule.duration_minutes)),
    until: optional(schedule.until),
    exdates: optional(schedule.exdates)
  },
  {
    ...closed,
    description:
      'Either once with starts_at and ends_at, or recurring with the other fields. Fields of the other kind may be null or empty.'
  }
)
export type GivenSchedule = Static<typeof GivenSchedule>

const Schedule = Type.Object({
  kind: schedule.kind,
  starts_at: nullable(Instant),
  ends_at: nullable(Instant),
  rrule: nullable(Type.String()),
  time_zone: nullable(Type.String()),
  starts_on: nullable(Type.String()),
  at: nullable(Type.String()),
  duration_minutes: nullable(Type.Integer()),
  until: nullable(Instant),
  exdates: Type.Array(Type.String())
})

const Effect = oneOf(windowEffects, {
  description:
    'suppress_notifications: nobody is notified. suppress_incidents: no incident is opened, either. pause_checks: nothing is checked, and what is open is resolved.'
})
const Reason = nullable(Description)
const Settle = Type.Integer({
  minimum: 0,
  maximum: MAX_SETTLE_SECONDS,
  default: SETTLE_SECONDS,
  description: 'People are notified of what still fails this many seconds after the end.'
})
const Counts = Type.Boolean({ default: false, description: 'Whether time inside the window counts in uptime; otherwise it is left out.' })

export const CreateWindowBody = Type.Object(
  {
    name: Name,
    reason: optional(Reason),
    scope: GivenScope,
    effect: optional(Effect),
    schedule: GivenSchedule,
    settle_seconds: optional(Settle),
    count_in_uptime: optional(Counts)
  },
  closed
)
export type CreateWindowBody = Static<typeof CreateWindowBody>

export const UpdateWindowBody = Type.Object(
  {
    name: optional(Name),
    reason: optional(Reason),
    scope: optional(GivenScope),
    effect: optional(Effect),
    schedule: optional(GivenSchedule),
    settle_seconds: optional(Type.Integer({ minimum: 0, maximum: MAX_SETTLE_SECONDS })),
    count_in_uptime: optional(Type.Boolean())
  },
  closed
)
export type UpdateWindowBody = Static<typeof UpdateWindowBody>

export const CreateWindowQuery = Type.Object(
  {
    preview: optional(
      Type.Boolean({ default: false, description: 'Answer with when the window would be and what it would cover, and save nothing.' })
    )
  },
  closed
)

const states = optional(Type.Array(oneOf(windowStates), { maxItems: 4 }))
export const WindowQuery = Type.Object(
  {
    ...paging,
    state: states,
    monitor_id: optional(described(Id, 'Those that cover it by all, its id or a tag.')),
    from: optional(described(Instant, 'With `to`: what they have of this range is told, too (`in_range`).')),
    to: optional(Instant)
  },
  closed
)

const Occurrences = Type.Array(Type.Object({ starts_at: Instant, ends_at: Instant }), {
  description: `The one that runs, and those that come; at most ${MAX_OCCURRENCES}.`
})
const Matched = Type.Object(
  { monitors: Type.Integer(), heartbeats: Type.Integer() },
  { description: 'How many are covered by all, ids and tags, as far as the caller may see them.' }
)

export const WindowDetail = Type.Object({
  ...common,
  origin: oneOf(windowOrigins),
  name: Type.String(),
  reason: nullable(Type.String()),
  scope: Scope,
  effect: Effect,
  schedule: Schedule,
  settle_seconds: Type.Integer(),
  count_in_uptime: Type.Boolean(),
  state: oneOf(windowStates),
  starts_at: nullable(described(Instant, 'Of the occurrence that runs or comes next, or was last.')),
  ends_at: nullable(Instant),
  next_occurrences: Occurrences,
  in_range: optional(
    Type.Array(Type.Object({ starts_at: Instant, ends_at: Instant }), {
      description: 'Occurrences in the requested range; those of the last 400 days and the next 31 are known.'
    })
  ),
  created_by: Type.String({ description: 'Who created it, as kind:id.' })
})
export type WindowDetail = Static<typeof WindowDetail>
export const WindowList = list(WindowDetail)

export const WindowPreview = Type.Object({ next_occurrences: Occurrences, matched: Matched })
export type WindowPreview = Static<typeof WindowPreview>

const Word = Type.String({ minLength: 1, maxLength: 200 })
const Git = Type.Object(
  {
    repo: optional(Type.String({ maxLength: 300 })),
    ref: optional(Type.String({ maxLength: 300 })),
    sha: optional(Type.String({ maxLength: 64 })),
    author: optional(Type.String({ maxLength: 200 }))
  },
  closed
)
const RunUrl = Type.String({ maxLength: 2048, pattern: httpUrlPattern })
const OnExpire = oneOf(['end', 'alert'], {
  default: 'alert',
  description:
    'What happens when the window reaches its maximum duration: end notifies nobody, alert notifies editors, admins and owners in the feed.'
})

export const StartDeploymentBody = Type.Object(
  {
    name: Name,
    duration_minutes: optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DEPLOYMENT_MINUTES,
        default: DEPLOYMENT_MINUTES,
        description: 'Maximum duration; the window ends by itself after it.'
      })
    ),
    scope: GivenScope,
    confirm_all: optional(Type.Boolean({ description: 'Must be true when scope.all is true.' })),
    effect: optional(Effect),
    settle_seconds: optional(Settle),
    environment: optional(nullable(Word)),
    service: optional(nullable(Word)),
    version: optional(nullable(Word)),
    git: optional(Git),
    run_url: optional(nullable(RunUrl)),
    on_expire: optional(OnExpire)
  },
  closed
)
export type StartDeploymentBody = Static<typeof StartDeploymentBody>

export const DeploymentDetail = Type.Object({
  ...common,
  name: Type.String(),
  scope: Scope,
  effect: Effect,
  settle_seconds: Type.Integer(),
  state: oneOf(windowStates),
  starts_at: Instant,
  ends_at: described(Instant, 'When it ended, or when it ends by itself if it is still running.'),
  environment: nullable(Type.String()),
  service: nullable(Type.String()),
  deployed_version: nullable(Type.String({ description: 'The version that was deployed.' })),
  git: Type.Object({
    repo: nullable(Type.String()),
    ref: nullable(Type.String()),
    sha: nullable(Type.String()),
    author: nullable(Type.String())
  }),
  run_url: nullable(Type.String()),
  on_expire: OnExpire,
  extended: Type.Boolean(),
  outcome: nullable(oneOf(deploymentOutcomes, { description: 'null while the window runs, or when its maximum duration ended it.' })),
  note: nullable(Type.String()),
  created_by: Type.String({ description: 'Who created it, as kind:id.' })
})
export type DeploymentDetail = Static<typeof DeploymentDetail>
export const DeploymentList = list(DeploymentDetail)

export const StartedDeployment = Type.Object({
  ...DeploymentDetail.properties,
  end_token: Type.String({ description: 'Shown once. It ends the window and works only once.' }),
  end_url: Type.String(),
  matched: Matched
})
export type StartedDeployment = Static<typeof StartedDeployment>

export const DeploymentQuery = Type.Object({ ...paging, state: states, service: optional(Word), environment: optional(Word) }, closed)

const EndToken = Type.String({ minLength: 1, maxLength: 200, description: 'The end token, for requests without an Authorization header.' })
export const EndDeploymentBody = Type.Object(
  {
    end_token: optional(EndToken),
    outcome: optional(oneOf(deploymentOutcomes, { default: 'succeeded' })),
    note: optional(Type.String({ maxLength: 2000 }))
  },
  closed
)
export type EndDeploymentBody = Static<typeof EndDeploymentBody>

export const EndedDeployment = Type.Object({
  id: Id,
  ended_at: Instant,
  duration_seconds: Type.Integer(),
  failing_now: Type.Array(Type.Object({ kind: oneOf(['monitor', 'heartbeat']), id: Id, name: Type.String() }), {
    description:
      'What fails now among the monitors and heartbeats that the window covers by all, ids and tags, and that belong to no private team or are named by their id; at most 50.'
  })
})
export type EndedDeployment = Static<typeof EndedDeployment>

export const ExtendDeploymentBody = Type.Object({ minutes: Type.Integer({ minimum: 1, maximum: MAX_EXTEND_MINUTES }) }, closed)
export const CancelDeploymentBody = Type.Object({ note: optional(Type.String({ maxLength: 2000 })) }, closed)
