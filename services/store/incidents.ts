/**
 * Locks, loads and saves the rows of incidents for the incident fold. incident-commands.ts does the
 * same for one command of a person or a timer. incident-reads.ts reads incidents for people.
 *
 * Whoever changes an incident first locks the `signals` row of its key, so the fold and the api
 * take turns. Locks are taken in this order and nowhere else: stream position, signals (sorted,
 * including those of the monitors that one depends on), groups (sorted; they are rows of signals,
 * too), number counters (sorted). The fold guesses which counters it needs (opening-guess.ts). If
 * the guess misses one, or a group appears that was never seen, that row is locked out of order.
 * Two transactions may then wait for each other; Postgres ends one of them after a second, and it
 * is run again. Whoever changes an incident of a group also locks the group.
 *
 * Every statement checks each version that it replaces. If a row has changed since it was loaded,
 * the statement rejects with RowMoved, and the transaction rolls back. The unique indexes on
 * ongoing incidents and alerts are a further safeguard. Transactions are READ COMMITTED: a
 * statement after a lock sees what the previous holder committed.
 *
 * Source: docs/design/architecture.md#s6, docs/design/streaming.md#s2-2 and #s2-6.
 */
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Input } from '../../streams/define.ts'
import { groupsOf, type Loaded, nameOf, type Saved } from '../../streams/incident/fold.ts'
import { OUTAGE_KEY } from '../../streams/incident/outages.ts'
import type { Signal } from '../../streams/incident/rules.ts'
import { actionOf, isByFormerKey, keyOf, type SignalKey } from '../../streams/incident/signals.ts'
import type { Traffic } from '../../streams/incident/storms.ts'
import { loadGrouped, saveAlerts } from './alerts.ts'
import { saveHolds } from './incident-holds.ts'
import {
  columnsOf,
  counterRows,
  eventRecordset,
  eventRows,
  INCIDENT_COLUMNS,
  incidentRows,
  SIGNAL_COLUMNS,
  signalRows,
  wholeCause
} from './incident-rows.ts'
import { OpeningGuess } from './opening-guess.ts'
import type { Tx } from './pool.ts'
import { type InForce, loadInForce } from './routing.ts'
import { checkWritten } from './row-moved.ts'
import { loadKeys } from './signal-keys.ts'

const LOCK_COUNTERS = `
  INSERT INTO incident_numbers (tenant_id) SELECT tenant_id FROM unnest($1::uuid[]) AS tenant_id ORDER BY 1
  ON CONFLICT (tenant_id) DO UPDATE SET last_number = incident_numbers.last_number
  RETURNING tenant_id, last_number, opened_step, opened_counts, storm_until, clock_timestamp() AS now,
            (SELECT t.storm_threshold FROM tenants t WHERE t.tenant_id = incident_numbers.tenant_id) AS storm_threshold`

/** The guess of this process. */
const guess = new OpeningGuess()

const nothing: InForce = { rules: new Map(), policies: new Map(), windows: new Map(), depends: new Map(), outages: new Map() }

/**
 * Locks and loads what `inputs` affect, with the rules, policies and windows of workspaces in which
 * something fires. If nobody groups alerts this takes one round trip, in which counters are locked
 * by a guess, and one more if the guess missed a workspace.
 */
