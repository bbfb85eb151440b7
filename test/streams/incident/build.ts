/**
 * Builds records, signals and incidents for tests, and a store in memory that keeps what the real
 * one keeps.
 */
import type {
  Alert,
  AlertEvent,
  HeartbeatTransition,
  InboundAlert,
  Incident,
  IncidentEvent,
  MonitorTransition
} from '../../../schemas/generated/events.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { Cause, Input, JobChange, Outgoing, Refusal } from '../../../streams/define.ts'
import type { Depends } from '../../../streams/incident/dependencies.ts'
import { groupsOf, type HeldIncident, incidentFold, type Loaded, nameOf, type Saved } from '../../../streams/incident/fold.ts'
import { lockKeyOf } from '../../../streams/incident/grouping.ts'
import { OUTAGE_KEY, type OutageSettings } from '../../../streams/incident/outages.ts'
import { outgoingOf } from '../../../streams/incident/outgoing.ts'
import { aftermathOf, reopenedRow, reopens } from '../../../streams/incident/reopening.ts'
import { type Command, type IncidentContext, reduceIncident, type Signal, type Step } from '../../../streams/incident/rules.ts'
import { fromDeclaration, keyOf, rowAfter, type SignalRow, stillFiring } from '../../../streams/incident/signals.ts'
import type { Traffic } from '../../../streams/incident/storms.ts'
import type { WindowSet } from '../../../streams/maintenance/windows.ts'
import type { PolicyDefaults } from '../../../streams/routing/policies.ts'
import type { RuleSet } from '../../../streams/routing/rules.ts'
import { record } from '../../harness/records.ts'

export const tenant_id = '0190aaaa-0000-7000-8000-000000000001'
export const other_tenant_id = '0190aaaa-0000-7000-8000-000000000002'
export const integration_id = '0190bbbb-0000-7000-8000-000000000001'
export const team_id = '0190cccc-0000-7000-8000-000000000001'
export const user_id = '0190dddd-0000-7000-8000-000000000001'
export const monitor_id = '0190eeee-0000-7000-8000-000000000001'
export const heartbeat_id = '0190ffff-0000-7000-8000-000000000001'
export const dedup_key = `int:${integration_id}:${'ab'.repeat(32)}`
/** 2026-03-01T12:00:00.000Z. */
export const T0 = Date.UTC(2026, 2, 1, 12)

export const id = (name: string): string => uuidv5(tenant_id, name)
export const fold = incidentFold(uuidv5)

export const alert = (over: Partial<InboundAlert> = {}): InboundAlert =>
  record('InboundAlert', {
    event_id: id('event'),
    tenant_id,
    integration_id,
    dedup_key,
    source_dedup_key: 'cpu|web-1',
    title: 'CPU high on web-1',
    description: 'Load above 90 % for 5 min',
    occurred_at: T0,
    time_source: 'sender',
    received_at: T0 + 100,
    labels: { alertname: 'CpuHigh', instance: 'web-1' },
    links: [{ title: 'Graph', url: 'https://prometheus.example/graph' }],
    ...over
  })

export const monitorTransition = (over: Partial<MonitorTransition> = {}): MonitorTransition =>
  record('MonitorTransition', {
    event_id: id('monitor'),
    tenant_id,
    monitor_id,
    ver: 2,
    name: 'Shop',
    at: T0,
    previous_at: T0 - 3_600_000,
    started_at: T0 - 60_000,
    scheduled_at: T0 - 200,
    received_at: T0 - 100,
    region: 'eu-west',
    affected_regions: ['eu-west', 'us-east'],
    reason: 'timeout',
    message: 'no answer within 10 s',
    vote: { configured: 2, fresh: 2, down: 2, up: 0, needed: 2, regions: [] },
    config_versions: { monitor: 7 },
    ...over
  })

export const heartbeatTransition = (over: Partial<HeartbeatTransition> = {}): HeartbeatTransition =>
  record('HeartbeatTransition', {
    event_id: id('heartbeat'),
    tenant_id,
    heartbeat_id,
    ver: 5,
    name: 'Nightly backup',
    previous_phase: 'grace',
    at: T0,
    previous_at: T0 - 86_400_000,
    expected_at: T0 - 96_000,
    deadline_at: T0 - 6000,
    tick_at: T0,
    last_ping_at: T0 - 86_400_000,
    config_versions: { heartbeat: 3 },
    ...over
  })

type Place = { offset?: number; partition?: number; timestamp?: number }

/**
 * The record as the loop hands it to a fold. Its time is when the door received it, unless
 * `timestamp` is given.
 */
