/**
 * Incidents as their writers see them: the rows that the incident fold locks, loads and saves. One
 * command of a person or a timer does the same in incident-commands.ts; reading for people is in
 * incident-reads.ts.
 *
 * Whoever changes an incident holds the `signals` row of its key first, so the fold and the api
 * take turns; locks are taken in the order stream position, signals (sorted; those of the monitors
 * that one depends on among them), groups (sorted; they are rows of signals, too), number counters
 * (sorted), and nowhere else. The fold guesses which counters it needs (opening-guess.ts): where
 * the guess misses one, or a group comes up that was never seen, that one is locked out of order.
 * Two transactions may then wait for each other; Postgres ends one of them after a second, and it
 * is run again. Whoever changes an
 * incident of a group holds the group. Everything is written by statements that check every version
 * they replace: a row that is not as it was loaded rejects with RowMoved, and the transaction rolls
 * back. The unique indexes on ongoing incidents and alerts stand behind all of it. Transactions are
 * READ COMMITTED: a statement after a lock sees what the holder before committed.
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
  RETURNING tenant_id, last_number, opened_step, opened_counts, storm_until,
            (SELECT t.storm_threshold FROM tenants t WHERE t.tenant_id = incident_numbers.tenant_id) AS storm_threshold`

/** Of this process. */
const guess = new OpeningGuess()

const nothing: InForce = { rules: new Map(), policies: new Map(), windows: new Map(), depends: new Map(), outages: new Map() }

/**
 * Locks and loads what `inputs` touch, with the rules, policies and windows of workspaces in which
 * something fires. Where nobody groups alerts it is one round trip, in which counters are locked by
 * a guess, and one more where the guess missed a workspace.
 */
async function load(tx: Tx, inputs: readonly Input[]): Promise<Loaded> {
  const keys = new Map<string, SignalKey>()
  /**
   * Keys that fire in this batch, and keys that also recover in it: after that they may open again.
   */
  const fires = new Set<string>()
  const recovers = new Set<string>()
  /** Keys that have nothing but recoveries by a former key in this batch. */
  const former = new Set<string>()
  const firing = new Set<string>()
  /** Monitors and heartbeats that fire. */
  const watched: string[] = []
  /** Monitors of which it says anything, and those that fire. */
  let monitors = false
  /** One of those that fire may be part of a mass outage. */
  let together = false
  const failing: { tenant_id: string; monitor_id: string }[] = []
  /** By key: whether the last of its signals fires. */
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
  const [{ signals, incidents, parents }, { rules, policies, windows, depends, outages }, early] = await Promise.all([
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
  return { signals, incidents, alerts, members, rules, policies, windows, depends, parents, outages, counters, traffic }
}

/**
 * What a record may be of a mass outage. A monitor with one region is part of none; whether it had
 * more when it went down, nobody knows at its end.
 */
function outagePartOf({ record, value }: Input, action: Signal['action'] | null): 'begins' | 'ends' | null {
  if (record !== 'MonitorTransition') return null
  if (action === 'fire') return value.vote.configured > 1 ? 'begins' : null
  return value.status === value.previous_status ? null : 'ends'
}

/** The monitor that a record is about, where its id is one. */
const monitorIn = ({ record, value }: Input): string | null =>
  record === 'MonitorTransition' && UUID.test(value.monitor_id) ? value.monitor_id : null

/** What the record watches, if anything; its key is usable. */
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
}

/**
 * The number counters of workspaces in which incidents may open, with what they remember of
 * openings; locked last of all rows.
 */
export async function lockCounters(tx: Tx, tenant_ids: readonly string[]): Promise<Pick<Loaded, 'counters' | 'traffic'>> {
  const counters = new Map<string, number>()
  const traffic = new Map<string, Traffic>()
  if (tenant_ids.length === 0) return { counters, traffic }
  const { rows } = await tx.query<CounterRow>({ name: 'incident-numbers-lock', text: LOCK_COUNTERS, values: [tenant_ids] })
  for (const { tenant_id, last_number, opened_step: step, opened_counts, storm_until, storm_threshold } of rows) {
    counters.set(tenant_id, last_number)
    // A workspace that is gone has no threshold.
    if (storm_threshold !== null) traffic.set(tenant_id, { step, counts: opened_counts, storm_until, threshold: storm_threshold })
  }
  return { counters, traffic }
}

const UPDATED = INCIDENT_COLUMNS.filter((column) => column !== 'tenant_id' && column !== 'incident_id')
const UPDATED_SIGNAL = SIGNAL_COLUMNS.filter((column) => column !== 'tenant_id' && column !== 'dedup_key')

// One statement, for its round trip. Its parts touch different tables but for two: a new incident
// of a key may only come once the old one is no longer ongoing, or the unique index refuses it, so
// the inserts wait for the updates by counting them. The limits, never reached, tell the planner to
// expect few rows: without them it takes a batch for a hundred and reads whole tables.
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
 * Writes what a fold or a step returned, under the locks of its load. Throws RowMoved when a row is
 * not as it was loaded.
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
 * The rows of the processor `incident`; streams/runtime/run.ts calls both inside its transaction,
 * as service_system.
 */
export const incidentStore = { load, save }

/**
 * Forgets where the last applied signals stand, of all workspaces: the log in which they did is not
 * there any more. As the owner, for whom the policies are lifted meanwhile.
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
 * An incident by its id or its key (`INC-42`), as a condition on `alias` with one parameter; null
 * when `reference` is neither.
 */
export function byReference(reference: string, alias: string, parameter: string): ByReference | null {
  if (UUID.test(reference)) return { by: 'id', condition: `${alias}.incident_id = ${parameter}`, value: reference.toLowerCase() }
  const number = /^INC-([1-9][0-9]{0,14})$/i.exec(reference)?.[1]
  return number === undefined ? null : { by: 'number', condition: `${alias}.number = ${parameter}`, value: Number(number) }
}
