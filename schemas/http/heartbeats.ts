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
      Type.Integer({ minimum: 30, maximum: 31_536_000, description: 'For kind period: seconds from one ping to the next.' })
    ),
    expression: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'For kind cron: five fields; names, L, # and shortcuts such as @daily are allowed.'
      })
    ),
    time_zone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'For kind cron: IANA time zone in whose local time the expression is read.' })
    )
  },
  { additionalProperties: false }
)
export type Schedule = Static<typeof Schedule>

export const MAX_GRACE_SECONDS = 2_592_000

const GraceSeconds = Type.Integer({
  minimum: 0,
  maximum: MAX_GRACE_SECONDS,
  description:
    'Seconds added to the expected time. When absent or null: a fifth of the period, at least 60 and at most 30 days; 600 for cron.'
})
const MaxRunSeconds = Type.Integer({
  minimum: 1,
  maximum: 604_800,
  description: 'A run that has not ended this many seconds after its start has failed; null when there is no limit.'
})
const MinRunSeconds = Type.Integer({
  minimum: 1,
  maximum: 604_800,
  description:
    'A run that reports success sooner than this many seconds after its start has failed; less than max_run_seconds; null when there is no limit.'
})
const FailTolerance = Type.Integer({
  minimum: 0,
  maximum: 20,
  description: 'Failures in a row that a job may report before the heartbeat alerts; missed runs do not count.'
})
const RecoveryPings = Type.Integer({ minimum: 1, maximum: 10, description: 'Good pings in a row that the heartbeat needs to be up again.' })

export const pingMethods = ['GET', 'HEAD', 'POST'] as const
const AllowedMethods = Type.Array(oneOf(pingMethods), {
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  description: 'Pings by any other method are refused with 405. Scanners of mails and chats follow links by GET.'
})

export const MAX_BODY_WORDS = 10
const Words = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: MAX_BODY_WORDS }))
const BodyRules = Type.Object(
  { success: Words, failure: Words, start: Words },
  {
    additionalProperties: false,
    description:
      'Words that decide what the body of a POST without a signal means: failure is checked before success, and success before start. When success has words, a body with none of the words is a note.'
  }
)
export type BodyRules = Static<typeof BodyRules>

export const MAX_EXCERPT_CHARS = 512
const BodyExcerptChars = Type.Integer({
  minimum: 0,
  maximum: MAX_EXCERPT_CHARS,
  description: 'How many characters from the beginning of a body the ping log stores; 0 stores none.'
})

const Slug = Type.String({ pattern: slugPattern, description: 'Unique in the workspace; made from the name when absent.' })

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
    Type.Unsafe<string | null>({ ...nullable(Id), description: 'null when routing rules, the team or the workspace decide.' })
  ),
  team_id: Type.Optional(nullable(Id))
}

export const CreateHeartbeatBody = Type.Object(writable, { additionalProperties: false })

export const UpdateHeartbeatBody = Type.Partial(
  Type.Object({
    ...writable,
    keep_phase: Type.Boolean({
      default: false,
      description: 'When true, a changed schedule applies from the next ping on; otherwise the heartbeat waits for its first ping again.'
    })
  }),
  { additionalProperties: false }
)

// Actions ignore unknown fields.
export const PauseHeartbeatBody = Type.Object(
  {
    reason: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
    resume_at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'When the pause ends, at most 90 days ahead.' })),
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 129_600, description: 'Length of the pause in minutes, as another way to give resume_at.' })
    ),
    resolve_open: Type.Optional(Type.Boolean({ default: true, description: 'Whether to resolve the open incident of the heartbeat.' })),
    unpause_on_ping: Type.Optional(
      Type.Boolean({ default: false, description: 'When true, the next ping other than a note resumes the heartbeat, and counts.' })
    )
  },
  { additionalProperties: true }
)

const instant = (description: string) => nullable(Type.Unsafe<string>({ ...Instant, description }))
const secret = (description: string) => nullable(Type.String({ description: `${description} Null for callers that may only read.` }))

const fields = {
  ...common,
  status: oneOf(heartbeatStatuses),
  phase: oneOf(heartbeatPhases, {
    description: 'More detail about the status; unknown when an outage of this service has moved the deadline.'
  }),
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
  last_run_seconds: nullable(Type.Number({ description: 'Length of the last run that reported its start.' })),
  missed_count: Type.Integer({ description: 'Number of misses in a row.' }),
  missed_since: instant('When what is missed now was due; null while it is not missed.'),
  open_incident_id: nullable(Id),
  paused_at: nullable(Instant),
  paused_by: nullable(Type.String({ description: 'Who paused the heartbeat, as kind:id.' })),
  pause_reason: nullable(oneOf(pauseReasons)),
  pause_comment: nullable(Type.String()),
  resume_at: nullable(Instant),
  unpause_on_ping: Type.Boolean({
    description: 'True when the next ping other than a note ends the pause, unless a maintenance window pauses checks then.'
  })
}

export const HeartbeatDetail = Type.Object(fields)
export type HeartbeatDetail = Static<typeof HeartbeatDetail>
export const HeartbeatList = list(HeartbeatDetail)

/** Answer of the routes that create, read and update a heartbeat. */
export const HeartbeatWithSchedule = Type.Object({
  ...fields,
  next_expected: Type.Array(Instant, {
    description: 'The next five expected times from now on; for a period, as if every ping came when it is expected.'
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
    q: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Part of the name or slug; case is ignored.' })),
    sort: Type.Optional(Type.Array(oneOf(sorts), { maxItems: 5, description: 'Fields to sort by, with - for descending; default: name.' }))
  },
  { additionalProperties: false, description: 'Several values of one filter mean or; several filters mean and.' }
)

export const Ping = Type.Object({
  id: Id,
  n: Type.Integer({ description: 'Number of the ping; it grows with every ping of the heartbeat, with gaps.' }),
  kind: oneOf(pingKinds),
  exit_code: nullable(Type.Integer()),
  received_at: Instant,
  run_id: nullable(Id),
  duration_ms: nullable(Type.Integer({ description: 'Time from the start of the run to this ping, when the start was reported.' })),
  source_class: Type.String({
    description: 'Kind of the sender’s address: public, private, loopback or unknown; the address itself is not kept.'
  }),
  user_agent: nullable(Type.String()),
  method: Type.String(),
  body_bytes: Type.Integer(),
  body_excerpt: nullable(Type.String({ description: 'The beginning of the body; anything that looks like a secret is blacked out.' }))
})
export type Ping = Static<typeof Ping>
