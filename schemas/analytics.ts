/**
 * The contract of the analytics service: the parameters of each query and the row that it returns.
 * A caller sends POST /v1/query with { name, tenant_id, params } and receives { rows,
 * complete_until }. The SQL of a query is in clickhouse/queries/<name>.sql.
 *
 * Instants are epoch ms, durations are seconds, latencies are milliseconds, and shares are percent.
 * Ids are UUIDs in lower case. A range is from <= t < to. The caller must check first that its user
 * may see the monitors and heartbeats that it names: this service knows nothing about people.
 */

import type {
  AddressClass,
  AlertAction,
  AssertionResult,
  CapturedBody,
  CapturedHeader,
  CheckKind,
  CheckOutcome,
  CheckReason,
  CheckTimings,
  HeartbeatPhase,
  HeartbeatReason,
  HeartbeatStatus,
  Link,
  MonitorPhase,
  MonitorStatus,
  PingKind,
  RawOutcome,
  RegionVerdict,
  Severity
} from './generated/events.ts'
import type { Sight } from './http/visibility.ts'

export type EntityKind = 'monitor' | 'heartbeat'

/**
 * The facts about a monitor or heartbeat that the uptime queries need. From `created_at` to its
 * first transition, an entity counts as up. Its tags, its group and whether it is open decide which
 * maintenance windows cover it.
 */
export interface Entity {
  kind: EntityKind
  id: string
  created_at: number
  /**
   * False when it or its team is private: then only a window that names its id covers it, as in
   * streams/maintenance/windows.ts.
   */
  open: boolean
  tags?: readonly string[]
  group_id?: string | null
}

/**
 * `all` is one bucket over the whole range. The other buckets begin on the wall clock of the time
 * zone, and weeks begin on Monday. The first and last bucket are cut to the range.
 */
export type BucketSize = 'hour' | 'day' | 'week' | 'month' | 'all'

interface Range {
  from: number
  to: number
}

export interface ChecksListParams extends Range {
  monitor_id: string
  /** Empty: all. */
  regions?: readonly string[]
  outcomes?: readonly CheckOutcome[]
  reasons?: readonly CheckReason[]
  /** Keys of the last row of the previous page; null for the first page. */
  before?: { checked_at: number; seq: number; region: string } | null
  /** 1 to 1,001. Ask for one row more than a page holds to learn whether there is a next page. */
  limit: number
}

/**
 * One check. Rows are sorted by (checked_at, seq, region), newest first. Duplicate reports of the
 * same check by the prober become one row.
 */
export interface CheckRow {
  check_id: string
  monitor_id: string
  region: string
  seq: number
  kind: CheckKind
  count: boolean
  scheduled_at: number
  checked_at: number
  finished_at: number
  received_at: number
  skewed: boolean
  prober: string
  prober_version: string | null
  config_version: number
  attempts: number
  outcome: CheckOutcome
  ok: boolean
  reason: CheckReason | null
  message: string | null
  status_code: number | null
  timings_ms: CheckTimings
  response_bytes: number | null
  assertions: AssertionResult[]
  certificate_not_after: number | null
  certificate_issuer: string | null
  certificate_chain_ok: boolean | null
  domain_expires_at: number | null
  /**
   * True when the target's answer to this check is stored and the sink has seen it. The capture may
   * arrive a moment after the check.
   */
  captured: boolean
}

export interface CheckCaptureParams {
  monitor_id: string
  check_id: string
}

/** The target's answer to a failed check, as the prober stored it: redacted and cut. */
export interface CheckCaptureRow {
  check_id: string
  monitor_id: string
  region: string
  prober: string
  config_version: number
  captured_at: number
  received_at: number
  reason: CheckReason | null
  http_version: string | null
  status_code: number
  status_text: string | null
  headers: CapturedHeader[]
  headers_left_out: number
  body_kind: CapturedBody
  /** Size of the body as received, after decompression. */
  body_bytes: number
  /** The body was longer than the stored part, or it did not arrive completely. */
  body_cut: boolean
  /** Null unless the body is text. */
  body: string | null
}

export interface PingsListParams extends Range {
  heartbeat_id: string
  kinds?: readonly PingKind[]
  before?: { received_at: number; n: number } | null
  limit: number
}