export function alertInput(over: Partial<InboundAlert> = {}, { offset = 0, partition = 0, timestamp }: Place = {}): Input {
  const value = alert(over)
  const key = `${value.tenant_id}|${value.dedup_key}`
  return {
    record: 'InboundAlert',
    value,
    topic: 'alerts.inbound.v1',
    partition,
    offset: BigInt(offset),
    timestamp: timestamp ?? value.received_at,
    key
  }
}

export function monitorInput(over: Partial<MonitorTransition> = {}, { offset = 0, partition = 0, timestamp }: Place = {}): Input {
  const value = monitorTransition(over)
  const place = { topic: 'monitor.transitions.v1', partition, offset: BigInt(offset), key: value.monitor_id } as const
  return { record: 'MonitorTransition', value, ...place, timestamp: timestamp ?? value.at }
}

export function heartbeatInput(over: Partial<HeartbeatTransition> = {}, { offset = 0, partition = 0, timestamp }: Place = {}): Input {
  const value = heartbeatTransition(over)
  const place = { topic: 'heartbeat.transitions.v1', partition, offset: BigInt(offset), key: value.heartbeat_id } as const
  return { record: 'HeartbeatTransition', value, ...place, timestamp: timestamp ?? value.at }
}

export const signal = (action: Signal['action'], over: Partial<Signal> = {}): Signal => ({
  tenant_id,
  dedup_key,
  action,
  accepted_as: 'applied',
  reopened_from: null,
  sequence: null,
  sequence_kind: 'position',
  delivery_id: null,
  occurred_at: T0,
  time_source: 'sender',
  started_at: T0,
  detected_at: T0 + 100,
  severity: 'warning',
  title: 'CPU high on web-1',
  summary: null,
  source_kind: 'inbound',
  source_type: 'alertmanager',
  integration_id,
  monitor_id: null,
  heartbeat_id: null,
  region: null,
  affected_regions: [],
  priority: null,
  labels: {},
  links: [],
  team_id: null,
  visibility: 'org',
  escalation_policy_id: null,
  ...over
})

export const row = (over: Partial<SignalRow> = {}): SignalRow => ({
  tenant_id,
  dedup_key,
  incident_id: null,
  alert_id: null,
  last_action: null,
  last_at: null,
  last_time_source: null,
  last_sender_at: null,
  last_sequence: null,
  last_delivery_id: null,
  last_offset: null,
  suppressed_until: null,
  occurrences: 0,
  last_seen_at: null,
  unapplied: null,
  facts: null,
  ...over
})

export const context = (now: number, over: Partial<IncidentContext> = {}): IncidentContext => ({
  now,
  cause: { kind: 'command', src: `user:${user_id}`, event_id: null, request_id: 'request-1', input: null },
  versions: { routing: 1 },
  id: (purpose) => id(`${purpose}:${now}`),
  number: 1,
  ...over
})

/** Freezes a value, so that a rule or fold that changes its input throws. */
export function frozen<T>(value: T): T {
  if (value instanceof Map) {
    for (const entry of value.values()) frozen(entry)
  } else if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value) && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const entry of Object.values(value)) frozen(entry)
  }
  return value
}

type Declare = Extract<Command, { command: 'declare' }>

export const manual_key = `man:${id('declared')}`

/** A declare command for `manual_key`. */
export const declaration = (now: number, over: Partial<Declare> = {}): Declare => ({
  command: 'declare',
  by: `user:${user_id}`,
  incident_id: id(`declared ${now}`),
  signal: fromDeclaration(
    { tenant_id, dedup_key: manual_key },
    { title: 'Checkout is slow', summary: null, severity: 'critical', labels: { service: 'shop' }, team_id: null },
    now
  ),
  is_major: false,
  assignee_id: null,
  ...over
})

export const reopen_after_seconds = 1800

/**
 * The contents of the tables, in memory. Throws where the real tables refuse a write: when the
 * version has moved, or for a second ongoing incident of a key.
 */
