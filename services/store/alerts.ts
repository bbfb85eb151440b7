/**
 * Alerts with rows of their own, as their writers see them: what the incident fold and commands
 * load and save while they hold the locks of the keys and groups.
 *
 * Source: docs/design/architecture.md#s6, docs/design/api/alerts-and-routing.md#groups.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import type { Saved } from '../../streams/incident/fold.ts'
import type { SignalKey, SignalRow } from '../../streams/incident/signals.ts'
import {
  ALERT_COLUMNS,
  alertColumnsOf,
  alertEventRows,
  alertRows,
  columnsOf,
  eventRecordset,
  toAlert,
  toIncident,
  wholeCause
} from './incident-rows.ts'
import type { Tx } from './pool.ts'
import { checkWritten } from './row-moved.ts'
import { loadKeys } from './signal-keys.ts'

/**
 * SQL for the key whose row locks the incident `alias`. streams/incident/grouping.ts has the same
 * as a function.
 */
export const lockKeySql = (alias: string): string => `split_part(${alias}.dedup_key, '/', 1)`

export interface Grouped {
  /** The newest alerts of the keys, by id. */
  alerts: Map<string, Alert>
  /** The incidents of those alerts, by id. */
  members: Map<string, Incident>
  /** The rows of the groups and their newest incidents, by key. */
  groups: { signals: Map<string, SignalRow>; incidents: Map<string, Incident> }
}

/**
 * Loads the alerts with rows of their own that the signals' keys have. Locks their groups, and
 * those in `joinable`, which the batch may join. Sends no query when there are neither.
 */
export async function loadGrouped(tx: Tx, signals: ReadonlyMap<string, SignalRow>, joinable: readonly SignalKey[]): Promise<Grouped> {
  const rows = [...signals.values()].filter(({ alert_id }) => alert_id !== null)
  const alerts = new Map<string, Alert>()
  const members = new Map<string, Incident>()
  const keys = new Map(joinable.map((key) => [`${key.tenant_id}|${key.dedup_key}`, key]))
  if (rows.length > 0) {
    const values = [rows.map(({ tenant_id }) => tenant_id), rows.map(({ alert_id }) => alert_id)]
    const found = await tx.query<Alert & { group_key: string | null }>({
      name: 'alerts-load',
      text: `
        SELECT ${alertColumnsOf('a')}, CASE WHEN i.dedup_key <> a.dedup_key THEN ${lockKeySql('i')} END AS group_key
          FROM unnest($1::uuid[], $2::uuid[]) AS k (tenant_id, alert_id)
          JOIN alerts a ON a.tenant_id = k.tenant_id AND a.alert_id = k.alert_id
          LEFT JOIN incidents i ON i.tenant_id = a.tenant_id AND i.incident_id = a.incident_id`,
      values
    })
    for (const { group_key, ...alert } of found.rows) {
      alerts.set(alert.alert_id, toAlert(alert))
      if (group_key !== null) keys.set(`${alert.tenant_id}|${group_key}`, { tenant_id: alert.tenant_id, dedup_key: group_key })
    }
  }
  const groups = await loadKeys(tx, [...keys.values()])
  const wanted = [...alerts.values()].filter(({ incident_id }) => incident_id !== null)
  if (wanted.length > 0) {
    // Read after the groups are locked, so that earlier changes by others are seen.
    const found = await tx.query<Incident>({
      name: 'alerts-incidents-load',
      text: `SELECT DISTINCT ON (i.tenant_id, i.incident_id) ${columnsOf('i')}
          FROM unnest($1::uuid[], $2::uuid[]) AS k (tenant_id, incident_id)
          JOIN incidents i ON i.tenant_id = k.tenant_id AND i.incident_id = k.incident_id`,
      values: [wanted.map(({ tenant_id }) => tenant_id), wanted.map(({ incident_id }) => incident_id)]
    })
    for (const row of found.rows) members.set(row.incident_id, toIncident(row))
  }
  return { alerts, members, groups }
}

const UPDATED = ALERT_COLUMNS.filter((column) => column !== 'tenant_id' && column !== 'alert_id')

// Works as SAVE in incidents.ts: a new alert of a key is inserted after the old one is no longer
// ongoing.
const SAVE = `
  WITH updated AS (
    UPDATE alerts a SET (${UPDATED.join(', ')}) = (${UPDATED.map((column) => `r.${column}`).join(', ')})
      FROM (SELECT * FROM ROWS FROM (json_populate_recordset(null::alerts, $1::json), unnest($2::bigint[])) LIMIT $5) r
     WHERE a.tenant_id = r.tenant_id AND a.alert_id = r.alert_id AND a.ver = r.unnest
    RETURNING 1
  ), opened AS (
    INSERT INTO alerts (${ALERT_COLUMNS.join(', ')})
    SELECT ${alertColumnsOf('r')} FROM json_populate_recordset(null::alerts, $3::json) r WHERE (SELECT count(*) FROM updated) >= 0
    RETURNING 1
  ), told AS (
    INSERT INTO alert_events (tenant_id, alert_id, ver, event_id, change, at, cause, comment, config_versions)
    SELECT tenant_id, alert_id, ver, event_id, change, at, ${wholeCause('$6')}, comment, config_versions
      FROM ${eventRecordset('$4', 'alert_id uuid')}
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM updated) AS updated, (SELECT count(*) FROM opened) AS opened, (SELECT count(*) FROM told) AS events`

/**
 * Returns the ended alerts of an incident that have rows of their own. Their keys need no lock: no
 * signal changes an ended alert, and `saveAlerts` sees what a command changed meanwhile.
 */
export async function endedAlerts(tx: Tx, { tenant_id, incident_id }: Incident): Promise<Alert[]> {
  const { rows } = await tx.query<Alert>(
    `SELECT ${alertColumnsOf('a')} FROM alerts a
      WHERE a.tenant_id = $1 AND a.incident_id = $2 AND a.status <> 'ongoing' ORDER BY a.dedup_key, a.alert_id`,
    [tenant_id, incident_id]
  )
  return rows.map(toAlert)
}

/** Throws RowMoved when a row has changed since it was loaded. */
export async function saveAlerts(tx: Tx, { alerts, alertEvents }: Pick<Saved, 'alerts' | 'alertEvents'>): Promise<void> {
  if (alerts.length === 0) return
  const changed = alerts.filter(({ seen }) => seen > 0)
  const opened = alerts.filter(({ seen }) => seen === 0)
  const told = alertEventRows(alertEvents)
  const { rows } = await tx.query<Record<'updated' | 'opened' | 'events', number>>({
    name: 'alerts-save',
    text: SAVE,
    values: [alertRows(changed), changed.map(({ seen }) => seen), alertRows(opened), told.rows, Math.max(changed.length, 1), told.inputs]
  })
  checkWritten({ updated: changed.length, opened: opened.length, events: alertEvents.length }, rows[0])
}
