/**
 * Runs one command of a person or a tool on an alert that has a row of its own. It takes the same
 * locks as the incident fold: first the row of the alert's key, then the row of its group.
 *
 * Source: docs/design/architecture.md#s6, docs/design/api/alerts-and-routing.md#s6-2.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { type AlertCommand, type AlertStep, reduceAlert } from '../../streams/incident/alerts.ts'
import { noChange } from '../../streams/incident/members.ts'
import { aftermath } from '../../streams/incident/reopening.ts'
import { type Command, type Event, type IncidentContext, reduceIncident, type Step } from '../../streams/incident/rules.ts'
import { fromAlertRow, type SignalRow } from '../../streams/incident/signals.ts'
import { opening, type Traffic } from '../../streams/incident/storms.ts'
import { lockKeySql } from './alerts.ts'
import { waitNow } from './dependencies.ts'
import { saveWith } from './incident-commands.ts'
import { alertColumnsOf, columnsOf, signalColumnsOf, toAlert, toIncident } from './incident-rows.ts'
import { lockCounters } from './incidents.ts'
import type { Tx } from './pool.ts'
import { lockKeys } from './releases.ts'

/** An alert with the locked row of its key, and its incident with the locked row of its group. */
export interface LockedAlert {
  alert: Alert
  row: SignalRow
  incident: Incident | null
  reopen_after_seconds: number
  /** Time of the command: epoch ms, read while the locks are held. */
  now: number
}

/**
 * Locks an alert. Returns null when the workspace has no alert with this id and a row of its own.
 */
export async function lockAlert(tx: Tx, tenant_id: string, alert_id: string): Promise<LockedAlert | null> {
  const values = [tenant_id, alert_id]
  const OF = 'FROM alerts a JOIN signals s ON s.tenant_id = a.tenant_id'
  const { rows: keys } = await tx.query<SignalRow>(
    `SELECT ${signalColumnsOf('s')} ${OF} AND s.dedup_key = a.dedup_key WHERE a.tenant_id = $1 AND a.alert_id = $2 FOR UPDATE OF s`,
    values
  )
  const { rows: alerts } = await tx.query<Alert>(
    `SELECT ${alertColumnsOf('a')} FROM alerts a WHERE a.tenant_id = $1 AND a.alert_id = $2`,
    values
  )
  const [row, alert] = [keys[0], alerts[0]]
  if (!row || !alert) return null
  // If the alert is the only one of its incident, this is the same row.
  await tx.query(
    `SELECT FROM incidents i JOIN signals s ON s.tenant_id = i.tenant_id AND s.dedup_key = ${lockKeySql('i')}
      WHERE i.tenant_id = $1 AND i.incident_id = $2 FOR UPDATE OF s`,
    [tenant_id, alert.incident_id]
  )
  const { rows: incidents } = await tx.query<Incident>(
    `SELECT ${columnsOf('i')} FROM incidents i WHERE i.tenant_id = $1 AND i.incident_id = $2`,
    [tenant_id, alert.incident_id]
  )
  const { rows: times } = await tx.query<{ reopen_after_seconds: number; now: number }>(
    'SELECT reopen_after_seconds, clock_timestamp() AS now FROM tenants WHERE tenant_id = $1',
    [tenant_id]
  )
  const [incident, time] = [incidents[0], times[0]]
  if (!time) return null
  return { alert: toAlert(alert), row, incident: incident ? toIncident(incident) : null, ...time }
}

/** Result of a command on an alert. */
export interface AlertObeyed {
  alert: Alert
  /** The events of the alert. */
  events: AlertStep['events']
  /** The events of its incident. */
  incidentEvents: readonly Event[]
}

/** `unwatched`: the target is no longer checked, so it cannot still be failing. */
type Asked = Exclude<AlertCommand, { command: 'promote' | 'move' | 'join' }> & { until_recovered?: boolean; unwatched?: true }

const unchanged = ({ alert }: LockedAlert): AlertObeyed => ({ alert, events: [], incidentEvents: [] })

/**
 * Returns the step that the command causes on the incident, or null for none. An acknowledgement
 * reaches the incident only if the incident has exactly one alert.
 */
function ofIncident({ incident, alert }: LockedAlert, asked: Asked, step: AlertStep, context: IncidentContext): Step | null {
  if (incident?.status !== 'ongoing') return null
  if (asked.command === 'acknowledge') {
    if (incident.alert_count !== 1) return null
    const command: Command = { command: 'acknowledge', by: asked.by, comment: asked.comment }
    return reduceIncident(incident, command, context)
  }
  const reason = step.alert.resolution_reason ?? 'user'
  const members = { ...noChange(), ended: [alert.alert_id], by: asked.by, reason, comment: asked.note, alert_id: alert.alert_id }
  return reduceIncident(incident, members, context)
}

/**
 * Acknowledges, resolves or closes an alert. Also writes what follows: the incident, the
 * suppression of the key, events, records and timers. Writes nothing when nothing changes. Throws
 * RowMoved as `save` does.
 */
