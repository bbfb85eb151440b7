/**
 * Checks alerts with rows of their own: alerts that share an incident, and alerts that a rule keeps
 * from becoming one. Rows, incidents and log must agree with each other; check-replay.ts derives
 * what they must be from the log's alerts.
 */
import { uuidv5 } from '../../schemas/uuid.ts'
import { differences, plain } from './check-replay.ts'
import { type Evidence, episodesOf } from './checks.ts'
import type { AlertEventRow } from './rows.ts'

export function checkAlerts(evidence: Evidence): void {
  checkKeys(evidence)
  checkGroups(evidence)
  checkAlertEvents(evidence)
}

/**
 * Each key has at most one ongoing episode, whether it is an alert or an incident, and that is its
 * newest.
 */
function checkKeys({ rows, must }: Evidence): void {
  for (const [key, alerts] of rows.alertsByKey) {
    const ongoing = episodesOf(rows, key).filter(({ status }) => status === 'ongoing')
    must(ongoing.length <= 1, () => `${key} has ${ongoing.length} ongoing alerts`)
    for (const { tenant_id, alert_id, status } of alerts) {
      if (status !== 'ongoing') continue
      const row = rows.signals.get(`${tenant_id}|${key}`)
      must(row?.alert_id === alert_id, () => `${key}: the alert ${alert_id} is ongoing, and its newest is ${row?.alert_id}`)
    }
  }
}

/** An incident counts its alerts, is ongoing while one of them is, and ends with the last. */
function checkGroups({ rows, count, must }: Evidence): void {
  const members = new Map<string, { all: number; ongoing: number }>()
  let kept = 0
  for (const { alert_id, tenant_id, incident_id, status } of rows.alerts.values()) {
    if (incident_id === null) {
      kept += 1
      continue
    }
    must(rows.incidents.get(incident_id)?.tenant_id === tenant_id, () => `the alert ${alert_id} is of ${incident_id}, which is not there`)
    const known = members.get(incident_id) ?? { all: 0, ongoing: 0 }
    members.set(incident_id, { all: known.all + 1, ongoing: known.ongoing + (status === 'ongoing' ? 1 : 0) })
  }
  let grouped = 0
  for (const [id, { ongoing_alerts, alert_count, status }] of rows.incidents) {
    const { all, ongoing } = members.get(id) ?? { all: 0, ongoing: 0 }
    if (ongoing_alerts === null) {
      must(all === 0, () => `incident ${id} is its own alert, and has ${all} more`)
      continue
    }
    grouped += 1
    must(
      all === alert_count && ongoing === ongoing_alerts,
      () => `incident ${id} counts ${alert_count} alerts, ${ongoing_alerts} ongoing, and has ${all}, ${ongoing} ongoing`
    )
    must((status === 'ongoing') === ongoing > 0, () => `incident ${id} is ${status}, and has ${ongoing} ongoing alerts`)
  }
  count('alerts_with_rows', rows.alerts.size)
  count('alerts_without_an_incident', kept)
  count('incidents_of_groups', grouped)
}

/**
 * The distinct events of alert.events.v1 equal the rows, and those of each alert are in the order
 * of ver.
 */
function checkAlertEvents({ rows, alertEvents, count, must }: Evidence): void {
  const seen = new Map<string, AlertEventRow & { text: string }>()
  const reached = new Map<string, number>()
  for (const { record, event } of alertEvents) {
    const { event_id, alert_id, ver, change } = event
    const text = JSON.stringify(event)
    const before = seen.get(event_id)
    if (before) {
      must(before.text === text, () => `alert event ${event_id} is on the log in two forms`)
      continue
    }
    const { tenant_id, at, cause, comment, config_versions } = plain(event)
    seen.set(event_id, { tenant_id, alert_id, ver, event_id, change, at, cause, comment, config_versions, text })
    must(event_id === uuidv5(alert_id, `alert ${ver}`), () => `alert event ${event_id} does not have the id of ${alert_id} ${ver}`)
    const last = reached.get(alert_id) ?? 0
    must(ver === last + 1, () => `alert.events.v1: ${alert_id} goes from version ${last} to ${ver}`)
    reached.set(alert_id, ver)
    const { headers, key } = record
    must(
      key === alert_id && headers.event_type === `alert.${change}`,
      () => `alert event ${event_id}: key or headers do not say what it says`
    )
  }
  let rowCount = 0
  for (const [alert_id, list] of rows.alertEvents) {
    must(list.length === rows.alerts.get(alert_id)?.ver, () => `the alert ${alert_id} has ${list.length} events, and another version`)
    for (const row of list) {
      rowCount += 1
      const found = seen.get(row.event_id)
      const { text: _, ...event } = found ?? { text: '' }
      const differ = differences(row, event)
      must(differ.length === 0, () =>
        found
          ? `alert event ${row.event_id} differs between row and log in ${differ.join(', ')}`
          : `alert event ${row.event_id} is not on the log`
      )
    }
  }
  must(seen.size === rowCount, () => `${seen.size} distinct alert events on the log, ${rowCount} rows`)
  count('alert_events_on_the_log', seen.size)
}
