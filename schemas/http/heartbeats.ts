/**
 * Heartbeats: jobs that send a ping when they run. A ping that does not arrive in time is missed.
 * Source: docs/design/specification.md#s2-3; docs/design/api/heartbeats.md#s4.
 */
import { type Static, Type } from 'typebox'
import { common, Description, Id, Instant, Labels, list, Name, nullable, oneOf, paging, Severity, Tags } from './common.ts'
import { slugPattern } from './patterns.ts'

export const heartbeatStatuses = ['up', 'missed'] as const
export const heartbeatPhases = ['waiting', 'on_time', 'running', 'grace', 'missed', 'failed', 'unknown', 'paused'] as const
export const scheduleKinds = ['period', 'cron'] as const
export const pauseReasons = ['user', 'entitlement', 'deployment', 'import', 'maintenance'] as const
export const pingKinds = ['start', 'success', 'fail', 'log', 'exit', 'unknown'] as const

/** One object for both kinds of schedule, so that a fault is reported at the field that has it. */
export const Schedule = Type.Object(
  {
    kind: oneOf(scheduleKinds),
    period_seconds: Type.Optional(
      Type.Integer({ minimum: 30, maximum: 31_536_000, description: 'Of kind period: seconds from one ping to the next.' })
    ),
    expression: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Of kind cron: five fields, with names, L, # and @daily and its like.' })
    ),
    time_zone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Of kind cron: IANA zone whose wall clock the expression means.' })
    )
  },
  { additionalProperties: false }
)
export type Schedule = Static<typeof Schedule>

export const MAX_GRACE_SECONDS = 2_592_000

const GraceSeconds = Type.Integer({
  minimum: 0,
  maximum: MAX_GRACE_SECONDS,
  description: 'Added to the expected time. Absent or null: a fifth of the period, at least 60 and at most 30 days; for cron 600.'
})
const MaxRunSeconds = Type.Integer({
  minimum: 1,
  maximum: 604_800,
  description: 'A run that has not ended so long after its start has failed; null: no limit.'
})
const MinRunSeconds = Type.Integer({
  minimum: 1,
  maximum: 604_800,
  description: 'A run that ends well sooner after its start has failed; less than max_run_seconds; null: no limit.'
})
const FailTolerance = Type.Integer({
  minimum: 0,
  maximum: 20,
  description: 'Failures in a row that a job may report before it alerts; what is missed is not among them.'
})
const RecoveryPings = Type.Integer({ minimum: 1, maximum: 10, description: 'Good pings in a row that it takes to be up again.' })

export const pingMethods = ['GET', 'HEAD', 'POST'] as const
const AllowedMethods = Type.Array(oneOf(pingMethods), {
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  description: 'A ping by another method is refused with 405: scanners of mails and chats follow addresses by GET.'
})

export const MAX_BODY_WORDS = 10
const Words = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: MAX_BODY_WORDS }))
const BodyRules = Type.Object(
  { success: Words, failure: Words, start: Words },
  {
    additionalProperties: false,
    description:
      'What the body of a POST without a signal means, by the words in it: failure before success before start. With words of success, one without any is a note.'
  }
)
export type BodyRules = Static<typeof BodyRules>

export const MAX_EXCERPT_CHARS = 512
const BodyExcerptChars = Type.Integer({
  minimum: 0,
  maximum: MAX_EXCERPT_CHARS,
  description: 'How many characters of the beginning of a body the ping log stores; 0: none.'
})

const Slug = Type.String({ pattern: slugPattern, description: 'Unique in the workspace; made of the name where it is absent.' })

const writable = {
  name: Name,
  schedule: Schedule,
  slug: Type.Optional(nullable(Slug)),
  description: Type.Optional(Description),
  grace_seconds: Type.Optional(nullable(GraceSeconds)),
  max_run_seconds: Type.Optional(nullable(MaxRunSeconds)),
  min_run_seconds: Type.Optional(nullable(MinRunSeconds)),
  fail_tolerance: Type.Optional(FailTolerance),
  recovery_pings: Type.Optional(RecoveryPings),
  allowed_methods: Type.Optional(AllowedMethods),
  body_rules: Type.Optional(BodyRules),
  body_excerpt_chars: Type.Optional(BodyExcerptChars),
  tags: Type.Optional(Tags),
  labels: Type.Optional(Labels),
  severity: Type.Optional(Severity),
  escalation_policy_id: Type.Optional(
    Type.Unsafe<string | null>({ ...nullable(Id), description: 'null: routing rules, the team or the workspace decide.' })
  ),
  team_id: Type.Optional(nullable(Id))
}

export const CreateHeartbeatBody = Type.Object(writable, { additionalProperties: false })

export const UpdateHeartbeatBody = Type.Partial(
  Type.Object({
    ...writable,
    keep_phase: Type.Boolean({
      default: false,
      description: 'A changed schedule applies from the next ping on; else the heartbeat waits for its first ping again.'
    })
  }),
  { additionalProperties: false }
)

