/**
 * Runs one command of a person, a tool or a timer on an incident. It takes the same locks as the
 * incident fold, and writes with the same statement. Whoever comes second sees what the first one
 * committed.
 *
 * Source: docs/design/architecture.md#s6.
 */

import type { Codec } from '../../schemas/codec.ts'
import type { Alert, Cause, Incident } from '../../schemas/generated/events.ts'
import { uuidv5, uuidv7 } from '../../schemas/uuid.ts'
import type { Effects, JobChange } from '../../streams/define.ts'
import { type AlertCommand, type AlertStepEvent, reduceAlert, reopenAlert } from '../../streams/incident/alerts.ts'
import { nameOf, promotionOf, type Saved } from '../../streams/incident/fold.ts'
import { lockKeyOf } from '../../streams/incident/grouping.ts'
import { holdsOf } from '../../streams/incident/holds.ts'
import { noOutage, OUTAGE_KEY, outageOf } from '../../streams/incident/outages.ts'
import { alertOutgoingOf, outgoingOf } from '../../streams/incident/outgoing.ts'
import { aftermath, aftermathOf, isKept, keptRow, reopenedRow, reopens } from '../../streams/incident/reopening.ts'
import { type Command, endsIncident, type IncidentContext, reduceIncident, type Step } from '../../streams/incident/rules.ts'
import { rowAfter, type SignalKey, type SignalRow, stillFiring } from '../../streams/incident/signals.ts'
import { opening } from '../../streams/incident/storms.ts'
import { tellingJobs } from '../../streams/incident/telling.ts'
import { endedAlerts, loadGrouped, lockKeySql } from './alerts.ts'
import { cancelPages, releasePages } from './delivery-pages.ts'
import { waitNow } from './dependencies.ts'
import { writeEffects } from './effects.ts'
import { loadHoldFacts } from './hold-facts.ts'
import { alertColumnsOf, columnsOf, signalColumnsOf, toAlert, toIncident } from './incident-rows.ts'
import { byReference, lockCounters, save } from './incidents.ts'
import { keptAgain } from './kept-again.ts'
import { seeingAll, type Tx } from './pool.ts'
import { type HoldEnd, holdsChanged } from './releases.ts'
import { RowMoved } from './row-moved.ts'
import { loadKeys } from './signal-keys.ts'
import { startIncidentChat } from './war-rooms.ts'

/** An ongoing alert of an incident that has several, with the locked row of its key. */
export interface Member {
  alert: Alert
  row: SignalRow
}

/** An incident with the locked row of its signal, and what else a command needs to know. */
export interface LockedIncident {
  incident: Incident
  /** The signal of its key, or of its group. */
  signal: SignalRow
  /**
   * Its ongoing alerts, if they have rows of their own. Null: they are not locked, and no command
   * may end or move the incident.
   */
  members: readonly Member[] | null
  /** A setting of the workspace. */
  reopen_after_seconds: number
  /** Time of the command: epoch ms, read while the lock is held. */
  now: number
}

/** What a command needs to lock. */
export interface Locks {
  /**
   * False for a command that changes the incident alone. It then needs no lock of its alerts, and
   * does not compete with those that join it.
   */
  alerts: boolean
}

/**
 * Locks the signal's row of an incident, then reads the incident. Returns null when the workspace
 * has none by this reference. Throws RowMoved when it was merged meanwhile, or when an alert joined
 * it while its alerts were locked.
 */
