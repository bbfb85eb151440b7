/**
 * Applies commands on incidents, and runs the jobs that follow, over the rows in memory. The real
 * rules decide. What is read and written around them follows services/store/incident-commands.ts,
 * close-watched.ts, services/notifier/jobs and auto-resolve.ts. Each call is one transaction.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import { OUTAGE_KEY } from '../../streams/incident/outages.ts'
import type { Command, IncidentContext } from '../../streams/incident/rules.ts'
import type { SignalKey } from '../../streams/incident/signals.ts'
import type { Code } from './code.ts'
import { compareMass } from './compare-keys.ts'
import { Difference } from './difference.ts'
import { idOf } from './log.ts'
import { type Ending, type IncidentModel, type KeyFacts, unquiet } from './model/incident.ts'
import type { Deed } from './operations.ts'
import { Members } from './people-alerts.ts'
import type { Rows, Start } from './rows.ts'
import { teamOf } from './rule-sets.ts'
import type { Windows } from './windows.ts'

/** Setting of both workspaces, s. */
export const REOPEN_AFTER = 60
export const AUTO_RESOLVE_MINUTES = 5
const namespace = '0190dddd-0000-7000-8000-000000000001'
const by = `user:${namespace}`

export interface PeopleOptions {
  code: Code
  rows: Rows
  model: IncidentModel
  windows: Windows
  compare(facts: KeyFacts): void
  /** Whether the target of a key exists and is not paused. */
  isWatchedStill(dedup_key: string): boolean
}

export class People {
  readonly #o: PeopleOptions
  readonly #members: Members
  #commands = 0

  constructor(options: PeopleOptions) {
    this.#o = options
    this.#members = new Members(options.code, options.rows, REOPEN_AFTER)
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

  /** Applies a command to an incident and its alerts, as saveStep does. */
  #obey(incident: Incident, command: Command, now: number): void {
    const { code, rows } = this.#o
    const context = this.#context(now)
    const members = this.#members.of(incident)
    const step = code.rules.reduceIncident(incident, command, context)
    if (!step.incident || step.events.length === 0 || step.refused) return
    const row = rows.signal({ tenant_id: incident.tenant_id, dedup_key: code.grouping.lockKeyOf(incident) })
    // If an alert of the incident has a row and the incident's key, the key belongs to that alert.
    const ofAlert = members.some(({ dedup_key }) => dedup_key === row.dedup_key)
    const { suppressed_until, jobs } = ofAlert
      ? { suppressed_until: row.suppressed_until, jobs: [] }
      : code.reopening.aftermathOf(row, command, step.events, REOPEN_AFTER)
    const signals = suppressed_until === row.suppressed_until ? [] : [{ ...row, suppressed_until }]
    const heard = this.#members.hear(members, command, step, context)
    this.#members.save(incident, { ...step, jobs: [...step.jobs, ...jobs] }, heard, { signals })
  }

  /** A person acts on the newest incident of a key. */
  act(key: { tenant_id: string; dedup_key: string }, does: Deed, now: number): void {
    const { rows, model, compare } = this.#o
    const facts = model.facts(key.tenant_id, key.dedup_key)
    const incident = rows.newest(rows.signal(key))
    const shared = facts.episodes.at(-1)?.incident ?? null
    if (!incident || !shared) {
      compare(facts)
      return
    }
    const touched = new Set([facts])
    if (does === 'acknowledge') this.#obey(incident, { command: 'acknowledge', by, comment: null }, now)
    else if (does === 'silence') {
      const until = now + 600_000
      this.#obey(incident, { command: 'silence', by, until, reason: null }, now)
      if (shared.ongoing) shared.silenced_until = until
    } else if (does === 'move') {
      const team = this.#commands % 3 === 0 ? null : this.#commands % 3
      this.#obey(incident, { command: 'edit', by, edits: { team_id: teamOf(team) } }, now)
      for (const one of model.move(key.tenant_id, shared, team)) touched.add(one)
    } else {
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
      for (const one of model.endIncident(key.tenant_id, shared, ending, now)) touched.add(one)
    }
    for (const one of touched) compare(one)
  }