// Actions ignore unknown fields.
export const PauseHeartbeatBody = Type.Object(
  {
    reason: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
    resume_at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'At most 90 days ahead.' })),
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 129_600, description: 'Another way to say resume_at.' })),
    resolve_open: Type.Optional(Type.Boolean({ default: true, description: 'Resolve its open incident.' })),
    unpause_on_ping: Type.Optional(Type.Boolean({ default: false, description: 'The next ping resumes it, and counts.' }))
  },
  { additionalProperties: true }
)

const instant = (description: string) => nullable(Type.Unsafe<string>({ ...Instant, description }))
const secret = (description: string) => nullable(Type.String({ description: `${description} Null for callers that may only read.` }))

const fields = {
  ...common,
  status: oneOf(heartbeatStatuses),
  phase: oneOf(heartbeatPhases, { description: 'Detail behind the status; unknown: an outage of this service has moved the deadline.' }),
  name: Type.String(),
  slug: nullable(Type.String()),
  description: Type.String(),
  schedule: Schedule,
  grace_seconds: Type.Integer(),
  max_run_seconds: nullable(Type.Integer()),
  min_run_seconds: nullable(Type.Integer()),
  fail_tolerance: Type.Integer(),
  recovery_pings: Type.Integer(),
  allowed_methods: Type.Array(oneOf(pingMethods)),
  body_rules: BodyRules,
  body_excerpt_chars: Type.Integer(),
  tags: Tags,
  labels: Labels,
  severity: Severity,
  team_id: nullable(Id),
  escalation_policy_id: nullable(Id),
  channel_ids: Type.Array(Id),
  ping_token: secret('Address part that pings.'),
  ping_url: secret('Address to ping; append /start, /fail, /log or an exit code.'),
  ping_url_by_slug: secret('The same by the ping key of the workspace and the slug; null without a slug.'),
  last_ping_at: instant('Receipt of the last ping.'),
  next_expected_at: instant('When the next ping is expected.'),
  deadline_at: instant('When it is missed: the expected time and the grace.'),
  started_at: instant('Start of the run that goes on.'),
  last_run_seconds: nullable(Type.Number({ description: 'Of the last run that reported its start.' })),
  missed_count: Type.Integer({ description: 'Misses in a row.' }),
  missed_since: instant('When what is missed now was due; null while it is not missed.'),
  open_incident_id: nullable(Id),
  paused_at: nullable(Instant),
  paused_by: nullable(Type.String({ description: 'kind:id' })),
  pause_reason: nullable(oneOf(pauseReasons)),
  pause_comment: nullable(Type.String()),
  resume_at: nullable(Instant),
  unpause_on_ping: Type.Boolean({ description: 'Of a pause: the next ping ends it.' })
}

export const HeartbeatDetail = Type.Object(fields)
export type HeartbeatDetail = Static<typeof HeartbeatDetail>
export const HeartbeatList = list(HeartbeatDetail)

/** Answer of the routes that create, read and update a heartbeat. */
export const HeartbeatWithSchedule = Type.Object({
  ...fields,
  next_expected: Type.Array(Instant, {
    description: 'The next five times by the schedule, from now on; those of a period as if every ping came when it is expected.'
  })
})

const several = <T extends Parameters<typeof Type.Array>[0]>(item: T) => Type.Optional(Type.Array(item, { maxItems: 100 }))

export const heartbeatSorts = ['name', 'created_at', 'status', 'last_ping_at', 'next_expected_at'] as const
export type HeartbeatSort = (typeof heartbeatSorts)[number] | `-${(typeof heartbeatSorts)[number]}`
const sorts: HeartbeatSort[] = heartbeatSorts.flatMap((name): HeartbeatSort[] => [name, `-${name}`])

export const HeartbeatQuery = Type.Object(
  {
    ...paging,
    status: several(oneOf(heartbeatStatuses)),
    phase: several(oneOf(heartbeatPhases)),
    tag: several(Type.String({ minLength: 1, maxLength: 64 })),
    slug: several(Type.String({ minLength: 1, maxLength: 100 })),
    team_id: several(Id),
    q: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Part of the name or slug, in any case.' })),
    sort: Type.Optional(Type.Array(oneOf(sorts), { maxItems: 5, description: 'name unless said otherwise; - for descending.' }))
  },
  { additionalProperties: false, description: 'Several values of a filter mean or, several filters mean and.' }
)

export const Ping = Type.Object({
  id: Id,
  n: Type.Integer({ description: 'Grows with every ping of the heartbeat, with gaps.' }),
  kind: oneOf(pingKinds),
  exit_code: nullable(Type.Integer()),
  received_at: Instant,
  run_id: nullable(Id),
  duration_ms: nullable(Type.Integer({ description: 'From the start of its run, where that was reported.' })),
  source_class: Type.String({ description: 'public, private, loopback or unknown; the address itself is not kept.' }),
  user_agent: nullable(Type.String()),
  method: Type.String(),
  body_bytes: Type.Integer(),
  body_excerpt: nullable(Type.String({ description: 'Its beginning, with what looks like a secret blacked out.' }))
})
export type Ping = Static<typeof Ping>