export async function lockIncident(
  tx: Tx,
  tenant_id: string,
  reference: string,
  { alerts }: Locks = { alerts: true }
): Promise<LockedIncident | null> {
  const by = byReference(reference, 'i', '$2')
  if (!by) return null
  const values = [tenant_id, by.value]
  const lock = (only: 'alone' | 'any') =>
    tx.query<SignalRow>({
      name: `incident-lock-${only}-${by.by}`,
      text: `SELECT ${signalColumnsOf('s')}
               FROM incidents i JOIN signals s ON s.tenant_id = i.tenant_id AND s.dedup_key = ${lockKeySql('i')}
              WHERE i.tenant_id = $1 AND ${by.condition} ${only === 'alone' ? 'AND i.ongoing_alerts IS NULL' : ''} FOR UPDATE OF s`,
      values
    })
  const read = () =>
    tx.query<Incident & { reopen_after_seconds: number; now: number }>({
      name: `incident-locked-${by.by}`,
      text: `SELECT ${columnsOf('i')}, t.reopen_after_seconds, clock_timestamp() AS now
               FROM incidents i JOIN tenants t ON t.tenant_id = i.tenant_id WHERE i.tenant_id = $1 AND ${by.condition}`,
      values
    })
  // For most incidents the first attempt suffices: the second statement waits for the lock of the
  // first one.
  let [{ rows: signals }, { rows: incidents }] = await Promise.all([lock(alerts ? 'alone' : 'any'), read()])
  let locked: Map<string, SignalRow> | null = null
  if (alerts && signals.length === 0) {
    locked = await lockMembers(tx, tenant_id, by)
    ;[{ rows: signals }, { rows: incidents }] = await Promise.all([lock('any'), read()])
  }
  const [signal, row] = [signals[0], incidents[0]]
  if (!signal || !row) return null
  const { reopen_after_seconds, now, ...incident } = row
  // A merge gives an incident the key of a group, so the lock that was waited for is no longer the
  // incident's lock.
  if (lockKeyOf(incident) !== signal.dedup_key) throw new RowMoved('the incident was merged meanwhile')
  const members = !alerts ? null : locked ? await readMembers(tx, incident, locked) : []
  return { incident: toIncident(incident), signal, members, reopen_after_seconds, now }
}

/**
 * Locks the keys of an incident's ongoing alerts. In the order of locks they come before the group.
 */
async function lockMembers(tx: Tx, tenant_id: string, by: { condition: string; value: string | number }): Promise<Map<string, SignalRow>> {
  const { rows } = await tx.query<SignalRow>(
    `SELECT ${signalColumnsOf('s')} FROM signals s
      WHERE s.tenant_id = $1 AND s.dedup_key IN (
        SELECT a.dedup_key FROM alerts a JOIN incidents i ON i.tenant_id = a.tenant_id AND i.incident_id = a.incident_id
         WHERE a.tenant_id = $1 AND a.status = 'ongoing' AND ${by.condition})
      ORDER BY s.dedup_key FOR UPDATE OF s`,
    [tenant_id, by.value]
  )
  return new Map(rows.map((row) => [row.dedup_key, row]))
}

/**
 * Reads the ongoing alerts of a locked incident. Throws RowMoved if the key of one is not locked.
 */
async function readMembers(tx: Tx, { tenant_id, incident_id }: Incident, locked: ReadonlyMap<string, SignalRow>): Promise<Member[]> {
  const { rows } = await tx.query<Alert>(
    `SELECT ${alertColumnsOf('a')} FROM alerts a
      WHERE a.tenant_id = $1 AND a.incident_id = $2 AND a.status = 'ongoing' ORDER BY a.dedup_key`,
    [tenant_id, incident_id]
  )
  return rows.map((alert) => {
    const row = locked.get(alert.dedup_key)
    if (!row) throw new RowMoved('an alert joined the incident meanwhile')
    return { alert: toAlert(alert), row }
  })
}

/** `src` is the actor as kind:id, or job:<id>. */
type CommandCause = Pick<Cause, 'src' | 'request_id'> & { kind: 'command' | 'job' }

/** Returns the context of a command's step. */
export function commandContext({ now }: Pick<LockedIncident, 'now'>, cause: CommandCause): IncidentContext {
  const command_id = uuidv7()
  return {
    now,
    cause: { kind: cause.kind, src: cause.src, event_id: null, request_id: cause.request_id, input: null },
    versions: {},
    id: (purpose) => uuidv5(command_id, purpose),
    number: 0
  }
}