async function load(tx: Tx, inputs: readonly Input[]): Promise<Loaded> {
  const keys = new Map<string, SignalKey>()
  /** Keys that fire in this batch, and keys that recover in it: after that they may open again. */
  const fires = new Set<string>()
  const recovers = new Set<string>()
  /** Keys for which this batch has only recoveries by a former key. */
  const former = new Set<string>()
  const firing = new Set<string>()
  /** Monitors and heartbeats that fire. */
  const watched: string[] = []
  /** `monitors`: the batch has records of monitors. `failing`: the monitors that fire. */
  let monitors = false
  /** A monitor that fires may be part of a mass outage. */
  let together = false
  const failing: { tenant_id: string; monitor_id: string }[] = []
  /** Whether the last signal of a key fires, by key. */
  const lastFires = new Map<string, boolean>()
  for (const input of inputs) {
    const key = keyOf(input)
    if (!key) continue
    const name = nameOf(key)
    if (!isByFormerKey(input)) former.delete(name)
    else if (!keys.has(name)) former.add(name)
    keys.set(name, key)
    const monitor_id = monitorIn(input)
    if (monitor_id !== null) monitors = true
    const action = actionOf(input)
    const part = outagePartOf(input, action)
    if (part !== null) {
      const out = { tenant_id: key.tenant_id, dedup_key: OUTAGE_KEY }
      keys.set(nameOf(out), out)
      together ||= part === 'begins'
    }
    if (action === 'resolve' || action === 'fire') lastFires.set(name, action === 'fire')
    if (action === 'resolve') recovers.add(name)
    else if (action === 'fire') {
      fires.add(name)
      firing.add(key.tenant_id)
      const id = watchedIn(input)
      if (id !== null) watched.push(id)
      if (monitor_id !== null) failing.push({ tenant_id: key.tenant_id, monitor_id })
    }
  }
  const guessed = guess.workspaces([...fires].flatMap((name) => keys.get(name) ?? []))
  const [{ signals, incidents, parents, now }, { rules, policies, windows, depends, outages }, early] = await Promise.all([
    loadKeys(tx, [...keys.values()], { former, ...(monitors && { monitors: failing }) }),
    firing.size === 0 ? nothing : loadInForce(tx, [...firing], watched, together),
    lockCounters(tx, guessed)
  ])
  guess.learn(lastFires, rules, signals)
  const { alerts, members, groups } = await loadGrouped(tx, signals, groupsOf(inputs, rules, uuidv5))
  for (const [name, row] of groups.signals) signals.set(name, row)
  for (const [name, incident] of groups.incidents) incidents.set(name, incident)

  const opening = new Set<string>()
  for (const name of fires) {
    const row = signals.get(name)
    const newest = row?.alert_id ? alerts.get(row.alert_id) : incidents.get(name)
    if (row && (newest?.status !== 'ongoing' || recovers.has(name))) opening.add(row.tenant_id)
  }
  const late = await lockCounters(
    tx,
    [...opening].filter((tenant_id) => !early.counters.has(tenant_id))
  )
  const counters = new Map([...early.counters, ...late.counters])
  const traffic = new Map([...early.traffic, ...late.traffic])
  return { signals, incidents, alerts, members, rules, policies, windows, depends, parents, outages, counters, traffic, now }
}

/**
 * Returns whether a record may begin or end a part of a mass outage. A monitor with one region is
 * part of none. When a monitor recovers, it is unknown whether it had more regions when it went
 * down.
 */
function outagePartOf({ record, value }: Input, action: Signal['action'] | null): 'begins' | 'ends' | null {
  if (record !== 'MonitorTransition') return null
  if (action === 'fire') return value.vote.configured > 1 ? 'begins' : null
  return value.status === value.previous_status ? null : 'ends'
}

/** Returns the monitor that a record is about, if its id is a UUID. */
const monitorIn = ({ record, value }: Input): string | null =>
  record === 'MonitorTransition' && UUID.test(value.monitor_id) ? value.monitor_id : null

/** Returns the id of what the record watches, if anything. Its key is usable. */
function watchedIn({ record, value }: Input): string | null {
  if (record === 'MonitorTransition') return value.monitor_id
  return record === 'HeartbeatTransition' ? value.heartbeat_id : null
}

interface CounterRow {
  tenant_id: string
  last_number: number
  opened_step: number
  opened_counts: number[]
  /** Epoch ms. */
  storm_until: number | null
  storm_threshold: number | null
  now: number
}

/**
 * Locks the number counters of workspaces in which incidents may open, after all other rows.
 * Returns them with the recent counts of openings.
 */
export async function lockCounters(tx: Tx, tenant_ids: readonly string[]): Promise<Pick<Loaded, 'counters' | 'traffic'>> {
  const counters = new Map<string, number>()
  const traffic = new Map<string, Traffic>()
  if (tenant_ids.length === 0) return { counters, traffic }
  const { rows } = await tx.query<CounterRow>({ name: 'incident-numbers-lock', text: LOCK_COUNTERS, values: [tenant_ids] })
  for (const { tenant_id, last_number, opened_step: step, opened_counts, storm_until, storm_threshold, now } of rows) {
    counters.set(tenant_id, last_number)
    // A workspace that was deleted has no threshold.
    if (storm_threshold !== null) traffic.set(tenant_id, { step, counts: opened_counts, storm_until, threshold: storm_threshold, now })
  }
  return { counters, traffic }
}

const UPDATED = INCIDENT_COLUMNS.filter((column) => column !== 'tenant_id' && column !== 'incident_id')
const UPDATED_SIGNAL = SIGNAL_COLUMNS.filter((column) => column !== 'tenant_id' && column !== 'dedup_key')

