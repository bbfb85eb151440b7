/**
 * Figures about the past, and lists of past events: checks, pings, and status changes.
 * Source: docs/design/api/analytics.md#s11, docs/design/api/monitors.md#mo-10, #mo-11 and
 * docs/design/api/heartbeats.md#hb-8.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { capturedBodies, checkOutcome, checkOutcomes, checkReasons } from './check-outcome.ts'
import { Id, Instant, nullable, oneOf, paging, Severity } from './common.ts'
import { Ping, pingKinds } from './heartbeats.ts'

export const bucketSizes = ['hour', 'day', 'week', 'month'] as const
export const formats = ['json', 'csv'] as const
export const several = <T extends TSchema>(item: T) => Type.Optional(Type.Array(item, { minItems: 1, maxItems: 100 }))
const Region = Type.String({ pattern: '^[a-z][a-z0-9-]{1,31}$' })

const bound = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 40, description }))
export const range = {
  from: bound('Instant, or date in the time zone; part of the span. 30 days before `to`, or as long as the plan keeps them.'),
  to: bound('Instant, or date in the time zone; not part of the span. Now.'),
  time_zone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      default: 'UTC',
      description: 'IANA time zone of dates, and of the local time at which buckets begin.'
    })
  )
}
const figures = {
  ...range,
  bucket: Type.Optional(
    oneOf(bucketSizes, {
      description: 'Gives figures by hour, day, week (from Monday) or month; when absent, one figure for the whole span.'
    })
  ),
  format: Type.Optional(oneOf(formats, { default: 'json' }))
}

export const UptimeQuery = Type.Object(
  {
    ...figures,
    monitor_ids: several(Id),
    heartbeat_ids: several(Id),
    tag: several(Type.String({ minLength: 1, maxLength: 64 })),
    slo_target: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        exclusiveMaximum: 100,
        description: 'Target for the percent of time that is up; adds `slo` to the answer.'
      })
    )
  },
  { additionalProperties: false, description: 'When no ids are given: everything of the workspace, or everything with one of the tags.' }
)

export const latencyGroups = ['monitor', 'region'] as const
export const LatencyQuery = Type.Object(
  {
    ...figures,
    monitor_ids: several(Id),
    regions: several(Region),
    group_by: several(oneOf(latencyGroups)),
    phases: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether to add figures by phase; they come from single checks and take longer.' })
    )
  },
  { additionalProperties: false, description: 'When no ids are given: all monitors. Grouped by monitor unless group_by says otherwise.' }
)

export const incidentGroups = ['team', 'monitor', 'severity'] as const
export const sourceKinds = ['monitor', 'heartbeat', 'inbound', 'manual', 'mass_outage'] as const
export const IncidentFiguresQuery = Type.Object(
  {
    ...figures,
    severity: several(Severity),
    team_id: several(Id),
    monitor_ids: several(Id),
    source_kind: several(oneOf(sourceKinds)),
    group_by: Type.Optional(oneOf(incidentGroups))
  },
  { additionalProperties: false }
)

const Seconds = Type.Number()
const Percent = nullable(Type.Number({ description: 'Null when there is nothing to count.' }))
const span = { from: Instant, to: Instant }

/** The fields that every answer has besides its items. */
const answer = <T extends TSchema>(item: T) => ({
  ...span,
  bucket: nullable(oneOf(bucketSizes)),
  time_zone: Type.String(),
  items: Type.Array(item),
  complete_until: nullable(
    Type.Unsafe<string>({ ...Instant, description: 'Everything that was recorded before this time is counted; null when not known.' })
  ),
  excluded: Type.Object(
    { maintenance_seconds: Seconds, unknown_seconds: Seconds },
    { description: 'Time that counts as neither up nor down.' }
  ),
  engine_version: Type.String()
})

export const UptimeItem = Type.Object({
  kind: oneOf(['monitor', 'heartbeat']),
  id: Id,
  ...span,
  up_seconds: Seconds,
  degraded_seconds: Seconds,
  down_seconds: Seconds,
  maintenance_seconds: Seconds,
  unknown_seconds: Seconds,
  paused_seconds: Seconds,
  uptime_percent: Percent,
  incidents: Type.Integer({ description: 'Incidents that opened in the span.' }),
  longest_outage_seconds: Seconds,
  checks: Type.Integer(),
  checks_ok: Type.Integer(),
  checks_percent: Percent,
  slo: Type.Union([
    Type.Object({
      target: Type.Number(),
      budget_left_seconds: Type.Number({
        description: 'Seconds of downtime that the budget still allows; below 0 when more than the budget is spent.'
      }),
      burn_rate: Type.Number({ description: 'Downtime divided by the budget; 1 when the budget is spent exactly.' })
    }),
    Type.Null()
  ])
})
export type UptimeItem = Static<typeof UptimeItem>
export const UptimeAnswer = Type.Object(answer(UptimeItem))