/** Writes what every step ends with: its incident and events, records for the log, and timers. */
export async function saveWith(
  tx: Tx,
  codec: Codec,
  step: Step,
  rows: Pick<Saved, 'signals' | 'incidents' | 'counters'> & Partial<Pick<Saved, 'holds'>>,
  alerts: AlertsStep = none,
  effects: Omit<Effects, 'outgoing' | 'jobs'> = {}
): Promise<void> {
  const told = outgoingOf(step.events, uuidv5)
  const toldAlerts = alertOutgoingOf(alerts.events, uuidv5)
  const jobs = [...step.jobs, ...alerts.jobs, ...tellingJobs(step.events)]
  // If a row moved, the rollback undoes the effects too.
  await Promise.all([
    save(tx, {
      ...rows,
      signals: [...rows.signals, ...alerts.signals],
      events: told.events,
      alerts: alerts.alerts,
      alertEvents: toldAlerts.events,
      holds: rows.holds ?? []
    }),
    writeEffects(tx, { ...effects, outgoing: [...told.outgoing, ...toldAlerts.outgoing], jobs }, codec),
    startIncidentChat(tx, step.events)
  ])
  for (const { change, tenant_id, incident_id, cause } of step.events) {
    if (change === 'acknowledged') await cancelPages(tx, tenant_id, incident_id, cause.src, codec)
    if (change === 'unsilenced') await releasePages(tx, tenant_id, incident_id)
  }
}

/** What a command changes in alerts that have rows of their own. */
export interface AlertsStep {
  signals: SignalRow[]
  alerts: Saved['alerts']
  events: AlertStepEvent[]
  jobs: JobChange[]
}

const none: AlertsStep = { signals: [], alerts: [], events: [], jobs: [] }

/**
 * Returns what a command on an incident does to its alerts. They all end with the incident, each
 * one sets the suppression of its key, and they move to another team with it. So do `former`, which
 * ended before.
 */
function alertsStep(
  { members, now, reopen_after_seconds }: LockedIncident,
  former: readonly Alert[],
  command: Command,
  step: Step,
  context: IncidentContext
): AlertsStep {
  const { incident } = step
  const ended = step.events.find(endsIncident)
  const of = (): AlertCommand | null => {
    if (ended && command.command === 'close') return command
    if (ended && incident) return { command: 'resolve', by: command.by, note: ended.comment, reason: incident.resolution_reason ?? 'user' }
    const edits = command.command === 'edit' ? command.edits : {}
    return 'team_id' in edits && incident ? { command: 'move', by: command.by, team_id: incident.team_id } : null
  }
  const asked = of()
  if (!asked) return none
  if (!members) throw new Error(`the alerts of an incident were not locked for ${command.command}`)
  const all: AlertsStep = { signals: [], alerts: [], events: [], jobs: [] }
  const apply = (alert: Alert): void => {
    const after = reduceAlert(alert, asked, context)
    if (after.events.length > 0) all.alerts.push({ alert: after.alert, seen: alert.ver })
    all.events.push(...after.events)
  }
  for (const alert of former) apply(alert)
  for (const { alert, row } of members) {
    apply(alert)
    if (!ended) continue
    const { suppressed_until, jobs } = aftermath(row, command, now, reopen_after_seconds)
    if (suppressed_until !== row.suppressed_until) all.signals.push({ ...row, suppressed_until })
    all.jobs.push(...jobs)
  }
  return all
}

/**
 * Writes the step of a command on a locked incident: the incident, the suppression of its signal,
 * its events, outgoing records and timers. A step without events writes nothing. Returns the
 * incident after the step. If a silence ended or became shorter, what it held is checked again. The
 * caller writes the audit entry. Throws RowMoved as `save` does.
 */
export async function saveStep(
  tx: Tx,
  codec: Codec,
  locked: LockedIncident,
  command: Command,
  step: Step,
  context: IncidentContext,
  effects: Omit<Effects, 'outgoing' | 'jobs'> = {}
): Promise<Incident> {
  const { incident } = step
  if (!incident || step.events.length === 0) return locked.incident
  const { signal, members } = locked
  // If an alert with a row of its own has the incident's key, the suppression is that alert's.
  const ofAlert = members?.some(({ row }) => row.dedup_key === signal.dedup_key)
  const { suppressed_until, jobs } = ofAlert
    ? { suppressed_until: signal.suppressed_until, jobs: [] }
    : aftermathOf(signal, command, step.events, locked.reopen_after_seconds)
  const isMoved = incident.team_id !== locked.incident.team_id
  const former = isMoved && incident.ongoing_alerts !== null ? await seeingAll(tx, (tx) => endedAlerts(tx, incident)) : []
  const write = (tx: Tx): Promise<void> =>
    saveWith(
      tx,
      codec,
      { ...step, jobs: [...step.jobs, ...jobs] },
      {
        signals: suppressed_until === signal.suppressed_until ? [] : [{ ...signal, suppressed_until }],
        incidents: [{ incident, seen: locked.incident.ver }],
        counters: []
      },
      alertsStep(locked, former, command, step, context),
      effects
    )
  // An ended alert may have been left to a team that the caller does not see.
  await (former.length > 0 ? seeingAll(tx, write) : write(tx))
  if (await endsHold(tx, locked, command)) {
    const { kind, src, request_id } = context.cause
    const end: HoldEnd = { at: locked.now, kind: kind === 'job' ? 'job' : 'command', src, request_id }
    await holdsChanged(tx, codec, incident.tenant_id, [incident.incident_id], end)
  }
  return incident
}

