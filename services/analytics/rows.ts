/**
 * Turns one record of the log into its row, a line of the engine's TabSeparated format. A row
 * depends on the record alone: it needs no clock and no look-up, and values that depend on the plan
 * were stamped when the record was taken in.
 *
 * REV is part of the token of every insert. Raise it when the same record makes other rows than
 * before; batches announced under an earlier REV keep theirs.
 */
import { isUtf8 } from 'node:buffer'
import type { Records } from '../../schemas/generated/events.ts'
import { handWritten, place, rowsLike, type Source, table, type Writers } from './table.ts'
import { decimal, flag, instant, numbers, pairs, text, texts, uuid, version, whole } from './tsv.ts'
import { spansOf, windowSpans } from './window-spans.ts'

export const REV = 4

const DAY_SECONDS = 86_400
const MAX_UINT32 = 4_294_967_295

/**
 * Retention is grouped into classes so that parts expire whole: the rows of one class and week
 * expire within a few weeks of each other.
 */
const retentionClass = (days: number): number => (days <= 7 ? 7 : days <= 30 ? 30 : days <= 90 ? 90 : 400)
const expires = (at: number, days: number): number => Math.floor(at / 1000) + whole(days, 'retention_days', 0, 3660) * DAY_SECONDS

/** A text that may be missing: '' when it is. */
const optional = (value: string | null): string => (value === null ? '' : text(value))

/** Each line names the columns that the same line of `checkRow` writes. */
const checkColumns = [
  ['tenant_id', 'monitor_id', 'region', 'seq'],
  ['checked_at', 'scheduled_at', 'finished_at'],
  ['received_at', 'check_id', 'kind', 'counted', 'skewed'],
  ['attempts', 'outcome', 'ok', 'reason', 'message', 'status_code'],
  ['dns_ms', 'connect_ms', 'tls_ms', 'request_ms', 'first_byte_ms', 'download_ms'],
  ['total_ms', 'response_bytes', 'assertions', 'certificate_not_after', 'certificate_issuer', 'certificate_chain_ok'],
  ['domain_expires_at', 'config_version', 'prober', 'prober_version'],
  ['team_id', 'visibility', 'retention_class', 'expires_at']
].flat()

/**
 * Checks are by far the most frequent rows. So this is one hand-written template without a list of
 * writers.
 */
function checkRow(r: Records['CheckResult'], source: Source): string {
  const t = r.timings_ms
  const assertions = r.assertions.length === 0 ? '' : text(JSON.stringify(r.assertions))
  const chain = r.certificate_chain_ok === null ? -1 : r.certificate_chain_ok ? 1 : 0
  return (
    `${uuid(r.tenant_id, 'tenant_id')}\t${uuid(r.monitor_id, 'monitor_id')}\t${text(r.region)}\t${r.seq}\t` +
    `${instant(r.checked_at, 'checked_at')}\t${instant(r.scheduled_at, 'scheduled_at')}\t${instant(r.finished_at, 'finished_at')}\t` +
    `${instant(r.received_at, 'received_at')}\t${uuid(r.event_id, 'event_id')}\t${r.kind}\t${flag(r.count)}\t${flag(r.skewed)}\t` +
    `${whole(r.attempts, 'attempts', 0, 65_535)}\t${r.outcome}\t${flag(r.ok)}\t${r.reason ?? ''}\t${optional(r.message)}\t${r.status_code ?? -1}\t` +
    `${decimal(t.dns)}\t${decimal(t.connect)}\t${decimal(t.tls)}\t${decimal(t.request)}\t${decimal(t.first_byte)}\t${decimal(t.download)}\t` +
    `${decimal(t.total)}\t${r.response_bytes ?? -1}\t${assertions}\t${r.certificate_not_after ?? 0}\t${optional(r.certificate_issuer)}\t${chain}\t` +
    `${r.domain_expires_at ?? 0}\t${whole(r.config_version, 'config_version', 0, MAX_UINT32)}\t${text(r.prober)}\t${optional(r.prober_version)}\t` +
    `${optional(r.team_id)}\t${r.visibility}\t${retentionClass(r.retention_days)}\t${expires(r.received_at, r.retention_days)}\t${place(source)}`
  )
}

