/**
 * One command of a person, a tool or a timer on an incident, under the same locks as the incident
 * fold takes and written by the same statement: whoever comes second sees what the first committed.
 * Source: docs/design/architecture.md#s6.
 */

import type { Codec } from '../../schemas/codec.ts'
import type { Cause, Incident } from '../../schemas/generated/events.ts'
import { uuidv5, uuidv7 } from '../../schemas/uuid.ts'
import { nameOf, type Saved } from '../../streams/incident/fold.ts'
import { outgoingOf } from '../../streams/incident/outgoing.ts'
import { aftermathOf, reopenedRow, reopens } from '../../streams/incident/reopening.ts'
import { type Command, type IncidentContext, reduceIncident, type Step } from '../../streams/incident/rules.ts'
import { rowAfter, type SignalKey, type SignalRow, stillFiring } from '../../streams/incident/signals.ts'
import { ROUTING_VERSION } from '../../streams/routing/rules.ts'
import { writeEffects } from './effects.ts'
import { columnsOf, signalColumnsOf, toIncident } from './incident-rows.ts'
import { byReference, loadKeys, save } from './incidents.ts'
import type { Tx } from './pool.ts'

/** An incident with its signal's row locked, and what a command needs to know beside them. */
export interface LockedIncident {
  incident: Incident
  signal: SignalRow
  /** Setting of the workspace. */
  reopen_after_seconds: number
  /** Epoch ms, taken under the lock: the time of the command. */
  now: number
}

/**
 * Locks the signal's row of an incident, then reads the incident. Null when the workspace has none
 * by this reference.
 */
export async function lockIncident(tx: Tx, tenant_id: string, reference: string): Promise<LockedIncident | null> {
  const by = byReference(reference, 'i', '$2')
  if (!by) return null
  // An incident's dedup key never changes, so the join still holds when the lock was waited for.
  const { rows: signals } = await tx.query<SignalRow>(
    `SELECT ${signalColumnsOf('s')}
       FROM incidents i JOIN signals s ON s.tenant_id = i.tenant_id AND s.dedup_key = i.dedup_key
      WHERE i.tenant_id = $1 AND ${by.condition} FOR UPDATE OF s`,
    [tenant_id, by.value]
  )
  const { rows: incidents } = await tx.query<Incident & { reopen_after_seconds: number; now: number }>(
    `SELECT ${columnsOf('i')}, t.reopen_after_seconds, clock_timestamp() AS now
       FROM incidents i JOIN tenants t ON t.tenant_id = i.tenant_id WHERE i.tenant_id = $1 AND ${by.condition}`,
    [tenant_id, by.value]
  )
  const [signal, row] = [signals[0], incidents[0]]
  if (!signal || !row) return null
  const { reopen_after_seconds, now, ...incident } = row
  return { incident: toIncident(incident), signal, reopen_after_seconds, now }
}

/** `src` is the actor as kind:id, or job:<id>. */
type CommandCause = Pick<Cause, 'src' | 'request_id'> & { kind: 'command' | 'job' }

/** What a command's step knows. */
export function commandContext({ now }: Pick<LockedIncident, 'now'>, cause: CommandCause): IncidentContext {
  const command_id = uuidv7()
  return {
    now,
    cause: { kind: cause.kind, src: cause.src, event_id: null, request_id: cause.request_id, input: null },
    versions: { routing: ROUTING_VERSION },
    id: (purpose) => uuidv5(command_id, purpose),
    number: 0
  }
}

/** What every written step ends with: its incident and events, records for the log, timers. */
async function saveWith(tx: Tx, codec: Codec, step: Step, rows: Omit<Saved, 'events'>): Promise<void> {
  const { events, outgoing } = outgoingOf(step.events, uuidv5)
  await save(tx, { ...rows, events })
  await writeEffects(tx, { outgoing, jobs: step.jobs }, codec)
}

