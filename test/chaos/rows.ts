/**
 * Reads the rows of Postgres that the checks of a fault run compare with the log, as
 * service_system.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { alertColumnsOf, columnsOf, signalColumnsOf, toAlert, toIncident } from '../../services/store/incident-rows.ts'
import type { Pool } from '../../services/store/pool.ts'
import { nameOf } from '../../streams/incident/fold.ts'
import type { SignalRow } from '../../streams/incident/signals.ts'

/** A row of incident_events. Times are epoch ms. */
export interface EventRow {
  tenant_id: string
  incident_id: string
  ver: number
  event_id: string
  change: string
  at: number
  cause: { kind: string; src: string; event_id: string | null; request_id: string | null; input: string | null }
  comment: string | null
  config_versions: Record<string, number>
  alert_id: string | null
}

/** A row of alert_events. Times are epoch ms. */
export type AlertEventRow = Omit<EventRow, 'incident_id' | 'alert_id'> & { alert_id: string }

export interface Rows {
  incidents: Map<string, Incident>
  /** Incidents of a dedup key, by number. */
  byKey: Map<string, Incident[]>
  /** Signals by nameOf: tenant and key. */
  signals: Map<string, SignalRow>
  /** Events by incident, in order of ver. */
  events: Map<string, EventRow[]>
  /** Alerts with rows of their own. */
  alerts: Map<string, Alert>
  /** Of a dedup key. */
  alertsByKey: Map<string, Alert[]>
  /** Events by alert, in order of ver. */
  alertEvents: Map<string, AlertEventRow[]>
  /** Last incident number given out, by workspace. */
  counters: Map<string, number>
  /** Incidents that a command declared, ended or silenced: the log alone does not explain them. */
  commanded: Set<string>
  /** Incidents that a command only acknowledged, assigned or commented on. */
  acknowledged: Set<string>
  deadLetters: string[]
  refusedByTheLog: string[]
}

export async function loadRows(pool: Pool, tenants: readonly string[]): Promise<Rows> {
  const of = [tenants]
  const incidents = (
    await pool.query<Incident>(
      `SELECT ${columnsOf('i')} FROM incidents i WHERE i.tenant_id = ANY ($1::uuid[]) ORDER BY i.tenant_id, i.number`,
      of
    )
  ).rows.map(toIncident)
  const signals = (await pool.query<SignalRow>(`SELECT ${signalColumnsOf('s')} FROM signals s WHERE s.tenant_id = ANY ($1::uuid[])`, of))
    .rows
  const events = (
    await pool.query<EventRow>(
      `SELECT tenant_id, incident_id, ver, event_id, change, at, cause, comment, config_versions, alert_id
         FROM incident_events WHERE tenant_id = ANY ($1::uuid[]) ORDER BY incident_id, ver`,
      of
    )
  ).rows
  const alerts = (
    await pool.query<Alert>(`SELECT ${alertColumnsOf('a')} FROM alerts a WHERE a.tenant_id = ANY ($1::uuid[]) ORDER BY a.opened_at`, of)
  ).rows.map(toAlert)
  const alertEvents = (
    await pool.query<AlertEventRow>(
      `SELECT tenant_id, alert_id, ver, event_id, change, at, cause, comment, config_versions
         FROM alert_events WHERE tenant_id = ANY ($1::uuid[]) ORDER BY alert_id, ver`,
      of
    )
  ).rows
  const counters = (
    await pool.query<{ tenant_id: string; last_number: number }>(
      'SELECT tenant_id, last_number FROM incident_numbers WHERE tenant_id = ANY ($1::uuid[])',
      of
    )
  ).rows
  const deadLetters = (
    await pool.query<{ topic: string; partition: number; offset: number; error: string }>(
      'SELECT topic, partition, "offset", error FROM dead_letters'
    )
  ).rows
  const refused = (await pool.query<{ aggregate: string; reason: string }>('SELECT aggregate, reason FROM outbox_refused')).rows
  return toRows({
    incidents,
    signals,
    events,
    alerts,
    alertEvents,
    counters,
    deadLetters: deadLetters.map((row) => `${row.topic} ${row.partition}:${row.offset}: ${row.error}`),
    refusedByTheLog: refused.map((row) => `${row.aggregate}: ${row.reason}`)
  })
}

/** Changes by a command that do not keep the log from explaining how an incident went. */
const ASIDE: ReadonlySet<string> = new Set(['acknowledged', 'assigned', 'comment', 'comment_deleted', 'storm_ended'])

/** Incidents in order of number, events in order of incident and ver. */
export function toRows(tables: {
  incidents: readonly Incident[]
  signals: readonly SignalRow[]
  events: readonly EventRow[]
  alerts: readonly Alert[]
  alertEvents: readonly AlertEventRow[]
  counters: readonly { tenant_id: string; last_number: number }[]
  deadLetters: string[]
  refusedByTheLog: string[]
}): Rows {
  const { incidents, signals, events, alerts, alertEvents, counters, deadLetters, refusedByTheLog } = tables
  const alertsByKey = new Map<string, Alert[]>()
  for (const alert of alerts) alertsByKey.set(alert.dedup_key, [...(alertsByKey.get(alert.dedup_key) ?? []), alert])
  const byAlert = new Map<string, AlertEventRow[]>()
  for (const event of alertEvents) byAlert.set(event.alert_id, [...(byAlert.get(event.alert_id) ?? []), event])
  const byKey = new Map<string, Incident[]>()
  for (const incident of incidents) byKey.set(incident.dedup_key, [...(byKey.get(incident.dedup_key) ?? []), incident])
  const byIncident = new Map<string, EventRow[]>()
  const commanded = new Set<string>()
  const acknowledged = new Set<string>()
  for (const event of events) {
    byIncident.set(event.incident_id, [...(byIncident.get(event.incident_id) ?? []), event])
    if (event.cause.kind === 'signal') continue
    if (ASIDE.has(event.change)) acknowledged.add(event.incident_id)
    else commanded.add(event.incident_id)
  }
  return {
    incidents: new Map(incidents.map((incident) => [incident.incident_id, incident])),
    byKey,
    signals: new Map(signals.map((row) => [nameOf(row), row])),
    events: byIncident,
    alerts: new Map(alerts.map((alert) => [alert.alert_id, alert])),
    alertsByKey,
    alertEvents: byAlert,
    counters: new Map(counters.map((row) => [row.tenant_id, row.last_number])),
    commanded,
    acknowledged,
    deadLetters,
    refusedByTheLog
  }
}