const pings = table<Records['HeartbeatPing']>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  heartbeat_id: (r) => uuid(r.heartbeat_id, 'heartbeat_id'),
  received_at: (r) => instant(r.received_at, 'received_at'),
  ping_id: (r) => uuid(r.event_id, 'event_id'),
  kind: (r) => r.kind,
  exit_code: (r) => (r.exit_code === null ? -1 : whole(r.exit_code, 'exit_code', 0, 255)),
  run_id: (r) => optional(r.run_id),
  client_at: (r) => r.client_at ?? 0,
  method: (r) => text(r.method),
  source_class: (r) => r.source_class,
  user_agent: (r) => optional(r.user_agent),
  body_bytes: (r) => whole(r.body_bytes, 'body_bytes', 0, MAX_UINT32),
  body_excerpt: (r) => optional(r.body_excerpt),
  instance: (r) => text(r.instance),
  team_id: (r) => optional(r.team_id),
  visibility: (r) => r.visibility,
  retention_class: (r) => retentionClass(r.retention_days),
  expires_at: (r) => expires(r.received_at, r.retention_days)
})

const alerts = table<Records['InboundAlert']>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  integration_id: (r) => uuid(r.integration_id, 'integration_id'),
  received_at: (r) => instant(r.received_at, 'received_at'),
  occurred_at: (r) => instant(r.occurred_at, 'occurred_at'),
  alert_id: (r) => uuid(r.event_id, 'event_id'),
  source: (r) => text(r.source),
  action: (r) => r.action,
  severity: (r) => r.severity,
  source_severity: (r) => optional(r.source_severity),
  dedup_key: (r) => text(r.dedup_key),
  source_dedup_key: (r) => text(r.source_dedup_key),
  by_former_key: (r) => (r.by_former_key ? 'true' : 'false'),
  title: (r) => text(r.title),
  labels: (r) => pairs(Object.entries(r.labels)),
  links: (r) => (r.links.length === 0 ? '' : text(JSON.stringify(r.links))),
  team_id: (r) => optional(r.team_id),
  visibility: (r) => r.visibility,
  retention_class: (r) => retentionClass(r.retention_days),
  expires_at: (r) => expires(r.received_at, r.retention_days)
})

const rawAlerts = table<{ r: Records['RawAlert']; readable: boolean }>({
  tenant_id: ({ r }) => uuid(r.tenant_id, 'tenant_id'),
  integration_id: ({ r }) => uuid(r.integration_id, 'integration_id'),
  received_at: ({ r }) => instant(r.received_at, 'received_at'),
  raw_id: ({ r }) => uuid(r.event_id, 'event_id'),
  source: ({ r }) => text(r.source),
  outcome: ({ r }) => r.outcome,
  reason: ({ r }) => optional(r.reason),
  alerts: ({ r }) => whole(r.alerts, 'alerts', 0, MAX_UINT32),
  bytes: ({ r }) => whole(r.bytes, 'bytes', 0, MAX_UINT32),
  content_type: ({ r }) => optional(r.content_type),
  payload_sha256: ({ r }) => text(r.payload_sha256),
  encoding: ({ readable }) => (readable ? 'utf8' : 'base64'),
  payload: ({ r, readable }) => (readable ? text(r.payload.toString('utf8')) : r.payload.toString('base64'))
})

const captures = table<Records['CheckCapture']>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  monitor_id: (r) => uuid(r.monitor_id, 'monitor_id'),
  received_at: (r) => instant(r.received_at, 'received_at'),
  captured_at: (r) => instant(r.captured_at, 'captured_at'),
  check_id: (r) => uuid(r.event_id, 'event_id'),
  region: (r) => text(r.region),
  prober: (r) => text(r.prober),
  config_version: (r) => whole(r.config_version, 'config_version', 0, MAX_UINT32),
  reason: (r) => r.reason ?? '',
  http_version: (r) => optional(r.http_version),
  status_code: (r) => whole(r.status_code, 'status_code', 0, 999),
  status_text: (r) => optional(r.status_text),
  headers: (r) => text(JSON.stringify(r.headers)),
  headers_left_out: (r) => whole(r.headers_left_out, 'headers_left_out', 0, MAX_UINT32),
  body_kind: (r) => r.body_kind,
  body_bytes: (r) => whole(r.body_bytes, 'body_bytes', 0, Number.MAX_SAFE_INTEGER),
  body_cut: (r) => flag(r.body_cut),
  body: (r) => optional(r.body)
})

