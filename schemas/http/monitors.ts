/**
 * Monitors: what is checked, how, and from which regions. Also the regions themselves.
 * Source: docs/design/specification.md#s2-3 and #s4; docs/design/api/monitors.md#s3.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { MAX_URL } from '../limits.ts'
import { Assertion, type CheckConfig, failureReasons, Retry, WrittenAssertion } from './check-config.ts'
import { checkOutcome } from './check-outcome.ts'
import { checkTypes, type MonitorType, monitorTypes } from './check-types/index.ts'
import { common, Description, Id, Instant, LabelFilter, Labels, list, Name, nullable, oneOf, paging, Severity, Tags } from './common.ts'
import { MAX_IMPORT, MAX_MONITOR_BULK } from './many-monitors.ts'
import { settingsByName, WrittenConfig } from './written-config.ts'

export { type MonitorType, monitorTypes } from './check-types/index.ts'

export const monitorStatuses = ['up', 'down', 'paused'] as const
export const monitorPhases = [
  'pending',
  'ok',
  'validating',
  'degraded',
  'down',
  'flapping',
  'maintenance',
  'dependency_down',
  'unconfirmed',
  'no_data',
  'paused'
] as const
export const pauseReasons = ['user', 'entitlement', 'deployment', 'import', 'maintenance'] as const

/** Other names of a type that are accepted when a monitor is created. */
export const typeAliases: Readonly<Record<string, MonitorType>> = Object.fromEntries(
  monitorTypes.flatMap((type) => checkTypes[type].aliases.map((alias) => [alias, type]))
)
/**
 * All types of the design and their aliases. The types that are not built yet come in later
 * versions.
 */
// biome-ignore format: one line
const designed = [
  'tcp', 'port', 'udp', 'icmp', 'ping', 'dns', 'tls', 'ssl', 'domain', 'grpc', 'websocket', 'ws', 'smtp', 'imap', 'pop3', 'external', 'manual', 'push', 'group'
]
export const laterTypes: readonly string[] = designed.filter(
  (word) => !monitorTypes.some((type) => type === word || checkTypes[type].aliases.includes(word))
)

/** Most monitors that one monitor may depend on. */
export const MAX_PARENTS = 10

const RegionCode = Type.String({ pattern: '^[a-z][a-z0-9-]{1,31}$' })

const counts = Array.from({ length: 30 }, (_, at) => at + 1)
const Quorum = Type.Unsafe<'any' | 'majority' | 'all' | number>({
  type: ['string', 'integer'],
  enum: ['any', 'majority', 'all', ...counts],
  description: 'How many fresh regions must vote down: a word, or 1 to 30. majority is a strict majority.'
})

const FailureRate = nullable(
  Type.Object(
    {
      failures: Type.Integer({ minimum: 1, maximum: 100, description: 'Number of failed checks after which a region votes down.' }),
      window_seconds: Type.Integer({
        minimum: 60,
        maximum: 3600,
        description: 'Period in seconds in which the failures are counted; successes in between are allowed.'
      })
    },
    { additionalProperties: false, description: 'Another rule by which a region votes down; null when there is none.' }
  )
)

/**
 * When failures become down and when successes become up again, as it is stored. Missing fields
 * have their defaults.
 */
export const Confirmation = Type.Object(
  {
    regions: Quorum,
    rounds: Type.Integer({ minimum: 1, maximum: 10, description: 'Number of failures in a row before a region votes down.' }),
    min_seconds: Type.Integer({
      minimum: 0,
      maximum: 3600,
      description: 'Minimum time since the first failure in the row before a region votes down.'
    }),
    recovery_rounds: Type.Integer({ minimum: 1, maximum: 10, description: 'Number of successes in a row before a region votes up again.' }),
    recovery_seconds: Type.Integer({
      minimum: 0,
      maximum: 3600,
      description: 'Minimum time that a region must be good before it votes up again.'
    }),
    failure_rate: FailureRate,
    advisory_after_seconds: Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: 'When one region alone fails for this long, people are informed, but nobody is paged.'
    })
  },
  { additionalProperties: false }
)
export type Confirmation = Static<typeof Confirmation>