const spread = {
  count: Type.Integer(),
  min: Type.Number(),
  avg: Type.Number(),
  p50: Type.Number(),
  p75: Type.Number(),
  p90: Type.Number(),
  p95: Type.Number(),
  p99: Type.Number(),
  max: Type.Number(),
  stdev: Type.Number()
}
const Spread = Type.Object(spread, { description: 'Figures in milliseconds.' })
export type Spread = Static<typeof Spread>
const MaybeSpread = Type.Union([Spread, Type.Null()])

export const LatencyItem = Type.Object({ monitor_id: nullable(Id), region: nullable(Type.String()), ...span, ...spread })
export type LatencyItem = Static<typeof LatencyItem>
export const LatencyAnswer = Type.Object({
  ...answer(LatencyItem),
  overall: MaybeSpread,
  phases: Type.Union(
    [
      Type.Object({
        dns: MaybeSpread,
        connect: MaybeSpread,
        tls: MaybeSpread,
        request: MaybeSpread,
        ttfb: MaybeSpread,
        download: MaybeSpread
      }),
      Type.Null()
    ],
    { description: 'Figures by phase, from single checks for as long as they are kept; null when not asked for.' }
  )
})

const Times = Type.Object({ avg: nullable(Seconds), p50: nullable(Seconds), p90: nullable(Seconds) }, { description: 'Times in seconds.' })
export const IncidentFigures = Type.Object({
  group: nullable(Type.String({ description: 'The team, monitor or severity; null without group_by, or when an incident has none.' })),
  ...span,
  opened: Type.Integer(),
  resolved: Type.Integer(),
  acknowledged: Type.Integer(),
  acked_percent: Percent,
  mtta: Times,
  mttr: Times,
  reopened: Type.Integer()
})
export type IncidentFigures = Static<typeof IncidentFigures>
export const IncidentFiguresAnswer = Type.Object(answer(IncidentFigures))

export const AlertFiguresQuery = Type.Object(
  {
    ...range,
    format: Type.Optional(oneOf(formats, { default: 'json' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        default: 50,
        description: 'Number of sources to return; those with the most incidents come first.'
      })
    )
  },
  { additionalProperties: false }
)

export const AlertFigures = Type.Object({
  source: Type.Object({
    kind: Type.String({ description: 'monitor, heartbeat, inbound, manual, …' }),
    type: nullable(Type.String({ description: 'Source type of the integration, when the source is one.' })),
    id: nullable(Type.String({ description: 'Id of the integration, monitor or heartbeat.' }))
  }),
  alerts: Type.Integer({ description: 'Alerts that were received and accepted.' }),
  recoveries: Type.Integer(),
  incidents: Type.Integer(),
  acknowledged: Type.Integer(),
  noise: Type.Integer({ description: 'Incidents that ended by themselves within 5 minutes, before anybody acknowledged them.' }),
  noise_percent: Percent,
  dedup_ratio: nullable(Type.Number({ description: 'Alerts for each incident; null when there are no alerts or no incidents.' }))
})
export type AlertFigures = Static<typeof AlertFigures>
export const AlertFiguresAnswer = Type.Object(answer(AlertFigures))

export const PipelineQuery = Type.Object(range, { additionalProperties: false })
export const pipelineStages = ['edge_accept', 'append', 'decide', 'intent', 'first_attempt', 'ws_emit'] as const

export const PipelineAnswer = Type.Object({
  ...span,
  time_zone: Type.String(),
  stages: Type.Array(
    Type.Object({
      stage: oneOf(pipelineStages),
      count: Type.Integer({ description: 'Number of incidents or messages that were examined: the latest, at most 20,000.' }),
      p50: Type.Number({ description: 'In milliseconds, as are p95 and p99.' }),
      p95: Type.Number(),
      p99: Type.Number()
    })
  ),
  unknown_spans: Type.Array(oneOf(pipelineStages), {
    description: 'Stages without figures: they are not measured, or nothing is known of them in the span.'
  }),
  engine_version: Type.String()
})

