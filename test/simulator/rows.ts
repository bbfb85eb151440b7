/**
 * The rows of Postgres in memory. They do what services/store/incidents.ts and jobs.ts promise, and
 * nothing else. A transaction is one call. Calls never overlap; in Postgres, locks ensure that.
 */
import type { Alert, AlertEvent, Incident, IncidentEvent } from '../../schemas/generated/events.ts'
import type { Input, JobChange, Outgoing } from '../../streams/define.ts'
import type { Depends, Parent } from '../../streams/incident/dependencies.ts'
import type { HeldIncident, Loaded, Saved } from '../../streams/incident/fold.ts'
import type { Hold, KeptFor } from '../../streams/incident/holds.ts'
import { OUTAGE_KEY } from '../../streams/incident/outages.ts'
import type { SignalKey, SignalRow } from '../../streams/incident/signals.ts'
import type { Traffic } from '../../streams/incident/storms.ts'
import type { WindowSet } from '../../streams/maintenance/windows.ts'
import type { RuleSet } from '../../streams/routing/rules.ts'
import type { SilenceSet } from '../../streams/routing/silences.ts'
import type { Code } from './code.ts'
import { Difference, same } from './difference.ts'
import { idOf } from './log.ts'
import { STORM_THRESHOLD } from './model/incident.ts'
import { MIN_MONITORS } from './model/together.ts'

export type Start = Extract<JobChange, { start: string }>

const blank = ({ tenant_id, dedup_key }: SignalKey): SignalRow =>
  ({
    tenant_id,
    dedup_key,
    incident_id: null,
    alert_id: null,
    last_action: null,
    last_at: null,
    last_sequence: null,
    last_delivery_id: null,
    last_time_source: null,
    last_sender_at: null,
    last_offset: null,
    unapplied: null,
    facts: null,
    suppressed_until: null,
    occurrences: 0,
    last_seen_at: null
  }) satisfies SignalRow

export class Rows {
  readonly signals = new Map<string, SignalRow>()
  readonly incidents = new Map<string, Incident>()
  readonly ongoing = new Map<string, string>()
  readonly alerts = new Map<string, Alert>()
  /** Ids of ongoing alerts, by key. */
  readonly ongoingAlerts = new Map<string, string>()
  /** Ids of the alerts of an incident. */
  readonly members = new Map<string, Set<string>>()
  /** By workspace. */
  readonly rules = new Map<string, RuleSet>()
  readonly silences = new Map<string, SilenceSet>()
  /** Maintenance windows of a workspace. */
  readonly windows = new Map<string, WindowSet>()
  /** Returns when windows cover a monitor that others depend on, including their settle times. */
  maintenanceOf: (tenant_id: string, monitor_id: string) => readonly (readonly [from: number, until: number])[] = () => []
  /** Events of incidents and alerts, by id, in order. */
  readonly events = new Map<string, (IncidentEvent | AlertEvent)[]>()
  readonly counters = new Map<string, number>()
  readonly traffic = new Map<string, Traffic>()
  readonly jobs = new Map<string, Start>()
  /** What monitors depend on, by key. */
  readonly depends = new Map<string, Depends>()
  /** What holds incidents because others fail, by id. */
  readonly held = new Map<string, HeldIncident>()
  /** Returns how many monitors of a workspace count for a mass outage. */
  monitorsOf: (tenant_id: string) => number = () => 0
  readonly outbox: Outgoing[] = []
  readonly #code: Code
  /**
   * Aggregates of deleted targets. A relay may send older control records again after the deletion.
   * They create such a target for a moment once more, with versions that start anew.
   */
  readonly gone = new Set<string>()
  readonly #told = new Set<string>()

  constructor(code: Code) {
    this.#code = code
  }