export async function obeyAlert(tx: Tx, codec: Codec, locked: LockedAlert, asked: Asked, context: IncidentContext): Promise<AlertObeyed> {
  const { alert, row, incident } = locked
  const { until_recovered = true, unwatched, ...command } = asked
  const step = reduceAlert(alert, command, context)
  if (step.events.length === 0) return unchanged(locked)
  const ends = alert.status === 'ongoing' && step.alert.status !== 'ongoing'
  const after = aftermath(
    row,
    { ...command, until_recovered, ...(unwatched && { unwatched }) },
    ends ? locked.now : null,
    locked.reopen_after_seconds
  )
  const heard = command.command === 'close' && !ends ? null : ofIncident(locked, asked, step, context)
  await saveWith(
    tx,
    codec,
    { incident: heard?.incident ?? null, events: heard?.events ?? [], jobs: heard?.jobs ?? [] },
    {
      signals: [],
      incidents: heard?.incident && incident && heard.events.length > 0 ? [{ incident: heard.incident, seen: incident.ver }] : [],
      counters: []
    },
    {
      signals: after.suppressed_until === row.suppressed_until ? [] : [{ ...row, suppressed_until: after.suppressed_until }],
      alerts: [{ alert: step.alert, seen: alert.ver }],
      events: step.events,
      jobs: after.jobs
    }
  )
  return { alert: step.alert, events: step.events, incidentEvents: heard?.events ?? [] }
}

/** Who promotes the alert, and the title of the new incident. */
export interface Promotion {
  by: string
  title: string | null
  /**
   * The maintenance window that had held the alert back. The incident begins where the window ended
   * (epoch ms).
   */
  window?: { window_id: string; ended_at: number }
  /**
   * The result of lockParents, if no person promotes the alert. The incident then waits for what
   * its monitor depends on, and counts for storms, as one that a signal opens.
   */
  parents?: ReadonlyMap<string, SignalRow>
}

/**
 * Locks the key of an alert and those of what its monitor depends on, in the order of all locks.
 * Call it before lockAlert. Returns their rows.
 */
export async function lockParents(tx: Tx, tenant_id: string, alert_id: string): Promise<ReadonlyMap<string, SignalRow>> {
  const { rows } = await tx.query<{ dedup_key: string; monitor_id: string | null }>(
    'SELECT dedup_key, monitor_id FROM alerts WHERE tenant_id = $1 AND alert_id = $2',
    [tenant_id, alert_id]
  )
  const monitors = rows.flatMap(({ monitor_id }) => monitor_id ?? [])
  return lockKeys(
    tx,
    tenant_id,
    rows.map(({ dedup_key }) => dedup_key),
    monitors
  )
}

/** The storm and the parent that hold an incident which opens now, and the openings counted. */
async function heldAtOpening(tx: Tx, { alert, now }: LockedAlert, traffic: Traffic | undefined, parents: Promotion['parents']) {
  const counted = parents && traffic ? opening(traffic, now) : null
  const { tenant_id, monitor_id } = alert
  const waits = parents && monitor_id !== null ? await waitNow(tx, tenant_id, monitor_id, parents, now) : null
  return { counted, waits, held: { ...(counted?.storm && { storm: counted.storm }), ...(waits && { waits }) } }
}

/**
 * Opens an incident for an alert that has none. Does nothing if the alert has an incident or has
 * ended.
 */
export async function promoteAlert(
  tx: Tx,
  codec: Codec,
  locked: LockedAlert,
  { by, title, window, parents }: Promotion,
  context: IncidentContext
): Promise<AlertObeyed> {
  const { alert, row, now } = locked
  if (alert.incident_id !== null || alert.status !== 'ongoing') return unchanged(locked)
  const { counters, traffic } = await lockCounters(tx, [alert.tenant_id])
  const { counted, waits, held } = await heldAtOpening(tx, locked, traffic.get(alert.tenant_id), parents)
  const number = (counters.get(alert.tenant_id) ?? 0) + 1
  const incident_id = uuidv7()
  const whole = fromAlertRow(title === null ? alert : { ...alert, title }, incident_id, now)
  const signal = { ...whole, ...(window && { started_at: window.ended_at }), ...held }
  // What a person promotes is to be heard of, even if somebody acknowledged the alert before.
  const kept = window && { window, ...(alert.acknowledged_by !== null && { acknowledged_by: alert.acknowledged_by }) }
  const opened = reduceIncident(null, { command: 'promote', by, incident_id, signal, ...kept }, { ...context, number })
  const step = reduceAlert(alert, { command: 'promote', by, incident_id }, context)
  if (!opened.incident) throw new Error('the promotion came to no incident')
  await saveWith(
    tx,
    codec,
    opened,
    {
      signals: [{ ...row, incident_id }],
      incidents: [{ incident: opened.incident, seen: 0 }],
      counters: [{ tenant_id: alert.tenant_id, last_number: number, ...(counted && { openings: counted.after }) }],
      holds: waits ? [{ tenant_id: alert.tenant_id, incident_id, began_at: now, wait: waits }] : []
    },
    { signals: [], alerts: [{ alert: step.alert, seen: alert.ver }], events: step.events, jobs: [] }
  )
  return { alert: step.alert, events: step.events, incidentEvents: opened.events }
}
