/**
 * Merges one incident into another, under the locks that the incident fold takes: the keys of both
 * and of the alerts that move, sorted, then the groups.
 *
 * Adding an alert to an incident, or ending one in it, requires the key that locks the incident.
 * Changing an alert requires the key of the alert. While all these locks are held, nothing about
 * the two incidents changes. What was read before the locks is read again.
 *
 * Source: docs/design/architecture.md#s6, docs/design/api/incidents.md#merging.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { type AlertStepEvent, ownAlert, reduceAlert } from '../../streams/incident/alerts.ts'
import { nameOf, type Saved } from '../../streams/incident/fold.ts'
import { lockKeyOf } from '../../streams/incident/grouping.ts'
import { groupKeyAfter, isMergedInto, isOwnAlert, type MergeRefusal, mergeCommands, mergeRefusal } from '../../streams/incident/merging.ts'
import { type Event, type IncidentContext, reduceIncident } from '../../streams/incident/rules.ts'
import type { SignalRow } from '../../streams/incident/signals.ts'
import { saveWith } from './incident-commands.ts'
import { alertColumnsOf, columnsOf, toAlert, toIncident } from './incident-rows.ts'
import { byReference } from './incidents.ts'
import { seeingAll, type Tx } from './pool.ts'
import { RowMoved } from './row-moved.ts'
import { loadKeys } from './signal-keys.ts'

const isGroup = (key: string): boolean => key.startsWith('grp:')

/**
 * Reads an incident that the transaction sees, by its id or its key. Returns null when there is
 * none.
 */
export async function find(tx: Tx, tenant_id: string, reference: string): Promise<Incident | null> {
  const by = byReference(reference, 'i', '$2')
  if (!by) return null
  const { rows } = await tx.query<Incident>(`SELECT ${columnsOf('i')} FROM incidents i WHERE i.tenant_id = $1 AND ${by.condition}`, [
    tenant_id,
    by.value
  ])
  return rows[0] ? toIncident(rows[0]) : null
}

/**
 * Returns every alert of an incident that has a row of its own, including alerts left to a team
 * that the caller does not see.
 */
const alertsOf = (tx: Tx, { tenant_id, incident_id }: Incident): Promise<Alert[]> =>
  seeingAll(tx, async (tx) => {
    const { rows } = await tx.query<Alert>(
      `SELECT ${alertColumnsOf('a')} FROM alerts a WHERE a.tenant_id = $1 AND a.incident_id = $2 ORDER BY a.dedup_key, a.alert_id`,
      [tenant_id, incident_id]
    )
    return rows.map(toAlert)
  })

/**
 * Two incidents that are locked so that nobody else can change them, with the alerts that move
 * between them.
 */
export interface LockedMerge {
  source: Incident
  target: Incident
  /** The alerts of the source that have rows of their own. */
  alerts: Alert[]
  /** Rows of signals by their key. */
  rows: Map<string, SignalRow>
  /** Key of the group that the target belongs to from now on. */
  group: string
  /** Time of the command: epoch ms, read while the locks are held. */
  now: number
}

/** Which of the two the caller cannot find, or that both are the same incident. */
export type Unmergeable = { missing: 'source' | 'target' } | { same: true }

/** Locks both incidents. Throws RowMoved if one of them changed before the locks were taken. */
export async function lockMerge(tx: Tx, tenant_id: string, source: string, target: string): Promise<LockedMerge | Unmergeable> {
  const [from, into] = [await find(tx, tenant_id, source), await find(tx, tenant_id, target)]
  if (!from) return { missing: 'source' }
  if (!into) return { missing: 'target' }
  if (from.incident_id === into.incident_id) return { same: true }

  const locks = new Set([lockKeyOf(from), lockKeyOf(into)])
  const keys = new Set([...locks].filter((key) => !isGroup(key)))
  for (const { dedup_key } of await alertsOf(tx, from)) keys.add(dedup_key)
  const rows = new Map<string, SignalRow>()
  const lock = async (wanted: Iterable<string>): Promise<void> => {
    const named = [...wanted].map((dedup_key) => ({ tenant_id, dedup_key }))
    const { signals } = await loadKeys(tx, named)
    for (const key of named) {
      const row = signals.get(nameOf(key))
      if (row) rows.set(key.dedup_key, row)
    }
  }
  await lock(keys)
  await lock([...locks].filter(isGroup))

  const found = { source: await find(tx, tenant_id, from.incident_id), target: await find(tx, tenant_id, into.incident_id) }
  if (!found.source || !found.target) throw new RowMoved('an incident was moved to another team meanwhile')
  const alerts = await alertsOf(tx, found.source)
  const isSame = lockKeyOf(found.source) === lockKeyOf(from) && lockKeyOf(found.target) === lockKeyOf(into)
  if (!isSame || alerts.some(({ dedup_key }) => !keys.has(dedup_key))) throw new RowMoved('an alert joined an incident meanwhile')

  const group = groupKeyAfter(from, into, rows.get(lockKeyOf(from))?.incident_id === from.incident_id)
  // A group key that is made for the target is new. Nobody can hold it without holding the target's
  // key, which is locked and checked now. An older group key would be locked out of order: its
  // holder may wait for this transaction.
  if (!rows.has(group)) await lock([group])
  const { rows: times } = await tx.query<{ now: number }>('SELECT clock_timestamp() AS now')
  return { source: found.source, target: found.target, alerts, rows, group, now: times[0]?.now ?? Date.now() }
}

