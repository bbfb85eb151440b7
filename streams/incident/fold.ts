/**
 * Turns signals into incidents: walks a batch in the order of the log and returns everything that
 * follows from it.
 *
 * Loaded   for every usable key of the batch: its locked `signals` row and its newest incident.
 *          Also the number counters of the workspaces in which the batch may open an incident,
 *          with their recent openings (services/store/incidents.ts locks and loads them)
 * Returns  rows to save, records and frames for the log, timers, and the refused records with the
 *          reasons
 *
 * Several signals of one key in a batch see the effects of one another. Pure: the fold changes
 * nothing that was loaded, and the same inputs give the same output.
 */
import type { Alert, AlertEvent, Incident, IncidentEvent } from '../../schemas/generated/events.ts'
import type { Cause, Input, JobChange, Outcome, Refusal } from '../define.ts'
import { coveringWindows, keepingWindow, type WindowSet } from '../maintenance/windows.ts'
import { type PolicyDefaults, withPolicy } from '../routing/policies.ts'
import { builtInDecision, type RuleSet, route } from '../routing/rules.ts'
import type { AlertStepEvent } from './alerts.ts'
import { type Depends, letsGo, type Parent, type Wait, waitOf, watchedAfter } from './dependencies.ts'
import { createGrouping, groupKeyOf, hasOwnAlert, type Ledger } from './grouping.ts'
import { createOutages } from './outage-fold.ts'
import { OUTAGE_KEY, type OutageSettings } from './outages.ts'
import { alertOutgoingOf, type Emits, outgoingOf, type Uuidv5 } from './outgoing.ts'
import { cancelReopening } from './reopening.ts'
import { type Event, type IncidentContext, reduceIncident, type Signal, type Step } from './rules.ts'
import { isByFormerKey, judge, keyOf, placeOf, readSignal, rowAfter, type SignalKey, type SignalRow } from './signals.ts'
import { type Openings, opening, type Traffic } from './storms.ts'
import { tellingJobs } from './telling.ts'
import { runsAfter } from './unapplied.ts'

/** Names a key in the maps of `Loaded`. */
export const nameOf = ({ tenant_id, dedup_key }: SignalKey): string => `${tenant_id}|${dedup_key}`

export interface Loaded {
  /** By key: rows of signals, and of the groups that the batch may touch (groupsOf). */
  signals: ReadonlyMap<string, SignalRow>
  /** The newest incident, by key. */
  incidents: ReadonlyMap<string, Incident>
  /** The last incident number given out, by tenant_id. */
  counters: ReadonlyMap<string, number>
  /** Openings of the last minute, by tenant_id. No storm is detected for a missing workspace. */
  traffic: ReadonlyMap<string, Traffic>
  /** Rule sets in force, by tenant_id. A missing set, and a set without rules, decide nothing. */
  rules: ReadonlyMap<string, RuleSet>
  /** By tenant_id. A workspace without default policies has no entry. */
  policies: ReadonlyMap<string, PolicyDefaults>
  /** By tenant_id: maintenance windows that may keep alerts from becoming incidents. */
  windows: ReadonlyMap<string, WindowSet>
  /** By alert id: the newest alert of each key, if it has a row of its own. */
  alerts: ReadonlyMap<string, Alert>
  /** By incident id: the incidents of those alerts. */
  members: ReadonlyMap<string, Incident>
  /**
   * By the key of a firing monitor that depends on others. The keys of its parents are loaded, too.
   */
  depends: ReadonlyMap<string, Depends>
  /** Keys of monitors that others depend on. */
  parents: ReadonlySet<string>
  /** Settings by tenant_id, for workspaces that detect mass outages. */
  outages: ReadonlyMap<string, OutageSettings>
  /**
   * Epoch ms: Postgres's time of the reading. No hold of a child begins or is prolonged later,
   * whatever the clock of a record says. Missing: the records are trusted.
   */
  now?: number | undefined
}

/** The counter row of a workspace. Without `openings`, the stored openings stay as they are. */
export interface Counter {
  tenant_id: string
  last_number: number
  openings?: Openings
}

/** An incident that is held because of a parent of its monitor, or because of a mass outage. */
export type HeldIncident = {
  tenant_id: string
  incident_id: string
  /** Epoch ms. */
  began_at: number
} & ({ wait: Wait } | { outage_id: string })