/** Returns whether a command that changed the incident may have ended what held it. */
async function endsHold(tx: Tx, { incident: before, now }: LockedIncident, command: Command): Promise<boolean> {
  if (command.command === 'unsilence' || command.command === 'silence_end') return true
  if (command.command !== 'edit' || before.status !== 'ongoing') return false
  const facts = await seeingAll(tx, (tx) => loadHoldFacts(tx, before.tenant_id, [before], now))
  return holdsOf(before, facts, now).length > 0
}

type Declare = Extract<Command, { command: 'declare' }>
type Opening = Extract<Command, { command: 'declare' | 'reopen' }>

interface Opened {
  incident: Incident
  events: Step['events']
  /** Time of the command, epoch ms. */
  now: number
}

interface LockedKey {
  row: SignalRow
  /** The newest alert, if it has a row of its own; else the newest incident. */
  alert: Alert | null
  newest: Incident | null
  /** The row of the key, and the rows of the monitors that this one depends on. */
  signals: ReadonlyMap<string, SignalRow>
  /** The ongoing mass outage that the key's monitor is part of. */
  outage_id: string | null
}

/** Returns the monitor of a key, or null if the key belongs to something else. */
const monitorOf = ({ dedup_key }: SignalKey): string | null => (dedup_key.startsWith('mon:') ? dedup_key.slice('mon:'.length) : null)

/**
 * Locks a key. For a monitor also locks the key of mass outages, if it exists, and the keys of the
 * monitors that it depends on.
 */
async function lockKey(tx: Tx, key: SignalKey): Promise<LockedKey> {
  const monitor_id = monitorOf(key)
  const { tenant_id } = key
  const out = { tenant_id, dedup_key: OUTAGE_KEY }
  const { signals, incidents } = await (monitor_id === null
    ? loadKeys(tx, [key])
    : loadKeys(tx, [key, out], { former: new Set([nameOf(out)]), monitors: [{ tenant_id, monitor_id }] }))
  const { alerts } = await loadGrouped(tx, signals, [])
  const row = signals.get(nameOf(key))
  if (!row) throw new Error(`the signals row of ${nameOf(key)} was not loaded`)
  const alert = row.alert_id ? (alerts.get(row.alert_id) ?? null) : null
  const outage = signals.get(nameOf(out))?.facts?.outage ?? noOutage
  const outage_id = monitor_id === null ? null : outageOf(outage, incidents.get(nameOf(out)) ?? null, monitor_id)
  return { row, alert, newest: alert ? null : (incidents.get(nameOf(key)) ?? null), signals, outage_id }
}

/** Returns the time of a command: epoch ms, read under its locks. */
async function timeOf(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ now: number }>('SELECT clock_timestamp() AS now')
  const now = rows[0]?.now
  if (now === undefined) throw new Error('Postgres has told no time')
  return now
}

/**
 * Runs a command that opens an incident, and writes it as `saveStep` does. `make` is called under
 * the lock of the key, with its row, its newest incident and the time of the command. If it returns
 * no command, nothing happens and the answer is null.
 */
