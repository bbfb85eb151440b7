/**
 * The questions that analytics answers: for every query its parameters and the row it returns. What
 * is asked goes over POST /v1/query as { name, tenant_id, params } and comes back as { rows,
 * complete_until }; the SQL of a query is in clickhouse/queries/<name>.sql.
 *
 * Instants are epoch ms, durations are seconds, latencies are milliseconds, shares are percent; ids
 * are UUIDs in lower case. A range is from <= t < to. Whoever asks has checked that the caller may
 * see the monitors and heartbeats that it names; nothing here knows people.
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
 * A monitor or heartbeat as uptime needs it: before its first transition it counts as up from
 * `created_at` on. Tags and group say which maintenance covers it.
 */
export interface Entity {
  kind: EntityKind
  id: string
  created_at: number
  tags?: readonly string[]
  group_id?: string | null
}

/**
 * `all` is one bucket over the whole range. Others begin at the wall clock of the time zone; weeks
 * begin on Monday. First and last bucket are cut to the range.
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
  /** Keys of the last row of the page before; null for the first page. */
  before?: { checked_at: number; seq: number; region: string } | null
  /** 1 to 1,001: ask for one more than a page holds to learn whether there is another. */
  limit: number
}

/** One check, newest first by (checked_at, seq, region); repeats by the prober are one row. */
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
  /** Its answer is kept, as far as the sink knows: it may come a moment after the check. */
  captured: boolean
}

export interface CheckCaptureParams {
  monitor_id: string
  check_id: string
}

/** The answer of a failed check, as its prober kept it: redacted and cut. */
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
  /** That came, as they unpack. */
  body_bytes: number
  /** There was more than is kept, or it did not come to its end. */
  body_cut: boolean
  /** Null unless it is text. */
  body: string | null
}

export interface PingsListParams extends Range {
  heartbeat_id: string
  kinds?: readonly PingKind[]
  before?: { received_at: number; n: number } | null
  limit: number
}

/** One ping, newest first by (received_at, n). */
export interface PingRow {
  ping_id: string
  heartbeat_id: string
  /** Number of the ping: grows per heartbeat, with gaps. */
  n: number
  kind: PingKind
  exit_code: number | null
  run_id: string | null
  received_at: number
  client_at: number | null
  /**
   * From the start ping of the same run to this one, in milliseconds, where there is one in the
   * page's range.
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
 * Runs that started and ended within the range. Durations are in milliseconds, of those that
 * succeeded: 0 or null where there are none.
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

/** One transition, newest first by (at, ver); repeats of the relay are one row. */
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
  /** topic:partition:offset of the record that decided. */
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
  /** IANA zone whose wall clock buckets begin by. Default UTC. */
  time_zone?: string
}

/**
 * Seconds in each state of one entity in one bucket; their sum is the bucket's part of the entity's
 * life. The future counts as nothing.
 */
export interface UptimeRow {
  kind: EntityKind
  id: string
  /** Bucket, cut to the range. */
  from: number
  to: number
  up_seconds: number
  /** Up, but slow or in part: counts as up. */
  degraded_seconds: number
  down_seconds: number
  maintenance_seconds: number
  /** We did not know: no fresh region, or an outage of ours. */
  unknown_seconds: number
  paused_seconds: number
  /** 100 x (up + degraded) / (up + degraded + down); null where that sum is 0. */
  uptime_percent: number | null
  /** Longest time down without a break, within the bucket. */
  longest_outage_seconds: number
  /** Incidents that opened in the bucket for this entity. */
  incidents: number
  /**
   * Judged checks (success, degraded, failure), each counted once, and those of them that were ok;
   * 0 for heartbeats.
   */
  checks: number
  checks_ok: number
  /** 100 x checks_ok / checks; null where there was none: the second figure, by counts. */
  checks_percent: number | null
}

export interface UptimeSummaryParams {
  entities: readonly Entity[]
  /** End of the three ranges. */
  at: number
}

/**
 * Time-weighted uptime over the 24 hours, 7 days and 30 days before `at`, in percent; null where
 * there was no time up or down.
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
  /** Rows by region too; else regions are merged and `region` is ''. */
  by_region?: boolean
  /** Rows by monitor too (default); else monitors are merged and `monitor_id` is ''. */
  by_monitor?: boolean
}

/**
 * Total time of the checks whose target answered (success or degraded). Percentiles come from
 * mergeable sketches.
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
 * One row per phase that any of the checks reached, over all monitors named; from the single
 * checks, so only as far back as they are kept.
 */
