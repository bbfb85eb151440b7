/**
 * What a record says about its signal key, and whether that is news: what is late, repeated or suppressed.
 *
 * In       a record of the three topics, and the key's `signals` row, which outlives its incidents
 * Out      the Signal that rules.ts sees, and the row after it
 * Source   docs/design/architecture.md#s6-signals-and-incidents, docs/design/inbound-sources.md#s1-3, docs/design/api/incidents.md#s5-3 and docs/design/api/alerts-and-routing.md#s6-1
 *
 * A signal is compared with the last applied one of its key, whether or not an incident is open. The first row that fits says how it is accepted:
 *   repeat       the same delivery_id; or the same action with the same sequence; or the same action at the same occurred_at where one has no sequence
 *   older        a lower sequence; where one has none, or they are equal, a strictly lower occurred_at
 *   suppressed   a fire without a later sequence while `suppressed_until` lies ahead
 *   applied      any other; two opposite signals at the same position are taken in the order in which the log has them
 * Only an applied signal acts on an incident. All count: `occurrences` grows and `last_seen_at` moves.
 * A note and an update say nothing of the condition: they are compared with nothing, always applied, and leave the row as it is.
 *
 * The row's states, by last_action, incident and suppressed_until:
 *   state        last_action  newest incident  suppressed_until   leaves it
 *   new          null         none             null               fire → firing; resolve → clear
 *   firing       fire         ongoing          null               resolve → clear; a person resolves or closes → quiet (or ended, see below)
 *   clear        resolve      none, resolved   null               fire → firing, a new incident
 *   quiet        fire         resolved         set                resolve → clear; a fire with a later sequence, or after suppressed_until → firing, a new
 *                                                                 incident with reopened_from; any other fire is suppressed and moves nothing
 *   ended        fire         resolved         null               as quiet, but already over: a person resolved it and asked not to wait for the recovery, or
 *                                                                 it was paused or deleted
 * A monitor or heartbeat leaves quiet by a timer, too (reopening.ts).
 * A repeat of the same sequence never reopens: it is a repeat before it is anything else.
 * A suppressed fire does not become the last applied one, so a recovery from before it still ends the suppression.
 */
import type { HeartbeatTransition, InboundAlert, Incident, MonitorTransition } from '../../schemas/generated/events.ts'
import type { Input } from '../define.ts'
import { COMMENT_MAX, type Signal, storable } from './rules.ts'

/** The locked row of a key. Times are epoch ms. */
export interface SignalRow {
  tenant_id: string
  dedup_key: string
  incident_id: string | null
  last_action: 'fire' | 'resolve' | null
  last_at: number | null
  last_sequence: number | null
  last_delivery_id: string | null
  suppressed_until: number | null
  occurrences: number
  last_seen_at: number | null
}

/** A record as a signal, applied until `judge` compares it with its row; or it is none of the incidents' business; or it is unusable, and why. */
export type Reading = { signal: Signal } | { ignored: true } | { refused: string }

