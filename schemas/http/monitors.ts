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
  description: 'Fresh regions that must vote down: a word, or 1 to 30. majority is strict.'
})

const FailureRate = nullable(
  Type.Object(
    {
      failures: Type.Integer({ minimum: 1, maximum: 100, description: 'Failed checks of a region that suffice.' }),
      window_seconds: Type.Integer({
        minimum: 60,
        maximum: 3600,
        description: 'Within so many seconds; successes in between are allowed.'
      })
    },
    { additionalProperties: false, description: 'Another way for a region to vote down; null: none.' }
  )
)

/**
 * When failures become down and when successes become up again, as it is stored. Missing fields
 * have their defaults.
 */
export const Confirmation = Type.Object(
  {
    regions: Quorum,
    rounds: Type.Integer({ minimum: 1, maximum: 10, description: 'Failures in a row before a region votes down.' }),
    min_seconds: Type.Integer({ minimum: 0, maximum: 3600, description: 'And at least so long since the first of them.' }),
    recovery_rounds: Type.Integer({ minimum: 1, maximum: 10, description: 'Successes in a row before a region votes up again.' }),
    recovery_seconds: Type.Integer({ minimum: 0, maximum: 3600, description: 'And at least so long good.' }),
    failure_rate: FailureRate,
    advisory_after_seconds: Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: 'A region that fails alone for so long is told of, and nobody is paged.'
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
    enabled: Type.Boolean({ description: 'Flapping is looked for.' }),
    window_rounds: Type.Integer({ minimum: 5, maximum: 20, description: 'Rounds that are looked back at.' }),
    high_percent: Type.Integer({ minimum: 5, maximum: 100, description: 'It begins with so many changes between good and bad.' }),
    low_percent: Type.Integer({ minimum: 0, maximum: 95, description: 'And ends with so few; less than high_percent.' })
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
    description: 'Between two checks of a region, from a failed one until it has recovered; null: as always.'
  })
)
const Timeout = Type.Integer({ minimum: 1, maximum: 60, description: 'Less than the interval.' })
const Degraded = nullable(Type.Integer({ minimum: 1, maximum: 60_000, description: 'A slower success counts as degraded, never as down.' }))
const Regions = Type.Array(RegionCode, { maxItems: 30, description: 'Empty: the service picks.' })
const TlsDays = Type.Array(Type.Integer({ minimum: 1, maximum: 90 }), {
  maxItems: 6,
  description: 'Days left of the certificate at which people are told; empty: never.'
})
const RepeatInterval = nullable(
  Type.Integer({
    minimum: 300,
    maximum: 86_400,
    description: 'Channels are reminded while its incident is ongoing and not acknowledged; null: they are not.'
  })
)
const DependsOn = Type.Array(Id, {
  maxItems: MAX_PARENTS,
  description: 'Monitors without which it cannot work: while one of them is down nobody is told that this one is.'
})
const DependencyHold = nullable(
  Type.Integer({
    minimum: 0,
    maximum: 300,
    description: 'How long the verdict of one that it depends on is waited for; null: as long as that takes.'
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
      description: 'Settings of the type; another type’s are refused.'
    })
  ),
  assertions: Type.Optional(
    Type.Array(Assertion, { maxItems: 20, description: 'All must hold. Empty: what the type takes for a success.' })
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
    Type.Boolean({ default: false, description: 'A degraded state opens an incident, of severity_degraded.' })
  ),
  tls_expiry_days: Type.Optional(TlsDays),
  repeat_interval_seconds: Type.Optional(RepeatInterval),
  escalation_policy_id: Type.Optional(
    Type.Unsafe<string | null>({ ...nullable(Id), description: 'null: routing rules, the team or the workspace decide.' })
  ),
  depends_on: Type.Optional(DependsOn),
  dependency_hold_seconds: Type.Optional(DependencyHold),
  team_id: Type.Optional(nullable(Id)),
  group_id: Type.Optional(Type.Unsafe<string | null>({ ...nullable(Id), description: 'The group that it stands under.' }))
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
    resume_at: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'At most 90 days ahead.' })),
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 129_600, description: 'Another way to say resume_at.' })),
    resolve_open: Type.Optional(Type.Boolean({ default: true, description: 'Resolve its open incident.' }))
  },
  action
)