export const defaultConfirmation: Confirmation = {
  regions: 'majority',
  rounds: 2,
  min_seconds: 0,
  recovery_rounds: 2,
  recovery_seconds: 0,
  failure_rate: null,
  advisory_after_seconds: 900
}

const closed = { additionalProperties: false }

/** When a monitor counts as flapping, by the share of state changes among its last rounds. */
export const Flap = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether flapping is detected.' }),
    window_rounds: Type.Integer({ minimum: 5, maximum: 20, description: 'Number of past rounds that are examined.' }),
    high_percent: Type.Integer({
      minimum: 5,
      maximum: 100,
      description: 'Flapping begins when this percentage or more are changes between good and bad.'
    }),
    low_percent: Type.Integer({
      minimum: 0,
      maximum: 95,
      description: 'Flapping ends when this percentage or less are changes; must be less than high_percent.'
    })
  },
  { additionalProperties: false }
)
export type Flap = Static<typeof Flap>

export const defaultFlap: Flap = { enabled: true, window_rounds: 20, high_percent: 30, low_percent: 15 }

const Interval = Type.Integer({ minimum: 10, maximum: 86_400 })
const DownInterval = nullable(
  Type.Integer({
    minimum: 10,
    maximum: 86_400,
    description:
      'Seconds between two checks of a region, from a failed check until it has recovered; null when the normal interval applies.'
  })
)
const Timeout = Type.Integer({ minimum: 1, maximum: 60, description: 'Must be less than the interval.' })
const Degraded = nullable(Type.Integer({ minimum: 1, maximum: 60_000, description: 'A slower success counts as degraded, never as down.' }))
const Regions = Type.Array(RegionCode, { maxItems: 30, description: 'Regions that check it; when empty, the service picks.' })
const TlsDays = Type.Array(Type.Integer({ minimum: 1, maximum: 90 }), {
  maxItems: 6,
  description: 'Days before the certificate expires at which people are notified; when empty, never.'
})
const RepeatInterval = nullable(
  Type.Integer({
    minimum: 300,
    maximum: 86_400,
    description: 'How often channels are reminded while its incident is ongoing and not acknowledged; null when they are not.'
  })
)
const DependsOn = Type.Array(Id, {
  maxItems: MAX_PARENTS,
  description: 'Monitors that this one needs to work: while one of them is down, nobody is notified that this one is.'
})
const DependencyHold = nullable(
  Type.Integer({
    minimum: 0,
    maximum: 300,
    description: 'How long to wait for the verdict on a monitor that it depends on; null when it waits as long as that verdict takes.'
  })
)
const Target = Type.String({ minLength: 1, maxLength: MAX_URL })

const settings = {
  description: Type.Optional(Description),
  target: Type.Optional(Target),
  url: Type.Optional(Type.Unsafe<string>({ ...Target, description: 'The same as target.' })),
  config: Type.Optional(
    Type.Unsafe<CheckConfig>({
      type: 'object',
      properties: settingsByName,
      description: 'Settings of the type; settings of another type are refused.'
    })
  ),
  assertions: Type.Optional(
    Type.Array(Assertion, { maxItems: 20, description: 'All of them must hold. When empty, the type decides what counts as a success.' })
  ),
  interval_seconds: Type.Optional(Interval),
  down_interval_seconds: Type.Optional(DownInterval),
  timeout_seconds: Type.Optional(Timeout),
  degraded_after_ms: Type.Optional(Degraded),
  regions: Type.Optional(Regions),
  confirmation: Type.Optional(Type.Partial(Confirmation, closed)),
  retry: Type.Optional(Type.Partial(Retry, closed)),
  flap: Type.Optional(Type.Partial(Flap, closed)),
  tags: Type.Optional(Tags),
  labels: Type.Optional(Labels),
  severity_down: Type.Optional(Severity),
  severity_degraded: Type.Optional(Severity),
  open_on_degraded: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether a degraded state opens an incident, with the severity severity_degraded.' })
  ),
  tls_expiry_days: Type.Optional(TlsDays),
  repeat_interval_seconds: Type.Optional(RepeatInterval),
  escalation_policy_id: Type.Optional(
    Type.Unsafe<string | null>({ ...nullable(Id), description: 'null when routing rules, the team or the workspace decide.' })
  ),
  depends_on: Type.Optional(DependsOn),
  dependency_hold_seconds: Type.Optional(DependencyHold),
  team_id: Type.Optional(nullable(Id)),
  group_id: Type.Optional(Type.Unsafe<string | null>({ ...nullable(Id), description: 'The group that the monitor belongs to.' }))
}