export interface World {
  signals: Map<string, SignalRow>
  incidents: Map<string, Incident>
  counters: Map<string, number>
  /** Openings by tenant_id. Only workspaces in this map can have a storm. */
  traffic: Map<string, Traffic>
  /** Rule sets in force, by tenant_id. */
  rules: Map<string, RuleSet>
  policies: Map<string, PolicyDefaults>
  windows: Map<string, WindowSet>
  /** By key of the child. */
  depends: Map<string, Depends>
  /** Keys of monitors on which other monitors depend. */
  parents: Set<string>
  outages: Map<string, OutageSettings>
  /** Epoch ms: Postgres's time. Undefined: the times of records are trusted. */
  now?: number | undefined
  holds: HeldIncident[]
  events: IncidentEvent[]
  /** By id. */
  alerts: Map<string, Alert>
  alertEvents: AlertEvent[]
  outgoing: Outgoing[]
  jobs: JobChange[]
  refused: Refusal[]
  /** Folds one batch. */
  take(inputs: readonly Input[]): void
  /** Runs a command on an incident, by default the newest of the key. */
  obey(command: Command, now: number, incident_id?: string): Step
  /** Runs a command that opens an incident; the number comes from the counter. */
  declare(command: Declare, now: number): Step
  /** Runs the reopening timers that are due, as the notifier does. */
  reopenDue(now: number): void
  /** The incidents of a key, oldest first. */
  of(key?: string): Incident[]
}

type Start = Extract<JobChange, { start: string }>

/** The timers that still run after `changes` are applied one after the other. */
export function pending(changes: readonly JobChange[]): Start[] {
  const running = new Map<string, Start>()
  for (const change of changes) {
    if ('cancel' in change) running.delete(change.cancel)
    else if (!running.has(change.idem_key)) running.set(change.idem_key, change)
  }
  // Jobs that notify people of a change are due at once: telling.test.ts.
  return [...running.values()].filter(({ start }) => start !== 'incident_notify')
}

/** Runs a command that opens an incident; the number comes from the counter. */
function open(self: World, found: SignalRow, command: Command, now: number, after: (incident: Incident) => SignalRow): Step {
  const { tenant_id } = found
  const newest = self.incidents.get(found.incident_id ?? '') ?? null
  const number = (self.counters.get(tenant_id) ?? 0) + 1
  const step = reduceIncident(frozen(newest), frozen(command), context(now, { cause: commandCause(command), number }))
  if (!step.incident || step.events.length === 0) return step
  const { events, outgoing } = outgoingOf(step.events, uuidv5)
  save(self, {
    signals: [after(step.incident)],
    incidents: [{ incident: step.incident, seen: 0 }],
    events,
    counters: [{ tenant_id, last_number: number }],
    alerts: [],
    alertEvents: [],
    holds: []
  })
  self.outgoing.push(...outgoing)
  return step
}

export function world(): World {
  const self: World = {
    signals: new Map(),
    incidents: new Map(),
    counters: new Map(),
    traffic: new Map(),
    rules: new Map(),
    policies: new Map(),
    windows: new Map(),
    depends: new Map(),
    parents: new Set(),
    outages: new Map(),
    holds: [],
    events: [],
    alerts: new Map(),
    alertEvents: [],
    outgoing: [],
    jobs: [],
    refused: [],
    take(inputs) {
      const loaded = load(self, inputs)
      const result = fold(frozen(loaded), frozen([...inputs]))
      save(self, result.saved)
      self.outgoing.push(...result.outgoing)
      self.jobs.push(...result.jobs)
      self.refused.push(...result.refused)
    },
    obey(command, now, incident_id) {
      const incident = self.incidents.get(incident_id ?? self.of().at(-1)?.incident_id ?? '') ?? null
      const step = reduceIncident(frozen(incident), frozen(command), context(now, { cause: commandCause(command) }))
      const signals = incident && self.signals.get(nameOf({ tenant_id, dedup_key: lockKeyOf(incident) }))
      if (!signals || !step.incident || step.events.length === 0) return step
      const { events, outgoing } = outgoingOf(step.events, uuidv5)
      const { suppressed_until, jobs } = aftermathOf(signals, command, step.events, reopen_after_seconds)
      save(self, {
        signals: [{ ...signals, suppressed_until }],
        incidents: [{ incident: step.incident, seen: incident.ver }],
        events,
        counters: [],
        alerts: [],
        alertEvents: [],
        holds: []
      })
      self.outgoing.push(...outgoing)
      self.jobs.push(...step.jobs, ...jobs)
      return step
    },
    declare(command, now) {
      const { signal } = command
      const found = self.signals.get(nameOf(signal)) ?? row({ tenant_id: signal.tenant_id, dedup_key: signal.dedup_key })
      return open(self, found, command, now, (incident) => rowAfter(found, signal, incident))
    },
    reopenDue(now) {
      const waiting = pending(self.jobs).filter(({ start, run_at }) => start === 'incident_reopen' && run_at <= now)
      for (const { tenant_id, idem_key, payload } of waiting) {
        self.jobs.push({ cancel: idem_key, tenant_id })
        const found = self.signals.get(nameOf({ tenant_id, dedup_key: String(payload.dedup_key) }))
        const ended = self.incidents.get(found?.incident_id ?? '') ?? null
        if (!found || !reopens(found, ended, Number(payload.until))) continue
        const incident_id = id(`reopened ${now} ${found.dedup_key}`)
        const command: Command = { command: 'reopen', by: 'system:incident_reopen', incident_id, signal: stillFiring(ended, now) }
        open(self, found, command, now, () => reopenedRow(found, incident_id))
      }
    },
    of: (key = dedup_key) =>
      [...self.incidents.values()].filter((incident) => incident.dedup_key === key).sort((a, b) => a.number - b.number)
  }
  return self
}