const usage = table<Records['UsageCounter']>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  window_at: (r) => instant(r.window, 'window'),
  instance: (r) => text(r.instance),
  boot: (r) => text(r.boot),
  at: (r) => instant(r.at, 'at'),
  accepted: (r) => whole(r.accepted, 'accepted', 0, Number.MAX_SAFE_INTEGER),
  refused: (r) => whole(r.refused, 'refused', 0, Number.MAX_SAFE_INTEGER),
  admits: (r) => whole(r.limit, 'limit', 0, Number.MAX_SAFE_INTEGER),
  expires_at: (r) => expires(r.at, r.retention_days)
})

const monitorTransitions = table<Records['MonitorTransition']>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  monitor_id: (r) => uuid(r.monitor_id, 'monitor_id'),
  ver: (r) => version(r.ver),
  transition_id: (r) => uuid(r.event_id, 'event_id'),
  at: (r) => instant(r.at, 'at'),
  previous_at: (r) => r.previous_at ?? 0,
  previous_status: (r) => r.previous_status,
  status: (r) => r.status,
  previous_phase: (r) => r.previous_phase,
  phase: (r) => r.phase,
  reason: (r) => r.reason ?? '',
  message: (r) => optional(r.message),
  status_code: (r) => r.status_code ?? -1,
  severity: (r) => r.severity,
  cause: (r) => text(r.cause.src),
  votes: (r) => pairs(r.vote.regions.map(({ region, state }) => [region, state])),
  flapping: (r) => flag(r.flapping),
  team_id: (r) => optional(r.team_id),
  visibility: (r) => r.visibility
})

const heartbeatTransitions = table<Records['HeartbeatTransition']>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  heartbeat_id: (r) => uuid(r.heartbeat_id, 'heartbeat_id'),
  ver: (r) => version(r.ver),
  transition_id: (r) => uuid(r.event_id, 'event_id'),
  at: (r) => instant(r.at, 'at'),
  previous_at: (r) => r.previous_at ?? 0,
  previous_status: (r) => r.previous_status,
  status: (r) => r.status,
  previous_phase: (r) => r.previous_phase,
  phase: (r) => r.phase,
  reason: (r) => r.reason ?? '',
  severity: (r) => r.severity,
  cause: (r) => text(r.cause.src),
  expected_at: (r) => r.expected_at ?? 0,
  deadline_at: (r) => r.deadline_at ?? 0,
  missed_count: (r) => whole(r.missed_count, 'missed_count', 0, MAX_UINT32),
  late: (r) => flag(r.late),
  team_id: (r) => optional(r.team_id),
  visibility: (r) => r.visibility
})

const incidentEvents = table<Records['IncidentEvent']>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  incident_id: (r) => uuid(r.incident_id, 'incident_id'),
  ver: (r) => version(r.ver),
  event_id: (r) => uuid(r.event_id, 'event_id'),
  change: (r) => r.change,
  at: (r) => instant(r.at, 'at'),
  cause: (r) => text(r.cause.src),
  comment: (r) => optional(r.comment),
  status: (r) => r.incident.status,
  severity: (r) => r.incident.severity,
  source_kind: (r) => r.incident.source_kind,
  team_id: (r) => optional(r.team_id),
  visibility: (r) => r.visibility
})

type Incident = Records['IncidentEvent']['incident']

/** The last six digits of the number: of the versions of one millisecond, the highest counts. */
const MAX_VER = 999_999

/**
 * Returns the number by which a later state of an incident replaces an earlier one: the time of its
 * last change, then its version. This time never goes back from one version to the next. The
 * version goes back when Postgres is restored beside a kept log.
 */
const orderOf = ({ updated_at, ver }: Incident): string => `${updated_at}${String(Math.min(version(ver), MAX_VER)).padStart(6, '0')}`