/**
 * Writes the step of a command on a locked incident: the incident, the suppression of its signal,
 * its events, outgoing records and timers. A step without events writes nothing. Returns the
 * incident after it. The audit entry is the caller's. Throws RowMoved as `save` does.
 */
export async function saveStep(tx: Tx, codec: Codec, locked: LockedIncident, command: Command, step: Step): Promise<Incident> {
  const { incident } = step
  if (!incident || step.events.length === 0) return locked.incident
  const { signal } = locked
  const { suppressed_until, jobs } = aftermathOf(signal, command, step.events, locked.reopen_after_seconds)
  await saveWith(
    tx,
    codec,
    { ...step, jobs: [...step.jobs, ...jobs] },
    {
      signals: suppressed_until === signal.suppressed_until ? [] : [{ ...signal, suppressed_until }],
      incidents: [{ incident, seen: locked.incident.ver }],
      counters: []
    }
  )
  return incident
}

type Declare = Extract<Command, { command: 'declare' }>
type Opening = Extract<Command, { command: 'declare' | 'reopen' }>

interface Opened {
  incident: Incident
  events: Step['events']
  /** Epoch ms: the time of the command. */
  now: number
}

/**
 * Obeys a command that opens an incident, and writes it as `saveStep` does. `make` is called under
 * the lock of the key, with its row, its newest incident and the time of the command. Where it
 * gives no command, nothing happens and the answer is null.
 */
async function openIncident(
  tx: Tx,
  codec: Codec,
  key: SignalKey,
  cause: CommandCause,
  make: (row: SignalRow, newest: Incident | null, now: number) => Opening | null
): Promise<Opened | null> {
  const loaded = await loadKeys(tx, [key], (_name, newest) => newest?.status !== 'ongoing')
  const { rows } = await tx.query<{ now: number }>('SELECT clock_timestamp() AS now')
  const [row, now] = [loaded.signals.get(nameOf(key)), rows[0]?.now]
  if (!row || now === undefined) throw new Error(`the signals row of ${nameOf(key)} was not loaded`)
  const newest = loaded.incidents.get(nameOf(key)) ?? null
  const command = make(row, newest, now)
  if (!command) return null
  const number = (loaded.counters.get(key.tenant_id) ?? 0) + 1
  const step = reduceIncident(newest, command, { ...commandContext({ now }, cause), number })
  const { incident } = step
  if (!incident) throw new Error(`the command ${command.command} came to no incident`)
  if (step.events.length === 0) return { incident, events: [], now }
  await saveWith(tx, codec, step, {
    signals: [command.command === 'declare' ? rowAfter(row, command.signal, incident) : reopenedRow(row, incident.incident_id)],
    incidents: [{ incident, seen: 0 }],
    counters: [{ tenant_id: key.tenant_id, last_number: number }]
  })
  return { incident, events: step.events, now }
}

/** The transaction does not see the newest incident of a key; nothing was changed. */
export class Unseen extends Error {
  override readonly name = 'Unseen'
  constructor(readonly incident_id: string) {
    super('the newest incident of the key is not seen')
  }
}

/**
 * Opens an incident that no source reports, or finds the ongoing one of its key. `key` begins with
 * `man:`, which no signal has. `make` is called under the lock, with the time of the command.
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
 * Opens the incident of a key again that a person ended and that still fires, for the timer of the
 * suppression that ends at `until` (epoch ms). Nothing happens when there is nothing to do any
 * more: it recovered, was paused or deleted, or is ongoing.
 */
export async function reopenIncident(
  tx: Tx,
  codec: Codec,
  key: SignalKey,
  until: number,
  cause: CommandCause & { by: string }
): Promise<void> {
  const { by } = cause
  await openIncident(tx, codec, key, cause, (row, ended, now) =>
    reopens(row, ended, until) ? { command: 'reopen', by, incident_id: uuidv7(), signal: stillFiring(ended, now) } : null
  )
}