  /** A person acts on the newest alert of a key, if it has a row. */
  actOnAlert(key: { tenant_id: string; dedup_key: string }, does: 'resolve' | 'close' | 'acknowledge' | 'promote', now: number): void {
    const { rows, model, compare } = this.#o
    const facts = model.facts(key.tenant_id, key.dedup_key)
    const alert = rows.alertOf(rows.signal(key))
    if (!alert) return
    if (does === 'promote') this.#promote(alert, now)
    else {
      const asked =
        does === 'resolve'
          ? ({ command: 'resolve', by, note: null, reason: 'user' } as const)
          : does === 'close'
            ? ({ command: 'close', by, note: null, user_id: namespace } as const)
            : ({ command: 'acknowledge', by, comment: null } as const)
      this.#members.obey(alert, asked, { until_recovered: true, unwatched: false }, this.#context(now))
    }
    if (does === 'promote') model.promote(facts, now)
    else if (does !== 'acknowledge') {
      model.end(facts, { reason: does === 'close' ? 'closed' : 'user', quiet_ms: REOPEN_AFTER * 1000, unwatched: false }, now)
    }
    compare(facts)
  }

  /** As promoteAlert does. `window` is the one that had kept the alert. */
  #promote(alert: Alert, now: number, window: { window_id: string; ended_at: number } | null = null): void {
    const { code, rows } = this.#o
    if (alert.incident_id !== null || alert.status !== 'ongoing') return
    const { tenant_id } = alert
    const number = (rows.counters.get(tenant_id) ?? 0) + 1
    const incident_id = idOf(namespace, `promoted ${this.#commands++}`)
    const context = this.#context(now, number)
    const whole = code.signals.fromAlertRow(alert, incident_id, now)
    const counted = window ? code.storms.opening(rows.trafficOf(tenant_id), now) : null
    const { parents, depends } = rows.parentsOf(alert)
    const waits = window && depends ? code.dependencies.waitOf(parents, depends, now) : null
    const held = { ...(counted?.storm && { storm: counted.storm }), ...(waits && { waits }) }
    const signal = { ...whole, ...(window && { started_at: window.ended_at }), ...held }
    const opened = code.rules.reduceIncident(null, { command: 'promote', by, incident_id, signal, ...(window && { window }) }, context)
    const step = code.alerts.reduceAlert(alert, { command: 'promote', by, incident_id }, context)
    this.#members.save(
      null,
      opened,
      { signals: [], alerts: [{ alert: step.alert, seen: alert.ver }], events: step.events, jobs: [] },
      {
        signals: [{ ...rows.signal(alert), incident_id }],
        counters: [{ tenant_id, last_number: number, ...(counted && { openings: counted.after }) }],
        holds: waits ? [{ tenant_id, incident_id, began_at: now, wait: waits }] : []
      }
    )
  }

  /** A target is paused or deleted, as closeWatched does. */
  endWatch(key: { tenant_id: string; dedup_key: string }, why: 'deleted' | 'paused', resolve_open: boolean, now: number): void {
    const { code, rows, model, compare } = this.#o
    const facts = model.facts(key.tenant_id, key.dedup_key)
    const row = rows.signal(key)
    if (row.suppressed_until !== null) {
      rows.signals.set(code.incident.nameOf(row), { ...row, suppressed_until: null })
      rows.change(code.reopening.cancelReopening(row))
    }
    unquiet(facts)
    if (resolve_open) {
      const reason = why === 'deleted' ? 'monitor_deleted' : 'user'
      this.#endOngoing(key, reason, true, now)
      model.end(facts, { reason, quiet_ms: null, unwatched: true }, now)
    }
    compare(facts)
  }

  /** Ends what is ongoing for a key: its own incident, or its alert that has a row. */
  #endOngoing(key: SignalKey, reason: 'user' | 'monitor_deleted' | 'auto_timeout', unwatched: boolean, now: number): void {
    const { code, rows } = this.#o
    const name = code.incident.nameOf(key)
    const incident = rows.incidents.get(rows.ongoing.get(name) ?? '')
    if (incident) {
      const command = { command: 'resolve', by, note: null, until_recovered: false } as const
      this.#obey(incident, { ...command, ...(unwatched && { unwatched }), ...(reason !== 'user' && { reason }) }, now)
      return
    }
    const alert = rows.alerts.get(rows.ongoingAlerts.get(name) ?? '')
    if (!alert) return
    const asked = { command: 'resolve', by, note: null, reason } as const
    this.#members.obey(alert, asked, { until_recovered: false, unwatched }, this.#context(now))
  }

  /** Runs the jobs that are due, the oldest first, and the jobs that they start. */
  runJobs(now: number): void {
    const { rows, model } = this.#o
    for (;;) {
      const due = [...rows.jobs.values()].filter(({ run_at }) => run_at <= now).sort((one, other) => one.run_at - other.run_at)
      if (due.length === 0) break
      for (const job of due) if (rows.jobs.delete(job.idem_key)) this.#runJob(job, now)
    }
    const late = model.late(now)
    if (late !== null) throw new Difference('timer', late)
  }

  #runJob(job: Start, now: number): void {
    if (this.#o.windows.run(job, now)) return
    if (job.start === 'incident_reopen') this.#timer(job, now)
    else if (job.start === 'silence_end') this.#endSilence(job, now)
    else if (job.start === 'storm_end') this.#endStorm(job, now)
    else if (job.start === 'dependency_end') this.#lookAtWaiting(job, now)
    else if (job.start === 'outage_end') this.#unbundle(job, now)
    else if (job.start === 'maintenance_promote') this.#promoteKept(job, now)
  }

  #timer(job: Start, now: number): void {
    const { model, compare, isWatchedStill } = this.#o
    const dedup_key = String(job.payload.dedup_key)
    const facts = model.facts(job.tenant_id, dedup_key)
    if (isWatchedStill(dedup_key)) this.#reopen(job, dedup_key, now)
    model.reopen(facts, now, isWatchedStill(dedup_key))
    compare(facts)
  }

  /** As maintenance-promote.ts. */
  #promoteKept(job: Start, now: number): void {
    const { code, rows, model, compare } = this.#o
    const { tenant_id, payload } = job
    const alert = rows.alerts.get(String(payload.alert_id))
    if (!alert) return
    const facts = model.facts(tenant_id, alert.dedup_key)
    if (rows.signal(alert).alert_id === alert.alert_id) model.promoteKept(facts, now)
    if (alert.status === 'ongoing' && alert.incident_id === null) {
      const still = code.windows.coveringWindows(rows.windowsOf(tenant_id), alert, now, 100)
      const [first] = still.filter(({ window }) => window.effect === 'suppress_incidents').sort((one, other) => one.until - other.until)
      if (first) rows.change([{ ...job, run_at: first.until, payload: { ...payload, window_id: first.window.window_id } }])
      else this.#promote(alert, now, { window_id: String(payload.window_id), ended_at: now })
    }
    compare(facts)
  }

  /** As keptAgain does: a kept alert comes back as an alert, unless no window keeps it now. */
  #reopenKept(alert: Alert, now: number): boolean {
    const { code, rows } = this.#o
    const still = code.signals.stillFiring(alert, now)
    const cause = rows.events.get(alert.alert_id)?.[0]?.cause
    const isByWindow = cause !== undefined && code.reopening.keptByWindow(cause)
    const window = isByWindow ? code.windows.keepingWindow(rows.windowsOf(alert.tenant_id), alert, now) : null
    if (isByWindow && !window) return false
    const signal = window ? code.reopening.keptBy(still, window) : still
    const reopening = { command: 'reopen', by, alert_id: idOf(namespace, `kept ${this.#commands++}`), signal } as const
    const { alert: again, events } = code.alerts.reopenAlert(reopening, this.#context(now))
    const row = code.reopening.keptRow(rows.signal(alert), again.alert_id)
    const jobs = code.incident.promotionOf(again, signal)
    this.#members.save(
      null,
      { incident: null, events: [], jobs: [] },
      { signals: [row], alerts: [{ alert: again, seen: 0 }], events, jobs },
      {}
    )
    return true
  }

  #reopen(job: Start, dedup_key: string, now: number): void {
    const { code, rows } = this.#o
    const row = rows.signal({ tenant_id: job.tenant_id, dedup_key })
    const ended = rows.alertOf(row) ?? rows.newest(row)
    if (!code.reopening.reopens(row, ended, Number(job.payload.until))) return
    if (code.reopening.isKept(ended) && this.#reopenKept(ended, now)) return
    const number = (rows.counters.get(job.tenant_id) ?? 0) + 1
    const incident_id = idOf(namespace, `reopened ${this.#commands++}`)
    const { storm, after } = code.storms.opening(rows.trafficOf(job.tenant_id), now)
    const still = code.signals.stillFiring(ended, now)
    const { parents, depends } = rows.parentsOf(row)
    const waits = depends && code.dependencies.waitOf(parents, depends, now)
    const out = rows.signal({ tenant_id: job.tenant_id, dedup_key: OUTAGE_KEY })
    const outage = out.facts?.outage ?? code.outages.noOutage
    const outage_id = waits ? null : code.outages.outageOf(outage, rows.newest(out), dedup_key.slice('mon:'.length))
    const because = waits ? { waits } : outage_id !== null ? { bundled_into: outage_id } : {}
    const command: Command = { command: 'reopen', by, incident_id, signal: { ...still, ...(storm && { storm }), ...because } }
    const held = waits ? { wait: waits } : outage_id !== null ? { outage_id } : null
    const newest = 'alert_id' in ended ? null : ended
    const step = code.rules.reduceIncident(newest, command, this.#context(now, number))
    if (!step.incident || step.events.length === 0) return
    this.#members.save(
      null,
      step,
      { signals: [], alerts: [], events: [], jobs: [] },
      {
        signals: [code.reopening.reopenedRow(row, incident_id)],
        counters: [{ tenant_id: job.tenant_id, last_number: number, openings: after }],
        holds: held ? [{ tenant_id: job.tenant_id, incident_id, began_at: now, ...held }] : []
      }
    )
  }

  /**
   * As dependency-end.ts and lookAtWaiting do: checks one incident, or all that depend on a
   * monitor.
   */
  #lookAtWaiting(job: Start, now: number): void {
    const { code, rows, model, compare } = this.#o
    const { incident_id, monitor_id } = job.payload
    const again: number[] = []
    for (const [id, held] of rows.held) {
      const incident = rows.incidents.get(id)
      if (incident?.status !== 'ongoing' || !('wait' in held)) continue
      const { parents, depends } = rows.parentsOf(incident)
      const isMeant = id === incident_id || held.wait.monitor_id === monitor_id || depends?.parent_ids.includes(String(monitor_id))
      if (!isMeant) continue
      const { wait_seconds, bound_at, monitor_id: cause } = held.wait
      const still = code.dependencies.heldAt(parents, { began_at: held.began_at, wait_seconds, bound_at }, now)
      if (still) again.push(code.dependencies.lookAgainAt(still, now))
      else {
        rows.held.delete(id)
        this.#obey(incident, { command: 'release', by: 'system:dependency_end', held_by: 'dependency', id: cause }, now)
      }
      const facts = model.facts(incident.tenant_id, incident.dedup_key)
      model.look(facts, now)
      compare(facts)
    }
    if (again.length > 0) rows.change([{ ...job, run_at: Math.min(...again) }])
  }

  /** As outage-end.ts. */
  #unbundle({ tenant_id, payload }: Start, now: number): void {
    const { rows, model, compare } = this.#o
    const outage_id = String(payload.incident_id)
    for (const [id, held] of rows.held) {
      const incident = rows.incidents.get(id)
      if (incident?.status !== 'ongoing' || !('outage_id' in held) || held.outage_id !== outage_id) continue
      rows.held.delete(id)
      this.#obey(incident, { command: 'release', by: 'system:outage_end', held_by: 'mass_outage', id: outage_id }, now)
    }
    for (const facts of model.unbundle(rows.incidents.get(outage_id)?.number ?? 0, tenant_id)) compare(facts)
  }

  /** A person resolves the mass outage of a workspace. */
  endOutage(tenant_id: string, now: number): void {
    const { rows, model } = this.#o
    const incident = rows.newest(rows.signal({ tenant_id, dedup_key: OUTAGE_KEY }))
    if (incident) this.#obey(incident, { command: 'resolve', by, note: null, until_recovered: true }, now)
    model.endMass(tenant_id)
    compareMass(rows, tenant_id, model.together.massOf(tenant_id))
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
    for (const facts of this.#o.model.calm(tenant_id, until)) this.#o.compare(facts)
  }

  /** Resolves inbound alerts whose keys have not been repeated for long. */
  sweep(now: number): void {
    const { rows, model, compare } = this.#o
    const oldest = now - AUTO_RESOLVE_MINUTES * 60_000
    const incidents = [...rows.ongoing.values()].flatMap((id) => rows.incidents.get(id) ?? [])
    const alerts = [...rows.ongoingAlerts.values()].flatMap((id) => rows.alerts.get(id) ?? [])
    const ofOne = incidents.filter(({ ongoing_alerts }) => ongoing_alerts === null)
    for (const { source_kind, tenant_id, dedup_key } of [...ofOne, ...alerts]) {
      const row = rows.signal({ tenant_id, dedup_key })
      if (source_kind !== 'inbound' || (row.last_seen_at ?? 0) > oldest) continue
      this.#endOngoing(row, 'auto_timeout', false, now)
      const facts = model.facts(tenant_id, dedup_key)
      model.end(facts, { reason: 'auto_timeout', quiet_ms: null, unwatched: false }, now)
      compare(facts)
    }
  }
}
