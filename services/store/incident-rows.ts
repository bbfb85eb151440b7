/**
 * The rows of incidents and of their signals: the columns, and how a row is written and read.
 * incidents.ts locks, loads and saves them.
 */
import type { Alert, Incident, IncidentRouting } from '../../schemas/generated/events.ts'
import { sortedByKey } from '../../schemas/text-order.ts'
import type { Saved } from '../../streams/incident/fold.ts'
import type { SignalRow } from '../../streams/incident/signals.ts'
import { endToEnd } from './end-to-end.ts'

/** Columns of `incidents`: the fields of the Incident record. */
export const INCIDENT_COLUMNS = [
  'tenant_id',
  'incident_id',
  'ver',
  'number',
  'dedup_key',
  'status',
  'severity',
  'title',
  'summary',
  'source_kind',
  'source_type',
  'integration_id',
  'monitor_id',
  'heartbeat_id',
  'region',
  'affected_regions',
  'is_major',
  'team_id',
  'visibility',
  'escalation_policy_id',
  'routing_version',
  'assignee_id',
  'acknowledged_at',
  'acknowledged_by',
  'resolved_at',
  'resolved_by',
  'resolution_reason',
  'manually_closed_at',
  'manually_closed_by',
  'promoted_at',
  'silenced_until',
  'silenced_by',
  'priority',
  'labels',
  'links',
  'started_at',
  'detected_at',
  'opened_at',
  'updated_at',
  'reopened_from',
  'original_title',
  'routing',
  'alert_count',
  'ongoing_alerts',
  'flapping',
  'storm_until',
  'merged_into',
  'tags'
] as const satisfies readonly (keyof Incident)[]

/** Columns of `alerts`: the fields of the Alert record. */
export const ALERT_COLUMNS = [
  'tenant_id',
  'alert_id',
  'ver',
  'incident_id',
  'dedup_key',
  'status',
  'severity',
  'title',
  'summary',
  'source_kind',
  'source_type',
  'integration_id',
  'monitor_id',
  'heartbeat_id',
  'region',
  'affected_regions',
  'is_major',
  'team_id',
  'visibility',
  'escalation_policy_id',
  'routing_version',
  'acknowledged_at',
  'acknowledged_by',
  'resolved_at',
  'resolved_by',
  'resolution_reason',
  'manually_closed_at',
  'manually_closed_by',
  'promoted_at',
  'priority',
  'labels',
  'links',
  'started_at',
  'detected_at',
  'opened_at',
  'updated_at',
  'reopened_from',
  'routing'
] as const satisfies readonly (keyof Alert)[]

/** Columns of `signals`: the fields of a row. */
export const SIGNAL_COLUMNS = [
  'tenant_id',
  'dedup_key',
  'incident_id',
  'alert_id',
  'last_action',
  'last_at',
  'last_time_source',
  'last_sender_at',
  'last_sequence',
  'last_delivery_id',
  'last_offset',
  'suppressed_until',
  'occurrences',
  'last_seen_at',
  'unapplied',
  'facts'
] as const satisfies readonly (keyof SignalRow)[]

/** A column list of signals for `alias`. */
export const signalColumnsOf = (alias: string): string => SIGNAL_COLUMNS.map((column) => `${alias}.${column}`).join(', ')

/** A column list of alerts for `alias`. */
export const alertColumnsOf = (alias: string): string => ALERT_COLUMNS.map((column) => `${alias}.${column}`).join(', ')

/** A column list for `alias`. */
export const columnsOf = (alias: string): string => INCIDENT_COLUMNS.map((column) => `${alias}.${column}`).join(', ')

/**
 * Returns a row as a record that equals the folded one, including the order of keys, which jsonb
 * does not keep.
 */
export const toIncident = (row: Incident): Incident => ({
  ...row,
  labels: sortedByKey(row.labels),
  links: row.links.map(({ title, url }) => ({ title, url })),
  routing: row.routing && toRouting(row.routing)
})

/** Returns a row as a record, as toIncident does. */
export const toAlert = (row: Alert): Alert => ({
  ...row,
  labels: sortedByKey(row.labels),
  links: row.links.map(({ title, url }) => ({ title, url })),
  routing: row.routing && toRouting(row.routing)
})

const toRouting = ({
  matched_rule_ids,
  suppressed_by_rule_id,
  severity_by_rule,
  notify_resolved,
  auto_resolve_minutes,
  // Rows written before this field existed have none.
  channel_ids = null
}: IncidentRouting): IncidentRouting => ({
  matched_rule_ids,
  suppressed_by_rule_id,
  severity_by_rule,
  notify_resolved,
  auto_resolve_minutes,
  channel_ids
})

const MINUTE_MS = 60_000
let minute = -1
/** Start of the text for that minute: `2026-03-01T12:00:`. */
let beginning = ''

/**
 * Same result as Date.toISOString, which costs more than the rest of a row. The times of one batch
 * lie in few minutes, so the text of the minute is kept.
 */
