/**
 * One record of the log → its row, a line of the engine's TabSeparated format with the columns of columns.ts. A row follows from the record alone: no clock,
 * no look-up; what depends on the plan was stamped by the door. Throws Unfit when the record is no row of the table.
 *
 * REV is part of the token of every insert. It is raised when the same record makes other rows than before; batches announced under an earlier one keep theirs.
 */
import { isUtf8 } from 'node:buffer'
import type { Records } from '../../schemas/generated/events.ts'
import { decimal, instant, numbers, pairs, text, texts, uuid, whole } from './tsv.ts'

export const REV = 2

const DAY_SECONDS = 86_400
const MAX_UINT32 = 4_294_967_295

/** Classes keep parts whole: rows of one class and week expire within a few weeks of each other. */
const retentionClass = (days: number): number => (days <= 7 ? 7 : days <= 30 ? 30 : days <= 90 ? 90 : 400)
const expires = (at: number, days: number): number => Math.floor(at / 1000) + whole(days, 'retention_days', 0, 3660) * DAY_SECONDS

const flag = (value: boolean): string => (value ? 'true' : 'false')
/** Text that may be missing: '' for none. */
const optional = (value: string | null): string => (value === null ? '' : text(value))
const version = (value: number): number => whole(value, 'ver', 0, Number.MAX_SAFE_INTEGER)

/** Where the record stands on the log: the last two columns of every row. */
export interface Source {
  partition: number
  offset: bigint
}

const place = ({ partition, offset }: Source): string => `${partition}\t${offset}`

const join = (...fields: (string | number)[]): string => `${fields.join('\t')}\n`

/** Beside the others by far the most frequent row: one template, no list of fields. */
export function checkRow(r: Records['CheckResult'], source: Source): string {
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
    `${optional(r.team_id)}\t${r.visibility}\t${retentionClass(r.retention_days)}\t${expires(r.received_at, r.retention_days)}\t${place(source)}\n`
  )
}

export const pingRow = (r: Records['HeartbeatPing'], source: Source): string =>
  join(
    uuid(r.tenant_id, 'tenant_id'),
    uuid(r.heartbeat_id, 'heartbeat_id'),
    instant(r.received_at, 'received_at'),
    uuid(r.event_id, 'event_id'),
    r.kind,
    r.exit_code === null ? -1 : whole(r.exit_code, 'exit_code', 0, 255),
    optional(r.run_id),
    r.client_at ?? 0,
    text(r.method),
    r.source_class,
    optional(r.user_agent),
    whole(r.body_bytes, 'body_bytes', 0, MAX_UINT32),
    optional(r.body_excerpt),
    text(r.instance),
    optional(r.team_id),
    r.visibility,
    retentionClass(r.retention_days),
    expires(r.received_at, r.retention_days),
    place(source)
  )

export const alertRow = (r: Records['InboundAlert'], source: Source): string =>
  join(
    uuid(r.tenant_id, 'tenant_id'),
    uuid(r.integration_id, 'integration_id'),
    instant(r.received_at, 'received_at'),
    instant(r.occurred_at, 'occurred_at'),
    uuid(r.event_id, 'event_id'),
    text(r.source),
    r.action,
    r.severity,
    text(r.dedup_key),
    text(r.title),
    pairs(Object.entries(r.labels)),
    r.links.length === 0 ? '' : text(JSON.stringify(r.links)),
    optional(r.team_id),
    r.visibility,
    retentionClass(r.retention_days),
    expires(r.received_at, r.retention_days),
    place(source)
  )

export function rawAlertRow(r: Records['RawAlert'], source: Source): string {
  const readable = isUtf8(r.payload)
  return join(
    uuid(r.tenant_id, 'tenant_id'),
    uuid(r.integration_id, 'integration_id'),
    instant(r.received_at, 'received_at'),
    uuid(r.event_id, 'event_id'),
    text(r.source),
    r.outcome,
    optional(r.reason),
    whole(r.alerts, 'alerts', 0, MAX_UINT32),
    whole(r.bytes, 'bytes', 0, MAX_UINT32),
    optional(r.content_type),
    text(r.payload_sha256),
    readable ? 'utf8' : 'base64',
    readable ? text(r.payload.toString('utf8')) : r.payload.toString('base64'),
    place(source)
  )
}

export const usageRow = (r: Records['UsageCounter'], source: Source): string =>
  join(
    uuid(r.tenant_id, 'tenant_id'),
    instant(r.window, 'window'),
    text(r.instance),
    text(r.boot),
    instant(r.at, 'at'),
    whole(r.accepted, 'accepted', 0, Number.MAX_SAFE_INTEGER),
    whole(r.refused, 'refused', 0, Number.MAX_SAFE_INTEGER),
    whole(r.limit, 'limit', 0, Number.MAX_SAFE_INTEGER),
    expires(r.at, r.retention_days),
    place(source)
  )

export const monitorTransitionRow = (r: Records['MonitorTransition'], source: Source): string =>
  join(
    uuid(r.tenant_id, 'tenant_id'),
    uuid(r.monitor_id, 'monitor_id'),
    version(r.ver),
    uuid(r.event_id, 'event_id'),
    instant(r.at, 'at'),
    r.previous_at ?? 0,
    r.previous_status,
    r.status,
    r.previous_phase,
    r.phase,
    r.reason ?? '',
    optional(r.message),
    r.status_code ?? -1,
    r.severity,
    text(r.cause.src),
    pairs(r.vote.regions.map(({ region, state }) => [region, state])),
    flag(r.flapping),
    optional(r.team_id),
    r.visibility,
    place(source)
  )