async function openIncident(
  tx: Tx,
  codec: Codec,
  key: SignalKey,
  cause: CommandCause,
  make: (row: SignalRow, newest: Incident | Alert | null, now: number) => Opening | null
): Promise<Opened | null> {
  const { row, alert, newest, signals, outage_id } = await lockKey(tx, key)
  const { counters, traffic } = await lockCounters(tx, (alert ?? newest)?.status === 'ongoing' ? [] : [key.tenant_id])
  const now = await timeOf(tx)
  const made = make(row, alert ?? newest, now)
  if (!made) return null
  const known = traffic.get(key.tenant_id)
  // People are notified of an incident that a person declares, and it is not part of a storm.
  const counted = made.command === 'reopen' && known ? opening(known, now) : null
  const monitor_id = made.command === 'reopen' ? monitorOf(key) : null
  const waits = monitor_id === null ? null : await waitNow(tx, key.tenant_id, monitor_id, signals, now)
  // What waits for a parent is not part of a mass outage, as in the fold.
  const held = waits ? { wait: waits } : outage_id !== null ? { outage_id } : null
  const because = waits ? { waits } : outage_id !== null ? { bundled_into: outage_id } : {}
  const command = { ...made, signal: { ...made.signal, ...(counted?.storm && { storm: counted.storm }), ...because } }
  const number = (counters.get(key.tenant_id) ?? 0) + 1
  const step = reduceIncident(newest, command, { ...commandContext({ now }, cause), number })
  const { incident } = step
  if (!incident) throw new Error(`the command ${command.command} came to no incident`)
  if (step.events.length === 0) return { incident, events: [], now }
  await saveWith(tx, codec, step, {
    signals: [command.command === 'declare' ? rowAfter(row, command.signal, incident) : reopenedRow(row, incident.incident_id)],
    incidents: [{ incident, seen: 0 }],
    counters: [{ tenant_id: key.tenant_id, last_number: number, ...(counted && { openings: counted.after }) }],
    holds: held ? [{ tenant_id: key.tenant_id, incident_id: incident.incident_id, began_at: now, ...held }] : []
  })
  return { incident, events: step.events, now }
}

/** The transaction does not see the newest incident of a key. Nothing was changed. */
export class Unseen extends Error {
  override readonly name = 'Unseen'
  constructor(readonly incident_id: string) {
    super('the newest incident of the key is not seen')
  }
}

/**
 * Opens an incident that no source reports, or finds the ongoing one of its key. `key` begins with
 * `man:`, as no signal's key does. `make` is called under the lock, with the time of the command.
 * Throws Unseen.
 */
export async function declareIncident(
  tx: Tx,
  codec: Codec,
  key: SignalKey,
  cause: CommandCause,
  make: (now: number) => Declare
): Promise<Opened> {
  const opened = await openIncident(tx, codec, key, cause, ({ incident_id }, newest, now) => {
    if (incident_id !== null && !newest) throw new Unseen(incident_id)
    return make(now)
  })
  if (!opened) throw new Error('a declaration came to no incident')
  return opened
}

/**
 * Reopens the incident of a key that a person ended and that still fires. The timer of the
 * suppression that ends at `until` (epoch ms) calls it. An alert that rules had kept from being an
 * incident becomes an alert again. Does nothing when it has recovered, was paused or deleted, or is
 * ongoing.
 */
export async function reopenIncident(
  tx: Tx,
  codec: Codec,
  key: SignalKey,
  until: number,
  cause: CommandCause & { by: string }
): Promise<void> {
  const { by } = cause
  const { row, alert } = await lockKey(tx, key)
  if (isKept(alert)) {
    const now = await timeOf(tx)
    if (!reopens(row, alert, until)) return
    const signal = await keptAgain(tx, alert, now)
    if (signal) {
      const reopening = { command: 'reopen', by, alert_id: uuidv7(), signal } as const
      const { alert: again, events } = reopenAlert(reopening, commandContext({ now }, cause))
      const signals = [keptRow(row, again.alert_id)]
      const kept: AlertsStep = { signals, alerts: [{ alert: again, seen: 0 }], events, jobs: promotionOf(again, signal) }
      const none = { signals: [], incidents: [], counters: [] }
      await saveWith(tx, codec, { incident: null, events: [], jobs: [] }, none, kept)
      return
    }
  }
  await openIncident(tx, codec, key, cause, (row, ended, now) =>
    reopens(row, ended, until) ? { command: 'reopen', by, incident_id: uuidv7(), signal: stillFiring(ended, now) } : null
  )
}