export interface SignalKey {
  tenant_id: string
  dedup_key: string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Longest key that the rows take; the keys we make have 105 characters at most. */
const KEY_MAX = 512
const YEAR_10000 = 253_402_300_800_000

/** The key of a record, if it has a usable one: what the store locks before the fold. */
export function keyOf(input: Input): SignalKey | null {
  if (input.record === 'InboundAlert') return usable(input.value.tenant_id, input.value.dedup_key)
  if (input.record === 'MonitorTransition') return usable(input.value.tenant_id, `mon:${input.value.monitor_id}`)
  if (input.record === 'HeartbeatTransition') return usable(input.value.tenant_id, `hb:${input.value.heartbeat_id}`)
  return null
}

const usable = (tenant_id: string, dedup_key: string): SignalKey | null =>
  UUID.test(tenant_id) && /^(int|mon|hb):./.test(dedup_key) && dedup_key.length <= KEY_MAX && storable(dedup_key) === dedup_key
    ? { tenant_id, dedup_key }
    : null

/** Never throws. What a store or a reader could choke on is refused or replaced here, once. */
export function readSignal(input: Input): Reading {
  const key = keyOf(input)
  if (!key) return { refused: `${input.record}: no usable workspace and signal key` }
  if (!instant(input.timestamp)) return { refused: 'the record has no usable time' }
  if (input.record === 'InboundAlert') return checked(fromAlert(key, input.value), input.value.event_id)
  if (input.record === 'MonitorTransition') return checked(fromMonitor(key, input.value), input.value.event_id)
  if (input.record === 'HeartbeatTransition') return checked(fromHeartbeat(key, input.value), input.value.event_id)
  return { refused: `${input.record} is no signal` }
}

const instant = (ms: number): boolean => Number.isInteger(ms) && ms >= 0 && ms < YEAR_10000

const isId = (id: string | null): boolean => id === null || UUID.test(id)

function checked(reading: Reading, event_id: string): Reading {
  if (!('signal' in reading)) return reading
  const { signal } = reading
  const ids = isId(event_id) && isId(signal.integration_id) && isId(signal.monitor_id) && isId(signal.heartbeat_id)
  if (!ids || !isId(signal.team_id) || !isId(signal.escalation_policy_id)) return { refused: 'an id is not a UUID' }
  if (!instant(signal.occurred_at) || !instant(signal.started_at) || !instant(signal.detected_at))
    return { refused: 'a time is out of range' }
  if (signal.sequence !== null && !Number.isSafeInteger(signal.sequence)) return { refused: 'sequence is out of range' }
  return reading
}

function fromAlert(key: SignalKey, alert: InboundAlert): Reading {
  if (alert.action === 'unknown') return { ignored: true } // Of a newer door, and by the schema's word nothing that opens or ends an incident.
  return {
    signal: {
      tenant_id: key.tenant_id, // Field by field: a spread in front of a long literal costs 60 µs, and this is the hot path.
      dedup_key: key.dedup_key,
      action: alert.action,
      accepted_as: 'applied',
      reopened_from: null,
      sequence: alert.sequence,
      delivery_id: alert.delivery_id === null ? null : cut(alert.delivery_id, 512),
      occurred_at: alert.occurred_at,
      started_at: alert.occurred_at,
      detected_at: alert.received_at,
      severity: alert.severity,
      title: cut(alert.title, TITLE_MAX),
      summary: alert.description === null ? null : cut(alert.description, alert.action === 'note' ? COMMENT_MAX : SUMMARY_MAX),
      source_kind: 'inbound',
      source_type: cut(alert.source, 100),
      integration_id: alert.integration_id,
      monitor_id: null,
      heartbeat_id: null,
      region: null,
      affected_regions: [],
      priority: alert.source_severity !== null && /^P[1-5]$/.test(alert.source_severity) ? alert.source_severity : null,
      labels: tidyLabels(alert.labels),
      links: alert.links.slice(0, 20).map(({ title, url }) => ({ title: cut(title, TITLE_MAX), url: cut(url, 2048) })),
      team_id: alert.team_id,
      visibility: alert.visibility,
      escalation_policy_id: null
    }
  }
}

/** Signals of what we check ourselves: `ver` is their sequence, for every change of status begins a new occurrence. */
function fromTransition(
  key: SignalKey,
  transition: MonitorTransition | HeartbeatTransition,
  rest: Pick<
    Signal,
    'action' | 'started_at' | 'title' | 'summary' | 'source_kind' | 'monitor_id' | 'heartbeat_id' | 'region' | 'affected_regions'
  >
): Reading {
  const { ver, at, severity, labels, team_id, visibility, escalation_policy_id } = transition
  return {
    signal: {
      tenant_id: key.tenant_id,
      dedup_key: key.dedup_key,
      action: rest.action,
      accepted_as: 'applied',
      reopened_from: null,
      sequence: ver,
      delivery_id: null,
      occurred_at: at,
      started_at: rest.started_at,
      detected_at: at,
      severity,
      title: cut(rest.title, TITLE_MAX),
      summary: rest.summary === null ? null : cut(rest.summary, SUMMARY_MAX),
      source_kind: rest.source_kind,
      source_type: null,
      integration_id: null,
      monitor_id: rest.monitor_id,
      heartbeat_id: rest.heartbeat_id,
      region: rest.region,
      affected_regions: rest.affected_regions,
      priority: null,
      labels: tidyLabels(labels),
      links: [],
      team_id,
      visibility,
      escalation_policy_id
    }
  }
}

function fromMonitor(key: SignalKey, transition: MonitorTransition): Reading {
  const { status, previous_status, monitor_id, name, at, started_at, message, region, affected_regions } = transition
  if (status === 'unknown') return { refused: 'status is unknown: a newer producer says what this fold does not know' }
  // A change of phase alone is no new occurrence; whether pausing ends an incident is decided where it is paused, by a command.
  if (status === previous_status || status === 'paused') return { ignored: true }
  return fromTransition(key, transition, {
    action: status === 'down' ? 'fire' : 'resolve',
    started_at: started_at ?? at,
    title: `${name} is ${status}`,
    summary: message,
    source_kind: 'monitor',
    monitor_id,
    heartbeat_id: null,
    region: region === null ? null : cut(region, REGION_MAX),
    affected_regions: affected_regions.slice(0, 100).map((code) => cut(code, REGION_MAX))
  })
}

const silent = { missed: 'missed its ping', failed: 'reported a failure', overrun: 'has run too long', unknown: 'is missed' } as const

function fromHeartbeat(key: SignalKey, transition: HeartbeatTransition): Reading {
  const { status, previous_status, heartbeat_id, name, at, expected_at, reason } = transition
  if (status === 'unknown') return { refused: 'status is unknown: a newer producer says what this fold does not know' }
  if (status === previous_status) return { ignored: true }
  return fromTransition(key, transition, {
    action: status === 'missed' ? 'fire' : 'resolve',
    started_at: status === 'missed' && reason === 'missed' ? (expected_at ?? at) : at,
    title: status === 'missed' ? `${name} ${silent[reason ?? 'unknown']}` : `${name} is up`,
    summary: null,
    source_kind: 'heartbeat',
    monitor_id: null,
    heartbeat_id,
    region: null,
    affected_regions: []
  })
}

/** What a person or tool declares: its key (`man:<uuid>`) is nobody else's, so there is nothing to compare it with. `now` in epoch ms. */
export const fromDeclaration = (
  { tenant_id, dedup_key }: SignalKey,
  told: Pick<Signal, 'title' | 'summary' | 'severity' | 'labels'>,
  now: number
): Signal => ({
  tenant_id,
  dedup_key,
  action: 'fire',
  accepted_as: 'applied',
  reopened_from: null,
  sequence: null,
  delivery_id: null,
  occurred_at: now,
  started_at: now,
  detected_at: now,
  severity: told.severity,
  title: cut(told.title, TITLE_MAX),
  summary: told.summary === null ? null : cut(told.summary, SUMMARY_MAX),
  source_kind: 'manual',
  source_type: null,
  integration_id: null,
  monitor_id: null,
  heartbeat_id: null,
  region: null,
  affected_regions: [],
  priority: null,
  labels: tidyLabels(told.labels),
  links: [],
  team_id: null,
  visibility: 'org',
  escalation_policy_id: null
})

/** The signal as it is accepted, by the table above. `now` is the record's time; `newest` the key's newest incident. */
export function judge(row: SignalRow, received: Signal, newest: Incident | null, now: number): Signal {
  if (received.action === 'note' || received.action === 'update') return received
  const accepted_as = standing(row, received, now)
  const reopens = received.action === 'fire' && row.last_action === 'fire' && newest?.status === 'resolved'
  if (accepted_as === 'applied' && !reopens) return received
  return { ...received, accepted_as, reopened_from: reopens ? newest.incident_id : null }
}

function standing(row: SignalRow, signal: Signal, now: number): Signal['accepted_as'] {
  if (row.last_action !== null) {
    if (repeats(row, signal)) return 'repeat'
    if (older(row, signal)) return 'older'
  }
  const quiet = signal.action === 'fire' && row.suppressed_until !== null && now < row.suppressed_until
  return quiet && !laterOccurrence(row, signal) ? 'suppressed' : 'applied'
}

function repeats(row: SignalRow, signal: Signal): boolean {
  if (signal.delivery_id !== null && signal.delivery_id === row.last_delivery_id) return true
  if (signal.action !== row.last_action) return false
  if (signal.sequence !== null && row.last_sequence !== null) return signal.sequence === row.last_sequence
  return signal.occurred_at === row.last_at
}

function older(row: SignalRow, signal: Signal): boolean {
  if (signal.sequence !== null && row.last_sequence !== null && signal.sequence !== row.last_sequence)
    return signal.sequence < row.last_sequence
  return row.last_at !== null && signal.occurred_at < row.last_at
}

const laterOccurrence = (row: SignalRow, signal: Signal): boolean =>
  signal.sequence !== null && row.last_sequence !== null && signal.sequence > row.last_sequence

/** The row after a signal. `incident` is the key's newest incident after it. A source's last known sequence stays when a signal comes without one. */
export function rowAfter(row: SignalRow, signal: Signal, incident: Incident | null): SignalRow {
  const { action } = signal
  if (action === 'note' || action === 'update') return row
  const applied = signal.accepted_as === 'applied'
  return {
    tenant_id: row.tenant_id, // Field by field: every signal passes here.
    dedup_key: row.dedup_key,
    incident_id: (applied ? incident?.incident_id : null) ?? row.incident_id,
    last_action: applied ? action : row.last_action,
    last_at: applied ? signal.occurred_at : row.last_at,
    last_sequence: (applied ? signal.sequence : null) ?? row.last_sequence,
    last_delivery_id: applied ? signal.delivery_id : row.last_delivery_id,
    suppressed_until: applied ? null : row.suppressed_until,
    occurrences: row.occurrences + 1,
    last_seen_at: Math.max(row.last_seen_at ?? 0, signal.detected_at)
  }
}

// What a door or a fold before us has limited already; here it keeps a row within what the log takes.
const TITLE_MAX = 300
const SUMMARY_MAX = 4000
const REGION_MAX = 64
const LABELS_MAX = 64
const NAME_MAX = 128
const VALUE_MAX = 512

/** At most `most` UTF-16 units, storable, and no half of a pair at the cut. */
const cut = (text: string, most: number): string =>
  storable(text.length > most ? text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') : text)

/** Sorted by key: equal labels are equal bytes, whether they come from the log or from a row. */
export const sortLabels = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).sort(([left], [right]) => (left < right ? -1 : 1)))

const tidyLabels = (labels: Record<string, string>): Record<string, string> =>
  isTidy(labels)
    ? labels
    : sortLabels(
        Object.fromEntries(
          Object.entries(labels)
            .slice(0, LABELS_MAX)
            .map(([name, value]) => [cut(name, NAME_MAX), cut(value, VALUE_MAX)])
        )
      )

/** Sorted and within their limits already: they stay the object that they are, for nobody writes to it. */
function isTidy(labels: Record<string, string>): boolean {
  let before = ''
  let count = 0
  for (const name in labels) {
    const value = labels[name]
    if (value === undefined || name.length > NAME_MAX || value.length > VALUE_MAX) return false
    if (++count > LABELS_MAX || name < before || storable(name) !== name || storable(value) !== value) return false
    before = name
  }
  return true
}