const TypeName = Type.String({
  maxLength: 32,
  description: `One of ${monitorTypes.join(', ')}, or another word for one: ${Object.keys(typeAliases).join(', ')}.`
})

export const CreateMonitorBody = Type.Object({ name: Name, type: TypeName, ...settings }, closed)
export type CreateMonitorBody = Static<typeof CreateMonitorBody>

/** `type` is accepted by the schema only so that it can be refused as immutable. */
export const UpdateMonitorBody = Type.Object({ name: Type.Optional(Name), type: Type.Optional(TypeName), ...settings }, closed)
export type UpdateMonitorBody = Static<typeof UpdateMonitorBody>

/** Returns the body with the settings of one type. A form validates against it before it sends. */
export const createBodyOf = (type: MonitorType): TSchema =>
  Type.Object({ ...CreateMonitorBody.properties, config: Type.Optional(checkTypes[type].config) }, closed)
export const updateBodyOf = (type: MonitorType): TSchema =>
  Type.Object({ ...UpdateMonitorBody.properties, config: Type.Optional(checkTypes[type].config) }, closed)

// Actions ignore unknown fields.
const action = { additionalProperties: true }

export const PauseMonitorBody = Type.Object(
  {
    reason: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
    resume_at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'When the monitor resumes; at most 90 days ahead.' })),
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 129_600, description: 'Minutes until the monitor resumes, instead of resume_at.' })
    ),
    resolve_open: Type.Optional(Type.Boolean({ default: true, description: 'Whether its open incident is resolved.' }))
  },
  action
)

export const CheckMonitorBody = Type.Object(
  {
    regions: Type.Optional(
      Type.Array(RegionCode, {
        minItems: 1,
        maxItems: 30,
        description: 'Some of the regions that check the monitor; all of them when absent.'
      })
    ),
    count: Type.Optional(Type.Boolean({ default: false, description: 'true: the result is judged like that of any other check.' }))
  },
  action
)

export const CheckStarted = Type.Object({
  check_ids: Type.Array(Id),
  poll_url: Type.String({ description: 'Address at which the results appear.' })
})

/** MO-9. Has the fields of create, or, with `monitor_id`, those of an update of that monitor. */
export const ValidateMonitorBody = Type.Object(
  {
    name: Type.Optional(Name),
    type: Type.Optional(TypeName),
    ...settings,
    monitor_id: Type.Optional(
      Type.Unsafe<string>({ ...Id, description: 'Monitor whose change is tried; secrets that are left out are taken from it.' })
    ),
    region: Type.Optional(
      Type.Unsafe<string>({
        ...RegionCode,
        description: 'Region whose probers check it once. When absent, the definition is only validated.'
      })
    )
  },
  closed
)
export type ValidateMonitorBody = Static<typeof ValidateMonitorBody>

export const trialWarnings = ['name_taken', 'limit_reached', 'no_answer'] as const

/** The outcome of a single trial in one region. It is not recorded. */
export const TrialResult = Type.Object({
  region: Type.String(),
  prober_instance: Type.String(),
  started_at: Instant,
  ...checkOutcome,
  redirects: Type.Array(Type.String(), { description: 'Addresses that the check was redirected to, without their queries.' })
})
export type TrialResult = Static<typeof TrialResult>