// A single statement saves round trips. Its parts write different tables, with two exceptions: a
// new incident of a key may only be inserted after the old one is no longer ongoing, or the unique
// index refuses it. So the inserts wait for the updates by counting them. The limits are never
// reached; they tell the planner to expect few rows. Without them it takes a batch for a hundred
// rows and reads whole tables.
const SAVE = `
  WITH saved_signals AS (
    UPDATE signals s
       SET (${UPDATED_SIGNAL.join(', ')}) = (${UPDATED_SIGNAL.map((column) => `r.${column}`).join(', ')})
      FROM (SELECT * FROM json_populate_recordset(null::signals, $1::json) LIMIT $7) r
     WHERE s.tenant_id = r.tenant_id AND s.dedup_key = r.dedup_key
    RETURNING 1
  ), updated AS (
    UPDATE incidents i SET (${UPDATED.join(', ')}) = (${UPDATED.map((column) => `r.${column}`).join(', ')})
      FROM (SELECT * FROM ROWS FROM (json_populate_recordset(null::incidents, $2::json), unnest($3::bigint[])) LIMIT $7) r
     WHERE i.tenant_id = r.tenant_id AND i.incident_id = r.incident_id AND i.ver = r.unnest
    RETURNING 1
  ), opened AS (
    INSERT INTO incidents (${INCIDENT_COLUMNS.join(', ')})
    SELECT ${columnsOf('r')} FROM json_populate_recordset(null::incidents, $4::json) r WHERE (SELECT count(*) FROM updated) >= 0
    RETURNING 1
  ), told AS (
    INSERT INTO incident_events (tenant_id, incident_id, ver, event_id, change, at, cause, comment, config_versions, alert_id)
    SELECT tenant_id, incident_id, ver, event_id, change, at, ${wholeCause('$8')}, comment, config_versions, alert_id
      FROM ${eventRecordset('$5', 'incident_id uuid, alert_id uuid')}
    RETURNING 1
  ), numbered AS (
    UPDATE incident_numbers n
       SET last_number = r.last_number, opened_step = coalesce(r.opened_step, n.opened_step),
           opened_counts = coalesce(r.opened_counts, n.opened_counts), storm_until = coalesce(r.storm_until, n.storm_until)
      FROM (SELECT * FROM json_populate_recordset(null::incident_numbers, $6::json) LIMIT $7) r
     WHERE n.tenant_id = r.tenant_id AND n.last_number < r.last_number
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM saved_signals) AS signals, (SELECT count(*) FROM updated) AS updated, (SELECT count(*) FROM opened) AS opened,
         (SELECT count(*) FROM told) AS events, (SELECT count(*) FROM numbered) AS counters`

/**
 * Writes what a fold or a step returned, under the locks of its load. Throws RowMoved when a row
 * has changed since it was loaded.
 */
export async function save(tx: Tx, saved: Saved): Promise<void> {
  await Promise.all([saveIncidents(tx, saved), saveAlerts(tx, saved), saveHolds(tx, saved.holds)])
}

async function saveIncidents(tx: Tx, { signals, incidents, events, counters }: Saved): Promise<void> {
  if (signals.length + incidents.length + events.length === 0) return
  const changed = incidents.filter(({ seen }) => seen > 0)
  const opened = incidents.filter(({ seen }) => seen === 0)
  const told = eventRows(events)
  const { rows } = await tx.query<Record<'signals' | 'updated' | 'opened' | 'events' | 'counters', number>>({
    name: 'incidents-save',
    text: SAVE,
    values: [
      signalRows(signals),
      incidentRows(changed),
      changed.map(({ seen }) => seen),
      incidentRows(opened),
      told.rows,
      counterRows(counters),
      Math.max(signals.length, changed.length, counters.length),
      told.inputs
    ]
  })
  const wanted = {
    signals: signals.length,
    updated: changed.length,
    opened: opened.length,
    events: events.length,
    counters: counters.length
  }
  checkWritten(wanted, rows[0])
}

/**
 * Loads and saves the rows of the processor `incident`. streams/runtime/run.ts calls both inside
 * its transaction, as service_system.
 */
export const incidentStore = { load, save }

/**
 * Clears the offsets of the last applied signals in all workspaces, because the log that they refer
 * to no longer exists. Runs as the table owner; row-level security is lifted meanwhile.
 */
export async function forgetPlaces(tx: Tx): Promise<void> {
  await tx.query('ALTER TABLE signals NO FORCE ROW LEVEL SECURITY')
  await tx.query('UPDATE signals SET last_offset = NULL WHERE last_offset IS NOT NULL')
  await tx.query('ALTER TABLE signals FORCE ROW LEVEL SECURITY')
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export interface ByReference {
  by: 'id' | 'number'
  condition: string
  value: string | number
}

/**
 * SQL condition on `alias` that finds an incident by its id or its key (`INC-42`), with one
 * parameter. Null when `reference` is neither.
 */
export function byReference(reference: string, alias: string, parameter: string): ByReference | null {
  if (UUID.test(reference)) return { by: 'id', condition: `${alias}.incident_id = ${parameter}`, value: reference.toLowerCase() }
  const number = /^INC-([1-9][0-9]{0,14})$/i.exec(reference)?.[1]
  return number === undefined ? null : { by: 'number', condition: `${alias}.number = ${parameter}`, value: Number(number) }
}