export interface LatencyPhaseRow extends Omit<LatencyRow, 'monitor_id' | 'region' | 'from' | 'to'> {
  phase: Phase
}

export interface IncidentsParams extends Range {
  severities?: readonly Severity[]
  team_ids?: readonly string[]
  source_kinds?: readonly string[]
  /** Monitors that the incidents are about. Empty: all. */
  monitor_ids?: readonly string[]
  bucket: BucketSize
  time_zone?: string
  group_by?: 'none' | 'severity' | 'team' | 'monitor'
  /** Of who asks: what they do not see does not count. */
  sight: Sight
}

/**
 * Incidents by bucket of their opening (resolved: of their resolution). Merged ones are left out.
 */
export interface IncidentsRow {
  /** Value of group_by; '' for none, or where an incident has no team or monitor. */
  group: string
  from: number
  to: number
  opened: number
  resolved: number
  acknowledged: number
  /**
   * opened_at to first acknowledgement, seconds, of those opened in the bucket; null where there
   * was none.
   */
  mtta_avg: number | null
  mtta_p50: number | null
  mtta_p90: number | null
  /**
   * started_at to resolved_at, seconds, of those resolved in the bucket; null where there was none.
   */
  mttr_avg: number | null
  mttr_p50: number | null
  mttr_p90: number | null
  reopened: number
}

export interface NoiseParams extends Range {
  /** 1 to 1,001. */
  limit: number
  /** Of who asks: what they do not see does not count. */
  sight: Sight
}

/** What one source reported and what became of it, the most incidents first; no merged ones. */
export interface NoiseRow {
  /** Of an incident's source: monitor, heartbeat, inbound, manual and the like. */
  kind: string
  /** Source type of the integration; '' for others. */
  type: string
  /** Of the integration, monitor or heartbeat; '' for what people declared. */
  id: string
  /** Accepted by a door: firing, and recovered. */
  alerts: number
  recoveries: number
  /** Opened in the range. */
  incidents: number
  acknowledged: number
  /** Of the incidents: over within 5 minutes, by themselves, and nobody had acknowledged. */
  noise: number
}

export interface IntegrationActivityParams {
  /** 1 to 2,000. */
  integration_ids: readonly string[]
  /** Now, as the asker has it. */
  at: number
}

/** What came through an integration of late; those without anything are missing. */
export interface IntegrationActivityRow {
  integration_id: string
  /** Receipt of the last alert or kept delivery within 31 days. */
  last_event_at: number | null
  /** Alerts accepted within 24 hours. */
  events: number
  /** Deliveries refused by their parser or for want of proof within 24 hours. */
  errors: number
}

export interface AlertsListParams extends Range {
  integration_id: string
  dedup_key: string
  /** Now, as the asker has it: what the plan no longer keeps is not shown. */
  at: number
  before?: { received_at: number; n: number } | null
  limit: number
}

/** One alert that a door accepted, newest first by (received_at, n). */
export interface AlertRow {
  alert_id: string
  /** Grows per signal key, with gaps. */
  n: number
  received_at: number
  occurred_at: number
  integration_id: string
  source: string
  action: AlertAction
  severity: Severity
  /** The sender's own word and key; null: none, or of before they were kept. */
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

/** One delivery as a door kept it, newest first by (received_at, n). */
export interface DeliveryRow {
  raw_id: string
  /** Grows per integration, with gaps. */
  n: number
  received_at: number
  source: string
  outcome: RawOutcome
  /** Error code and message for a refused one. */
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
  /** Of `payload`: base64 where the bytes are no text. */
  encoding: 'utf8' | 'base64'
  /** Redacted at the door, cut at 256 KiB. */
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
   * Everything that was on the log before this instant is in the answer; null until the sink knows.
   */
  complete_until: number | null
}

/**
 * What goes wrong, as { error: { code, message } }: bad_request (400: unknown query, wrong or too
 * many parameters), unauthorized (401), too_large (413), unavailable (503: the engine is away or
 * starting), timeout (504: the query took too long).
 */
export interface QueryFailure {
  error: { code: 'bad_request' | 'unauthorized' | 'not_found' | 'too_large' | 'unavailable' | 'timeout'; message: string }
}

/** Largest page, entities of one question, and buckets of one answer. */
export const queryLimits = { rows: 1001, entities: 2000, buckets: 800 } as const