export const ValidateAnswer = Type.Object({
  valid: Type.Boolean({ description: 'Always true: what cannot be saved is refused with the same error as when saving it.' }),
  regions: Type.Array(Type.String(), { description: 'Regions that would check it.' }),
  warnings: Type.Array(
    Type.Object({
      path: nullable(Type.String({ description: 'Path of the field; null when the warning is about the whole definition.' })),
      code: oneOf(trialWarnings),
      message: Type.String()
    })
  ),
  result: Type.Union([TrialResult, Type.Null()], { description: 'null when no region was asked, or when it did not answer in time.' }),
  next_rounds: Type.Array(Instant, { description: 'The next five rounds; the first round of a new monitor is when it is saved.' })
})
export type ValidateAnswer = Static<typeof ValidateAnswer>

/** MO-13. */
export const monitorBulkActions = ['pause', 'resume', 'delete', 'patch'] as const

const same = { interval_seconds: settings.interval_seconds, timeout_seconds: settings.timeout_seconds, regions: settings.regions }
const told = {
  labels: settings.labels,
  severity_down: settings.severity_down,
  severity_degraded: settings.severity_degraded,
  open_on_degraded: settings.open_on_degraded,
  escalation_policy_id: settings.escalation_policy_id,
  team_id: settings.team_id,
  group_id: settings.group_id
}

export const MonitorBulkBody = Type.Object(
  {
    ids: Type.Array(Id, { minItems: 1, maxItems: MAX_MONITOR_BULK }),
    action: oneOf(monitorBulkActions, { description: 'The other fields depend on the action.' }),
    patch: Type.Optional(
      Type.Object(
        {
          ...same,
          ...told,
          add_tags: Type.Optional(Type.Unsafe<string[]>({ ...Tags, description: 'Added to the tags that each monitor has.' })),
          remove_tags: Type.Optional(Type.Unsafe<string[]>({ ...Tags, description: 'Removed from the tags that each monitor has.' }))
        },
        { ...closed, minProperties: 1 }
      )
    ),
    ...PauseMonitorBody.properties
  },
  action
)
export type MonitorBulkBody = Static<typeof MonitorBulkBody>

/** The body as a page validates it before it splits the ids over several requests. */
export const MonitorBulkForm = Type.Object({ ...MonitorBulkBody.properties, ids: Type.Array(Id, { minItems: 1 }) }, action)

export const MonitorBulkAnswer = Type.Object({
  matched: Type.Integer({ description: 'Number of monitors asked for, each counted once.' }),
  changed: Type.Array(Id, { description: 'Monitors that are now as requested, including those that already were.' }),
  failed: Type.Array(Type.Object({ id: Id, code: Type.String(), error: Type.String() }))
})

/** MO-14. */
export const importFormats = ['native', 'csv'] as const
const MAX_CSV = 900_000

/** One row: the fields of a new monitor, and the name of its group in `group`. */
export const ImportItem = Type.Object({ ...CreateMonitorBody.properties, group: Type.Optional(Name) }, closed)
export type ImportItem = Static<typeof ImportItem>

export const ImportBody = Type.Object(
  {
    format: Type.Optional(oneOf(importFormats, { default: 'native' })),
    dry_run: Type.Optional(Type.Boolean({ default: true, description: 'true: answers with what would be done, and does nothing.' })),
    items: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        minItems: 1,
        maxItems: MAX_IMPORT,
        description:
          'For native: bodies as create takes them, and also `group`: the name of a group. When a monitor with the same name exists, it is changed.'
      })
    ),
    content: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_CSV, description: 'For csv: the text of the file. Its first line names the fields.' })
    )
  },
  closed
)
export type ImportBody = Static<typeof ImportBody>