export const CheckMonitorBody = Type.Object(
  {
    regions: Type.Optional(
      Type.Array(RegionCode, { minItems: 1, maxItems: 30, description: 'Some of those that check it; all, where absent.' })
    ),
    count: Type.Optional(Type.Boolean({ default: false, description: 'True: judged like any other check.' }))
  },
  action
)

export const CheckStarted = Type.Object({ check_ids: Type.Array(Id), poll_url: Type.String({ description: 'Where results appear.' }) })

/** MO-9. Has the fields of create, or, with `monitor_id`, those of an update of that monitor. */
export const ValidateMonitorBody = Type.Object(
  {
    name: Type.Optional(Name),
    type: Type.Optional(TypeName),
    ...settings,
    monitor_id: Type.Optional(
      Type.Unsafe<string>({ ...Id, description: 'A change of this monitor is tried; secrets that are left out are its own.' })
    ),
    region: Type.Optional(Type.Unsafe<string>({ ...RegionCode, description: 'Its probers check it once. Absent: it is only judged.' }))
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
  redirects: Type.Array(Type.String(), { description: 'Where it was sent on to, without queries.' })
})
export type TrialResult = Static<typeof TrialResult>

export const ValidateAnswer = Type.Object({
  valid: Type.Boolean({ description: 'Always true: what cannot be saved is refused as saving it would be.' }),
  regions: Type.Array(Type.String(), { description: 'That would check it.' }),
  warnings: Type.Array(
    Type.Object({
      path: nullable(Type.String({ description: 'Of the field; null: of the whole.' })),
      code: oneOf(trialWarnings),
      message: Type.String()
    })
  ),
  result: Type.Union([TrialResult, Type.Null()], { description: 'null: no region was asked, or it did not answer in time.' }),
  next_rounds: Type.Array(Instant, { description: 'The next five rounds; of a new monitor the first is when it is saved.' })
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
    action: oneOf(monitorBulkActions, { description: 'The other fields are those of the action.' }),
    patch: Type.Optional(
      Type.Object(
        {
          ...same,
          ...told,
          add_tags: Type.Optional(Type.Unsafe<string[]>({ ...Tags, description: 'Beside those that each has.' })),
          remove_tags: Type.Optional(Type.Unsafe<string[]>({ ...Tags, description: 'Of those that each has.' }))
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
  matched: Type.Integer({ description: 'How many were asked for, each once.' }),
  changed: Type.Array(Id, { description: 'Monitors that are as asked now, also those that were so before.' }),
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
    dry_run: Type.Optional(Type.Boolean({ default: true, description: 'True: says what would be done, and does nothing.' })),
    items: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        minItems: 1,
        maxItems: MAX_IMPORT,
        description:
          'Of native: bodies as create takes them, with `group`: the name of a group. One whose name is there changes that monitor.'
      })
    ),
    content: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_CSV, description: 'Of csv: the text of the file. Its first line names the fields.' })
    )
  },
  closed
)
export type ImportBody = Static<typeof ImportBody>

const Rows = Type.Integer({ description: 'From 1; of csv the line of names is none.' })
export const ImportAnswer = Type.Object({
  dry_run: Type.Boolean(),
  create: Type.Integer(),
  update: Type.Integer(),
  skip: Type.Integer({ description: 'They are there as they are wanted.' }),
  items: Type.Array(Type.Object({ row: Rows, name: Type.String(), action: oneOf(['create', 'update', 'skip']) })),
  groups: Type.Array(Type.String(), { description: 'Names of groups that are made.' }),
  errors: Type.Array(
    Type.Object({
      row: Rows,
      name: nullable(Type.String()),
      field: Type.String({ description: 'Empty: of the row as a whole.' }),
      code: Type.String(),
      message: Type.String()
    }),
    { description: 'With any of them nothing is imported.' }
  )
})
export type ImportAnswer = Static<typeof ImportAnswer>