  signal(key: SignalKey): SignalRow {
    return this.signals.get(this.#code.incident.nameOf(key)) ?? blank(key)
  }

  /** Returns the newest incident of a key; if the key's alert has a row, that alert's incident. */
  newest(row: SignalRow): Incident | null {
    const alert = this.alertOf(row)
    const incident_id = alert ? alert.incident_id : row.incident_id
    return incident_id === null ? null : (this.incidents.get(incident_id) ?? null)
  }

  /** Returns the newest alert of a key, if it has a row. */
  alertOf({ alert_id }: SignalRow): Alert | null {
    return alert_id === null ? null : (this.alerts.get(alert_id) ?? null)
  }

  /** Returns what holds an incident or alert at an instant, in order, by id. */
  holds(subject: Incident | Alert, at: number): Hold[] {
    const silences = this.silences.get(subject.tenant_id) ?? this.#code.silences.compileSilences([], [])
    const windows = this.windowsOf(subject.tenant_id)
    const facts = { silences, paused: new Map(), windows, keptFor: this.#keptFor(subject), unmuted: new Set<string>() }
    if ('alert_id' in subject) return this.#code.holds.holdsOfAlert(subject, facts, at)
    const { incident_id } = subject
    const ongoing = [...(this.members.get(incident_id) ?? [])].flatMap((id) => this.alerts.get(id) ?? [])
    const isFree = ongoing.some((alert) => alert.status === 'ongoing' && this.#code.holds.isUnmuted(alert, facts, at))
    const isMuted = this.#code.holds.isMutedGroup(subject, facts, at)
    return this.#code.holds.holdsOf(subject, { ...facts, unmuted: new Set(isMuted && isFree ? [incident_id] : []) }, at)
  }

  windowsOf(tenant_id: string): WindowSet {
    return this.windows.get(tenant_id) ?? this.#code.windows.noWindows
  }

  #keptFor({ incident_id }: Incident | Alert): ReadonlyMap<string, KeptFor[]> {
    const held = incident_id === null ? undefined : this.held.get(incident_id)
    if (incident_id === null || !held) return new Map()
    const kept: KeptFor =
      'wait' in held
        ? { kind: 'dependency', id: held.wait.monitor_id, until: null, bound_at: held.wait.bound_at }
        : { kind: 'mass_outage', id: held.outage_id, until: null, bound_at: null }
    return new Map([[incident_id, [kept]]])
  }

  /** Returns what is known of the parents that a key's monitor depends on. */
  parentsOf({ tenant_id, dedup_key }: SignalKey): { parents: Parent[]; depends: Depends | null } {
    const depends = this.depends.get(this.#code.incident.nameOf({ tenant_id, dedup_key })) ?? null
    const parents = (depends?.parent_ids ?? []).map(
      (id): Parent => ({
        monitor_id: id,
        watched: this.signal({ tenant_id, dedup_key: `mon:${id}` }).facts?.watched ?? null,
        maintenance: this.maintenanceOf(tenant_id, id)
      })
    )
    return { parents, depends }
  }

  trafficOf(tenant_id: string): Traffic {
    return this.traffic.get(tenant_id) ?? { step: 0, counts: [], storm_until: null, threshold: STORM_THRESHOLD }
  }

  load(inputs: readonly Input[]): Loaded {
    const signals = new Map<string, SignalRow>()
    const incidents = new Map<string, Incident>()
    const counters = new Map<string, number>()
    const traffic = new Map<string, Traffic>()
    for (const input of inputs) {
      const key = this.#code.signals.keyOf(input)
      if (!key) continue
      const name = this.#code.incident.nameOf(key)
      const row = this.signals.get(name) ?? blank(key)
      signals.set(name, row)
      counters.set(key.tenant_id, this.counters.get(key.tenant_id) ?? 0)
      traffic.set(key.tenant_id, this.trafficOf(key.tenant_id))
      this.#loadNewest(row, name, incidents)
    }
    const alerts = new Map<string, Alert>()
    const members = new Map<string, Incident>()
    for (const row of signals.values()) {
      const alert = this.alertOf(row)
      if (!alert) continue
      alerts.set(alert.alert_id, alert)
      const incident = this.newest(row)
      if (incident) members.set(incident.incident_id, incident)
    }
    for (const key of this.#code.incident.groupsOf(inputs, this.rules, idOf)) {
      const name = this.#code.incident.nameOf(key)
      const row = this.signals.get(name) ?? blank(key)
      signals.set(name, row)
      this.#loadNewest(row, name, incidents)
    }
    return {
      signals,
      incidents,
      counters,
      traffic,
      rules: this.rules,
      policies: new Map(),
      windows: this.windows,
      ...this.#loadTogether(signals, incidents),
      alerts,
      members
    }
  }

  /** Loads the keys of parents and of mass outages, which are locked with the others. */
  #loadTogether(signals: Map<string, SignalRow>, incidents: Map<string, Incident>): Pick<Loaded, 'depends' | 'parents' | 'outages'> {
    const { nameOf } = this.#code.incident
    const parents = new Set<string>()
    for (const [name, { parent_ids }] of this.depends) {
      const [tenant_id = ''] = name.split('|', 1)
      for (const id of parent_ids) {
        const key = { tenant_id, dedup_key: `mon:${id}` }
        parents.add(nameOf(key))
        if (signals.has(name) && !signals.has(nameOf(key))) signals.set(nameOf(key), this.signal(key))
      }
    }
    const outages: [string, { min_monitors: number; monitors: number; private_team_ids: string[] }][] = []
    for (const tenant_id of new Set([...signals.values()].map((row) => row.tenant_id))) {
      const row = this.signal({ tenant_id, dedup_key: OUTAGE_KEY })
      signals.set(nameOf(row), row)
      this.#loadNewest(row, nameOf(row), incidents)
      outages.push([tenant_id, { min_monitors: MIN_MONITORS, monitors: this.monitorsOf(tenant_id), private_team_ids: [] }])
    }
    return { depends: this.#dependsNow(), parents, outages: new Map(outages) }
  }

  /** Returns the dependencies with the windows that cover the parents. */
  #dependsNow(): Map<string, Depends> {
    return new Map(
      [...this.depends].map(([name, depends]) => {
        const [tenant_id = ''] = name.split('|', 1)
        return [name, { ...depends, maintenance: new Map(depends.parent_ids.map((id) => [id, this.maintenanceOf(tenant_id, id)])) }]
      })
    )
  }

  #loadNewest({ incident_id }: SignalRow, name: string, incidents: Map<string, Incident>): void {
    const incident = incident_id === null ? undefined : this.incidents.get(incident_id)
    if (incident) incidents.set(name, incident)
  }

  save({ signals, incidents, events, counters, alerts, alertEvents, holds }: Saved): void {
    for (const held of holds) this.held.set(held.incident_id, held)
    for (const row of signals) this.signals.set(this.#code.incident.nameOf(row), row)
    for (const { incident, seen } of incidents) {
      const before = this.incidents.get(incident.incident_id)
      same('versions', `version of ${incident.incident_id} that is replaced`, before?.ver ?? 0, seen)
      this.incidents.set(incident.incident_id, incident)
      const name = this.#code.incident.nameOf(incident)
      const other = this.ongoing.get(name)
      if (incident.status === 'resolved') {
        if (other === incident.incident_id) this.ongoing.delete(name)
      } else if (other !== undefined && other !== incident.incident_id) {
        throw new Difference('one ongoing', `${name} has a second ongoing incident`)
      } else this.ongoing.set(name, incident.incident_id)
    }
    for (const { event_id, incident_id, ver } of events) same('ids', `id of version ${ver}`, event_id, idOf(incident_id, String(ver)))
    for (const { tenant_id, last_number, openings } of counters) {
      this.counters.set(tenant_id, last_number)
      if (openings) this.traffic.set(tenant_id, { ...openings, threshold: STORM_THRESHOLD })
    }
    for (const { alert, seen } of alerts) this.#saveAlert(alert, seen)
    for (const { event_id, alert_id, ver } of alertEvents) same('ids', `id of version ${ver}`, event_id, idOf(alert_id, `alert ${ver}`))
    for (const event of [...events, ...alertEvents]) {
      const id = 'alert' in event ? event.alert_id : event.incident_id
      const list = this.events.get(id)
      if (list) list.push(event)
      else this.events.set(id, [event])
    }
  }

  #saveAlert(alert: Alert, seen: number): void {
    const { alert_id, incident_id } = alert
    same('versions', `version of ${alert_id} that is replaced`, this.alerts.get(alert_id)?.ver ?? 0, seen)
    this.alerts.set(alert_id, alert)
    if (incident_id !== null) this.members.set(incident_id, (this.members.get(incident_id) ?? new Set()).add(alert_id))
    const name = this.#code.incident.nameOf(alert)
    const other = this.ongoingAlerts.get(name)
    if (alert.status === 'resolved') {
      if (other === alert_id) this.ongoingAlerts.delete(name)
    } else if (other !== undefined && other !== alert_id) throw new Difference('one ongoing', `${name} has a second ongoing alert`)
    else this.ongoingAlerts.set(name, alert_id)
  }

  /** As changeJobs does: the last change of a key counts, and a job that exists stays as it is. */
  change(changes: readonly JobChange[]): void {
    const starts = new Map<string, Start>()
    for (const change of changes) {
      if ('cancel' in change) {
        this.jobs.delete(change.cancel)
        starts.delete(change.cancel)
      } else if (!starts.has(change.idem_key)) starts.set(change.idem_key, change)
    }
    for (const [key, start] of starts) if (!this.jobs.has(key)) this.jobs.set(key, start)
  }

  /** Adds rows to the outbox. No row may repeat an earlier one. */
  tell(outgoing: readonly Outgoing[]): void {
    for (const one of outgoing) {
      this.outbox.push(one)
      // A mark only says that there is something to read, so it may repeat.
      if (one.body === 'current' || this.gone.has(one.aggregate)) continue
      const name = `${one.aggregate} ${one.ver} ${one.topic} ${one.body}`
      if (this.#told.has(name)) throw new Difference('told once', `told twice: ${name} (${one.event_type}, of ${one.src})`)
      this.#told.add(name)
    }
  }
}