/** Returns why the merge is refused, or null if nothing prevents it. */
export const refusalOf = ({ source, target }: LockedMerge): MergeRefusal | null =>
  isMergedInto(source, target) ? null : mergeRefusal(source, target)

/** Returns the changed alerts of both incidents. */
function movedAlerts(
  { source, target, alerts }: LockedMerge,
  by: string,
  context: IncidentContext
): { alerts: Saved['alerts']; events: AlertStepEvent[] } {
  const join = { command: 'join', by, incident_id: target.incident_id } as const
  const moved: Saved['alerts'] = []
  const events: AlertStepEvent[] = []
  const own = [source, target].filter(isOwnAlert).map((incident) => ({ ...ownAlert(incident, join, context), seen: 0 }))
  const others = alerts.map((alert) => ({ ...reduceAlert(alert, join, context), seen: alert.ver }))
  for (const { alert, seen, events: told } of [...own, ...others]) {
    moved.push({ alert, seen })
    events.push(...told)
  }
  return { alerts: moved, events }
}

/** Returns the rows of the keys whose newest alert moves, and of the group. */
function movedRows({ source, target, rows, group }: LockedMerge, alerts: readonly Alert[]): SignalRow[] {
  const { incident_id } = target
  const moved: SignalRow[] = []
  for (const { alert_id, dedup_key } of alerts) {
    const row = rows.get(dedup_key)
    // The incident was its own alert until now, so the row of its key names only the incident.
    const isNewest = row && (row.alert_id ?? row.incident_id) === alert_id
    if (isNewest) moved.push({ ...row, alert_id, incident_id, facts: { ...row.facts, merged_into: incident_id } })
  }
  const row = rows.get(group)
  if (row && row.incident_id === source.incident_id) moved.push({ ...row, incident_id })
  return moved
}

/**
 * Makes the merge that refusalOf allows, and writes it with its events, records and timers. A
 * repeated call writes nothing. Throws RowMoved as `save` does. The caller writes the audit
 * entries.
 */
export async function mergeIncidents(
  tx: Tx,
  codec: Codec,
  locked: LockedMerge,
  by: string,
  context: IncidentContext
): Promise<readonly Event[]> {
  const { source, target } = locked
  if (isMergedInto(source, target)) return []
  const { merge, takeOver } = mergeCommands(source, target, by, locked.group)
  const [gone, grown] = [reduceIncident(source, merge, context), reduceIncident(target, takeOver, context)]
  if (!gone.incident || !grown.incident) throw new Error('a merge came to no incident')
  const moves = takeOver.alerts > 0 ? movedAlerts(locked, by, context) : { alerts: [], events: [] }
  const incidents = [
    { incident: gone.incident, seen: source.ver },
    { incident: grown.incident, seen: target.ver }
  ]
  const signals =
    moves.alerts.length === 0
      ? []
      : movedRows(
          locked,
          moves.alerts.map(({ alert }) => alert)
        )
  const events = [...gone.events, ...grown.events]
  const step = { incident: grown.incident, events, jobs: [...gone.jobs, ...grown.jobs] }
  await seeingAll(tx, (tx) => saveWith(tx, codec, step, { signals, incidents, counters: [] }, { ...moves, signals: [], jobs: [] }))
  return events
}