const Rows = Type.Integer({ description: 'Number of the row, from 1; the header line of a csv is not counted.' })
export const ImportAnswer = Type.Object({
  dry_run: Type.Boolean(),
  create: Type.Integer(),
  update: Type.Integer(),
  skip: Type.Integer({ description: 'Number of monitors that already are as wanted.' }),
  items: Type.Array(Type.Object({ row: Rows, name: Type.String(), action: oneOf(['create', 'update', 'skip']) })),
  groups: Type.Array(Type.String(), { description: 'Names of the groups that are created.' }),
  errors: Type.Array(
    Type.Object({
      row: Rows,
      name: nullable(Type.String()),
      field: Type.String({ description: 'Field with the error; empty when it is about the whole row.' }),
      code: Type.String(),
      message: Type.String()
    }),
    { description: 'When there is any error, nothing is imported.' }
  )
})
export type ImportAnswer = Static<typeof ImportAnswer>

export const pushedStates = ['up', 'down', 'degraded'] as const

export const PushResultBody = Type.Object(
  {
    state: oneOf(pushedStates),
    response_time_ms: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 3_600_000 }))),
    message: Type.Optional(nullable(Type.String({ maxLength: 1000, description: 'Explanation of the state, for people.' }))),
    occurred_at: Type.Optional(
      Type.Unsafe<string>({ ...Instant, description: 'At most 24 hours in the past and 60 seconds in the future; when absent, now.' })
    ),
    dedup_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'A second state with the same id within a day changes nothing.' })
    )
  },
  action
)
export const PushedResult = Type.Object({
  accepted: Type.Boolean(),
  duplicate: Type.Boolean({ description: 'Whether a state with this dedup_id was there already.' })
})
export type PushedResult = Static<typeof PushedResult>

const instant = (description: string) => nullable(Type.Unsafe<string>({ ...Instant, description }))
const Percent = nullable(Type.Number())

const RegionState = Type.Object({
  region: Type.String(),
  state: oneOf(['up', 'down', 'degraded', 'stale', 'pending'], {
    description: 'pending: no good result and no confirmed failure yet.'
  }),
  since: nullable(Instant),
  response_time_ms: nullable(Type.Number()),
  advisory: Type.Boolean({ description: 'Whether this region alone has failed for confirmation.advisory_after_seconds.' })
})

const Failure = Type.Unsafe<{
  reason: string | null
  message: string | null
  region: string | null
  at: string
  http_status: number | null
} | null>({
  type: ['object', 'null'],
  required: ['reason', 'message', 'region', 'at', 'http_status'],
  properties: {
    reason: { type: ['string', 'null'], enum: [...failureReasons, null] },
    message: { type: ['string', 'null'] },
    region: { type: ['string', 'null'] },
    at: { type: 'string', format: 'date-time' },
    http_status: { type: ['integer', 'null'] }
  }
})

const Certificate = Type.Unsafe<{
  issuer: string | null
  subject: string | null
  not_after: string
  days_left: number
  chain_ok: boolean | null
} | null>({
  type: ['object', 'null'],
  required: ['issuer', 'subject', 'not_after', 'days_left', 'chain_ok'],
  properties: {
    issuer: { type: ['string', 'null'] },
    subject: { type: ['string', 'null'] },
    not_after: { type: 'string', format: 'date-time' },
    days_left: { type: 'integer' },
    chain_ok: { type: ['boolean', 'null'] }
  }
})