/** Response of a route that answers as JSON, or as CSV when the query asks for it. */
export const jsonOrCsv = <T extends TSchema>(schema: T) => ({
  description: 'The figures, as JSON or as CSV.',
  content: { 'application/json': { schema }, 'text/csv': { schema: Type.String() } }
})

const Cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1000,
    description: 'The next_cursor of the page before, with the same filters; valid for 24 hours.'
  })
)
export const pageOfLog = { cursor: Cursor, per_page: paging.per_page }

/**
 * One page of a list that only grows. Such a list has no total, and only the cursor leads to the
 * next page.
 */
export const logList = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      items: Type.Array(item),
      per_page: Type.Integer(),
      next_cursor: nullable(Type.String()),
      complete_until: nullable(Instant)
    },
    { description: 'Paged by cursor only, without a total or page numbers.' }
  )

const strict = { additionalProperties: false }
export const ChecksQuery = Type.Object(
  { ...range, ...pageOfLog, region: several(Region), outcome: several(oneOf(checkOutcomes)), reason: several(oneOf(checkReasons)) },
  strict
)
export const StatusChangesQuery = Type.Object({ ...range, ...pageOfLog }, strict)
export const PingsQuery = Type.Object({ ...range, ...pageOfLog, kind: several(oneOf(pingKinds)) }, strict)
export const RunsQuery = Type.Object(range, strict)

/** Durations of the runs of a heartbeat. */
export const RunFigures = Type.Object({
  ...span,
  succeeded: Type.Integer({ description: 'Runs that reported their start and a success.' }),
  failed: Type.Integer({ description: 'Runs that reported their start and a failure.' }),
  duration_ms: nullable(
    Type.Object(
      { min: Type.Number(), avg: Type.Number(), p50: Type.Number(), p95: Type.Number(), max: Type.Number() },
      { description: 'Time from start to success; null when no run succeeded.' }
    )
  ),
  complete_until: nullable(Instant)
})
export type RunFigures = Static<typeof RunFigures>

export const Check = Type.Object({
  check_id: Id,
  monitor_id: Id,
  region: Type.String(),
  prober_instance: Type.String(),
  prober_version: nullable(Type.String()),
  config_version: Type.Integer(),
  seq: Type.Integer(),
  kind: oneOf(['scheduled', 'on_demand', 'unknown']),
  count: Type.Boolean({ description: 'False when the check is recorded but not judged.' }),
  skewed: Type.Boolean({ description: 'True when the clock of the prober was wrong: the check is recorded but not judged.' }),
  scheduled_at: Instant,
  started_at: Instant,
  finished_at: Instant,
  received_at: Instant,
  ...checkOutcome,
  captured: Type.Boolean({ description: 'Whether the answer is kept. Read it with GET capture, which needs the scope admin.' })
})
export type Check = Static<typeof Check>
export const CheckList = logList(Check)

/** The target's answer to a failed check of a monitor with `capture_on_failure`. */
export const CheckCapture = Type.Object({
  check_id: Id,
  monitor_id: Id,
  region: Type.String(),
  prober_instance: Type.String(),
  config_version: Type.Integer(),
  captured_at: Instant,
  received_at: Instant,
  kept_until: Instant,
  reason: nullable(oneOf(checkReasons)),
  http_version: nullable(Type.String()),
  status: Type.Integer(),
  status_text: nullable(Type.String()),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description: 'At most 50 headers; a redacted value is replaced by [secret].'
  }),
  headers_left_out: Type.Integer(),
  body_kind: oneOf([...capturedBodies, 'unknown']),
  body: nullable(Type.String({ description: 'Body of the answer, redacted, at most 16,384 characters; null unless it is text.' })),
  body_bytes: Type.Integer({ description: 'Bytes of the body that were received, counted after decompression.' }),
  body_cut: Type.Boolean({ description: 'Whether there was more than is kept, or the body did not arrive to its end.' })
})
export type CheckCapture = Static<typeof CheckCapture>

export const StatusChange = Type.Object({
  id: Id,
  ver: Type.Integer(),
  from: Type.String(),
  to: Type.String(),
  previous_phase: Type.String(),
  phase: Type.String(),
  at: Instant,
  reason: nullable(Type.String()),
  message: nullable(Type.String()),
  cause: Type.String({ description: 'The record that decided the change.' }),
  incident_id: nullable(Type.Unsafe<string>({ ...Id, description: 'Id of the incident that the change opened.' })),
  votes: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The vote of each region, by region.'
  })
})
export type StatusChange = Static<typeof StatusChange>
export const StatusChangeList = logList(StatusChange)

export const PingList = logList(Ping)
