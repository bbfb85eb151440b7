/**
 * The rows of Postgres in memory: what services/store/incidents.ts and jobs.ts promise of them, and
 * nothing else. A transaction is a call: calls never overlap, as locks see to it there.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import type { Input, JobChange, Outgoing } from '../../streams/define.ts'
import type { Loaded, Saved } from '../../streams/incident/fold.ts'
import type { SignalKey, SignalRow } from '../../streams/incident/signals.ts'
import type { Code } from './code.ts'
import { Difference, same } from './difference.ts'
import { idOf } from './log.ts'

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
    suppressed_until: null,
    occurrences: 0,
    last_seen_at: null
  }) satisfies SignalRow

export class Rows {
  readonly signals = new Map<string, SignalRow>()
  readonly incidents = new Map<string, Incident>()
  readonly ongoing = new Map<string, string>()
  readonly counters = new Map<string, number>()
  readonly jobs = new Map<string, Start>()
  readonly outbox: Outgoing[] = []
  readonly #code: Code
  /**
   * Aggregates of targets that were deleted. Control records that a relay sends again behind the
   * deletion make such a one once more for a moment, and its versions begin anew.
   */
  readonly gone = new Set<string>()
  readonly #told = new Set<string>()

  constructor(code: Code) {
    this.#code = code
  }

  signal(key: SignalKey): SignalRow {
    return this.signals.get(this.#code.incident.nameOf(key)) ?? blank(key)
  }

  newest(row: SignalRow): Incident | null {
    return row.incident_id === null ? null : (this.incidents.get(row.incident_id) ?? null)
  }

  load(inputs: readonly Input[]): Loaded {
    const signals = new Map<string, SignalRow>()
    const incidents = new Map<string, Incident>()
    const counters = new Map<string, number>()
    for (const input of inputs) {
      const key = this.#code.signals.keyOf(input)
      if (!key) continue
      const name = this.#code.incident.nameOf(key)
      const row = this.signals.get(name) ?? blank(key)
      signals.set(name, row)
      counters.set(key.tenant_id, this.counters.get(key.tenant_id) ?? 0)
      const newest = this.newest(row)
      if (newest) incidents.set(name, newest)
    }
    return { signals, incidents, counters, rules: new Map(), policies: new Map(), alerts: new Map(), members: new Map() }
  }

  save({ signals, incidents, events, counters }: Saved): void {
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
    for (const { tenant_id, last_number } of counters) this.counters.set(tenant_id, last_number)
  }

  /** As changeJobs: the last word on a key counts, and what is there already stays as it is. */
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

  /** Rows for the outbox. None may say again what another has said. */
  tell(outgoing: readonly Outgoing[]): void {
    for (const one of outgoing) {
      this.outbox.push(one)
      // A mark says no more than that there is something to read.
      if (one.body === 'current' || this.gone.has(one.aggregate)) continue
      const name = `${one.aggregate} ${one.ver} ${one.topic} ${one.body}`
      if (this.#told.has(name)) throw new Difference('told once', `told twice: ${name} (${one.event_type}, of ${one.src})`)
      this.#told.add(name)
    }
  }
}