const fields = {
  ...common,
  status: oneOf(monitorStatuses),
  phase: oneOf(monitorPhases, { description: 'More detail than the status.' }),
  effective_regions: Type.Array(Type.String(), {
    description: 'Configured regions that have a prober online, as far as the plan allows; empty when none are configured.'
  }),
  prober_region_labels: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Label of each region code in this answer.'
  }),
  name: Type.String(),
  description: Type.String(),
  type: Type.String(),
  target: Type.String(),
  config: WrittenConfig,
  assertions: Type.Array(WrittenAssertion),
  interval_seconds: Type.Integer(),
  down_interval_seconds: nullable(Type.Integer()),
  timeout_seconds: Type.Integer(),
  degraded_after_ms: nullable(Type.Integer()),
  regions: Type.Array(Type.String()),
  confirmation: Confirmation,
  retry: Retry,
  flap: Flap,
  tags: Tags,
  labels: Labels,
  severity_down: Severity,
  severity_degraded: Severity,
  open_on_degraded: Type.Boolean({ description: 'Whether a degraded state opens an incident, with the severity severity_degraded.' }),
  escalation_policy_id: nullable(Id),
  team_id: nullable(Id),
  group_id: nullable(Id),
  depends_on: Type.Array(Id, { description: 'Monitors that it depends on and that the caller may see.' }),
  dependency_hold_seconds: nullable(Type.Integer()),
  channel_ids: Type.Array(Id),
  tls_expiry_days: Type.Array(Type.Integer()),
  repeat_interval_seconds: nullable(Type.Integer()),
  paused_at: nullable(Instant),
  paused_by: nullable(Type.String({ description: 'Who paused it, as kind:id.' })),
  pause_reason: nullable(oneOf(pauseReasons)),
  pause_comment: nullable(Type.String()),
  resume_at: nullable(Instant),
  last_checked_at: instant('When the newest judged result was received.'),
  last_response_time_ms: nullable(Type.Number()),
  last_status_change_at: nullable(Instant),
  last_failure: Failure,
  region_states: Type.Array(RegionState),
  certificate: Certificate,
  uptime: Type.Object({ h24: Percent, d7: Percent, d30: Percent }, { description: 'Uptime in percent; null when there is no data.' }),
  open_incident_id: nullable(Id)
}

export const MonitorDetail = Type.Object(fields)
export type MonitorDetail = Static<typeof MonitorDetail>
export const MonitorList = list(MonitorDetail)

/** Answer of create. */
export const CreatedMonitor = Type.Object({ ...fields, next_check_at: instant('First slot of its regions.') })

const several = <T extends Parameters<typeof Type.Array>[0]>(item: T, maxItems = 100) => Type.Optional(Type.Array(item, { maxItems }))

export const monitorSorts = ['name', 'created_at', 'status', 'last_status_change_at'] as const
export type MonitorSort = (typeof monitorSorts)[number] | `-${(typeof monitorSorts)[number]}`
const sorts: MonitorSort[] = monitorSorts.flatMap((name): MonitorSort[] => [name, `-${name}`])

export const MonitorQuery = Type.Object(
  {
    ...paging,
    sort: Type.Optional(Type.Array(oneOf(sorts), { maxItems: 4, description: 'By name when absent; a leading - sorts descending.' })),
    status: several(oneOf(monitorStatuses)),
    phase: several(oneOf(monitorPhases)),
    type: several(Type.String({ minLength: 1, maxLength: 32 })),
    tag: several(Type.String({ minLength: 1, maxLength: 64 })),
    region: several(RegionCode),
    team_id: several(Id),
    group_id: several(Id),
    depends_on: several(Id),
    paused: Type.Optional(Type.Boolean()),
    ids: several(Id, 200),
    q: Type.Optional(
      Type.String({ minLength: 2, maxLength: 100, description: 'Part of the name or address; upper and lower case are the same.' })
    )
  },
  {
    additionalProperties: false,
    description: 'Also accepts label.<name>=<value>. Several values of one filter are combined with or, several filters with and.',
    patternProperties: {
      [LabelFilter]: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 20 }] }
    }
  }
)

/** MO-17. The answer holds all regions on one page. */
export const RegionItem = Type.Object({
  code: Type.String(),
  label: Type.String(),
  country: nullable(Type.String({ description: 'ISO 3166-1 code; null for a private location.' })),
  online: Type.Boolean(),
  probers_online: Type.Integer(),
  egress_ips: Type.Array(Type.String()),
  types: Type.Array(Type.String(), { description: 'Types of check that its online probers can run.' }),
  plan_min: Type.String({ description: 'The lowest plan that may choose it.' }),
  kind: oneOf(['public', 'private'])
})
export type RegionItem = Static<typeof RegionItem>
export const RegionList = list(RegionItem)