export interface Saved {
  signals: SignalRow[]
  /**
   * `seen`: the version that was loaded, 0 for a new incident. The store writes only if the row
   * still has this version.
   */
  incidents: { incident: Incident; seen: number }[]
  events: IncidentEvent[]
  counters: Counter[]
  /** `seen`: as for incidents. */
  alerts: { alert: Alert; seen: number }[]
  alertEvents: AlertEvent[]
  /** Incidents that begin to be held. */
  holds: HeldIncident[]
}

/** Returns the keys of the groups that alerts of the batch may join under the current rules. */
export function groupsOf(inputs: readonly Input[], rules: Loaded['rules'], uuidv5: Uuidv5): SignalKey[] {
  const keys = new Map<string, SignalKey>()
  const groups = [...rules.values()].some((set) => set.rules.some(({ rule }) => rule.actions.group))
  if (!groups) return []
  for (const input of inputs) {
    const reading = readSignal(input)
    if (!('signal' in reading)) continue
    const key = groupKeyOf(routed(reading.signal, rules.get(reading.signal.tenant_id), undefined, input.timestamp), uuidv5)
    if (key) keys.set(nameOf(key), key)
  }
  return [...keys.values()]
}

/** The changes of a batch so far, on top of what was loaded. */
class Changes {
  readonly signals = new Map<string, SignalRow>()
  /** The newest incident of a key. */
  readonly newest = new Map<string, Incident>()
  readonly incidents = new Map<string, { incident: Incident; seen: number }>()
  readonly alerts = new Map<string, { alert: Alert; seen: number }>()
  readonly counters = new Map<string, number>()
  readonly traffic = new Map<string, Traffic>()
  readonly events: Event[] = []
  readonly alertEvents: AlertStepEvent[] = []
  readonly jobs: JobChange[] = []
  readonly refused: Refusal[] = []
  readonly holds: HeldIncident[] = []
  readonly #loaded: Loaded

  constructor(loaded: Loaded) {
    this.#loaded = loaded
  }

  row(name: string): SignalRow | undefined {
    return this.signals.get(name) ?? this.#loaded.signals.get(name)
  }

  newestOf(name: string): Incident | null {
    return this.newest.get(name) ?? this.#loaded.incidents.get(name) ?? null
  }

  /** The newest alert of a key, if it has a row of its own. */
  alertOf({ alert_id }: SignalRow): Alert | null {
    if (alert_id === null) return null
    const alert = this.alerts.get(alert_id)?.alert ?? this.#loaded.alerts.get(alert_id)
    if (!alert) throw new Error(`the alert ${alert_id} was not loaded`)
    return alert
  }

  lastNumber(tenant_id: string): number | undefined {
    return this.counters.get(tenant_id) ?? this.#loaded.counters.get(tenant_id)
  }

  trafficOf(tenant_id: string): Traffic | undefined {
    return this.traffic.get(tenant_id) ?? this.#loaded.traffic.get(tenant_id)
  }

  /** Adds the current storm, if there is one, to a signal that opens an incident. */
  stormy<Opening extends Signal>(signal: Opening, now: number): Opening {
    const traffic = this.trafficOf(signal.tenant_id)
    const storm = traffic ? opening(traffic, now).storm : null
    return storm ? { ...signal, storm } : signal
  }

