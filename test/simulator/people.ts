/**
 * Commands on incidents and the jobs behind them, over the rows in memory. What is decided is the
 * real rules'; what is read and written around them follows services/store/incident-commands.ts,
 * close-watched.ts, services/notifier/jobs and auto-resolve.ts, one transaction a call.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import type { Command, IncidentContext } from '../../streams/incident/rules.ts'
import type { Code } from './code.ts'
import { idOf } from './log.ts'
import { type Ending, type IncidentModel, type KeyFacts, unquiet } from './model/incident.ts'
import type { Rows, Start } from './rows.ts'

/** Setting of both workspaces, s. */
export const REOPEN_AFTER = 60
export const AUTO_RESOLVE_MINUTES = 5
const namespace = '0190dddd-0000-7000-8000-000000000001'
const by = `user:${namespace}`

export interface PeopleOptions {
  code: Code
  rows: Rows
  model: IncidentModel
  compare(facts: KeyFacts): void
  /** The target of a key is there and not paused. */
  isWatchedStill(dedup_key: string): boolean
}

export class People {
  readonly #o: PeopleOptions
  #commands = 0

  constructor(options: PeopleOptions) {
    this.#o = options
  }

  #context(now: number, number = 0): IncidentContext {
    const command = idOf(namespace, `command ${this.#commands++}`)
    return {
      now,
      cause: { kind: 'command', src: by, event_id: null, request_id: null, input: null },
      versions: { routing: 1 },
      id: (purpose) => idOf(command, purpose),
      number
    }
  }

  /** Obeys a command on the newest incident of a key; true where it changed something. */
  #obey(incident: Incident, command: Command, now: number): boolean {
    const { code, rows } = this.#o
    const step = code.rules.reduceIncident(incident, command, this.#context(now))
    if (!step.incident || step.events.length === 0 || step.refused) return false
    const row = rows.signal(incident)
    const { suppressed_until, jobs } = code.reopening.aftermathOf(row, command, step.events, REOPEN_AFTER)
    const { events, outgoing } = code.outgoing.outgoingOf(step.events, idOf)
    rows.save({
      signals: suppressed_until === row.suppressed_until ? [] : [{ ...row, suppressed_until }],
      incidents: [{ incident: step.incident, seen: incident.ver }],
      events,
      counters: [],
      alerts: [],
      alertEvents: []
    })
    rows.tell(outgoing)
    rows.change([...step.jobs, ...jobs])
    return true
  }

  /** A person acts on the newest incident of a key. */
  act(
    key: { tenant_id: string; dedup_key: string },
    does: 'resolve' | 'resolve at once' | 'close' | 'acknowledge' | 'silence',
    now: number
  ): void {
    const { rows, model, compare } = this.#o
    const incident = rows.newest(rows.signal(key))
    if (!incident) return
    const wasOngoing = incident.status === 'ongoing'
    if (does === 'acknowledge') this.#obey(incident, { command: 'acknowledge', by, comment: null }, now)
    else if (does === 'silence') this.#obey(incident, { command: 'silence', by, until: now + 600_000, reason: null }, now)
    else {
      const command: Command =
        does === 'close'
          ? { command: 'close', by, note: null, user_id: namespace }
          : { command: 'resolve', by, note: null, until_recovered: does === 'resolve' }
      this.#obey(incident, command, now)
      const ending: Ending = {
        reason: does === 'close' ? 'closed' : 'user',
        quiet_ms: does === 'resolve at once' ? null : REOPEN_AFTER * 1000,
        unwatched: false
      }
      if (wasOngoing) model.end(model.facts(key.tenant_id, key.dedup_key), ending, now)
    }
    compare(model.facts(key.tenant_id, key.dedup_key))
  }

  /** A target is paused or deleted: as closeWatched. */
  endWatch(key: { tenant_id: string; dedup_key: string }, why: 'deleted' | 'paused', resolve_open: boolean, now: number): void {
    const { code, rows, model, compare } = this.#o
    const facts = model.facts(key.tenant_id, key.dedup_key)
    const row = rows.signal(key)
    if (row.suppressed_until !== null) {
      rows.signals.set(code.incident.nameOf(row), { ...row, suppressed_until: null })
      rows.change(code.reopening.cancelReopening(row))
    }
    unquiet(facts)
    const incident = rows.newest(row)
    if (resolve_open && incident?.status === 'ongoing') {
      const reason = why === 'deleted' ? 'monitor_deleted' : 'user'
      this.#obey(
        incident,
        {
          command: 'resolve',
          by,
          note: null,
          until_recovered: false,
          unwatched: true,
          ...(why === 'deleted' && { reason: 'monitor_deleted' as const })
        },
        now
      )
      model.end(facts, { reason, quiet_ms: null, unwatched: true }, now)
    }
    compare(facts)
  }

  /** Runs the jobs of incidents that are due, the oldest first. */
  runJobs(now: number): void {
    const { rows, model, compare, isWatchedStill } = this.#o
    const due = [...rows.jobs.values()].filter(({ run_at }) => run_at <= now).sort((one, other) => one.run_at - other.run_at)
    for (const job of due) {
      if (!rows.jobs.delete(job.idem_key)) continue
      if (job.start === 'incident_reopen') this.#reopen(job, now)
      else if (job.start === 'silence_end') this.#endSilence(job, now)
      else if (job.start === 'storm_end') this.#endStorm(job, now)
    }
    for (const facts of model.calm(now)) compare(facts)
    for (const facts of model.timers(now, ({ dedup_key }) => isWatchedStill(dedup_key))) compare(facts)
  }

  #reopen(job: Start, now: number): void {
    const { code, rows, isWatchedStill } = this.#o
    const dedup_key = String(job.payload.dedup_key)
    if (!isWatchedStill(dedup_key)) return
    const row = rows.signal({ tenant_id: job.tenant_id, dedup_key })
    const ended = rows.newest(row)
    if (!code.reopening.reopens(row, ended, Number(job.payload.until))) return
    const number = (rows.counters.get(job.tenant_id) ?? 0) + 1
    const incident_id = idOf(namespace, `reopened ${this.#commands++}`)
    const { storm, after } = code.storms.opening(rows.trafficOf(job.tenant_id), now)
    const still = code.signals.stillFiring(ended, now)
    const command: Command = { command: 'reopen', by, incident_id, signal: storm ? { ...still, storm } : still }
    const step = code.rules.reduceIncident(ended, command, this.#context(now, number))
    if (!step.incident || step.events.length === 0) return
    const { events, outgoing } = code.outgoing.outgoingOf(step.events, idOf)
    rows.save({
      signals: [code.reopening.reopenedRow(row, incident_id)],
      incidents: [{ incident: step.incident, seen: 0 }],
      events,
      counters: [{ tenant_id: job.tenant_id, last_number: number, openings: after }],
      alerts: [],
      alertEvents: []
    })
    rows.tell(outgoing)
    rows.change(step.jobs)
  }

  #endSilence({ payload }: Start, now: number): void {
    const incident = this.#o.rows.incidents.get(String(payload.incident_id))
    if (incident) this.#obey(incident, { command: 'silence_end', by: 'system:silence_end', until: Number(payload.until) }, now)
  }

  #endStorm({ tenant_id, payload }: Start, now: number): void {
    const until = Number(payload.until)
    for (const id of [...this.#o.rows.ongoing.values()].sort()) {
      const incident = this.#o.rows.incidents.get(id)
      if (incident?.tenant_id !== tenant_id || incident.storm_until !== until) continue
      this.#obey(incident, { command: 'storm_end', by: 'system:storm_end', until }, now)
    }
  }

  /** Resolves what inbound keys have not repeated for long. */
  sweep(now: number): void {
    const { rows, model, compare } = this.#o
    const oldest = now - AUTO_RESOLVE_MINUTES * 60_000
    for (const id of [...rows.ongoing.values()].sort()) {
      const incident = rows.incidents.get(id)
      if (incident?.source_kind !== 'inbound') continue
      const row = rows.signal(incident)
      if ((row.last_seen_at ?? 0) > oldest) continue
      const command: Command = { command: 'resolve', by: 'system:auto_resolve', note: null, until_recovered: false, reason: 'auto_timeout' }
      this.#obey(incident, command, now)
      const facts = model.facts(incident.tenant_id, incident.dedup_key)
      model.end(facts, { reason: 'auto_timeout', quiet_ms: null, unwatched: false }, now)
      compare(facts)
    }
  }
}
