/**
 * Lets an alert without an incident join an incident that a person chooses. It takes the locks of a
 * merge: the keys of the alert and of the incident, sorted, then the group.
 *
 * Source: docs/design/architecture.md#s6, docs/design/api/alerts-and-routing.md#al-6.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { ownAlert, reduceAlert } from '../../streams/incident/alerts.ts'
import { nameOf } from '../../streams/incident/fold.ts'
import { lockKeyOf } from '../../streams/incident/grouping.ts'
import { isOwnAlert, joined } from '../../streams/incident/merging.ts'
import { type IncidentContext, reduceIncident } from '../../streams/incident/rules.ts'
import type { SignalRow } from '../../streams/incident/signals.ts'
import type { AlertObeyed } from './alert-commands.ts'
import { saveWith } from './incident-commands.ts'
import { find } from './incident-merges.ts'
import { alertColumnsOf, toAlert } from './incident-rows.ts'
import { seeingAll, type Tx } from './pool.ts'
import { RowMoved } from './row-moved.ts'
import { loadKeys } from './signal-keys.ts'

const GROUP = 'grp:'

/** An alert and an incident, locked so that nobody else can change them. */
export interface LockedJoin {
  alert: Alert
  target: Incident
  /** Rows of signals by their key. */
  rows: ReadonlyMap<string, SignalRow>
  /** Key whose row locks the incident from now on. */
  group: string
  /** Time of the command: epoch ms, read while the locks are held. */
  now: number
}

/** Which of the two the caller cannot find. An alert without a row of its own counts as missing. */
export interface Unjoinable {
  missing: 'alert' | 'target'
}

/** Reads an alert that has a row of its own and that the transaction sees. */
async function findAlert(tx: Tx, tenant_id: string, alert_id: string): Promise<Alert | null> {
  const { rows } = await tx.query<Alert>(`SELECT ${alertColumnsOf('a')} FROM alerts a WHERE a.tenant_id = $1 AND a.alert_id = $2`, [
    tenant_id,
    alert_id
  ])
  return rows[0] ? toAlert(rows[0]) : null
}

/**
 * Locks the alert and the incident. Throws RowMoved if one was moved to another team, or the
 * incident was merged, before the locks were taken.
 */
export async function lockJoin(tx: Tx, tenant_id: string, alert_id: string, target: string): Promise<LockedJoin | Unjoinable> {
  const joins = await findAlert(tx, tenant_id, alert_id)
  if (!joins) return { missing: 'alert' }
  const into = await find(tx, tenant_id, target)
  if (!into) return { missing: 'target' }
  const key = lockKeyOf(into)
  const group = key.startsWith(GROUP) ? key : `${GROUP}${into.incident_id}`
  const rows = new Map<string, SignalRow>()
  const lock = async (keys: Iterable<string>): Promise<void> => {
    const named = [...keys].map((dedup_key) => ({ tenant_id, dedup_key }))
    const { signals } = await loadKeys(tx, named)
    for (const one of named) {
      const row = signals.get(nameOf(one))
      if (row) rows.set(one.dedup_key, row)
    }
  }
  await lock(new Set([joins.dedup_key, key].filter((one) => !one.startsWith(GROUP))))
  await lock([group])

  const [alert, found] = [await findAlert(tx, tenant_id, alert_id), await find(tx, tenant_id, into.incident_id)]
  if (!alert || !found) throw new RowMoved('the alert or the incident was moved to another team meanwhile')
  if (lockKeyOf(found) !== key) throw new RowMoved('the incident was merged meanwhile')
  const { rows: times } = await tx.query<{ now: number }>('SELECT clock_timestamp() AS now')
  return { alert, target: found, rows, group, now: times[0]?.now ?? Date.now() }
}

/**
 * Makes the join that joinRefusal allows, and writes it with its events, records and timers. Throws
 * RowMoved as `save` does. The caller writes the audit entries.
 */
export async function joinIncident(tx: Tx, codec: Codec, locked: LockedJoin, by: string, context: IncidentContext): Promise<AlertObeyed> {
  const { alert, target, rows, group } = locked
  const { incident_id } = target
  const grown = reduceIncident(target, joined(alert, target, by, group), context)
  if (!grown.incident) throw new Error('a join came to no incident')
  const step = reduceAlert(alert, { command: 'promote', by, incident_id }, context)
  // The incident was its own only alert until now. That alert gets a row, as in a merge.
  const own = isOwnAlert(target) ? ownAlert(target, { command: 'join', by, incident_id }, context) : null
  const signals: SignalRow[] = []
  const row = rows.get(alert.dedup_key)
  if (row?.alert_id === alert.alert_id) signals.push({ ...row, incident_id })
  const ownRow = own && rows.get(own.alert.dedup_key)
  if (ownRow && (ownRow.alert_id ?? ownRow.incident_id) === incident_id) signals.push({ ...ownRow, alert_id: incident_id, incident_id })
  const alerts = [{ alert: step.alert, seen: alert.ver }, ...(own ? [{ alert: own.alert, seen: 0 }] : [])]
  const events = [...step.events, ...(own?.events ?? [])]
  await seeingAll(tx, (tx) =>
    saveWith(
      tx,
      codec,
      grown,
      { signals, incidents: [{ incident: grown.incident ?? target, seen: target.ver }], counters: [] },
      { signals: [], alerts, events, jobs: [] }
    )
  )
  return { alert: step.alert, events: step.events, incidentEvents: grown.events }
}