/** One ping. Rows are sorted by (received_at, n), newest first. */
export interface PingRow {
  ping_id: string
  heartbeat_id: string
  /** Number of the ping. It grows per heartbeat, with gaps. */
  n: number
  kind: PingKind
  exit_code: number | null
  run_id: string | null
  received_at: number
  client_at: number | null
  /**
   * Milliseconds from the start ping of the same run to this ping. Null when the page's range has
   * no such start ping.
   */
  duration_ms: number | null
  method: string
  source_class: AddressClass
  user_agent: string | null
  body_bytes: number
  body_excerpt: string | null
}

export interface RunsParams extends Range {
  heartbeat_id: string
}

/**
 * Figures about runs that started and ended within the range. Durations are in milliseconds and
 * cover only the runs that succeeded; they are 0 or null when no run succeeded.
 */
export interface RunsRow {
  succeeded: number
  failed: number
  min: number
  avg: number | null
  p50: number | null
  p95: number | null
  max: number
}

export interface StatusChangesListParams extends Range {
  kind: EntityKind
  id: string
  before?: { at: number; ver: number } | null
  limit: number
}

/**
 * One transition. Rows are sorted by (at, ver), newest first. Duplicates that the relay sent become
 * one row.
 */
export interface StatusChangeRow {
  transition_id: string
  kind: EntityKind
  id: string
  ver: number
  at: number
  previous_status: MonitorStatus | HeartbeatStatus
  status: MonitorStatus | HeartbeatStatus
  previous_phase: MonitorPhase | HeartbeatPhase
  phase: MonitorPhase | HeartbeatPhase
  reason: CheckReason | HeartbeatReason | null
  message: string | null
  status_code: number | null
  severity: Severity
  /** The record that caused the transition, as topic:partition:offset. */
  cause: string
  /** Verdict by region code; empty for heartbeats. */
  votes: Record<string, RegionVerdict>
  expected_at: number | null
  deadline_at: number | null
  missed_count: number
}

export interface UptimeParams extends Range {
  entities: readonly Entity[]
  bucket: BucketSize
  /** IANA time zone. Buckets begin on its wall clock. Default UTC. */
  time_zone?: string
  /** What the caller's user may see. Incidents that they may not see do not count. */
  sight: Sight
}

/**
 * Seconds that one entity spent in each state during one bucket. They add up to the part of the
 * bucket in which the entity existed. Time in the future does not count.
 */
export interface UptimeRow {
  kind: EntityKind
  id: string
  /** Start and end of the bucket, cut to the range. */
  from: number
  to: number
  up_seconds: number
  /** The entity was up, but slow or only partly available. Counts as up. */
  degraded_seconds: number
  down_seconds: number
  maintenance_seconds: number
  /** The state was not known: no region had a fresh result, or the service itself had an outage. */
  unknown_seconds: number
  paused_seconds: number
  /** 100 x (up + degraded) / (up + degraded + down); null where that sum is 0. */
  uptime_percent: number | null
  /** Longest unbroken time down within the bucket. */
  longest_outage_seconds: number
  /** Incidents that opened in the bucket for this entity. Merged incidents are left out. */
  incidents: number
  /**
   * Checks with a verdict (success, degraded or failure), each counted once, and how many of them
   * were ok. Both are 0 for heartbeats.
   */
  checks: number
  checks_ok: number
  /**
   * 100 x checks_ok / checks; null when there were no checks. This second uptime figure counts
   * checks, not time.
   */
  checks_percent: number | null
}

export interface UptimeSummaryParams {
  entities: readonly Entity[]
  /** End of all three ranges. */
  at: number
}

/**
 * Time-weighted uptime over the 24 hours, 7 days and 30 days before `at`, in percent. Null when the
 * entity was neither up nor down in that time.
 */
export interface UptimeSummaryRow {
  kind: EntityKind
  id: string
  h24: number | null
  d7: number | null
  d30: number | null
}