const commandCause = ({ by }: Command): Cause => ({ kind: 'command', src: by, event_id: null, request_id: null, input: null })

function load(self: World, inputs: readonly Input[]): Loaded {
  const signals = new Map<string, SignalRow>()
  const incidents = new Map<string, Incident>()
  const counters = new Map<string, number>()
  for (const input of inputs) {
    const key = keyOf(input)
    if (!key) continue
    const name = nameOf(key)
    const found = self.signals.get(name) ?? row(key)
    signals.set(name, found)
    counters.set(key.tenant_id, self.counters.get(key.tenant_id) ?? 0)
    const incident = self.incidents.get(found.incident_id ?? '')
    if (incident) incidents.set(name, incident)
  }
  for (const tenant of self.outages.keys()) {
    const key = { tenant_id: tenant, dedup_key: OUTAGE_KEY }
    const found = self.signals.get(nameOf(key)) ?? row(key)
    signals.set(nameOf(key), found)
    const incident = self.incidents.get(found.incident_id ?? '')
    if (incident) incidents.set(nameOf(key), incident)
  }
  for (const [name, { parent_ids }] of self.depends) {
    const child = signals.get(name)
    for (const parent_id of child ? parent_ids : []) {
      const key = { tenant_id: child?.tenant_id ?? '', dedup_key: `mon:${parent_id}` }
      signals.set(nameOf(key), self.signals.get(nameOf(key)) ?? row(key))
    }
  }
  const alerts = new Map<string, Alert>()
  const members = new Map<string, Incident>()
  const groups = groupsOf(inputs, self.rules, uuidv5)
  for (const { alert_id } of signals.values()) {
    const alert = self.alerts.get(alert_id ?? '')
    if (!alert) continue
    alerts.set(alert.alert_id, alert)
    const incident = self.incidents.get(alert.incident_id ?? '')
    if (incident) members.set(incident.incident_id, incident)
  }
  for (const key of groups) {
    const found = self.signals.get(nameOf(key)) ?? row(key)
    signals.set(nameOf(key), found)
    const incident = self.incidents.get(found.incident_id ?? '')
    if (incident) incidents.set(nameOf(key), incident)
  }
  return {
    signals,
    incidents,
    counters,
    traffic: self.traffic,
    rules: self.rules,
    policies: self.policies,
    windows: self.windows,
    depends: self.depends,
    parents: self.parents,
    outages: self.outages,
    now: self.now,
    alerts,
    members
  }
}

function save(self: World, saved: Saved): void {
  for (const signals of saved.signals) self.signals.set(nameOf(signals), signals)
  for (const { incident, seen } of saved.incidents) {
    if ((self.incidents.get(incident.incident_id)?.ver ?? 0) !== seen) throw new Error(`version of ${incident.incident_id} moved`)
    self.incidents.set(incident.incident_id, incident)
  }
  for (const { tenant_id, last_number, openings } of saved.counters) {
    self.counters.set(tenant_id, last_number)
    const known = self.traffic.get(tenant_id)
    if (known && openings) self.traffic.set(tenant_id, { ...openings, threshold: known.threshold })
  }
  self.events.push(...saved.events)
  for (const { alert, seen } of saved.alerts) {
    if ((self.alerts.get(alert.alert_id)?.ver ?? 0) !== seen) throw new Error(`version of ${alert.alert_id} moved`)
    self.alerts.set(alert.alert_id, alert)
  }
  self.alertEvents.push(...saved.alertEvents)
  self.holds.push(...saved.holds)
  const ongoing = [...self.incidents.values()].filter((incident) => incident.status === 'ongoing').map(nameOf)
  if (new Set(ongoing).size !== ongoing.length) throw new Error('a key has two ongoing incidents')
}