function iso(ms: number | null): string | null {
  if (ms === null) return null
  const of = Math.floor(ms / MINUTE_MS)
  const text = ms - of * MINUTE_MS + 100_000 // Six digits: 1, seconds, milliseconds.
  if (!Number.isInteger(text)) return new Date(ms).toISOString()
  if (of !== minute) {
    beginning = new Date(of * MINUTE_MS).toISOString().slice(0, -7)
    minute = of
  }
  const digits = String(text)
  return `${beginning}${digits.slice(1, 3)}.${digits.slice(3)}Z`
}

/**
 * Returns rows as JSON for `json_populate_recordset`; `shape` makes a separate object of each. Null
 * fields are left out, because Postgres reads a missing field as null. They are half of most rows,
 * and reading them costs Postgres a quarter of the time. The type is json because Postgres would
 * build a jsonb value first.
 */
function listed<Row>(rows: readonly Row[], shape: (row: Row, nth: number) => Record<string, unknown>): string {
  const told = rows.map(shape)
  for (const row of told) {
    for (const name in row) if (row[name] === null) row[name] = undefined
  }
  return JSON.stringify(told)
}

export const signalRows = (rows: readonly SignalRow[]): string =>
  listed(rows, (row) => ({
    ...row,
    last_at: iso(row.last_at),
    last_sender_at: iso(row.last_sender_at),
    suppressed_until: iso(row.suppressed_until),
    last_seen_at: iso(row.last_seen_at)
  }))

export const counterRows = (rows: Saved['counters']): string =>
  listed(rows, ({ tenant_id, last_number, openings }) => ({
    tenant_id,
    last_number,
    opened_step: openings?.step,
    opened_counts: openings?.counts,
    storm_until: iso(openings?.storm_until ?? null)
  }))

export const incidentRows = (rows: Saved['incidents']): string =>
  listed(rows, ({ incident }) => ({
    ...incident,
    acknowledged_at: iso(incident.acknowledged_at),
    resolved_at: iso(incident.resolved_at),
    manually_closed_at: iso(incident.manually_closed_at),
    promoted_at: iso(incident.promoted_at),
    silenced_until: iso(incident.silenced_until),
    storm_until: iso(incident.storm_until),
    started_at: iso(incident.started_at),
    detected_at: iso(incident.detected_at),
    opened_at: iso(incident.opened_at),
    updated_at: iso(incident.updated_at)
  }))

/** Events as rows. `inputs` holds the inputs of their causes, one after the other. */
export interface EventRows {
  rows: string
  inputs: Buffer
}

type StoredEvent = Saved['events'][number] | Saved['alertEvents'][number]

/**
 * The input of a cause is sent beside its row. It is JSON itself. As a text within JSON, Postgres
 * would decode its escapes twice, which costs more than everything else that it does for an
 * incident.
 */
function eventsAsRows<Event extends StoredEvent>(events: readonly Event[], own: (event: Event) => Record<string, unknown>): EventRows {
  const { places, lengths, bytes } = endToEnd(events.map(({ cause: { input } }) => (input === null ? null : Buffer.from(input))))
  const rows = listed(events, (event, nth) => {
    const { tenant_id, ver, event_id, change, at, comment, config_versions } = event
    const { input: _beside, ...cause } = event.cause
    const [place, length] = [places[nth], lengths[nth]]
    return { tenant_id, ver, event_id, change, at: iso(at), cause, comment, config_versions, place, length, ...own(event) }
  })
  return { rows, inputs: bytes }
}

/**
 * SQL that reads what `eventsAsRows` writes, as a recordset of `rows`. `own`: columns of one table
 * only.
 */
export const eventRecordset = (rows: string, own: string): string =>
  `json_to_recordset(${rows}::json) AS r (tenant_id uuid, ver bigint, event_id uuid, change text, at timestamptz, cause jsonb, comment text, config_versions jsonb, place integer, length integer, ${own})`

/** SQL for the whole cause of such a row. `inputs`: the parameter that holds the inputs. */
export const wholeCause = (inputs: string): string =>
  `r.cause || jsonb_build_object('input', convert_from(substring(${inputs}::bytea FROM r.place FOR r.length), 'UTF8'))`

export const eventRows = (events: Saved['events']): EventRows =>
  eventsAsRows(events, ({ incident_id, alert_id }) => ({ incident_id, alert_id }))

export const alertRows = (rows: Saved['alerts']): string =>
  listed(rows, ({ alert }) => ({
    ...alert,
    acknowledged_at: iso(alert.acknowledged_at),
    resolved_at: iso(alert.resolved_at),
    manually_closed_at: iso(alert.manually_closed_at),
    promoted_at: iso(alert.promoted_at),
    started_at: iso(alert.started_at),
    detected_at: iso(alert.detected_at),
    opened_at: iso(alert.opened_at),
    updated_at: iso(alert.updated_at)
  }))

export const alertEventRows = (events: Saved['alertEvents']): EventRows => eventsAsRows(events, ({ alert_id }) => ({ alert_id }))