  /**
   * Remembers the state of a monitor that others depend on. If the change ends or shortens its
   * hold, starts a job that looks at the held incidents.
   */
  watch({ record, value, timestamp }: Input, name: string): void {
    if (record !== 'MonitorTransition' || !this.#loaded.parents.has(name)) return
    const row = this.row(name)
    const before = row?.facts?.watched ?? null
    if (!row || (before && before.ver >= value.ver)) return
    const watched = watchedAfter(before, value, this.#byPostgres(timestamp))
    this.signals.set(name, { ...row, facts: { ...row.facts, watched } })
    if (!letsGo(before, watched)) return
    const { tenant_id, monitor_id, ver } = value
    const idem_key = `dependency_end:${monitor_id}:${ver}`
    this.jobs.push({ start: 'dependency_end', idem_key, tenant_id, run_at: timestamp, at_once: true, payload: { monitor_id } })
  }

  /**
   * Adds the parent that holds it, if any, to a signal that opens an incident at `at` (epoch ms).
   */
  waiting<Opening extends Signal>(signal: Opening, name: string, at: number): Opening {
    const depends = this.#loaded.depends.get(name)
    if (!depends) return signal
    const { tenant_id } = signal
    const parents = depends.parent_ids.map(
      (id): Parent => ({
        monitor_id: id,
        watched: this.row(nameOf({ tenant_id, dedup_key: `mon:${id}` }))?.facts?.watched ?? null,
        maintenance: depends.maintenance.get(id) ?? []
      })
    )
    const waits = waitOf(parents, depends, this.#byPostgres(at))
    return waits ? { ...signal, waits } : signal
  }

  outageRow(tenant_id: string): SignalRow | undefined {
    return this.row(nameOf({ tenant_id, dedup_key: OUTAGE_KEY }))
  }

  saveOutageRow(row: SignalRow): void {
    this.signals.set(nameOf(row), row)
  }

  newestOutage(tenant_id: string): Incident | null {
    return this.newestOf(nameOf({ tenant_id, dedup_key: OUTAGE_KEY }))
  }

  saveOutage(before: Incident | null, step: Step): void {
    this.save(before, step)
    if (step.incident) this.newest.set(nameOf(step.incident), step.incident)
  }

  /** Returns the time that a record says, or Postgres's if that is earlier. */
  #byPostgres(said: number): number {
    return Math.min(said, this.#loaded.now ?? said)
  }

  /** Records that the incident that a signal opened is held from `at` (epoch ms) on. */
  hold({ tenant_id, waits, bundled_into }: Signal, { incident_id }: Incident, at: number): void {
    const began_at = this.#byPostgres(at)
    if (waits) this.holds.push({ tenant_id, incident_id, began_at, wait: waits })
    if (bundled_into !== undefined) this.holds.push({ tenant_id, incident_id, began_at, outage_id: bundled_into })
  }

  save(before: Incident | null, { incident, events, jobs }: Step): void {
    if (!incident || incident === before) return
    const { tenant_id, incident_id, number } = incident
    if (incident_id !== before?.incident_id) {
      if (this.lastNumber(tenant_id) === undefined) throw new Error(`the number counter of workspace ${tenant_id} was not loaded`)
      this.counters.set(tenant_id, number)
      const traffic = this.trafficOf(tenant_id)
      if (traffic) this.traffic.set(tenant_id, { ...traffic, ...opening(traffic, incident.opened_at).after })
    }
    const seen = this.incidents.get(incident_id)?.seen ?? (incident_id === before?.incident_id ? before.ver : 0)
    this.incidents.set(incident_id, { incident, seen })
    this.events.push(...events)
    this.jobs.push(...jobs)
  }

  /** The changes as grouping.ts sees them: incidents by id. */
  ledger(): Ledger {
    return {
      group: (key) => {
        const row = this.row(nameOf(key))
        if (!row) throw new Error(`the group ${nameOf(key)} was not loaded`)
        const current = this.#loaded.incidents.get(nameOf(key))
        if (current && !this.incidents.has(current.incident_id)) this.#known.set(current.incident_id, current)
        return row
      },
      saveGroup: (row) => this.signals.set(nameOf(row), row),
      stormy: (signal, at) => this.stormy(signal, at),
      incident: (incident_id) => {
        const incident = this.incidents.get(incident_id)?.incident ?? this.#known.get(incident_id) ?? this.#loaded.members.get(incident_id)
        if (!incident) throw new Error(`the incident ${incident_id} was not loaded`)
        return incident
      },
      saveIncident: (before, step) => this.save(before, step),
      saveAlert: (before, alert, events) => {
        const seen = this.alerts.get(alert.alert_id)?.seen ?? before?.ver ?? 0
        this.alerts.set(alert.alert_id, { alert, seen })
        this.alertEvents.push(...events)
      }
    }
  }
  /** The newest incidents of groups, by id. */
  readonly #known = new Map<string, Incident>()
}

export const incidentFold =
  (uuidv5: Uuidv5) =>
  (loaded: Loaded, inputs: readonly Input[]): Outcome<Emits> & { saved: Saved } => {
    const changes = new Changes(loaded)
    const grouping = createGrouping(changes.ledger(), uuidv5)
    const contextOf = (input: Input, tenant_id: string): IncidentContext => ({
      now: input.timestamp,
      cause: causeOf(input),
      versions: 'config_versions' in input.value ? input.value.config_versions : noVersions,
      id: (purpose) => uuidv5(eventIdOf(input), purpose),
      number: (changes.lastNumber(tenant_id) ?? 0) + 1
    })
    const outages = createOutages(
      changes,
      {
        settings: loaded.outages,
        contextOf: (input) => contextOf(input, input.record === 'MonitorTransition' ? input.value.tenant_id : ''),
        routed: (signal, at) => routed(signal, loaded.rules.get(signal.tenant_id), loaded.policies.get(signal.tenant_id), at),
        isCovered: (signal, at) => covered(signal, loaded.windows.get(signal.tenant_id), at)
      },
      uuidv5
    )

    for (const input of inputs) {
      const reading = readSignal(input)
      if ('refused' in reading) changes.refused.push({ input, reason: reading.refused })
      if (loaded.parents.size > 0 && !('refused' in reading)) changes.watch(input, nameOfInput(input))
      if ('ignored' in reading) outages.up(input)
      if (!('signal' in reading)) continue
      const name = nameOf(reading.signal)
      const row = changes.row(name)
      if (!row && isByFormerKey(input)) continue // No signal had this key: nothing to end.
      if (!row) throw new Error(`the signals row of ${name} was not loaded`)
      const own = changes.alertOf(row)
      // If the alert has a row of its own, compare with the alert: its incident has other alerts,
      // too.
      const before = own ? null : changes.newestOf(name)
      const place = placeOf(input)
      const accepted = judge(row, reading.signal, own ?? before, place)
      const isOngoing = (own ?? before)?.status === 'ongoing'
      if (accepted.accepted_as === 'applied') outages.up(input)
      const { tenant_id } = row
      const asRouted = isOngoing ? accepted : routed(accepted, loaded.rules.get(tenant_id), loaded.policies.get(tenant_id), input.timestamp)
      const signal = isOngoing ? asRouted : kept(asRouted, loaded.windows.get(tenant_id), input.timestamp)
      const context = contextOf(input, tenant_id)
      let after: SignalRow
      const isBack = own !== null && !isOngoing && opens(signal) && !hasOwnAlert(signal) && isMoved(row, own)
      const back = isBack ? grouping.again(own, signal, context) : null
      if (back) after = rowAfter(row, signal, back, place)
      else if (hasOwnAlert(signal)) {
        const alert = grouping.open(signal, context)
        after = rowAfter(row, signal, alert, place)
        changes.jobs.push(...promotionOf(alert, signal))
      } else if (own && (isOngoing || !opens(signal))) after = rowAfter(row, signal, grouping.step(own, signal, context), place)
      else {
        const opening = opens(signal) && !isOngoing
        const waiting = opening ? changes.waiting(changes.stormy(signal, context.now), name, context.now) : signal
        const now = opening ? outages.down(waiting, input) : signal
        const step = reduceIncident(before, now, context)
        after = rowAfter(row, signal, step.incident, place)
        changes.save(before, step)
        if (step.incident && step.incident !== before) changes.newest.set(name, step.incident)
        if (opening && step.incident) changes.hold(now, step.incident, context.now)
      }
      const rowNow = remembering(after, signal, input)
      changes.signals.set(name, rowNow)
      if (row.suppressed_until !== null && rowNow.suppressed_until === null) changes.jobs.push(...cancelReopening(row))
    }
    grouping.finish()
    outages.finish()

    const told = outgoingOf(changes.events, uuidv5)
    const alerts = alertOutgoingOf(changes.alertEvents, uuidv5)
    return {
      saved: {
        signals: [...changes.signals.values()],
        incidents: [...changes.incidents.values()],
        events: told.events,
        counters: [...changes.counters].map(([tenant_id, last_number]) => counterOf(tenant_id, last_number, changes.traffic)),
        alerts: [...changes.alerts.values()],
        alertEvents: alerts.events,
        holds: changes.holds
      },
      outgoing: alerts.outgoing.length === 0 ? told.outgoing : [...told.outgoing, ...alerts.outgoing],
      jobs: [...changes.jobs, ...tellingJobs(changes.events)],
      refused: changes.refused
    }
  }

/**
 * Returns the row with how the signal was accepted. Only inbound alerts are remembered, because
 * only they are listed. A redriven record is left out: later records have passed its offset.
 */
function remembering(row: SignalRow, { action, accepted_as }: Signal, { record, offset, redriven }: Input): SignalRow {
  if (record !== 'InboundAlert' || action === 'note' || action === 'update' || redriven) return row
  const unapplied = runsAfter(row.unapplied, accepted_as, Number(offset))
  return unapplied === row.unapplied ? row : { ...row, unapplied }
}

function counterOf(tenant_id: string, last_number: number, traffic: ReadonlyMap<string, Traffic>): Counter {
  const now = traffic.get(tenant_id)
  if (!now) return { tenant_id, last_number }
  const { step, counts, storm_until } = now
  return { tenant_id, last_number, openings: { step, counts, storm_until } }
}

/** The name of the record's key; '' if it has no usable key. */
function nameOfInput(input: Input): string {
  const key = keyOf(input)
  return key ? nameOf(key) : ''
}

/** The event id of the causing record; '' only for a record that readSignal has refused. */
const eventIdOf = ({ value }: Input): string => ('event_id' in value ? value.event_id : '')

/** `input` is null here: the rules set it to the signal. */
const causeOf = (input: Input): Cause => ({
  kind: 'signal',
  src: `${input.topic}:${input.partition}:${input.offset}`,
  event_id: eventIdOf(input),
  request_id: null,
  input: null
})

/** The versions of a record that carries no `config_versions`. */
const noVersions: Record<string, number> = {}

/** Whether a merge moved the alert into its incident, where it has recovered. */
const isMoved = ({ facts }: SignalRow, { incident_id, resolution_reason }: Alert): boolean =>
  resolution_reason === 'recovered' && incident_id !== null && facts?.merged_into === incident_id

/** Whether the signal opens an alert, provided that nothing of its key is ongoing. */
const opens = ({ action, accepted_as }: Signal): boolean => action === 'fire' && accepted_as === 'applied'

/**
 * Adds the workspace's decision to a signal that opens an alert while nothing of its key is
 * ongoing. The rules decide; where no rule names a policy, the default policies of the workspace
 * apply.
 */
function routed(signal: Signal, rules: RuleSet | undefined, policies: PolicyDefaults | undefined, at: number): Signal {
  if (!opens(signal)) return signal
  const byRules = rules && rules.rules.length > 0 ? route(rules, signal, at) : null
  if (policies) return { ...signal, decision: withPolicy(byRules ?? builtInDecision(signal), signal, policies) }
  return byRules ? { ...signal, decision: byRules } : signal
}

/** Whether any maintenance window covers the signal, whatever its effect is. */
const covered = (signal: Signal, windows: WindowSet | undefined, at: number): boolean =>
  windows !== undefined && coveringWindows(windows, subjectOf(signal), at, 1).length > 0

/** The signal with the fields that its incident would have, as holds see them. */
function subjectOf(signal: Signal): Signal {
  const { team_id, visibility, severity, priority, labels } = signal.decision ?? signal
  return { ...signal, team_id, visibility, severity, priority, labels }
}

/**
 * Adds the effect of a maintenance window, as of the time of the record: the signal opens no
 * incident, and its alert waits until the window has settled. A window changes nothing for an alert
 * that a rule already keeps from becoming an incident.
 */
function kept(signal: Signal, windows: WindowSet | undefined, at: number): Signal {
  if (!windows || !opens(signal)) return signal
  const decision = signal.decision ?? builtInDecision(signal)
  const maintenance = decision.promote ? keepingWindow(windows, subjectOf({ ...signal, decision }), at) : null
  return maintenance ? { ...signal, decision: { ...decision, promote: false, group: null, maintenance } } : signal
}

/** Returns the job that runs when a window stops keeping the alert; none if no window keeps it. */
export function promotionOf({ tenant_id, alert_id }: Alert, { decision }: Signal): JobChange[] {
  if (!decision?.maintenance) return []
  const { window_id, until } = decision.maintenance
  const idem_key = `maintenance_promote:${alert_id}`
  return [{ start: 'maintenance_promote', idem_key, tenant_id, run_at: until, payload: { alert_id, window_id } }]
}