export interface LatencyParams extends Range {
  monitor_ids: readonly string[]
  /** Empty: all. */
  regions?: readonly string[]
  bucket: BucketSize
  time_zone?: string
  /** True: one row per region. Otherwise regions are merged and `region` is ''. */
  by_region?: boolean
  /**
   * True (the default): one row per monitor. Otherwise monitors are merged and `monitor_id` is ''.
   */
  by_monitor?: boolean
}

/**
 * Total time of the checks that the target answered (success or degraded). Percentiles are computed
 * from mergeable sketches.
 */
export interface LatencyRow {
  monitor_id: string
  region: string
  from: number
  to: number
  count: number
  min: number
  avg: number
  stdev: number
  p50: number
  p75: number
  p90: number
  p95: number
  p99: number
  max: number
}

export type Phase = 'dns' | 'connect' | 'tls' | 'request' | 'first_byte' | 'download'

export interface LatencyPhasesParams extends Range {
  monitor_ids: readonly string[]
  regions?: readonly string[]
}

/**
 * One row for each phase that at least one check reached, over all the monitors named. It is
 * computed from single checks, so it reaches back only as far as checks are kept.
 */
export interface LatencyPhaseRow extends Omit<LatencyRow, 'monitor_id' | 'region' | 'from' | 'to'> {
  phase: Phase
}

export interface IncidentsParams extends Range {
  severities?: readonly Severity[]
  team_ids?: readonly string[]
  source_kinds?: readonly string[]
  /** Only incidents about these monitors. Empty: all monitors. */
  monitor_ids?: readonly string[]
  bucket: BucketSize
  time_zone?: string
  group_by?: 'none' | 'severity' | 'team' | 'monitor'
  /** What the caller's user may see. Incidents that they may not see do not count. */
  sight: Sight
}

/**
 * Incidents in the bucket in which they opened. `resolved` counts them in the bucket in which they
 * were resolved. Merged incidents are left out.
 */
export interface IncidentsRow {
  /**
   * Value of the `group_by` field. '' when there is no grouping, or when the incident has no team
   * or monitor.
   */
  group: string
  from: number
  to: number
  opened: number
  resolved: number
  acknowledged: number
  /**
   * Seconds from opened_at to the first acknowledgement, for incidents opened in the bucket. Null
   * when there were none.
   */
  mtta_avg: number | null
  mtta_p50: number | null
  mtta_p90: number | null
  /**
   * Seconds from started_at to resolved_at, for incidents resolved in the bucket. Null when there
   * were none.
   */
  mttr_avg: number | null
  mttr_p50: number | null
  mttr_p90: number | null
  reopened: number
}

export interface NoiseParams extends Range {
  /** 1 to 1,001. */
  limit: number
  /** What the caller's user may see. Objects that they may not see do not count. */
  sight: Sight
}

/**
 * Alerts and incidents of one source. The source with the most incidents comes first. Merged
 * incidents are left out.
 */
export interface NoiseRow {
  /** Kind of the incident's source: monitor, heartbeat, inbound, manual and others. */
  kind: string
  /** Source type of the integration; '' for other kinds. */
  type: string
  /** Id of the integration, monitor or heartbeat; '' for incidents that a person declared. */
  id: string
  /**
   * Alerts that a door accepted: `alerts` counts firing ones, `recoveries` counts recovered ones.
   */
  alerts: number
  recoveries: number
  /** Opened in the range. */
  incidents: number
  acknowledged: number
  /**
   * How many of the incidents recovered by themselves within 5 minutes, before anybody acknowledged
   * them.
   */
  noise: number
}

export interface IntegrationActivityParams {
  /** 1 to 2,000. */
  integration_ids: readonly string[]
  /** The current time by the caller's clock. */
  at: number
}

/** Recent activity of one integration. Integrations without activity have no row. */
export interface IntegrationActivityRow {
  integration_id: string
  /** When the last alert or stored delivery within 31 days was received. */
  last_event_at: number | null
  /** Alerts accepted within 24 hours. */
  events: number
  /**
   * Deliveries of the last 24 hours that were refused because the parser rejected them or because
   * they lacked proof of their sender.
   */
  errors: number
}

export interface AlertsListParams extends Range {
  integration_id: string
  dedup_key: string
  /**
   * The current time by the caller's clock. Alerts older than the plan's retention are not shown.
   */
  at: number
  before?: { received_at: number; n: number } | null
  limit: number
}