/** The incident after its event. */
const incidents = table<Records['IncidentEvent']>({
  tenant_id: ({ incident: r }) => uuid(r.tenant_id, 'tenant_id'),
  incident_id: ({ incident: r }) => uuid(r.incident_id, 'incident_id'),
  ver: ({ incident: r }) => orderOf(r),
  number: ({ incident: r }) => whole(r.number, 'number', 0, Number.MAX_SAFE_INTEGER),
  dedup_key: ({ incident: r }) => text(r.dedup_key),
  status: ({ incident: r }) => r.status,
  severity: ({ incident: r }) => r.severity,
  title: ({ incident: r }) => text(r.title),
  source_kind: ({ incident: r }) => r.source_kind,
  source_type: ({ incident: r }) => optional(r.source_type),
  integration_id: ({ incident: r }) => optional(r.integration_id),
  monitor_id: ({ incident: r }) => optional(r.monitor_id),
  heartbeat_id: ({ incident: r }) => optional(r.heartbeat_id),
  region: ({ incident: r }) => optional(r.region),
  is_major: ({ incident: r }) => flag(r.is_major),
  team_id: ({ incident: r }) => optional(r.team_id),
  visibility: ({ incident: r }) => r.visibility,
  assignee_id: ({ incident: r }) => optional(r.assignee_id),
  started_at: ({ incident: r }) => instant(r.started_at, 'started_at'),
  opened_at: ({ incident: r }) => instant(r.opened_at, 'opened_at'),
  acknowledged_at: ({ incident: r }) => r.acknowledged_at ?? 0,
  resolved_at: ({ incident: r }) => r.resolved_at ?? 0,
  resolution_reason: ({ incident: r }) => optional(r.resolution_reason),
  reopened_from: ({ incident: r }) => optional(r.reopened_from),
  updated_at: ({ incident: r }) => instant(r.updated_at, 'updated_at')
})

/** The change, and the fields of the alert after it that queries group by. */
const alertEvents = table<Records['AlertEvent']>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  alert_id: (r) => uuid(r.alert_id, 'alert_id'),
  ver: (r) => version(r.ver),
  event_id: (r) => uuid(r.event_id, 'event_id'),
  change: (r) => r.change,
  at: (r) => instant(r.at, 'at'),
  cause: (r) => text(r.cause.src),
  comment: (r) => optional(r.comment),
  incident_id: (r) => optional(r.incident_id),
  dedup_key: ({ alert }) => text(alert.dedup_key),
  status: ({ alert }) => alert.status,
  severity: ({ alert }) => alert.severity,
  title: ({ alert }) => text(alert.title),
  source_kind: ({ alert }) => alert.source_kind,
  source_type: ({ alert }) => optional(alert.source_type),
  integration_id: ({ alert }) => optional(alert.integration_id),
  monitor_id: ({ alert }) => optional(alert.monitor_id),
  heartbeat_id: ({ alert }) => optional(alert.heartbeat_id),
  routing_version: ({ alert }) => whole(alert.routing_version, 'routing_version', 0, Number.MAX_SAFE_INTEGER),
  suppressed_by_rule_id: ({ alert }) => optional(alert.routing?.suppressed_by_rule_id ?? null),
  opened_at: ({ alert }) => instant(alert.opened_at, 'opened_at'),
  acknowledged_at: ({ alert }) => alert.acknowledged_at ?? 0,
  resolved_at: ({ alert }) => alert.resolved_at ?? 0,
  resolution_reason: ({ alert }) => optional(alert.resolution_reason),
  team_id: (r) => optional(r.team_id),
  visibility: (r) => r.visibility
})

const deliveries = table<Records['Delivery']>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  delivery_id: (r) => uuid(r.delivery_id, 'delivery_id'),
  ver: (r) => version(r.ver),
  at: (r) => instant(r.at, 'at'),
  queued_at: (r) => instant(r.queued_at, 'queued_at'),
  intent_id: (r) => uuid(r.intent_id, 'intent_id'),
  incident_id: (r) => optional(r.incident_id),
  incident_ver: (r) => r.incident_ver ?? 0,
  event: (r) => text(r.event),
  channel_kind: (r) => text(r.channel_kind),
  channel_id: (r) => optional(r.channel_id),
  user_id: (r) => optional(r.user_id),
  state: (r) => r.state,
  suppressed_by: (r) => r.suppressed_by ?? '',
  attempt: (r) => whole(r.attempt, 'attempt', 0, 65_535),
  manual: (r) => flag(r.manual),
  outcome: (r) => r.outcome ?? '',
  http_status: (r) => r.http_status ?? -1,
  error_code: (r) => optional(r.error_code),
  latency_ms: (r) => r.latency_ms ?? -1,
  team_id: (r) => optional(r.team_id),
  visibility: (r) => r.visibility
})