export const pushedStates = ['up', 'down', 'degraded'] as const

export const PushResultBody = Type.Object(
  {
    state: oneOf(pushedStates),
    response_time_ms: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 3_600_000 }))),
    message: Type.Optional(nullable(Type.String({ maxLength: 1000, description: 'Why, for people.' }))),
    occurred_at: Type.Optional(
      Type.Unsafe<string>({ ...Instant, description: 'At most 24 hours ago, and 60 seconds ahead; now, where absent.' })
    ),
    dedup_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'A second state with it, within a day, changes nothing.' })
    )
  },
  action
)
export const PushedResult = Type.Object({
  accepted: Type.Boolean(),
  duplicate: Type.Boolean({ description: 'It was there already, by its dedup_id.' })
})
export type PushedResult = Static<typeof PushedResult>

const instant = (description: string) => nullable(Type.Unsafe<string>({ ...Instant, description }))
const Percent = nullable(Type.Number())

const RegionState = Type.Object({
  region: Type.String(),
  state: oneOf(['up', 'down', 'degraded', 'stale', 'pending'], {
    description: 'pending: neither a good result nor a confirmed failure yet.'
  }),
  since: nullable(Instant),
  response_time_ms: nullable(Type.Number()),
  advisory: Type.Boolean({ description: 'It alone has failed for confirmation.advisory_after_seconds.' })
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
  phase: oneOf(monitorPhases, { description: 'Detail behind the status.' }),
  effective_regions: Type.Array(Type.String(), {
    description: 'Configured regions that have a prober online, as far as the plan allows; empty where none are configured.'
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
  open_on_degraded: Type.Boolean({ description: 'A degraded state opens an incident, of severity_degraded.' }),
  escalation_policy_id: nullable(Id),
  team_id: nullable(Id),
  group_id: nullable(Id),
  depends_on: Type.Array(Id, { description: 'Those that the caller sees.' }),
  dependency_hold_seconds: nullable(Type.Integer()),
  channel_ids: Type.Array(Id),
  tls_expiry_days: Type.Array(Type.Integer()),
  repeat_interval_seconds: nullable(Type.Integer()),
  paused_at: nullable(Instant),
  paused_by: nullable(Type.String({ description: 'kind:id' })),
  pause_reason: nullable(oneOf(pauseReasons)),
  pause_comment: nullable(Type.String()),
  resume_at: nullable(Instant),
  last_checked_at: instant('When the newest judged result was received.'),
  last_response_time_ms: nullable(Type.Number()),
  last_status_change_at: nullable(Instant),
  last_failure: Failure,
  region_states: Type.Array(RegionState),
  certificate: Certificate,
  uptime: Type.Object({ h24: Percent, d7: Percent, d30: Percent }, { description: 'Percent; null without data.' }),
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
    sort: Type.Optional(Type.Array(oneOf(sorts), { maxItems: 4, description: 'name unless said otherwise; - for descending.' })),
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
    q: Type.Optional(Type.String({ minLength: 2, maxLength: 100, description: 'Part of the name or of the address, in any case.' }))
  },
  {
    additionalProperties: false,
    description: 'Also label.<name>=<value>. Several values of a filter mean or, several filters mean and.',
    patternProperties: {
      [LabelFilter]: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 20 }] }
    }
  }
)

/** MO-17. The answer holds all regions on one page. */
export const RegionItem = Type.Object({
  code: Type.String(),
  label: Type.String(),
  country: nullable(Type.String({ description: 'ISO 3166-1; null of a private location.' })),
  online: Type.Boolean(),
  probers_online: Type.Integer(),
  egress_ips: Type.Array(Type.String()),
  types: Type.Array(Type.String(), { description: 'Of check: those that its probers online can do.' }),
  plan_min: Type.String({ description: 'The least plan that may choose it.' }),
  kind: oneOf(['public', 'private'])
})
export type RegionItem = Static<typeof RegionItem>
export const RegionList = list(RegionItem)