/** One alert that a door accepted. Rows are sorted by (received_at, n), newest first. */
export interface AlertRow {
  alert_id: string
  /** Number of the alert. It grows per signal key, with gaps. */
  n: number
  received_at: number
  occurred_at: number
  integration_id: string
  source: string
  action: AlertAction
  severity: Severity
  /**
   * The severity and the key in the sender's own words. Null when the sender gave none, or when the
   * alert is older than these columns.
   */
  source_severity: string | null
  source_dedup_key: string | null
  title: string
  labels: Record<string, string>
  links: Link[]
}

export interface DeliveriesListParams extends Range {
  integration_id: string
  outcomes?: readonly RawOutcome[]
  before?: { received_at: number; n: number } | null
  limit: number
}

/** One delivery as a door stored it. Rows are sorted by (received_at, n), newest first. */
export interface DeliveryRow {
  raw_id: string
  /** Number of the delivery. It grows per integration, with gaps. */
  n: number
  received_at: number
  source: string
  outcome: RawOutcome
  /** Error code and message when the delivery was refused. */
  reason: string | null
  alerts: number
  /** Before any cut. */
  bytes: number
  content_type: string | null
  payload_sha256: string
}

export interface DeliveryPayloadParams {
  integration_id: string
  raw_id: string
}

export interface DeliveryPayloadRow extends DeliveryRow {
  /** Encoding of `payload`: base64 when the bytes are not text. */
  encoding: 'utf8' | 'base64'
  /** Redacted by the door, and cut at 256 KiB. */
  payload: string
}

export interface Queries {
  checks_list: { params: ChecksListParams; row: CheckRow }
  check_capture: { params: CheckCaptureParams; row: CheckCaptureRow }
  pings_list: { params: PingsListParams; row: PingRow }
  runs: { params: RunsParams; row: RunsRow }
  status_changes_list: { params: StatusChangesListParams; row: StatusChangeRow }
  uptime: { params: UptimeParams; row: UptimeRow }
  uptime_summary: { params: UptimeSummaryParams; row: UptimeSummaryRow }
  latency: { params: LatencyParams; row: LatencyRow }
  latency_phases: { params: LatencyPhasesParams; row: LatencyPhaseRow }
  incidents: { params: IncidentsParams; row: IncidentsRow }
  noise: { params: NoiseParams; row: NoiseRow }
  integration_activity: { params: IntegrationActivityParams; row: IntegrationActivityRow }
  alerts_list: { params: AlertsListParams; row: AlertRow }
  deliveries_list: { params: DeliveriesListParams; row: DeliveryRow }
  delivery_payload: { params: DeliveryPayloadParams; row: DeliveryPayloadRow }
}

export type QueryName = keyof Queries

export const queryNames: readonly QueryName[] = [
  'checks_list',
  'check_capture',
  'pings_list',
  'runs',
  'status_changes_list',
  'uptime',
  'uptime_summary',
  'latency',
  'latency_phases',
  'incidents',
  'noise',
  'integration_activity',
  'alerts_list',
  'deliveries_list',
  'delivery_payload'
]

export type QueryRequest = { [N in QueryName]: { name: N; tenant_id: string; params: Queries[N]['params'] } }[QueryName]

export interface QueryAnswer<N extends QueryName> {
  rows: Queries[N]['row'][]
  /**
   * The answer contains everything that was on the log before this instant. Null while the sink
   * does not know yet.
   */
  complete_until: number | null
}

/**
 * The body of a failed query: bad_request (400: unknown query, or wrong or too many parameters),
 * unauthorized (401), not_found (404: another path or method), too_large (413), unavailable (503:
 * the engine is down or starting), timeout (504: the query took too long).
 */
export interface QueryFailure {
  error: { code: 'bad_request' | 'unauthorized' | 'not_found' | 'too_large' | 'unavailable' | 'timeout'; message: string }
}

/**
 * Largest number of rows in a page, of entities in one query, and of buckets and figures in one
 * answer. A query with more rows of figures returns `figures` + 1.
 */
export const queryLimits = { rows: 1001, entities: 2000, buckets: 800, figures: 20_000 } as const