export const heartbeatTransitionRow = (r: Records['HeartbeatTransition'], source: Source): string =>
  join(
    uuid(r.tenant_id, 'tenant_id'),
    uuid(r.heartbeat_id, 'heartbeat_id'),
    version(r.ver),
    uuid(r.event_id, 'event_id'),
    instant(r.at, 'at'),
    r.previous_at ?? 0,
    r.previous_status,
    r.status,
    r.previous_phase,
    r.phase,
    r.reason ?? '',
    r.severity,
    text(r.cause.src),
    r.expected_at ?? 0,
    r.deadline_at ?? 0,
    whole(r.missed_count, 'missed_count', 0, MAX_UINT32),
    flag(r.late),
    optional(r.team_id),
    r.visibility,
    place(source)
  )

export const incidentEventRow = (r: Records['IncidentEvent'], source: Source): string =>
  join(
    uuid(r.tenant_id, 'tenant_id'),
    uuid(r.incident_id, 'incident_id'),
    version(r.ver),
    uuid(r.event_id, 'event_id'),
    r.change,
    instant(r.at, 'at'),
    text(r.cause.src),
    optional(r.comment),
    r.incident.status,
    r.incident.severity,
    r.incident.source_kind,
    optional(r.team_id),
    r.visibility,
    place(source)
  )

/** The incident as the event left it. */
export const incidentRow = ({ incident: r }: Records['IncidentEvent'], source: Source): string =>
  join(
    uuid(r.tenant_id, 'tenant_id'),
    uuid(r.incident_id, 'incident_id'),
    version(r.ver),
    whole(r.number, 'number', 0, Number.MAX_SAFE_INTEGER),
    text(r.dedup_key),
    r.status,
    r.severity,
    text(r.title),
    r.source_kind,
    optional(r.source_type),
    optional(r.integration_id),
    optional(r.monitor_id),
    optional(r.heartbeat_id),
    optional(r.region),
    flag(r.is_major),
    optional(r.team_id),
    r.visibility,
    optional(r.assignee_id),
    instant(r.started_at, 'started_at'),
    instant(r.opened_at, 'opened_at'),
    r.acknowledged_at ?? 0,
    r.resolved_at ?? 0,
    optional(r.resolution_reason),
    optional(r.reopened_from),
    instant(r.updated_at, 'updated_at'),
    place(source)
  )

export const deliveryRow = (r: Records['Delivery'], source: Source): string =>
  join(
    uuid(r.tenant_id, 'tenant_id'),
    uuid(r.delivery_id, 'delivery_id'),
    version(r.ver),
    instant(r.at, 'at'),
    instant(r.queued_at, 'queued_at'),
    uuid(r.intent_id, 'intent_id'),
    optional(r.incident_id),
    r.incident_ver ?? 0,
    text(r.event),
    text(r.channel_kind),
    optional(r.channel_id),
    optional(r.user_id),
    r.state,
    r.suppressed_by ?? '',
    whole(r.attempt, 'attempt', 0, 65_535),
    flag(r.manual),
    r.outcome ?? '',
    r.http_status ?? -1,
    optional(r.error_code),
    r.latency_ms ?? -1,
    optional(r.team_id),
    r.visibility,
    place(source)
  )

export function windowRow(r: Records['MaintenanceWindow'], source: Source): string {
  const once = r.schedule_kind === 'once' && r.starts_at !== null && r.ends_at !== null
  const spans = r.spans.length > 0 || !once ? r.spans : [{ starts_at: r.starts_at ?? 0, ends_at: r.ends_at ?? 0 }]
  return join(
    uuid(r.tenant_id, 'tenant_id'),
    uuid(r.window_id, 'window_id'),
    version(r.ver),
    flag(false),
    r.state,
    r.effect,
    flag(r.count_in_uptime),
    flag(r.scope.all),
    texts(r.scope.monitor_ids),
    texts(r.scope.heartbeat_ids),
    texts(r.scope.group_ids),
    texts(r.scope.tags),
    numbers(spans.map((span) => span.starts_at)),
    numbers(spans.map((span) => span.ends_at)),
    instant(r.updated_at, 'updated_at'),
    place(source)
  )
}

/** A tombstone, which has only headers: the window is gone, in a version above those it had. */
export const deletedWindowRow = (
  { tenant_id, window_id, ver, at }: { tenant_id: string; window_id: string; ver: number; at: number },
  source: Source
): string =>
  join(
    uuid(tenant_id, 'tenant_id'),
    uuid(window_id, 'key'),
    version(ver),
    flag(true),
    'cancelled',
    '',
    flag(true),
    flag(false),
    '[]',
    '[]',
    '[]',
    '[]',
    '[]',
    '[]',
    instant(at, 'timestamp'),
    place(source)
  )

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** For a record that is no row elsewhere; this one always is. */
export const rejectedRow = (
  { topic, at, reason, error, bytes }: { topic: string; at: number; reason: string; error: string; bytes: number },
  source: Source
): string => join(NOBODY, text(topic), instant(Math.max(0, at), 'timestamp'), text(reason), text(error.slice(0, 500)), bytes, place(source))