type Window = Records['MaintenanceWindow']

const windowWriters = {
  tenant_id: ({ r }) => uuid(r.tenant_id, 'tenant_id'),
  window_id: ({ r }) => uuid(r.window_id, 'window_id'),
  ver: ({ r }) => version(r.ver),
  deleted: () => flag(false),
  state: ({ r }) => r.state,
  effect: ({ r }) => r.effect,
  count_in_uptime: ({ r }) => flag(r.count_in_uptime),
  covers_all: ({ r }) => flag(r.scope.all),
  monitor_ids: ({ r }) => texts(r.scope.monitor_ids),
  heartbeat_ids: ({ r }) => texts(r.scope.heartbeat_ids),
  group_ids: ({ r }) => texts(r.scope.group_ids),
  tags: ({ r }) => texts(r.scope.tags),
  starts: ({ spans }) => numbers(spans.map((span) => span.starts_at)),
  ends: ({ spans }) => numbers(spans.map((span) => span.ends_at)),
  updated_at: ({ r }) => instant(r.updated_at, 'updated_at')
} satisfies Writers<{ r: Window; spans: Window['spans'] }>
const windows = table(windowWriters)

/**
 * A tombstone, which has only headers: the window was deleted. Its version is higher than all
 * before.
 */
interface DeletedWindow {
  tenant_id: string
  window_id: string
  ver: number
  at: number
}

const deletedWindowWriters: Writers<DeletedWindow, keyof typeof windowWriters> = {
  tenant_id: ({ tenant_id }) => uuid(tenant_id, 'tenant_id'),
  window_id: ({ window_id }) => uuid(window_id, 'key'),
  ver: ({ ver }) => version(ver),
  deleted: () => flag(true),
  state: () => 'cancelled',
  effect: () => '',
  count_in_uptime: () => flag(true),
  covers_all: () => flag(false),
  monitor_ids: () => '[]',
  heartbeat_ids: () => '[]',
  group_ids: () => '[]',
  tags: () => '[]',
  starts: () => '[]',
  ends: () => '[]',
  updated_at: ({ at }) => instant(at, 'timestamp')
}
export const deletedWindowRow = rowsLike<DeletedWindow>(windows, deletedWindowWriters)

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** The row of a record that fits no other table. This row always fits. */
export interface Rejected {
  topic: string
  at: number
  reason: string
  error: string
  bytes: number
}

const rejected = table<Rejected>({
  tenant_id: () => NOBODY,
  topic: ({ topic }) => text(topic),
  recorded_at: ({ at }) => instant(Math.max(0, at), 'timestamp'),
  reason: ({ reason }) => text(reason),
  error: ({ error }) => text(error.slice(0, 500)),
  bytes: ({ bytes }) => bytes
})

/** The tables of clickhouse/*.sql that the sink fills. */
export const tables = {
  check_results: handWritten(checkColumns, checkRow),
  heartbeat_pings: pings,
  alert_ingest: alerts,
  alerts_raw: {
    columns: rawAlerts.columns,
    row: (r: Records['RawAlert'], source: Source) => rawAlerts.row({ r, readable: isUtf8(r.payload) }, source)
  },
  check_captures: captures,
  ingest_usage: usage,
  monitor_transitions: monitorTransitions,
  heartbeat_transitions: heartbeatTransitions,
  incident_events: incidentEvents,
  incidents,
  alert_events: alertEvents,
  notification_deliveries: deliveries,
  maintenance_windows: {
    columns: windows.columns,
    row: (r: Window, source: Source) => windows.row({ r, spans: spansOf(r) }, source)
  },
  maintenance_spans: windowSpans,
  rejected
}
